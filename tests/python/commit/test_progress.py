"""Progress is told while rows are written, on the thread of the caller, and in the end in all."""

from __future__ import annotations

import io
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pytest

import floeberg as fb
from every_write import WRITES

COUNT = 400_000


@pytest.fixture
def table(tmp_path):
    catalog = fb.load_catalog(f"progress-{uuid4()}", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    return catalog.create_table("n.t", pa.schema({"id": pa.int64(), "city": pa.string()}))


def batches(*, pause: float = 0.0, count: int = COUNT):
    """Batches of rows, some time apart."""
    schema = pa.schema({"id": pa.int64(), "city": pa.string()})

    def each():
        for start in range(0, count, count // 8):
            ids = np.arange(start, start + count // 8)
            time.sleep(pause)
            yield pa.record_batch([pa.array(ids), pa.array(ids).cast(pa.string())], schema=schema)

    return pa.RecordBatchReader.from_batches(schema, each())


def written(table):
    return sorted(Path(table.location(), "data").rglob("*.parquet"))


def test_rows_are_told_while_they_are_written(table, monkeypatch):
    # A round is a sixteenth of the memory or less, so that rows are encoded before the last has come.
    monkeypatch.setenv("FLOEBERG_MEMORY", str(8 << 20))
    seen, threads = [], set()

    def tell(report):
        seen.append(report)
        threads.add(threading.get_ident())

    done = table.append(batches(pause=0.08), progress=tell)
    rows = [each.rows for each in seen if each.step == "writing"]
    assert rows == sorted(rows) and len(set(rows)) > 2 and rows[-1] == COUNT
    assert 0 < rows[len(rows) // 2] < COUNT
    files = [each.files for each in seen if each.step == "writing"]
    assert files == sorted(files) and files[-1] == done.added_files
    assert (seen[-1].step, seen[-1].rows, seen[-1].files) == ("committing", COUNT, done.added_files)
    assert threads == {threading.get_ident()}
    assert all(one.seconds <= other.seconds for one, other in pairwise(seen))


@pytest.mark.parametrize("name", WRITES)
def test_the_last_report_has_all(table, name):
    change, _ = WRITES[name]
    table.append(pa.table({"id": [1, 2], "city": ["Oslo", "Riga"]}))
    seen = []
    done = change(table, progress=seen.append)
    assert seen[-1].step == "committing"
    inserted = getattr(done, "rows_inserted", 0)
    assert seen[-1].rows == (inserted or done.added_rows or done.deleted_rows) > 0
    assert seen[-1].files > 0


class StopError(Exception):
    """Of the user."""


@pytest.mark.parametrize("step", ["writing", "committing"])
def test_what_a_function_raises_stops_the_write_and_leaves_no_file(table, step):
    table.append(pa.table({"id": [1]}))
    before, snapshot = written(table), table.current_snapshot().snapshot_id

    def stop(report):
        if report.step == step and report.rows:
            raise StopError(step)

    for change in (
        lambda: table.append(batches(pause=0.02), progress=stop),
        lambda: table.overwrite(batches(), progress=stop),
        lambda: table.upsert(batches(count=800), ["id"], progress=stop),
        lambda: (
            table.merge(batches(count=800), on="id", progress=stop).when_not_matched_insert_all().execute()
        ),
    ):
        with pytest.raises(StopError):
            change()
        assert written(table) == before
    assert table.refresh().current_snapshot().snapshot_id == snapshot


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_line_says_how_far_it_is(table, monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    table.append(pa.table({"id": [1, 2, 3]}), progress=True)
    assert out.getvalue().startswith("committing: 3 rows, 1 files, ")
    assert out.getvalue().count("\n") == 1
    table.append(pa.table({"id": [4]}), progress=False)
    with pytest.raises(fb.errors.FloebergError):
        table.append(pa.table({"no": [4]}), progress=True)
    assert out.getvalue().count("\n") == 1


def test_a_line_in_a_terminal_is_written_again(table, monkeypatch):
    out = Terminal()
    monkeypatch.setattr(sys, "stderr", out)
    table.append(batches(count=80), progress=True)
    lines = out.getvalue().split("\r")
    assert len(lines) > 2 and lines[-1].endswith(" s\n")
    assert "writing: 80 rows" in out.getvalue()


def test_progress_is_a_function_or_a_bool(table):
    with pytest.raises(fb.errors.InvalidInputError, match="expected a function, or True"):
        table.append(pa.table({"id": [1]}), progress="yes")

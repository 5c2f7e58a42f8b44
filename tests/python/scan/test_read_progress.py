"""Reads, checks, expiries and files that are read say how far they are, and give what they give without it."""

from __future__ import annotations

import io
import sys
import threading
from itertools import pairwise
from pathlib import Path
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pytest

import floeberg as fb
from corpus import lance_lent
from floeberg.errors import InvalidInputError
from floeberg.progress.line import line_of

ROWS = 300_000


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A large file, of which several groups read parts, and five small ones; one with a deleted row."""
    warehouse = str(tmp_path_factory.mktemp("progress"))
    catalog = fb.load_catalog(f"read-progress-{uuid4()}", type="filesystem", warehouse=warehouse)
    catalog.create_namespace("n")
    made = catalog.create_table(
        "n.t",
        pa.schema({"id": pa.int64(), "text": pa.string()}),
        properties={"write.parquet.row-group-size-bytes": "1000000", "write.delete.mode": "merge-on-read"},
    )
    made.append(rows(0, ROWS))
    for start in range(ROWS, ROWS + 50, 10):
        made.append(rows(start, 10))
    made.delete(f"id = {ROWS + 3}")
    return made


def rows(start, count):
    ids = np.random.default_rng(start).permutation(np.arange(start, start + count))
    return pa.table({"id": ids, "text": pa.array(ids * 7919 % 1_000_003).cast(pa.string())})


def only_forward(reports):
    """The numbers of the last step never fall."""
    last = [each for each in reports if each.step == reports[-1].step]
    for one, other in pairwise(last):
        assert (one.files, one.rows, one.bytes) <= (other.files, other.rows, other.bytes)
        assert one.seconds <= other.seconds
        assert one.step_seconds <= other.step_seconds
        assert (one.of_files, one.of_rows, one.of_bytes) == (other.of_files, other.of_rows, other.of_bytes)
    return last


@pytest.mark.parametrize("given", [{}, {"row_filter": "id < 7"}, {"selected_fields": ("text",)}])
def test_a_scan_gives_the_same_rows_in_the_same_order(table, given):
    seen, threads = [], set()

    def tell(report):
        seen.append(report)
        threads.add(threading.get_ident())

    scan = table.scan(**given)
    found = scan.to_arrow(progress=tell)
    assert found.equals(scan.to_arrow())
    assert threads == {threading.get_ident()}
    assert seen[0].step == "planning"
    last = only_forward(seen)
    plan = scan.plan_files()
    assert (last[0].files, last[0].bytes, last[0].share, last[0].remaining_seconds) == (0, 0, 0.0, None)
    assert (last[-1].files, last[-1].of_files) == (len(plan), len(plan))
    assert last[-1].rows == found.num_rows
    assert last[-1].of_rows == sum(plan.to_arrow()["record_count"].to_pylist())
    assert last[-1].bytes == last[-1].of_bytes > 0
    assert (last[-1].share, last[-1].remaining_seconds) == (1.0, 0.0)


def test_files_count_when_their_last_part_was_read(tmp_path, monkeypatch):
    monkeypatch.setattr("floeberg.progress.reporting._PAUSE", 0.0)
    catalog = fb.load_catalog(f"parts-{uuid4()}", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    made = catalog.create_table(
        "n.t",
        pa.schema({"id": pa.int64(), "bytes": pa.binary()}),
        properties={"write.parquet.row-group-size-bytes": "2000000"},
    )
    noise = np.random.default_rng(7).bytes(48 << 20)
    size = 1 << 16
    texts = [noise[start : start + size] for start in range(0, len(noise), size)]
    made.append(pa.table({"id": range(len(texts)), "bytes": pa.array(texts, pa.binary())}))
    made.append(pa.table({"id": [1], "bytes": pa.array([b"x"])}))
    seen = []
    made.scan().to_arrow(progress=seen.append)
    last = only_forward(seen)
    assert last[-1].files == last[-1].of_files == 2
    # Bytes of a file that is read in parts count before the file does.
    assert len({each.bytes for each in last if each.files == 1}) > 2


@pytest.mark.parametrize("take", ["to_arrow", "to_pandas", "to_polars", "to_arrow_batch_reader"])
def test_every_way_to_take_rows_reports(table, take):
    seen = []
    found = getattr(table.scan(row_filter="id < 9"), take)(progress=seen.append)
    if take == "to_arrow_batch_reader":
        assert not seen
        found = found.read_all()
    assert len(found) == seen[-1].rows == 9


def test_a_whole_table_reports(table):
    seen = []
    assert table.to_arrow(progress=seen.append).num_rows == seen[-1].rows == ROWS + 49


def test_a_limit_is_what_there_is(table):
    seen = []
    assert table.scan(limit=7).to_arrow(progress=seen.append).num_rows == 7
    assert (seen[-1].rows, seen[-1].of_rows, seen[-1].of_files, seen[-1].share) == (7, 7, 0, 1.0)


def test_changes_report_the_files_of_their_snapshots(table):
    seen = []
    changes = table.changelog_scan(table.snapshots()[0].snapshot_id)
    assert changes.to_arrow(progress=seen.append).equals(changes.to_arrow())
    assert seen[-1].rows == 51
    assert seen[-1].files == seen[-1].of_files == changes.plan_files().num_rows
    only_forward(seen)
    net = table.changelog_scan(table.snapshots()[0].snapshot_id, net=True)
    assert net.to_arrow(progress=seen.append).equals(net.to_arrow())
    assert seen[-1].files == seen[-1].of_files


def test_a_difference_counts_its_rows(table):
    seen = []
    diff = table.diff(table.snapshots()[0].snapshot_id)
    assert diff.to_arrow(progress=seen.append).num_rows == seen[-1].rows == 49
    assert (seen[-1].step, seen[-1].share) == ("comparing", None)


def test_lance_rows_report_fragments():
    scan = lance_lent("lance").open().scan()
    seen = []
    assert scan.to_arrow(progress=seen.append).equals(scan.to_arrow())
    assert (seen[-1].files, seen[-1].of_files, seen[-1].rows) == (3, 3, 29)
    assert seen[-1].of_rows == scan.explain().physical_rows
    only_forward(seen)
    limited = lance_lent("lance").open().scan(limit=2)
    assert limited.to_arrow(progress=seen.append).num_rows == seen[-1].rows == seen[-1].of_rows == 2


class StopError(Exception):
    """Of the user."""


def test_what_a_function_raises_ends_the_read(table):
    def stop(report):
        if report.step == "reading":
            raise StopError

    with pytest.raises(StopError):
        table.scan().to_arrow(progress=stop)
    assert table.scan(row_filter="id = 1").to_arrow().num_rows == 1


def test_a_bar_is_a_line_that_ends(table, monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    table.scan(row_filter="id < 7").to_arrow(progress=True)
    assert out.getvalue().startswith("reading: [####################] 7 rows, 1 of 1 files, ")
    assert out.getvalue().count("\n") == 1
    reader = table.scan().to_arrow_batch_reader(progress=True)
    reader.read_next_batch()
    del reader
    assert out.getvalue().count("\n") == 1


@pytest.mark.parametrize("wrong", ["yes", 1, object()])
def test_progress_is_a_function_or_a_bool(table, wrong):
    with pytest.raises(InvalidInputError, match="progress: expected a function"):
        table.scan().to_arrow(progress=wrong)
    with pytest.raises(InvalidInputError, match="progress: expected a function"):
        table.check(progress=wrong)


@pytest.mark.parametrize("level", ["metadata", "manifests", "files", "rows"])
def test_a_check_counts_its_files(table, level):
    seen = []
    check = table.check(level, progress=seen.append)
    assert list(check) == list(table.check(level)) == []
    assert {each.step for each in seen} == {"checking"}
    files = 7 if level in ("files", "rows") else 0
    assert (seen[-1].files, seen[-1].of_files) == (files, files)
    only_forward([each for each in seen if each.of_files])
    before = len(seen)
    assert check.is_sound() and len(seen) > before
    assert check.to_arrow().equals(table.check(level).to_arrow())


@pytest.mark.unchecked_tables("their files are damaged")
def test_a_check_with_progress_finds_the_same(tmp_path):
    catalog = fb.load_catalog(f"broken-{uuid4()}", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    made = catalog.create_table("n.t", pa.schema({"id": pa.int64()}))
    for number in range(3):
        made.append(pa.table({"id": [number]}))
    for file in sorted(Path(made.location(), "data").rglob("*.parquet"))[:2]:
        file.write_bytes(b"no rows are here")
    plain = list(made.check("rows"))
    told = list(made.check("rows", progress=lambda _: None))
    assert len(plain) >= 2
    assert sorted(map(repr, told)) == sorted(map(repr, plain))
    assert made.check("rows", progress=lambda _: None).to_arrow().num_rows == len(plain)


def test_removed_files_are_counted(tmp_path):
    catalog = fb.load_catalog(f"expiry-{uuid4()}", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    made = catalog.create_table("n.t", pa.schema({"id": pa.int64()}))
    for number in range(3):
        made.overwrite(pa.table({"id": [number]}))
    seen = []
    done = made.maintenance.expire_snapshots(older_than="2100-01-01T00:00Z", progress=seen.append)
    assert [each.step for each in seen] == ["committing", "planning", "removing"]
    assert seen[-1].files == seen[-1].of_files == len(done.deleted_files) > 0
    stray = Path(made.location(), "data", "stray.parquet")
    stray.write_bytes(b"stray")
    seen.clear()
    made.maintenance.remove_orphan_files(
        older_than="2100-01-01T00:00Z", allow_recent=True, progress=seen.append
    )
    assert [(each.step, each.files) for each in seen] == [("planning", 0), ("removing", 1)]
    assert not stray.exists()


def test_files_that_are_read_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr("floeberg.progress.reporting._PAUSE", 0.0)
    Path(tmp_path, "one.csv").write_text("id\n1\n2\n")
    Path(tmp_path, "two.csv").write_text("id\n3\n")
    seen = []
    reader = fb.read_files(str(tmp_path), progress=seen.append)
    assert not seen
    assert reader.read_all().num_rows == 3
    assert [(each.files, each.rows, each.bytes) for each in seen] == [
        (0, 2, 0),
        (1, 2, 7),
        (1, 3, 7),
        (2, 3, 12),
    ]
    assert {(each.of_files, each.of_bytes) for each in seen} == {(2, 12)}


def test_an_append_knows_how_many_rows_it_gets(table, tmp_path):
    catalog = fb.load_catalog(f"known-{uuid4()}", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    made = catalog.create_table("n.t", table.schema())
    for data, known in (
        (rows(0, 5), 5),
        ([{"id": 1, "text": "a"}], 1),
        (rows(0, 5).to_pandas(), 0),
        (rows(0, 5).to_reader(), 0),
    ):
        seen = []
        made.append(data, progress=seen.append)
        assert {each.of_rows for each in seen if each.step == "writing"} <= {known}


def report(**more):
    given = {"step": "reading", "files": 0, "of_files": 0, "rows": 0, "seconds": 4.0, "step_seconds": 3.0}
    return fb.ProgressReport(**given | more)


@pytest.mark.parametrize(
    ("given", "share", "remaining"),
    [
        ({}, None, None),
        ({"files": 1, "of_files": 4}, 0.25, 9.0),
        ({"rows": 3, "of_rows": 4}, 0.75, 1.0),
        ({"files": 1, "of_files": 2, "bytes": 1, "of_bytes": 4}, 0.25, 9.0),
        ({"files": 9, "of_files": 4}, 1.0, 0.0),
    ],
)
def test_the_rest_takes_as_long_as_what_is_done(given, share, remaining):
    found = report(**given)
    assert (found.share, found.remaining_seconds) == (share, remaining)


def test_a_line_has_all_that_is_known():
    shown = line_of(report(files=1, of_files=4, rows=2000, of_rows=8000, bytes=1 << 20, of_bytes=4 << 20))
    assert shown == (
        "reading: [#####...............] 2,000 rows, 1 of 4 files, 1.0 MiB of 4.0 MiB, 4.0 s, about 9 s left"
    )
    assert line_of(report(rows=3, of_rows=4)) == (
        "reading: [###############.....] 3 of 4 rows, 0 files, 4.0 s, about 1 s left"
    )
    assert line_of(report(rows=3)) == "reading: 3 rows, 0 files, 4.0 s"

"""What is particular to tables in object stores: parts of files, answers that get lost, many writers without locks."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from one_column import SCHEMA, ids, rows
from places import files_in
from store_kinds import tried

import floeberg as fb
from floeberg.errors import CommitStateUnknownError, FloebergError

FAULTS = ("fail", "lose-request", "lose-answer", "cut-short")
HASTE = {"commit.retry.min-wait-ms": "1", "commit.retry.max-wait-ms": "20"}


@pytest.fixture
def orders(catalog):
    """A table of two rows."""
    catalog.create_namespace("sales")
    table = catalog.create_table("sales.orders", SCHEMA, properties=HASTE)
    table.append(rows(1, 2))
    return table


@pytest.fixture
def texts(catalog):
    """A table for large files."""
    catalog.create_namespace("sales")
    return catalog.create_table("sales.texts", pa.schema({"text": pa.string()}))


def large(seed: int) -> pa.Table:
    """Rows that no codec makes smaller than 20 MB."""
    drawn = random.Random(seed)
    return pa.table({"text": [drawn.randbytes(10_000).hex() for _ in range(2_000)]})


def test_a_file_of_many_parts_arrives_whole(texts, store):
    given = large(1)
    texts.append(given)
    (size,) = texts.inspect.files()["file_size_in_bytes"].to_pylist()
    assert size > 16 << 20
    assert texts.scan().to_arrow().equals(given.cast(texts.scan().to_arrow().schema))
    assert store.uploads() == 0


def test_a_write_that_ends_in_an_error_leaves_no_object_and_no_upload(texts, store):
    before = files_in(texts.location())

    def batches():
        yield from large(2).to_batches()
        raise RuntimeError("the source broke")

    broken = pa.RecordBatchReader.from_batches(large(2).schema, batches())
    with pytest.raises(Exception, match="the source broke"):
        texts.append(broken)
    assert files_in(texts.location()) == before
    assert store.uploads() == 0


@pytest.mark.parametrize("kind", [name for name in tried(more=True) if "filesystem" in name], indirect=True)
def test_a_table_in_a_folder_of_its_own_is_written_without_a_catalog(orders):
    opened = fb.open_table(orders.location())
    opened.append(rows(3))
    assert ids(orders.refresh()) == [1, 2, 3]


@pytest.mark.usefixtures("orders")
@pytest.mark.parametrize("fault", FAULTS)
def test_every_call_of_an_append_may_fail(catalog, fault, tmp_path):
    present = [1, 2]
    for number in range(100):
        calls = tmp_path / f"calls-{number}"
        options = {"testing.calls": str(calls), "testing.faults": f"{number}={fault}"}
        row = 10 + number
        failing = type(catalog)(catalog._name, catalog._properties | options)
        try:
            failing.load_table("sales.orders").append(rows(row))
            present.append(row)
        except CommitStateUnknownError:
            if row in ids(catalog.load_table("sales.orders")):
                present.append(row)
        except FloebergError:
            pass
        assert ids(catalog.load_table("sales.orders")) == present
        if len(calls.read_text().splitlines()) <= number:
            break
    else:
        pytest.fail("an append makes more calls than were tried")
    assert number > 5
    assert len(present) > 3


def test_many_processes_append_and_lose_nothing(kind_name, catalog, orders, tmp_path):
    writers, appends = 4, 10
    orders.set_properties({"commit.retry.num-retries": "50"})
    program = Path(__file__).with_name("appender.py")
    children = [
        subprocess.Popen(
            [sys.executable, program, kind_name, catalog._name, tmp_path, str(writer), str(appends)],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for writer in range(writers)
    ]
    said = [child.communicate()[0].split() for child in children]
    assert [child.returncode for child in children] == [0] * writers
    acknowledged = [int(row) for rows_of_one in said for row in rows_of_one]
    assert len(acknowledged) == writers * appends
    table = catalog.load_table("sales.orders")
    assert ids(table) == sorted([1, 2, *acknowledged])
    assert len(table.snapshots()) == 1 + len(acknowledged)

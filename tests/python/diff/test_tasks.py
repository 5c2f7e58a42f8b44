"""What workers find of two snapshots, without an engine around them, is what the difference is."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pytest

from diff.compared import SCHEMA, changed, filled, found
from floeberg import _native
from floeberg.errors import InvalidInputError


def taken(stream):
    batches = []
    while (batch := stream.next_batch()) is not None:
        batches.append(pa.record_batch(batch))
    return batches


def by_tasks(diff, *, tasks=3, buckets=4):
    """The rows of a difference, by tasks."""
    parts, columns, is_matched, _, _ = diff._inner.tasks(tasks)
    assert 1 <= len(parts) <= tasks
    schema = pa.schema(diff)
    if not is_matched:
        given = [
            each for part in parts for each in taken(_native.changes_of_task(part, engine=None, threads=1))
        ]
        return pa.Table.from_batches(given, schema)
    pieces = [
        each for part in parts for each in taken(_native.spread_changes(part, buckets=buckets, threads=1))
    ]
    rows = pa.Table.from_batches(pieces).sort_by("side")
    given = []
    for bucket in range(buckets):
        own = rows.filter(pa.compute.equal(rows["bucket"], bucket))
        given += taken(_native.matched_changes(own.to_reader(), columns, engine=None))
    return pa.Table.from_batches(given, schema)


class Rows:
    """Rows in the form that `found` takes."""

    def __init__(self, rows):
        self.rows = rows

    def to_arrow(self):
        return self.rows


@pytest.mark.parametrize(
    ("version", "mode"),
    [(1, "copy-on-write"), (2, "merge-on-read"), (3, "copy-on-write"), (3, "merge-on-read")],
)
@pytest.mark.parametrize(
    "how", [{}, {"key": ["id"]}, {"selected_fields": ("note",)}, {"row_filter": "id > 2"}]
)
@pytest.mark.parametrize("buckets", [1, 7])
def test_tasks_find_what_differs(version, mode, how, buckets):
    table, start = changed(version, mode)
    now = table.current_snapshot().snapshot_id
    for diff in (table.diff(start, **how), table.diff(now, start, **how)):
        assert found(Rows(by_tasks(diff, buckets=buckets))) == found(diff)


def test_counts_are_known_without_tasks_where_files_only_came():
    table, start = filled(2)
    table.append(pa.table({"id": [7, 8], "note": ["x", "y"], "x": [0.0, 0.0]}, SCHEMA))
    diff = table.diff(start)
    _, _, is_matched, size, counts = diff._inner.tasks(9)
    assert not is_matched
    assert size > 0
    assert counts == diff._inner.counts() == (2, 0, 0, {})
    assert table.diff(start, row_filter="id = 7")._inner.tasks(9)[4] is None
    assert found(Rows(by_tasks(diff))) == found(diff)


def test_a_proof_needs_no_task():
    table, start = filled(3)
    assert table.diff(start, start)._inner.tasks(4) is None


def test_other_bytes_are_no_task():
    table, start = changed(3, "merge-on-read")
    (task, *_), columns, *_ = table.diff(start, key=["id"])._inner.tasks(1)
    for damaged in (
        b"",
        b"\x01",
        task[:3],
        task[:40],
        b"\xff" * 60,
        b"\x02\x00\x00\x00{}" + task[9:],
        columns[:-5],
    ):
        with pytest.raises(InvalidInputError, match="damaged"):
            _native.counts_of_task(damaged, threads=1)
    with pytest.raises(InvalidInputError, match="buckets: expected 1 to 2147483647 of them, found 0"):
        _native.spread_changes(task, buckets=0, threads=1)
    pieces = taken(_native.spread_changes(task, buckets=1, threads=1))
    rows = pa.Table.from_batches(pieces).sort_by([("side", "descending")])
    with pytest.raises(InvalidInputError, match="rows that came before rows that went"):
        _native.matched_changes(rows.to_reader(), columns, engine=None)
    with pytest.raises(InvalidInputError, match="the side of a piece and rows as bytes"):
        _native.counts_of_matched(pa.table({"a": [1]}).to_reader(), columns)
    with pytest.raises(InvalidInputError, match="found other bytes"):
        _native.counts_of_matched(
            pa.table({"side": pa.array([0], pa.int32()), "rows": [b"nothing"]}).to_reader(), columns
        )


LITTLE_MEMORY = """
import pyarrow as pa
import floeberg as fb
from floeberg import _native

catalog = fb.load_catalog("little", type="memory")
catalog.create_namespace("ns")
rows = pa.table({"id": range(60_000), "note": [f"note {each}" for each in range(60_000)]})
table = catalog.create_table("ns.t", rows.schema, format_version=2)
table.append(rows)
start = table.current_snapshot().snapshot_id
new = rows.slice(100).set_column(1, "note", pa.array([f"new {each}" for each in range(100, 60_000)]))
table.overwrite(pa.concat_tables([new.slice(30_000), new.slice(0, 30_000)]))
(task, *_), columns, *_ = table.diff(start, key=["id"])._inner.tasks(1)
stream, pieces = _native.spread_changes(task, buckets=1, threads=1), []
while (piece := stream.next_batch()) is not None:
    pieces.append(pa.record_batch(piece))
pieces = pa.Table.from_batches(pieces).sort_by("side")
print(_native.counts_of_matched(pieces.to_reader(), columns))
"""


def test_rows_that_do_not_fit_into_memory_wait_in_a_file(tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", LITTLE_MEMORY],
        env={"FLOEBERG_MEMORY": "1M", "PYTHONPATH": ":".join(sys.path), "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == str((0, 100, 59_900, {"note": 59_900}))
    assert list(tmp_path.iterdir()) == []

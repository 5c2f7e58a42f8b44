"""Many processes delete rows of the same files at once, and processes are killed while they do.

What is acknowledged is gone, nothing else is, rows keep their lineage, and files of attempts that failed are removed.
`FLOEBERG_KILLS=200` kills so many processes, and `FLOEBERG_DELETES=100` has each of eight delete so often.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pyarrow as pa
import pytest
from children import Deleter
from faulted import FAST, SCHEMA, Place, left_over, metadata_files, referenced

import floeberg as fb

WRITERS = 8
DELETES = int(os.environ.get("FLOEBERG_DELETES", "13"))
KILLS = int(os.environ.get("FLOEBERG_KILLS", "12"))
PATIENT = FAST | {
    "commit.retry.num-retries": "100",
    "commit.retry.total-timeout-ms": "600000",
    "write.metadata.previous-versions-max": "10000",
}
MODES = [(2, "merge-on-read"), (3, "merge-on-read"), (3, "copy-on-write")]
FILES = 4
Key = tuple[int, int, int]
"""Who deletes a row, the number of the delete, and which of its rows it is."""
Rows = dict[Key, tuple[int | None, int | None]]
"""What there is of lineage to each row."""


def made(place: Place, version: int, writers: int, deletes: int) -> fb.Table:
    """A table of a few files, each with a row for every delete of every writer."""
    place.create(**PATIENT, **{"format-version": str(version)})
    table = place.table()
    for part in range(FILES):
        rows = [
            {"writer": writer, "number": number, "row": part, "part": "p"}
            for writer in range(writers)
            for number in range(deletes)
        ]
        table.append(pa.Table.from_pylist(rows, SCHEMA))
    return table


def rows_of(table: fb.Table) -> Rows:
    """The rows, and their lineage."""
    lineage = ("_row_id", "_last_updated_sequence_number") if table.format_version > 2 else ()
    found = table.scan(selected_fields=("writer", "number", "row", *lineage)).to_arrow().to_pylist()
    rows = {(each["writer"], each["number"], each["row"]): tuple(map(each.get, lineage)) for each in found}
    assert len(rows) == len(found), "a row is there twice"
    return rows


def check(table: fb.Table, before: Rows, children: list[Deleter]) -> None:
    """What was acknowledged is gone, what was never begun is there, and the rest whole or not at all."""
    after = rows_of(table)
    done = {(child.writer, number) for child in children for number in child.done}
    begun = {(child.writer, number) for child in children for number in child.begun}
    there = {key[:2] for key in after}
    assert not done & there, f"deleted rows are there: {sorted(done & there)[:5]}"
    for key, lineage in before.items():
        assert key in after or key[:2] in begun, f"nobody deleted {key}"
        assert after.get(key, lineage) == lineage
    counts = {each: sum(key[:2] == each for key in after) for each in there}
    assert set(counts.values()) <= {FILES}, f"deletes are half there: {counts}"
    missing = [path for path in referenced(table) if not path.exists()]
    assert not missing, f"the table names files that are not there: {missing}"


@pytest.mark.parametrize(("version", "mode"), MODES)
@pytest.mark.timeout(1800)
def test_eight_processes_delete_from_the_same_files(tmp_path: Path, version, mode, report) -> None:
    place = Place("filesystem", tmp_path / "place")
    before = rows_of(made(place, version, WRITERS, DELETES + 1))
    children = [Deleter(place, mode, writer, 0, DELETES) for writer in range(WRITERS)]
    for child in children:
        child.go()
    assert [child.wait() for child in children] == [0] * WRITERS
    done = sum(len(child.done) for child in children)
    failed = [line for child in children for line in child.failed]
    report(f"v{version} {mode}: {done} of {WRITERS * DELETES} deletes acknowledged")
    assert failed == []
    table = place.table()
    check(table, before, children)
    assert len(rows_of(table)) == WRITERS * FILES
    assert left_over(table) == set(), "no attempt leaves a file"


@pytest.mark.parametrize(("version", "mode"), MODES)
@pytest.mark.timeout(1800)
def test_a_killed_process_deletes_whole_or_not_at_all(tmp_path: Path, version, mode, report) -> None:
    place = Place("filesystem", tmp_path / "place")
    before = rows_of(made(place, version, KILLS, 3))
    chance = random.Random(KILLS)
    children: list[Deleter] = []
    for writer in range(KILLS):
        kept = metadata_files(place)
        child = Deleter(place, mode, writer, 0, 3)
        child.go()
        child.until_begun(chance.randrange(2))
        time.sleep(chance.uniform(0, 0.2))
        child.kill()
        children.append(child)
        now = metadata_files(place)
        assert all(now.get(path, content) == content for path, content in kept.items())
        check(place.table(), before, children)
    done, begun = (sum(len(getattr(each, name)) for each in children) for name in ("done", "begun"))
    report(f"v{version} {mode}: {KILLS} processes killed, {done} deletes acknowledged of {begun}")

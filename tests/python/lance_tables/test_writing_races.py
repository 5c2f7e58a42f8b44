"""Processes that write to one table at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import lance
import pyarrow as pa

import floeberg as fb

from .kit import check_same, made, rows

WRITER = """
import sys
import pyarrow as pa
import floeberg as fb

location, number = sys.argv[1], int(sys.argv[2])
table = fb.open_table(location)
for round in range(4):
    key = 1000 * (number + 1) + round
    table.append(pa.table({"id": [key], "name": ["a"], "v": [0.0]}))
    table.delete(f"id = {number * 10 + round}")
    table.update({"v": fb.sql_expr("v + 1")}, f"id = {number * 10 + 5}")
    table.upsert(pa.table({"id": [9000 + round], "name": [str(number)]}), ["id"])
    merge = table.merge(pa.table({"id": [9500 + round, number * 10 + 6], "v": [0.0, 0.0]}), on="id")
    merge.when_matched_update({"v": fb.sql_expr("target.v + 1")}).when_not_matched_insert_all().execute()
    table.refresh()
"""


def test_processes_that_append_delete_update_upsert_and_merge_lose_and_double_nothing(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 30))
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, table.location, str(number)]) for number in range(3)
    ]
    for _ in range(5):
        lance.write_dataset(pa.table({"id": [77], "name": ["p"], "v": [0.0]}), table.location, mode="append")
    assert [writer.wait(timeout=300) for writer in writers] == [0, 0, 0]
    table.refresh()
    check_same(table)
    found = table.scan().select("*", "_rowid").to_arrow()
    deleted = {number * 10 + round_ for number in range(3) for round_ in range(4)}
    appended = {1000 * (number + 1) + round_ for number in range(3) for round_ in range(4)}
    upserted = {9000 + round_ for round_ in range(4)}
    merged = {9500 + round_ for round_ in range(4)}
    expected = sorted([*(set(range(30)) - deleted), *appended, *upserted, *merged, *[77] * 5])
    assert sorted(found["id"].to_pylist()) == expected
    assert len(set(found["_rowid"].to_pylist())) == found.num_rows
    counted = {each["id"]: each["v"] for each in found.to_pylist() if each["id"] in (5, 15, 25)}
    assert counted == {5: 6.5, 15: 11.5, 25: 16.5}
    # One of the three inserted a key, and the others found it.
    by_merges = {each["id"]: each["v"] for each in found.to_pylist() if each["id"] in {6, 16, 26, *merged}}
    assert by_merges == {6: 7.0, 16: 12.0, 26: 17.0, **dict.fromkeys(merged, 2.0)}
    # No file is left over that no version names.
    named = set()
    for version in table.version_numbers():
        at = fb.open_table(table.location, version=version, format="lance")
        for task in at.scan().plan_files():
            named |= {Path(file.location).name for file in task.data_files}
            named |= {Path(task.deletion_file).name} if task.deletion_file else set()
    for folder in ("data", "_deletions"):
        assert {each.name for each in Path(table.location, folder).iterdir()} <= named

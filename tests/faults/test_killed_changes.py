"""Processes are killed while they change rows. A change is whole or not at all, and one that was acknowledged is there.

`FLOEBERG_KILLS=200` kills so many processes for each operation.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pyarrow as pa
import pytest
from children import Mutator
from faulted import FAST, SCHEMA, Place, metadata_files, referenced
from mutator import FILES

import floeberg as fb

KILLS = int(os.environ.get("FLOEBERG_KILLS", "5"))
CHANGES = 3
OPERATIONS = [
    (3, "update", "copy-on-write"),
    (3, "upsert", "merge-on-read"),
    (2, "merge", "merge-on-read"),
    (3, "apply_changes", "merge-on-read"),
    (2, "apply_changes", "equality"),
    (3, "apply_changes", "equality"),
]


def check(table: fb.Table, action: str, children: list[Mutator]) -> None:
    """What was acknowledged is there, what was never begun is not, and the rest whole or not at all."""
    found = table.scan().to_arrow().to_pylist()
    rows = {(each["writer"], each["number"], each["row"]): each["part"] for each in found}
    assert len(rows) == len(found), "a row is there twice"
    done = {(child.writer, number) for child in children for number in child.done}
    begun = {(child.writer, number) for child in children for number in child.begun}
    inserted = {} if action == "update" else {FILES: "new"}
    old, new = (dict.fromkeys(range(FILES), part) for part in ("old", "new"))
    for change in {key[:2] for key in rows}:
        now = {key[2]: part for key, part in rows.items() if key[:2] == change}
        states = [new | inserted] if change in done else [old, new | inserted]
        assert now in (states if change in begun else [old]), f"{change}: {now}"
    assert {key[:2] for key in rows} >= begun, "no row is lost"
    missing = [path for path in referenced(table) if not path.exists()]
    assert not missing, f"the table names files that are not there: {missing}"


@pytest.mark.parametrize(("version", "action", "mode"), OPERATIONS)
@pytest.mark.timeout(1800)
def test_a_killed_process_changes_whole_or_not_at_all(tmp_path: Path, version, action, mode, report) -> None:
    place = Place("filesystem", tmp_path / "place")
    place.create(**FAST, **{"format-version": str(version)})
    for row in range(FILES):
        rows = [
            {"writer": writer, "number": number, "row": row, "part": "old"}
            for writer in range(KILLS)
            for number in range(CHANGES)
        ]
        place.table().append(pa.Table.from_pylist(rows, SCHEMA))
    chance = random.Random(f"{KILLS} {action} {mode}")
    children: list[Mutator] = []
    for writer in range(KILLS):
        kept = metadata_files(place)
        child = Mutator(place, action, mode, writer, CHANGES)
        child.go()
        child.until_begun(chance.randrange(2))
        time.sleep(chance.uniform(0, 0.2))
        child.kill()
        assert child.failed == []
        children.append(child)
        now = metadata_files(place)
        assert all(now.get(path, content) == content for path, content in kept.items())
        check(place.table(), action, children)
    done, begun = (sum(len(getattr(each, name)) for each in children) for name in ("done", "begun"))
    report(f"v{version} {action} {mode}: {KILLS} processes killed, {done} changes acknowledged of {begun}")

"""Many processes change rows of one file at once.

Changes of different rows of a file all succeed, nearly all without looking for their rows again; changes of random
rows are as if one came after the other; of upserts of the same new keys each key is there once; and no attempt leaves a
file.
`FLOEBERG_CHANGES=100` has each of eight processes change rows so often.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from changer import KEYS, NEW
from children import Changer
from faulted import FAST, SCHEMA, Place, left_over, referenced
from serializable import FIRST, Transaction, faults

import floeberg as fb

WRITERS = 8
CHANGES = int(os.environ.get("FLOEBERG_CHANGES", "13"))
PATIENT = FAST | {"commit.retry.num-retries": "100", "commit.retry.total-timeout-ms": "600000"}


def made(place: Place, version: int, rows: list[dict[str, Any]]) -> None:
    """A table of one file."""
    # Metadata files that the log does not name any more are nobody's; it names all of these.
    log = {"write.metadata.previous-versions-max": str(10 * WRITERS * CHANGES)}
    place.create(**PATIENT, **log, **{"format-version": str(version)})
    place.table().append(pa.Table.from_pylist(rows, SCHEMA))


def raced(place: Place, action: str) -> tuple[list[Changer], list[dict[str, Any]]]:
    """All processes at once, and what they said of their commits. All of these are acknowledged."""
    children = [Changer(place, action, writer, CHANGES) for writer in range(WRITERS)]
    for child in children:
        child.go()
    assert [child.wait() for child in children] == [0] * WRITERS
    assert [line for child in children for line in child.failed] == []
    assert all(child.done == set(range(CHANGES)) for child in children)
    return children, [json.loads(line) for child in children for line in child.told]


def is_whole(table: fb.Table) -> bool:
    """Is every file there that the table names, and no other?"""
    return left_over(table) == set() and all(path.exists() for path in referenced(table))


def ids_of(table: fb.Table) -> dict[tuple[Any, ...], int | None]:
    """The row ids of rows, in version 3."""
    names = (*SCHEMA.names[:3], "_row_id") if table.format_version > 2 else SCHEMA.names[:3]
    found = table.scan(selected_fields=names).to_arrow().to_pylist()
    return {tuple(row[name] for name in SCHEMA.names[:3]): row.get("_row_id") for row in found}


@pytest.mark.parametrize(("version", "action"), [(2, "disjoint"), (3, "disjoint"), (3, "copied")])
@pytest.mark.timeout(1800)
def test_changes_of_different_rows_of_a_file_are_rebased(tmp_path: Path, version, action, report) -> None:
    place = Place("filesystem", tmp_path / "place")
    rows = [
        {"writer": writer, "number": number, "row": row, "part": "new"}
        for number in range(CHANGES + 1)
        for writer in range(WRITERS)
        for row in range(2)
    ]
    made(place, version, rows)
    before = ids_of(place.table())
    _, told = raced(place, action)
    rebased = sum(each["rebased"] > 0 and not each["repeated"] for each in told)
    alone = sum(not each["rebased"] and not each["repeated"] for each in told)
    report(
        f"v{version} updates of different rows, {action}: {rebased} of {len(told)} rebased, {alone} without others"
    )
    table = place.table()
    found = table.scan().to_arrow().to_pylist()
    parts = {(each["writer"], each["number"], each["row"]): each["part"] for each in found}
    assert len(parts) == len(found) == len(rows), "no row is lost, and none is there twice"
    assert {key: "done" if key[1] < CHANGES else "new" for key in parts} == parts
    assert rebased + alone >= 0.9 * len(told), "positions are moved, rows are not looked for again"
    assert rebased > len(told) / 2, "most had others beside them"
    assert is_whole(table)
    assert ids_of(table) == before, "rows keep their ids"


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.timeout(1800)
def test_changes_of_random_rows_are_serializable(tmp_path: Path, version, report) -> None:
    place = Place("filesystem", tmp_path / "place")
    made(place, version, [{"writer": 0, "number": key, "row": 0, "part": FIRST} for key in range(KEYS)])
    children, _ = raced(place, "random")
    history = []
    for child in children:
        for number, line in enumerate(child.told):
            told = json.loads(line)
            writes = frozenset(map(str, told["writes"]))
            name = f"{child.writer}-{number}"
            history.append(Transaction(name, told["reads"], writes, told["begun"], told["ended"]))
    table = place.table()
    found = table.scan().to_arrow().to_pylist()
    end = {str(each["number"]): each["part"] for each in found}
    assert len(found) == KEYS
    assert faults(history, end) == []
    again = sum(json.loads(line)["repeated"] for child in children for line in child.told)
    report(f"v{version} updates of random rows: {len(history)} commits, rows looked for again {again} times")
    assert again, "some changed the same rows"
    assert is_whole(table)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.timeout(1800)
def test_the_same_new_keys_are_inserted_once(tmp_path: Path, version, report) -> None:
    place = Place("filesystem", tmp_path / "place")
    made(place, version, [{"writer": -1, "number": -1, "row": 0, "part": "a"}])
    _, told = raced(place, "same")
    table = place.table()
    there = Counter((each["writer"], each["number"]) for each in table.scan().to_arrow().to_pylist())
    keys = [(key, number) for number in range(CHANGES) for key in range(number, number + NEW)]
    assert there == dict.fromkeys([*keys, (-1, -1)], 1)
    again = sum(each["repeated"] > 0 for each in told)
    report(f"v{version} upserts of the same keys: {again} of {len(told)} looked for their keys again")
    assert again
    assert is_whole(table)

"""Which rows are one row by a key that several rows have?"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError

from .kit import made

Shown = list[tuple[Any, ...]]


def shown(diff: Any) -> Shown:
    found = []
    for each in diff.to_arrow().to_pylist():
        sides = (each[side] and tuple(each[side].values()) for side in ("before", "after"))
        found.append((each["_change"], each["_changed_columns"], *sides))
    return sorted(found, key=str)


def both(folder: Path, before: pa.Table, after: pa.Table, **choice: Any) -> list[Shown]:
    """The differences of two versions of a Lance table, and of two snapshots of an Iceberg table."""
    lance = made(folder, before)
    lance.overwrite(after)
    catalog = fb.load_catalog(f"lance keys {folder}", type="memory")
    catalog.create_namespace("ns")
    iceberg = catalog.create_table("ns.t", before.schema)
    iceberg.append(before)
    start = iceberg.current_snapshot().snapshot_id
    iceberg.overwrite(after)
    diffs = [lance.diff(1, 2, **choice), iceberg.diff(start, **choice)]
    for diff in diffs:
        changes = [change for change, *_ in shown(diff)]
        summary = diff.summary()
        counts = (summary.inserted_rows, summary.deleted_rows, summary.updated_rows)
        assert counts == tuple(map(changes.count, ("insert", "delete", "update")))
        assert diff.exit_code() == int(bool(changes))
    return list(map(shown, diffs))


def table(*rows: tuple[Any, ...]) -> pa.Table:
    ids, values = zip(*rows, strict=True)
    return pa.table({"id": pa.array(ids, pa.int64()), "v": pa.array(values, pa.string())})


CASES: dict[str, tuple[pa.Table, pa.Table, Shown]] = {
    "equal": (table((2, "a"), (2, "b")), table((2, "b"), (2, "a")), []),
    "one update": (
        table((1, "x"), (2, "a"), (2, "b")),
        table((1, "x"), (2, "a"), (2, "c")),
        [("update", ["v"], (2, "b"), (2, "c"))],
    ),
    "two others": (
        table((2, "a"), (2, "b")),
        table((2, "c"), (2, "d")),
        [
            ("delete", None, (2, "a"), None),
            ("delete", None, (2, "b"), None),
            ("insert", None, None, (2, "c")),
            ("insert", None, None, (2, "d")),
        ],
    ),
    "fewer": (
        table((2, "a"), (2, "a"), (2, None)),
        table((2, "a")),
        [
            ("delete", None, (2, "a"), None),
            ("delete", None, (2, None), None),
        ],
    ),
    "more": (table((2, "a")), table((2, "b"), (2, "a")), [("insert", None, None, (2, "b"))]),
    "of a null": (
        table((None, "a"), (None, "b")),
        table((None, "c"), (None, "a")),
        [
            ("update", ["v"], (None, "b"), (None, "c")),
        ],
    ),
    "other keys": (
        table((2, "a"), (2, "b")),
        table((3, "a"), (3, "b")),
        [
            ("delete", None, (2, "a"), None),
            ("delete", None, (2, "b"), None),
            ("insert", None, None, (3, "a")),
            ("insert", None, None, (3, "b")),
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_rows_of_a_repeated_key_are_compared_by_values(tmp_path: Path, case: str) -> None:
    before, after, expected = CASES[case]
    for found in both(tmp_path, before, after, key=["id"]):
        assert found == sorted(expected, key=str)


def test_only_columns_that_are_compared_count(tmp_path: Path) -> None:
    before, after = table((1, "a"), (1, "b")), table((1, "c"), (1, "d"))
    for found in both(tmp_path, before, after, key=["id"], selected_fields=("id",)):
        assert found == []
    # Rows of one value and of two keys are two rows, also where the key is not shown.
    before, after = (
        table((1, "a"), (1, "b"), (2, "c"), (2, "d")),
        table((1, "c"), (1, "d"), (2, "a"), (2, "b")),
    )
    for found in both(tmp_path / "other", before, after, key=["id"], selected_fields=("v",)):
        assert [change for change, *_ in found] == ["delete"] * 4 + ["insert"] * 4


def test_many_rows_of_one_key_take_time_by_their_number(tmp_path: Path) -> None:
    count = 60_000
    before = pa.table({"id": pa.array([7] * count, pa.int64()), "v": list(map(str, range(count)))})
    after = pa.table({"id": pa.array([7] * count, pa.int64()), "v": list(map(str, range(count, 0, -1)))})
    for found in both(tmp_path, before, after, key=["id"]):
        assert found == [("update", ["v"], (7, "0"), (7, str(count)))]


def nan(bits: int) -> float:
    return struct.unpack("<d", struct.pack("<Q", 0x7FF8_0000_0000_0000 | bits))[0]


def test_a_key_column_never_changed(tmp_path: Path) -> None:
    def of(bits: int, value: str) -> pa.Table:
        return pa.table({"id": pa.array([nan(bits), 1.0], pa.float64()), "v": [value, "same"]})

    catalog = fb.load_catalog(f"nans {tmp_path}", type="memory")
    catalog.create_namespace("ns")
    iceberg = catalog.create_table("ns.t", of(0, "a").schema)
    iceberg.append(of(0, "a"))
    start = iceberg.current_snapshot().snapshot_id
    iceberg.overwrite(of(5, "b"))
    lance = made(tmp_path, of(0, "a"))
    diffs = [iceberg.diff(start, key=["id"]), iceberg.diff(lance, key=["id"])]
    lance.overwrite(of(5, "b"))
    for diff in [*diffs, lance.diff(1, 2, key=["id"])]:
        assert [(change, columns) for change, columns, *_ in shown(diff)] == [("update", ["v"])]
        assert diff.summary().changed_columns == {"v": 1}


def test_the_first_side_is_asked_for(tmp_path: Path) -> None:
    lance = made(tmp_path, table((1, "a")))
    with pytest.raises(InvalidInputError, match="^a: expected the number of a version, .*, found None"):
        lance.diff(None, 1)  # type: ignore[call-overload]
    catalog = fb.load_catalog(f"none {tmp_path}", type="memory")
    catalog.create_namespace("ns")
    iceberg = catalog.create_table("ns.t", table((1, "a")))
    with pytest.raises(InvalidInputError, match="^a: expected a snapshot id, .*, found None"):
        iceberg.diff(None, iceberg.current_snapshot().snapshot_id)  # type: ignore[call-overload]

"""Which rows of two versions differ, of those that match a filter?"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import FloebergError, InvalidInputError, UnsupportedError

from .kit import made, rows


def brief(diff: Any) -> list[tuple[Any, ...]]:
    """Each change: what it is, and the key."""
    found = []
    for each in diff.to_arrow().to_pylist():
        row = each["before"] if each["after"] is None else each["after"]
        found.append((each["_change"], row["id"]))
    return sorted(found)


def changed(folder: Path, *, stable: bool) -> fb.LanceTable:
    """Rows 0 to 7, of which 1 went, 2 and 5 changed and 4 has other values that count, and 8 and 9 came."""
    table = made(folder, rows(0, 8), stable_row_ids=stable)
    table.delete("id = 1")
    table.update({"name": "new"}, "id IN (2, 5)")
    table.update({"v": 100.0}, "id = 4")
    table.append(rows(8, 10))
    return table


IDENTITIES = [(True, None), (True, ["id"]), (False, ["id"])]


@pytest.mark.parametrize(("stable", "key"), IDENTITIES)
def test_rows_that_match_are_compared(tmp_path: Path, *, stable: bool, key: list[str] | None) -> None:
    table = changed(tmp_path, stable=stable)
    assert brief(table.diff(1, key=key, row_filter="id < 5")) == [
        ("delete", 1),
        ("update", 2),
        ("update", 4),
    ]
    assert brief(table.diff(1, key=key, row_filter="id >= 5")) == [
        ("insert", 8),
        ("insert", 9),
        ("update", 5),
    ]
    assert brief(table.diff(1, key=key, row_filter="id = 3")) == []
    assert not table.diff(1, key=key, row_filter="id = 3").has_changed_rows()


@pytest.mark.parametrize(("stable", "key"), IDENTITIES)
def test_a_row_that_matches_on_one_side_came_or_went(
    tmp_path: Path, *, stable: bool, key: list[str] | None
) -> None:
    table = changed(tmp_path, stable=stable)
    assert brief(table.diff(1, key=key, row_filter="v >= 50.0")) == [("insert", 4)]
    assert brief(table.diff(table.version, 1, key=key, row_filter="v >= 50.0")) == [("delete", 4)]
    was = table.diff(1, key=key, row_filter="name <> 'new'")
    assert brief(was) == [
        ("delete", 1),
        ("delete", 2),
        ("delete", 5),
        ("insert", 8),
        ("insert", 9),
        ("update", 4),
    ]
    summary = was.summary()
    assert (summary.inserted_rows, summary.deleted_rows, summary.updated_rows) == (2, 3, 1)


def test_addresses_are_matched_after_the_filter(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 6), stable_row_ids=False)
    table.delete("id IN (1, 4)")
    assert brief(table.diff(1, row_filter="id < 3")) == [("delete", 1)]


def test_columns_and_rows_can_be_chosen_and_sent(tmp_path: Path) -> None:
    table = changed(tmp_path, stable=True)
    diff = table.diff(1, row_filter=fb.col("id") == 2, selected_fields=("id",))
    assert brief(diff) == []
    diff = table.diff(1, row_filter=fb.col("id") < 3)
    assert brief(pickle.loads(pickle.dumps(diff))) == brief(diff) == [("delete", 1), ("update", 2)]


def test_two_tables_are_compared_by_rows_that_match(tmp_path: Path) -> None:
    one, other = made(tmp_path / "a", rows(0, 4)), made(tmp_path / "b", rows(2, 6))
    assert brief(other.diff(one, key=["id"], row_filter="id < 5")) == [
        ("delete", 0),
        ("delete", 1),
        ("insert", 4),
    ]


def test_a_filter_that_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    table = changed(tmp_path, stable=True)
    with pytest.raises(InvalidInputError, match="nope"):
        table.diff(1, row_filter="nope = 1")
    with pytest.raises(FloebergError):
        table.diff(1, row_filter="id = 'x'")
    table.drop_columns(["v"])
    table.add_columns(pa.field("v", pa.float64()))
    with pytest.raises(UnsupportedError, match="the column 'v'"):
        table.diff(1, selected_fields=("id",), row_filter="v > 1.0")

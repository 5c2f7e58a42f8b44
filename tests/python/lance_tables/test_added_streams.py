"""Columns that are added as rows of their own, one for each row of the table."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import CommitConflictError, InvalidInputError

from .kit import by_key, check_same, made, rows


def numbers(*parts: int) -> pa.RecordBatchReader:
    """Numbers from 0 on, in batches of their own sizes."""
    schema, start, batches = pa.schema([("n", pa.int32()), ("s", pa.string())]), 0, []
    for count in parts:
        values = range(start, start + count)
        batches.append(
            pa.record_batch([pa.array(values, pa.int32()), [f"s{n}" for n in values]], schema=schema)
        )
        start += count
    return pa.RecordBatchReader.from_batches(schema, batches)


@pytest.mark.parametrize("stable", [True, False])
@pytest.mark.parametrize("parts", [(27,), (1, 0, 13, 2, 11, 0), (5,) * 5 + (2,)])
def test_rows_of_a_stream_are_those_of_a_scan(
    tmp_path: Path, parts: tuple[int, ...], *, stable: bool
) -> None:
    table = made(tmp_path, rows(0, 20), max_rows_per_file=7, stable_row_ids=stable)
    table.delete("id IN (0, 7, 8, 19) OR id >= 14 AND id < 17")
    table.append(rows(20, 34))
    order = table.scan().to_arrow()["id"].to_pylist()
    assert len(order) == 27
    before = len(list(Path(table.location, "data").iterdir()))
    done = table.add_columns(numbers(*parts))
    assert (done.operation, done.version) == ("Merge", 4)
    found = {each["id"]: (each["n"], each["s"]) for each in by_key(table)}
    assert found == {key: (place, f"s{place}") for place, key in enumerate(order)}
    # A file beside the others for each fragment.
    assert len(list(Path(table.location, "data").iterdir())) == before + 4
    check_same(table)


def test_all_that_gives_rows_gives_columns(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 3))
    copy = made(tmp_path / "other", rows(5, 8))
    table.add_columns(pa.table({"a": pa.array(["x", "y", "x"]).dictionary_encode()}))
    table.add_columns(copy.scan().select("v").filter("id < 9").to_arrow().rename_columns(["w"]))
    table.add_columns(numbers(3), idempotency_key="k")
    assert table.add_columns(numbers(3), idempotency_key="k").already_committed
    assert by_key(table)[1] == {"id": 1, "name": "n1", "v": 0.5, "a": "y", "w": 3.0, "n": 1, "s": "s1"}
    check_same(table)
    empty = made(tmp_path / "empty", rows(0, 0))
    empty.add_columns(numbers(0))
    empty.append(pa.table({"id": [1], "n": pa.array([7], pa.int32())}))
    assert by_key(empty) == [{"id": 1, "name": None, "v": None, "n": 7, "s": None}]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (lambda: numbers(2), "found only 2"),
        (lambda: numbers(2, 2), "each of the 3 rows of the table, found more"),
        (lambda: pa.table({"name": ["a", "b", "c"]}), "name"),
        (lambda: pa.table([pa.array([1, 2, 3])] * 2, names=["x", "x"]), "two columns are named 'x'"),
        (lambda: 7, "int"),
        (dict, "found none"),
    ],
)
def test_what_does_not_fit_leaves_nothing(tmp_path: Path, columns, said: str) -> None:
    table = made(tmp_path, rows(0, 3))
    with pytest.raises(InvalidInputError, match=said):
        table.add_columns(columns())
    assert (table.refresh().version, len(list(Path(table.location, "data").iterdir()))) == (1, 1)


def test_a_required_column_needs_a_value_for_each_row(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 3))
    schema = pa.schema([pa.field("x", pa.int64(), nullable=False)])
    with pytest.raises(InvalidInputError, match="column: x"):
        table.add_columns(pa.table({"x": pa.array([1, None, 3], pa.int64())}, schema=schema))
    table.add_columns(pa.table({"x": [1, 2, 3]}, schema=schema))
    assert not check_same(table).schema.field("x").nullable


@pytest.mark.parametrize("change", ["append", "delete"])
def test_rows_that_others_changed_meanwhile_are_a_conflict(tmp_path: Path, change: str) -> None:
    table = made(tmp_path, rows(0, 3))
    other = fb.open_table(table.location)
    if change == "append":
        other.append(rows(3, 4))
    else:
        other.delete("id = 1")
    with pytest.raises(CommitConflictError):
        table.add_columns(numbers(3))
    assert len(list(Path(table.location, "data").iterdir())) == (2 if change == "append" else 1)
    table.refresh().add_columns(numbers(4 if change == "append" else 2))
    check_same(table)

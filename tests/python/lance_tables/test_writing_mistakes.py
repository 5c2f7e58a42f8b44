"""Names, stale tables and keys with which rows of a Lance table could be lost."""

from __future__ import annotations

from pathlib import Path

import lance
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import CommitConflictError, FloebergError, InvalidInputError, UnsupportedError

from .kit import check_same, made

RESERVED = ("_rowid", "_rowaddr", "_row_created_at_version", "_row_last_updated_at_version")


@pytest.fixture
def table(tmp_path: Path) -> fb.LanceTable:
    return made(tmp_path, pa.table({"id": [1, 2, 3], "v": pa.array([1, 2, 3], pa.int32())}))


@pytest.mark.parametrize("name", RESERVED)
def test_reserved_names_are_refused(table: fb.LanceTable, tmp_path: Path, name: str) -> None:
    rows = pa.table({"id": [1], name: [0]})
    with pytest.raises(InvalidInputError, match="reserved"):
        fb.lance.create_table(str(tmp_path / "other"), rows)
    assert not list((tmp_path / "other").rglob("*.lance"))
    for change in (
        lambda: table.overwrite(rows),
        lambda: table.add_columns({name: 1}),
        lambda: table.add_columns(pa.field(name, pa.int64())),
        lambda: table.rename_columns({"v": name}),
    ):
        with pytest.raises(InvalidInputError, match="reserved"):
            change()
    assert check_same(table).version == 1


def test_two_columns_of_one_name_are_refused(table: fb.LanceTable, tmp_path: Path) -> None:
    rows = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["id", "id"])
    with pytest.raises(InvalidInputError, match="two columns are named 'id'"):
        fb.lance.create_table(str(tmp_path / "other"), rows)
    with pytest.raises(InvalidInputError, match='two columns are named "id"'):
        table.overwrite(rows)


@pytest.mark.parametrize("how", ["type", "type by pylance", "dropped and added"])
def test_an_append_does_not_lose_values_of_a_column_that_was_replaced(table: fb.LanceTable, how: str) -> None:
    stale = fb.open_table(table.location)
    if how == "type":
        table.alter_column("v", type=pa.int64())
    elif how == "type by pylance":
        lance.dataset(table.location).alter_columns({"path": "v", "data_type": pa.int64()})
    else:
        table.drop_columns("v")
        table.add_columns(pa.field("v", pa.int32()))
    with pytest.raises(CommitConflictError, match="append the rows again"):
        stale.append(pa.table({"id": [4], "v": pa.array([4], pa.int32())}))
    stale.refresh()
    stale.append(pa.table({"id": [4], "v": pa.array([4], pa.int32())}))
    assert stale.scan(row_filter="id = 4").to_arrow()["v"].to_pylist() == [4]
    check_same(stale)


def test_an_append_beside_other_columns_is_kept(table: fb.LanceTable) -> None:
    stale = fb.open_table(table.location)
    table.add_columns(pa.field("more", pa.string()))
    table.rename_columns({"v": "w"})
    stale.append(pa.table({"id": [4], "v": pa.array([4], pa.int32())}))
    table.refresh()
    assert table.scan(row_filter="id = 4").to_arrow().to_pylist() == [{"id": 4, "w": 4, "more": None}]
    check_same(table)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({"id": "v", "v": "id"}, {"v": [1, 2, 3], "id": [10, 20, 30]}),
        ({"id": "v", "v": "w"}, {"v": [1, 2, 3], "w": [10, 20, 30]}),
        ({"v": "w", "id": "v"}, {"v": [1, 2, 3], "w": [10, 20, 30]}),
    ],
)
def test_columns_are_renamed_at_once(tmp_path: Path, names: dict[str, str], expected: object) -> None:
    table = made(tmp_path, pa.table({"id": [1, 2, 3], "v": [10, 20, 30]}))
    table.rename_columns(names)
    assert table.scan().to_arrow().to_pydict() == expected
    check_same(table)


def test_a_struct_and_its_field_are_renamed_at_once(tmp_path: Path) -> None:
    table = made(tmp_path, pa.table({"id": [1], "s": [{"x": 1, "y": 2}]}))
    table.rename_columns({"s": "t", "s.x": "y", "s.y": "x"})
    assert table.scan().to_arrow().to_pylist() == [{"id": 1, "t": {"y": 1, "x": 2}}]


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
def test_both_zeros_are_one_key(tmp_path: Path, kind: pa.DataType) -> None:
    table = made(tmp_path, pa.table({"f": pa.array([-0.0, float("nan")], kind), "n": [1, 2]}))
    done = table.upsert(pa.table({"f": pa.array([0.0, float("nan")], kind), "n": [3, 4]}), ["f"])
    assert (done.updated_rows, done.inserted_rows) == (2, 0)
    with pytest.raises(InvalidInputError, match="two rows of the source have one key"):
        table.upsert(pa.table({"f": pa.array([0.0, -0.0], kind), "n": [3, 4]}), ["f"])


def test_nested_keys_are_refused(tmp_path: Path) -> None:
    rows = pa.table({"k": [[1]], "n": [1]})
    with pytest.raises(UnsupportedError, match="cannot be a key: keys are of primitive types"):
        made(tmp_path, rows).upsert(rows, ["k"])


def test_a_function_adds_a_column(table: fb.LanceTable) -> None:
    table.add_columns({"twice": lambda batch: pa.array([2 * each for each in batch["v"].to_pylist()])})
    assert table.scan().to_arrow()["twice"].to_pylist() == [2, 4, 6]
    check_same(table)


def test_rows_are_not_found_by_a_column_that_hides_their_addresses(table: fb.LanceTable) -> None:
    dataset = lance.dataset(table.location)
    dataset.alter_columns({"path": "v", "name": "_rowaddr"})
    table.refresh()
    for change in (
        lambda: table.delete("id = 1"),
        lambda: table.update({"id": 5}, "id = 1"),
        lambda: table.upsert(pa.table({"id": [1]}), ["id"]),
    ):
        with pytest.raises(UnsupportedError, match="'_rowaddr' cannot be changed"):
            change()


def test_a_create_that_is_refused_leaves_no_folder(tmp_path) -> None:
    """pylance makes the folders, and then refuses the name of a column."""
    refused = pa.table({"a.b": [1], "a": [1]})
    for place in (tmp_path / "new", tmp_path / "deep" / "er" / "new"):
        with pytest.raises(FloebergError):
            fb.lance.create_table(str(place), refused)
    assert list(tmp_path.iterdir()) == []
    # What was there before stays, and so does what is in it.
    (tmp_path / "old" / "data").mkdir(parents=True)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    for name in ("old", "full"):
        with pytest.raises(FloebergError):
            fb.lance.create_table(str(tmp_path / name), refused)
    assert sorted(str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*")) == [
        "full",
        "full/mine",
        "old",
        "old/data",
    ]

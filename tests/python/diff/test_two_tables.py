"""What differs between two tables, of one format or of both?"""

from __future__ import annotations

import pickle
import random
import uuid
from collections import Counter
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import lance
import numpy as np
import pyarrow as pa
import pytest

import floeberg as fb
from corpus import lance_lent
from floeberg.comparing import TwoTablesDiff
from floeberg.errors import InvalidInputError, NotFoundError, UnsupportedError
from floeberg.types import NestedField, PrimitiveType, Schema

FORMATS = ("iceberg", "lance")
PAIRS = [(one, other) for one in FORMATS for other in FORMATS]
NARROW_FLOATS = (0.0, -0.0, 1.5, float("nan"), float("inf"), None)


def made(kind: str, folder: Path, rows: pa.Table, **how: Any) -> Any:
    """A table of a format, with rows that came in two parts."""
    half = rows.num_rows // 2
    if kind == "lance":
        table = fb.lance.create_table(str(folder / f"{uuid.uuid4()}.lance"), rows.slice(0, half))
    else:
        catalog = fb.load_catalog(f"two-{uuid.uuid4()}", type="memory")
        catalog.create_namespace("ns")
        table = catalog.create_table("ns.t", rows.schema, **how)
        if half:
            table.append(rows.slice(0, half))
    if rows.num_rows:
        table.append(rows.slice(half))
    return table


def found(diff: TwoTablesDiff) -> Counter[str]:
    rows = diff.to_arrow().to_pylist()
    return Counter(
        repr((each["_change"], each["_changed_columns"], each["before"], each["after"])) for each in rows
    )


# A plain model: columns by name, with the type of each side, values, and what a value before is after.
class Column:
    def __init__(
        self, name: str, before: Any, after: Any, values: Any, become: Any = lambda value: value
    ) -> None:
        self.name, self.types, self.become = name, (before, after), become
        self.values = values


def record(value: Any) -> Any:
    """A record of the first side, in the columns of the second: `b`, then `c`, which is new."""
    return None if value is None else {"b": value["b"], "c": None}


COLUMNS = [
    Column("id", pa.int32(), pa.int64(), [0, 1, 2, 3, 4, 5, 6, 7, None]),
    Column("note", pa.string(), pa.string(), ["a", "b", "", None]),
    Column("x", pa.float32(), pa.float64(), NARROW_FLOATS),
    Column("back", pa.float64(), pa.float32(), NARROW_FLOATS),
    Column("price", pa.decimal128(9, 2), pa.decimal128(18, 2), [Decimal("1.50"), Decimal("-2.00"), None]),
    Column(
        "day",
        pa.date32(),
        pa.timestamp("us"),
        [date(2020, 1, 2), date(1969, 12, 31), None],
        lambda value: value and datetime.fromisoformat(value.isoformat()),
    ),
    Column("parts", pa.list_(pa.int32()), pa.list_(pa.int64()), [[1, 2], [], [None], None]),
    Column(
        "r",
        pa.struct([("a", pa.int32()), ("b", pa.int32())]),
        pa.struct([("b", pa.int64()), ("c", pa.string())]),
        [{"a": 1, "b": 2}, {"a": 5, "b": 2}, {"a": 1, "b": None}, None],
        record,
    ),
    Column("bytes", pa.binary(), pa.binary(), [b"", b"x", None]),
    Column("gone", pa.int32(), None, [1, 2]),
    Column("new", None, pa.string(), ["n", None]),
]


def expected(
    before: list[dict[str, Any]], after: list[dict[str, Any]], columns: list[str], key: list[str] | None
) -> Counter[str]:
    """What differs, by the rules of the guide. Rows of `before` are in the columns of `after` already."""
    whole = [*columns, *(name for name in key or () if name not in columns)]
    brief = lambda row, names: repr([row[name] for name in names])  # noqa: E731
    left: list[list[dict[str, Any]]] = []
    for own, other in ((before, after), (after, before)):
        carried = Counter(brief(row, whole) for row in own) & Counter(brief(row, whole) for row in other)
        rows = []
        for row in own:
            text = brief(row, whole)
            if carried[text]:
                carried[text] -= 1
            else:
                rows.append(row)
        left.append(rows)
    counts = [Counter(brief(row, key or ()) for row in rows) for rows in left]
    is_update = lambda row: bool(key) and all(each[brief(row, key)] == 1 for each in counts)  # noqa: E731
    cut = lambda row: {name: row[name] for name in columns}  # noqa: E731
    shown: Counter[str] = Counter()
    olds = {brief(row, key or ()): row for row in left[0] if is_update(row)}
    shown.update(repr(("delete", None, cut(row), None)) for row in left[0] if not is_update(row))
    for row in left[1]:
        if not is_update(row):
            shown[repr(("insert", None, None, cut(row)))] += 1
            continue
        old = olds[brief(row, key or ())]
        changed = [name for name in columns if repr(old[name]) != repr(row[name])]
        shown[repr(("update", changed, cut(old), cut(row)))] += 1
    return shown


@pytest.mark.parametrize(("one", "other"), PAIRS)
@pytest.mark.parametrize("seed", range(8))
def test_random_tables_differ_as_a_plain_model_says(tmp_path, monkeypatch, one, other, seed):
    rng = random.Random(seed * 10 + PAIRS.index((one, other)))
    before_columns = [each for each in COLUMNS if each.types[0] is not None]
    after_columns = [each for each in COLUMNS if each.types[1] is not None]
    rng.shuffle(before_columns)
    rng.shuffle(after_columns)
    size = rng.choice([0, 1, 5, 40])
    old = [{each.name: rng.choice(each.values) for each in COLUMNS} for _ in range(size)]
    # Most rows of the second table are copies, some with another value, some twice, in another order.
    new = [dict(row) for row in old if rng.random() < 0.8]
    for row in rng.sample(new, len(new) // 3):
        each = rng.choice(after_columns)
        row[each.name] = rng.choice(each.values)
    new += [dict(row) for row in rng.sample(new, len(new) // 6)]
    new += [{each.name: rng.choice(each.values) for each in COLUMNS} for _ in range(rng.randrange(4))]
    if rng.random() < 0.5:
        rng.shuffle(new)
    for row in new:
        row["day"] = COLUMNS[5].become(row["day"])
        row["r"] = record(row["r"])
        row["new"] = None if rng.random() < 0.7 else row["new"]
    in_after = [
        {each.name: None if each.types[0] is None else each.become(row[each.name]) for each in after_columns}
        for row in old
    ]
    tables = []
    for kind, columns, rows, side in ((one, before_columns, old, 0), (other, after_columns, new, 1)):
        schema = pa.schema([(each.name, each.types[side]) for each in columns])
        cut = [{each.name: row[each.name] for each in columns} for row in rows]
        tables.append(made(kind, tmp_path, pa.Table.from_pylist(cut, schema), **_options(kind)))
    if rng.random() < 0.5:
        monkeypatch.setenv("FLOEBERG_MEMORY", "2K")
    names = [each.name for each in after_columns]
    some = [name for name in names if name in {"note", "x", "r"}]
    for key in (["id"], ["id", "note"], ["x"], None):
        for columns in (names, some):
            given = ("*",) if columns is names else some
            diff = tables[1].diff(tables[0], key=key, selected_fields=given)
            assert found(diff) == expected(in_after, new, columns, key), (key, columns)
            summary = diff.summary()
            kinds = Counter(each["_change"] for each in diff.to_arrow().to_pylist())
            assert (summary.inserted_rows, summary.deleted_rows, summary.updated_rows) == (
                kinds["insert"],
                kinds["delete"],
                kinds["update"],
            )
            assert diff.has_changed_rows() == bool(kinds)


def _options(kind: str) -> dict[str, Any]:
    return {"format_version": 3} if kind == "iceberg" else {}


def wide(size: int, start: int = 0) -> pa.Table:
    ids = np.arange(start, start + size)
    return pa.table({"id": ids, "x": np.sqrt(ids), "note": pa.array(ids % 97).cast(pa.string())})


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_more_rows_than_memory_are_read_again(tmp_path, monkeypatch, one, other):
    rows = wide(120_000)
    changed = rows.set_column(
        1, "x", pa.array(np.where(np.arange(120_000) % 7 == 0, -1.0, rows["x"].to_numpy()))
    )
    changed = pa.concat_tables([changed.slice(40_000), changed.slice(0, 39_990), wide(5, 200_000)])
    before, after = made(one, tmp_path, rows), made(other, tmp_path, changed)
    seen = []
    for memory in ("512M", "400K"):
        monkeypatch.setenv("FLOEBERG_MEMORY", memory)
        diff = after.diff(before, key=["id"])
        table = diff.to_arrow()
        summary = diff.summary()
        seen.append((summary.inserted_rows, summary.deleted_rows, summary.updated_rows))
        updates = table.filter(pa.compute.equal(table["_change"], "update"))
        old = pa.compute.struct_field(updates["before"].combine_chunks(), "id")
        new = pa.compute.struct_field(updates["after"].combine_chunks(), "id")
        assert old.equals(new)
        assert set(pa.compute.struct_field(updates["after"].combine_chunks(), "x").to_pylist()) == {-1.0}
    updated = sum(1 for each in range(120_000) if each % 7 == 0 and not 39_990 <= each < 40_000)
    assert seen == [(5, 10, updated)] * 2


def test_copies_of_tables_of_the_corpus_are_equal(refs, deletes, vectors, evolved, tmp_path):
    for case in (refs, deletes, vectors, evolved):
        table = case.open()
        rows = table.to_arrow()
        copy = made("iceberg", tmp_path, rows.cast(rows.schema.remove_metadata()), format_version=3)
        for one, other in ((table, copy), (copy, table)):
            assert found(one.diff(other)) == Counter()
            assert one.diff(other).proof() is None
    table = lance_lent("lance").open()
    copy = made("lance", tmp_path, table.scan().to_arrow())
    assert not copy.diff(table).has_changed_rows()
    assert not table.diff(copy).has_changed_rows()


def test_a_table_and_itself_are_the_same_without_reading(refs, tmp_path):
    table = refs.open()
    diff = table.diff(refs.open())
    assert (diff.proof(), diff.has_changed_rows(), diff.exit_code()) == ("same table", False, 0)
    assert diff.files().num_rows == 0
    first = table.snapshots()[0].snapshot_id
    earlier = table.diff(table, first)
    assert earlier.proof() is None
    assert earlier.to_snapshot_id == first
    assert (
        earlier.has_changed_rows()
        == table.diff(table.current_snapshot().snapshot_id, first).has_changed_rows()
    )
    stock = made("lance", tmp_path, pa.table({"id": [1, 2]}))
    assert stock.diff(stock).proof() == "same table"
    assert stock.diff(stock, 1).summary().deleted_rows == 1


def test_the_key_of_the_second_table_counts_where_both_have_it(tmp_path):
    rows = pa.table({"id": [1, 2], "note": ["a", "b"]})
    before = made("lance", tmp_path, rows)
    schema = Schema(
        NestedField(1, "id", PrimitiveType("long"), True),
        NestedField(2, "note", PrimitiveType("string"), False),
        identifier_field_ids=(1,),
    )
    catalog = fb.load_catalog(f"two-{uuid.uuid4()}", type="memory")
    catalog.create_namespace("ns")
    after = catalog.create_table("ns.t", schema)
    after.append(
        pa.table(
            {"id": [1, 2], "note": ["a", "c"]},
            pa.schema([pa.field("id", pa.int64(), False), ("note", pa.string())]),
        )
    )
    update = repr(("update", ["note"], {"id": 2, "note": "b"}, {"id": 2, "note": "c"}))
    assert found(after.diff(before)) == Counter([update])
    unknown = made("lance", tmp_path, pa.table({"number": [1], "note": ["a"]}))
    assert sorted(row["_change"] for row in after.diff(unknown).to_arrow().to_pylist()) == [
        "delete",
        "insert",
        "insert",
    ]
    metadata = {b"lance-schema:unenforced-primary-key": b"true"}
    keyed = pa.schema([pa.field("id", pa.int64(), nullable=False, metadata=metadata), ("note", pa.string())])
    place = str(tmp_path / "keyed.lance")
    lance.write_dataset(pa.table({"id": [1, 2], "note": ["a", "c"]}, schema=keyed), place)
    of_lance = fb.open_table(place)
    assert found(of_lance.diff(before)) == Counter([update])


def test_values_that_are_stored_in_another_way_are_equal(tmp_path):
    ids = [1, 2, 3]
    narrow = pa.table(
        {
            "id": pa.array(ids, pa.int8()),
            "big": pa.array([1, 2**64 - 1, None], pa.uint64()),
            "text": pa.array(["a", "b", None], pa.large_string()),
            "shared": pa.array(["p", "q", "p"]).dictionary_encode(),
            "vector": pa.array([[1.0, 2.0], [3.0, 4.0], None], pa.list_(pa.float32(), 2)),
            "half": pa.array(np.array([1, 2, 3], np.float16)),
            "at": pa.array([datetime.fromisoformat("2020-01-01")] * 3, pa.timestamp("ms")),
        }
    )
    plain = pa.table(
        {
            "id": pa.array(ids, pa.int32()),
            "big": pa.array([1, 2**64 - 1, None], pa.decimal128(20, 0)),
            "text": ["a", "b", None],
            "shared": ["p", "q", "p"],
            "vector": pa.array([[1.0, 2.0], [3.0, 4.0], None], pa.list_(pa.float32())),
            "half": pa.array([1.0, 2.0, 3.0], pa.float32()),
            "at": pa.array([datetime.fromisoformat("2020-01-01")] * 3, pa.timestamp("us")),
        }
    )
    one, other = made("lance", tmp_path, narrow), made("iceberg", tmp_path, plain)
    assert found(other.diff(one)) == found(one.diff(other)) == Counter()
    again = made("lance", tmp_path, narrow)
    assert found(again.diff(one)) == Counter()
    again.update({"vector": fb.sql_expr("NULL")}, "id = 1")
    (row,) = again.diff(one, key=["id"]).to_arrow().to_pylist()
    assert (row["_change"], row["_changed_columns"]) == ("update", ["vector"])
    again.delete("id = 2")
    assert again.diff(other, key=["id"]).summary().deleted_rows == 1


def test_settings_and_files_of_two_tables(tmp_path):
    rows = pa.table({"id": [1, 2], "note": ["a", "b"]})
    one = made("iceberg", tmp_path, rows, properties={"a": "1"})
    other = made("iceberg", tmp_path, rows.rename_columns(["id", "text"]), properties={"a": "2"})
    with other.update_spec() as update:
        update.add_identity("id")
    diff = other.diff(one)
    assert [(each.change, each.name) for each in diff.schema()] == [("added", "text"), ("dropped", "note")]
    assert diff.properties()["a"] == fb.comparing.Changed("1", "2")
    assert diff.spec() is not None
    assert diff.sort_order() is None
    assert sorted(diff.files()["change"].to_pylist()) == ["added"] * 2 + ["removed"] * 2
    assert other.diff(other).spec() is None
    summary = diff.summary()
    assert (summary.added_files, summary.removed_files, summary.files_with_other_deletes) == (2, 2, 0)
    assert "snapshot" in diff.to_markdown().splitlines()[0]
    lances = [made("lance", tmp_path, rows) for _ in range(2)]
    of_lance = lances[1].diff(lances[0])
    assert of_lance.spec() is of_lance.sort_order() is None
    assert (of_lance.schema(), of_lance.properties()) == ([], {})
    assert sorted(of_lance.files()["change"].to_pylist()) == ["added"] * 2 + ["removed"] * 2


@pytest.mark.parametrize(("one", "other"), [("iceberg", "lance"), ("lance", "iceberg")])
def test_settings_of_two_formats_are_not_compared(tmp_path, one, other):
    before = made(one, tmp_path, pa.table({"id": pa.array([1], pa.int32()), "a": [1.0], "s": ["x"]}))
    after = made(other, tmp_path, pa.table({"id": [1], "b": [1.0], "s": ["x"]}))
    diff = after.diff(before)
    for method in (diff.files, diff.spec, diff.sort_order, diff.properties):
        with pytest.raises(UnsupportedError, match="ask each table"):
            method()
    summary = diff.summary()
    assert (summary.added_files, summary.removed_files) == (None, None)
    assert "Iceberg" in (summary.not_known or "")
    assert [(each.change, each.name) for each in diff.schema()] == [
        ("changed", "id"),
        ("added", "b"),
        ("dropped", "a"),
    ]
    assert "files" not in summary.facts()
    assert "<table" in diff._repr_html_()


def test_rows_can_be_filtered_and_a_difference_pickled(tmp_path):
    rows = pa.table({"id": [1, 2, 3], "note": ["a", "b", "c"]})
    before = made("lance", tmp_path, rows)
    table = made("iceberg", tmp_path, pa.table({"id": [1, 2, 4], "note": ["A", "B", "d"]}))
    diff = table.diff(before, key=["id"], row_filter="id > 1")
    changes = found(diff)
    assert sum(changes.values()) == 3
    assert found(pickle.loads(pickle.dumps(before.diff(before, key=["id"])))) == Counter()
    place = tmp_path / "kept.lance"
    kept = fb.lance.create_table(str(place), rows)
    assert found(pickle.loads(pickle.dumps(kept.diff(before)))) == Counter()
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(diff._two)


def test_wrong_use(tmp_path):
    before = made("lance", tmp_path, pa.table({"id": [1], "x": ["a"], "r": [{"a": 1}]}))
    table = made("iceberg", tmp_path, pa.table({"id": [1], "x": [1.5], "r": [{"a": 1}], "new": [1]}))
    with pytest.raises(InvalidInputError, match="'x' is of type string in one table, and of type double"):
        table.diff(before)
    assert found(table.diff(before, selected_fields=("id",))) == Counter()
    with pytest.raises(InvalidInputError, match="'x' is of type"):
        table.diff(before, selected_fields=("id",), key=["x"])
    with pytest.raises(InvalidInputError, match="preview"):
        table.diff(before, preview=True)
    with pytest.raises(InvalidInputError, match="preview"):
        before.diff(table, preview=True)
    with pytest.raises(InvalidInputError, match="columns of both tables, found 'new'"):
        table.diff(before, key=["new"], selected_fields=("id",))
    with pytest.raises(InvalidInputError, match="key: expected the name of a column"):
        table.diff(before, key=[], selected_fields=("id",))
    with pytest.raises(InvalidInputError, match="no column 'y'"):
        table.diff(before, selected_fields=("y",))
    with pytest.raises(InvalidInputError, match="select 'r'"):
        table.diff(before, selected_fields=("r.a",))
    with pytest.raises(InvalidInputError, match="a: expected"):
        table.diff(pa.table({"id": [1]}))
    with pytest.raises(InvalidInputError, match="neither true nor false"):
        bool(table.diff(before, selected_fields=("id",)))


def test_a_value_that_does_not_fit_the_wider_type_is_an_error(tmp_path):
    far = pa.table({"day": pa.array([date(1970, 1, 1) + timedelta(days=200_000)], pa.date32())})
    near = pa.table({"day": pa.array([0], pa.timestamp("ns"))})
    table = made("iceberg", tmp_path, near, format_version=3)
    with pytest.raises(InvalidInputError, match="date does not fit"):
        table.diff(made("iceberg", tmp_path, far)).to_arrow()


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_odd_names_and_no_columns(tmp_path, one, other):
    rows = pa.table({"*": [3, 4], "_change": ["x", "y"], "after": [{"before": 1}, {"before": 2}]})
    after, before = made(other, tmp_path, rows), made(one, tmp_path, rows.slice(0, 1))
    (row,) = after.diff(before, key=["_change"]).to_arrow().to_pylist()
    assert row["after"] == {"*": 4, "_change": "y", "after": {"before": 2}}
    # Without a column, rows are counted.
    (row,) = after.diff(before, selected_fields=()).to_arrow().to_pylist()
    assert (row["_change"], row["before"], row["after"]) == ("insert", None, {})
    nothing = made(one, tmp_path, rows.slice(0, 0))
    assert after.diff(nothing).summary().inserted_rows == 2
    assert nothing.diff(after).summary().deleted_rows == 2
    assert not nothing.diff(made(other, tmp_path, rows.slice(0, 0))).has_changed_rows()


def test_an_error_of_reading_names_the_table(tmp_path):
    rows = pa.table({"id": [1, 2]})
    table, before = made("iceberg", tmp_path, rows), made("lance", tmp_path, rows)
    for file in Path(before.location).rglob("data/*"):
        file.unlink()
    with pytest.raises(NotFoundError, match="the first one"):
        table.diff(before).to_arrow()
    with pytest.raises(NotFoundError, match="the second one"):
        before.diff(table).to_arrow()

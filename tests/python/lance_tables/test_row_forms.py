"""Lance tables take rows in every form that Iceberg tables take, at every depth, and keep their own types."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import lance
import polars as pl
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError
from lance_tables.kit import by_key, check_same, made

POLARS: dict[str, pl.Series] = {
    "text": pl.Series(["a", None]),
    "list of text": pl.Series([["a", None], None]),
    "struct of text": pl.Series([{"y": "a"}, None]),
    "list of structs": pl.Series([[{"y": ["a"]}], []]),
    "binary": pl.Series([b"a", None]),
    "list of binary": pl.Series([[b"a"], []]),
    "categorical": pl.Series(["a", None], dtype=pl.Categorical),
    "enum": pl.Series(["a", None], dtype=pl.Enum(["a"])),
    "list of categoricals": pl.Series([["a"], None], dtype=pl.List(pl.Categorical)),
    "struct of enums": pl.Series([{"y": "a"}, None], dtype=pl.Struct({"y": pl.Enum(["a", "b"])})),
    "array of numbers": pl.Series([[1.0, 2.0], None], dtype=pl.Array(pl.Float32, 2)),
    "array of text": pl.Series([["a", "b"], None], dtype=pl.Array(pl.String, 2)),
    "nulls": pl.Series([None, None]),
    "list of nulls": pl.Series([[None], []]),
}


@pytest.mark.parametrize("name", POLARS)
def test_a_frame_of_polars_goes_into_the_table_that_it_made(tmp_path, name):
    series = POLARS[name]
    frame = pl.DataFrame({"id": [1, 2], "c": series})
    table = made(tmp_path, frame)
    table.append(frame)
    table.upsert(frame.with_columns(id=pl.Series([3, 4])), ["id"])
    table.merge(frame, on="id").when_matched_update_all().execute()
    table.commit_receipts([table.write_recipe().write(frame)])
    assert [each["c"] for each in by_key(table) if each["id"] in (1, 3)] == [series.to_list()[0]] * 4
    table.overwrite(frame)
    assert table.scan().to_arrow()["c"].to_pylist() == series.to_list()
    check_same(table)


NESTED = pa.schema(
    {
        "id": pa.int64(),
        "l": pa.list_(pa.string()),
        "st": pa.struct([("x", pa.int64()), ("y", pa.list_(pa.int32()))]),
        "f": pa.list_(pa.float32(), 2),
        "m": pa.map_(pa.string(), pa.float64()),
    }
)
FITTING: dict[str, tuple[Any, dict[str, Any]]] = {
    "list of nulls": (pa.table({"id": [1], "l": pa.array([[None]], pa.list_(pa.null()))}), {"l": [None]}),
    "empty list": (pa.table({"id": [1], "l": pa.array([[]], pa.list_(pa.null()))}), {"l": []}),
    "struct of null": (
        pa.table({"id": [1], "st": pa.array([{"x": None}], pa.struct([("x", pa.null())]))}),
        {"st": {"x": None, "y": None}},
    ),
    "a struct without its fields": (
        pa.table({"id": [1], "st": pa.array([{}], pa.struct([]))}),
        {"st": {"x": None, "y": None}},
    ),
    "fields in another order": (
        pa.table({"id": [1], "st": pa.array([{"y": [1], "x": 2}])}),
        {"st": {"x": 2, "y": [1]}},
    ),
    "dict with None": ([{"id": 1, "st": None, "l": ["a"]}], {"st": None, "l": ["a"]}),
    "dict with []": ([{"id": 1, "l": [], "st": {"x": 1}}], {"l": [], "st": {"x": 1, "y": None}}),
    "dict with {}": ([{"id": 1, "st": {}, "f": [1, 2]}], {"st": {"x": None, "y": None}, "f": [1.0, 2.0]}),
    "lists of one length": (
        pa.table({"id": [1], "l": pa.array([["a", "b"]], pa.list_(pa.string(), 2))}),
        {"l": ["a", "b"]},
    ),
    "lists of doubles": (pa.table({"id": [1], "f": [[0.5, 1.0]]}), {"f": [0.5, 1.0]}),
    "maps of decimals": (
        pa.table(
            {
                "id": [1],
                "m": pa.array([[("k", Decimal("1.5"))]], pa.map_(pa.large_string(), pa.decimal128(9, 2))),
            }
        ),
        {"m": [("k", 1.5)]},
    ),
    "runs in a struct": (
        pa.table(
            {
                "id": [1],
                "st": pa.StructArray.from_arrays(
                    [pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array([7]))], names=["x"]
                ),
            }
        ),
        {"st": {"x": 7, "y": None}},
    ),
}


WITHOUT_FIELDS = ("struct of null", "a struct without its fields", "runs in a struct")
"""An upsert replaces structs as a whole, and wants all of their fields."""


@pytest.mark.parametrize("name", FITTING)
def test_values_below_columns_are_converted(tmp_path, name):
    rows, expected = FITTING[name]
    writes = [
        lambda table: table.append(rows),
        lambda table: table.commit_receipts([table.write_recipe().write(rows)]),
    ]
    if name not in WITHOUT_FIELDS:
        writes.append(lambda table: table.upsert(rows, ["id"]))
    for number, write in enumerate(writes):
        table = made(tmp_path / str(number), NESTED)
        write(table)
        (found,) = table.scan().to_arrow().to_pylist()
        assert {each: found[each] for each in expected} == expected


def test_one_error_lists_what_does_not_fit(tmp_path):
    table = made(tmp_path, NESTED)
    kind = pa.struct([("x", pa.string()), ("z", pa.int8())])
    rows = pa.table(
        {"id": ["1"], "st": pa.array([{"x": "a", "z": 1}], kind), "l": [[1]], "no": [1], "F": [1]}
    )
    parts = [
        "column 'id' is of type int64, found string",
        "column 'st.x' is of type int64, found string",
        "the table has no column 'st.z'",
        "column 'l.element' is of type string, found int64",
        "the table has no column 'no'",
        "the table has no column 'F', which has 'f': rename it",
    ]
    for write in (
        lambda: table.append(rows),
        lambda: table.write_recipe().check_schema(rows.schema),
        lambda: table.write_recipe().write(rows),
    ):
        with pytest.raises(InvalidInputError) as error:
            write()
        assert [each for each in parts if each not in str(error.value)] == []
    assert table.version == 1


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (pa.table({"st": pa.array([{"x": 1.5}])}), "st.x.*does not fit"),
        (pa.table({"f": [[0.1, 1.0]]}), "f.element.*would be rounded"),
        (pa.table({"f": [[1.0]]}), "lists of 2 elements, found one of 1"),
        (pa.table({"st": pa.array([{"y": [2**40]}])}), "st.y.element.*does not fit"),
        ([{"st": {"no": 1}}], "no column 'st.no'"),
        ([{"st": {"x": 1.0}}], "expected an int"),
        ([{"f": "ab"}], "expected a list"),
    ],
    ids=str,
)
def test_a_value_that_would_change_is_an_error_with_its_full_name(tmp_path, rows, why):
    table = made(tmp_path, NESTED)
    with pytest.raises(InvalidInputError, match=why):
        table.append(rows)


def test_what_is_below_a_null_is_not_looked_at(tmp_path):
    table = made(
        tmp_path, pa.schema({"id": pa.int64(), "st": pa.struct([pa.field("x", pa.int32(), nullable=False)])})
    )
    hidden = pa.StructArray.from_arrays(
        [pa.array([1, 2**40, None])], names=["x"], mask=pa.array([False, True, True])
    )
    table.append(pa.table({"id": [1, 2, 3], "st": hidden}))
    assert [each["st"] for each in by_key(table)] == [{"x": 1}, None, None]
    with pytest.raises(InvalidInputError, match="'st.x' is required"):
        table.append(pa.table({"id": [4], "st": [{"x": None}]}))


DEEP = pa.struct([("inner", pa.struct([("x", pa.int64())])), ("y", pa.string())])


def deep() -> pa.Table:
    values = [{"inner": {"x": i}, "y": str(i)} if i % 3 else None for i in range(6)]
    return pa.table({"id": range(6), "c": pa.array(values, DEEP), "l": [[each] for each in values]})


@pytest.mark.parametrize(
    "write",
    [
        lambda table, rows: table.append(rows),
        lambda table, rows: table.append(pa.RecordBatchReader.from_batches(rows.schema, rows.to_batches(2))),
        lambda table, rows: table.commit_receipts([table.write_recipe().write(rows)]),
        lambda table, rows: table.overwrite(rows, max_rows_per_file=2),
        lambda table, rows: table.upsert(rows, ["id"]),
        lambda table, rows: table.append(rows, max_rows_per_file=1),
    ],
    ids=["append", "batches", "receipts", "overwrite", "upsert", "files of one row"],
)
def test_slices_of_structs_in_structs_are_written(tmp_path, write):
    rows = deep().slice(2, 3)
    table = made(tmp_path, rows.schema)
    write(table, rows)
    assert by_key(table) == rows.to_pylist()
    table.update({"id": fb.sql_expr("id + 100")}, "id = 4")
    assert [each["c"] for each in by_key(table)] == rows["c"].to_pylist()
    check_same(table)


DICTIONARIES = {
    "text": pa.array(["x", None, "x"]).dictionary_encode(),
    "large text": pa.array(["x", None, "x"], pa.large_string()).dictionary_encode(),
    "numbers": pa.array([7, None, 7]).dictionary_encode(),
    "small indices": pa.array(["x", None, "x"], pa.dictionary(pa.uint8(), pa.string())),
    "struct": pa.array(
        [{"a": "x"}, None, {"a": None}], pa.struct([("a", pa.dictionary(pa.int32(), pa.string()))])
    ),
    "list": pa.array([["x"], None, []], pa.list_(pa.dictionary(pa.int16(), pa.string()))),
}


@pytest.mark.parametrize("name", DICTIONARIES)
def test_dictionaries_stay_what_they_are(tmp_path, name):
    rows = pa.table({"id": [1, 2, 3], "c": DICTIONARIES[name]})
    kind = rows.schema.field("c").type
    place = f"{tmp_path}/theirs"
    lance.write_dataset(rows, place)
    made_here = made(tmp_path, rows)
    added = made(tmp_path / "added", rows.select(["id"]))
    added.add_columns(rows.select(["c"]))
    for table in (fb.open_table(place), made_here, added):
        table.append(rows.slice(0, 1).set_column(0, "id", pa.array([4])))
        table.upsert(rows.set_column(0, "id", pa.array([3, 4, 5])), ["id"])
        table.merge(rows, on="id").when_matched_update_all().execute()
        table.update({"c": lambda batch: batch["c"]}, "id = 5")
        assert table.schema().field("c").type == kind
        assert [each["c"] for each in by_key(table)] == [*rows["c"].to_pylist(), *rows["c"].to_pylist()[1:]]
        table.overwrite(table.scan().to_arrow())
        assert table.schema().field("c").type == kind
        table.overwrite(rows)
        assert table.schema().field("c").type == kind
        check_same(table)
        assert lance.dataset(table.location).to_table()["c"].to_pylist() == rows["c"].to_pylist()


PLAIN: dict[str, tuple[pa.Array, Any]] = {
    "runs": (
        pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), pa.array(["a", "b"])),
        pa.string(),
    ),
    "views": (pa.array(["a", "b"], pa.string_view()), pa.large_string()),
    "views of lists": (pa.array([["a"], None], pa.list_view(pa.string_view())), pa.list_(pa.large_string())),
    "dates in a dictionary": (
        pa.array([1, None], pa.int32()).cast(pa.date32()).dictionary_encode(),
        pa.date32(),
    ),
    "texts of one number": (pa.array([["a"], None], pa.list_(pa.string(), 1)), pa.list_(pa.string())),
    "small decimals": (pa.array([Decimal("1.5"), None], pa.decimal64(9, 2)), pa.decimal128(9, 2)),
}


@pytest.mark.parametrize("name", PLAIN)
def test_what_tables_do_not_have_becomes_plain(tmp_path, name):
    array, kind = PLAIN[name]
    rows = pa.table({"id": [1, 2], "c": array})
    table = made(tmp_path, rows)
    assert table.schema().field("c").type == kind
    table.append(rows)
    assert table.scan().to_arrow()["c"].to_pylist() == array.to_pylist() * 2

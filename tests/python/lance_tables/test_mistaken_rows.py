"""Rows that a Lance table cannot hold are refused by name, and what it can hold is written as it is."""

from __future__ import annotations

import datetime as dt

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import FloebergError, InvalidInputError, StorageError, TableAlreadyExistsError

COARSE = pa.schema(
    {
        "id": pa.int64(),
        "s": pa.timestamp("s"),
        "ms": pa.timestamp("ms", "UTC"),
        "t": pa.time32("s"),
        "span": pa.duration("ms"),
        "half": pa.float16(),
    }
)
LOST = {
    "s": dt.datetime(2026, 1, 1, 0, 0, 0, 1),  # noqa: DTZ001 - without a zone
    "ms": dt.datetime(2026, 1, 1, 0, 0, 0, 1, dt.timezone.utc),
    "t": dt.time(1, 1, 1, 5),
    "span": dt.timedelta(microseconds=5),
    "half": 70000.0,
}
KEPT = {
    "s": dt.datetime(2026, 1, 1, 0, 0, 1),  # noqa: DTZ001 - without a zone
    "ms": dt.datetime(2026, 1, 1, 0, 0, 0, 1000, dt.timezone.utc),
    "t": dt.time(1, 1, 1),
    "span": dt.timedelta(milliseconds=5),
    "half": 0.1,
}
WRITES = {
    "append": lambda table, name, value: table.append([{"id": 2, name: value}]),
    "update": lambda table, name, value: table.update({name: value}, "id = 1"),
    "upsert": lambda table, name, value: table.upsert([{"id": 1, name: value}], ["id"]),
    "merge": lambda table, name, value: (
        table.merge(pa.table({"id": [1]}), on="id").when_matched_update({name: value}).execute()
    ),
}


@pytest.mark.parametrize("name", LOST)
@pytest.mark.parametrize("write", WRITES)
def test_no_value_of_python_loses_a_part(tmp_path, write, name):
    table = fb.lance.create_table(str(tmp_path / "t"), pa.Table.from_pylist([{"id": 1}], COARSE))
    before = table.scan().to_arrow()
    with pytest.raises(InvalidInputError, match=name):
        WRITES[write](table, name, LOST[name])
    assert table.refresh().scan().to_arrow() == before
    WRITES[write](table, name, KEPT[name])
    found = table.refresh().scan().to_arrow()[name].to_pylist()
    kept = pytest.approx(0.1, abs=1e-4) if name == "half" else KEPT[name]
    assert [each for each in found if each is not None] == [kept]


@pytest.mark.parametrize("kind", [pa.int32(), pa.float64(), pa.int64()])
def test_numbers_beyond_short_floats_are_refused(tmp_path, kind):
    table = fb.lance.create_table(str(tmp_path / "t"), pa.schema({"h": pa.float16()}))
    table.append(pa.table({"h": pa.array([2048, None], kind)}))
    with pytest.raises(InvalidInputError, match="cannot hold 70000"):
        table.append(pa.table({"h": pa.array([70000], kind)}))
    with pytest.raises(InvalidInputError, match="cannot hold 2049"):
        table.append(pa.table({"h": pa.array([2049], kind)}))
    assert table.scan().to_arrow()["h"].to_pylist() == [2048.0, None]


def broken(kind, text=b"\xff"):
    offsets = pa.py_buffer(
        np.array([0, len(text)], "int64" if kind == pa.large_string() else "int32").tobytes()
    )
    return pa.Array.from_buffers(kind, 1, [None, offsets, pa.py_buffer(text)])


@pytest.mark.parametrize(
    "column",
    [
        broken(pa.string()),
        broken(pa.large_string()),
        pa.StructArray.from_arrays([broken(pa.string())], ["x"]),
        pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), broken(pa.string())),
        pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), broken(pa.string())),
    ],
    ids=lambda column: str(column.type),
)
def test_text_that_is_not_utf_8_is_refused(tmp_path, column):
    with pytest.raises(InvalidInputError, match=r"a text is not UTF-8 .column: a, row: 0"):
        fb.lance.create_table(str(tmp_path / "t"), pa.table({"a": column}))
    table = fb.lance.create_table(str(tmp_path / "u"), pa.schema({"a": column.type}))
    with pytest.raises(InvalidInputError, match="UTF-8"):
        table.append(pa.table({"a": column}))
    assert table.scan().count() == 0


def test_bytes_below_null_may_be_anything(tmp_path):
    lists = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), broken(pa.string()), mask=pa.array([True]))
    table = fb.lance.create_table(str(tmp_path / "t"), pa.table({"list": lists}))
    assert table.scan().to_arrow().to_pylist() == [{"list": None}]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([{"b": i % 2 == 0} if i % 4 else None for i in range(12)], pa.struct({"b": pa.bool_()})),
        pa.array(
            [[{"b": i % 2 == 0}] if i % 4 else None for i in range(12)],
            pa.list_(pa.struct({"b": pa.bool_()})),
        ),
    ],
    ids=["struct", "list"],
)
def test_every_slice_of_bools_is_written(tmp_path, column):
    for start in range(12):
        rows = pa.table({"c": column.slice(start, 4)})
        table = fb.lance.create_table(str(tmp_path / str(start)), rows)
        assert table.scan().to_arrow()["c"].to_pylist() == rows["c"].to_pylist()


def test_places_where_no_table_can_be_are_named(tmp_path):
    (tmp_path / "file").write_text("")
    rows = pa.table({"a": [1]})
    for place in (tmp_path / "file", tmp_path / "file" / "t"):
        with pytest.raises(FloebergError, match="file"):
            fb.lance.create_table(str(place), rows)
    with pytest.raises(StorageError, match="a file is where a folder"):
        fb.lance.create_table(str(tmp_path / "file" / "t"), rows)
    with pytest.raises(InvalidInputError, match="takes no name as long"):
        fb.lance.create_table(str(tmp_path / ("x" * 300)), rows)


def test_texts_that_utf_8_cannot_encode_are_refused(tmp_path):
    table = fb.lance.create_table(str(tmp_path / "t"), pa.table({"s": ["a"]}))
    for change in (
        lambda: table.update({"s": "\ud800"}, "true"),
        lambda: table.append([{"s": "\ud800"}]),
        lambda: table.add_columns({"\ud800": 1}),
        lambda: table.update_config({"a": "\ud800"}),
    ):
        with pytest.raises(InvalidInputError, match="UTF-8"):
            change()


def test_a_refused_relation_leaves_its_connection_free(tmp_path):
    fb.lance.create_table(str(tmp_path / "there"), pa.table({"i": [1]}))
    with duckdb.connect() as connection:
        with pytest.raises(TableAlreadyExistsError):
            fb.lance.create_table(str(tmp_path / "there"), connection.sql("SELECT 1 AS i"))
        assert connection.sql("SELECT 1").fetchall() == [(1,)]
        with pytest.raises(FloebergError, match="cannot write"):
            fb.lance.create_table(str(tmp_path / "t"), connection.sql("SELECT INTERVAL 1 DAY AS i"))
        assert connection.sql("SELECT 1").fetchall() == [(1,)]


def test_objects_of_polars_are_refused(tmp_path):
    frame = pl.DataFrame({"a": pl.Series([{"x": 1}, "q"], dtype=pl.Object)})
    with pytest.raises(InvalidInputError, match="column 'a' holds Python objects"):
        fb.lance.create_table(str(tmp_path / "t"), frame)


def test_a_null_in_a_required_column_names_it(tmp_path):
    required = pa.schema([pa.field("a", pa.int64(), nullable=False)])
    rows = pa.Table.from_arrays([pa.array([1, None], pa.int64())], schema=required)
    with pytest.raises(InvalidInputError, match=r"is null.*column: a"):
        fb.lance.create_table(str(tmp_path / "t"), rows)
    table = fb.lance.create_table(str(tmp_path / "u"), required)
    with pytest.raises(InvalidInputError, match=r"is null.*column: a"):
        table.append(rows)


def test_short_floats_are_compared_in_their_own_type(tmp_path):
    rows = pa.table({"h": pa.array(np.array([0.1, 65504, np.inf, np.nan], "float16")), "at": range(4)})
    table = fb.lance.create_table(str(tmp_path / "t"), rows)
    found = {
        "h = 0.1": [0],
        "h < 0.1": [],
        "h <> 0.1": [1, 2, 3],
        "h IN (0.1, 70000)": [0],
        "h = 70000": [],
        "h < 70000": [0, 1],
        "h >= 70000": [2],
    }
    for text, expected in found.items():
        assert table.scan(text).to_arrow()["at"].to_pylist() == expected, text
        assert table.update(
            {"at": fb.sql_expr(f"IF({text}, at, 1 / 0)")}, text, dry_run=True
        ).updated_rows == len(expected)


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32()])
def test_integers_beyond_all_floats_are_refused(tmp_path, kind):
    table = fb.lance.create_table(str(tmp_path / "t"), pa.schema({"h": kind}))
    with pytest.raises(InvalidInputError, match="out of the range of a float"):
        table.append([{"h": 10**400}])
    table.append([{"h": float("inf")}, {"h": float("nan")}, {"h": 3}])
    assert table.scan("h > 2").count() == 2


def test_types_of_a_source_without_rows_are_checked(tmp_path):
    table = fb.lance.create_table(str(tmp_path / "t"), pa.schema({"id": pa.int64(), "day": pa.date32()}))
    none = pa.schema({"id": pa.int64(), "day": pa.timestamp("us")}).empty_table()
    with pytest.raises(InvalidInputError, match="'day' are of type timestamp"):
        table.upsert(none, ["id"])
    changes = none.append_column("op", pa.nulls(0, pa.string())).append_column("at", pa.nulls(0, pa.int64()))
    with pytest.raises(InvalidInputError, match="'day' are of type timestamp"):
        table.apply_changes(changes, keys=["id"], operation="op", order_by="at")


def test_an_error_has_the_row_of_the_whole_source(tmp_path):
    rows = 150_000
    table = fb.lance.create_table(str(tmp_path / "t"), pa.schema({"id": pa.int64(), "n": pa.int32()}))
    numbers = pa.array([2**40 if row == 140_000 else 1 for row in range(rows)])
    with pytest.raises(InvalidInputError, match="row: 140000"):
        table.upsert(pa.table({"id": range(rows), "n": numbers}), ["id"])
    ids = pa.array([1.5 if row == 140_001 else row for row in range(rows)], pa.float64())
    merge = table.merge(pa.table({"id": ids}), on=["id"]).when_matched_delete()
    with pytest.raises(InvalidInputError, match="row: 140001"):
        merge.execute()

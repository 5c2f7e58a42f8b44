"""Columns of a source may be stored in any way, and structs in any order: upserts and merges read them alike."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError

STRUCT = pa.struct([("k", pa.int32()), ("x", pa.string())])


def made(tmp_path, schema, rows):
    data = pa.Table.from_pylist(rows, pa.schema(schema))
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace_if_not_exists("ns")
    table = catalog.create_table("ns.t", data.schema)
    table.append(data)
    return table


def content(table, *names):
    return table.scan(selected_fields=("id", *names)).to_arrow().sort_by("id").to_pylist()


def texts(tmp_path):
    schema = [("id", pa.int64()), ("s", pa.string()), ("b", pa.binary())]
    return made(tmp_path, schema, [{"id": 1, "s": "old", "b": b"old"}])


def merged(table, source):
    merge = table.merge(source, on="id").when_matched_update_all("source.s LIKE 'x%'")
    merge.when_not_matched_insert_all().execute()


SOURCES = {
    "views": {"s": pa.array(["x", "y"], pa.string_view()), "b": pa.array([b"x", b"y"], pa.binary_view())},
    "runs": {"s": pc.run_end_encode(pa.array(["x", "y"])), "b": pc.run_end_encode(pa.array([b"x", b"y"]))},
    "dictionaries": {
        "s": pa.array(["x", "y"]).dictionary_encode(),
        "b": pa.array([b"x", b"y"]).dictionary_encode(),
    },
    "views in dictionaries": {
        "s": pa.DictionaryArray.from_arrays([0, 1], pa.array(["x", "y"], pa.string_view())),
        "b": [b"x", b"y"],
    },
}


@pytest.mark.parametrize("operation", [merged, lambda table, source: table.upsert(source, ["id"])])
@pytest.mark.parametrize("name", SOURCES)
def test_columns_are_stored_in_any_way(tmp_path, name, operation):
    table = texts(tmp_path)
    operation(table, pa.table({"id": [1, 2], **SOURCES[name]}))
    assert content(table, "s", "b") == [{"id": 1, "s": "x", "b": b"x"}, {"id": 2, "s": "y", "b": b"y"}]


def test_a_frame_of_polars_is_merged(tmp_path):
    polars = pytest.importorskip("polars")
    table = texts(tmp_path)
    merged(table, polars.DataFrame({"id": [1, 2], "s": ["x", "y"], "b": [b"x", b"y"]}))
    assert [each["s"] for each in content(table, "s")] == ["x", "y"]


def test_a_key_in_runs_is_joined(tmp_path):
    table = texts(tmp_path)
    source = pa.table({"s": pc.run_end_encode(pa.array(["old", "old2"])), "b": [b"x", b"y"]})
    done = table.merge(source, on="s").when_matched_update_all().execute()
    assert done.updated_rows == 1


def structs(tmp_path):
    schema = [("id", pa.int64()), ("st", STRUCT), ("li", pa.list_(STRUCT))]
    one = {"k": 1, "x": "keep"}
    return made(tmp_path, schema, [{"id": 1, "st": one, "li": [one]}])


@pytest.mark.parametrize("name", ["st", "li"])
def test_an_upsert_loses_no_field_of_a_struct(tmp_path, name):
    table = structs(tmp_path)
    kind = pa.struct([("k", pa.int32())])
    value, kind = ({"k": 5}, kind) if name == "st" else ([{"k": 5}], pa.list_(kind))
    source = pa.table({"id": [1], name: pa.array([value], kind)})
    with pytest.raises(InvalidInputError, match=r"has no field '.*\.x', and a struct is replaced"):
        table.upsert(source, ["id"])
    assert content(table, "st") == [{"id": 1, "st": {"k": 1, "x": "keep"}}]
    table.upsert(source.set_column(0, "id", pa.array([2])), ["id"], when_matched_update_all=False)
    assert len(content(table, "st")) == 2


def test_fields_of_structs_are_in_any_order(tmp_path):
    table = structs(tmp_path)
    kind = pa.struct([("x", pa.string()), ("k", pa.int32())])
    one = {"x": "new", "k": 5}
    source = pa.table({"id": [1], "st": pa.array([one], kind), "li": pa.array([[one]], pa.list_(kind))})
    table.merge(source, on="id").when_matched_update_all().execute()
    assert content(table, "st", "li") == [{"id": 1, "st": one, "li": [one]}]

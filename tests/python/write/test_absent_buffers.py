"""Arrays without values may come without buffers, as Arrow Java makes them: none of them is read, and all are taken."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import transforms

NOTHING = pa.allocate_buffer(0)
BESIDE = pa.py_buffer(np.full(64, 0x7F, np.uint8).tobytes())
"""Bytes that are no offsets."""


def empty(kind: Any = None, *, offset: int = 0, of: pa.Buffer = NOTHING) -> pa.Array:
    """Texts without a value, whose offsets have no bytes, or those of somebody else."""
    return pa.Array.from_buffers(kind or pa.string(), 0, [None, of.slice(0, 0), NOTHING], offset=offset)


def lists(values: pa.Array, kind: Any = None, rows: int = 2) -> pa.Array:
    kind = kind or pa.list_(values.type)
    width = np.int64 if pa.types.is_large_list(kind) else np.int32
    offsets = pa.py_buffer(np.zeros(rows + 1, width).tobytes())
    return pa.Array.from_buffers(kind, rows, [None, offsets], children=[values])


def views(values: pa.Array) -> pa.Array:
    zeros = pa.py_buffer(bytes(8))
    return pa.Array.from_buffers(pa.list_view(values.type), 2, [None, zeros, zeros], children=[values])


def entries(keys: pa.Array, values: pa.Array) -> pa.Array:
    return pa.StructArray.from_arrays(
        [keys, values], fields=[pa.field("key", keys.type, nullable=False), pa.field("value", values.type)]
    )


def maps(keys: pa.Array, values: pa.Array) -> pa.Array:
    kind = pa.map_(keys.type, values.type)
    offsets = pa.py_buffer(bytes(12))
    return pa.Array.from_buffers(kind, 2, [None, offsets], children=[entries(keys, values)])


def of_no_elements(values: pa.Array) -> pa.Array:
    return pa.Array.from_buffers(pa.list_(values.type, 0), 2, [None], children=[values])


def nested(values: pa.Array) -> pa.Array:
    """Lists behind a slice of structs, some of which are null."""
    below = pa.StructArray.from_arrays(
        [lists(values, rows=4), pa.array(["a", "b", "c", "d"])],
        names=["l", "t"],
        mask=pa.array([False, True, False, True]),
    )
    return below.slice(2, 2)


NO_INDEX = pa.array([None, None], pa.int8())
# Arrays of two rows, and the values that they have. None of their offsets has a byte.
ARRAYS: dict[str, tuple[pa.Array, list[Any]]] = {
    "list of texts": (lists(empty()), [[], []]),
    "list of bytes": (lists(empty(pa.binary())), [[], []]),
    "list of large texts": (lists(empty(pa.large_string())), [[], []]),
    "large list": (lists(empty(), pa.large_list(pa.string())), [[], []]),
    "list behind bytes of others": (lists(empty(of=BESIDE)), [[], []]),
    "list behind an offset": (lists(empty(offset=3)), [[], []]),
    "list of numbers behind an offset": (
        lists(pa.Array.from_buffers(pa.int64(), 0, [None, NOTHING], offset=5)),
        [[], []],
    ),
    "list of bools behind an offset": (
        lists(pa.Array.from_buffers(pa.bool_(), 0, [None, NOTHING], offset=9)),
        [[], []],
    ),
    "list of lists": (lists(lists(empty(), rows=0)), [[], []]),
    "list of lists of no bytes": (
        lists(pa.Array.from_buffers(pa.list_(pa.string()), 0, [None, NOTHING], children=[empty()])),
        [[], []],
    ),
    "list of structs": (
        lists(pa.StructArray.from_arrays([empty(), lists(empty(), rows=0)], names=["a", "b"])),
        [[], []],
    ),
    "list of nulls": (lists(pa.nulls(0)), [[], []]),
    "list of dictionaries": (
        lists(pa.DictionaryArray.from_arrays(pa.array([], pa.int8()), empty())),
        [[], []],
    ),
    "list of runs": (
        lists(pa.RunEndEncodedArray.from_arrays(pa.array([], pa.int32()), empty())),
        [[], []],
    ),
    "list of views": (lists(pa.array([], pa.string_view())), [[], []]),
    "view of lists": (views(empty()), [[], []]),
    "lists of no elements": (of_no_elements(empty()), [[], []]),
    "map": (maps(empty(), pa.array([], pa.int32())), [[], []]),
    "map of lists": (maps(empty(), lists(empty(), rows=0)), [[], []]),
    "map of maps": (maps(empty(), maps(empty(), empty()).slice(0, 0)), [[], []]),
    "dictionary": (pa.DictionaryArray.from_arrays(NO_INDEX, empty()), [None, None]),
    "dictionary of lists": (
        pa.DictionaryArray.from_arrays(pa.array([0, None], pa.int8()), lists(empty(), rows=1)),
        [[], None],
    ),
    "runs of lists": (
        pa.RunEndEncodedArray.from_arrays(pa.array([2, 4], pa.int32()), lists(empty())).slice(1, 2),
        [[], []],
    ),
    "slice of structs": (nested(empty()), [{"l": [], "t": "c"}, None]),
    "lists in a slice of lists": (lists(lists(empty(), rows=0), rows=5).slice(3, 2), [[], []]),
}


def plain(kind: Any) -> Any:
    """The type of a table's column for values of a type."""
    if pa.types.is_dictionary(kind) or isinstance(kind, pa.RunEndEncodedType):
        return plain(kind.value_type)
    if pa.types.is_struct(kind):
        return pa.struct([each.with_type(plain(each.type)) for each in kind])
    if pa.types.is_map(kind):
        return pa.map_(plain(kind.key_type), plain(kind.item_type))
    if pa.types.is_nested(kind):
        return pa.list_(plain(kind.value_type))
    if pa.types.is_null(kind):
        return pa.string()
    others = {pa.large_string(): pa.string(), pa.string_view(): pa.string()}
    return others.get(kind, kind)


@pytest.fixture
def made(tmp_path):
    """Makes a table of either format for an array."""

    def make(kind: str, array: pa.Array, **rows: Any) -> Any:
        schema = pa.schema([pa.field("id", pa.int64()), pa.field("c", plain(array.type))])
        if kind == "lance":
            table = fb.lance.create_table(f"{tmp_path}/t.lance", schema)
        else:
            catalog = fb.load_catalog(f"absent-{uuid4()}", type="memory")
            catalog.create_namespace("n")
            table = catalog.create_table("n.t", schema)
        if rows:
            table.append(pa.table(rows))
        return table

    return make


def values(table: Any) -> list[Any]:
    return table.scan().to_arrow().sort_by("id")["c"].to_pylist()


def rows_of(array: pa.Array) -> pa.Table:
    return pa.table({"id": pa.array([1, 2]), "c": array})


@pytest.mark.parametrize("kind", ["iceberg", "lance"])
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_without_buffers_are_appended(made, kind, name):
    array, expected = ARRAYS[name]
    table = made(kind, array)
    table.append(rows_of(array))
    # A batch without rows has columns without values.
    table.append(pa.RecordBatch.from_arrays([pa.array([], pa.int64()), array.slice(0, 0)], names=["id", "c"]))
    assert values(table) == expected


@pytest.mark.parametrize("kind", ["iceberg", "lance"])
@pytest.mark.parametrize("name", ["list of texts", "map of lists", "dictionary", "slice of structs"])
def test_every_change_takes_arrays_without_buffers(made, kind, name):
    array, expected = ARRAYS[name]
    rows = rows_of(array)
    table = made(kind, array, id=[2, 3])
    table.upsert(rows, ["id"])
    assert values(table) == [*expected, None]
    table.merge(rows, on="id").when_matched_update_all().execute()
    table.update({"c": lambda batch: array.take(pa.array([0] * batch.num_rows))}, "id = 3")
    table.update({"c": lambda _: array}, "id < 3")
    changes = rows.append_column("op", pa.array(["update", "insert"])).append_column("at", pa.array([1, 2]))
    table.apply_changes(changes, keys=["id"], operation="op", order_by="at")
    assert values(table)[:2] == expected
    recipe = table.write_recipe()
    receipt = recipe.write(rows) if kind == "lance" else recipe.write(rows, task="0")
    table.commit_receipts([receipt], mode="overwrite")
    assert values(table) == expected
    table.overwrite(rows)
    assert values(table) == expected


def test_keys_and_transforms_take_arrays_without_buffers(made):
    table = made("iceberg", pa.array([], pa.string()), id=[1, 2], c=["a", "b"])
    nobody = pa.table({"c": pa.chunked_array([empty(), pa.array(["b"])])})
    table.merge(nobody, on="c").when_matched_delete().execute()
    assert values(table) == ["a"]
    assert transforms.bucket(4, empty()).to_pylist() == []


def test_rows_to_delete_may_come_without_buffers(made):
    table = made("iceberg", pa.array([], pa.string()), id=[1], c=["a"])
    places = pa.RecordBatch.from_arrays([empty(), pa.array([], pa.int64())], names=["_file", "_pos"])
    assert table.row_delta_recipe().delete_rows(places).deleted_rows == 0

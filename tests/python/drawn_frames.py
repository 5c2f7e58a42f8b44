"""Rows that are drawn by a seed, and the frames of other libraries that hold them.

A column has a plain type, as a table has it, and plain values. A form makes an object of these that a write takes: of
polars, of pandas, of DuckDB, of dicts, or of pyarrow in any layout that Arrow allows at any depth.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["FORMS", "Form", "drawn_type", "drawn_values", "laid_out"]

Form = Callable[[pa.Table, Random], Any]

WORDS = ["", "a", "b", "a text that no view holds by itself", "\u00e9"]
LEAVES: dict[pa.DataType, Callable[[Random], Any]] = {
    pa.string(): lambda random: random.choice(WORDS),
    pa.binary(): lambda random: random.choice(WORDS).encode(),
    pa.int32(): lambda random: random.randint(-(2**31), 2**31 - 1),
    pa.int64(): lambda random: random.choice([0, 1, 2**53 + 1, -(2**63)]),
    pa.float64(): lambda random: random.choice([0.5, -1e300, 3.0]),
    pa.bool_(): lambda random: random.random() < 0.5,
    pa.date32(): lambda random: dt.date(random.randint(1, 9999), 2, 3),
    pa.timestamp("us"): lambda random: dt.datetime(random.randint(1700, 2200), 2, 3, 4, 5, 6, 7),  # noqa: DTZ001
    pa.decimal128(9, 2): lambda random: Decimal(random.randint(-99999, 99999)).scaleb(-2),
}


def drawn_type(random: Random, depth: int, *, maps: bool) -> Any:
    """A type of a column, nested up to a depth."""
    kind = random.choice(["leaf", "list", "struct", *(["map"] if maps else [])] if depth else ["leaf"])
    if kind == "leaf":
        # Text is what comes in the most forms.
        return random.choice([*LEAVES, *[pa.string()] * 6, *[pa.binary()] * 2])
    below = [drawn_type(random, depth - 1, maps=maps) for _ in range(2)]
    if kind == "list":
        return pa.list_(pa.field("element", below[0]))
    if kind == "map":
        return pa.map_(pa.string(), below[0])
    names = random.sample(["x", "y", "z"], random.randint(1, 2))
    return pa.struct([pa.field(name, each) for name, each in zip(names, below, strict=False)])


def drawn_values(random: Random, kind: Any, rows: int) -> list[Any]:
    """Values of a type. Sometimes none is there, or all lists are empty."""
    nulls = random.choice([0.0, 0.3, 0.3, 1.0])
    longest = random.choice([0, 1, 3])

    def one(kind: Any, nulls: float) -> Any:
        if random.random() < nulls:
            return None
        if pa.types.is_struct(kind):
            return {field.name: one(field.type, nulls) for field in kind}
        number = random.randint(0, longest)
        if pa.types.is_map(kind):
            return [(f"k{each}", one(kind.item_type, nulls)) for each in range(number)]
        if pa.types.is_list(kind):
            return [one(kind.value_type, nulls) for _ in range(number)]
        return LEAVES[kind](random)

    return [one(kind, nulls) for _ in range(rows)]


def laid_out(values: pa.Array, random: Random) -> pa.Array:
    """The same values in another layout, at every depth."""
    made = _laid_out(values, random)
    if not len(made):
        return _emptied(made) if random.random() < 0.7 else made
    if random.random() < 0.4:
        # Values before and behind, which a slice leaves out.
        try:
            wider = pa.concat_arrays([made, made, made])
            wider.validate(full=True)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            # Not every layout can be joined.
            return made
        return wider.slice(len(made), len(made))
    return made


def _laid_out(values: pa.Array, random: Random) -> pa.Array:
    kind: Any = values.type
    if pa.types.is_struct(kind):
        children = [laid_out(each, random) for each in values.flatten()]
        fields = [pa.field(old.name, new.type) for old, new in zip(kind, children, strict=True)]
        return pa.StructArray.from_arrays(children, fields=fields, mask=values.is_null())
    if pa.types.is_map(kind):
        parts = [laid_out(each, random) for each in (values.keys, values.items)]
        fields = [pa.field("key", parts[0].type, nullable=False), pa.field("value", parts[1].type)]
        entries = pa.StructArray.from_arrays(parts, fields=fields)
        own = values.buffers()[:2]
        return pa.Array.from_buffers(
            pa.map_(*fields), len(values), own, values.null_count, children=[entries]
        )
    if pa.types.is_list(kind):
        return _lists(values, laid_out(values.values, random), random)
    others: list[Any] = [kind]
    if pa.types.is_string(kind):
        others += [pa.large_string(), pa.string_view()]
    elif pa.types.is_binary(kind):
        others += [pa.large_binary(), pa.binary_view()]
    how = random.choice(["plain", "plain", "dictionary", "runs"])
    if how == "runs":
        return pc.run_end_encode(values)
    if how == "dictionary":
        made = values.dictionary_encode()
        stored = made.dictionary.cast(random.choice(others))
        index = random.choice([pa.int8(), pa.uint32(), pa.int64()])
        stored = stored if len(stored) else _emptied(stored)
        return pa.DictionaryArray.from_arrays(made.indices.cast(index), stored, safe=False)
    return values.cast(random.choice(others))


def _lists(values: pa.Array, elements: pa.Array, random: Random) -> pa.Array:
    field = pa.field("item", elements.type)
    is_large, is_view = random.random() < 0.5, random.random() < 0.3
    offsets = values.offsets.cast(pa.int64() if is_large else pa.int32())
    sizes = pc.fill_null(pc.list_value_length(values), 0).cast(offsets.type)
    kinds = (pa.list_, pa.large_list, pa.list_view, pa.large_list_view)
    kind = kinds[2 * is_view + is_large](field)
    buffers = [values.buffers()[0], offsets.buffers()[1], *([sizes.buffers()[1]] if is_view else [])]
    return pa.Array.from_buffers(kind, len(values), buffers, values.null_count, children=[elements])


def _emptied(values: pa.Array) -> pa.Array:
    """An array without values as Arrow Java makes it: with buffers of no bytes."""
    kind: Any = values.type
    nothing = pa.allocate_buffer(0)
    if pa.types.is_struct(kind):
        children = [_emptied(values.field(number)) for number in range(kind.num_fields)]
        return pa.Array.from_buffers(kind, 0, [None], children=children)
    if pa.types.is_map(kind):
        return pa.Array.from_buffers(kind, 0, [None, nothing], children=[values.values])  # noqa: PD011
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.Array.from_buffers(kind, 0, [None, nothing], children=[_emptied(values.values)])
    is_long = pa.types.is_large_string(kind) or pa.types.is_large_binary(kind)
    if pa.types.is_string(kind) or pa.types.is_binary(kind) or is_long:
        return pa.Array.from_buffers(kind, 0, [None, nothing, nothing])
    return values


def _of_pyarrow(rows: pa.Table, random: Random) -> Any:
    arrays = [laid_out(column.combine_chunks(), random) for column in rows.columns]
    made = pa.Table.from_arrays(arrays, names=rows.column_names)
    how = random.choice(["table", "slice", "batches"])
    if how == "slice" and made.num_rows:
        wider = pa.concat_tables([made, made])
        return wider.slice(made.num_rows)
    if how == "batches":
        batches = made.to_batches(max_chunksize=2)
        return pa.RecordBatchReader.from_batches(made.schema, batches)
    return made


def _of_polars(rows: pa.Table, random: Random) -> Any:
    frame: Any = pl.from_arrow(rows)
    if random.random() < 0.5:
        return frame.with_columns(pl.col(pl.String).exclude("op").cast(pl.Categorical))
    if random.random() < 0.5:
        return frame.with_columns(pl.col(pl.String).exclude("op").cast(pl.Enum(WORDS)))
    return pl.concat([frame.slice(0, 1), frame.slice(1)], rechunk=False)


def _of_pandas(rows: pa.Table, random: Random) -> Any:
    if random.random() < 0.5:
        return rows.to_pandas(types_mapper=pd.ArrowDtype)
    nullable = {pa.int32(): pd.Int32Dtype(), pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    return rows.to_pandas(types_mapper=nullable.get, integer_object_nulls=True)


def _of_duckdb(rows: pa.Table, _: Random) -> Any:
    connection = duckdb.connect()
    connection.register("rows", rows)
    return connection.sql("SELECT * FROM rows")


def _of_dicts(rows: pa.Table, _: Random) -> Any:
    return rows.to_pylist()


FORMS: dict[str, Form] = {
    "pyarrow": _of_pyarrow,
    "polars": _of_polars,
    "pandas": _of_pandas,
    "duckdb": _of_duckdb,
    "dicts": _of_dicts,
}
"""What makes an object of rows, with the random choices of a seed."""

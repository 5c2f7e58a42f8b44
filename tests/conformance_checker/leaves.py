"""The values of the columns of a Parquet file, by field id."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from conformance_checker.parquet_shapes import number_of, storage
from conformance_checker.single_values import Comparable
from conformance_checker.types import Type, decimal_of, is_nested


@dataclass(frozen=True)
class Leaf:
    """A column that holds values.

    Attributes:
        number: Its id.
        type: Its type in the schema that the file was written with.
        values: Its values; null where what it stands in is null.
        repeated: Whether it stands in a list or map.
    """

    number: int
    type: Type
    values: pa.Array
    repeated: bool

    @property
    def numbers(self) -> pa.Array:
        """The values that have an order: no null and no NaN."""
        values = self.values.drop_null()
        if pa.types.is_floating(values.type):
            values = values.filter(pc.invert(pc.is_nan(values)))
        return values

    def extremes(self) -> tuple[Comparable, Comparable] | None:
        """The least and the greatest value; `None` where there is none."""
        values = _ordered(self.numbers)
        if not len(values):
            return None
        found = pc.min_max(values)
        least, most = comparable(self.type, found["min"].as_py()), comparable(self.type, found["max"].as_py())
        if isinstance(least, float):
            zeros = [math.copysign(1, each) for each in values.filter(pc.equal(values, 0.0)).to_pylist()]
            least = -0.0 if least == 0 and -1 in zeros else abs(least) if least == 0 else least
            most = 0.0 if most == 0 and 1 in zeros else -abs(most) if most == 0 else most
        return least, most

    def distinct(self) -> list[Comparable]:
        """Each value once."""
        values = _ordered(self.values)
        if pa.types.is_floating(values.type):
            return [comparable(self.type, each) for each in set(values.to_pylist())]
        return [comparable(self.type, each) for each in pc.unique(values).to_pylist()]

    def comparables(self) -> list[Comparable]:
        """All values, in order."""
        return [comparable(self.type, each) for each in _ordered(self.values).to_pylist()]


def _ordered(values: pa.Array) -> pa.Array:
    """Dates and times as numbers."""
    type_ = values.type
    if pa.types.is_date32(type_):
        return values.view(pa.int32())
    if pa.types.is_timestamp(type_) or pa.types.is_time64(type_):
        return values.view(pa.int64())
    return values


def comparable(type_: Type, value: Any) -> Comparable:
    """A value of Arrow as single values are compared."""
    if isinstance(value, Decimal):
        precision_and_scale = decimal_of(type_)
        assert precision_and_scale is not None
        sign, digits, exponent = value.as_tuple()
        shift = precision_and_scale[1] + int(exponent)
        number = int("".join(map(str, digits))) * 10**shift
        return -number if sign else number
    return value.encode() if isinstance(value, str) else value


def leaves(table: pa.Table, fields: list[Any]) -> Iterator[Leaf]:
    """The columns with values of a file, but variants."""
    by_number = {field["id"]: field for field in fields}
    for field, column in zip(table.schema, table.columns, strict=True):
        array = column.combine_chunks()
        if isinstance(array, pa.ChunkedArray):
            array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
        number = number_of(field)
        if number in by_number:
            yield from _leaves(number, by_number[number]["type"], array, repeated=False)


def _leaves(number: int, type_: Type, array: pa.Array, *, repeated: bool) -> Iterator[Leaf]:
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if not is_nested(type_):
        if type_ != "variant":
            yield Leaf(number, type_, array, repeated)
        return
    if type_["type"] == "struct":
        by_number = {field["id"]: field for field in type_["fields"]}
        for field, child in zip(storage(array.type), array.flatten(), strict=True):
            below = by_number[number_of(field)]
            yield from _leaves(below["id"], below["type"], child, repeated=repeated)
    elif type_["type"] == "list":
        yield from _leaves(type_["element-id"], type_["element"], array.flatten(), repeated=True)
    else:
        yield from _leaves(type_["key-id"], type_["key"], array.keys, repeated=True)
        yield from _leaves(type_["value-id"], type_["value"], array.items, repeated=True)

"""Which rows may an expression of pyarrow be true for?

In: an expression, which is evaluated on the rows later, and the Arrow schema of the rows. Out: filters that match at
least the rows for which the expression is true. Parts whose meaning is not certain match every row.
"""

from __future__ import annotations

import datetime as dt
import struct
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from floeberg.errors import UnsupportedError
from floeberg.expressions._logic import AlwaysTrue, And
from floeberg.expressions._pyarrow import Reading, calls_of, unknown
from floeberg.expressions._three_valued import Column, Logic, Operand, Value, logic_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from floeberg.expressions._logic import Expression

__all__ = ["columns_of", "pushed_filters"]

_FLOAT, _DOUBLE = 32, 64


def pushed_filters(given: Any, schema: pa.Schema) -> tuple[list[Expression], bool]:  # noqa: ANN401 - of pyarrow
    """Filters that all match wherever an expression of pyarrow is true.

    Args:
        given: The expression.
        schema: The columns that it may name.

    Returns:
        The filters, an empty list where nothing is certain; and whether the expression is true wherever all match.
    """
    try:
        reading = _Inclusive(*calls_of(given), schema)
        return list(_parts(logic_of(reading.operand()).true)), not reading.is_wider
    except _failures():
        return [], False


def columns_of(given: Any) -> set[str] | None:  # noqa: ANN401
    """The columns that an expression of pyarrow needs, or `None` where they are not known.

    Args:
        given: The expression.

    Returns:
        The names of the columns. A field of a struct needs the column of the struct.
    """
    names = set()
    try:
        calls, _ = calls_of(given)
        for key, value in calls:
            if key == "nested_field_ref":
                path = [next(calls) for _ in range(int(value))]
                if any(part != "field_ref" for part, _ in path):
                    return None
                names.add(path[0][1])
            elif key == "field_ref":
                names.add(value)
            elif key not in {"call", "options", "literal", "end"}:
                return None
    except _failures():
        return None
    return names


def _failures() -> tuple[type[Exception], ...]:
    """What reading an expression of an unknown form raises."""
    import pyarrow as pa  # noqa: PLC0415 - the user has it

    return (
        UnsupportedError,
        LookupError,
        StopIteration,
        ValueError,
        TypeError,
        RecursionError,
        struct.error,
        pa.ArrowException,
    )


def _parts(test: Expression) -> Iterator[Expression]:
    """The filters that a filter joins by AND."""
    if isinstance(test, And):
        for child in test.children:
            yield from _parts(child)
    elif not isinstance(test, AlwaysTrue):
        yield test


class _Unreadable:
    """A literal that Python has no value for, such as a time after the year 9999."""


class _Inclusive(Reading):
    """Reads an expression so that what is not certain may be true, and may be false."""

    def __init__(self, pairs: Iterator[tuple[str, str]], literals: list[Any], schema: pa.Schema) -> None:
        super().__init__(pairs, literals)
        self._schema = schema
        self.is_wider = False

    def _operand(self, key: str, value: str) -> Operand:
        found = super()._operand(key, value)
        if isinstance(found, Column) and _type_of(self._schema, found.name) is None:
            return self._anything()
        return found

    def _value(self, index: int) -> Value:
        try:
            return super()._value(index)
        except (ValueError, OverflowError):
            return Value(_Unreadable())

    def _called(self, function: str, operands: list[Operand], options: dict[str, Any]) -> Logic:
        try:
            self._check(function, operands, options)
            return super()._called(function, operands, options)
        except (UnsupportedError, KeyError, IndexError, ValueError, TypeError):
            return self._anything()

    def _anything(self) -> Logic:
        self.is_wider = True
        return Logic(AlwaysTrue(), AlwaysTrue())

    def _check(self, function: str, operands: list[Operand], options: dict[str, Any]) -> None:
        """Are the column and its literals compared here as pyarrow compares them?"""
        if function == "if_else":
            return
        literals = [each.value for each in operands if isinstance(each, Value)]
        literals.extend(options.get("value_set", ()))
        for column in (each for each in operands if isinstance(each, Column)):
            kind = _type_of(self._schema, column.name)
            if not all(value is None or _is_certain(kind, value) for value in literals):
                raise unknown(function)


def _type_of(schema: pa.Schema, name: str) -> pa.DataType | None:
    """The type of a column, or of a field of a struct; `None` where the name has several meanings or none."""
    import pyarrow as pa  # noqa: PLC0415

    if any("." in column for column in schema.names):
        return None
    first, *path = name.split(".")
    if schema.names.count(first) != 1:
        return None
    kind = schema.field(first).type
    for part in path:
        if not pa.types.is_struct(kind) or kind.get_field_index(part) < 0:
            return None
        kind = kind.field(kind.get_field_index(part)).type
    return kind


def _is_certain(kind: Any, value: object) -> bool:  # noqa: ANN401, PLR0911 - a type of pyarrow; one return a type
    """Does a literal, as a value of a column's type, compare as pyarrow compares it?"""
    import pyarrow as pa  # noqa: PLC0415

    types = pa.types
    if types.is_boolean(kind):
        return isinstance(value, bool)
    if types.is_integer(kind):
        return type(value) is int
    if types.is_float32(kind) or types.is_float64(kind):
        return _is_exact(value, kind.bit_width)
    if types.is_decimal(kind):
        return isinstance(value, Decimal) and value.is_finite() and _scale(value) <= kind.scale
    if types.is_string(kind) or types.is_large_string(kind):
        return isinstance(value, str)
    if types.is_date32(kind):
        return type(value) is dt.date
    if types.is_time64(kind) and kind.unit == "us":
        return isinstance(value, dt.time)
    if types.is_timestamp(kind) and kind.unit == "us":
        # A Timestamp of pandas may have nanoseconds.
        return type(value) is dt.datetime and (value.tzinfo is None) == (kind.tz is None)
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return isinstance(value, bytes)
    return False


def _is_exact(value: object, width: int) -> bool:
    """Is a number a value of a float type? pyarrow compares floats with other numbers as doubles."""
    if type(value) not in (int, float):
        return False
    form = {_FLOAT: "<f", _DOUBLE: "<d"}[width]
    try:
        return bool(struct.unpack(form, struct.pack(form, value))[0] == value)
    except (OverflowError, struct.error):
        return False


def _scale(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0

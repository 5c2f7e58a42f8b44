"""How are expressions of polars converted?

They are read in the JSON form of polars, which may change. So everything unknown is refused.
"""

from __future__ import annotations

import json
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from floeberg.errors import UnsupportedError
from floeberg.expressions._three_valued import (
    Column,
    Logic,
    Operand,
    Value,
    compared,
    is_in,
    is_nan,
    is_null,
    logic_of,
    starts_with,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from floeberg.expressions._logic import Expression

WORDS = {"Eq": "==", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
JOINS = {"And": True, "LogicalAnd": True, "Or": False, "LogicalOr": False}
_BOUNDS = {"Both": (">=", "<="), "Left": (">=", "<"), "Right": (">", "<="), "None": (">", "<")}
_UNITS = {"Milliseconds": 1000, "Microseconds": 1}
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - timestamps without a zone count from here


def from_polars(given: Any) -> Expression:  # noqa: ANN401 - an object of another library
    """Converts an expression of polars. The filter matches where the expression is true.

    Raises:
        UnsupportedError: It has no equivalent here, such as the sum of two columns.
    """
    try:
        return logic_of(_operand(written(given))).true
    except (KeyError, IndexError, ValueError, TypeError, AttributeError) as error:
        raise _unknown(str(given)) from error


def written(given: Any) -> dict[str, Any]:  # noqa: ANN401 - an object of another library
    """The JSON form of an expression of polars."""
    import warnings  # noqa: PLC0415 - only filters of polars need it

    with warnings.catch_warnings():
        # That the form is not stable is known.
        warnings.simplefilter("ignore")
        tree: dict[str, Any] = json.loads(given.meta.serialize(format="json"))
    return tree


def _unknown(what: str) -> UnsupportedError:
    return UnsupportedError(
        f"the polars filter {what!r} is not supported: pass SQL text or floeberg.expressions"
    )


def _operand(node: dict[str, Any]) -> Operand:
    ((kind, inside),) = node.items()
    if kind == "Column":
        return Column(inside)
    if kind == "Literal":
        return Value(value_of(inside))
    if kind == "Alias":
        return _operand(inside[0])
    if kind == "BinaryExpr":
        return _binary(_operand(inside["left"]), inside["op"], _operand(inside["right"]))
    if kind == "Function":
        return _function(inside["function"], inside["input"])
    raise _unknown(kind)


def _binary(left: Operand, word: str, right: Operand) -> Logic:
    if word in JOINS:
        return logic_of(left).joined(logic_of(right), by_and=JOINS[word])
    return compared(left, WORDS[word], right)


def _function(function: dict[str, Any], inputs: list[dict[str, Any]]) -> Operand:
    ((family, name),) = function.items()
    first = _operand(inputs[0])
    if family == "StructExpr" and isinstance(first, Column) and "FieldByName" in name:
        return Column(f"{first.name}.{name['FieldByName']}")
    if family == "StringExpr" and name == "StartsWith" and isinstance(first, Column):
        prefix = _operand(inputs[1])
        if isinstance(prefix, Value) and isinstance(prefix.value, str):
            return starts_with(first, prefix.value)
    if family == "Boolean":
        return _boolean(name, first, inputs[1:])
    raise _unknown(f"{family} {name}")


def _boolean(  # noqa: PLR0911 - one return a function
    name: str | dict[str, Any], first: Operand, others: list[dict[str, Any]]
) -> Logic:
    if name == "Not":
        return logic_of(first).negated()
    if isinstance(first, Column):
        if name == "IsNull":
            return is_null(first)
        if name == "IsNotNull":
            return is_null(first).negated()
        if name == "IsNan":
            return is_nan(first)
        if name == "IsNotNan":
            return is_nan(first).negated()
        if isinstance(name, dict) and "IsIn" in name:
            values = _operand(others[0])
            if isinstance(values, Value) and isinstance(values.value, list):
                # Unless nulls are equal, a null in the list is like nothing.
                nulls_equal = name["IsIn"]["nulls_equal"]
                listed = values.value if nulls_equal else [each for each in values.value if each is not None]
                return is_in(first, listed, null_is_null=not nulls_equal)
        if isinstance(name, dict) and "IsBetween" in name:
            lower, upper = _BOUNDS[name["IsBetween"]["closed"]]
            low, high = (_operand(each) for each in others)
            return compared(first, lower, low).joined(compared(first, upper, high), by_and=True)
    raise _unknown(str(name))


def value_of(node: Any) -> Any:  # noqa: ANN401, C901, PLR0911 - one return a type
    """The value of a literal."""
    ((kind, inside),) = node.items()
    if kind == "Dyn":
        return _number(next(iter(inside.values())))
    if kind != "Scalar":
        raise _unknown(kind)
    if inside == "Null":
        return None
    ((kind, value),) = inside.items()
    if kind == "List":
        return list_of(bytes(value)).to_pylist()
    if kind in {
        "Boolean",
        "String",
        "Int8",
        "Int16",
        "Int32",
        "Int64",
        "UInt8",
        "UInt16",
        "UInt32",
        "UInt64",
    }:
        return value
    if kind in {"Float32", "Float64"}:
        return float(_number(value))
    if kind == "Binary":
        return bytes(value)
    if kind == "Date":
        return date.fromordinal(_EPOCH.toordinal() + value)
    if kind == "Time":
        return _time(value)
    if kind == "Decimal":
        number, _, scale = value
        return Decimal((int(number < 0), tuple(int(digit) for digit in str(abs(number))), -scale))
    if kind == "Datetime":
        number, unit, zone = value
        moment = _EPOCH + timedelta(microseconds=number * _UNITS[unit])
        return moment if zone is None else moment.replace(tzinfo=timezone.utc)
    raise _unknown(kind)


def _number(value: Any) -> Any:  # noqa: ANN401 - what JSON has
    """A finite number. polars writes others as null, since JSON does not have them."""
    if value is None:
        raise _unknown("a number that is infinite or NaN")
    return value


def _time(nanoseconds: int) -> time:
    microseconds, rest = divmod(nanoseconds, 1000)
    if rest:
        raise _unknown("a time of day with nanoseconds")
    return (_EPOCH + timedelta(microseconds=microseconds)).time()


def list_of(written: bytes) -> pa.Array | pa.ChunkedArray:
    """The values of a list, which polars writes as an Arrow stream."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    with pa.ipc.open_stream(written) as stream:
        return stream.read_all().column(0)

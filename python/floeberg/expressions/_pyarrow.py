"""How are expressions of pyarrow converted?

pyarrow has no interface to inspect expressions. But it pickles them as an Arrow file: the metadata of its schema are
the calls, in order, and its columns are the literals.
"""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Any

from floeberg.errors import UnsupportedError
from floeberg.expressions._three_valued import (
    Column,
    Logic,
    Operand,
    Value,
    both,
    compared,
    is_in,
    is_nan,
    is_null,
    logic_of,
    starts_with,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from floeberg.expressions._logic import Expression

_WORDS = {
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}
_NULL_MATCHES, _NULL_IS_NULL = 0, 3
"""What `is_in` makes of null: `SetLookupOptions::NullMatchingBehavior`."""


def from_pyarrow(given: Any) -> Expression:  # noqa: ANN401 - an object of another library
    """Converts an expression of pyarrow. The filter matches where the expression is true.

    Raises:
        UnsupportedError: It has no equivalent here, such as the sum of two columns.
    """
    import pyarrow as pa  # noqa: PLC0415 - the user has it

    try:
        return logic_of(Reading(*calls_of(given)).operand()).true
    except (
        KeyError,
        IndexError,
        StopIteration,
        ValueError,
        TypeError,
        struct.error,
        pa.ArrowException,
    ) as error:
        raise unknown(str(given)) from error


def calls_of(given: Any) -> tuple[Iterator[tuple[str, str]], list[Any]]:  # noqa: ANN401 - an expression of pyarrow
    """The calls of an expression, in order, and its literals."""
    import pyarrow as pa  # noqa: PLC0415

    with pa.ipc.open_file(given.__reduce__()[1][0]) as file:
        literals = file.get_batch(0).columns if file.num_record_batches else []
        return iter(_pairs(file.schema)), literals


def unknown(what: str) -> UnsupportedError:
    return UnsupportedError(
        f"the pyarrow filter {what!r} is not supported: pass SQL text or floeberg.expressions"
    )


class Reading:
    """One pass over the calls."""

    def __init__(self, pairs: Iterator[tuple[str, str]], literals: list[Any]) -> None:
        self._pairs = pairs
        self._literals = literals

    def operand(self) -> Operand:
        return self._operand(*next(self._pairs))

    def _operand(self, key: str, value: str) -> Operand:
        if key == "field_ref":
            return Column(value)
        if key == "nested_field_ref":
            return Column(".".join(self._name() for _ in range(int(value))))
        if key == "literal":
            return self._value(int(value))
        if key == "call":
            return self._call(value)
        raise unknown(key)

    def _value(self, index: int) -> Value:
        return Value(self._literals[index][0].as_py())

    def _name(self) -> str:
        key, value = next(self._pairs)
        if key != "field_ref":
            raise unknown(key)
        return value

    def _call(self, function: str) -> Logic:
        operands: list[Operand] = []
        options: dict[str, Any] = {}
        while True:
            key, value = next(self._pairs)
            if key == "end":
                return self._called(function, operands, options)
            if key == "options":
                options = self._literals[int(value)][0].as_py()
            else:
                operands.append(self._operand(key, value))

    def _called(self, function: str, operands: list[Operand], options: dict[str, Any]) -> Logic:
        return _chosen(*operands) if function == "if_else" else _called(function, operands, options)


def _called(function: str, operands: list[Operand], options: dict[str, Any]) -> Logic:  # noqa: PLR0911 - one a function
    if function in _WORDS:
        left, right = operands
        return compared(left, _WORDS[function], right)
    if function in {"and_kleene", "or_kleene", "and", "or"}:
        sides = [logic_of(each) for each in operands]
        return sides[0].joined(sides[1], by_and=function.startswith("and"))
    if function == "invert":
        return logic_of(operands[0]).negated()
    column = operands[0]
    if isinstance(column, Column):
        if function == "is_null" and not options.get("nan_is_null"):
            return is_null(column)
        if function == "is_valid":
            return is_null(column).negated()
        if function == "is_nan":
            return is_nan(column)
        if function == "starts_with" and not options["ignore_case"]:
            return starts_with(column, _text(options["pattern"]))
        if function == "is_in" and options["null_matching_behavior"] in {_NULL_MATCHES, _NULL_IS_NULL}:
            null_is_null = options["null_matching_behavior"] == _NULL_IS_NULL
            return is_in(column, _listed(options["value_set"]), null_is_null=null_is_null)
    raise unknown(function)


def _chosen(condition: Operand, value: Operand, otherwise: Operand) -> Logic:
    """A value where a condition holds, and null elsewhere, as DuckDB writes the tests of a list."""
    if otherwise != Value(None):
        raise unknown("if_else with another value than null")
    holds, chosen = logic_of(condition).true, logic_of(value)
    return Logic(both(holds, chosen.true), both(holds, chosen.false))


def _listed(values: Any) -> list[object]:  # noqa: ANN401 - an array of pyarrow, or a list
    """The values of a set. pyarrow distinguishes 0.0 and -0.0 in it, which are equal in a table."""
    listed = list(values)
    if any(isinstance(each, float) and each == 0 for each in listed):
        raise unknown("is_in with a zero that is a float: compare with ==")
    return listed


def _text(pattern: str | bytes) -> str:
    return pattern.decode() if isinstance(pattern, bytes) else pattern


class _CSchema(ctypes.Structure):
    """The beginning of the Arrow C data interface's schema."""

    _fields_ = (
        ("format", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("metadata", ctypes.c_void_p),
        ("flags", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    )


def _pairs(schema: Any) -> list[tuple[str, str]]:  # noqa: ANN401 - a schema of pyarrow
    """The metadata of a schema in order, of which `Schema.metadata` keeps the last of each key alone."""
    import pyarrow as pa  # noqa: PLC0415

    exported = _CSchema()
    address = ctypes.addressof(exported)
    schema._export_to_c(address)  # noqa: SLF001 - pyarrow's documented way to the C data interface
    try:
        return _decoded(exported.metadata)
    finally:
        # What takes it over releases it.
        pa.Schema._import_from_c(address)  # noqa: SLF001


def _decoded(address: int | None) -> list[tuple[str, str]]:
    """The pairs of the C data interface: their number, then each length and its bytes."""
    if not address:
        return []
    place = address

    def number() -> int:
        nonlocal place
        (found,) = struct.unpack("=i", ctypes.string_at(place, 4))
        place += 4
        return found

    def text() -> str:
        nonlocal place
        length = number()
        found = ctypes.string_at(place, length)
        place += length
        return found.decode()

    return [(text(), text()) for _ in range(number())]

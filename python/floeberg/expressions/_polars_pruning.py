"""Which rows may an expression of polars keep?

In: the predicate of a query in polars, and the types that polars gives the columns. Out: a filter that holds for every
row that the predicate keeps. It may hold for more rows: polars applies the predicate again.

Each part of a predicate becomes two filters that are wide enough: one for where it may be true, one for where it may be
false. What is not known with certainty may be both. So `and` loses a part that is not known, `or` needs both parts, and
`not` swaps the two.

Rules of polars that filters here do not have: NaN equals NaN and is greater than every number, and -0.0 equals 0.0.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

from floeberg.errors import UnsupportedError
from floeberg.expressions import _polars, _three_valued
from floeberg.expressions._logic import AlwaysTrue, And, Expression, Or
from floeberg.expressions._predicates import GreaterThanOrEqual, IsNaN, LessThanOrEqual
from floeberg.expressions._three_valued import Column, Logic

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["may_keep"]

Node: TypeAlias = "dict[str, Any]"
_UNKNOWN = Logic(AlwaysTrue(), AlwaysTrue())
_ORDERED = {"Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "String", "Date"}
_FLOATS = {"Float32", "Float64"}
_TURNED = {"Lt": "Gt", "LtEq": "GtEq", "Gt": "Lt", "GtEq": "LtEq", "Eq": "Eq", "NotEq": "NotEq"}
_NOT_READ = (UnsupportedError, KeyError, IndexError, ValueError, TypeError, AttributeError, ArithmeticError)


def may_keep(predicate: Any, types: Mapping[str, Any]) -> Expression:  # noqa: ANN401 - an object of polars
    """A filter that holds for every row that a predicate keeps.

    Args:
        predicate: An expression of polars.
        types: The columns that a filter may name, and their types in polars.

    Returns:
        The filter; `AlwaysTrue` where nothing of the predicate is known.
    """
    try:
        tree = _polars.written(predicate)
    except Exception:  # noqa: BLE001 - polars refuses to write some expressions, each with an error of its own
        return AlwaysTrue()
    try:
        return _Reading(types).logic(tree).true
    except RecursionError:
        return AlwaysTrue()


class _Reading:
    """Reads the parts of a predicate."""

    def __init__(self, types: Mapping[str, Any]) -> None:
        self.types = types

    def logic(self, node: Node) -> Logic:
        """Where a part may be true, and where it may be false."""
        try:
            return self._known(node)
        except _NOT_READ:
            return _UNKNOWN

    def _known(self, node: Node) -> Logic:
        ((kind, inside),) = node.items()
        if kind == "Alias":
            return self.logic(inside[0])
        if kind == "Column" and self._kind(inside) == "Boolean":
            return _three_valued.logic_of(Column(inside))
        if kind == "BinaryExpr":
            return self._binary(inside["left"], inside["op"], inside["right"])
        if kind == "Function":
            ((family, name),) = inside["function"].items()
            return self._function(family, name, inside["input"])
        return _UNKNOWN

    def _binary(self, left: Node, word: str, right: Node) -> Logic:
        if word in _polars.JOINS:
            return self.logic(left).joined(self.logic(right), by_and=_polars.JOINS[word])
        if "Column" in right:
            left, word, right = right, _TURNED[word], left
        return self._compared(left["Column"], word, right)

    def _function(self, family: str, name: str | Node, inputs: list[Node]) -> Logic:
        if family == "Boolean" and name == "Not":
            return self.logic(inputs[0]).negated()
        column = Column(inputs[0]["Column"])
        kind = self._kind(column.name)
        if family == "StringExpr" and name == "StartsWith" and kind == "String":
            return _three_valued.starts_with(column, self._literal(column.name, inputs[1]))
        if family != "Boolean":
            return _UNKNOWN
        if isinstance(name, dict):
            return self._listed(column, name, inputs[1:])
        tests = {"IsNull": _three_valued.is_null, "IsNotNull": _three_valued.is_null}
        if kind in _FLOATS:
            tests |= {"IsNan": _three_valued.is_nan, "IsNotNan": _three_valued.is_nan}
        test = tests[name](column)
        return test.negated() if name.startswith("IsNot") else test

    def _listed(self, column: Column, name: Node, others: list[Node]) -> Logic:
        if "IsBetween" in name:
            lower, upper = _BOUNDS[name["IsBetween"]["closed"]]
            least, most = self._end(column.name, lower, others[0]), self._end(column.name, upper, others[1])
            return least.joined(most, by_and=True)
        return self._is_in(column, others[0], nulls_equal=name["IsIn"]["nulls_equal"])

    def _end(self, name: str, word: str, node: Node) -> Logic:
        try:
            return self._compared(name, word, node)
        except _NOT_READ:
            return _UNKNOWN

    def _is_in(self, column: Column, node: Node, *, nulls_equal: bool) -> Logic:
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        kind = self._kind(column.name)
        literal = node["Alias"][0] if "Alias" in node else node
        values = _polars.list_of(bytes(literal["Literal"]["Scalar"]["List"]))
        if kind not in _LISTS or values.type not in _LISTS[kind](pa):
            return _UNKNOWN
        listed = values.to_pylist()
        if kind in _FLOATS and not all(each is None or (math.isfinite(each) and each) for each in listed):
            return _UNKNOWN
        wanted = listed if nulls_equal else [each for each in listed if each is not None]
        if not wanted:
            return _UNKNOWN
        found = _three_valued.is_in(column, wanted, null_is_null=not nulls_equal)
        return Logic(found.true, Or(found.false, IsNaN(column.name))) if kind in _FLOATS else found

    def _compared(self, name: str, word: str, node: Node) -> Logic:
        kind = self._kind(name)
        value = self._literal(name, node)
        column = Column(name)
        if kind in _FLOATS:
            return _float_compared(column, word, value)
        if kind == "Boolean" and word not in {"Eq", "NotEq"}:
            return _UNKNOWN
        return _three_valued.compared(column, _polars.WORDS[word], _three_valued.Value(value))

    def _kind(self, name: str) -> str:
        """The name of a column's type; a column that may not be named has none."""
        return type(self.types[name]).__name__ if name in self.types else ""

    def _literal(self, name: str, node: Node) -> Any:  # noqa: ANN401 - a literal of any type
        """The value of a literal that is exactly of the type of a column.

        Raises:
            ValueError: It is of another type, or null.
        """
        scalar = node["Literal"]["Scalar"]
        ((found, inside),) = scalar.items()
        kind = self._kind(name)
        if found != kind or not _fits(self.types[name], kind, inside):
            raise ValueError(f"{found} is not {kind}")
        value = _polars.value_of(node["Literal"])
        if value is None:
            raise ValueError("the literal is null")
        return value


_BOUNDS = {"Both": ("GtEq", "LtEq"), "Left": ("GtEq", "Lt"), "Right": ("Gt", "LtEq"), "None": ("Gt", "Lt")}
_LISTS: dict[str, Any] = {
    **{kind: (lambda pa, kind=kind: (getattr(pa, kind.lower())(),)) for kind in _ORDERED if "Int" in kind},
    "Float32": lambda pa: (pa.float32(),),
    "Float64": lambda pa: (pa.float64(),),
    "Boolean": lambda pa: (pa.bool_(),),
    "Date": lambda pa: (pa.date32(),),
    "String": lambda pa: (pa.string(), pa.large_string(), pa.string_view()),
}
"""Types of a list whose values are of the type of a column."""


def _fits(kind: Any, name: str, inside: Any) -> bool:  # noqa: ANN401 - of polars, and of its JSON
    """Whether a literal of a type with parameters is exactly one of a column's."""
    if name == "Datetime":
        _, unit, zone = inside
        zone = zone["inner"] if isinstance(zone, dict) else zone
        return (
            kind.time_unit == "us"
            and unit == "Microseconds"
            and zone == kind.time_zone
            and zone in {None, "UTC"}
        )
    if name == "Decimal":
        value, _, scale = inside
        digits = len(Decimal(value).as_tuple().digits)
        return scale <= kind.scale and digits + kind.scale - scale <= kind.precision
    return name in _ORDERED or name in _FLOATS or name == "Boolean"


def _float_compared(column: Column, word: str, value: float) -> Logic:
    """A comparison with a finite number, by the rules of polars for NaN and -0.0."""
    name, nan = column.name, IsNaN(column.name)
    if value == 0:
        # These hold whether or not a reader tells the two zeros apart.
        at_least, at_most = GreaterThanOrEqual(name, -0.0), LessThanOrEqual(name, 0.0)
        exact = {
            "Gt": Logic(at_least, at_most),
            "GtEq": Logic(at_least, at_most),
            "Lt": Logic(at_most, at_least),
            "LtEq": Logic(at_most, at_least),
            "Eq": Logic(And(at_least, at_most), AlwaysTrue()),
            "NotEq": Logic(AlwaysTrue(), And(at_least, at_most)),
        }[word]
    else:
        exact = _three_valued.compared(column, _polars.WORDS[word], _three_valued.Value(value))
    if word in {"Gt", "GtEq", "NotEq"}:
        return Logic(_three_valued.either(exact.true, nan), exact.false)
    return Logic(exact.true, _three_valued.either(exact.false, nan))

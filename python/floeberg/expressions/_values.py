"""Which values do rows have: a column's, a constant, those of SQL text, or what is computed of them?

`col`, `lit` and `sql_expr` make values, and operators compute others of them. A comparison is a value too: true, false
or null, as in SQL. Used as a filter, it matches the rows where it is true.

Invariant: no value has a truth value, so that Python never decides a comparison. Nothing is evaluated here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeAlias, cast

from floeberg._arguments import checked_text
from floeberg.errors import InvalidInputError, LimitExceededError
from floeberg.expressions._literals import normalised
from floeberg.expressions._logic import Expression
from floeberg.expressions._three_valued import Column, Value
from floeberg.expressions._value_filters import condition_of, of_filter, of_operator, of_text
from floeberg.expressions._value_text import sql_type, text_of_literal, text_of_name, text_of_prefix

if TYPE_CHECKING:
    from floeberg.expressions._three_valued import Operand

__all__ = [
    "ColumnValue",
    "ComputedValue",
    "ConstantValue",
    "SqlValue",
    "ValueExpression",
    "col",
    "lit",
    "sql_expr",
]

_OTHER_NAMES = {
    "alias": "the keys of updates name the columns",
    "isin": "use is_in(values)",
    "is_between": "use between(low, high)",
    "isNull": "use is_null()",
    "isnull": "use is_null()",
    "isNotNull": "use is_not_null()",
    "notnull": "use is_not_null()",
    "isnan": "use is_nan()",
    "startswith": "use starts_with(prefix)",
    "eqNullSafe": "use (a == b) | (a.is_null() & b.is_null())",
    "astype": "use cast(type)",
    "str": "use starts_with(prefix), or fb.sql_expr for functions of text",
    "like": "use starts_with(prefix), or fb.sql_expr",
    "dt": "use fb.sql_expr for functions of dates",
    "when": "use fb.sql_expr('CASE WHEN .. THEN .. END')",
}
"""What the libraries that users come from call it, and the way here."""


Combined: TypeAlias = "ValueExpression | Expression"
"""What operators join: values, and filters as conditions."""


class ValueExpression(ABC):
    """A value of each row. `col`, `lit` and `sql_expr` make the first ones.

    Comparisons (`== != < <= > >=`), arithmetic (`+ - * / %`), `&`, `|` and `~`, and the methods make other values. The
    other side may be any literal that filters take. All of them mean what SQL means: a comparison with null is null,
    and a row whose filter is null does not match. So `col("x") != 3` leaves out null, and so does its negation.

    Values serve as filters of scans and of changes, as conditions of merges, and as new values. Comparisons of a column
    with a constant leave out files by their statistics; what else is compared is computed for each row.

    Examples:
        >>> _ = orders.append(pa.table({"id": [1, 2, 3]}))
        >>> orders.scan((fb.col("id") != 3) & fb.col("id").is_in([2, 3])).to_arrow().to_pylist()
        [{'id': 2}]
        >>> _ = orders.update({"id": fb.col("id") * 10}, fb.col("id") > 2)
        >>> sorted(orders.scan().to_arrow()["id"].to_pylist())
        [1, 2, 30]
    """

    __array_ufunc__ = None
    """Scalars of numpy leave their operators to this class."""
    __hash__: ClassVar[None] = None  # type: ignore[assignment] # pyright: ignore[reportIncompatibleMethodOverride]

    @abstractmethod
    def to_sql(self) -> str:
        """The value as SQL text."""

    def as_filter(self) -> Expression:
        """The filter that matches the rows where the value is true.

        Raises:
            InvalidInputError: It is not a condition.
            UnsupportedError: It computes with a constant that SQL text does not have.

        Examples:
            >>> fb.col("x") != 3
            col('x') != 3
            >>> print((fb.col("x") != 3).as_filter())
            x != 3 AND x IS NOT NULL
            >>> print((fb.col("x") * 2 > fb.col("y")).as_filter())
            ("x" * 2) > "y"
        """
        try:
            return condition_of(self._operand(), repr(self)).true
        except RecursionError:
            raise LimitExceededError("a filter is nested too deep") from None

    @abstractmethod
    def _operand(self) -> Operand:
        """What the value is in a filter."""

    # Comparisons.

    def __eq__(self, other: object) -> ValueExpression:  # type: ignore[override] # pyright: ignore[reportIncompatibleMethodOverride]
        return self._compared("=", other)

    def __ne__(self, other: object) -> ValueExpression:  # type: ignore[override] # pyright: ignore[reportIncompatibleMethodOverride]
        return self._compared("!=", other)

    def __lt__(self, other: object) -> ValueExpression:
        return self._compared("<", other)

    def __le__(self, other: object) -> ValueExpression:
        return self._compared("<=", other)

    def __gt__(self, other: object) -> ValueExpression:
        return self._compared(">", other)

    def __ge__(self, other: object) -> ValueExpression:
        return self._compared(">=", other)

    def _compared(self, word: str, other: object) -> ValueExpression:
        if other is None:
            raise InvalidInputError("nothing equals NULL: use is_null() or is_not_null()")
        return ComputedValue(word, (self, _operand(other)))

    # Arithmetic.

    def __add__(self, other: object) -> ValueExpression:
        return ComputedValue("+", (self, _operand(other)))

    def __radd__(self, other: object) -> ValueExpression:
        return ComputedValue("+", (_operand(other), self))

    def __sub__(self, other: object) -> ValueExpression:
        return ComputedValue("-", (self, _operand(other)))

    def __rsub__(self, other: object) -> ValueExpression:
        return ComputedValue("-", (_operand(other), self))

    def __mul__(self, other: object) -> ValueExpression:
        return ComputedValue("*", (self, _operand(other)))

    def __rmul__(self, other: object) -> ValueExpression:
        return ComputedValue("*", (_operand(other), self))

    def __truediv__(self, other: object) -> ValueExpression:
        return ComputedValue("/", (self, _operand(other)))

    def __rtruediv__(self, other: object) -> ValueExpression:
        return ComputedValue("/", (_operand(other), self))

    def __mod__(self, other: object) -> ValueExpression:
        return ComputedValue("%", (self, _operand(other)))

    def __rmod__(self, other: object) -> ValueExpression:
        return ComputedValue("%", (_operand(other), self))

    def __neg__(self) -> ValueExpression:
        return ComputedValue("neg", (self,))

    # Logic.

    def __and__(self, other: object) -> ValueExpression:
        return _joined("AND", self, _condition(other))

    def __rand__(self, other: object) -> ValueExpression:
        return _joined("AND", _condition(other), self)

    def __or__(self, other: object) -> ValueExpression:
        return _joined("OR", self, _condition(other))

    def __ror__(self, other: object) -> ValueExpression:
        return _joined("OR", _condition(other), self)

    def __invert__(self) -> ValueExpression:
        return ComputedValue("NOT", (self,))

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"the expression {self!r} has no truth value: combine expressions with &, | and ~, not with and, or, not; "
            "write a < x < b as x.between(..) or (a < x) & (x < b); and x in [..] as x.is_in([..])"
        )

    def __iter__(self) -> NoReturn:
        raise TypeError(f"the expression {self!r} has no items: use is_in(values) to look for values")

    # Tests.

    def is_in(self, values: Iterable[object]) -> ValueExpression:
        """Whether the value equals one of some constants. It is null where the value is null.

        Args:
            values: The constants, as literals of filters. None of them is null. Without any, it is false.
        """
        if isinstance(values, (str, bytes, ValueExpression)) or not isinstance(values, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInputError(
                f"values: expected a collection of literals, found a {type(values).__name__}"
            )
        listed = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
        if any(each is None for each in listed):
            raise InvalidInputError("values: nothing equals NULL: leave None out, and add | x.is_null()")
        return ComputedValue("IN", (self, *map(ConstantValue, listed)))

    def is_null(self) -> ValueExpression:
        """Whether the value is null."""
        return ComputedValue("IS NULL", (self,))

    def is_not_null(self) -> ValueExpression:
        """Whether the value is not null."""
        return ComputedValue("NOT", (self.is_null(),))

    def is_nan(self) -> ValueExpression:
        """Whether the value is the float NaN. It is null where the value is null."""
        return ComputedValue("IS NAN", (self,))

    def is_not_nan(self) -> ValueExpression:
        """Whether the value is not the float NaN. It is null where the value is null."""
        return ComputedValue("NOT", (self.is_nan(),))

    def between(self, low: object, high: object) -> ValueExpression:
        """Whether the value is at least one bound and at most another.

        Args:
            low: The least value.
            high: The greatest value.
        """
        return (self >= low) & (self <= high)

    def starts_with(self, prefix: str) -> ValueExpression:
        """Whether the value, a string, starts with a prefix.

        Args:
            prefix: The first characters.
        """
        return ComputedValue("STARTS WITH", (self, ConstantValue(checked_text("prefix", prefix))))

    def cast(self, type: object) -> ValueExpression:  # noqa: A002 - the word of Polars and PySpark
        """The value in another type. What does not fit is an error when it is computed.

        Args:
            type: A type of Iceberg, Arrow or SQL by name, such as `long`, `decimal(9,2)` or `timestamptz`, or a type
                of `floeberg.types` or pyarrow.
        """
        return ComputedValue("CAST", (self,), sql_type(type))

    def variant_get(self, path: str, type: object) -> ValueExpression:  # noqa: A002 - as of `cast`
        """The values of a field of variants, as one type. They are null where there is no such field.

        A value of another kind is an error when it is computed. Bounds of the field leave out files, where a file has
        them.

        Args:
            path: The way to the field, such as `$.user.name`, `$['a name']` or `$.items[0]`.
            type: A type as for `cast`.

        Examples:
            >>> fb.col("event").variant_get("$.user.id", "long") == 3
            col('event').variant_get('$.user.id', 'BIGINT') == 3
        """
        return self._field("VARIANT_GET", path, type)

    def try_variant_get(self, path: str, type: object) -> ValueExpression:  # noqa: A002 - as of `cast`
        """The same as `variant_get`, but null where the field is of another kind.

        Args:
            path: The way to the field.
            type: A type as for `cast`.
        """
        return self._field("TRY_VARIANT_GET", path, type)

    def _field(self, word: str, path: str, to_type: object) -> ValueExpression:
        return ComputedValue(word, (self, ConstantValue(checked_text("path", path))), sql_type(to_type))

    def __getattr__(self, name: str) -> NoReturn:
        way = _OTHER_NAMES.get(name)
        raise AttributeError(f"an expression has no attribute {name!r}" + (f": {way}" if way else ""))


@dataclass(frozen=True, eq=False, repr=False)
class ColumnValue(ValueExpression):
    """The values of a column. `col` makes it."""

    name: str

    def to_sql(self) -> str:
        return text_of_name(self.name)

    def _operand(self) -> Operand:
        return Column(self.name)

    def __repr__(self) -> str:
        return f"col({self.name!r})"


@dataclass(frozen=True, eq=False, repr=False)
class ConstantValue(ValueExpression):
    """The same value in every row. `lit` makes it."""

    value: Any

    def to_sql(self) -> str:
        return text_of_literal(self.value)

    def _operand(self) -> Operand:
        return Value(self.value)

    def __repr__(self) -> str:
        return f"lit({self.value!r})"


@dataclass(frozen=True, eq=False, repr=False)
class SqlValue(ValueExpression):
    """The values of a SQL expression. `sql_expr` makes it."""

    text: str

    def to_sql(self) -> str:
        return self.text

    def _operand(self) -> Operand:
        return of_text(self.text)

    def __repr__(self) -> str:
        return f"sql_expr({self.text!r})"


@dataclass(frozen=True, eq=False, repr=False)
class ComputedValue(ValueExpression):
    """What an operator makes of values. The operators and methods of values make it.

    Args:
        word: The operator, as SQL writes it.
        operands: Its values; filters too, where it joins conditions.
        to_type: The type of a cast, in SQL.
    """

    word: str
    operands: tuple[Combined, ...]
    to_type: str | None = None

    def _operand(self) -> Operand:
        operands = [
            of_filter(each) if isinstance(each, Expression) else each._operand()  # noqa: SLF001 - of this file
            for each in self.operands
        ]
        return of_operator(self.word, operands, repr(self), self.to_sql)

    def to_sql(self) -> str:
        first, *others = (_sql_of(each) for each in self.operands)
        if self.word == "STARTS WITH":
            prefix = cast("ConstantValue", self.operands[1]).value
            return f"{first} LIKE {text_of_prefix(prefix)}"
        if self.word in _OF_VARIANTS:
            return f"{self.word}({first}, {others[0]}, '{self.to_type}')"
        form = {
            "IN": f"{first} IN ({', '.join(others)})"
            if others
            else f"CASE WHEN {first} IS NOT NULL THEN FALSE END",
            "IS NAN": f"{first} <> {first}",  # NaN alone is not equal to itself.
            "CAST": f"CAST({first} AS {self.to_type})",
            "neg": f"-{first}",
            "NOT": f"NOT {first}",
            "IS NULL": f"{first} IS NULL",
        }
        return form.get(self.word) or f" {self.word} ".join([first, *others])

    def __repr__(self) -> str:
        first, *others = (
            f"({each!r})" if isinstance(each, ComputedValue) and each.word in _OPERATORS else _shown(each)
            for each in self.operands
        )
        if self.word in _OPERATORS:
            return f" {_OPERATORS[self.word]} ".join([first, *others])
        if self.word in {"NOT", "neg"}:
            return ("~" if self.word == "NOT" else "-") + first
        arguments = repr(self.to_type) if self.word == "CAST" else ", ".join(others)
        if self.word == "IN":
            return f"{first}.is_in([{arguments}])"
        if self.word in _OF_VARIANTS:
            arguments = f"{arguments}, {self.to_type!r}"
        return f"{first}.{self.word.lower().replace(' ', '_')}({arguments})"


_OF_VARIANTS = {"VARIANT_GET", "TRY_VARIANT_GET"}
_OPERATORS = {
    "=": "==",
    "AND": "&",
    "OR": "|",
    **{word: word for word in ("!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%")},
}


def _shown(value: object) -> str:
    return repr(value.value) if isinstance(value, ConstantValue) else repr(value)


def _sql_of(value: Combined) -> str:
    if isinstance(value, Expression):
        raise InvalidInputError(
            f"{value!r} is a filter object, whose nulls are not those of SQL: compare fb.col instead"
        )
    written = value.to_sql()
    return written if isinstance(value, (ColumnValue, ConstantValue)) else f"({written})"


def _operand(value: object) -> ValueExpression:
    if isinstance(value, ValueExpression):
        return value
    return ConstantValue(None if value is None else normalised(value))


def _joined(word: str, *conditions: Combined) -> ComputedValue:
    """A chain is flat, so that long ones are not deep."""
    flat: list[Combined] = []
    for each in conditions:
        flat += each.operands if isinstance(each, ComputedValue) and each.word == word else (each,)
    return ComputedValue(word, tuple(flat))


def _condition(value: object) -> Combined:
    if isinstance(value, (ValueExpression, Expression)):
        return value
    if isinstance(value, str):
        return SqlValue(value)
    raise TypeError(
        f"expected an expression or a filter beside &, | or ~, found {type(value).__name__}"
        + (": Python has evaluated a comparison" if isinstance(value, bool) else "")
    )


def col(name: str) -> ColumnValue:
    """The values of a column, to be compared, computed with or copied.

    Args:
        name: The name. Fields of structs are dotted. In a merge, after `target.` or `source.` where both have it.

    Examples:
        >>> _ = orders.append(pa.table({"id": [1, 2]}))
        >>> orders.update({"id": fb.col("target.id")}, fb.col("id") == 1).updated_rows
        1
    """
    return ColumnValue(checked_text("name", name))


def lit(value: object) -> ConstantValue:
    """The same value in every row: a text that is not taken for an expression.

    Args:
        value: Any value that the column can hold.

    Examples:
        >>> fb.lit("source.name")
        lit('source.name')
    """
    if isinstance(value, ValueExpression):
        raise InvalidInputError(f"value: expected a constant, found the expression {value!r}")
    return ConstantValue(value)


def sql_expr(text: str) -> SqlValue:
    """The values of a SQL expression: new values of `Table.update` and `Table.merge`, or a filter.

    Literals, columns, arithmetic, comparisons, `AND`, `OR`, `NOT`, `IS NULL`, `IN`, `BETWEEN`, `LIKE`, `ILIKE`, `CASE`,
    `CAST`, `TRY_CAST` and the usual functions of numbers and text are understood; anything else is an error. Integers
    and decimals divide as doubles. An overflow or a division by zero is an error, but a part is computed only for the
    rows that need it: `CASE WHEN b = 0 THEN 0 ELSE a / b END` never fails. Literals mean what they mean in the filter
    of a scan.

    Args:
        text: The expression, such as `price * 2`.

    Examples:
        >>> _ = orders.append(pa.table({"id": [1, 2]}))
        >>> _ = orders.update({"id": fb.sql_expr("id * 10")})
        >>> orders.scan().to_arrow()["id"].to_pylist()
        [10, 20]
    """
    return SqlValue(checked_text("text", text))

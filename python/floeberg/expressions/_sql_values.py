"""What are the values of a SQL expression on the rows of a batch?

In: SQL text, parsed by sqlglot, and columns by name. Out: an Arrow array.

Invariant: null is as in SQL, with three-valued logic. What is not understood is an error, never a guess. Arithmetic
that overflows is an error.
"""

from __future__ import annotations

from decimal import Decimal
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

from floeberg.errors import InvalidInputError, NotInstalledError, UnsupportedError
from floeberg.expressions._sql_arguments import check_arguments
from floeberg.expressions._sql_casts import cast_in_sql, type_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SqlExpression"]

Values: TypeAlias = Any
"""An Arrow array or scalar."""
Find: TypeAlias = "Callable[[str], Values]"
"""The column of a name."""


class SqlExpression:
    """A parsed expression."""

    def __init__(self, text: str) -> None:
        """Parses the text.

        Raises:
            InvalidInputError: The text is not an expression.
            NotInstalledError: sqlglot is not installed.
        """
        try:
            import sqlglot  # noqa: PLC0415 - an extra
            from sqlglot.errors import SqlglotError  # noqa: PLC0415
        except ImportError as error:
            raise NotInstalledError("sqlglot is not installed: pip install 'floeberg[expr]'") from error
        self.text = text
        try:
            found = sqlglot.Dialect.get_or_raise(None).parse_into(sqlglot.exp.Condition, text)
        except (SqlglotError, ValueError) as error:
            raise InvalidInputError(f"the SQL expression {text!r} cannot be parsed: {error}") from error
        trees = [each for each in found if each is not None]
        if len(trees) != 1:
            raise InvalidInputError(
                f"the SQL expression {text!r} cannot be parsed: it has {len(trees)} statements"
            )
        self.tree: Any = trees[0]

    def of(self, find: Find) -> Values:
        """The values, by a function that finds columns.

        Raises:
            InvalidInputError: A column is unknown, or types do not fit, or a number overflows.
            UnsupportedError: The expression has something that is not understood.
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        check_arguments(self.text, self.tree)
        try:
            return _Evaluation(self.text, find).of(self.tree)
        except (pa.ArrowException, TypeError) as error:
            raise InvalidInputError(f"the SQL expression {self.text!r} has no value: {error}") from error

    def conjuncts(self) -> list[Any]:
        """The terms that are all true where the expression is."""
        return _conjuncts(self.tree)

    def all_of(self, trees: list[Any]) -> SqlExpression:
        """Some terms of the same text, in order. A later one is for rows where the earlier ones hold."""
        from sqlglot import exp  # noqa: PLC0415 - it parsed the text

        made = object.__new__(SqlExpression)
        made.text = self.text
        made.tree = reduce(lambda one, other: exp.And(this=one, expression=other), trees)
        return made


def _conjuncts(tree: Any) -> list[Any]:  # noqa: ANN401
    from sqlglot import exp  # noqa: PLC0415

    if isinstance(tree, exp.Paren):
        return _conjuncts(tree.this)
    if isinstance(tree, exp.And):
        return _conjuncts(tree.left) + _conjuncts(tree.right)
    return [tree]


class _Evaluation:
    """One evaluation."""

    def __init__(self, text: str, find: Find) -> None:
        self.text = text
        self.find = find

    def of(self, tree: Any) -> Values:  # noqa: ANN401 - trees of sqlglot
        kind = type(tree).__name__
        method = getattr(self, f"_{kind.lower()}", None)
        if method is not None:
            return method(tree)
        if kind in _COMPARISONS:
            return self._compared(_COMPARISONS[kind], tree.left, tree.right)
        if kind in _ARITHMETIC:
            return _call(_ARITHMETIC[kind], self.of(tree.left), self.of(tree.right))
        if kind in _FUNCTIONS:
            return _call(_FUNCTIONS[kind], self.of(tree.this))
        raise UnsupportedError(
            f"the SQL expression {self.text!r} has {tree.sql()!r}, which is not supported: use a pyarrow.compute "
            "expression or a function"
        )

    def _paren(self, tree: Any) -> Values:  # noqa: ANN401
        return self.of(tree.this)

    def _column(self, tree: Any) -> Values:  # noqa: ANN401
        return self.find(name_of(tree))

    def _dot(self, tree: Any) -> Values:  # noqa: ANN401
        return self.find(name_of(tree))

    @staticmethod
    def _literal(tree: Any) -> Values:  # noqa: ANN401
        import pyarrow as pa  # noqa: PLC0415

        if tree.is_string:
            return pa.scalar(tree.this, pa.string())
        if "e" in tree.this.lower():
            return pa.scalar(float(tree.this), pa.float64())
        return pa.scalar(Decimal(tree.this) if "." in tree.this else int(tree.this))

    @staticmethod
    def _boolean(tree: Any) -> Values:  # noqa: ANN401
        import pyarrow as pa  # noqa: PLC0415

        return pa.scalar(bool(tree.this))

    @staticmethod
    def _null(_tree: Any) -> Values:  # noqa: ANN401
        import pyarrow as pa  # noqa: PLC0415

        return pa.scalar(None)

    def _neg(self, tree: Any) -> Values:  # noqa: ANN401
        return _call("negate_checked", self.of(tree.this))

    def _not(self, tree: Any) -> Values:  # noqa: ANN401
        return _call("invert", self._condition(tree.this))

    def _and(self, tree: Any) -> Values:  # noqa: ANN401
        return _call("and_kleene", self._condition(tree.left), self._condition(tree.right))

    def _or(self, tree: Any) -> Values:  # noqa: ANN401
        return _call("or_kleene", self._condition(tree.left), self._condition(tree.right))

    def _condition(self, tree: Any) -> Values:  # noqa: ANN401
        import pyarrow as pa  # noqa: PLC0415

        values = self.of(tree)
        return values.cast(pa.bool_()) if pa.types.is_null(values.type) else values

    def _is(self, tree: Any) -> Values:  # noqa: ANN401
        import pyarrow.compute as pc  # noqa: PLC0415

        values, kind = self.of(tree.this), type(tree.expression).__name__
        if kind == "Null":
            return pc.is_null(values)
        if kind == "Boolean":
            wanted = values if tree.expression.this else pc.invert(values)
            return pc.fill_null(wanted, False)
        raise UnsupportedError(f"the SQL expression {self.text!r}: IS needs NULL, TRUE or FALSE")

    def _nullsafeeq(self, tree: Any) -> Values:  # noqa: ANN401
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        left, right = _alike(self.of(tree.left), self.of(tree.right))
        if pa.types.is_null(left.type) or pa.types.is_null(right.type):
            return pc.is_null(right if pa.types.is_null(left.type) else left)
        both = pc.and_(pc.is_null(left), pc.is_null(right))
        return pc.or_(both, pc.fill_null(pc.equal(left, right), False))

    def _nullsafeneq(self, tree: Any) -> Values:  # noqa: ANN401
        return _call("invert", self._nullsafeeq(tree))

    def _in(self, tree: Any) -> Values:  # noqa: ANN401
        if not tree.expressions:
            raise UnsupportedError(f"the SQL expression {self.text!r}: IN needs a list of values")
        tests = [self._compared("equal", tree.this, each) for each in tree.expressions]
        return reduce(lambda one, other: _call("or_kleene", one, other), tests)

    def _between(self, tree: Any) -> Values:  # noqa: ANN401
        low = self._compared("greater_equal", tree.this, tree.args["low"])
        high = self._compared("less_equal", tree.this, tree.args["high"])
        return _call("and_kleene", low, high)

    def _like(self, tree: Any) -> Values:  # noqa: ANN401
        import pyarrow.compute as pc  # noqa: PLC0415

        if type(tree.expression).__name__ != "Literal":
            raise UnsupportedError(f"the SQL expression {self.text!r}: LIKE needs a literal pattern")
        alike = pc.match_like(self.of(tree.this), tree.expression.this)
        return pc.invert(alike) if tree.args.get("negate") else alike

    def _case(self, tree: Any) -> Values:  # noqa: ANN401
        cases = [(each.this, self.of(each.args["true"])) for each in tree.args["ifs"]]
        of = tree.this
        default = tree.args.get("default")
        made = self._null(tree) if default is None else self.of(default)
        for condition, value in reversed(cases):
            test = self.of(condition) if of is None else self._compared("equal", of, condition)
            made = self._chosen(test, value, made)
        return made

    def _if(self, tree: Any) -> Values:  # noqa: ANN401
        other = tree.args.get("false")
        made = self._null(tree) if other is None else self.of(other)
        return self._chosen(self.of(tree.this), self.of(tree.args["true"]), made)

    @staticmethod
    def _chosen(test: Values, value: Values, other: Values) -> Values:
        import pyarrow.compute as pc  # noqa: PLC0415

        return _call("if_else", pc.fill_null(test, False), value, other)

    def _coalesce(self, tree: Any) -> Values:  # noqa: ANN401
        import pyarrow as pa  # noqa: PLC0415

        values = [self.of(each) for each in (tree.this, *tree.expressions)]
        typed = [each for each in values if not pa.types.is_null(each.type)]
        return _call("coalesce", *typed) if typed else values[0]

    def _nullif(self, tree: Any) -> Values:  # noqa: ANN401
        same = self._compared("equal", tree.this, tree.expression)
        return self._chosen(same, self._null(tree), self.of(tree.this))

    def _dpipe(self, tree: Any) -> Values:  # noqa: ANN401
        return _joined([self.of(tree.left), self.of(tree.right)])

    def _concat(self, tree: Any) -> Values:  # noqa: ANN401
        return _joined([self.of(each) for each in tree.expressions])

    def _div(self, tree: Any) -> Values:  # noqa: ANN401
        import pyarrow as pa  # noqa: PLC0415

        def fraction(values: Values) -> Values:
            return values.cast(pa.float64()) if pa.types.is_integer(values.type) else values

        return _call("divide_checked", fraction(self.of(tree.left)), fraction(self.of(tree.right)))

    def _mod(self, tree: Any) -> Values:  # noqa: ANN401
        import pyarrow as pa  # noqa: PLC0415

        left, right = self.of(tree.left), self.of(tree.right)
        if not (pa.types.is_integer(left.type) and pa.types.is_integer(right.type)):
            raise UnsupportedError(f"the SQL expression {self.text!r}: % needs integers")
        whole = _call("multiply_checked", _call("divide_checked", left, right), right)
        return _call("subtract_checked", left, whole)

    def _round(self, tree: Any) -> Values:  # noqa: ANN401
        import pyarrow.compute as pc  # noqa: PLC0415

        digits = tree.args.get("decimals")
        number = 0 if digits is None else int(digits.this)
        return pc.round(self.of(tree.this), number, round_mode="half_towards_infinity")

    def _substring(self, tree: Any) -> Values:  # noqa: ANN401
        import pyarrow.compute as pc  # noqa: PLC0415

        start, length = tree.args["start"], tree.args.get("length")
        if any(each is not None and type(each).__name__ != "Literal" for each in (start, length)):
            raise UnsupportedError(
                f"the SQL expression {self.text!r}: SUBSTRING needs literal places from 1 on"
            )
        first = max(int(start.this) - 1, 0)
        end = None if length is None else first + int(length.this)
        return pc.utf8_slice_codeunits(self.of(tree.this), first, end)

    def _trim(self, tree: Any) -> Values:  # noqa: ANN401
        side = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(tree.args.get("position"), "trim")
        return _call(f"utf8_{side}_whitespace", self.of(tree.this))

    def _cast(self, tree: Any) -> Values:  # noqa: ANN401
        return cast_in_sql(self.of(tree.this), type_of(tree.to, self.text))

    def _compared(self, function: str, left: Any, right: Any) -> Values:  # noqa: ANN401
        return _call(function, *_alike(self.of(left), self.of(right)))


def name_of(tree: Any) -> str:  # noqa: ANN401
    """The dotted name of a column."""
    return ".".join(part.name for part in tree.parts)


def _call(function: str, *values: Values) -> Values:
    import pyarrow.compute as pc  # noqa: PLC0415

    return pc.call_function(function, list(values))


def _alike(left: Values, right: Values) -> tuple[Values, Values]:
    """Two values that can be compared: a literal text is a date, time or timestamp where the other is."""
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_temporal(left.type) and isinstance(right, pa.StringScalar):
        return left, right.cast(left.type)
    if pa.types.is_temporal(right.type) and isinstance(left, pa.StringScalar):
        return left.cast(right.type), right
    return left, right


def _joined(values: list[Values]) -> Values:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    texts = [cast_in_sql(each, pa.string()) for each in values]
    return pc.binary_join_element_wise(*texts, pa.scalar("", pa.string()))


_COMPARISONS = {
    "EQ": "equal",
    "NEQ": "not_equal",
    "LT": "less",
    "LTE": "less_equal",
    "GT": "greater",
    "GTE": "greater_equal",
}
_ARITHMETIC = {"Add": "add_checked", "Sub": "subtract_checked", "Mul": "multiply_checked"}
_FUNCTIONS = {
    "Upper": "utf8_upper",
    "Lower": "utf8_lower",
    "Length": "utf8_length",
    "Abs": "abs_checked",
    "Floor": "floor",
    "Ceil": "ceil",
}

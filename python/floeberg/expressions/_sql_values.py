"""What are the values of a SQL expression on the rows of a batch?

In: SQL text, parsed by sqlglot, and columns by name. Out: an Arrow array.

Invariant: null is as in SQL, with three-valued logic. What is not understood is an error, never a guess. Arithmetic
that overflows is an error. A part is computed only for the rows that need it, as CASE, AND, OR and COALESCE say.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg.errors import FloebergError, InvalidInputError, NotInstalledError, UnsupportedError
from floeberg.expressions._sql_arguments import check_arguments
from floeberg.expressions._sql_arithmetic import calculated, ceil, divided, floor, remainder, rounded
from floeberg.expressions._sql_casts import cast_in_sql, type_of
from floeberg.expressions._sql_comparisons import (
    TURNED,
    common_type,
    compared,
    compared_literals,
    compared_with_literal,
)
from floeberg.expressions._sql_literals import literal_of, scalar_of, timestamp_of, value_of
from floeberg.expressions._sql_rows import SeenRows, all_numbers, each_row, in_order

if TYPE_CHECKING:
    from collections.abc import Callable

    from floeberg.expressions._sql_literals import Literal

__all__ = ["SqlExpression", "name_of"]

Values: TypeAlias = Any
"""An Arrow array or scalar."""
Array: TypeAlias = Any
Tree: TypeAlias = Any
"""Of sqlglot, which is an extra."""
Find: TypeAlias = "Callable[[str], Array]"
"""The column of a name."""
_SHOWN = 300
"""So many characters of an expression an error shows."""


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
        self.shown = repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")
        """The text for errors."""
        try:
            found = sqlglot.Dialect.get_or_raise(None).parse_into(sqlglot.exp.Condition, text)
        except RecursionError:
            raise self._too_deep() from None
        except (SqlglotError, ValueError) as error:
            raise InvalidInputError(f"the SQL expression {self.shown} cannot be parsed: {error}") from error
        trees = [each for each in found if each is not None]
        if len(trees) != 1:
            raise InvalidInputError(
                f"the SQL expression {self.shown} cannot be parsed: it has {len(trees)} statements"
            )
        self.tree: Tree = trees[0]

    def of(self, find: Find, number: int) -> Values:
        """The values, by a function that finds columns of so many rows.

        Raises:
            InvalidInputError: A column is unknown, or types do not fit, or a number overflows.
            UnsupportedError: The expression has something that is not understood.
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        try:
            check_arguments(self.shown, self.tree)
            return _Evaluation(self.shown, SeenRows(find, number)).of(self.tree)
        except RecursionError:
            raise self._too_deep() from None
        except InvalidInputError as error:
            if self.shown in error.message:
                raise
            raise InvalidInputError(
                f"the SQL expression {self.shown}: {error.message}", context=error.context
            ) from error
        except FloebergError:
            raise
        except (pa.ArrowException, ArithmeticError, TypeError, ValueError) as error:
            raise InvalidInputError(f"the SQL expression {self.shown} cannot be computed: {error}") from error

    def columns(self) -> set[str]:
        """The names of all columns in the text; of fields of structs, or of the structs."""
        from sqlglot import exp  # noqa: PLC0415 - it parsed the text

        return {name_of(each) for each in self.tree.find_all(exp.Column)}

    def _too_deep(self) -> InvalidInputError:
        return InvalidInputError(
            f"the SQL expression {self.shown} is nested too deeply: use fewer parentheses and operators in each other"
        )

    def conjuncts(self) -> list[Tree]:
        """The terms that are all true where the expression is."""
        return _terms(self.tree, "And")

    def all_of(self, trees: list[Tree]) -> SqlExpression:
        """Some terms of the same text, in order. A later one is computed only where the earlier ones hold."""
        from sqlglot import exp  # noqa: PLC0415 - it parsed the text

        made = object.__new__(SqlExpression)
        made.shown = self.shown
        made.tree = reduce(lambda one, other: exp.And(this=one, expression=other), trees)
        return made


def _terms(tree: Tree, kind: str) -> list[Tree]:
    """The terms of a chain of AND or OR, in order."""
    terms, left = [], [tree]
    while left:
        each = left.pop()
        inner = each
        while type(inner).__name__ == "Paren":
            inner = inner.this
        if type(inner).__name__ == kind:
            left += [inner.right, inner.left]
        else:
            terms.append(each)
    return terms


class _Evaluation:
    """One evaluation, on some rows."""

    def __init__(self, shown: str, rows: SeenRows) -> None:
        self.shown = shown
        self.rows = rows

    def of(self, tree: Tree) -> Values:
        kind = type(tree).__name__
        method = getattr(self, f"_{kind.lower()}", None)
        if method is not None:
            return method(tree)
        if kind in _COMPARISONS:
            return self._compared(_COMPARISONS[kind], tree.left, tree.right)
        if kind in _ARITHMETIC:
            return self._calculated(tree)
        if kind in _OF_TEXTS:
            return self._call(_OF_TEXTS[kind], self._text(tree.this))
        if kind in _FUNCTIONS:
            return self._call(_FUNCTIONS[kind], self.of(tree.this))
        raise UnsupportedError(
            f"the SQL expression {self.shown} has {tree.sql()!r}, which is not supported: use a pyarrow.compute "
            "expression or a function"
        )

    def _at(self, numbers: Array) -> _Evaluation:
        """The same on some of the rows."""
        rows = self.rows.take(numbers)
        return self if rows is self.rows else _Evaluation(self.shown, rows)

    def _constants(self, *values: Values) -> tuple[Values, ...]:
        """Operands. Without rows nothing is computed of constants: it could fail where nobody asks."""
        import pyarrow as pa  # noqa: PLC0415

        if self.rows.number or not all(isinstance(each, pa.Scalar) for each in values):
            return values
        return tuple(pa.repeat(each, 0) for each in values)

    def _constant(self, values: Values) -> Values:
        return self._constants(values)[0]

    def _call(self, function: str, *values: Values) -> Values:
        import pyarrow.compute as pc  # noqa: PLC0415

        return pc.call_function(function, list(self._constants(*values)))

    def _text(self, tree: Tree) -> Values:
        """Values of which functions of texts can take null, too."""
        import pyarrow as pa  # noqa: PLC0415

        values = self._constant(self.of(tree))
        return values.cast(pa.string()) if pa.types.is_null(values.type) else values

    def _paren(self, tree: Tree) -> Values:
        return self.of(tree.this)

    def _floor(self, tree: Tree) -> Values:
        return floor(self._constant(self.of(tree.this)))

    def _ceil(self, tree: Tree) -> Values:
        return ceil(self._constant(self.of(tree.this)))

    def _column(self, tree: Tree) -> Values:
        return self.rows.column(name_of(tree))

    def _dot(self, tree: Tree) -> Values:
        return self.rows.column(name_of(tree))

    @staticmethod
    def _literal(tree: Tree) -> Values:
        return scalar_of(cast("Literal", literal_of(tree)))

    @staticmethod
    def _boolean(tree: Tree) -> Values:
        import pyarrow as pa  # noqa: PLC0415

        return pa.scalar(bool(tree.this))

    @staticmethod
    def _null(_tree: Tree) -> Values:
        import pyarrow as pa  # noqa: PLC0415

        return pa.scalar(None)

    def _neg(self, tree: Tree) -> Values:
        literal = literal_of(tree)
        if literal is not None:
            return scalar_of(literal)
        return self._call("negate_checked", self.of(tree.this))

    def _calculated(self, tree: Tree) -> Values:
        """A chain of operators from left to right, which may be long."""
        chain = [tree]
        while type(chain[-1].left).__name__ in _ARITHMETIC:
            chain.append(chain[-1].left)
        made = self.of(chain[-1].left)
        for each in reversed(chain):
            function = _ARITHMETIC[type(each).__name__]
            made = calculated(function, *self._constants(made, self.of(each.right)))
        return made

    def _div(self, tree: Tree) -> Values:
        return divided(*self._constants(self.of(tree.left), self.of(tree.right)))

    def _mod(self, tree: Tree) -> Values:
        return remainder(self.shown, *self._constants(self.of(tree.left), self.of(tree.right)))

    # Conditions.

    def _condition(self, tree: Tree) -> Array:
        """A bool for each row."""
        import pyarrow as pa  # noqa: PLC0415

        values = self.of(tree)
        if pa.types.is_null(values.type):
            values = values.cast(pa.bool_())
        if not pa.types.is_boolean(values.type):
            raise InvalidInputError(
                f"the SQL expression {self.shown}: expected a condition, found {tree.sql()!r} of type {values.type}"
            )
        return each_row(values, self.rows.number)

    def _holds(self, tree: Tree) -> Array:
        """Whether a condition is true, for each row."""
        import pyarrow.compute as pc  # noqa: PLC0415

        return pc.fill_null(self._condition(tree), False)

    def _not(self, tree: Tree) -> Values:
        return self._call("invert", self._condition(tree.this))

    def _and(self, tree: Tree) -> Values:
        return self._chain(_terms(tree, "And"), "and_kleene", ends=False)

    def _or(self, tree: Tree) -> Values:
        return self._chain(_terms(tree, "Or"), "or_kleene", ends=True)

    def _chain(self, terms: list[Tree], function: str, *, ends: bool) -> Values:
        """Terms in order. A row that one of them decides is not for those after it."""
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        made = self._condition(terms[0])
        for term in terms[1:]:
            is_open = pc.fill_null(made if not ends else pc.invert(made), True)
            found = self._at(pc.indices_nonzero(is_open))._condition(term)  # noqa: SLF001 - of this class
            if len(found) < self.rows.number:
                found = pc.replace_with_mask(pa.nulls(self.rows.number, pa.bool_()), is_open, found)
            made = self._call(function, made, found)
        return made

    def _is(self, tree: Tree) -> Values:
        import pyarrow.compute as pc  # noqa: PLC0415

        kind = type(tree.expression).__name__
        if kind == "Null":
            return pc.is_null(self.of(tree.this))
        if kind == "Boolean":
            values = self._condition(tree.this)
            return pc.fill_null(values if tree.expression.this else pc.invert(values), False)
        raise UnsupportedError(f"the SQL expression {self.shown}: IS needs NULL, TRUE or FALSE")

    def _nullsafeeq(self, tree: Tree) -> Values:
        import pyarrow.compute as pc  # noqa: PLC0415

        both = pc.and_(pc.is_null(self.of(tree.left)), pc.is_null(self.of(tree.right)))
        return pc.or_(both, pc.fill_null(self._compared("equal", tree.left, tree.right), False))

    def _nullsafeneq(self, tree: Tree) -> Values:
        return self._call("invert", self._nullsafeeq(tree))

    def _in(self, tree: Tree) -> Values:
        if not tree.expressions:
            raise UnsupportedError(f"the SQL expression {self.shown}: IN needs a list of values")
        tests = [self._compared("equal", tree.this, each) for each in tree.expressions]
        return reduce(lambda one, other: self._call("or_kleene", one, other), tests)

    def _between(self, tree: Tree) -> Values:
        low = self._compared("greater_equal", tree.this, tree.args["low"])
        high = self._compared("less_equal", tree.this, tree.args["high"])
        return self._call("and_kleene", low, high)

    def _like(self, tree: Tree) -> Values:
        import pyarrow.compute as pc  # noqa: PLC0415

        pattern = literal_of(tree.expression)
        if pattern is None or not isinstance(pattern.value, str):
            raise UnsupportedError(f"the SQL expression {self.shown}: LIKE needs a literal pattern")
        alike = pc.match_like(self._text(tree.this), pattern.value)
        return pc.invert(alike) if tree.args.get("negate") else alike

    def _compared(self, function: str, left: Tree, right: Tree) -> Values:
        one, other = literal_of(left), literal_of(right)
        if one is not None and other is not None:
            return compared_literals(function, one, other)
        if other is not None:
            return compared_with_literal(function, self._constant(self.of(left)), other)
        if one is not None:
            return compared_with_literal(TURNED[function], self._constant(self.of(right)), one)
        return compared(function, *self._constants(self.of(left), self.of(right)))

    # Branches.

    def _case(self, tree: Tree) -> Values:
        of, default = tree.this, tree.args.get("default")
        branches = [(each.this, each.args["true"]) for each in tree.args["ifs"]]
        return self._chosen(of, branches, default)

    def _if(self, tree: Tree) -> Values:
        return self._chosen(None, [(tree.this, tree.args["true"])], tree.args.get("false"))

    def _chosen(self, of: Tree | None, branches: list[tuple[Tree, Tree]], default: Tree | None) -> Values:
        """For each row the value of the first branch whose condition holds, or equals a value."""
        import pyarrow.compute as pc  # noqa: PLC0415

        left = all_numbers(self.rows.number)
        parts: list[tuple[Tree, Array, Values]] = []
        for condition, value in branches:
            at = self._at(left)
            holds = at._holds(condition) if of is None else at._equals(of, condition)  # noqa: SLF001 - of this class
            chosen, left = left.filter(holds), left.filter(pc.invert(holds))
            parts.append((value, chosen, self._at(chosen).of(value)))
        last = self._null(default) if default is None else self._at(left).of(default)
        return self._joined([*parts, (default, left, last)])

    def _equals(self, left: Tree, right: Tree) -> Array:
        """Whether two values are equal, for each row."""
        import pyarrow.compute as pc  # noqa: PLC0415

        return each_row(pc.fill_null(self._compared("equal", left, right), False), self.rows.number)

    def _coalesce(self, tree: Tree) -> Values:
        import pyarrow.compute as pc  # noqa: PLC0415

        left = all_numbers(self.rows.number)
        parts: list[tuple[Tree, Array, Values]] = []
        for each in (tree.this, *tree.expressions):
            values = self._at(left).of(each)
            is_there = each_row(pc.is_valid(values), len(left))
            chosen = each_row(values, len(left)).filter(is_there) if _is_array(values) else values
            parts.append((each, left.filter(is_there), chosen))
            left = left.filter(pc.invert(is_there))
        return self._joined([*parts, (None, left, self._null(None))])

    def _joined(self, parts: list[tuple[Tree | None, Array, Values]]) -> Values:
        """The values of all rows, of those of some."""
        literals = [None if tree is None else literal_of(tree) for tree, _, _ in parts]
        values, kind = common_type([each for _, _, each in parts], literals)
        numbers = [each for _, each, _ in parts]
        return in_order(list(zip(numbers, values, strict=True)), kind)

    def _nullif(self, tree: Tree) -> Values:
        same = self._equals(tree.this, tree.expression)
        return self._call("if_else", same, self._null(tree), self.of(tree.this))

    # Functions.

    def _dpipe(self, tree: Tree) -> Values:
        return self._texts([tree.left, tree.right])

    def _concat(self, tree: Tree) -> Values:
        return self._texts(tree.expressions)

    def _texts(self, trees: list[Tree]) -> Values:
        import pyarrow as pa  # noqa: PLC0415

        texts = [cast_in_sql(each, pa.string()) for each in self._constants(*map(self.of, trees))]
        return self._call("binary_join_element_wise", *texts, pa.scalar("", pa.string()))

    def _round(self, tree: Tree) -> Values:
        digits = tree.args.get("decimals")
        number = 0 if digits is None else self._whole("ROUND", digits)
        return rounded(self._constant(self.of(tree.this)), number)

    def _substring(self, tree: Tree) -> Values:
        import pyarrow.compute as pc  # noqa: PLC0415

        first = self._whole("SUBSTRING", tree.args["start"], 1) - 1
        length = tree.args.get("length")
        end = None if length is None else first + self._whole("SUBSTRING", length, 0)
        return pc.utf8_slice_codeunits(self._text(tree.this), first, end)

    def _whole(self, function: str, tree: Tree, least: int = -(2**31)) -> int:
        """A literal integer."""
        literal = literal_of(tree)
        if literal is None or not isinstance(literal.value, int) or not least <= literal.value < 2**31:
            at_least = f" from {least} on" if least >= 0 else ""
            raise UnsupportedError(
                f"the SQL expression {self.shown}: {function} needs literal integers{at_least}, found {tree.sql()!r}"
            )
        return literal.value

    def _trim(self, tree: Tree) -> Values:
        import pyarrow.compute as pc  # noqa: PLC0415

        side = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(tree.args.get("position"), "trim")
        trim = getattr(pc, f"utf8_{side}")
        # Spaces alone, as the standard says: not tabs and ends of lines.
        return trim(self._text(tree.this), characters=" ")

    def _cast(self, tree: Tree) -> Values:
        from pyarrow import types  # noqa: PLC0415

        kind = type_of(tree.to, self.shown)
        literal = literal_of(tree.this)
        if literal is not None and isinstance(literal.value, str):
            if types.is_timestamp(kind) and kind.tz is None and tree.to.this.name == "TIMESTAMP":
                return timestamp_of(literal.value)
            if types.is_temporal(kind) or types.is_fixed_size_binary(kind):
                return value_of(literal, kind)
        return cast_in_sql(self._constant(self.of(tree.this)), kind)


def name_of(tree: Tree) -> str:
    """The dotted name of a column."""
    return ".".join(part.name for part in tree.parts)


def _is_array(values: Values) -> bool:
    import pyarrow as pa  # noqa: PLC0415

    return not isinstance(values, pa.Scalar)


_COMPARISONS = {
    "EQ": "equal",
    "NEQ": "not_equal",
    "LT": "less",
    "LTE": "less_equal",
    "GT": "greater",
    "GTE": "greater_equal",
}
_ARITHMETIC = {"Add": "add_checked", "Sub": "subtract_checked", "Mul": "multiply_checked"}
_OF_TEXTS = {"Upper": "utf8_upper", "Lower": "utf8_lower", "Length": "utf8_length"}
_FUNCTIONS = {"Abs": "abs_checked"}

"""Which tests of a column are there?

Spec: Expressions specification, Tests and Comparisons.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, cast

from floeberg.errors import InvalidInputError
from floeberg.expressions._literals import LiteralValue, normalised, to_tree
from floeberg.expressions._logic import Expression
from floeberg.expressions._terms import Reference, Transformed

if TYPE_CHECKING:
    from floeberg.expressions._logic import Tree
    from floeberg.expressions._terms import Term


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Test(Expression):
    """A test of one column."""

    _op: ClassVar[str]
    term: Reference | Transformed

    def _set_term(self, term: object) -> None:
        named = term if isinstance(term, (Reference, Transformed)) else Reference(cast("str", term))
        object.__setattr__(self, "term", named)

    def _literals(self) -> tuple[LiteralValue, ...]:
        return ()

    def as_tree(self) -> Tree:
        transform = self.term.transform if isinstance(self.term, Transformed) else None
        return self._op, self.term.name, transform, [to_tree(literal) for literal in self._literals()]

    def _repr_term(self) -> str:
        return repr(self.term.name if isinstance(self.term, Reference) else self.term)


class _Unary(Test):
    def __init__(self, term: Term) -> None:
        self._set_term(term)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._repr_term()})"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class _Comparison(Test):
    literal: LiteralValue

    def __init__(self, term: Term, literal: object) -> None:
        self._set_term(term)
        object.__setattr__(self, "literal", normalised(literal))
        self.as_tree()

    def _literals(self) -> tuple[LiteralValue, ...]:
        return (self.literal,)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._repr_term()}, {self.literal!r})"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Membership(Test):
    literals: tuple[LiteralValue, ...]

    def __init__(self, term: Term, literals: Iterable[object]) -> None:
        self._set_term(term)
        if isinstance(literals, (str, bytes)) or not isinstance(literals, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInputError(f"expected a collection of literals, found a {type(literals).__name__}")
        unique = {to_tree(literal): literal for literal in map(normalised, literals)}
        object.__setattr__(self, "literals", tuple(unique.values()))

    def _literals(self) -> tuple[LiteralValue, ...]:
        return self.literals

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._repr_term()}, {list(self.literals)!r})"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class IsNull(_Unary):
    """The column is null.

    Args:
        term: The column.

    Examples:
        >>> IsNull("note")
        IsNull('note')
    """

    _op = "is-null"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class NotNull(_Unary):
    """The column is not null.

    Args:
        term: The column.

    Examples:
        >>> NotNull("note")
        NotNull('note')
    """

    _op = "not-null"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class IsNaN(_Unary):
    """The column is the float NaN.

    Args:
        term: The column.

    Examples:
        >>> IsNaN("ratio")
        IsNaN('ratio')
    """

    _op = "is-nan"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class NotNaN(_Unary):
    """The column is not the float NaN. It matches null.

    Args:
        term: The column.

    Examples:
        >>> NotNaN("ratio")
        NotNaN('ratio')
    """

    _op = "not-nan"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class EqualTo(_Comparison):
    """The column equals the literal.

    Args:
        term: The column.
        literal: A bool, int, float, str, bytes, Decimal, date, time, datetime or UUID, or a numpy scalar.

    Examples:
        >>> EqualTo("id", 3)
        EqualTo('id', 3)
    """

    _op = "eq"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class NotEqualTo(_Comparison):
    """The column does not equal the literal. It matches null.

    Args:
        term: The column.
        literal: A bool, int, float, str, bytes, Decimal, date, time, datetime or UUID, or a numpy scalar.

    Examples:
        >>> NotEqualTo("id", 3)
        NotEqualTo('id', 3)
    """

    _op = "not-eq"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class LessThan(_Comparison):
    """The column is less than the literal.

    Args:
        term: The column.
        literal: A bool, int, float, str, bytes, Decimal, date, time, datetime or UUID, or a numpy scalar.

    Examples:
        >>> LessThan("id", 3)
        LessThan('id', 3)
    """

    _op = "lt"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class LessThanOrEqual(_Comparison):
    """The column is at most the literal.

    Args:
        term: The column.
        literal: A bool, int, float, str, bytes, Decimal, date, time, datetime or UUID, or a numpy scalar.

    Examples:
        >>> LessThanOrEqual("id", 3)
        LessThanOrEqual('id', 3)
    """

    _op = "lt-eq"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class GreaterThan(_Comparison):
    """The column is greater than the literal.

    Args:
        term: The column.
        literal: A bool, int, float, str, bytes, Decimal, date, time, datetime or UUID, or a numpy scalar.

    Examples:
        >>> GreaterThan("id", 3)
        GreaterThan('id', 3)
    """

    _op = "gt"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class GreaterThanOrEqual(_Comparison):
    """The column is at least the literal.

    Args:
        term: The column.
        literal: A bool, int, float, str, bytes, Decimal, date, time, datetime or UUID, or a numpy scalar.

    Examples:
        >>> GreaterThanOrEqual("id", 3)
        GreaterThanOrEqual('id', 3)
    """

    _op = "gt-eq"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class StartsWith(_Comparison):
    """The column, a string, starts with the literal.

    Args:
        term: The column.
        literal: A str.

    Examples:
        >>> StartsWith("city", "Ri")
        StartsWith('city', 'Ri')
    """

    _op = "starts-with"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class NotStartsWith(_Comparison):
    """The column does not start with the literal. It matches null.

    Args:
        term: The column.
        literal: A str.

    Examples:
        >>> NotStartsWith("city", "Ri")
        NotStartsWith('city', 'Ri')
    """

    _op = "not-starts-with"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class In(Membership):
    """The column equals one of the literals.

    Args:
        term: The column.
        literals: Literals, as `EqualTo` takes them.

    Examples:
        >>> In("id", [1, 2])
        In('id', [1, 2])
    """

    _op = "in"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class NotIn(Membership):
    """The column does not equal any of the literals. It matches null.

    Args:
        term: The column.
        literals: Literals, as `EqualTo` takes them.

    Examples:
        >>> NotIn("id", [1, 2])
        NotIn('id', [1, 2])
    """

    _op = "not-in"

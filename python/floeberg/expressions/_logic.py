"""What are filters, and how are they combined?

Invariant: `And` and `Or` are flat, and no tree is deeper than `MAX_DEPTH`, so that walking one is bounded.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

from floeberg import _native
from floeberg.errors import InvalidInputError, LimitExceededError

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_DEPTH = 256
"""The deepest tree that is accepted."""

Tree = tuple[Any, ...]


class Expression(ABC):
    """A filter. Combine them with `&`, `|` and `~`.

    Two filters are equal if they are written the same, whatever the order of the literals of `In`. `1`, `1.0` and
    `True` are different literals.

    Examples:
        >>> print(~(EqualTo("a", 1) & IsNull("b")))
        NOT (a = 1 AND b IS NULL)
    """

    _depth: int = 1

    @abstractmethod
    def as_tree(self) -> Tree:
        """The form in which a filter crosses into Rust."""

    def to_json(self) -> dict[str, Any] | bool:
        """The filter in the JSON form of the REST catalog specification.

        Examples:
            >>> (~IsNull("a")).to_json()
            {'type': 'not', 'child': {'type': 'is-null', 'term': 'a'}}
        """
        return json.loads(_native.expression_to_json(self.as_tree()))

    def __and__(self, other: Expression) -> And:
        # Values of `col` join filters by their own rules, where null is neither true nor false.
        return NotImplemented if hasattr(other, "as_filter") else And(self, other)

    def __or__(self, other: Expression) -> Or:
        return NotImplemented if hasattr(other, "as_filter") else Or(self, other)

    def __invert__(self) -> Not:
        return Not(self)

    def __bool__(self) -> bool:
        raise TypeError("a filter has no truth value: combine filters with &, | and ~, not with and, or, not")

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Expression)
            and type(self) is type(other)
            and _canonical(self.as_tree()) == _canonical(other.as_tree())
        )

    def __hash__(self) -> int:
        return hash((type(self), _canonical(self.as_tree())))

    def __str__(self) -> str:
        """SQL-like text."""
        return _native.expression_to_text(self.as_tree())


def _canonical(tree: object) -> object:
    """What is the same of equal filters, and hashable: the order of the literals of `In` means nothing."""
    if isinstance(tree, (list, tuple)):
        parts = list(cast("Iterable[object]", tree))
        if len(parts) == 4 and isinstance(parts[0], str) and parts[0] in {"in", "not-in"}:  # noqa: PLR2004 - of a test
            return (*parts[:-1], frozenset(cast("list[object]", parts[-1])))
        return tuple(_canonical(part) for part in parts)
    return tree


@dataclass(frozen=True, eq=False)
class AlwaysTrue(Expression):
    """Every row."""

    def as_tree(self) -> Tree:
        return ("true",)


@dataclass(frozen=True, eq=False)
class AlwaysFalse(Expression):
    """No row."""

    def as_tree(self) -> Tree:
        return ("false",)


class _Combined(Expression):
    """Filters joined by `AND`, or by `OR`. Nested ones of the same kind are flattened."""

    _word: ClassVar[str]
    children: tuple[Expression, ...]

    def __init__(self, *children: Expression) -> None:
        flat: list[Expression] = []
        for child in children:
            checked = _checked(child)
            flat.extend(checked.children if type(checked) is type(self) else (checked,))
        object.__setattr__(self, "children", tuple(flat))
        object.__setattr__(self, "_depth", _deeper(flat))

    @property
    def left(self) -> Expression:
        """The first filter. Without any, the value of the whole."""
        return self.children[0] if self.children else self._empty()

    @property
    def right(self) -> Expression:
        """The other filters, joined. Without any, the value of an empty join."""
        others = self.children[1:]
        if not others:
            return self._empty()
        return others[0] if len(others) == 1 else type(self)(*others)

    def _empty(self) -> Expression:
        return AlwaysTrue() if self._word == "and" else AlwaysFalse()

    def as_tree(self) -> Tree:
        return self._word, [child.as_tree() for child in self.children]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.children))})"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class And(_Combined):
    """All of its filters match. Without filters, it matches every row.

    Args:
        *children: Any number of filters.

    Examples:
        >>> And(IsNull("a"), IsNull("b"), IsNull("c")).children[1]
        IsNull('b')
    """

    _word = "and"
    children: tuple[Expression, ...]


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Or(_Combined):
    """At least one of its filters matches. Without filters, it matches no row.

    Args:
        *children: Any number of filters.

    Examples:
        >>> Or(IsNull("a"), EqualTo("a", 1)) == IsNull("a") | EqualTo("a", 1)
        True
    """

    _word = "or"
    children: tuple[Expression, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Not(Expression):
    """The rows that a filter does not match, including rows with null.

    Args:
        child: A filter.

    Examples:
        >>> ~AlwaysTrue()
        Not(AlwaysTrue())
    """

    child: Expression

    def __post_init__(self) -> None:
        object.__setattr__(self, "_depth", _deeper([_checked(self.child)]))

    def as_tree(self) -> Tree:
        return "not", self.child.as_tree()

    def __repr__(self) -> str:
        return f"Not({self.child!r})"


def _deeper(children: list[Expression]) -> int:
    depth = 1 + max((child._depth for child in children), default=0)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    if depth > MAX_DEPTH:
        raise LimitExceededError(f"a filter is nested deeper than {MAX_DEPTH} levels")
    return depth


def _checked(child: object) -> Expression:
    if isinstance(child, Expression):
        return child
    if hasattr(child, "as_filter"):
        return cast("Expression", child.as_filter())
    raise InvalidInputError(f"expected a filter, found an object of type {type(child).__name__}")

"""SQL expressions of values, which Rust reads and computes.

In: SQL text, and columns by name. Out: an Arrow array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from floeberg import _native
from floeberg._arguments import checked_text

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SqlExpression"]

Array: TypeAlias = Any


class SqlExpression:
    """A SQL expression that was read."""

    def __init__(self, text: str) -> None:
        """Reads the text.

        Raises:
            InvalidInputError: The text is not an expression.
            UnsupportedError: It has something that is not understood.
        """
        self._inner = _native.SqlExpression.parse(checked_text("expression", text))

    @classmethod
    def _of(cls, inner: _native.SqlExpression) -> SqlExpression:
        made = object.__new__(cls)
        made._inner = inner
        return made

    def native(self) -> _native.SqlExpression:
        """The expression, for Rust."""
        return self._inner

    def columns(self) -> set[str]:
        """The dotted names of all columns in the text."""
        return set(self._inner.columns())

    def conjuncts(self) -> list[SqlExpression]:
        """The terms that are all true where the expression is."""
        return [self._of(each) for each in self._inner.conjuncts()]

    def equal_columns(self) -> tuple[str, str] | None:
        """The two columns whose equality the expression is."""
        return self._inner.equal_columns()

    def all_of(self, terms: Sequence[SqlExpression]) -> SqlExpression:
        """Terms of this expression, all to be true. A later one is computed only where earlier ones hold."""
        return self._of(self._inner.all_of([each._inner for each in terms]))  # noqa: SLF001 - of this class

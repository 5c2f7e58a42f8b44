"""How do changes of one kind collect until they are committed together?"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from floeberg._arguments import checked_bool, checked_text
from floeberg._display import facts_html
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from typing_extensions import Self

    from floeberg import _native

__all__ = ["LayoutChanges", "OperationChanges", "TableChanges", "changes_html", "changes_shown"]


def changes_shown(changes: object, each: Sequence[str]) -> str:
    """Changes that are not committed yet, for a person."""
    what = "nothing to commit" if not each else f"not committed yet: {', '.join(each)}"
    return f"{type(changes).__name__}({what})"


def changes_html(changes: object) -> str:
    """The same for a notebook: what the repr says, as text."""
    name, _, what = repr(changes).partition("(")
    return facts_html(name, {"state": what.removesuffix(")")})


class TableChanges(ABC):
    """Changes of a table that are committed together.

    As a context manager it commits them at the end of the block, and drops them where the block raises.
    """

    def _repr_html_(self) -> str:
        return changes_html(self)

    @abstractmethod
    def commit(self) -> None:
        """Commits the changes."""

    def __enter__(self) -> Self:
        """Returns these changes."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Commits the changes, unless the block raised."""
        if kind is None:
            self.commit()

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError(f"{type(self).__name__} cannot be pickled: make the changes where they are committed")


class OperationChanges(TableChanges):
    """Changes of which each call is an operation."""

    def __repr__(self) -> str:
        return changes_shown(self, [each.name for each in self._operations])

    def __init__(self, commit: Callable[[Sequence[_native.Operation]], object]) -> None:
        """Collects nothing yet. `commit` takes the operations."""
        self._hand_over = commit
        self._operations: list[_native.Operation] = []

    def _commit_operations(self) -> None:
        """Commits the operations, if there are any. Those that fail are not kept."""
        operations, self._operations = self._operations, []
        if operations:
            self._hand_over(operations)


class LayoutChanges(TableChanges):
    """Changes of which each call is an entry with a source column, and all are one operation."""

    def __init__(
        self, commit: Callable[[Sequence[_native.Operation]], object], *, case_sensitive: bool = True
    ) -> None:
        """Use the method of `Table` or `Transaction` that gives these changes.

        Args:
            commit: Takes the operations.
            case_sensitive: Whether the case of column names counts.
        """
        self._hand_over = commit
        self._case_sensitive = checked_bool("case_sensitive", case_sensitive)
        self._entries: list[dict[str, Any]] = []

    def __repr__(self) -> str:
        return changes_shown(self, [json.dumps(each) for each in self._entries])

    @staticmethod
    def _source(source_column_name: object, transform: object) -> dict[str, Any]:
        """Columns and their transform, as the specification writes it. PyIceberg's are models that print it."""
        column: str | list[str]
        if isinstance(source_column_name, (list, tuple)):
            column = [checked_text("source_column_name", each) for each in source_column_name]
        else:
            column = checked_text("source_column_name", source_column_name)
        if not isinstance(transform, str) and not hasattr(transform, "can_transform"):
            raise InvalidInputError(
                f"transform: expected a str or a transform, found an object of type {type(transform).__name__}"
            )
        return {"source": column, "transform": checked_text("transform", str(transform))}

    def _taken(self, key: str) -> str:
        """The entries as JSON, under a key. They are not kept, should they fail."""
        entries, self._entries = self._entries, []
        return json.dumps({key: entries, "case-sensitive": self._case_sensitive})

"""How is the sort order of a table changed?

In: calls, named as in PyIceberg. Out: the new order as JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_text
from floeberg._keywords import says_keywords_of_methods
from floeberg.commit.table_changes import LayoutChanges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

__all__ = ["UpdateSortOrder"]


@says_keywords_of_methods
class UpdateSortOrder(LayoutChanges):
    """Another sort order for new files, the most significant field first.

    As a context manager it commits the order at the end of the block, and drops it where the block raises. Only
    metadata changes: files keep the order that they were written with. Without a field, the table becomes unsorted.

    Examples:
        >>> with orders.update_sort_order() as update:
        ...     _ = update.desc("id")
        >>> orders.sort_order().fields[0].direction.value
        'desc'
    """

    def asc(
        self,
        source_column_name: str | Sequence[str],
        transform: str = "identity",
        null_order: str | None = None,
    ) -> Self:
        """Sorts by a column, the smallest values first.

        Args:
            source_column_name: The column; or several, from format version 3 on, for a transform of several columns.
                No such transform is known to this version: as long as the order has one, rows are not sorted.
            transform: The transform, as the specification writes it (`"day"`), or of `floeberg.transforms` or
                PyIceberg.
            null_order: `"nulls-first"`, the default, or `"nulls-last"`.

        Returns:
            These changes.
        """
        return self._add("asc", source_column_name, transform, null_order)

    def desc(
        self,
        source_column_name: str | Sequence[str],
        transform: str = "identity",
        null_order: str | None = None,
    ) -> Self:
        """Sorts by a column, the largest values first.

        Args:
            source_column_name: As with `asc`.
            transform: As with `asc`.
            null_order: `"nulls-last"`, the default, or `"nulls-first"`.

        Returns:
            These changes.
        """
        return self._add("desc", source_column_name, transform, null_order)

    def _add(self, direction: str, source_column_name: object, transform: str, null_order: object) -> Self:
        field = {**self._source(source_column_name, transform), "direction": direction}
        if null_order is not None:
            # Enums of PyIceberg and of this library have the text as their value.
            field["null-order"] = checked_text("null_order", getattr(null_order, "value", null_order))
        self._entries.append(field)
        return self

    def commit(self) -> None:
        """Commits the order.

        Raises:
            InvalidInputError: A column does not exist, or cannot be sorted by, or the format version has no fields of
                several columns.
            UnsupportedError: A transform of one column is not known to this version.
            CommitConflictError: Another writer changed the columns, so that the order is not possible any more.
        """
        self._hand_over([_native.Operation.replace_sort_order(self._taken("fields"))])

"""How do the partitioning, the sort order and the location of a table change?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.commit.update_sort_order import UpdateSortOrder
from floeberg.commit.update_spec import UpdateSpec
from floeberg.table._base import TableBase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg import _native

__all__ = ["TableStructureChanges"]


class TableStructureChanges(TableBase):
    """The methods of `floeberg.Table` that change where new files go, and how their rows are laid out."""

    def update_spec(self, case_sensitive: bool = True) -> UpdateSpec:  # noqa: FBT001, FBT002 - PyIceberg's order
        """Changes how new files are partitioned (partition evolution). Files that are there keep their spec.

        Args:
            case_sensitive: Whether the case of column names counts.

        Returns:
            The changes. The end of a `with` block commits them, or `commit()`.

        Raises:
            FloebergError: Those of every commit, as with `append`.

        Examples:
            >>> with orders.update_spec() as update:
            ...     _ = update.add_field("id", "bucket[8]", "shard")
            >>> [field.name for field in orders.spec().fields]
            ['shard']
        """
        self._operations.check_writable()
        return UpdateSpec(self._change_structure, case_sensitive=case_sensitive)

    def update_sort_order(self, case_sensitive: bool = True) -> UpdateSortOrder:  # noqa: FBT001, FBT002
        """Changes how the rows of new files are sorted. Files that are there keep their order.

        Args:
            case_sensitive: Whether the case of column names counts.

        Returns:
            The order. The end of a `with` block commits it, or `commit()`.

        Raises:
            FloebergError: Those of every commit, as with `append`.

        Examples:
            >>> with orders.update_sort_order() as order:
            ...     _ = order.asc("id")
            >>> orders.sort_order().is_unsorted
            False
        """
        self._operations.check_writable()
        return UpdateSortOrder(self._change_structure, case_sensitive=case_sensitive)

    def update_location(self, location: str) -> None:
        """Changes where new files go. Files that are there stay where they are, and metadata names them there.

        Args:
            location: The folder, as a path or a URI.

        Raises:
            InvalidInputError: The table has no catalog, and stays in its folder.
            FloebergError: Those of every commit, as with `append`.
        """
        with self.transaction() as transaction:
            transaction.update_location(location)

    def _change_structure(self, operations: Sequence[_native.Operation]) -> None:
        with self.transaction() as transaction:
            transaction.change_structure(operations)

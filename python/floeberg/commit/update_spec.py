"""How is the partition spec of a table changed?

In: calls, named as in PyIceberg. Out: the changes as JSON. A transaction makes them on the newest spec, and again where
another writer committed first.
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

__all__ = ["UpdateSpec"]


@says_keywords_of_methods
class UpdateSpec(LayoutChanges):
    """Changes to the partition fields of a table, committed together.

    As a context manager it commits its changes at the end of the block, and drops them where the block raises. Only
    metadata changes: files keep the spec that they were written with, and new files get the new one.

    Examples:
        >>> with orders.update_spec() as update:
        ...     _ = update.add_field("id", "bucket[4]")
        >>> [field.name for field in orders.spec().fields]
        ['id_bucket_4']
    """

    def add_field(
        self,
        source_column_name: str | Sequence[str],
        transform: str = "identity",
        partition_field_name: str | None = None,
    ) -> Self:
        """Partitions new files by one more field.

        Args:
            source_column_name: The column; or several, from format version 3 on, for a transform of several columns.
                No such transform is known to this version, so no rows can be written as long as the spec has the field.
            transform: The transform, as the specification writes it (`"bucket[16]"`), or of `floeberg.transforms` or
                PyIceberg.
            partition_field_name: The name of the field. Without it, the name that Iceberg Java gives: `id_bucket_16`.

        Returns:
            These changes.
        """
        added = self._source(source_column_name, transform)
        if partition_field_name is not None:
            added["name"] = checked_text("partition_field_name", partition_field_name)
        self._entries.append({"change": "add-field", **added})
        return self

    def add_identity(self, source_column_name: str) -> Self:
        """Partitions new files by the values of a column.

        Args:
            source_column_name: The column.

        Returns:
            These changes.
        """
        return self.add_field(source_column_name, "identity")

    def remove_field(self, name: str) -> Self:
        """Stops partitioning by a field. In format version 1 it stays in the spec, with the transform `void`.

        Args:
            name: Its name, or how it was declared: `"day(ts)"`.

        Returns:
            These changes.
        """
        self._entries.append({"change": "remove-field", "name": checked_text("name", name)})
        return self

    def rename_field(self, name: str, new_name: str) -> Self:
        """Gives a partition field another name.

        Args:
            name: Its name.
            new_name: The other one.

        Returns:
            These changes.
        """
        renamed = {"name": checked_text("name", name), "new-name": checked_text("new_name", new_name)}
        self._entries.append({"change": "rename-field", **renamed})
        return self

    def commit(self) -> None:
        """Commits the changes. Without any, nothing happens.

        Raises:
            InvalidInputError: A change cannot be made: a column or field does not exist, a name is taken, a transform
                does not fit its column, or the format version has no fields of several columns.
            UnsupportedError: A transform of one column is not known to this version.
            CommitConflictError: Another writer changed columns or partition fields, so that a change cannot be made.
        """
        if self._entries:
            self._hand_over([_native.Operation.update_spec(self._taken("changes"))])

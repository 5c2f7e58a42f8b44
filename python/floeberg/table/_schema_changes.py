"""How do the columns of a table change?"""

from __future__ import annotations

from floeberg.commit.update_schema import UpdateSchema
from floeberg.table._base import TableBase

__all__ = ["TableSchemaChanges"]


class TableSchemaChanges(TableBase):
    """The method of `floeberg.Table` that changes columns."""

    def update_schema(
        self,
        allow_incompatible_changes: bool = False,  # noqa: FBT001, FBT002 - PyIceberg's order
        case_sensitive: bool = True,  # noqa: FBT001, FBT002
    ) -> UpdateSchema:
        """Adds, drops, renames, moves and promotes columns, nested ones too.

        Args:
            allow_incompatible_changes: Whether columns may become required though rows may be null.
            case_sensitive: Whether the case of column names counts.

        Returns:
            The changes. The end of a `with` block commits them, or `commit()`.

        Raises:
            FloebergError: The errors of every commit, as with `append`.

        Examples:
            >>> with orders.update_schema() as update:
            ...     _ = update.add_column("note", "string").rename_column("id", "number")
            >>> orders.schema().column_names
            ['number', 'note']
        """
        self._operations.check_writable()

        def change(changes_json: str) -> None:
            with self.transaction() as transaction:
                transaction.change_columns(changes_json)

        return UpdateSchema(
            change,
            format_version=self._inner.format_version,
            allow_incompatible_changes=allow_incompatible_changes,
            case_sensitive=case_sensitive,
        )

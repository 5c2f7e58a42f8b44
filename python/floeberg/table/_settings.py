"""How do the properties and the format version of a table change?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.table._base import TableBase

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["TableSettings"]


class TableSettings(TableBase):
    """The methods of `floeberg.Table` that change its properties and its format version."""

    def set_properties(
        self, properties: Mapping[str, str | float] | None = None, **more: str | float
    ) -> None:
        """Sets properties of the table.

        Args:
            properties: The properties by key. Numbers and bools become texts.
            **more: Properties whose keys are names of Python.

        Raises:
            InvalidInputError: A key is reserved, a value is no text, or a property that is known cannot have it.
            UnsupportedError: The key of an encrypted table is to be set: what is written here is not encrypted.
            FloebergError: Those of every commit, as with `append`.

        Examples:
            >>> orders.set_properties({"write.metadata.compression-codec": "gzip"}, owner="jo")
            >>> orders.properties["owner"]
            'jo'
        """
        with self.transaction() as transaction:
            transaction.set_properties(properties, **more)

    def remove_properties(self, *removals: str) -> None:
        """Removes properties of the table. A key that is not there is no error.

        Args:
            *removals: The keys.

        Raises:
            FloebergError: Those of every commit, as with `append`.

        Examples:
            >>> orders.set_properties({"owner": "jo"})
            >>> orders.remove_properties("owner")
            >>> "owner" in orders.properties
            False
        """
        with self.transaction() as transaction:
            transaction.remove_properties(*removals)

    def upgrade_table_version(self, format_version: int) -> None:
        """Upgrades the table to a later version of the specification. Nothing else does, and there is no way back.

        Args:
            format_version: The version: 2 or 3.

        Raises:
            InvalidInputError: The table is of a later version.
            UnsupportedError: There is no such version.

        Examples:
            >>> orders.upgrade_table_version(3)
            >>> orders.format_version
            3
        """
        with self.transaction() as transaction:
            transaction.upgrade_table_version(format_version)

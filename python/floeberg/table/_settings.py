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
            properties: The properties by key. Numbers and bools become strings.
            **more: Properties whose keys are Python names.

        Raises:
            InvalidInputError: A key is reserved, or a value is not a string or not allowed.
            UnsupportedError: The property would encrypt the table. Writing encrypted tables is not supported.
            FloebergError: The errors of every commit, as with `append`.

        Examples:
            >>> orders.set_properties({"write.metadata.compression-codec": "gzip"}, owner="jo")
            >>> orders.properties["owner"]
            'jo'
        """
        with self.transaction() as transaction:
            transaction.set_properties(properties, **more)

    def remove_properties(self, *removals: str) -> None:
        """Removes properties of the table. Missing keys are ignored.

        Args:
            *removals: The keys.

        Raises:
            FloebergError: The errors of every commit, as with `append`.

        Examples:
            >>> orders.set_properties({"owner": "jo"})
            >>> orders.remove_properties("owner")
            >>> "owner" in orders.properties
            False
        """
        with self.transaction() as transaction:
            transaction.remove_properties(*removals)

    def upgrade_table_version(self, format_version: int) -> None:
        """Upgrades the format version of the table. It cannot be downgraded.

        Args:
            format_version: 2 or 3.

        Raises:
            InvalidInputError: The table has a higher version.
            UnsupportedError: The version does not exist.

        Examples:
            >>> orders.upgrade_table_version(3)
            >>> orders.format_version
            3
        """
        with self.transaction() as transaction:
            transaction.upgrade_table_version(format_version)

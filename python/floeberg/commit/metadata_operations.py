"""Which operations of a transaction change columns, properties or the format version?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_int, checked_names, checked_properties
from floeberg._table_properties import warn_of_misspelt
from floeberg.commit.staging import StagedOperations
from floeberg.commit.update_schema import UpdateSchema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self

__all__ = ["MetadataOperations"]


class MetadataOperations(StagedOperations):
    """The methods of `floeberg.Transaction` that change columns, properties and the format version."""

    def update_schema(
        self,
        allow_incompatible_changes: bool = False,  # noqa: FBT001, FBT002 - PyIceberg's order
        case_sensitive: bool = True,  # noqa: FBT001, FBT002
    ) -> UpdateSchema:
        """Changes columns of the table: see `Table.update_schema`. Later operations see them."""
        self._check_open()
        return UpdateSchema(
            self.change_columns,
            format_version=self._staged().format_version,
            allow_incompatible_changes=allow_incompatible_changes,
            case_sensitive=case_sensitive,
        )

    def set_properties(
        self, properties: Mapping[str, str | float] | None = None, **more: str | float
    ) -> Self:
        """Sets properties of the table: see `Table.set_properties`. Returns the transaction."""
        wanted = checked_properties("properties", properties) | checked_properties("properties", more)
        warn_of_misspelt(wanted)
        self._declare(_native.Operation.set_properties(wanted))
        with self._taken_back():
            # A wrong property raises now, not at the commit.
            self._staged()
        return self

    def remove_properties(self, *removals: str) -> Self:
        """Removes properties of the table: see `Table.remove_properties`. Returns the transaction."""
        self._declare(_native.Operation.remove_properties(checked_names("removals", removals)))
        return self

    def upgrade_table_version(self, format_version: int) -> Self:
        """Upgrades the format version: see `Table.upgrade_table_version`. Returns the transaction."""
        self._declare(_native.Operation.upgrade_format_version(checked_int("format_version", format_version)))
        return self

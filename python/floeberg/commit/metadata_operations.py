"""Which operations of a transaction change metadata alone?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_int, checked_names, checked_path, checked_properties
from floeberg._table_properties import warn_of_misspelt
from floeberg.commit.manage_snapshots import ManageSnapshots
from floeberg.commit.staging import StagedOperations
from floeberg.commit.update_schema import UpdateSchema
from floeberg.commit.update_sort_order import UpdateSortOrder
from floeberg.commit.update_spec import UpdateSpec
from floeberg.commit.update_statistics import UpdateStatistics

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self

__all__ = ["MetadataOperations"]


class MetadataOperations(StagedOperations):
    """The methods of `floeberg.Transaction` that change metadata alone."""

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

    def update_spec(self, case_sensitive: bool = True) -> UpdateSpec:  # noqa: FBT001, FBT002 - PyIceberg's order
        """Changes how new files are partitioned: see `Table.update_spec`. Later operations follow it."""
        self._check_open()
        return UpdateSpec(self.change_structure, case_sensitive=case_sensitive)

    def update_sort_order(self, case_sensitive: bool = True) -> UpdateSortOrder:  # noqa: FBT001, FBT002
        """Changes how new files are sorted: see `Table.update_sort_order`. Later operations follow it."""
        self._check_open()
        return UpdateSortOrder(self.change_structure, case_sensitive=case_sensitive)

    def update_location(self, location: str) -> Self:
        """Changes where new files go: see `Table.update_location`. Returns the transaction."""
        self.change_structure([_native.Operation.set_location(checked_path("location", location))])
        return self

    def manage_snapshots(self) -> ManageSnapshots:
        """Changes branches and tags, and rolls back: see `Table.manage_snapshots`."""
        self._check_open()
        return ManageSnapshots(self.change_references, lambda: self._starting)

    def update_statistics(self) -> UpdateStatistics:
        """Changes which statistics files the table names: see `Table.update_statistics`."""
        self._check_open()
        return UpdateStatistics(self.change_references)

    def set_properties(
        self, properties: Mapping[str, str | float] | None = None, **more: str | float
    ) -> Self:
        """Sets properties of the table: see `Table.set_properties`. Returns the transaction."""
        wanted = checked_properties("properties", properties) | checked_properties("properties", more)
        warn_of_misspelt(wanted)
        self.change_structure([_native.Operation.set_properties(wanted)])
        return self

    def remove_properties(self, *removals: str) -> Self:
        """Removes properties of the table: see `Table.remove_properties`. Returns the transaction."""
        self._declare(_native.Operation.remove_properties(checked_names("removals", removals)))
        return self

    def upgrade_table_version(self, format_version: int) -> Self:
        """Upgrades the format version: see `Table.upgrade_table_version`. Returns the transaction."""
        self._declare(_native.Operation.upgrade_format_version(checked_int("format_version", format_version)))
        return self

"""How do the columns of a table change, its layout, its properties and its format version?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg.commit.update_schema import UpdateSchema
from floeberg.commit.update_sort_order import UpdateSortOrder
from floeberg.commit.update_spec import UpdateSpec
from floeberg.maintenance.table_maintenance import TableMaintenance
from floeberg.table._base import TableBase

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from floeberg import _native
    from floeberg.expressions import AnyFilter
    from floeberg.scan.plan import Plan

__all__ = ["TableEvolution"]


class TableEvolution(TableBase):
    """The methods of `floeberg.Table` that change its metadata."""

    @property
    def maintenance(self) -> TableMaintenance:
        """What keeps the table healthy: `health`, `run`, and the calls that these name."""
        return TableMaintenance(
            self._operations,
            lambda: self._inner,
            self._become,
            self._metadata,
            self._plan_of,
            self._branch_to_write,
            self._partition_sizes,
        )

    def _partition_sizes(self, branch: str) -> list[int]:
        """The bytes of the data files of each partition of a branch."""
        if branch == "main" and self._opened.snapshot_id is None:
            return []
        inspect = cast("Any", self).inspect
        return cast(
            "list[int]", inspect.partitions(branch=branch)["total_data_file_size_in_bytes"].to_pylist()
        )

    def _plan_of(self, row_filter: AnyFilter, case_sensitive: bool, branch: str) -> Plan:  # noqa: FBT001 - handed over
        """The files of a branch that may have rows."""
        scan = cast("Any", self).scan(row_filter=row_filter, case_sensitive=case_sensitive, branch=branch)
        return cast("Plan", scan.plan_files())

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
            format_version=self._opened.format_version,
            allow_incompatible_changes=allow_incompatible_changes,
            case_sensitive=case_sensitive,
        )

    def set_properties(
        self, properties: Mapping[str, str | float] | None = None, **more: str | float
    ) -> None:
        """Sets properties of the table.

        Args:
            properties: The properties by key. Numbers and bools become strings.
            **more: Properties whose keys are Python names.

        Raises:
            InvalidInputError: A key is reserved, or a value is not a string or not allowed.
            UnsupportedError: The property is the key of an encrypted table, which is set when the table is created.
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
            InvalidInputError: The table has a higher version, or a snapshot whose manifests the metadata file lists, as
                version 1 allows: expire it first.
            UnsupportedError: The version does not exist.

        Examples:
            >>> orders.upgrade_table_version(3)
            >>> orders.format_version
            3
        """
        with self.transaction() as transaction:
            transaction.upgrade_table_version(format_version)

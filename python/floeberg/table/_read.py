"""How are the rows of a table read, and what are its columns?"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg._arguments import (
    checked_bool,
    checked_int,
    checked_names,
    checked_options,
    checked_size,
    checked_text,
)
from floeberg._timestamps import milliseconds
from floeberg.checking.by_files import CheckByFiles
from floeberg.checking.checks import Check, checked_request
from floeberg.expressions import ALWAYS_TRUE, AnyFilter, as_expression
from floeberg.progress.reporting import Reporter
from floeberg.scan.changelog import ChangelogScan
from floeberg.scan.scan import Scan
from floeberg.scan.whole_table import WholeTable
from floeberg.table._base import TableBase
from floeberg.table.metadata import TableMetadata
from floeberg.types._from_json import read_schema, read_sort_order, read_spec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from floeberg.checking.finding import Level
    from floeberg.progress.report import ProgressCallback
    from floeberg.types import PartitionSpec, Schema, SortOrder

__all__ = ["TableReads"]


class TableReads(TableBase, WholeTable):
    """The methods of `floeberg.Table` that read rows, and that say how these are laid out."""

    def scan(  # noqa: PLR0913, PLR0917 - PyIceberg's order
        self,
        row_filter: AnyFilter = ALWAYS_TRUE,
        selected_fields: Sequence[str] = ("*",),
        case_sensitive: bool = True,  # noqa: FBT001, FBT002 - PyIceberg's order
        snapshot_id: int | None = None,
        options: Mapping[str, str] | None = None,
        limit: int | None = None,
        *,
        branch: str | None = None,
    ) -> Scan:
        """Describes rows to read. Nothing is read yet.

        Args:
            row_filter: SQL text, a comparison of `fb.col`, or another filter.
            selected_fields: Names of columns; nested ones are dotted, `*` is all. Metadata columns (`_file`, `_pos`,
                `_deleted`, `_spec_id`, `_partition`, `_row_id`, `_last_updated_sequence_number`) are read only by
                name.
            case_sensitive: Whether the case of column names counts.
            snapshot_id: Reads this snapshot, with its schema.
            options: PyIceberg's scan options. They are ignored, and never change which rows are read.
            limit: The most rows to read.
            branch: Reads a branch, with the table's current schema, or a tag, with the schema of its snapshot. By
                default, the current snapshot is read, or the `wap.branch` of the catalog, as `transaction` says.

        Returns:
            The scan.

        Raises:
            InvalidInputError: A column is unknown, a literal has a wrong type, or the limit is negative. Or both a
                snapshot and a branch were given.
            NotFoundError: The snapshot, or the branch, does not exist.

        Examples:
            >>> table.scan(row_filter="cat = 'a'", selected_fields=("id",), limit=1).to_arrow().num_rows
            1
        """
        checked_options("options", options)
        how: dict[str, Any] = {
            "row_filter": as_expression(row_filter).as_tree(),
            "selected_fields": checked_names("selected_fields", selected_fields),
            "case_sensitive": checked_bool("case_sensitive", case_sensitive),
            "snapshot_id": None if snapshot_id is None else checked_int("snapshot_id", snapshot_id),
            "limit": None if limit is None else checked_size("limit", limit),
            "wap_branch": self._wap_branch(),
            "reference": None if branch is None else checked_text("branch", branch),
        }
        opened = self._opened if snapshot_id is None else self._inner
        inner = opened.scan(**how)
        metrics = self._operations.metrics
        if opened is self._opened and self._is_whole:
            return Scan(inner, metrics=metrics)
        return Scan(inner, metrics=metrics, whole=lambda: self._whole_of(opened).scan(**how))

    def check(  # noqa: PLR0913 - all but the first are keywords
        self,
        level: Level = "manifests",
        *,
        snapshot_id: int | None = None,
        since: int | None = None,
        all_snapshots: bool = False,
        sample: float | None = None,
        progress: ProgressCallback | bool | None = None,
    ) -> Check:
        """Checks whether the table is what the specification says. What is broken is a finding, and no error.

        All files are read again, whatever this process knows of them. A table that cannot be opened is checked by
        `fb.check`.

        Args:
            level: How deep: `metadata`, `manifests`, `files` (files are opened, and their footers read) or `rows` (all
                rows are read). Each level includes those before it.
            snapshot_id: Checks the files of this snapshot, and not of the current one.
            since: Checks what is new since this snapshot: the snapshots after it, and the manifests that it does not
                have.
            all_snapshots: Whether the files of all snapshots are checked.
            sample: The part of the files that is opened, such as 0.01. The same files are opened each time.
            progress: As with `append`: a function that is called with a `ProgressReport` a few times a second, or
                `True` for a bar. It is called in each run of the check, with the files that were checked. Findings of
                files come after all others then.

        Returns:
            The check, which is run as its findings are taken.

        Raises:
            InvalidInputError: The level is unknown, the sample is not above 0 and up to 1, or all snapshots are asked
                for beside a snapshot.

        Examples:
            >>> table.check().is_sound()
            True
        """
        request = checked_request(level, snapshot_id, since, sample, all_snapshots=all_snapshots)
        inner, shown = self._inner, f"{self._inner.metadata_location!r}, {level!r}"
        if Reporter(progress).is_silent:
            return Check(lambda: _native.Check.of_table(inner, **request), shown)

        def leaving_files() -> _native.Check:
            return _native.Check.of_table(inner, leaves_files=True, **request)

        # Each run has times of its own.
        return Check(lambda: CheckByFiles(inner, leaving_files, level, Reporter(progress)), shown)

    def incremental_append_scan(  # noqa: PLR0913 - all are keywords
        self,
        *,
        from_snapshot_id_exclusive: int | None = None,
        to_snapshot_id_inclusive: int | None = None,
        row_filter: AnyFilter = ALWAYS_TRUE,
        selected_fields: Sequence[str] = ("*",),
        case_sensitive: bool = True,
        limit: int | None = None,
        branch: str | None = None,
    ) -> Scan:
        """Describes the rows that appends added after one snapshot, up to another. Nothing is read yet.

        The files of the `append` snapshots in between are read, without applying deletes. Overwrites, replacements and
        deletes are skipped. The schema is the table's current one.

        Args:
            from_snapshot_id_exclusive: Reads rows that were added after this snapshot. It may have expired, if the next
                one has not. By default, all ancestors that have not expired are read.
            to_snapshot_id_inclusive: The last snapshot to read. By default, the one that the table was opened at, or
                the current one.
            row_filter: SQL text, a comparison of `fb.col`, or another filter.
            selected_fields: Names of columns; nested ones are dotted, `*` is all.
            case_sensitive: Whether the case of column names counts.
            limit: The most rows to read.
            branch: Reads up to the newest snapshot of this branch, or the snapshot of this tag.

        Returns:
            The scan.

        Raises:
            InvalidInputError: The first snapshot is not an ancestor of the last; or as for `scan`.
            NotFoundError: The last snapshot does not exist.
            UnsupportedError: The summary of a snapshot has no operation.

        Examples:
            >>> first = table.snapshots()[0]
            >>> table.incremental_append_scan(from_snapshot_id_exclusive=first.snapshot_id).count()
            5
        """
        after = from_snapshot_id_exclusive
        last = to_snapshot_id_inclusive
        return Scan(
            self._inner.scan(
                row_filter=as_expression(row_filter).as_tree(),
                selected_fields=checked_names("selected_fields", selected_fields),
                case_sensitive=checked_bool("case_sensitive", case_sensitive),
                snapshot_id=None if last is None else checked_int("to_snapshot_id_inclusive", last),
                limit=None if limit is None else checked_size("limit", limit),
                appends_after=(None if after is None else checked_int("from_snapshot_id_exclusive", after),),
                wap_branch=self._wap_branch(),
                reference=None if branch is None else checked_text("branch", branch),
            ),
            metrics=self._operations.metrics,
        )

    def __arrow_c_schema__(self) -> object:
        return self.scan().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.scan().__arrow_c_stream__(requested_schema)

    def changelog_scan(  # noqa: PLR0913 - all but two are keywords
        self,
        from_snapshot_id_exclusive: int | str | datetime | None = None,
        to_snapshot_id_inclusive: int | str | datetime | None = None,
        *,
        row_filter: AnyFilter = ALWAYS_TRUE,
        selected_fields: Sequence[str] = ("*",),
        case_sensitive: bool = True,
        identifier_columns: Sequence[str] | None = None,
        net: bool = False,
    ) -> ChangelogScan:
        """Describes the rows that snapshots inserted, deleted and updated. Nothing is read yet.

        The columns are those of the end's schema, then:

        - `_change_type`: `INSERT`, `DELETE`, `UPDATE_BEFORE` or `UPDATE_AFTER`;
        - `_change_ordinal`: the order of the snapshots, from 0;
        - `_commit_snapshot_id`: the snapshot that made the change.

        Changes come snapshot by snapshot, the oldest first, and in each the deleted rows before the inserted ones. A
        row that a snapshot only wrote again did not change. In format version 3 it is known by its row id, in
        others by the values of all columns. `replace` snapshots change no row and are skipped.

        An update is one deleted and one inserted row of a snapshot with the same identifier columns, or, where there
        are none, with the same row id.

        Args:
            from_snapshot_id_exclusive: Reads changes after this snapshot: an id, the name of a branch or tag, or a
                datetime. By default, from the first snapshot of the table on.
            to_snapshot_id_inclusive: The last snapshot, given likewise. By default, the one that the table was opened
                at, or the current one.
            row_filter: SQL text, a comparison of `fb.col`, or another filter. It is tested on each row that was
                inserted or deleted: an update is a delete where only the old row matches.
            selected_fields: Names of columns; `*` is all. A part of a column cannot be selected.
            case_sensitive: Whether the case of column names counts.
            identifier_columns: The columns that identify a row. By default, the identifier fields of the schema, if
                there are some.
            net: Whether to read only what differs between the two ends, as if one commit had made it.

        Returns:
            The changes to read.

        Raises:
            InvalidInputError: The start is not an ancestor of the end, a snapshot between them was expired, or a
                column is unknown.
            NotFoundError: The end does not exist.

        Examples:
            >>> first = table.snapshots()[0].snapshot_id
            >>> changes = table.changelog_scan(first, selected_fields=("id",)).to_arrow()
            >>> changes.column_names
            ['id', '_change_type', '_change_ordinal', '_commit_snapshot_id']
        """
        flag = checked_bool("case_sensitive", case_sensitive)
        scan = self._at("to_snapshot_id_inclusive", to_snapshot_id_inclusive, case_sensitive=flag)
        names = checked_names("selected_fields", selected_fields)
        if names != ["*"]:
            scan = scan.select(names)
        if row_filter is not ALWAYS_TRUE:
            scan = scan.filter(as_expression(row_filter).as_tree())
        start = None
        if from_snapshot_id_exclusive is not None:
            start = self._start(from_snapshot_id_exclusive)
        keys = None if identifier_columns is None else checked_names("identifier_columns", identifier_columns)
        return ChangelogScan(_native.ChangelogScan.of(scan, start, keys, checked_bool("net", net)))

    def _start(self, start: int | str | datetime) -> int | None:
        """The id of the snapshot before the changes. It may be expired: then reading it says what to do."""
        name = "from_snapshot_id_exclusive"
        if isinstance(start, (str, datetime)):
            return self._at(name, start, case_sensitive=True).snapshot_id
        return checked_int(name, start)

    def _at(self, name: str, snapshot: int | str | datetime | None, *, case_sensitive: bool) -> _native.Scan:
        """All rows at a snapshot that is given in one of several ways."""
        is_named = isinstance(snapshot, (str, datetime)) or snapshot is None
        scan = self._inner.scan(
            row_filter=ALWAYS_TRUE.as_tree(),
            selected_fields=["*"],
            case_sensitive=case_sensitive,
            snapshot_id=None if is_named else checked_int(name, snapshot),
            limit=None,
            wap_branch=self._wap_branch() if snapshot is None or isinstance(snapshot, datetime) else None,
        )
        if isinstance(snapshot, str):
            return scan.use_ref(snapshot)
        return scan.as_of(milliseconds(snapshot)) if isinstance(snapshot, datetime) else scan

    @property
    def metadata(self) -> TableMetadata:
        """What the metadata file says, by PyIceberg's names.

        Examples:
            >>> table.metadata.last_column_id, len(table.metadata.schemas)
            (3, 1)
        """
        return TableMetadata(self._metadata(), self._inner)

    def schema(self) -> Schema:
        """The schema: the current one, or that of the snapshot that the table was opened at.

        Examples:
            >>> [(field.name, str(field.field_type)) for field in table.schema().fields]
            [('id', 'long'), ('cat', 'string'), ('v', 'int')]
        """
        return self.scan().schema()

    def schemas(self) -> dict[int, Schema]:
        """All schemas by id.

        Examples:
            >>> {id: schema.column_names for id, schema in table.schemas().items()}
            {0: ['id', 'cat', 'v']}
        """
        return {each.schema_id: each for each in map(read_schema, self._metadata_at_hand()["schemas"])}

    def spec(self) -> PartitionSpec:
        """The default partition spec, which new files get."""
        return self.specs()[self._metadata_at_hand()["default-spec-id"]]

    def specs(self) -> dict[int, PartitionSpec]:
        """All partition specs by id.

        Examples:
            >>> table.specs()
            {0: PartitionSpec(spec_id=0)}
        """
        return {each.spec_id: each for each in map(read_spec, self._metadata_at_hand()["partition-specs"])}

    def sort_order(self) -> SortOrder:
        """The default sort order, which new files get."""
        return self.sort_orders()[self._metadata_at_hand()["default-sort-order-id"]]

    def sort_orders(self) -> dict[int, SortOrder]:
        """All sort orders by id."""
        return {each.order_id: each for each in map(read_sort_order, self._metadata_at_hand()["sort-orders"])}

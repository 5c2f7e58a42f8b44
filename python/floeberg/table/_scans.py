"""How are the rows of a table read?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg._arguments import (
    checked_bool,
    checked_int,
    checked_names,
    checked_options,
    checked_size,
    checked_text,
)
from floeberg.expressions import ALWAYS_TRUE, AnyFilter, as_expression
from floeberg.scan.scan import Scan
from floeberg.table._base import TableBase

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["TableScans"]


class TableScans(TableBase):
    """The methods of `floeberg.Table` that read rows."""

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
        wanted = as_expression(row_filter)
        names = checked_names("selected_fields", selected_fields)
        of_branch = branch is not None
        scan = Scan(
            self._inner.scan(
                row_filter=ALWAYS_TRUE.as_tree() if of_branch else wanted.as_tree(),
                selected_fields=["*"] if of_branch else names,
                case_sensitive=checked_bool("case_sensitive", case_sensitive),
                snapshot_id=None if snapshot_id is None else checked_int("snapshot_id", snapshot_id),
                limit=None if limit is None else checked_size("limit", limit),
                wap_branch=self._wap_branch(),
            )
        )
        # Names are looked up in the schema of the branch or tag.
        return (
            scan.use_ref(checked_text("branch", branch)).filter(wanted).select(*names) if of_branch else scan
        )

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
        scan = Scan(
            self._inner.scan(
                row_filter=as_expression(row_filter).as_tree(),
                selected_fields=checked_names("selected_fields", selected_fields),
                case_sensitive=checked_bool("case_sensitive", case_sensitive),
                snapshot_id=None if last is None else checked_int("to_snapshot_id_inclusive", last),
                limit=None if limit is None else checked_size("limit", limit),
                appends_after=(None if after is None else checked_int("from_snapshot_id_exclusive", after),),
                wap_branch=self._wap_branch(),
            )
        )
        return scan if branch is None else scan.use_ref(checked_text("branch", branch))

    def __arrow_c_schema__(self) -> object:
        return self.scan().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.scan().__arrow_c_stream__(requested_schema)

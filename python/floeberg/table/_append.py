"""How are rows added to a table?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.table._base import TableBase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.commit.progress_report import ProgressCallback
    from floeberg.commit.result import CommitResult
    from floeberg.commit.staging import SchemaMode

__all__ = ["TableAppend"]


class TableAppend(TableBase):
    """The methods of `floeberg.Table` that add rows."""

    def append(  # noqa: PLR0913 - PyIceberg's order, then keywords
        self,
        data: object,
        snapshot_properties: Mapping[str, str] | None = None,
        branch: str | None = None,
        *,
        idempotency_key: str | None = None,
        stage_only: bool = False,
        schema_mode: SchemaMode | None = None,
        options: Mapping[str, str] | None = None,
        progress: ProgressCallback | bool | None = None,
    ) -> CommitResult:
        """Adds rows to the table.

        Columns are matched by field id if all of them have one, otherwise by name. Missing optional columns get their
        default.

        Args:
            data: The rows: a `pyarrow.Table`, a reader, a pandas or polars data frame, any other object with
                `__arrow_c_stream__`, or a list of dicts. They are read once, in bounded memory, on this thread. Errors
                of your own generator are raised unchanged.
            snapshot_properties: Entries to add to the summary of the snapshot. A `wap.id` stages the snapshot, as
                `stage_only` does, if the property `write.wap.enabled` of the table is true.
            branch: The branch to write to. By default `main`, or the `wap.branch` of the catalog, if the property
                `write.wap.enabled` of the table is true.
            idempotency_key: A key for this write on this branch. If a snapshot of the branch has the key, the write was
                done before, and nothing happens. Using the key for another operation is an error.
            stage_only: Whether no branch gets the snapshot: it is read by its id, until
                `manage_snapshots().cherrypick(...)` or `publish_changes(...)` publishes it. It has no
                `idempotency_key`.
            schema_mode: `merge` adds missing columns to the table, and promotes columns that are too narrow.
            options: Table properties for this write alone, such as `write.parquet.compression-codec`.
            progress: A function that is called with a `ProgressReport` a few times a second, on this thread. What it
                raises cancels the operation, and leaves nothing over. Or `True` for a line on stderr: in a terminal it
                is written again and again, elsewhere once, at the end.

        Returns:
            What the commit did, or which earlier commit did it.

        Raises:
            InvalidInputError: The rows do not fit the schema: the error lists every mismatch. Or a value does not fit
                its column, or is damaged: the error names the column and the row. Nothing was changed. Only
                `CommitStateUnknownError` leaves that open.
            CommitConflictError: Other writers were faster at every attempt, or changed the columns so that the rows no
                longer fit.
            CommitStateUnknownError: The outcome is unknown: the rows may be in the table. Repeat the write with the
                same `idempotency_key`, or look for the snapshot.
            UnsupportedError: The table cannot be written where it was opened. The error says what to do.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1, 2]}), snapshot_properties={"by": "doc"})
            >>> orders.scan().count(), orders.current_snapshot().summary["by"]
            (2, 'doc')
        """
        with self.transaction(
            snapshot_properties=snapshot_properties,
            branch=branch,
            idempotency_key=idempotency_key,
            stage_only=stage_only,
            progress=progress,
        ) as transaction:
            transaction.append(data, schema_mode=schema_mode, options=options)
            return transaction.commit_transaction()

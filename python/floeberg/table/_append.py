"""How are rows added to a table?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.table._base import TableBase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.commit.result import CommitResult
    from floeberg.commit.staging import SchemaMode

__all__ = ["TableAppend"]


class TableAppend(TableBase):
    """The methods of `floeberg.Table` that add rows."""

    def append(  # noqa: PLR0913 - PyIceberg's order, then keywords
        self,
        data: object,
        snapshot_properties: Mapping[str, str] | None = None,
        branch: str | None = "main",
        *,
        idempotency_key: str | None = None,
        schema_mode: SchemaMode | None = None,
        options: Mapping[str, str] | None = None,
    ) -> CommitResult:
        """Adds rows to the table.

        Columns are matched by field id where all have one, else by name. Missing optional ones get their default.

        Args:
            data: The rows: a `pyarrow.Table`, a reader, a data frame of pandas or polars, anything else with
                `__arrow_c_stream__`, or a list of dicts. They are read once, in bounded memory, on this thread. What a
                generator raises comes out as it is.
            snapshot_properties: What the summary of the snapshot says beside what it must.
            branch: The branch that gets them; `None` is `main`.
            idempotency_key: A key of the write: of this operation, on this branch. Where the branch has a snapshot
                with it, the write was done before, and nothing is done. Another operation with it is an error.
            schema_mode: `merge` adds the columns that the table lacks, and promotes those that are too narrow.
            options: Properties of the table that count for this write alone: `write.parquet.compression-codec` and
                such.

        Returns:
            What was done, or that it was done before, and by which snapshot.

        Raises:
            InvalidInputError: The rows do not fit the schema; the error lists every mismatch. Or a value does not fit
                its column, or is damaged; the error names column and row. Nothing was changed, as with every error but
                `CommitStateUnknownError`.
            CommitConflictError: Other writers were faster each time, or changed columns so that the rows do not fit.
            CommitStateUnknownError: Whether the rows are in the table is not known, and may not be for a while.
                Repeat the write with the same `idempotency_key`, or look for the snapshot.
            UnsupportedError: The table cannot be written where it was opened; the error says what to do.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1, 2]}), snapshot_properties={"by": "doc"})
            >>> orders.scan().count(), orders.current_snapshot().summary["by"]
            (2, 'doc')
        """
        with self.transaction(
            snapshot_properties=snapshot_properties, branch=branch, idempotency_key=idempotency_key
        ) as transaction:
            transaction.append(data, schema_mode=schema_mode, options=options)
            return transaction.commit_transaction()

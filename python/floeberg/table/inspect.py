"""Which metadata tables does a table have?

The tables are Iceberg Java's metadata tables: their columns have the same names, order, types, nullability and field
ids. `readable_metrics` has the decoded bounds and counts: a struct for each primitive column, under its dotted name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from floeberg._arguments import checked_int, checked_text
from floeberg.errors import InvalidInputError
from floeberg.scan.rows import Batches

if TYPE_CHECKING:
    import pyarrow as pa

    from floeberg import _native

__all__ = ["InspectTable", "MetadataTable"]

MetadataTable = Literal[
    "snapshots",
    "history",
    "refs",
    "metadata_log_entries",
    "manifests",
    "all_manifests",
    "entries",
    "all_entries",
    "files",
    "data_files",
    "delete_files",
    "all_files",
    "all_data_files",
    "all_delete_files",
    "partitions",
    "position_deletes",
]


class InspectTable:
    """The metadata tables of a table, as `pyarrow.Table`.

    Tables of one snapshot show the snapshot `snapshot_id`, or that of the branch or tag `branch`. By default, this is
    the one that the table was opened at, or the current one: with the `wap.branch` of a catalog, that of the branch.
    The metadata tables of an empty table have no rows.

    Raises:
        InvalidDataError: A file is damaged. The error names it.
        InvalidInputError: Both a snapshot and a branch were given.
        NotFoundError: The snapshot or the branch does not exist, or a file is missing.
        UnsupportedError: A manifest is encrypted, and nothing unwraps its key.

    Examples:
        >>> table.inspect.files().num_rows
        3
    """

    _inner: _native.Table
    _wap_branch: str | None

    def __init__(self, native: _native.Table, wap_branch: str | None = None) -> None:
        """Made by the table."""
        self._inner = native
        self._wap_branch = wap_branch

    def snapshots(self) -> pa.Table:
        """All snapshots, in the order of the metadata.

        Returns:
            Columns `committed_at`, `snapshot_id`, `parent_id`, `operation`, `manifest_list` and `summary`.

        Examples:
            >>> table.inspect.snapshots()["operation"].to_pylist()
            ['append', 'append', 'append', 'append', 'overwrite']
        """
        return self._table("snapshots")

    def history(self) -> pa.Table:
        """The log of snapshots that became current, oldest first.

        Returns:
            Columns `made_current_at`, `snapshot_id`, `parent_id` and `is_current_ancestor`.

        Examples:
            >>> table.inspect.history()["is_current_ancestor"].to_pylist()
            [True, True, True]
        """
        return self._table("history")

    def refs(self) -> pa.Table:
        """Branches and tags, by name.

        Returns:
            Columns `name`, `type` (`BRANCH` or `TAG`), `snapshot_id`, `max_reference_age_in_ms`,
            `min_snapshots_to_keep` and `max_snapshot_age_in_ms`.

        Examples:
            >>> table.inspect.refs().select(["name", "type"]).to_pylist()[0]
            {'name': 'dev', 'type': 'BRANCH'}
        """
        return self._table("refs")

    def metadata_log_entries(self) -> pa.Table:
        """The metadata files in the table's log, ending with the one that was opened.

        Returns:
            Columns `timestamp`, `file`, `latest_snapshot_id`, `latest_schema_id` and `latest_sequence_number`.

        Examples:
            >>> table.inspect.metadata_log_entries()["latest_sequence_number"].to_pylist()[-1]
            4
        """
        return self._table("metadata_log_entries")

    def manifests(self, snapshot_id: int | None = None, *, branch: str | None = None) -> pa.Table:
        """The manifests of a snapshot.

        Args:
            snapshot_id: The snapshot; the table's unless given.
            branch: A branch or tag, instead of a snapshot.

        Returns:
            Columns `content` (0 data, 1 deletes), `path`, `length`, `partition_spec_id`, `added_snapshot_id`, the
            counts of added, existing and deleted data and delete files, and `partition_summaries`, whose bounds are
            strings as Iceberg Java writes them.

        Examples:
            >>> table.inspect.manifests()["added_data_files_count"].to_pylist()
            [1, 1, 1]
        """
        return self._table("manifests", snapshot_id, branch)

    def all_manifests(self) -> pa.Table:
        """The manifests of every snapshot, a row for each snapshot and manifest.

        Returns:
            The columns of `manifests`, `reference_snapshot_id` and `key_metadata`.

        Examples:
            >>> table.inspect.all_manifests()["reference_snapshot_id"].unique().to_pylist() == [
            ...     snapshot.snapshot_id for snapshot in table.snapshots()
            ... ]
            True
        """
        return self._table("all_manifests")

    def entries(self, snapshot_id: int | None = None, *, branch: str | None = None) -> pa.Table:
        """The entries of the manifests of a snapshot, including those of deleted files.

        Args:
            snapshot_id: The snapshot; the table's unless given.
            branch: A branch or tag, instead of a snapshot.

        Returns:
            Columns `status` (0 existing, 1 added, 2 deleted), `snapshot_id`, `sequence_number`,
            `file_sequence_number`, `data_file` (a struct of what `files` has) and `readable_metrics`.

        Examples:
            >>> table.inspect.entries()["status"].to_pylist()
            [1, 1, 1]
        """
        return self._table("entries", snapshot_id, branch)

    def all_entries(self) -> pa.Table:
        """The entries of the manifests of every snapshot, each manifest once.

        Returns:
            The columns of `entries`.

        Examples:
            >>> table.inspect.all_entries().num_rows
            6
        """
        return self._table("all_entries")

    def files(self, snapshot_id: int | None = None, *, branch: str | None = None) -> pa.Table:
        """The live data and delete files of a snapshot.

        Args:
            snapshot_id: The snapshot; the table's unless given.
            branch: A branch or tag, instead of a snapshot.

        Returns:
            Columns `content` (0 data, 1 position deletes or a vector, 2 equality deletes), `file_path`, `file_format`,
            `spec_id`, `partition` (where the table has partitions), `record_count`, `file_size_in_bytes`, counts and
            bounds as maps by field id, `key_metadata`, `split_offsets`, `equality_ids`, `sort_order_id`,
            `first_row_id`, `referenced_data_file`, `content_offset`, `content_size_in_bytes` and `readable_metrics`.

        Examples:
            >>> metrics = table.inspect.files()["readable_metrics"].to_pylist()
            >>> [(each["id"]["lower_bound"], each["id"]["upper_bound"]) for each in metrics]
            [(8, 8), (4, 7), (0, 3)]
        """
        return self._table("files", snapshot_id, branch)

    def data_files(self, snapshot_id: int | None = None, *, branch: str | None = None) -> pa.Table:
        """The live data files of a snapshot.

        Args:
            snapshot_id: The snapshot; the table's unless given.
            branch: A branch or tag, instead of a snapshot.

        Returns:
            The columns of `files`.

        Examples:
            >>> table.inspect.data_files()["record_count"].to_pylist()
            [1, 4, 4]
        """
        return self._table("data_files", snapshot_id, branch)

    def delete_files(self, snapshot_id: int | None = None, *, branch: str | None = None) -> pa.Table:
        """The live delete files of a snapshot.

        Args:
            snapshot_id: The snapshot; the table's unless given.
            branch: A branch or tag, instead of a snapshot.

        Returns:
            The columns of `files`.

        Examples:
            >>> table.inspect.delete_files().num_rows
            0
        """
        return self._table("delete_files", snapshot_id, branch)

    def all_files(self) -> pa.Table:
        """The live files of the manifests of every snapshot, each manifest once.

        A file in several manifests has several rows.

        Returns:
            The columns of `files`.

        Examples:
            >>> table.inspect.all_files().num_rows
            5
        """
        return self._table("all_files")

    def all_data_files(self) -> pa.Table:
        """The live data files of the manifests of every snapshot, each manifest once.

        Returns:
            The columns of `files`.

        Examples:
            >>> table.inspect.all_data_files().num_rows
            5
        """
        return self._table("all_data_files")

    def all_delete_files(self) -> pa.Table:
        """The live delete files of the manifests of every snapshot, each manifest once.

        Returns:
            The columns of `files`.

        Examples:
            >>> table.inspect.all_delete_files().num_rows
            0
        """
        return self._table("all_delete_files")

    def partitions(self, snapshot_id: int | None = None, *, branch: str | None = None) -> pa.Table:
        """Counts of the live files of a snapshot, by partition.

        Args:
            snapshot_id: The snapshot; the table's unless given.
            branch: A branch or tag, instead of a snapshot.

        Returns:
            Columns `partition` and `spec_id` (where the table has partitions), `record_count`, `file_count`,
            `total_data_file_size_in_bytes`, the counts of records and files of position deletes (vectors among them)
            and equality deletes, `last_updated_at` and `last_updated_snapshot_id`.

        Examples:
            >>> table.inspect.partitions()["record_count"].to_pylist()
            [9]
        """
        return self._table("partitions", snapshot_id, branch)

    def position_deletes(self, snapshot_id: int | None = None, *, branch: str | None = None) -> pa.Table:
        """The positions in the delete files and vectors of a snapshot.

        Args:
            snapshot_id: The snapshot; the table's unless given.
            branch: A branch or tag, instead of a snapshot.

        Returns:
            Columns `file_path`, `pos`, `row` (null unless the file stores deleted rows), `partition` (if the table has
            partitions), `spec_id` and `delete_file_path`. From format version 3 on, also `content_offset` and
            `content_size_in_bytes` of vectors.

        Examples:
            >>> table.inspect.position_deletes().num_rows
            0
        """
        return self._table("position_deletes", snapshot_id, branch)

    def to_arrow_batch_reader(
        self, name: MetadataTable, *, snapshot_id: int | None = None, branch: str | None = None
    ) -> pa.RecordBatchReader:
        """Reads the rows of a metadata table on demand, in bounded memory.

        A few manifests are read at a time, in parallel. Each batch has the rows of one manifest.

        Args:
            name: The metadata table: the name of the method that returns all of it.
            snapshot_id: The snapshot; the table's unless given.
            branch: A branch or tag, instead of a snapshot.

        Returns:
            A `pyarrow.RecordBatchReader`.

        Raises:
            InvalidInputError: The metadata table does not exist, or covers all snapshots and takes no `snapshot_id` and
                no `branch`. Or both were given.
            NotFoundError: The snapshot or the branch does not exist.

        Examples:
            >>> reader = table.inspect.to_arrow_batch_reader("all_entries")
            >>> [batch.num_rows for batch in reader]
            [1, 1, 1, 1, 1, 1]
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        native = self._open(checked_text("name", name), snapshot_id, branch)

        return pa.RecordBatchReader.from_batches(
            pa.schema(cast("Any", native.arrow_schema())), Batches(lambda: native)
        )

    def _table(
        self, name: MetadataTable, snapshot_id: int | None = None, branch: str | None = None
    ) -> pa.Table:
        import pyarrow as pa  # noqa: PLC0415

        return cast("pa.Table", pa.table(cast("Any", self._open(name, snapshot_id, branch).read_all())))

    def _open(self, name: str, snapshot_id: int | None, branch: str | None) -> _native.MetadataReader:
        if snapshot_id is not None and branch is not None:
            raise InvalidInputError("choose one snapshot: snapshot_id and branch exclude each other")
        return self._inner.inspect(
            name,
            None if snapshot_id is None else checked_int("snapshot_id", snapshot_id),
            None if branch is None else checked_text("branch", branch),
            self._wap_branch,
        )

    def __repr__(self) -> str:
        return f"InspectTable({self._inner!r})"

    def __reduce__(self) -> tuple[type[InspectTable], tuple[_native.Table, str | None]]:
        return InspectTable, (self._inner, self._wap_branch)

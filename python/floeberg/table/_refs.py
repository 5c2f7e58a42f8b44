"""Which snapshots, branches, tags and statistics files has a table, and how do they change?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg._arguments import checked_bool, checked_int, checked_text
from floeberg._display import facts_html, rows_html
from floeberg._timestamps import moment_of
from floeberg.commit.manage_snapshots import ManageSnapshots
from floeberg.commit.update_statistics import UpdateStatistics
from floeberg.errors import InvalidInputError
from floeberg.statistics import (
    PartitionStatisticsFile,
    PuffinBlob,
    StatisticsFile,
    read_partition_statistics,
    read_statistics,
)
from floeberg.table._base import TableBase
from floeberg.types import HistoryEntry
from floeberg.types._from_json import read_ref, read_snapshot, read_snapshots
from floeberg.types._snapshots import History, Refs, Snapshots, ancestors

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import pyarrow as pa

    from floeberg.types import Snapshot, SnapshotRef

__all__ = ["TableRefs"]

_MOST_SHOWN = 50


@dataclass(frozen=True)
class TableVersion:
    """A state of a table.

    Attributes:
        version: The id of its snapshot.
        timestamp: When it was committed, in UTC.
        operation: The operation of the snapshot.
    """

    version: int
    timestamp: datetime | None
    operation: str | None


class TableVersions(list[TableVersion]):
    """States of a table: a list that a notebook shows as a table. The newest is first there."""

    def _repr_html_(self) -> str:
        rows = [
            (each.version, None if each.timestamp is None else each.timestamp.isoformat(" "), each.operation)
            for each in self[: -_MOST_SHOWN - 1 : -1]
        ]
        left = len(self) - len(rows)
        more = (f"<p>{left:,} older versions are not shown</p>",) if left else ()
        columns = ("version", "committed at", "operation")
        return facts_html(f"{len(self):,} versions", {}, rows_html(columns, rows), *more)


class TableRefs(TableBase):
    """The methods of `floeberg.Table` for its snapshots, and for what refers to these."""

    def snapshots(self) -> list[Snapshot]:
        """All snapshots that have not expired, in the order of the metadata.

        Examples:
            >>> [snapshot.operation for snapshot in table.snapshots()]
            ['append', 'append', 'append', 'append', 'overwrite']
        """
        return Snapshots(read_snapshots(self._inner))

    def versions(self) -> list[TableVersion]:
        """The states of the table that lead to the current one, oldest first: the ancestors of its snapshot.

        Tables of all formats have them. `snapshots` tells more, and also names those that are no ancestors.

        Examples:
            >>> [each.version for each in table.versions()][-1] == table.current_snapshot().snapshot_id
            True
        """
        return TableVersions(
            TableVersion(each.snapshot_id, moment_of(each.timestamp_ms * 1000), each.operation)
            for each in reversed(ancestors(self.snapshots(), self._snapshot_id()))
        )

    def snapshot_by_id(self, snapshot_id: int) -> Snapshot | None:
        """The snapshot with an id, or `None`.

        Raises:
            InvalidInputError: The id is not a 64-bit integer.

        Examples:
            >>> table.snapshot_by_id(12) is None
            True
        """
        wanted = checked_int("snapshot_id", snapshot_id)
        return read_snapshot(self._inner, wanted)

    def snapshot_by_name(self, name: str) -> Snapshot | None:
        """The snapshot of a branch or tag, or `None`.

        Examples:
            >>> table.snapshot_by_name("main") == table.current_snapshot(), table.snapshot_by_name("gone")
            (True, None)
        """
        ref = self.refs().get(checked_text("name", name))
        return None if ref is None else self.snapshot_by_id(ref.snapshot_id)

    def snapshot_as_of_timestamp(self, timestamp_ms: int, inclusive: bool = True) -> Snapshot | None:  # noqa: FBT001, FBT002 - PyIceberg's order
        """The snapshot that was current at a time, or `None` if the table had none.

        Args:
            timestamp_ms: The time: milliseconds from 1970-01-01 UTC.
            inclusive: Whether a snapshot of exactly this millisecond counts.

        Returns:
            The snapshot.

        Examples:
            >>> entry = table.history()[0]
            >>> table.snapshot_as_of_timestamp(entry.timestamp_ms).snapshot_id == entry.snapshot_id
            True
            >>> table.snapshot_as_of_timestamp(entry.timestamp_ms, inclusive=False) is None
            True
        """
        latest = checked_int("timestamp_ms", timestamp_ms) - (not checked_bool("inclusive", inclusive))
        before = [entry for entry in self.history() if entry.timestamp_ms <= latest]
        return self.snapshot_by_id(before[-1].snapshot_id) if before else None

    def current_snapshot(self) -> Snapshot | None:
        """The snapshot that is read: the current one, or the one that the table was opened at.

        With the `wap.branch` of a catalog it is the newest one of that branch, as for scans and writes. That of `main`
        is `snapshot_by_name("main")`.

        Returns:
            The snapshot, or `None` for an empty table.

        Examples:
            >>> table.current_snapshot().summary["total-records"]
            '9'
        """
        current = self._snapshot_id()
        # It is one of a branch, or the table was opened at it.
        return None if current is None else read_snapshot(self._opened, current)

    def history(self) -> list[HistoryEntry]:
        """The log of snapshots that became current, oldest first.

        A `wap.branch` has no log: its snapshots that have not expired stand in the place of the log.

        Examples:
            >>> [entry.is_current_ancestor for entry in table.history()]
            [True, True, True]
        """
        return History(HistoryEntry(*entry) for entry in self._inner.history(self._wap_branch()))

    def refs(self) -> dict[str, SnapshotRef]:
        """Branches and tags by name. `main` exists if the table has a current snapshot.

        Examples:
            >>> sorted((name, ref.snapshot_ref_type) for name, ref in table.refs().items())
            [('dev', 'branch'), ('first', 'tag'), ('main', 'branch')]
        """
        return Refs((name, read_ref(each)) for name, each in self._metadata_at_hand()["refs"].items())

    def manage_snapshots(self) -> ManageSnapshots:
        """Makes, moves and removes branches and tags, rolls back, and publishes snapshots of branches.

        Returns:
            The changes. The end of a `with` block commits them, or `commit()`.

        Raises:
            FloebergError: Those of every commit, as with `append`.

        Examples:
            >>> before = orders.append(pa.table({"id": [1]})).snapshot_id
            >>> _ = orders.append(pa.table({"id": [2]}))
            >>> orders.manage_snapshots().rollback_to_snapshot(before).commit()
            >>> orders.scan().to_arrow()["id"].to_pylist()
            [1]
        """
        self._operations.check_writable()
        return ManageSnapshots(self._change_references, lambda: self._inner, self._wap_branch)

    def update_statistics(self) -> UpdateStatistics:
        """Changes which statistics files the table names. The files are written already, and stay.

        Returns:
            The changes. The end of a `with` block commits them, or `commit()`.

        Raises:
            FloebergError: Those of every commit, as with `append`.
        """
        self._operations.check_writable()
        return UpdateStatistics(self._change_references)

    def _change_references(self, operations: Sequence[_native.Operation]) -> None:
        # What moves branches is never staged, and says itself which branch it moves.
        with self._begin(None) as transaction:
            transaction.change_references(operations)

    def statistics(self) -> list[StatisticsFile]:
        """The statistics files of the table's snapshots, in the order of the metadata.

        Examples:
            >>> [blob.properties["ndv"] for blob in sketched.statistics()[0].blob_metadata]
            ['60', '4', '7']
        """
        return list(map(read_statistics, json.loads(_native.statistics_files(self._inner))))

    def statistics_blobs(self, file: StatisticsFile) -> list[PuffinBlob]:
        """Reads the footer of a statistics file, and compares it with the table's metadata.

        Args:
            file: One of `statistics`.

        Returns:
            The blobs.

        Raises:
            InvalidDataError: The file is damaged, or lacks a blob that the metadata names.
            UnsupportedError: The file is encrypted.

        Examples:
            >>> [(blob.type, blob.fields) for blob in sketched.statistics_blobs(sketched.statistics()[1])]
            [('apache-datasketches-theta-v1', (2,)), ('apache-datasketches-theta-v1', (3,))]
        """
        blobs = _native.statistics_blobs(self._inner, _checked_file(file, StatisticsFile))
        return [PuffinBlob(**blob) for blob in blobs]

    def read_blob(self, file: StatisticsFile, blob: PuffinBlob) -> bytes:
        """Reads a blob of a statistics file.

        Args:
            file: One of `statistics`.
            blob: One of its `statistics_blobs`.

        Returns:
            The content, decompressed.

        Raises:
            InvalidDataError: The blob is outside of the file, or cannot be decompressed.

        Examples:
            >>> file = sketched.statistics()[1]
            >>> len(sketched.read_blob(file, sketched.statistics_blobs(file)[0]))
            48
        """
        if not isinstance(blob, PuffinBlob):
            raise InvalidInputError(f"blob: expected a PuffinBlob, found {type(blob).__name__}")
        return _native.statistics_blob(self._inner, _checked_file(file, StatisticsFile), blob.number)

    def partition_statistics(self) -> list[PartitionStatisticsFile]:
        """The partition statistics files of the table's snapshots, in the order of the metadata."""
        files = json.loads(_native.partition_statistics_files(self._inner))
        return list(map(read_partition_statistics, files))

    def read_partition_statistics(self, file: PartitionStatisticsFile) -> pa.Table:
        """Reads the counts of each partition.

        Args:
            file: One of `partition_statistics`.

        Returns:
            A `pyarrow.Table` with the columns of the specification and a row for each partition, sorted. Columns that
            the file lacks are null.

        Raises:
            InvalidDataError: The file is damaged.
            UnsupportedError: The file has an unknown format.

        Examples:
            >>> counts = counted.read_partition_statistics(counted.partition_statistics()[0])
            >>> counts.select(["partition", "data_record_count"]).to_pylist()[0]
            {'partition': {'cat': 'a', 'id_bucket_2': None}, 'data_record_count': 3}
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        path = _checked_file(file, PartitionStatisticsFile)
        return cast("pa.Table", pa.table(cast("Any", _native.partition_statistics_rows(self._inner, path))))


def _checked_file(
    file: StatisticsFile | PartitionStatisticsFile, kind: type[StatisticsFile | PartitionStatisticsFile]
) -> str:
    if not isinstance(file, kind):
        raise InvalidInputError(f"file: expected a {kind.__name__}, found {type(file).__name__}")
    return file.statistics_path

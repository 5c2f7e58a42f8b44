"""Which statistics files does a table have?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg.errors import InvalidInputError
from floeberg.statistics import (
    PartitionStatisticsFile,
    PuffinBlob,
    StatisticsFile,
    read_partition_statistics,
    read_statistics,
)
from floeberg.table._base import TableBase

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TableStatistics"]


class TableStatistics(TableBase):
    """The methods of `floeberg.Table` that give statistics."""

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

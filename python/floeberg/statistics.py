"""Which statistics files do tables have?

Frozen dataclasses, named as in PyIceberg.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BlobMetadata", "PartitionStatisticsFile", "PuffinBlob", "StatisticsFile"]

Json = dict[str, Any]


@dataclass(frozen=True)
class BlobMetadata:
    """A blob of a statistics file, as the table's metadata describes it.

    Args:
        type: Its type, such as `apache-datasketches-theta-v1`.
        snapshot_id: The snapshot that it was computed from.
        sequence_number: The sequence number of that snapshot.
        fields: The field ids of its columns.
        properties: Some of the properties of the blob. `ndv` is the estimated number of distinct values of a theta
            sketch.
    """

    type: str
    snapshot_id: int
    sequence_number: int
    fields: tuple[int, ...]
    properties: Mapping[str, str] = field(hash=False)


@dataclass(frozen=True)
class StatisticsFile:
    """A Puffin file with statistics of a snapshot.

    Args:
        snapshot_id: Its snapshot.
        statistics_path: Its location, as written.
        file_size_in_bytes: Bytes, as the metadata says.
        file_footer_size_in_bytes: Bytes of its footer, as the metadata says.
        blob_metadata: Its blobs.
        key_metadata: Its encryption key metadata.
    """

    snapshot_id: int
    statistics_path: str
    file_size_in_bytes: int
    file_footer_size_in_bytes: int
    blob_metadata: tuple[BlobMetadata, ...]
    key_metadata: str | None = None


@dataclass(frozen=True)
class PuffinBlob:
    """A blob of a statistics file, as the footer of the file describes it.

    Args:
        number: Its number in the footer, from 0.
        type: Its type, such as `apache-datasketches-theta-v1`.
        snapshot_id: The snapshot that it was computed from.
        sequence_number: The sequence number of that snapshot.
        fields: The field ids of its columns.
        offset: Its offset in the file.
        length: Its bytes in the file.
        compression_codec: `lz4`, `zstd` or `None`.
        properties: Properties that depend on its type.
    """

    number: int
    type: str
    snapshot_id: int
    sequence_number: int
    fields: tuple[int, ...]
    offset: int
    length: int
    compression_codec: Literal["lz4", "zstd"] | None
    properties: Mapping[str, str] = field(hash=False)


@dataclass(frozen=True)
class PartitionStatisticsFile:
    """A file with counts of each partition of a snapshot.

    Args:
        snapshot_id: Its snapshot.
        statistics_path: Its location, as written.
        file_size_in_bytes: Bytes, as the metadata says.
    """

    snapshot_id: int
    statistics_path: str
    file_size_in_bytes: int


def read_statistics(json: Json) -> StatisticsFile:
    """A statistics file of its JSON."""
    blobs = (
        BlobMetadata(
            type=each["type"],
            snapshot_id=each["snapshot-id"],
            sequence_number=each["sequence-number"],
            fields=tuple(each["fields"]),
            properties=each["properties"],
        )
        for each in json["blob-metadata"]
    )
    return StatisticsFile(
        snapshot_id=json["snapshot-id"],
        statistics_path=json["statistics-path"],
        file_size_in_bytes=json["file-size-in-bytes"],
        file_footer_size_in_bytes=json["file-footer-size-in-bytes"],
        blob_metadata=tuple(blobs),
        key_metadata=json.get("key-metadata"),
    )


def read_partition_statistics(json: Json) -> PartitionStatisticsFile:
    """A partition statistics file of its JSON."""
    return PartitionStatisticsFile(json["snapshot-id"], json["statistics-path"], json["file-size-in-bytes"])


def statistics_json(file: StatisticsFile | PartitionStatisticsFile) -> Json:
    """A statistics file as JSON, in the shape of the specification."""
    written: Json = {
        "snapshot-id": file.snapshot_id,
        "statistics-path": file.statistics_path,
        "file-size-in-bytes": file.file_size_in_bytes,
    }
    if isinstance(file, PartitionStatisticsFile):
        return written
    written["file-footer-size-in-bytes"] = file.file_footer_size_in_bytes
    written["blob-metadata"] = [
        {
            "type": blob.type,
            "snapshot-id": blob.snapshot_id,
            "sequence-number": blob.sequence_number,
            "fields": list(blob.fields),
            "properties": dict(blob.properties),
        }
        for blob in file.blob_metadata
    ]
    if file.key_metadata is not None:
        written["key-metadata"] = file.key_metadata
    return written

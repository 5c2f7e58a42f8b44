"""How does Spark read a changelog?

The process that plans reads manifests of the appends. A snapshot of another operation is read by one task, which also
opens the metadata and manifests of that snapshot and of the one before it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceReader

from floeberg import _native
from floeberg.errors import InvalidInputError
from floeberg.scan import Scan
from floeberg.scan.plan import Plan
from floeberg.spark.read.branch_reads import branch_read, record_read
from floeberg.spark.read.changes import (
    CHANGE_COLUMNS,
    added_parts,
    change_batches,
    compared_part,
    packed,
    with_change_columns,
)
from floeberg.spark.read.dataframe import token_to_dataframe
from floeberg.spark.read.group_rows import task_groups
from floeberg.spark.read.options import SCAN, scan_token
from floeberg.spark.read.projection import Matching, output_fields
from floeberg.spark.read.scan_request import scan_bytes
from floeberg.spark.read.types import spark_struct
from floeberg.spark.session.environment import check_pyspark, check_session
from floeberg.spark.session.task_errors import own_errors
from floeberg.spark.session.worker_pickle import pickle_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.datasource import InputPartition
    from pyspark.sql.types import StructType

    from floeberg.scan.changelog import ChangelogScan
    from floeberg.spark.read.branch_reads import BranchRead
    from floeberg.spark.read.options import ReadSettings
    from floeberg.spark.read.projection import OutputField

__all__ = ["ChangelogReader", "ChangelogRequest", "changelog_frame", "is_changelog"]

_ENVELOPE = b"ChangelogScan\0"


@dataclass(frozen=True)
class ChangelogRequest:
    """A changelog as bytes, and how to read it.

    Args:
        changes: What `_changelog_bytes` gave.
        settings: How to read it.
    """

    changes: bytes = field(repr=False)
    settings: ReadSettings

    def open(self) -> _native.ChangelogScan:
        """The changelog. The table's metadata file is read.

        Raises:
            InvalidInputError: These are not the bytes of a changelog.
        """
        asked, _, scan = self.changes.removeprefix(_ENVELOPE).partition(b"\0")
        try:
            start, identifier_columns, net, updates = json.loads(asked)
        except ValueError as error:
            raise InvalidInputError(f"the option {SCAN!r} is set by ChangelogScan.to_spark only") from error
        ends = _native.Scan._from_recipe(scan)  # noqa: SLF001 - not by pickle: options are anyone's
        return _native.ChangelogScan.of(ends, start, identifier_columns, net, updates=updates)

    def struct(self) -> StructType:
        """The columns of the changes."""
        fields = Scan(self.open().scan()).projection().fields
        return with_change_columns(
            spark_struct(fields, truncate_nanoseconds=self.settings.truncate_nanoseconds)
        )


@own_errors()
def changelog_frame(
    changes: ChangelogScan, spark: SparkSession, options: dict[str, int | bool | None]
) -> DataFrame:
    """The DataFrame of a changelog. See `ChangelogScan.to_spark`."""
    check_pyspark()
    check_session(spark)
    return token_to_dataframe(scan_token(_changelog_bytes(changes)), spark, options)


def _changelog_bytes(changes: ChangelogScan) -> bytes:
    """The recipe of a changelog, which opens it in another process."""
    inner = changes._inner  # noqa: SLF001 - the package's own
    asked = json.dumps([inner.start, inner.identifier_columns, inner.is_net, inner.has_updates])
    return b"".join([_ENVELOPE, asked.encode(), b"\0", scan_bytes(Scan(inner.scan()))])


def is_changelog(scan: bytes) -> bool:
    """Whether bytes are those of a changelog."""
    return scan.startswith(_ENVELOPE)


class ChangelogReader(DataSourceReader):
    """Reads the changes of a request.

    Args:
        request: The changelog, and how to read it.
        output: The fields of the batches that come out; `None` leaves the batches as they are.
        parallelism: The cores of the cluster, where they are known.
        origin: The branch that is read. A query that overwrites it must know.
    """

    def __init__(
        self,
        request: ChangelogRequest,
        output: tuple[OutputField, ...] | None,
        parallelism: int | None,
        origin: BranchRead | None,
    ) -> None:
        self._request = request
        self._output = output
        self._parallelism = parallelism
        self._origin = origin

    @classmethod
    def of(cls, request: ChangelogRequest, schema: StructType, parallelism: int | None) -> ChangelogReader:
        """The reader of a schema."""
        settings = request.settings
        scan = Scan(request.open().scan())
        fields = (*scan.projection().fields, *CHANGE_COLUMNS)
        output = output_fields(
            fields, schema, Matching(settings.case_sensitive, settings.truncate_nanoseconds)
        )
        return cls(request, output, parallelism, branch_read(scan))

    def partitions(self) -> list[InputPartition]:
        """Plans the changes: files of appends in parts of about equal size, each other snapshot in one."""
        changes, settings, weighed = self._request.open(), self._request.settings, list[tuple[Any, int]]()
        for ordinal, snapshot_id, is_append in changes.snapshots():
            added = changes.appended(ordinal) if is_append else None
            if added is None:
                weighed.append(compared_part(changes.only(ordinal), ordinal))
            else:
                groups = task_groups(Plan(added), settings, self._parallelism)
                weighed += added_parts(groups, ordinal, snapshot_id)
        # With no partition at all, Spark would call `read` with one that it makes itself.
        return packed(weighed or [((), 1)], self._output, settings, self._parallelism)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The changes of a partition, in the Arrow types that Spark checks for."""
        if self._origin is not None:
            record_read(self._origin)
        parts, output, _ = partition.value
        return change_batches([part for part in parts if part], output, self._request.settings)

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self._request, self._output, self._parallelism, self._origin)
        return pickle_call(__name__, "ChangelogReader", *parts)

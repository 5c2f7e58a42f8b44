"""What does the data source `floeberg` do for Spark?

Of a read: `load` makes the source and calls `schema` in one process. An action unpickles the source in another process
and calls `reader`, and the reader is sent to the tasks.

Spark 4.1 to 4.3 calls `reader` once, however often a DataFrame or a view is used. Other versions call it each time.

Invariant: `schema` pins the columns, and the first `reader` the snapshot, for all later calls.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, TypeAlias

from pyspark.sql.datasource import DataSource

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.lance import LanceTable
from floeberg.spark.read.changelog_reader import ChangelogReader, ChangelogRequest, is_changelog
from floeberg.spark.read.changes import with_change_columns
from floeberg.spark.read.lance_request import LanceRequest, check_iceberg, is_lance_scan
from floeberg.spark.read.options import SCAN, read_options
from floeberg.spark.read.reader import FloebergReader
from floeberg.spark.read.scan_request import ScanRequest
from floeberg.spark.read.types import scan_struct
from floeberg.spark.session.worker_pickle import pickle_call
from floeberg.spark.write.options import write_options

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

    from pyspark.sql.types import StructType

    from floeberg.spark.stream.reader import FloebergStreamReader
    from floeberg.spark.stream.writer import FloebergStreamWriter
    from floeberg.spark.write.writer import FloebergWriter

__all__ = ["FloebergDataSource"]

_LOG = logging.getLogger("floeberg.spark")

_FEW_COLUMNS = 8
_WIDE = (
    "spark.read.format('floeberg') reads all %d columns in every query, because Spark does not tell a data source in "
    "Python which of them the query uses: take floeberg.spark.table(spark, ...), which reads only these, or name "
    "columns with the option 'columns'"
)


_Request: TypeAlias = ScanRequest | LanceRequest | ChangelogRequest
_NO_LANCE = "Lance tables cannot be read as streams: use spark.read"


class FloebergDataSource(DataSource):
    """A table, as the options of a read or a write name it.

    It defines no way to push filters down: up to Spark 4.3 a pushed filter leaks into other scans of the same
    DataFrame. The options `columns` and `filter` limit what is read.

    Args:
        options: The options of the read.
        parallelism: The cores of the cluster, where they were known at registration.
    """

    def __init__(self, options: MutableMapping[str, str], parallelism: int | None = None) -> None:
        super().__init__(options)
        self._parallelism = parallelism
        self._request: _Request | None = None

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "floeberg"

    def schema(self) -> StructType:
        """The columns, with the nullability of the table."""
        request = self._pinned()
        if isinstance(request, (LanceRequest, ChangelogRequest)):
            return request.struct()
        scan = request.open()
        fields = scan.projection().fields
        if len(fields) > _FEW_COLUMNS and "columns" not in self.options and SCAN not in self.options:
            _LOG.warning(_WIDE, len(fields))
        columns = scan_struct(scan, truncate_nanoseconds=request.settings.truncate_nanoseconds)
        return with_change_columns(columns) if request.is_changelog else columns

    def reader(self, schema: StructType) -> FloebergReader | ChangelogReader:
        """The reader of this schema: the table's own, or the user's."""
        request = self._pinned()
        if isinstance(request, LanceRequest):
            return FloebergReader.of(request, schema, self._parallelism)
        if isinstance(request, ChangelogRequest):
            return ChangelogReader.of(request, schema, self._parallelism)
        if request.stream_options:
            raise InvalidInputError(
                f"the option {request.stream_options[0]!r} is for streams: use spark.readStream, or leave it out. "
                "Table.changelog_scan(..).to_spark(spark) reads changes once"
            )
        return FloebergReader.of(request.planned(), schema, self._parallelism)

    def _pinned(self) -> _Request:
        if self._request is None:
            self._request = _request_of(self.options)
        return self._request

    def writer(self, schema: StructType, overwrite: bool) -> FloebergWriter:  # noqa: FBT001 - Spark's
        """The writer of rows of this schema, which replaces rows of the table or appends."""
        from floeberg.spark.write.writer import FloebergWriter  # noqa: PLC0415 - reading needs none of it

        options = write_options(self.options)
        return FloebergWriter.of(options.locator.open_any(), options, schema, overwrite=overwrite)

    def streamReader(self, schema: StructType) -> FloebergStreamReader:  # noqa: N802 - Spark's name
        """The reader of a stream with this schema.

        Raises:
            InvalidInputError: An option chooses a snapshot.
            UnsupportedError: It is a Lance table.
        """
        from floeberg.spark.stream.reader import FloebergStreamReader  # noqa: PLC0415 - other reads need none of it

        request = self._pinned()
        if isinstance(request, LanceRequest):
            raise UnsupportedError(_NO_LANCE)
        if isinstance(request, ChangelogRequest):
            raise InvalidInputError(f"the option {SCAN!r} is set by ChangelogScan.to_spark only")
        return FloebergStreamReader.of(request, schema, self._parallelism)

    def streamWriter(self, schema: StructType, overwrite: bool) -> FloebergStreamWriter:  # noqa: FBT001, N802
        """The writer of a micro-batch with this schema, which replaces all rows of the table or appends.

        Raises:
            UnsupportedError: This PySpark gives writers of streams no Arrow batches.
        """
        from floeberg.spark.stream.writer import FloebergStreamWriter  # noqa: PLC0415 - the same

        return FloebergStreamWriter.of(self.options, schema, overwrite=overwrite)

    def __reduce__(self) -> tuple[Any, ...]:
        pinned = self._request
        return pickle_call(
            __name__,
            "_rebuild",
            # The pinned request has everything from the options.
            {} if pinned else dict(self.options),
            self._parallelism,
            pinned,
        )


def _request_of(options: Mapping[str, str]) -> _Request:
    """The scan that options ask for, pinned to a metadata file or a version."""
    wanted, settings = read_options(options)
    if isinstance(wanted, bytes):
        if is_changelog(wanted):
            return ChangelogRequest(wanted, settings)
        return LanceRequest(wanted, settings) if is_lance_scan(wanted) else ScanRequest(wanted, settings)
    table = wanted.locator.open_any(as_of_ms=wanted.as_of_ms)
    if isinstance(table, LanceTable):
        if wanted.stream.given:
            raise UnsupportedError(_NO_LANCE)
        return LanceRequest.of(table, wanted, settings)
    check_iceberg(wanted.version)
    return ScanRequest.of(table, wanted, settings)


def _rebuild(options: dict[str, str], parallelism: int | None, pinned: _Request | None) -> FloebergDataSource:
    from pyspark.sql.datasource import CaseInsensitiveDict  # noqa: PLC0415

    source = FloebergDataSource(CaseInsensitiveDict(options), parallelism)
    source._request = pinned  # noqa: SLF001
    return source

"""What does Spark ask of the data source `floeberg`?

Life of a read: `load` makes the source and asks for its schema in one process, an action asks the pickled source for a
reader in another, and the reader goes to the tasks.

Spark 4.1 to 4.3 asks for a reader once, however often a DataFrame or a view is used; others ask each time.

Invariant: `schema` pins the columns, and the first `reader` the snapshot, for all that come after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from pyspark.sql.datasource import DataSource

from floeberg.errors import UnsupportedError
from floeberg.spark.read.reader import FloebergReader
from floeberg.spark.read.scan_request import ScanRequest
from floeberg.spark.read.types import spark_struct
from floeberg.spark.session.worker_pickle import pickle_call
from floeberg.spark.write.options import write_options

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from pyspark.sql.types import StructType

    from floeberg.spark.write.writer import FloebergWriter

__all__ = ["FloebergDataSource"]

_NO_STREAM_WRITES = (
    "Floeberg does not write streams yet: use foreachBatch, with an idempotency-key of the batch"
)
_NO_STREAMS = "Floeberg does not read streams yet: use spark.read"


class FloebergDataSource(DataSource):
    """A table, as the options of one read describe it.

    It defines no way to push filters down: up to Spark 4.3 a pushed filter leaks into other scans of the same
    DataFrame. The options `columns` and `filter` say what is not to be read.

    Args:
        options: The options of the read.
        parallelism: The cores of the cluster, where they were known at registration.
    """

    def __init__(self, options: MutableMapping[str, str], parallelism: int | None = None) -> None:
        super().__init__(options)
        self._parallelism = parallelism
        self._request: ScanRequest | None = None

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "floeberg"

    def schema(self) -> StructType:
        """The columns, with the nullability of the table."""
        request = self._pinned()
        return spark_struct(
            request.open().projection().fields,
            truncate_nanoseconds=request.settings.truncate_nanoseconds,
        )

    def reader(self, schema: StructType) -> FloebergReader:
        """What reads exactly this schema: the table's own, or a part of it that the user gave."""
        return FloebergReader.of(self._pinned().planned(), schema, self._parallelism)

    def _pinned(self) -> ScanRequest:
        if self._request is None:
            self._request = ScanRequest.of(self.options)
        return self._request

    def writer(self, schema: StructType, overwrite: bool) -> FloebergWriter:  # noqa: FBT001 - Spark's signature
        """What writes rows of this schema, in the place of rows of the table or beside them."""
        from floeberg.spark.write.writer import FloebergWriter  # noqa: PLC0415 - reading needs none of it

        return FloebergWriter.of(write_options(self.options), schema, overwrite=overwrite)

    def streamWriter(self, schema: StructType, overwrite: bool) -> NoReturn:  # noqa: ARG002, FBT001, N802
        """Refuses."""
        raise UnsupportedError(_NO_STREAM_WRITES)

    def streamReader(self, schema: StructType) -> NoReturn:  # noqa: ARG002, N802
        """Refuses."""
        raise UnsupportedError(_NO_STREAMS)

    def simpleStreamReader(self, schema: StructType) -> NoReturn:  # noqa: ARG002, N802
        """Refuses."""
        raise UnsupportedError(_NO_STREAMS)

    def __reduce__(self) -> tuple[Any, ...]:
        pinned = self._request
        return pickle_call(
            __name__,
            "_rebuild",
            # What is pinned holds all that the options said.
            {} if pinned else dict(self.options),
            self._parallelism,
            pinned,
        )


def _rebuild(
    options: dict[str, str], parallelism: int | None, pinned: ScanRequest | None
) -> FloebergDataSource:
    from pyspark.sql.datasource import CaseInsensitiveDict  # noqa: PLC0415

    source = FloebergDataSource(CaseInsensitiveDict(options), parallelism)
    source._request = pinned  # noqa: SLF001
    return source

"""How does a read of Spark become partitions, and a partition rows?

`partitions` runs where Spark plans, and opens metadata and manifests. `read` runs in a task, and opens data files and
delete files only.

Invariant: planning opens no data file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from floeberg.errors import FloebergError, InternalError
from floeberg.spark.read.branch_reads import branch_read, record_read
from floeberg.spark.read.chosen_files import chosen_files
from floeberg.spark.read.group_rows import group_batches, task_groups
from floeberg.spark.read.lance_request import LanceRequest, checked_names, lance_batches
from floeberg.spark.read.projection import Matching, names_to_read, output_fields
from floeberg.spark.read.saved_plan import saved_plan
from floeberg.spark.session.worker_pickle import pickle_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from floeberg import _native
    from floeberg.lance import LanceScan
    from floeberg.scan import Scan
    from floeberg.spark.read.branch_reads import BranchRead
    from floeberg.spark.read.projection import OutputField
    from floeberg.spark.read.scan_request import ScanRequest

__all__ = ["FilePartition", "FloebergReader"]


class FilePartition(InputPartition):
    """What one task reads.

    Args:
        value: Tasks of the plan; `None` reads nothing.
    """

    def __init__(self, value: _native.TaskGroup | _native.LanceTaskGroup | None) -> None:
        super().__init__(value)


class FloebergReader(DataSourceReader):
    """Reads the rows of a request, with the columns of a schema.

    Args:
        request: The scan, and how to read it.
        names: The columns to read; `None` is those of the scan.
        output: The fields of the batches that come out; `None` leaves the batches as they are. Of a Lance table: its
            columns as Spark has them.
        limit: Rows of a partition, at most.
        parallelism: The cores of the cluster, where they are known.
        origin: The branch that is read. A query that overwrites it must know.
    """

    def __init__(  # noqa: PLR0913 - the parts of one read
        self,
        request: ScanRequest | LanceRequest,
        *,
        names: tuple[str, ...] | None,
        output: tuple[OutputField, ...] | StructType | None,
        limit: int | None,
        parallelism: int | None,
        origin: BranchRead | None,
    ) -> None:
        self._request = request
        self._names = names
        self._output = output
        self._limit = limit
        self._parallelism = parallelism
        self._origin = origin
        self._opened: Scan | LanceScan | None = None

    @classmethod
    def of(
        cls, request: ScanRequest | LanceRequest, schema: StructType, parallelism: int | None
    ) -> FloebergReader:
        """The reader of a schema, with all or some columns of the request in any order.

        Raises:
            InvalidInputError: The schema does not fit the table.
            UnsupportedError: Spark has no type for a column.
        """
        if isinstance(request, LanceRequest):
            chosen = checked_names(request.struct(), schema)
            origin = request.origin()
            return cls(
                request, names=chosen, output=schema, limit=None, parallelism=parallelism, origin=origin
            )
        settings = request.settings
        matching = Matching(settings.case_sensitive, settings.truncate_nanoseconds)
        scan = request.open()
        names: tuple[str, ...] | None = None
        fields = scan.projection().fields
        output = output_fields(fields, schema, matching)
        if output is not None:
            names = tuple(names_to_read(fields, schema, matching))
            output = output_fields(scan.select(*names).projection().fields, schema, matching)
        limit = scan._inner.limit  # noqa: SLF001 - the package's own
        origin = branch_read(scan)
        reader = cls(request, names=names, output=output, limit=limit, parallelism=parallelism, origin=origin)
        # Where Spark makes the reader, it plans too: the metadata file is read once.
        reader._opened = scan
        return reader

    def partitions(self) -> list[InputPartition]:
        """Plans the scan: few and large parts of about equal size."""
        try:
            return self._planned()
        except NotImplementedError as error:
            # PySpark would take this one for a source without partitions, and read no rows.
            raise FloebergError(str(error)) from error

    def _planned(self) -> list[InputPartition]:
        scan: Any = self._opened or self._request.open()
        if self._names is not None:
            scan = scan.select(*self._names)
        settings = self._request.settings
        plan = scan.plan_files() if settings.plan is None else saved_plan(scan, settings.plan)
        if settings.files is not None:
            plan = chosen_files(plan, settings.files)
        groups = task_groups(plan, settings, self._parallelism)
        # With no partition at all, Spark would call `read` with one that it makes itself.
        return [FilePartition(group._inner) for group in groups] or [FilePartition(None)]  # noqa: SLF001

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a partition, in the Arrow types that Spark checks for."""
        if self._origin is not None:
            record_read(self._origin)
        if not isinstance(partition, FilePartition):
            raise InternalError("Spark asked for the rows of a partition that was not planned")
        if partition.value is None:
            return iter(())
        if isinstance(self._output, StructType):
            return lance_batches(partition.value, self._output)
        return group_batches(partition.value, self._request.settings, self._output, self._limit)

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self._request, self._names, self._output, self._limit, self._parallelism, self._origin)
        return pickle_call(__name__, "_rebuild", *parts)


def _rebuild(request: ScanRequest | LanceRequest, *parts: Any) -> FloebergReader:  # noqa: ANN401 - those of `__reduce__`
    names, output, limit, parallelism, origin = parts
    return FloebergReader(
        request, names=names, output=output, limit=limit, parallelism=parallelism, origin=origin
    )

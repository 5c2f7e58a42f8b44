"""How does a read of a Lance table become partitions, and a partition rows?

`partitions` runs where Spark plans, and opens a manifest. `read` runs in a task, and opens data files and deletion
files only: it alone uses pylance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from pyspark.sql.datasource import DataSourceReader, InputPartition

from floeberg.errors import InvalidInputError
from floeberg.lance import LanceTaskGroup
from floeberg.spark.lance.types import spark_struct, to_spark_batch
from floeberg.spark.read.branch_reads import BranchRead, record_read
from floeberg.spark.session.environment import own_cores
from floeberg.spark.session.worker_pickle import pickle_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql.types import StructType

    from floeberg import _native
    from floeberg.spark.lance.request import LanceRequest

__all__ = ["FragmentPartition", "LanceReader", "lance_struct"]

_PARTITIONS_PER_CORE = 2
_ANY_SIZE = 2**62


def lance_struct(request: LanceRequest) -> StructType:
    """The columns of a request, as Spark shows them."""
    return spark_struct(
        request.open().projection(), truncate_nanoseconds=request.settings.truncate_nanoseconds
    )


class FragmentPartition(InputPartition):
    """What one task reads.

    Args:
        value: Fragments of the plan; `None` reads nothing.
    """

    def __init__(self, value: _native.LanceTaskGroup | None) -> None:
        super().__init__(value)


class LanceReader(DataSourceReader):
    """Reads the rows of a request, with the columns of a schema.

    Args:
        request: The scan, and how to read it.
        schema: The columns that come out, which are all of the scan or some of them.
        parallelism: The cores of the cluster, where they are known.
        origin: The version that is read; `None` where the user chose it.
    """

    def __init__(
        self,
        request: LanceRequest,
        schema: StructType,
        parallelism: int | None,
        origin: BranchRead | None = None,
    ) -> None:
        self._request = request
        self._schema = schema
        self._parallelism = parallelism
        self._origin = origin

    @classmethod
    def of(cls, request: LanceRequest, schema: StructType, parallelism: int | None) -> LanceReader:
        """The reader of a schema.

        Raises:
            InvalidInputError: The schema has a column that the table lacks, or of another type.
        """
        own = lance_struct(request)
        known = {each.name: each for each in own}
        for each in schema:
            found = known.get(each.name)
            if found is None:
                raise InvalidInputError(f"the table has no column {each.name!r}: it has {', '.join(known)}")
            if found.dataType != each.dataType or (found.nullable and not each.nullable):
                raise InvalidInputError(
                    f"column {each.name!r}: expected {found.dataType.simpleString()}"
                    f"{'' if found.nullable else ' not null'}, as the table has it, found "
                    f"{each.dataType.simpleString()}{'' if each.nullable else ' not null'}"
                )
        return cls(request, schema, parallelism, _origin(request))

    def partitions(self) -> list[InputPartition]:
        """Plans the scan: few and large parts of about equal size."""
        settings = self._request.settings
        plan = self._request.open().select(*self._schema.names).plan_files()
        if settings.partitions:
            groups = plan.split(_ANY_SIZE, most_groups=settings.partitions, least_size=1)
        else:
            most = _PARTITIONS_PER_CORE * (self._parallelism or own_cores())
            groups = plan.split(settings.split_size, most_groups=most)
        # With no partition at all, Spark would call `read` with one that it makes itself.
        return [FragmentPartition(group._inner) for group in groups] or [FragmentPartition(None)]  # noqa: SLF001

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a partition, in the Arrow types that Spark checks for."""
        if self._origin is not None:
            record_read(self._origin)
        return iter(()) if partition.value is None else self._batches(partition.value)

    def _batches(self, group: _native.LanceTaskGroup) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa  # noqa: PLC0415 - planning needs none

        wanted = _arrow_schema(self._schema)
        stream = LanceTaskGroup(group)._open()  # noqa: SLF001 - the package's own
        while (batch := stream.next_batch()) is not None:
            yield to_spark_batch(pa.record_batch(cast("Any", batch)), wanted)

    def __reduce__(self) -> tuple[Any, ...]:
        return pickle_call(
            __name__, "LanceReader", self._request, self._schema, self._parallelism, self._origin
        )


def _origin(request: LanceRequest) -> BranchRead | None:
    """What an overwrite by a query that reads the request is validated from."""
    if not request.follows_newest:
        return None
    native = request.open()._inner  # noqa: SLF001 - the package's own
    return BranchRead(native.folder, "main", native.version)


def _arrow_schema(schema: StructType) -> pa.Schema:
    """The Arrow schema that Spark checks batches against."""
    from inspect import signature  # noqa: PLC0415 - planning needs none

    from pyspark.sql.pandas.types import to_arrow_schema  # noqa: PLC0415 - the same

    make = cast("Any", to_arrow_schema)
    # From 4.1 on, the zone of timestamps must be given.
    zone = {"timezone": "UTC"} if "timezone" in signature(make).parameters else {}
    return make(schema, **zone)

"""How do tasks of Spark compare two snapshots of a table?

```text
manifests of both, here       ->  files that differ  ->  tasks of about as many bytes
rows only came, or only went  ->  each task gives them
else                          ->  rows in buckets, by key, row id or values  ->  shuffled  ->  matched
```

Whole rows are shuffled once, so that no file is opened twice. A row that was only written again is shuffled too.

Invariant: the rows and counts are those of `Table.diff`, in another order. No job runs where no file differs.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from floeberg._keywords import says_keywords, says_keywords_of_methods
from floeberg.comparing import TableDiff
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions import ALWAYS_TRUE
from floeberg.lance import LanceTable
from floeberg.scan.rows import StreamedRows
from floeberg.scan.scan import Scan
from floeberg.spark.diff_tasks import CountChanges, CountMatched, GiveChanges, GiveMatched, SpreadChanges
from floeberg.spark.session.conf import changed_settings
from floeberg.spark.session.environment import check_pyspark, check_session, cores, own_cores
from floeberg.spark.session.partitions import in_partitions
from floeberg.spark.session.piece_limits import small_batches
from floeberg.spark.session.task_errors import own_errors
from floeberg.spark.session.tasks import mapped, run_tasks
from floeberg.spark.tables import open_named

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from floeberg.catalog import Catalog
    from floeberg.expressions import AnyFilter
    from floeberg.scan.batch_stream import BatchStream
    from floeberg.spark.diff_tasks import Counts
    from floeberg.table import Table

__all__ = ["SparkTableDiff", "diff"]

_TASKS_A_CORE = 4
_BUCKET = 64 << 20
"""The bytes of files whose rows are a bucket."""
_PIECES = "bucket int, side int, rows binary"


@says_keywords
def diff(  # noqa: PLR0913 - all but four are keywords
    spark: SparkSession,
    table: str | Table,
    a: int | str | datetime,
    b: int | str | datetime | None = None,
    *,
    catalog: Catalog | str | None = None,
    key: Sequence[str] | None = None,
    row_filter: AnyFilter = ALWAYS_TRUE,
    selected_fields: Sequence[str] = ("*",),
) -> SparkTableDiff:
    """Compares two snapshots of an Iceberg table, their rows by tasks of Spark.

    Arguments and results are those of `Table.diff`. This process reads metadata and manifests; tasks open the files
    that differ, and match their rows. Rows are in no order.

    Args:
        spark: A session of PySpark 4.0 or later, classic or Spark Connect.
        table: The table's name in the catalog, a table directory or metadata file, or a table.
        a: The first snapshot: an id, the name of a branch or tag, or a datetime.
        b: The second snapshot, given likewise. By default, the one that the table was opened at, or the current one.
        catalog: The catalog, or its name in the configuration. By default, the configured default catalog.
        key: The columns that identify a row.
        row_filter: Compares only rows that match.
        selected_fields: Compares these columns; `*` is all.

    Returns:
        What differs. `SparkTableDiff.to_spark` gives the rows as a DataFrame.

    Raises:
        InvalidInputError: `spark` is not a session, or a column is unknown, or is a part of another one.
        NotFoundError: The table or a snapshot does not exist, or was expired.
        NotInstalledError: PySpark is not installed.
        UnsupportedError: It is a Lance table.
    """
    check_pyspark()
    check_session(spark)
    opened = open_named(table, catalog)
    if isinstance(opened, LanceTable):
        raise UnsupportedError("tasks of Spark do not compare Lance tables: call the diff of the table")
    if not isinstance(a, (int, str)) and not hasattr(a, "tzinfo"):
        raise InvalidInputError(
            f"a: expected a snapshot id, the name of a branch or tag, or a datetime, found an object of type "
            f"{type(a).__name__}: tasks of Spark compare snapshots of one table"
        )
    found = opened.diff(a, b, key=key, row_filter=row_filter, selected_fields=selected_fields)
    return SparkTableDiff(spark, found)


@says_keywords_of_methods
class SparkTableDiff(StreamedRows, TableDiff):
    """What differs between two snapshots, found by tasks of Spark.

    It has the methods of `floeberg.TableDiff`, and `to_spark`. The methods that give rows, other than `to_spark`, bring
    them to this process. It cannot be pickled.
    """

    def __init__(self, spark: SparkSession, found: TableDiff) -> None:
        """Use `diff`."""
        super().__init__(*found.__reduce__()[1])
        self._spark = spark

    def to_spark(self) -> DataFrame:
        """The rows that differ, as a DataFrame. Files are found now, and opened by each query of it.

        Returns:
            A DataFrame of the columns `_change`, `_changed_columns`, `before` and `after`.

        Raises:
            InvalidDataError: A manifest is damaged. The error names it.
            NotFoundError: A manifest is missing.
            UnsupportedError: Spark has no type for a column. The error names it.
        """
        with own_errors():
            struct = self._struct()
            rows = self._frame(struct, packed=False)
            # Of a condition that is never true, Spark makes no job.
            return self._spark.createDataFrame([], struct).where("false") if rows is None else rows

    def _struct(self) -> StructType:
        from pyspark.sql import types  # noqa: PLC0415 - importing floeberg.spark imports nothing large

        from floeberg.spark.read.types import spark_struct  # noqa: PLC0415 - the same

        compared = Scan(self._inner.compared()).projection().fields
        columns = spark_struct(compared, truncate_nanoseconds=True)
        row = types.StructType([types.StructField(each.name, each.dataType) for each in columns.fields])
        text = types.StringType()
        return types.StructType(
            [
                types.StructField("_change", text, nullable=False),
                types.StructField("_changed_columns", types.ArrayType(text, containsNull=False)),
                types.StructField("before", row),
                types.StructField("after", row),
            ]
        )

    def _frame(self, schema: StructType | str, *, packed: bool) -> DataFrame | None:
        """The rows by tasks; `None` where no file differs."""
        found = self._tasks()
        if found is None:
            return None
        frame, columns, buckets = found
        if buckets is None:
            return mapped(frame, GiveChanges(packed), schema, "floeberg_diff")
        return mapped(self._spread(frame, buckets), GiveMatched(columns, packed), schema, "floeberg_match")

    def _tasks(self) -> tuple[DataFrame, bytes, int | None] | None:
        """A row for each task, the columns, and how many buckets rows are matched in, if they are."""
        most = _TASKS_A_CORE * (cores(self._spark) or own_cores())
        found = self._inner.tasks(most)
        if found is None or not found[0]:
            return None
        tasks, columns, is_matched, size, _ = found
        frame = self._spark.createDataFrame(list(enumerate(tasks)), "number int, task binary")
        frame = in_partitions(frame, len(tasks), "number").select("task")
        return frame, columns, -(-size // _BUCKET) or 1 if is_matched else None

    @staticmethod
    def _spread(frame: DataFrame, buckets: int) -> DataFrame:
        pieces = mapped(frame, SpreadChanges(buckets), _PIECES, "floeberg_spread")
        return in_partitions(pieces, buckets, "bucket").sortWithinPartitions("side")

    def _counted(self) -> Counts:
        if self._counts is None:
            found = self._inner.tasks(1)
            known = (0, 0, 0, {}) if found is None else found[4]
            self._counts = self._counted_by_tasks() if known is None else known
        return self._counts

    def _counted_by_tasks(self) -> Counts:
        with own_errors():
            found = self._tasks()
            if found is None:
                return 0, 0, 0, {}
            frame, columns, buckets = found
            counts: list[list[Counts]]
            if buckets is None:
                counts = run_tasks(frame, CountChanges())
            else:
                with changed_settings(self._spark, small_batches(self._spark)):
                    counts = run_tasks(self._spread(frame, buckets), CountMatched(columns))
        inserted, deleted, updated, changed = 0, 0, 0, Counter[str]()
        for of_task in counts:
            for each in of_task:
                inserted, deleted, updated = inserted + each[0], deleted + each[1], updated + each[2]
                changed.update(each[3])
        return inserted, deleted, updated, dict(sorted(changed.items()))

    def has_changed_rows(self) -> bool:
        """Whether any row differs. All rows of files that differ are matched, by tasks.

        Returns:
            Whether a row was inserted, deleted or updated.

        Raises:
            InvalidDataError: A file is damaged.
            NotFoundError: A file is missing.
        """
        return any(self._counted()[:3])

    def _open(self) -> BatchStream:
        with own_errors(), changed_settings(self._spark, small_batches(self._spark)):
            rows = self._frame("rows binary", packed=True)
            packed = None if rows is None else rows.toArrow()
        return _Packed([] if packed is None else packed.column("rows").to_pylist())

    def __repr__(self) -> str:
        return (
            f"SparkTableDiff(from_snapshot_id={self.from_snapshot_id}, to_snapshot_id={self.to_snapshot_id})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        raise InvalidInputError("a difference with a session of Spark cannot be pickled: pickle Table.diff")


class _Packed:
    """Batches, each as bytes in Arrow's format."""

    def __init__(self, packed: list[bytes]) -> None:
        self._packed = iter(packed)

    def next_batch(self) -> pa.RecordBatch | None:
        import pyarrow as pa  # noqa: PLC0415 - the same

        for each in self._packed:
            with pa.ipc.open_stream(each) as reader:
                return reader.read_next_batch()
        return None

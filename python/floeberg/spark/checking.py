"""How do tasks of Spark check the files of a table?

```text
metadata, manifest lists, manifests   here                          ->  findings
the files of manifests                tasks of about as many files  ->  findings
```

Invariant: the findings are those of `Table.check`. Those of files are in another order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg._keywords import says_keywords
from floeberg.checking.checks import Check, checked_request
from floeberg.errors import UnsupportedError
from floeberg.lance import LanceTable
from floeberg.spark.session.environment import check_pyspark, check_session, cores, own_cores, task_threads
from floeberg.spark.session.partitions import in_partitions
from floeberg.spark.session.task_errors import own_errors
from floeberg.spark.session.tasks import mapped
from floeberg.spark.session.worker_pickle import Sent
from floeberg.spark.tables import open_named

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa
    from pyspark.sql import SparkSession

    from floeberg.catalog import Catalog
    from floeberg.checking.finding import Level
    from floeberg.table import Table

__all__ = ["FINDINGS", "check", "findings"]

FINDINGS = (
    "rule string, level string, severity string, section string, location string, part string, message string, "
    "snapshot_id bigint, engines string, repair string"
)
"""The columns of findings."""
_FOUND = ("rule", "location", "part", "message", "snapshot_id")
_TASKS_A_CORE = 4


@says_keywords
def check(  # noqa: PLR0913 - all but three are keywords
    spark: SparkSession,
    table: str | Table,
    level: Level = "rows",
    *,
    catalog: Catalog | str | None = None,
    snapshot_id: int | None = None,
    since: int | None = None,
    all_snapshots: bool = False,
    sample: float | None = None,
) -> Check:
    """Checks whether an Iceberg table is what the specification says, its files by tasks of Spark.

    Arguments and findings are those of `Table.check`. This process reads metadata and manifests; tasks open the files.

    Args:
        spark: A session of PySpark 4.0 or later, classic or Spark Connect.
        table: The table's name in the catalog, a table directory or metadata file, or a table.
        level: How deep: `metadata`, `manifests`, `files` or `rows`.
        catalog: The catalog, or its name in the configuration. By default, the configured default catalog.
        snapshot_id: Checks the files of this snapshot, and not of the current one.
        since: Checks what is new since this snapshot.
        all_snapshots: Whether the files of all snapshots are checked.
        sample: The part of the files that is opened, such as 0.01.

    Returns:
        The check, which is run as its findings are taken.

    Raises:
        InvalidInputError: `spark` is not a session, or an argument is one that `Table.check` refuses.
        NotFoundError: The table does not exist.
        NotInstalledError: PySpark is not installed.
        UnsupportedError: It is a Lance table.
    """
    check_pyspark()
    check_session(spark)
    opened = open_named(table, catalog)
    if isinstance(opened, LanceTable):
        raise UnsupportedError("tasks of Spark do not check Lance tables: call the check of the table")
    request = checked_request(level, snapshot_id, since, sample, all_snapshots=all_snapshots)
    inner = opened._inner  # noqa: SLF001 - the package's own

    def begin() -> Any:  # noqa: ANN401 - what a check takes its findings from
        return _CheckByTasks(spark, inner, _native.Check.of_table(inner, leaves_files=True, **request), level)

    return Check(begin, f"{inner.metadata_location!r}, {level!r}")


def findings(spark: SparkSession, table: Table, given: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """What CALL gives of a check: a row of the columns `FINDINGS` for each finding."""
    rows = check(spark, table, **given).to_arrow()
    return list(zip(*(column.to_pylist() for column in rows.columns), strict=True))


class _CheckByTasks:
    """A check, once through: see `floeberg._native.Check`."""

    def __init__(self, spark: SparkSession, table: _native.Table, here: _native.Check, level: str) -> None:
        """Nothing is read yet."""
        self._spark = spark
        self._table = table
        self._here = here
        self._level = level

    def next_findings(self) -> list[tuple[str, str, str, str, int | None]]:
        """The next findings: those that are made here, and then those of tasks. Empty at the end."""
        if found := self._here.next_findings():
            return found
        rows = self._of_tasks()
        if rows is None:
            return []
        return list(zip(*(rows[name].to_pylist() for name in _FOUND), strict=True))

    def read_all(self) -> pa.Table:
        """All findings that are left, as rows."""
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg.spark imports nothing large

        here = pa.table(cast("Any", self._here.read_all()))
        rows = self._of_tasks()
        return here if rows is None else pa.concat_tables([here, rows.cast(here.schema)])

    def _of_tasks(self) -> pa.Table | None:
        """The findings of files; `None` where no files are left."""
        most = _TASKS_A_CORE * (cores(self._spark) or own_cores())
        left = self._here.file_tasks(most)
        if left is None or not left[1]:
            return None
        metadata, tasks = left
        rows = list(enumerate(tasks))
        with own_errors():
            frame = self._spark.createDataFrame(rows, "number int, task string")
            frame = in_partitions(frame, len(tasks), "number").select("task")
            work = _CheckFiles(self._table, metadata, self._level)
            return mapped(frame, work, FINDINGS, "floeberg_check").toArrow()


@dataclass(frozen=True)
class _CheckFiles(Sent):
    """Checks files.

    Args:
        table: The table, for its store.
        metadata: The metadata that is checked.
        level: How deep.
    """

    table: _native.Table
    metadata: str
    level: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa  # noqa: PLC0415 - the same

        threads = task_threads() or own_cores()
        for batch in batches:
            for task in batch.column(0).to_pylist():
                found = _native.check_files(
                    self.table, task, metadata=self.metadata, level=self.level, threads=threads
                )
                yield from pa.table(cast("Any", found)).to_batches()

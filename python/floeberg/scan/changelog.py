"""Which rows did a range of snapshots insert, delete and update?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg import _native
from floeberg._arguments import checked_bool, checked_int
from floeberg._engines import of_spark
from floeberg._keywords import says_keywords_of_methods
from floeberg.scan.analysis import read_through
from floeberg.scan.changelog_explain import ChangelogExplain
from floeberg.scan.reported import Part, ReportedParts, Whole
from floeberg.scan.rows import RowSource

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from floeberg.progress.reporting import Reporter
    from floeberg.scan.batch_stream import BatchStream

__all__ = ["ChangelogScan"]

SparkOptions: TypeAlias = "dict[str, int | bool | None]"


@says_keywords_of_methods
class ChangelogScan(RowSource[_native.ChangelogScan]):
    """Changes of rows, as `Table.changelog_scan` describes them.

    It is immutable and can be pickled, as a `Scan`. Nothing is read until you ask for rows or files.

    Examples:
        >>> changes = table.changelog_scan("first")
        >>> sorted(set(changes.to_arrow()["_change_type"].to_pylist()))
        ['INSERT']
    """

    @property
    def from_snapshot_id_exclusive(self) -> int | None:
        """The snapshot after which changes are read; `None` where it is from the first on."""
        return self._inner.start

    @property
    def to_snapshot_id_inclusive(self) -> int | None:
        """The last snapshot whose changes are read; `None` for an empty table."""
        return self._inner.scan().snapshot_id

    def to_spark(
        self,
        spark: SparkSession,
        *,
        partitions: int | None = None,
        split_size: int | None = None,
        threads: int | None = None,
        truncate_nanoseconds: bool = False,
    ) -> DataFrame:
        """Makes a DataFrame of these changes.

        Tasks of Spark read the files of appends. The changes of a snapshot that deletes or replaces rows are found by
        one task, and so are net changes. Rows come in no order: `_change_ordinal` has that of the snapshots.

        Args:
            spark: A session of PySpark 4.0 or later, classic or Spark Connect.
            partitions: The maximum number of partitions. By default, two for each core, or more for large appends.
            split_size: Without `partitions`, the maximum size of a partition of appended rows in bytes. By default, the
                table's property `read.split.target-size`, or 128 MiB.
            threads: Threads of a task that reads appended rows. By default, `FLOEBERG_THREADS` of the workers, or one.
            truncate_nanoseconds: Whether nanoseconds may be truncated to Spark's microseconds.

        Returns:
            A `pyspark.sql.DataFrame`.

        Raises:
            NotInstalledError: PySpark is not installed, or its workers lack Floeberg: `pip install 'floeberg[spark]'`.
            UnsupportedError: PySpark is older than 4.0, or Spark has no type for a column.
        """
        options = {
            "partitions": None if partitions is None else checked_int("partitions", partitions),
            "split-size": None if split_size is None else checked_int("split_size", split_size),
            "threads": None if threads is None else checked_int("threads", threads),
            "truncate-nanoseconds": checked_bool("truncate_nanoseconds", truncate_nanoseconds),
        }
        return of_spark("changelog_frame")(self, spark, options)

    def plan_files(self) -> pa.RecordBatch:
        """Finds the files with changed rows.

        Returns:
            A row for each file and snapshot: `change_ordinal`, `commit_snapshot_id`, `change_type` (`INSERT` or
            `DELETE`), `file_path`, `record_count` and `file_size_in_bytes` of the file, and `changed_rows`, with rows
            that were only carried over. `changed_rows` is null where the file has to be read to know it.

        Raises:
            InvalidDataError: A manifest is damaged. The error names it.
            NotFoundError: A manifest or a delete file is missing.

        Examples:
            >>> plan = table.changelog_scan().plan_files()
            >>> plan["change_type"].to_pylist()[:2]
            ['INSERT', 'INSERT']
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        return pa.record_batch(cast("Any", self._inner.plan()))

    def explain(self, *, analyze: bool = False) -> ChangelogExplain:
        """What the changes are found in.

        Args:
            analyze: Whether to read all changes too, without keeping them, and to show how long it took.

        Returns:
            The result: `print` it, or use its fields.

        Raises:
            InvalidDataError: A manifest is damaged. The error names it.
            NotFoundError: A manifest or a delete file is missing.

        Examples:
            >>> explain = table.changelog_scan().explain(analyze=True)
            >>> explain.snapshots == len(table.versions()), explain.analysis.rows > 0
            (True, True)
        """
        import pyarrow.compute as pc  # noqa: PLC0415

        plan = self.plan_files()
        inserted = pc.sum(pc.equal(plan["change_type"], "INSERT")).as_py() or 0
        return ChangelogExplain(
            from_snapshot_id_exclusive=self.from_snapshot_id_exclusive,
            to_snapshot_id_inclusive=self.to_snapshot_id_inclusive,
            is_net=self._inner.is_net,
            snapshots=len(self._inner.snapshots()),
            inserted_files=inserted,
            deleted_files=len(plan) - inserted,
            compared_files=plan["changed_rows"].null_count,
            records=pc.sum(plan["record_count"]).as_py() or 0,
            size_in_bytes=pc.sum(plan["file_size_in_bytes"]).as_py() or 0,
            analysis=read_through(self._open) if checked_bool("analyze", analyze) else None,
        )

    def _open_reported(self, reporter: Reporter) -> BatchStream:
        return ReportedParts(reporter, self._parts)

    def _parts(self) -> tuple[Whole, list[Part]]:
        """The changes of each snapshot; net changes are one part."""
        import pyarrow.compute as pc  # noqa: PLC0415

        plan = self.plan_files()
        size = plan["file_size_in_bytes"]
        whole = Whole(len(plan), pc.sum(plan["record_count"]).as_py() or 0, pc.sum(size).as_py() or 0)
        if self._inner.is_net:
            return whole, [Part(self._open, whole.files, whole.bytes)]
        parts: list[Part] = []
        files = done = 0
        for ordinal, _, _ in self._inner.snapshots():
            mine = pc.equal(plan["change_ordinal"], ordinal)
            files += pc.sum(mine).as_py() or 0
            done += pc.sum(size.filter(mine)).as_py() or 0
            parts.append(Part(self._inner.only(ordinal).stream, files, done))
        return whole, parts

"""Which rows and columns of which snapshot are read?

A scan is a description. Each method returns a new one, and nothing is read until you ask for rows, files or a count.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from floeberg import _native
from floeberg._arguments import checked_bool, checked_int, checked_names, checked_text
from floeberg._display import facts_html
from floeberg._engines import of_spark
from floeberg._keywords import says_keywords_of_methods
from floeberg._pyiceberg_names import SpelledLikePyIceberg
from floeberg._timestamps import Moment, milliseconds
from floeberg.errors import InvalidInputError
from floeberg.expressions import AnyFilter, as_expression
from floeberg.expressions._literals import from_tree
from floeberg.metrics.reports import CounterResult
from floeberg.scan.analysis import Analysis, PlanningAnalysis, ReadingAnalysis
from floeberg.scan.engine_frames import EngineFrames
from floeberg.scan.explain import AggregateResult, explain_of
from floeberg.scan.metrics_report import PlanTimer, report_scan
from floeberg.scan.plan import Plan
from floeberg.scan.polars_frames import LazyRows
from floeberg.scan.reported import Part, ReportedParts, Whole, parts_of_plan
from floeberg.scan.rows import FirstRows, RowSource
from floeberg.types._from_json import read_schema, read_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from floeberg.expressions._literals import LiteralValue
    from floeberg.metrics.delivery import MetricsSink
    from floeberg.progress.reporting import Reporter
    from floeberg.scan.batch_stream import BatchStream
    from floeberg.scan.explain import Explain
    from floeberg.scan.scan_protocol import Reader
    from floeberg.types import Schema, Snapshot

__all__ = ["Scan"]

SparkOptions: TypeAlias = "dict[str, int | bool | None]"
Planning: TypeAlias = Literal["auto", "local", "distributed"]


@says_keywords_of_methods
class Scan(EngineFrames, RowSource[_native.Scan], LazyRows, SpelledLikePyIceberg):
    """Rows of a table, as `Table.scan` describes them.

    A scan is immutable and can be pickled. The unpickled scan reads the same snapshot. A scan holds no open files or
    connections, so it can be used after a fork.

    Examples:
        >>> scan = table.scan(row_filter="id > 1").select("id")
        >>> scan.to_arrow().column_names
        ['id']
    """

    _spelled_as = "Scan"

    def __init__(
        self,
        native: _native.Scan,
        *,
        metrics: MetricsSink | None = None,
        whole: Callable[[], _native.Scan] | None = None,
    ) -> None:
        """Use `Table.scan`. A scan that was sent to another process reports nothing.

        Args:
            native: The scan.
            metrics: Where reports go.
            whole: Makes the same scan of the table with all snapshots, where it has some of them.
        """
        super().__init__(native)
        self._metrics = metrics
        self._of_all = whole

    def _with(self, step: Callable[[_native.Scan], _native.Scan]) -> Scan:
        """Another scan of the same table."""
        of_all = self._of_all
        whole = None if of_all is None else lambda: step(of_all())
        return Scan(step(self._inner), metrics=self._metrics, whole=whole)

    def _whole(self) -> _native.Scan:
        """The same scan of the table with all snapshots."""
        return self._inner if self._of_all is None else self._of_all()

    def _report(self, metrics: Mapping[str, Any] | None = None) -> None:
        """Has a read reported."""
        report_scan(self._metrics, self._inner, metrics or {})

    def _read_all(self) -> object:
        rows = super()._read_all()
        self._report()
        return rows

    def _open(self) -> BatchStream:
        stream = super()._open()
        self._report()
        return stream

    def _open_reported(self, reporter: Reporter) -> BatchStream:
        limit = self._inner.limit

        def begin() -> tuple[Whole, Sequence[Part]]:
            plan = self._inner.plan()
            self._report()
            if limit is None:
                return parts_of_plan(plan)
            # A group of a plan does not know how many rows the others have.
            return Whole(rows=min(limit, plan.explain()["records"])), [Part(super(Scan, self)._open, 0, 0)]

        return ReportedParts(reporter, begin)

    def _row_limit(self) -> int | None:
        return self._inner.limit

    def _open_first(self, rows: int) -> BatchStream:
        """Begins to read the first rows."""
        if self._inner.limit is not None:
            return self._open()
        stream = FirstRows(self._inner.plan(), rows)
        self._report()
        return stream

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        stream = super().__arrow_c_stream__(requested_schema)
        self._report()
        return stream

    def filter(self, row_filter: AnyFilter) -> Scan:
        """Keeps only rows that match this filter and the earlier ones.

        Args:
            row_filter: SQL text, a comparison of `fb.col`, or another filter.

        Returns:
            A new scan.

        Raises:
            InvalidInputError: The filter names an unknown column or has a literal of a wrong type.

        Examples:
            >>> table.scan().filter("id > 1").filter("id < 4").count()
            2
        """
        argument = as_expression(row_filter).as_tree()
        return self._with(lambda inner: inner.filter(argument))

    def select(self, *field_names: str) -> Scan:
        """Reads only these columns, in the order of the schema, followed by metadata columns.

        Metadata columns are `_file`, `_pos`, `_deleted`, `_spec_id`, `_partition`, `_row_id` and
        `_last_updated_sequence_number`. `_deleted` marks deleted rows, and includes them.

        Args:
            *field_names: Names of columns. Nested ones are dotted. `*` is all columns except metadata columns.

        Returns:
            A new scan.

        Raises:
            InvalidInputError: The column does not exist. The error names near matches.

        Examples:
            >>> table.scan().select("cat", "id").to_arrow().column_names
            ['id', 'cat']
            >>> table.scan(row_filter="_pos = 0").select("_pos", "*").to_arrow().column_names
            ['id', 'cat', 'v', '_pos']
        """
        argument = checked_names("field_names", field_names)
        return self._with(lambda inner: inner.select(argument))

    def with_case_sensitive(self, case_sensitive: bool = True) -> Scan:  # noqa: FBT001, FBT002 - PyIceberg's order
        """Finds names of columns with or without regard to case.

        Args:
            case_sensitive: Whether the case counts.

        Returns:
            A new scan.

        Raises:
            InvalidInputError: A name of the filter or a selected one is unknown, or means several columns.

        Examples:
            >>> table.scan().with_case_sensitive(False).filter("ID = 1").count()
            1
        """
        argument = checked_bool("case_sensitive", case_sensitive)
        return self._with(lambda inner: inner.with_case_sensitive(argument))

    def snapshot(self) -> Snapshot | None:
        """The snapshot that is read; `None` of a table without one.

        Examples:
            >>> table.scan().snapshot() == table.current_snapshot()
            True
        """
        wanted = self.snapshot_id
        return None if wanted is None else read_snapshot(self._inner, wanted)

    def use_ref(self, name: str) -> Scan:
        """Reads a branch, with the table's current schema, or a tag, with the schema of its snapshot.

        Args:
            name: The name of the branch or tag.

        Returns:
            A new scan.

        Raises:
            InvalidInputError: A snapshot was chosen already.
            NotFoundError: The ref does not exist.

        Examples:
            >>> table.scan().use_ref("first").snapshot_id == table.refs()["first"].snapshot_id
            True
        """
        self._check_free()
        argument = checked_text("name", name)
        return self._with(lambda inner: inner.use_ref(argument))

    def as_of(self, moment: Moment) -> Scan:
        """Reads the snapshot that was current at a time, with its schema.

        Args:
            moment: A datetime with a zone, milliseconds from 1970-01-01 UTC, or an ISO 8601 string with a zone.

        Returns:
            A new scan.

        Raises:
            InvalidInputError: The time has no zone, or a snapshot was chosen already.
            NotFoundError: The table had no snapshot then.

        Examples:
            >>> entry = table.history()[0]
            >>> table.scan().as_of(entry.timestamp_ms).snapshot_id == entry.snapshot_id
            True
        """
        self._check_free()
        time = milliseconds(moment)
        # The snapshot may be one that no branch names.
        return Scan(self._whole().as_of(time), metrics=self._metrics)

    def _check_free(self) -> None:
        if self._inner.is_pinned:
            raise InvalidInputError(
                "choose one snapshot: the scan already has a snapshot, branch, tag or time"
            )

    @property
    def snapshot_id(self) -> int | None:
        """The snapshot that is read; `None` for an empty table."""
        return self._inner.snapshot_id

    def schema(self) -> Schema:
        """The schema in which names are looked up: the snapshot's, or the table's current one."""
        return read_schema(json.loads(self._inner.schema_json()))

    def projection(self) -> Schema:
        """The columns that are read.

        Examples:
            >>> table.scan(selected_fields=("v", "id")).projection().column_names
            ['id', 'v']
        """
        return read_schema(json.loads(self._inner.projection_json()))

    def plan_files(self) -> Plan:
        """Finds the files to read, and the deletes that apply to them.

        The manifest list and the delete manifests are read at once. Data manifests are read when you use the plan.

        Returns:
            The plan, as columns; its length is the number of data files.

        Raises:
            InvalidDataError: A manifest is damaged. The error names it.
            NotFoundError: A manifest is missing.

        Examples:
            >>> plan = table.scan(row_filter="id = 1").plan_files()
            >>> [task.file.record_count for task in plan] == plan.to_arrow()["record_count"].to_pylist()
            True
        """
        if self._metrics is None:
            return Plan(self._inner.plan())
        timer = PlanTimer(self._metrics, self._inner)
        with timer.reading():
            plan = self._inner.plan()
        return Plan(plan, timer)

    def to_spark(  # noqa: PLR0913 - the parts of one read
        self,
        spark: SparkSession,
        *,
        reader: Reader = "auto",
        planning: Planning = "auto",
        partitions: int | None = None,
        split_size: int | None = None,
        threads: int | None = None,
        truncate_nanoseconds: bool = False,
    ) -> DataFrame:
        """Makes a DataFrame of these columns and rows, at this snapshot.

        Spark's own Parquet reader reads each file whose footer proves that the rows are the same. For these files,
        Spark's column pruning and filter pushdown work, and Spark knows their size. Floeberg reads the other files in
        Spark's Python workers. The arguments after `planning` affect only them. This call itself reads metadata and
        footers.

        Args:
            spark: A session of PySpark 4.0 or later, classic or Spark Connect.
            reader: `"auto"` chooses for each file, `"native"` is Spark's reader or an error, `"arrow"` is Floeberg's
                reader.
            planning: `"auto"`, `"local"` or `"distributed"`: whether this process or Spark's tasks read manifests, as
                for `floeberg.spark.plan_files`. If tasks do and `reader` is `"arrow"`, no process holds the plan.
            partitions: The maximum number of partitions. By default, two for each core, or more for large tables.
            split_size: Without `partitions`, the maximum size of a partition in bytes. By default, the table's property
                `read.split.target-size`, or 128 MiB.
            threads: Threads of each task. By default, `FLOEBERG_THREADS` of the workers, or one.
            truncate_nanoseconds: Whether nanoseconds may be truncated to Spark's microseconds.

        Returns:
            A `pyspark.sql.DataFrame`.

        Raises:
            NotInstalledError: PySpark is not installed, or its workers lack Floeberg: `pip install 'floeberg[spark]'`.
            UnsupportedError: PySpark is older than 4.0, Spark has no type for a column, or `reader` is `"native"` and
                Spark's reader cannot read a file.
        """
        options = {
            "partitions": None if partitions is None else checked_int("partitions", partitions),
            "split-size": None if split_size is None else checked_int("split_size", split_size),
            "threads": None if threads is None else checked_int("threads", threads),
            "truncate-nanoseconds": checked_bool("truncate_nanoseconds", truncate_nanoseconds),
        }
        return of_spark("frame_of")(self, spark, options, reader, planning)

    def _repr_html_(self) -> str:
        facts = {"reads": repr(self), "snapshot": self.snapshot_id}
        return facts_html("Scan", facts, self.projection()._repr_html_())

    def count(self) -> int:
        """Counts the rows.

        Files without deletes whose rows all match are counted from metadata. If such a file has position deletes or a
        deletion vector, only the deletes are read. For other files, the columns of the filter and of equality deletes
        are read. `explain(count=True)` shows how many files had to be read.

        Returns:
            The number of rows.

        Raises:
            InvalidDataError: A file is damaged.

        Examples:
            >>> table.scan().count()
            9
        """
        number, account = self._inner.count()
        self._report({"result-data-files": CounterResult(account["files"])})
        return number

    def min(self, column: str) -> LiteralValue | None:
        """Finds the smallest value of a column.

        Bounds in the metadata may be below the true minimum, so they only select the files to read. A file is read if
        its bound is below the smallest value found so far. If bounds are exact, that is one file. `explain(min=...)`
        shows how many files were read.

        Nulls and NaN are ignored, as in bounds; -0.0 equals 0.0. Strings, UUIDs and binary values are compared as
        unsigned bytes.

        Args:
            column: The name of a column; nested ones are dotted.

        Returns:
            The value, in the type of a filter's literal; a `TypedLiteral` for nanoseconds. `None` where no row has one.

        Raises:
            InvalidInputError: The column does not exist, its values have no order, or the scan has a limit.

        Examples:
            >>> table.scan(row_filter="cat = 'b'").min("v"), table.scan(row_filter="id < 0").min("v")
            (10, None)
        """
        return self._reported(self._extreme(column, largest=False))

    def max(self, column: str) -> LiteralValue | None:
        """Finds the largest value of a column, as `min` finds the smallest.

        Args:
            column: The name of a column; nested ones are dotted.

        Returns:
            The value, in the type of a filter's literal; a `TypedLiteral` for nanoseconds. `None` where no row has one.

        Raises:
            InvalidInputError: The column does not exist, its values have no order, or the scan has a limit.

        Examples:
            >>> table.scan().max("cat")
            'd'
        """
        return self._reported(self._extreme(column, largest=True))

    def _reported(self, found: AggregateResult) -> LiteralValue | None:
        self._report({"result-data-files": CounterResult(found.files)})
        return cast("LiteralValue | None", found.value)

    def _extreme(self, column: str, *, largest: bool) -> AggregateResult:
        name = checked_text("column", column)
        literal, account = self._inner.extreme(name, largest)
        value = None if literal is None else from_tree(literal)
        return _answer(f"{'max' if largest else 'min'}({name})", value, account)

    def explain(  # noqa: PLR0913 - one keyword each
        self,
        *,
        verbose: bool = False,
        count: bool = False,
        min: str | Sequence[str] = (),  # noqa: A002 - the words that users know
        max: str | Sequence[str] = (),  # noqa: A002
        spark: SparkSession | None = None,
        analyze: bool = False,
    ) -> Explain:
        """Plans, and shows what was read, what was dropped, and why.

        Args:
            verbose: Whether to name the manifests and files that were dropped and kept.
            count: Whether to count the rows too, and to show which files had to be read.
            min: Columns to find the smallest values of.
            max: Columns to find the largest values of.
            spark: A Spark session, to show which files Spark reads, which files Floeberg reads, and why.
            analyze: Whether to read all rows too, without keeping them, and to show where the time went, and which row
                groups and pages were skipped.

        Returns:
            The result: `print` it, or use its fields.

        Examples:
            >>> explain = table.scan(row_filter="id < 0").explain()
            >>> explain.data_files, explain.filter
            (0, 'id < 0')
            >>> named = table.scan(row_filter="id > 3").explain(verbose=True)
            >>> len(named.stages[-1].dropped[0].files), len(named.files), len(named.manifests.files)
            (1, 2, 3)
            >>> for result in table.scan().explain(count=True, max="v").aggregates:
            ...     print(result)
            count = 9: of 3 data files 3 by metadata, 0 not needed, read none
            max(v) = 80: of 3 data files 1 by metadata, 2 not needed, read none
        """
        # The first planning: the next one finds manifests in memory.
        analysis = self._analysis() if checked_bool("analyze", analyze) else None
        aggregates = []
        if checked_bool("count", count):
            aggregates.append(_answer("count", *self._inner.count()))
        for name, columns in (("min", min), ("max", max)):
            names = checked_names(name, (columns,) if isinstance(columns, str) else columns)
            aggregates.extend(self._extreme(column, largest=name == "max") for column in names)
        named = checked_bool("verbose", verbose)
        explain = (
            explain_of(self._inner.explain_with_names()) if named else Plan(self._inner.plan()).explain()
        )
        lanes = () if spark is None else of_spark("lanes_told")(self, spark)
        return replace(explain, aggregates=tuple(aggregates), lanes=lanes, analysis=analysis)

    def _analysis(self) -> Analysis:
        planning, reading = self._inner.analyze()
        return Analysis(PlanningAnalysis(**planning), ReadingAnalysis(**reading))


def _answer(of: str, value: LiteralValue | None, metrics: dict[str, Any]) -> AggregateResult:
    return AggregateResult(of=of, value=value, **{**metrics, "read": tuple(metrics["read"])})

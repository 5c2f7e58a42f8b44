"""Which rows and columns of a Lance table are read?

A scan is a description. Each method returns a new one, and nothing is read until you ask for rows or a count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg._arguments import checked_bool, checked_names, checked_size
from floeberg._display import facts_html, rows_html
from floeberg._engines import of_spark
from floeberg._keywords import says_keywords_of_methods
from floeberg.expressions import AnyFilter, as_expression
from floeberg.expressions._parsing import expression_of_tree
from floeberg.lance.pages import pages_of
from floeberg.lance.plan import LanceExplain, LancePlan
from floeberg.scan.analysis import read_through
from floeberg.scan.polars_frames import LazyRows
from floeberg.scan.reported import MOST_PARTS, Part, ReportedParts, Whole
from floeberg.scan.rows import StreamedRows

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from floeberg import _native
    from floeberg.progress.reporting import Reporter
    from floeberg.scan.batch_stream import BatchStream

__all__ = ["LanceScan"]

SparkOptions: TypeAlias = "dict[str, int | bool | None]"


@says_keywords_of_methods
class LanceScan(StreamedRows, LazyRows):
    """Rows of a Lance table, as `LanceTable.scan` describes them.

    A scan is immutable and can be pickled. The unpickled scan reads the same version. A scan holds no open files or
    connections.

    Examples:
        >>> scan = lance_table.scan(row_filter="id < 3").select("id")
        >>> scan.to_arrow().to_pydict()
        {'id': [0, 1]}
    """

    __slots__ = ("_inner",)

    _inner: _native.LanceScan

    def __init__(self, native: _native.LanceScan) -> None:
        """Use `LanceTable.scan`."""
        self._inner = native

    def filter(self, row_filter: AnyFilter) -> LanceScan:
        """Keeps only rows that match this filter and the earlier ones.

        Args:
            row_filter: SQL text, a comparison of `fb.col`, or another filter.

        Returns:
            A new scan.

        Raises:
            InvalidInputError: The filter names an unknown column or has a literal of a wrong type.

        Examples:
            >>> lance_table.scan().filter("id > 1").filter("id < 4").count()
            1
        """
        return LanceScan(self._inner.filter(as_expression(row_filter).as_tree()))

    def select(self, *field_names: str) -> LanceScan:
        """Reads only these columns, in the order of the table, followed by metadata columns.

        Metadata columns are `_rowid`, `_rowaddr`, `_row_created_at_version` and `_row_last_updated_at_version`. The
        last two are null if the table does not have stable row ids.

        Args:
            *field_names: Names of columns. Nested ones are dotted. `*` is all columns except metadata columns.

        Returns:
            A new scan.

        Raises:
            InvalidInputError: The column does not exist. The error names near matches.

        Examples:
            >>> lance_table.scan(row_filter="id = 15").select("_rowaddr", "id").to_arrow().to_pylist()
            [{'id': 15, '_rowaddr': 4294967296}]
        """
        return LanceScan(self._inner.select(checked_names("field_names", field_names)))

    @property
    def version(self) -> int:
        """The version that is read."""
        return self._inner.version

    def projection(self) -> pa.Schema:
        """The columns that are read.

        Returns:
            A `pyarrow.Schema`.
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        return cast("pa.Schema", pa.schema(cast("Any", self._inner)))

    def plan_files(self) -> LancePlan:
        """Finds the fragments to read. No file is opened.

        Returns:
            The plan, as columns; its length is the number of fragments.

        Raises:
            InvalidDataError: A fragment does not say how many rows it has.

        Examples:
            >>> [task.fragment_id for task in lance_table.scan().plan_files()]
            [0, 1, 2]
        """
        return LancePlan(self._inner.plan())

    def count(self) -> int:
        """Counts the rows.

        Without a filter, the manifest tells the number. With a filter, its columns are read.

        Returns:
            The number of rows.

        Raises:
            InvalidDataError: A file is damaged.
            NotInstalledError: There is a filter, and pylance is not installed.

        Examples:
            >>> lance_table.scan().count()
            29
        """
        known = self._inner.count_without_rows()
        if known is not None:
            return known
        columns = self._inner.select([])
        group = columns.plan().whole()
        return group.rows(pages_of(columns.storage_options), limit=columns.limit).count()

    def explain(self, *, analyze: bool = False) -> LanceExplain:
        """What the scan reads. No data file is opened, unless rows are read too.

        Args:
            analyze: Whether to read all rows too, without keeping them, and to show how long it took.

        Returns:
            The result: `print` it, or use its fields.

        Examples:
            >>> lance_table.scan(row_filter="id < 3").explain().fragments
            3
        """
        tree = self._inner.row_filter()
        plan = self.plan_files()
        fragments = plan.to_arrow()
        files = [file for task in plan for file in task.data_files]
        return LanceExplain(
            version=self.version,
            filter=None if tree[0] == "true" else str(expression_of_tree(tree)),
            columns=tuple(self.projection().names),
            fragments=len(plan),
            data_files=len(files),
            deletion_files=len(plan) - fragments["deletion_file"].null_count,
            physical_rows=sum(fragments["physical_rows"].to_pylist()),
            size_bytes=sum(file.size_bytes for file in files),
            limit=self._inner.limit,
            analysis=read_through(self._open) if checked_bool("analyze", analyze) else None,
        )

    def to_spark(
        self,
        spark: SparkSession,
        *,
        partitions: int | None = None,
        split_size: int | None = None,
        truncate_nanoseconds: bool = False,
    ) -> DataFrame:
        """Makes a DataFrame of these columns and rows, at this version.

        Spark's Python workers read the data files and need pylance. The driver does not.

        Args:
            spark: A session of PySpark 4.0 or later, classic or Spark Connect.
            partitions: The maximum number of partitions. By default, two for each core.
            split_size: Without `partitions`, the maximum size of a partition in bytes. By default, 128 MiB.
            truncate_nanoseconds: Whether nanoseconds may be truncated to Spark's microseconds.

        Returns:
            A `pyspark.sql.DataFrame`.

        Raises:
            NotInstalledError: PySpark is not installed: `pip install 'floeberg[spark,lance]'`.
            UnsupportedError: PySpark is older than 4.0, or Spark has no type for a column.
        """
        options = {
            "partitions": None if partitions is None else checked_size("partitions", partitions, 1),
            "split-size": None if split_size is None else checked_size("split_size", split_size, 1),
            "truncate-nanoseconds": checked_bool("truncate_nanoseconds", truncate_nanoseconds),
        }
        return of_spark("lance_frame")(self, spark, options)

    def _open(self) -> BatchStream:
        return self._rows(self._inner.limit)

    def _open_reported(self, reporter: Reporter) -> BatchStream:
        return ReportedParts(reporter, self._parts)

    def _parts(self) -> tuple[Whole, list[Part]]:
        """Groups of fragments, in the order of the plan. A large fragment is in several: it ends with the last."""
        import pyarrow.compute as pc  # noqa: PLC0415

        plan = self.plan_files()
        ends = pc.cumulative_sum(plan.to_arrow()["physical_rows"].cast("int64"))
        all_rows = ends[-1].as_py() if len(plan) else 0
        if self._inner.limit is not None:
            return Whole(rows=min(self._inner.limit, all_rows)), [Part(self._open, 0, 0)]
        parts: list[Part] = []
        rows = 0
        for group in plan.split(most_groups=MOST_PARTS):
            rows += group.physical_rows
            files = pc.sum(pc.less_equal(ends, rows)).as_py()
            parts.append(Part(group._open, files, 0))  # noqa: SLF001 - the room's own
        return Whole(len(plan), all_rows), parts

    def _open_first(self, rows: int) -> BatchStream:
        limit = self._inner.limit
        return self._rows(rows if limit is None else min(rows, limit))

    def _rows(self, limit: int | None) -> BatchStream:
        group = self._inner.plan().whole()
        return group.rows(pages_of(self._inner.storage_options), limit=limit)

    def _row_limit(self) -> int | None:
        return self._inner.limit

    def __arrow_c_schema__(self) -> object:
        return self._inner.__arrow_c_schema__()

    def __repr__(self) -> str:
        return repr(self._inner)

    def _repr_html_(self) -> str:
        columns = rows_html(("column", "type"), ((each.name, each.type) for each in self.projection()))
        return facts_html("LanceScan", {"reads": repr(self), "version": self.version}, columns)

    def __reduce__(self) -> tuple[type[LanceScan], tuple[_native.LanceScan]]:
        return type(self), (self._inner,)

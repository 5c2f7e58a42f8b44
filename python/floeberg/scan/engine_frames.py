"""How do engines that push columns and filters down get a scan?

In: a scan of an Iceberg table. Out: a dataset of pyarrow, or a view in DuckDB. Nothing is read before a query asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg._arguments import checked_text
from floeberg.scan.rows import connected
from floeberg.scan.scan_protocol import checked_reader

if TYPE_CHECKING:
    import duckdb
    import polars as pl

    from floeberg.scan.arrow_dataset import ArrowDataset
    from floeberg.scan.scan_protocol import Reader

__all__ = ["EngineFrames"]


class EngineFrames:
    """The methods of scans that make what engines query."""

    __slots__ = ()

    def to_arrow_dataset(self) -> ArrowDataset:
        """Makes a dataset for libraries that push columns and filters into a `pyarrow.dataset.Dataset`.

        No file is read yet. Each read uses the columns and the filter that the library asks for: files and row groups
        are skipped where metadata proves that no row matches, and pyarrow evaluates the filter on the other rows.

        Returns:
            The dataset.

        Examples:
            >>> import pyarrow.compute as pc
            >>> table.scan().to_arrow_dataset().to_table(columns=["id"], filter=pc.field("v") > 70).to_pylist()
            [{'id': 8}]
        """
        from floeberg.scan.arrow_dataset import ArrowDataset  # noqa: PLC0415 - it imports pyarrow

        return ArrowDataset(cast("Any", self))

    def _lazy_frame(self) -> pl.LazyFrame:
        """A frame whose files polars reads where it reads the same, or Floeberg, if polars is older than 2.1."""
        try:
            import polars as pl  # noqa: PLC0415 - importing floeberg imports nothing large

            from floeberg.scan.polars_lanes import ScanResolver  # noqa: PLC0415 - it imports polars
        except ImportError:
            return cast("Any", super())._lazy_frame()  # noqa: SLF001 - the other way of the same method
        # polars 2.1.0 panics where it asks a resolver for some columns and computes a window over them. With a step
        # between both it does not, and the step passes on columns, filters and limits.
        return ScanResolver(cast("Any", self)).lazy().with_columns(pl.all())

    def to_duckdb(
        self,
        table_name: str,
        connection: duckdb.DuckDBPyConnection | None = None,
        *,
        reader: Reader = "auto",
    ) -> duckdb.DuckDBPyConnection:
        """Makes a view in DuckDB, of which a query reads only what it needs.

        The view keeps the snapshot of this scan. The files must exist as long as the view is used. Filters and columns
        of a query reach the reader of the files, and have DuckDB's meaning: NaN equals NaN and is the largest number.

        DuckDB's own Parquet reader reads each file whose footer proves that the rows are the same. Files on other
        machines, files with deletes and files of other formats are left to Floeberg, in the same view. With `"auto"`,
        so is a scan of which Floeberg can skip more: one of many small files, or of very large row groups.

        Args:
            table_name: The name of the view.
            connection: The connection to make it in. By default, a new in-memory database.
            reader: `"auto"` chooses for each file, `"native"` is DuckDB's reader or an error, `"arrow"` is Floeberg's
                reader. With `"arrow"` this call reads nothing; otherwise it reads metadata and footers.

        Returns:
            The connection.

        Raises:
            InvalidInputError: `reader` is something else.
            NotInstalledError: duckdb is not installed: `pip install 'floeberg[duckdb]'`.
            UnsupportedError: `reader` is `"native"`, and DuckDB's reader cannot read a file.

        Examples:
            >>> table.scan().to_duckdb("rows").sql("select count(*) from rows").fetchall()
            [(9,)]
        """
        chosen, name = checked_reader(reader), checked_text("table_name", table_name)
        target = connected(connection)
        from floeberg.scan.duckdb_views import register_view  # noqa: PLC0415 - it imports pyarrow

        register_view(cast("Any", self), name, target, chosen)
        return target

"""How is a whole table read at once, without a scan of one's own?

In: a table of any format. Out: what its scan gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from floeberg._arguments import checked_size

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from floeberg.progress.report import ProgressCallback

__all__ = ["WholeTable"]

_ROWS = 10


class _Scan(Protocol):
    """What is asked of a scan here."""

    def count(self) -> int: ...
    def to_arrow(self, *, progress: ProgressCallback | bool | None = None) -> pa.Table: ...
    def to_pandas(self, **kwargs: Any) -> pd.DataFrame: ...  # noqa: ANN401 - passed on
    def to_polars(self, *, progress: ProgressCallback | bool | None = None) -> pl.DataFrame: ...
    def to_polars_lazy(self) -> pl.LazyFrame: ...
    def to_duckdb(
        self, table_name: str, connection: duckdb.DuckDBPyConnection | None = None
    ) -> duckdb.DuckDBPyConnection: ...


class WholeTable:
    """The methods of tables that read them without a filter. Each is a `scan()` and its method of the same name."""

    if TYPE_CHECKING:

        def scan(self, *, limit: int | None = None) -> Any: ...  # noqa: ANN401, D102 - the table's own

    def _all(self, limit: int | None = None) -> _Scan:
        return self.scan(limit=limit)

    def head(self, n: int = _ROWS) -> pa.Table:
        """Reads the first rows, in the order of the plan.

        Args:
            n: The most rows to read.

        Returns:
            A `pyarrow.Table`.

        Examples:
            >>> table.head(2).num_rows
            2
        """
        return self._all(checked_size("n", n)).to_arrow()

    def count(self) -> int:
        """Counts the rows, by metadata where that is enough.

        Examples:
            >>> table.count()
            9
        """
        return self._all().count()

    def to_arrow(self, *, progress: ProgressCallback | bool | None = None) -> pa.Table:
        """Reads all rows into a `pyarrow.Table`.

        Args:
            progress: As with `Scan.to_arrow`.
        """
        return self._all().to_arrow(progress=progress)

    def to_pandas(self, **kwargs: Any) -> pd.DataFrame:  # noqa: ANN401 - passed on
        """Reads all rows into a `pandas.DataFrame`.

        Args:
            **kwargs: As with `Scan.to_pandas`.
        """
        return self._all().to_pandas(**kwargs)

    def to_polars(self, *, progress: ProgressCallback | bool | None = None) -> pl.DataFrame:
        """Reads all rows into a `polars.DataFrame`.

        Args:
            progress: As with `Scan.to_polars`.
        """
        return self._all().to_polars(progress=progress)

    def to_polars_lazy(self) -> pl.LazyFrame:
        """Makes a lazy frame of polars, of which a query reads only what it needs.

        The frame keeps the current snapshot or version. `Scan.to_polars_lazy` says what is read.
        """
        return self._all().to_polars_lazy()

    def to_duckdb(
        self, table_name: str, connection: duckdb.DuckDBPyConnection | None = None
    ) -> duckdb.DuckDBPyConnection:
        """Registers all rows as a view in DuckDB.

        Args:
            table_name: The name of the view.
            connection: Where it is registered. By default, a new connection in memory.
        """
        return self._all().to_duckdb(table_name, connection)

    def __bool__(self) -> bool:
        """A table is true, however many rows it has."""
        return True

    def __len__(self) -> NoReturn:
        raise TypeError("a table has no len(), which would count its rows each time: use count()")

"""How do the rows of a scan, or of a part of it, reach the libraries that people use?

Invariant: an error keeps its class wherever Python drives the reading. Only a consumer that pulls from
`__arrow_c_stream__` by itself gets it as text.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from floeberg.errors import NotInstalledError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from typing_extensions import Self

    from floeberg import _native


Native = TypeVar("Native", "_native.Scan", "_native.TaskGroup")


class RowSource(Generic[Native]):
    """Rows that can be read: a scan, or a group of its tasks."""

    # A plan may have very many groups.
    __slots__ = ("_inner",)

    _inner: Native

    def __init__(self, native: Native) -> None:
        """Made by the table or the plan."""
        self._inner = native

    def to_arrow(self) -> pa.Table:
        """Reads all rows into memory.

        Returns:
            A `pyarrow.Table`.

        Raises:
            InvalidDataError: A file is damaged; the error names it.
            UnsupportedError: A file has a format, or a delete a kind, that cannot be read yet.
            NotFoundError: A file is missing.

        Examples:
            >>> table.scan(row_filter="id = 1", selected_fields=("id", "cat")).to_arrow().to_pylist()
            [{'id': 1, 'cat': 'b'}]
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        return cast("pa.Table", pa.table(self._inner.read_all()))

    def to_arrow_batch_reader(self) -> pa.RecordBatchReader:
        """Reads rows as they are asked for, in bounded memory and in plan order.

        Returns:
            A `pyarrow.RecordBatchReader`. Dropping it stops the work.

        Examples:
            >>> sum(batch.num_rows for batch in table.scan().to_arrow_batch_reader())
            9
        """
        import pyarrow as pa  # noqa: PLC0415

        batches = Batches(self._inner.stream)
        return pa.RecordBatchReader.from_batches(pa.schema(cast("Any", self)), batches)

    def to_pandas(self, **kwargs: Any) -> pd.DataFrame:  # noqa: ANN401 - passed on
        """Reads all rows into a pandas frame.

        Args:
            **kwargs: Passed on to `pyarrow.Table.to_pandas`.

        Returns:
            A `pandas.DataFrame`.

        Raises:
            NotInstalledError: pandas is not installed: `pip install 'floeberg[pandas]'`.

        Examples:
            >>> table.scan(row_filter="id = 1").to_pandas()["cat"].tolist()
            ['b']
        """
        _require("pandas")
        return cast("pd.DataFrame", self.to_arrow().to_pandas(**kwargs))

    def to_polars(self) -> pl.DataFrame:
        """Reads all rows into a polars frame.

        Returns:
            A `polars.DataFrame`.

        Raises:
            NotInstalledError: polars is not installed: `pip install 'floeberg[polars]'`.

        Examples:
            >>> table.scan(row_filter="id = 1").to_polars().rows()
            [(1, 'b', 10)]
        """
        polars = _require("polars")
        return cast("pl.DataFrame", polars.from_arrow(self.to_arrow()))

    def to_duckdb(
        self, table_name: str, connection: duckdb.DuckDBPyConnection | None = None
    ) -> duckdb.DuckDBPyConnection:
        """Registers all rows as a view in DuckDB.

        Args:
            table_name: The name of the view.
            connection: Where to register it; a new in-memory database unless given.

        Returns:
            The connection.

        Raises:
            NotInstalledError: duckdb is not installed: `pip install 'floeberg[duckdb]'`.

        Examples:
            >>> table.scan().to_duckdb("rows").sql("select count(*) from rows").fetchall()
            [(9,)]
        """
        target = connection or cast("duckdb.DuckDBPyConnection", _require("duckdb").connect())
        target.register(table_name, self.to_arrow())
        return target

    def __arrow_c_schema__(self) -> object:
        return self._inner.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._inner.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return repr(self._inner)

    def __reduce__(self) -> tuple[type[RowSource[Native]], tuple[Native]]:
        return type(self), (self._inner,)


class Batches:
    """Batches one after the other, for whoever asks next: a reader of pyarrow's may be read by several threads.

    Nothing is opened before the first one is asked for.
    """

    def __init__(self, opening: Callable[[], _native.BatchReader | _native.MetadataReader]) -> None:
        self._opening = opening
        self._stream: _native.BatchReader | _native.MetadataReader | None = None
        self._turn = threading.Lock()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> pa.RecordBatch:
        import pyarrow as pa  # noqa: PLC0415

        with self._turn:
            if self._stream is None:
                self._stream = self._opening()
            batch = self._stream.next_batch()
        if batch is None:
            raise StopIteration
        return pa.record_batch(cast("Any", batch))


def _require(package: str) -> ModuleType:
    from importlib import import_module  # noqa: PLC0415

    try:
        return import_module(package)
    except ImportError as error:
        raise NotInstalledError(
            f"{package} is needed and not installed: pip install 'floeberg[{package}]'"
        ) from error

"""How do the rows of a scan or a task group reach pyarrow, pandas, polars and DuckDB?

Invariant: errors keep their class where Python reads. A consumer that reads `__arrow_c_stream__` directly gets them as
    text.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from floeberg.errors import NotInstalledError
from floeberg.progress.reporting import Reporter
from floeberg.scan import asynchronous
from floeberg.scan.pandas_frames import exact_frame
from floeberg.scan.reported import Part, ReportedParts, Whole, reported_batches

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from types import ModuleType

    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from typing_extensions import Self

    from floeberg import _native
    from floeberg.progress.report import ProgressCallback
    from floeberg.scan.batch_stream import BatchStream


Native = TypeVar("Native", "_native.Scan", "_native.TaskGroup", "_native.ChangelogScan")


class ArrowRows(ABC):
    """Rows to read, of a table of any format."""

    __slots__ = ()

    @abstractmethod
    def _read_all(self) -> object:
        """All rows, as something that `pyarrow.table` takes."""

    @abstractmethod
    def _open(self) -> BatchStream:
        """Begins to read."""

    def _open_reported(self, reporter: Reporter) -> BatchStream:
        """Begins to read, and has it reported. Rows are counted where nothing else is known."""
        return ReportedParts(reporter, lambda: (Whole(), (Part(self._open, 0, 0),)))

    @abstractmethod
    def __arrow_c_schema__(self) -> object: ...

    @abstractmethod
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

    def to_arrow(self, *, progress: ProgressCallback | bool | None = None) -> pa.Table:
        """Reads all rows into memory.

        Args:
            progress: As with `Table.append`: a function that is called with a `ProgressReport` a few times a second, or
                `True` for a bar.

        Returns:
            A `pyarrow.Table`.

        Raises:
            InvalidDataError: A file is damaged. The error names it.
            UnsupportedError: The format of a file, or a kind of delete, is not supported yet.
            NotFoundError: A file is missing.

        Examples:
            >>> table.scan(row_filter="id = 1", selected_fields=("id", "cat")).to_arrow().to_pylist()
            [{'id': 1, 'cat': 'b'}]
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        if progress is not None:
            return cast("pa.Table", self.to_arrow_batch_reader(progress=progress).read_all())
        return cast("pa.Table", pa.table(cast("Any", self._read_all())))

    def to_arrow_batch_reader(
        self, *, progress: ProgressCallback | bool | None = None
    ) -> pa.RecordBatchReader:
        """Reads rows batch by batch, in bounded memory and in the order of the plan.

        Args:
            progress: As with `to_arrow`. It is called on the thread that takes the batches.

        Returns:
            A `pyarrow.RecordBatchReader`. Dropping it stops the work.

        Examples:
            >>> sum(batch.num_rows for batch in table.scan().to_arrow_batch_reader())
            9
        """
        import pyarrow as pa  # noqa: PLC0415

        schema = pa.schema(cast("Any", self))
        reporter = Reporter(progress)
        if reporter.is_silent:
            return pa.RecordBatchReader.from_batches(schema, Batches(self._open))
        batches = Batches(lambda: self._open_reported(reporter))
        return pa.RecordBatchReader.from_batches(schema, reported_batches(batches, reporter))

    async def to_arrow_async(self) -> pa.Table:
        """Reads all rows into memory, and leaves the event loop free meanwhile.

        Cancelling the task that awaits the rows stops the work within a batch.

        Returns:
            A `pyarrow.Table`, with the rows and errors of `to_arrow`.

        Examples:
            >>> import asyncio
            >>> asyncio.run(table.scan(row_filter="id = 1").to_arrow_async()).num_rows
            1
        """
        return await asynchronous.table(self.to_arrow_batch_reader)

    async def to_arrow_batches_async(self) -> AsyncIterator[pa.RecordBatch]:
        """Reads rows batch by batch, in the order of the plan, and leaves the event loop free meanwhile.

        Returns:
            The batches, for `async for`. No further one is read after the end of the loop.

        Examples:
            >>> async def count():
            ...     return sum([batch.num_rows async for batch in table.scan().to_arrow_batches_async()])
            >>> import asyncio
            >>> asyncio.run(count())
            9
        """
        async for batch in asynchronous.batches(self.to_arrow_batch_reader):
            yield batch

    def to_pandas(
        self,
        *,
        progress: ProgressCallback | bool | None = None,
        **kwargs: Any,  # noqa: ANN401 - passed on
    ) -> pd.DataFrame:
        """Reads all rows into a pandas frame.

        No value is rounded. pyarrow makes doubles of whole numbers where one is null; where a double would be another
        number, beyond 2**53, the column is of pandas' type `Int64` or `UInt64`, and the numbers in lists, structs and
        maps are Python's. Pass `types_mapper` or `integer_object_nulls` to decide otherwise.

        Args:
            progress: As with `to_arrow`.
            **kwargs: Arguments of `pyarrow.Table.to_pandas`.

        Returns:
            A `pandas.DataFrame`.

        Raises:
            NotInstalledError: pandas is not installed: `pip install 'floeberg[pandas]'`.

        Examples:
            >>> table.scan(row_filter="id = 1").to_pandas()["cat"].tolist()
            ['b']
        """
        _require("pandas")
        return exact_frame(self.to_arrow(progress=progress), kwargs)

    def to_polars(self, *, progress: ProgressCallback | bool | None = None) -> pl.DataFrame:
        """Reads all rows into a polars frame.

        Args:
            progress: As with `to_arrow`.

        Returns:
            A `polars.DataFrame`.

        Raises:
            NotInstalledError: polars is not installed: `pip install 'floeberg[polars]'`.

        Examples:
            >>> table.scan(row_filter="id = 1").to_polars().rows()
            [(1, 'b', 10)]
        """
        polars = _require("polars")
        return cast("pl.DataFrame", polars.from_arrow(self.to_arrow(progress=progress)))

    def to_duckdb(
        self, table_name: str, connection: duckdb.DuckDBPyConnection | None = None
    ) -> duckdb.DuckDBPyConnection:
        """Registers the rows as a view in DuckDB. All of them are read at once; `Scan.to_duckdb` reads in each query.

        Args:
            table_name: The name of the view.
            connection: The connection to register it in. By default, a new in-memory database.

        Returns:
            The connection.

        Raises:
            NotInstalledError: duckdb is not installed: `pip install 'floeberg[duckdb]'`.

        Examples:
            >>> table.scan().to_duckdb("rows").sql("select count(*) from rows").fetchall()
            [(9,)]
        """
        target = connected(connection)
        target.register(table_name, self.to_arrow())
        return target


class RowSource(ArrowRows, Generic[Native]):
    """Rows of an Iceberg table: a scan, or a group of its tasks."""

    # A plan may have very many groups.
    __slots__ = ("_inner",)

    _inner: Native

    def __init__(self, native: Native) -> None:
        """Use `Table.scan`, or `Plan.split`."""
        self._inner = native

    def _read_all(self) -> object:
        return self._inner.read_all()

    def _open(self) -> BatchStream:
        return self._inner.stream()

    def __arrow_c_schema__(self) -> object:
        return self._inner.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._inner.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return repr(self._inner)

    def __reduce__(self) -> tuple[type[RowSource[Native]], tuple[Native]]:
        return type(self), (self._inner,)


class Batches:
    """Batches one after another. Several threads may ask, as they may read a reader of pyarrow.

    Nothing is opened before the first batch is read.
    """

    def __init__(self, opening: Callable[[], BatchStream]) -> None:
        self._opening = opening
        self._stream: BatchStream | None = None
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


class FirstRows:
    """The first rows of a plan, of which a reader takes as many as it needs.

    A file is opened only if the files before it have too few rows, counted without deletes and filters. Where
    rows are still missing then, the next files follow.
    """

    def __init__(self, plan: _native.Plan, rows: int) -> None:
        self._plan, self._missing = plan, rows
        self._next = 0
        self._stream: BatchStream | None = None

    def next_batch(self) -> pa.RecordBatch | None:
        """The next batch, which may have more rows than are missing; `None` after the last one."""
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        while self._missing > 0:
            batch = None if self._stream is None else self._stream.next_batch()
            if batch is not None:
                rows = pa.record_batch(cast("Any", batch))
                self._missing -= rows.num_rows
                return rows
            if self._next == len(self._plan):
                break
            self._stream = self._next_files()
        return None

    def _next_files(self) -> BatchStream:
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        counts = pa.table(cast("Any", self._plan))["record_count"].slice(self._next)
        too_few = pc.less(pc.cumulative_sum(counts), self._missing)
        end = self._next + min(pc.sum(too_few).as_py() + 1, len(counts))
        (group,) = self._plan.only(list(range(self._next, end))).split(most_groups=1)
        self._next = end
        return group.stream()


def connected(connection: duckdb.DuckDBPyConnection | None) -> duckdb.DuckDBPyConnection:
    """The connection, or one to a new in-memory database.

    Raises:
        NotInstalledError: duckdb is not installed.
    """
    return connection or cast("duckdb.DuckDBPyConnection", _require("duckdb").connect())


def _require(package: str) -> ModuleType:
    from importlib import import_module  # noqa: PLC0415

    try:
        return import_module(package)
    except ImportError as error:
        raise NotInstalledError(f"{package} is not installed: pip install 'floeberg[{package}]'") from error


class StreamedRows(ArrowRows):
    """Rows that are only there batch by batch: their batches make tables, and streams of Arrow."""

    __slots__ = ()

    def _read_all(self) -> object:
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        batches, stream = [], self._open()
        while (batch := stream.next_batch()) is not None:
            batches.append(pa.record_batch(cast("Any", batch)))
        return pa.Table.from_batches(batches, pa.schema(cast("Any", self)))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return cast("Any", self.to_arrow_batch_reader()).__arrow_c_stream__(requested_schema)

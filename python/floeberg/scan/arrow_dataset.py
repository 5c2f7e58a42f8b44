"""How does a library that wants a dataset of pyarrow read a scan?

Such a library asks for columns, and for the rows for which an expression is true. In: the scan, columns and an
expression. Out: batches. Files without such rows are not read where metadata proves it, nor are other columns; pyarrow
evaluates the whole expression on the rows.
"""

from __future__ import annotations

from collections import deque
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, cast

import pyarrow as pa
import pyarrow.dataset

from floeberg._arguments import checked_size
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions._pushed import columns_of, pushed_filters
from floeberg.scan.rows import Batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow.compute as pc

    from floeberg.expressions import AnyFilter
    from floeberg.expressions._logic import Expression
    from floeberg.scan.batch_stream import BatchStream

__all__ = ["ArrowDataset", "ArrowScanner"]


class Scan(Protocol):
    """What is asked of a scan here."""

    @property
    def _inner(self) -> Any: ...  # noqa: ANN401 - the native scan

    def select(self, *field_names: str) -> Scan: ...
    def filter(self, row_filter: AnyFilter) -> Scan: ...
    def count(self) -> int: ...
    def _open(self) -> BatchStream: ...


_HINTS = frozenset(
    {
        "batch_readahead",
        "fragment_readahead",
        "fragment_scan_options",
        "use_threads",
        "cache_metadata",
        "memory_pool",
    }
)
"""How pyarrow reads its own files. They do not change the rows."""

_DELETED = "_deleted"
_OPTIONS = "columns, filter, batch_size"


class ArrowDataset(pyarrow.dataset.Dataset):  # type: ignore[misc] # pyarrow has no types
    """A scan as a `pyarrow.dataset.Dataset`, for libraries that push columns and filters into one.

    `Scan.to_arrow_dataset` makes one. It reads the snapshot of the scan, and can be pickled. Filters have pyarrow's
    meaning: NaN equals nothing, and null is unknown.

    Examples:
        >>> import pyarrow.compute as pc
        >>> dataset = table.scan().to_arrow_dataset()
        >>> dataset.to_table(columns=["v"], filter=pc.field("id") == 1).to_pylist()
        [{'v': 10}]
        >>> dataset.count_rows()
        9
    """

    # The initialiser of pyarrow's class raises: only pyarrow makes its datasets.
    def __init__(self, scan: Scan, expression: pc.Expression | None = None) -> None:
        """Use `Scan.to_arrow_dataset`.

        Args:
            scan: The scan.
            expression: A filter that `filter` added.
        """
        self._scan = scan
        self._expression = expression
        self._schema = pa.schema(cast("Any", scan))

    def __repr__(self) -> str:
        kept = "" if self._expression is None else f", filter={self._expression}"
        return f"ArrowDataset({self._scan!r}{kept})"

    def __reduce__(self) -> tuple[type[ArrowDataset], tuple[Scan, pc.Expression | None]]:
        return type(self), (self._scan, self._expression)

    @property
    def schema(self) -> pa.Schema:
        """The columns of the scan, as a `pyarrow.Schema`."""
        return self._schema

    def filter(self, expression: pc.Expression) -> ArrowDataset:
        """Keeps only rows for which this expression and the earlier ones are true.

        Args:
            expression: An expression of pyarrow.

        Returns:
            A new dataset.
        """
        return ArrowDataset(self._scan, self._joined(expression))

    def _joined(self, expression: pc.Expression | None) -> pc.Expression | None:
        if self._expression is None or expression is None:
            return self._expression if expression is None else expression
        return self._expression & expression

    def scanner(
        self,
        columns: Sequence[str] | Mapping[str, pc.Expression] | None = None,
        filter: pc.Expression | None = None,  # noqa: A002 - pyarrow's word
        batch_size: int | None = None,
        **hints: Any,  # noqa: ANN401
    ) -> ArrowScanner:
        """Describes a read. Nothing is read yet.

        Args:
            columns: The names of columns, or expressions by the names of their results. By default, all columns.
            filter: An expression that is true for the rows to read.
            batch_size: The maximum number of rows of a batch.
            **hints: Other arguments of `pyarrow.dataset.Dataset.scanner`. They do not change the rows.

        Returns:
            The scanner.

        Raises:
            InvalidInputError: A column does not exist, or an argument is unknown.
        """
        unknown = sorted(set(hints) - _HINTS)
        if unknown:
            raise InvalidInputError(f"scanner: expected {_OPTIONS} or a hint of pyarrow, found {unknown[0]}")
        size = None if batch_size is None else checked_size("batch_size", batch_size)
        return ArrowScanner(self._scan, self._schema, columns, self._joined(filter), size)

    def to_batches(self, *args: Any, **kwargs: Any) -> Iterator[pa.RecordBatch]:  # noqa: ANN401
        """Reads rows batch by batch. The arguments are those of `scanner`."""
        return self.scanner(*args, **kwargs).to_batches()

    def to_table(self, *args: Any, **kwargs: Any) -> pa.Table:  # noqa: ANN401
        """Reads rows into a `pyarrow.Table`. The arguments are those of `scanner`."""
        return self.scanner(*args, **kwargs).to_table()

    def head(self, num_rows: int, *args: Any, **kwargs: Any) -> pa.Table:  # noqa: ANN401
        """Reads the first rows.

        Args:
            num_rows: The maximum number of rows.
            *args: Arguments of `scanner`.
            **kwargs: Arguments of `scanner`.

        Returns:
            A `pyarrow.Table`.
        """
        return self.scanner(*args, **kwargs).head(num_rows)

    def count_rows(self, filter: pc.Expression | None = None, **hints: Any) -> int:  # noqa: A002, ANN401
        """Counts rows, by metadata where there is no filter and metadata is enough.

        Args:
            filter: An expression that is true for the rows to count.
            **hints: As with `scanner`.

        Returns:
            The number of rows.
        """
        return self.scanner([], filter, **hints).count_rows()

    def take(self, indices: Any, *args: Any, **kwargs: Any) -> pa.Table:  # noqa: ANN401
        """Reads rows by their numbers, which reads all rows.

        Args:
            indices: The numbers, from 0.
            *args: Arguments of `scanner`.
            **kwargs: Arguments of `scanner`.

        Returns:
            A `pyarrow.Table`.
        """
        return self.to_table(*args, **kwargs).take(indices)

    @property
    def partition_expression(self) -> NoReturn:
        """Not supported: a scan has no one expression that is true for its rows."""
        raise _unsupported("partition_expression")

    def get_fragments(self, *_: Any, **__: Any) -> NoReturn:  # noqa: ANN401
        """Not supported: a file alone has not the rows of the scan. `Scan.plan_files` names the files."""
        raise _unsupported("get_fragments")

    def replace_schema(self, *_: Any) -> NoReturn:  # noqa: ANN401
        """Not supported."""
        raise _unsupported("replace_schema")

    def sort_by(self, *_: Any, **__: Any) -> NoReturn:  # noqa: ANN401
        """Not supported."""
        raise _unsupported("sort_by")

    def join(self, *_: Any, **__: Any) -> NoReturn:  # noqa: ANN401
        """Not supported."""
        raise _unsupported("join")

    def join_asof(self, *_: Any, **__: Any) -> NoReturn:  # noqa: ANN401
        """Not supported."""
        raise _unsupported("join_asof")


def _unsupported(what: str) -> UnsupportedError:
    return UnsupportedError(f"{what} is not supported of a dataset of a scan: use to_table() and its methods")


class ArrowScanner:
    """A read of an `ArrowDataset`: some columns, and the rows for which an expression is true."""

    def __init__(
        self,
        scan: Scan,
        schema: pa.Schema,
        columns: Sequence[str] | Mapping[str, pc.Expression] | None,
        expression: pc.Expression | None,
        batch_size: int | None,
    ) -> None:
        """Use `ArrowDataset.scanner`."""
        self._scan = scan
        self._dataset_schema = schema
        self._columns = _checked_columns(columns, schema)
        self._expression = expression
        self._batch_size = batch_size

    def __repr__(self) -> str:
        return f"ArrowScanner({self._narrowed!r})"

    @property
    def dataset_schema(self) -> pa.Schema:
        """The columns of the dataset."""
        return self._dataset_schema

    @cached_property
    def projected_schema(self) -> pa.Schema:
        """The columns of the batches."""
        if isinstance(self._columns, list):
            return pa.schema([self._dataset_schema.field(name) for name in self._columns])
        return self._of_rows(self._dataset_schema.empty_table()).schema

    def to_reader(self) -> pa.RecordBatchReader:
        """Reads rows batch by batch.

        Returns:
            A `pyarrow.RecordBatchReader`. Dropping it stops the work.
        """
        return pa.RecordBatchReader.from_batches(self.projected_schema, self._batches())

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """Reads rows batch by batch."""
        return iter(self._batches())

    def to_table(self) -> pa.Table:
        """Reads all rows into a `pyarrow.Table`."""
        return pa.Table.from_batches(list(self._batches()), self.projected_schema)

    def head(self, num_rows: int) -> pa.Table:
        """Reads the first rows.

        Args:
            num_rows: The maximum number of rows.

        Returns:
            A `pyarrow.Table`.
        """
        wanted = checked_size("num_rows", num_rows)
        batches: list[pa.RecordBatch] = []
        rows = self._batches()
        while wanted > 0 and (batch := next(rows, None)) is not None:
            batches.append(batch.slice(0, wanted))
            wanted -= batches[-1].num_rows
        return pa.Table.from_batches(batches, self.projected_schema)

    def count_rows(self) -> int:
        """Counts the rows, by metadata where there is no filter and metadata is enough."""
        if self._expression is None:
            return self._scan.count()
        return sum(batch.num_rows for batch in self._batches())

    def _batches(self) -> Batches:
        narrowed = self._narrowed
        return Batches(lambda: _Steps(narrowed._open(), self._of_rows, self._batch_size))  # noqa: SLF001

    def _of_rows(self, rows: pa.Table) -> pa.Table:
        """Filters rows that were read, and computes the columns."""
        if self._expression is not None and not self._pushed[1]:
            rows = _run(rows, "filter", "FilterNodeOptions", self._expression)
        if isinstance(self._columns, list):
            return rows.select(self._columns)
        names, values = list(self._columns), list(self._columns.values())
        return _run(rows, "project", "ProjectNodeOptions", values, names)

    @property
    def _narrowed(self) -> Scan:
        """The scan with the columns that are needed, and with what is certain of the filter."""
        return self._pushed[0]

    @cached_property
    def _pushed(self) -> tuple[Scan, bool]:
        """The narrowed scan, and whether its filters say all that the expression does."""
        scan = self._selected()
        # The limit counts rows before the expression is evaluated.
        if self._expression is None or scan._inner.limit is not None:  # noqa: SLF001
            return scan, False
        filters, is_all = pushed_filters(self._expression, self._dataset_schema)
        for each in filters:
            filtered = _filtered(scan, each)
            # Without a form of the table, it is evaluated on the rows.
            is_all = is_all and filtered is not None
            scan = scan if filtered is None else filtered
        return scan, is_all

    def _selected(self) -> Scan:
        names = self._needed()
        if names is None or len(names) == len(self._dataset_schema):
            return self._scan
        try:
            selected = self._scan.select(*names)
        except InvalidInputError:
            return self._scan
        # The scan may read a part of a struct alone, and a name of a column may also be a path.
        found = pa.schema(cast("Any", selected))
        expected = [self._dataset_schema.field(name) for name in names]
        fits = sorted(found.names) == sorted(names) and all(
            found.field(each.name).equals(each) for each in expected
        )
        return selected if fits else self._scan

    def _needed(self) -> list[str] | None:
        """The columns to read; `None` is all of them."""
        expressions = [] if isinstance(self._columns, list) else list(self._columns.values())
        if self._expression is not None:
            expressions.append(self._expression)
        needed = set(self._columns) if isinstance(self._columns, list) else set()
        for each in expressions:
            found = columns_of(each)
            if found is None:
                return None
            needed |= found
        # This column alone brings rows.
        needed |= {_DELETED} & set(self._dataset_schema.names)
        names = [name for name in self._dataset_schema.names if name in needed]
        return names or self._dataset_schema.names[:1]


def _filtered(scan: Scan, test: Expression) -> Scan | None:
    """The scan with a filter too; `None` where the table has no form of it."""
    try:
        return scan.filter(test)
    except (InvalidInputError, UnsupportedError):
        return None


def _checked_columns(
    columns: Sequence[str] | Mapping[str, pc.Expression] | None, schema: pa.Schema
) -> list[str] | dict[str, pc.Expression]:
    if columns is None:
        return list(schema.names)
    if isinstance(columns, dict):
        return dict(columns)
    if isinstance(columns, str):
        raise InvalidInputError(f"columns: expected a list of names, found the text {columns!r}")
    names = list(cast("Sequence[str]", columns))
    for name in names:
        if name not in schema.names:
            raise InvalidInputError(f"columns: {name!r} is not a column: expected one of {schema.names}")
    return names


def _run(rows: pa.Table, node: str, options: str, *arguments: Any) -> pa.Table:  # noqa: ANN401
    """Has pyarrow filter or compute rows, in their order."""
    from pyarrow import acero  # noqa: PLC0415

    source = acero.Declaration("table_source", acero.TableSourceNodeOptions(rows))
    step = acero.Declaration(node, getattr(acero, options)(*arguments))
    return acero.Declaration.from_sequence([source, step]).to_table(use_threads=False)


class _Steps:
    """The batches of a scan, after the steps of a scanner."""

    def __init__(
        self, stream: BatchStream, of_rows: Callable[[pa.Table], pa.Table], batch_size: int | None
    ) -> None:
        self._stream = stream
        self._of_rows = of_rows
        self._batch_size = batch_size
        self._ready: deque[pa.RecordBatch] = deque()

    def next_batch(self) -> pa.RecordBatch | None:
        """The next batch that has rows; `None` after the last one."""
        while not self._ready:
            batch = self._stream.next_batch()
            if batch is None:
                return None
            rows = self._of_rows(pa.Table.from_batches([pa.record_batch(cast("Any", batch))]))
            self._ready.extend(each for each in rows.to_batches(self._batch_size) if each.num_rows)
        return self._ready.popleft()

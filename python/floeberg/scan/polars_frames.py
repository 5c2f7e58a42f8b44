"""How does polars query a scan without reading all of it?

In: a scan of a table of any format. Out: a lazy frame. Each time polars runs a query, it asks for columns, a predicate
and a number of rows. A narrower scan reads them, batch by batch.

Invariant: polars applies its predicate to every frame that it gets. What is pushed to the scan only has to hold for all
rows that the predicate keeps. A number of rows counts rows before the predicate, so with one nothing is pushed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from floeberg.errors import InvalidInputError, NotInstalledError, UnsupportedError
from floeberg.expressions._logic import AlwaysTrue
from floeberg.expressions._polars_pruning import may_keep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import polars as pl
    import pyarrow as pa
    from typing_extensions import Self

    from floeberg.expressions import AnyFilter
    from floeberg.scan.batch_stream import BatchStream

__all__ = ["LazyRows", "frame_of", "only_columns", "plugin_frame", "schema_of", "types_of"]

_MARKS_DELETED_ROWS = "_deleted"
"""A scan with this column has deleted rows too, so the column stays."""
Rows = TypeVar("Rows", bound="NarrowedRows")


class NarrowedRows(Protocol):
    """A scan that can be narrowed."""

    def filter(self, row_filter: AnyFilter) -> Self: ...
    def select(self, *field_names: str) -> Self: ...
    def __arrow_c_schema__(self) -> object: ...
    def _row_limit(self) -> int | None: ...
    def _open(self) -> BatchStream: ...
    def _open_first(self, rows: int) -> BatchStream: ...


class LazyRows:
    """The method of scans that makes a lazy frame of polars."""

    __slots__ = ()

    def to_polars_lazy(self) -> pl.LazyFrame:
        """Makes a lazy frame of polars, of which a query reads only what it needs.

        No data file is read until the frame is collected. The frame keeps the snapshot or the version of this scan: it
        reads the same rows however often it is collected.

        A query reads only the columns that it names. Its filters drop partitions, files and row groups where
        statistics prove that no row matches. `head` stops the scan after enough rows. Comparisons of a column with a
        literal of the column's type, `is_null`, `is_nan`, `is_in`, `is_between`, `starts_with`, and these with `&`, `|`
        and `~` are used so. Other filters are applied by polars alone. The result is always the one that polars gives
        for a frame of all rows, also for NaN, null and -0.0.

        The filter and the limit of this scan come first. With a limit, filters of the query do not drop files.

        Returns:
            A `polars.LazyFrame`. Several threads may collect it.

        Raises:
            NotInstalledError: polars is not installed, or has no plugins for sources: `pip install 'floeberg[polars]'`.

        Examples:
            >>> import polars as pl
            >>> frame = table.scan().to_polars_lazy()
            >>> frame.filter(pl.col("id") == 1).select("cat").collect().rows()
            [('b',)]
        """
        _register()
        return self._lazy_frame()

    def _lazy_frame(self) -> pl.LazyFrame:
        """A frame of which Floeberg reads all rows."""
        scan = cast("NarrowedRows", self)
        return plugin_frame(scan, types_of(scan))


def types_of(scan: NarrowedRows) -> dict[str, Any]:
    """The types that polars gives the columns of a scan."""
    import polars as pl  # noqa: PLC0415 - importing floeberg imports nothing large

    return dict(cast("pl.DataFrame", pl.from_arrow(schema_of(scan).empty_table())).schema)


def plugin_frame(scan: NarrowedRows, types: dict[str, Any]) -> pl.LazyFrame:
    """A frame of which Floeberg reads all rows.

    Args:
        scan: The scan.
        types: What `types_of` says of it.
    """
    register = _register()
    from inspect import signature  # noqa: PLC0415

    options = {"is_pure": True, "explain_name": "Floeberg", "explain_detail": repr(scan)}
    # Releases of polars before 2 have fewer of these. Each only changes how a plan is made or shown.
    known = signature(register).parameters
    options = {name: value for name, value in options.items() if name in known}
    return cast("pl.LazyFrame", register(_Source(scan, types), schema=types, **options))


def _register() -> Callable[..., Any]:
    try:
        from polars.io.plugins import register_io_source  # noqa: PLC0415 - importing floeberg imports nothing large
    except ImportError as error:
        raise NotInstalledError(
            "polars is not installed, or is older than plugins for sources: pip install -U 'floeberg[polars]'"
        ) from error
    return register_io_source


def schema_of(scan: NarrowedRows) -> pa.Schema:
    """The Arrow schema of a scan."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    return pa.schema(cast("Any", scan))


class _Source:
    """What polars calls each time a query runs. Calls share nothing but the scan."""

    def __init__(self, scan: NarrowedRows, types: dict[str, Any]) -> None:
        self._scan, self._types = scan, types

    def __call__(
        self,
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        batch_size: int | None,  # noqa: ARG002 - a hint
    ) -> Iterator[pl.DataFrame]:
        scan = self._scan
        if with_columns is not None:
            scan = only_columns(scan, self._read(with_columns, predicate))
        if predicate is not None and n_rows is None and scan._row_limit() is None:  # noqa: SLF001 - its protocol
            scan = self._pruned(scan, predicate)
        return _frames(scan, with_columns, predicate, n_rows)

    def _read(self, with_columns: list[str], predicate: pl.Expr | None) -> list[str]:
        """The columns to read: those of the result, and those of the predicate."""
        wanted = set(with_columns) if predicate is None else {*with_columns, *predicate.meta.root_names()}
        return [name for name in self._types if name in wanted]

    def _pruned(self, scan: Rows, predicate: pl.Expr) -> Rows:
        """Only files that may have rows that the predicate keeps."""
        # A name with a dot may be read as a nested column.
        types = {name: kind for name, kind in self._types.items() if "." not in name}
        row_filter = may_keep(predicate, types)
        if row_filter == AlwaysTrue():
            return scan
        try:
            return scan.filter(row_filter)
        except (InvalidInputError, UnsupportedError):
            # polars filters alone, as always.
            return scan


def only_columns(scan: Rows, names: list[str]) -> Rows:
    """The scan of some of its columns, or the scan itself where a name does not mean exactly its column."""
    schema = schema_of(scan)
    kept = [each for each in schema if each.name in names or each.name == _MARKS_DELETED_ROWS]
    for paths in ([each.name for each in kept], [path for each in kept for path in _leaves(each)]):
        try:
            narrowed = scan.select(*paths)
        except InvalidInputError:
            continue
        found = {each.name: each for each in schema_of(narrowed)}
        if len(found) == len(kept) and all(found.get(each.name) == each for each in kept):
            return narrowed
    return scan


def _leaves(field: pa.Field, before: str = "") -> list[str]:
    """The columns of a struct of which some fields are selected, by their full names."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    name = f"{before}{field.name}"
    if not pa.types.is_struct(field.type):
        return [name]
    return [leaf for each in field.type for leaf in _leaves(each, f"{name}.")]


def _frames(
    scan: NarrowedRows, with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None
) -> Iterator[pl.DataFrame]:
    """The frames of a query. Nothing is opened before the first of them is asked for."""
    if n_rows == 0:
        return
    stream = scan._open() if n_rows is None else scan._open_first(n_rows)  # noqa: SLF001 - its protocol
    left = n_rows
    while (batch := stream.next_batch()) is not None:
        frame = frame_of(batch)
        if left is not None:
            frame = frame.head(left)
            left -= frame.height
        if predicate is not None:
            frame = frame.filter(predicate)
        yield frame if with_columns is None else frame.select(with_columns)
        if left == 0:
            return


def frame_of(batch: object) -> pl.DataFrame:
    """A frame as `to_polars` makes it."""
    import polars as pl  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    rows = pa.Table.from_batches([pa.record_batch(cast("Any", batch))])
    return cast("pl.DataFrame", pl.from_arrow(rows))

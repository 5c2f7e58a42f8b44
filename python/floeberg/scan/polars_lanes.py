"""Who reads which files of a scan, when polars runs a query of a lazy frame?

In: a scan, and what a query asks of it: columns, filters and a limit. Out: a lazy frame of polars. polars scans files
that it reads as Floeberg does. Floeberg reads the other files, and all files where it reads less: where few rows can
match, or the files are small.

Invariants: rows come in the order of the plan. polars applies the filters of the query to all rows of both readers, so
what drops files only has to hold for all rows that the filters keep.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from polars.lazyframe.resolver import LazyFrameResolver, ResolvedLazyFrameProps

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions._logic import AlwaysTrue
from floeberg.expressions._polars_pruning import may_keep
from floeberg.scan.engine_files import EngineFile, engine_files
from floeberg.scan.polars_frames import frame_of, only_columns, plugin_frame, schema_of, types_of
from floeberg.scan.row_share import finds_few_rows
from floeberg.scan.some_files import stream_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from polars.lazyframe.resolver import FilterExpr

    from floeberg import _native
    from floeberg.expressions._logic import Expression
    from floeberg.scan.engine_files import EngineColumn
    from floeberg.scan.scan_protocol import PlannedScan

__all__ = ["ScanResolver"]

LEAST_BYTES = 1 << 20
"""The average size of the files that polars reads itself: opening a file takes it longer than Floeberg."""
MOST_FILES = 1_000
MOST_PARTS = 8
"""The frame has a part for each change of the reader or of the columns in the files, in the order of the plan."""


class ScanResolver(LazyFrameResolver):
    """What polars asks each time that it runs a query. Calls share nothing but the scan."""

    def __init__(self, scan: PlannedScan) -> None:
        """Takes the scan of an Iceberg table."""
        self._scan = scan
        self._types: dict[str, Any] = types_of(scan)

    def __reduce__(self) -> tuple[type[ScanResolver], tuple[PlannedScan]]:
        return type(self), (self._scan,)

    def schema(self) -> Any:  # noqa: ANN401 - a schema of polars
        """The columns of the scan."""
        return dict(self._types)

    def cse_eq(self, other: object) -> bool:
        """Whether the other frame has the same rows, so that they are read once."""
        return isinstance(other, ScanResolver) and other._scan is self._scan  # noqa: SLF001 - of the same class

    def resolve_lazyframe(  # noqa: PLR0913 - the interface of polars
        self,
        *,
        projection: list[str] | None,
        limit: int | None,
        filters: list[FilterExpr],
        filter_columns: list[str],
        filter_drop_columns_idx: int | None,  # noqa: ARG002 - polars drops what it does not need
        existing_resolved_version_key: str | None,  # noqa: ARG002 - the snapshot does not change
    ) -> tuple[pl.LazyFrame, ResolvedLazyFrameProps]:
        """A frame of the rows that the filters keep."""
        columns = list(self._types) if projection is None else projection
        frame = self._with_polars(columns, limit, filters, filter_columns)
        if frame is None:
            frame = plugin_frame(cast("Any", self._scan), self._types)
        if limit is not None:
            # A limit counts rows before the filters.
            frame = frame.head(limit)
        for each in filters:
            frame = frame.filter(each.expr)
        frame = frame.select(columns) if columns else frame.drop("*")
        return frame, ResolvedLazyFrameProps(applied_filters=set(range(len(filters))))

    def _with_polars(
        self, columns: list[str], limit: int | None, filters: list[FilterExpr], filter_columns: list[str]
    ) -> pl.LazyFrame | None:
        """A frame in which polars reads files; `None` where it should read none of them."""
        if limit == 0 or self._scan._row_limit() is not None or not columns:  # noqa: SLF001 - the protocol's
            return None
        names = {*columns, *filter_columns}
        scan = only_columns(self._scan, [name for name in self._types if name in names])
        kept = self._kept(filters) if limit is None else []
        narrowed = _filtered(scan, kept)
        plan = narrowed._inner.plan()  # noqa: SLF001 - the protocol's
        count = len(plan)
        if not 0 < count <= MOST_FILES or _size(plan) < LEAST_BYTES * count:
            return None
        is_whole = scan._inner.row_filter()[0] == "true"  # noqa: SLF001 - the protocol's
        found = engine_files(narrowed, plan, filter_is_tested=is_whole)
        if finds_few_rows(kept, [each for each in found if isinstance(each, EngineFile)]):
            return None
        read = set(schema_of(scan).names)
        return self._parts(plan, found, [name for name in self._types if name in read])

    def _kept(self, filters: list[FilterExpr]) -> list[Expression]:
        """Filters that hold for every row that the filters of the query keep."""
        # A name with a dot may be read as a nested column.
        types = {name: kind for name, kind in self._types.items() if "." not in name}
        found = [may_keep(each.expr, types) for each in filters]
        return [each for each in found if each != AlwaysTrue()]

    def _parts(
        self, plan: _native.Plan, found: Sequence[EngineFile | str], columns: list[str]
    ) -> pl.LazyFrame | None:
        parts: list[pl.LazyFrame] = []
        is_native = False
        for ways, numbers in groupby(range(len(found)), lambda number: _ways(found[number])):
            if len(parts) == MOST_PARTS:
                return None
            if ways is None:
                parts.append(self._read_here(plan, list(numbers), columns))
            else:
                is_native = True
                paths = [cast("EngineFile", found[number]).path for number in numbers]
                parts.append(self._read_by_polars(paths, ways))
        if not is_native:
            return None
        return parts[0] if len(parts) == 1 else pl.concat(parts)

    def _read_by_polars(self, paths: list[str], columns: tuple[EngineColumn, ...]) -> pl.LazyFrame:
        stored = {
            each.stored_name: self._stored_type(each) for each in columns if each.stored_name is not None
        }
        frame = pl.scan_parquet(
            paths, schema=stored, glob=False, hive_partitioning=False, extra_columns="ignore"
        )
        read = frame.select(
            (
                pl.col(each.stored_name).cast(self._types[each.name])
                if each.is_cast
                else pl.col(each.stored_name)
            ).alias(each.name)
            for each in columns
            if each.stored_name is not None
        )
        missing = [each.name for each in columns if each.stored_name is None]
        # A selection of literals alone would be one row.
        filled = read.with_columns(pl.lit(None, self._types[name]).alias(name) for name in missing)
        return filled.select(each.name for each in columns) if missing else read

    def _stored_type(self, column: EngineColumn) -> Any:  # noqa: ANN401 - a type of polars
        if not column.is_cast:
            return self._types[column.name]
        narrow = {"int": pl.Int32(), "float": pl.Float32()}
        if column.stored_type in narrow:
            return narrow[column.stored_type]
        precision, scale = column.stored_type.removeprefix("decimal(").removesuffix(")").split(",")
        return pl.Decimal(int(precision), int(scale))

    def _read_here(self, plan: _native.Plan, numbers: list[int], columns: list[str]) -> pl.LazyFrame:
        types = {name: self._types[name] for name in columns}

        def source(
            with_columns: list[str] | None,
            predicate: pl.Expr | None,
            n_rows: int | None,
            batch_size: int | None,  # noqa: ARG001 - a hint
        ) -> Iterator[pl.DataFrame]:
            stream, left = stream_of(plan, numbers), n_rows
            while left != 0 and (batch := stream.next_batch()) is not None:
                frame = frame_of(batch).select(columns)
                if left is not None:
                    frame = frame.head(left)
                    left -= frame.height
                frame = frame if predicate is None else frame.filter(predicate)
                yield frame if with_columns is None else frame.select(with_columns)

        return pl.io.plugins.register_io_source(
            source,
            schema=types,
            is_pure=True,
            explain_name="Floeberg",
            explain_detail=f"{len(numbers)} files",
        )


def _filtered(scan: PlannedScan, tests: Sequence[Expression]) -> PlannedScan:
    """The scan with filters too, but for those of which the table has no form."""
    for each in tests:
        with suppress(InvalidInputError, UnsupportedError):
            scan = scan.filter(each)
    return scan


def _ways(found: EngineFile | str) -> tuple[EngineColumn, ...] | None:
    """How polars reads a file; `None` where Floeberg reads it, for example a file without any of the columns."""
    if isinstance(found, str) or all(each.stored_name is None for each in found.columns):
        return None
    return found.columns


def _size(plan: _native.Plan) -> int:
    files = pa.table(cast("Any", plan))
    return cast("int", pc.sum(files["file_size_in_bytes"]).as_py() or 0)

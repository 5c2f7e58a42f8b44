"""How does DuckDB query a scan?

In: a scan, a connection and the name of a view. Out: the view. Files that DuckDB's own Parquet reader reads as Floeberg
does are named in the view. Other files are a dataset, which Floeberg reads in each query.

DuckDB's reader decides less than Floeberg's: it skips row groups, and Floeberg skips pages and whole manifests. So
files are only left to DuckDB where skipping a row group is enough.

Invariant: each file of the plan is read in exactly one of the two ways. The plan is made once: the view keeps the
snapshot of the scan.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from floeberg.errors import FloebergError, UnsupportedError
from floeberg.scan.arrow_dataset import ArrowDataset
from floeberg.scan.engine_files import EngineFile, engine_files
from floeberg.scan.some_files import SomeFiles

if TYPE_CHECKING:
    from collections import Counter

    import duckdb

    from floeberg import _native
    from floeberg.scan.engine_files import EngineColumn
    from floeberg.scan.scan_protocol import PlannedScan, Reader

__all__ = ["register_view"]

MOST_FILES = 256
"""DuckDB opens every file in each query, which takes it about 0.1 ms a file here."""
FEW_FILES = 8
LEAST_BYTES = 1 << 20
"""The average size of more than a few files that DuckDB reads: Floeberg does not open small files that do not match."""
MOST_ROWS = 8_000_000
"""The rows of a row group. DuckDB reads it on one thread, and all of it for one row."""
MOST_GROUPS = 8
"""Files whose columns have other names or types are a part of the view for themselves."""


def register_view(
    scan: PlannedScan, name: str, connection: duckdb.DuckDBPyConnection, reader: Reader
) -> None:
    """Makes a temporary view of a scan. An earlier one of the same name is replaced.

    Args:
        scan: The scan.
        name: The name of the view.
        connection: Where it is made.
        reader: Who reads the files: see `Scan.to_duckdb`.

    Raises:
        UnsupportedError: The reader is `native`, and DuckDB cannot read a file.
    """
    if reader != "arrow":
        refused = _native_view(scan, name, connection, insisted=reader == "native")
        if refused is None:
            return
        if reader == "native":
            raise UnsupportedError(
                f"DuckDB's own reader cannot read this scan: {refused}. Use reader='auto' instead"
            )
    connection.register(name, ArrowDataset(scan))


def _native_view(
    scan: PlannedScan, name: str, connection: duckdb.DuckDBPyConnection, *, insisted: bool
) -> str | None:
    """Makes a view that names files; a reason where there is none."""
    import duckdb  # noqa: PLC0415 - importing floeberg imports nothing large

    try:
        plan = scan._inner.plan()  # noqa: SLF001 - the package's own
        why = None if insisted else _not_worth_it(plan)
        if why is None:
            by_columns, others, reasons = _divided(scan, plan)
    except FloebergError as error:
        # A query says what is wrong, as it did when nothing was planned here.
        return str(error)
    if why is not None:
        return why
    if not by_columns or (insisted and others):
        return reasons.most_common(1)[0][0] if reasons else "the scan has no files"
    hidden = f"__floeberg_{name}_others"
    try:
        types = _types(scan, connection, hidden)
        parts = [_select(columns, paths, types) for columns, paths in by_columns.items()]
        if others:
            connection.register(hidden, ArrowDataset(SomeFiles(scan, frozenset(others))))
            parts.append(f"SELECT * FROM {_quoted(hidden)}")  # noqa: S608 - names are quoted
        connection.register(name, connection.sql(" UNION ALL ".join(parts)))
    except duckdb.Error as error:
        # DuckDB may be forbidden to open files, or be too old for a type.
        connection.unregister(hidden)
        return str(error).splitlines()[0]
    if not others:
        connection.unregister(hidden)
    return None


def _not_worth_it(plan: _native.Plan) -> str | None:
    """Why Floeberg reads all files, though DuckDB may be able to."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    count = len(plan)
    if count > MOST_FILES:
        return f"the plan has more than {MOST_FILES} files"
    files = pa.table(_any(plan))
    if count > FEW_FILES and pc.sum(files["file_size_in_bytes"]).as_py() < LEAST_BYTES * count:
        return "the files are small"
    groups = pc.fill_null(pc.max_element_wise(pc.list_value_length(files["split_offsets"]), 1), 1)
    rows = pc.divide(files["record_count"], pc.cast(groups, pa.int64()))
    if count and pc.max(rows).as_py() > MOST_ROWS:
        return f"a row group has more than {MOST_ROWS:,} rows"
    return None


def _divided(
    scan: PlannedScan, plan: _native.Plan
) -> tuple[dict[tuple[EngineColumn, ...], list[str]], list[str], Counter[str]]:
    """The paths of files by the columns that DuckDB is asked for, the locations of the others, and why they are."""
    from collections import Counter  # noqa: PLC0415 - only used here

    import pyarrow as pa  # noqa: PLC0415

    locations = pa.table(_any(plan))["location"].to_pylist()
    by_columns: dict[tuple[EngineColumn, ...], list[tuple[str, str]]] = {}
    others: list[str] = []
    reasons: Counter[str] = Counter()
    for location, found in zip(locations, engine_files(scan, plan), strict=True):
        if isinstance(found, EngineFile):
            by_columns.setdefault(found.columns, []).append((location, found.path))
        else:
            others.append(location)
            reasons[found] += 1
    for columns in sorted(by_columns, key=lambda each: -len(by_columns[each]))[MOST_GROUPS:]:
        others.extend(location for location, _ in by_columns.pop(columns))
        reasons["more kinds of files than are worth a reader each"] += 1
    return {each: [path for _, path in files] for each, files in by_columns.items()}, others, reasons


def _types(scan: PlannedScan, connection: duckdb.DuckDBPyConnection, hidden: str) -> dict[str, str]:
    """The types that DuckDB gives the columns of the scan."""
    connection.register(hidden, ArrowDataset(scan))
    relation = connection.table(hidden)
    return dict(zip(relation.columns, map(str, relation.types), strict=True))


def _select(columns: tuple[EngineColumn, ...], paths: list[str], types: dict[str, str]) -> str:
    """Rows of files, as SQL."""
    selected = []
    for each in columns:
        value = "NULL" if each.stored_name is None else _quoted(each.stored_name)
        if each.stored_name is None or each.is_cast or _TIME.search(types[each.name]):
            value = f"CAST({value} AS {types[each.name]})"
        selected.append(f"{value} AS {_quoted(each.name)}")
    listed = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    # What the settings of a connection may say otherwise is said here.
    how = "hive_partitioning = false, union_by_name = false, binary_as_string = false"
    return f"SELECT {', '.join(selected)} FROM read_parquet([{listed}], {how})"  # noqa: S608 - all is quoted


_TIME = re.compile(r"\bTIME\b")
"""A type that DuckDB takes for one with a zone in files whose times are said to be adjusted, as some writers do."""


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _any(value: object) -> Any:  # noqa: ANN401 - pyarrow has no types
    return value

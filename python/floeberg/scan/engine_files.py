"""Which files of a plan does the Parquet reader of another engine read as Floeberg does?

In: a scan and its plan. Out: for each file the names and types under which the engine has to be asked for the columns
of the scan, or the reason why Floeberg has to read the file.

Columns are asked for by the names that the file has, which its footer says. So names of the table may have changed.

Invariant: what is not proven is refused. Every file of the plan has an answer, in the order of the plan.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.scan.stored_files import stored_files
from floeberg.types import ListType, MapType, PrimitiveType, StructType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.scan.scan_protocol import PlannedScan
    from floeberg.scan.stored_files import StoredColumn, StoredFile
    from floeberg.types import IcebergType, NestedField

__all__ = ["EngineColumn", "EngineFile", "engine_files"]

_RESERVED = 2_147_483_447 - 1_000
"""Metadata columns have the last ids there are."""
_SAME: dict[str, set[tuple[str | None, str | None]]] = {
    "boolean": {("BOOLEAN", None)},
    "int": {("INT32", None), ("INT32", "int")},
    "long": {("INT64", None), ("INT64", "long")},
    "float": {("FLOAT", None)},
    "double": {("DOUBLE", None)},
    "date": {("INT32", "date")},
    "time": {("INT64", "time")},
    "timestamp": {("INT64", "timestamp")},
    "timestamptz": {("INT64", "timestamptz")},
    "timestamp_ns": {("INT64", "timestamp in nanoseconds")},
    "timestamptz_ns": {("INT64", "timestamptz in nanoseconds")},
    "string": {("BYTE_ARRAY", "string")},
    "binary": {("BYTE_ARRAY", None)},
    "uuid": {("FIXED_LEN_BYTE_ARRAY", "uuid")},
}
"""Types that are read as they are stored, with the physical types and annotations that they must have."""
_WIDENED = {"long": "int", "double": "float"}
"""Types that a file may store as a narrower one."""
_MOST_DIGITS = {"INT32": 9, "INT64": 18, "FIXED_LEN_BYTE_ARRAY": 38}
_OWN_NAMES = frozenset(
    {"filename", "file_index", "file_row_number", "file_size", "file_last_modified", "rowid"}
)
"""Names that DuckDB has for something else than a column of a file."""
_PATTERN = re.compile(r"[*?\[\]{}]")


@dataclass(frozen=True)
class EngineColumn:
    """A column of the scan, as an engine reads it of a file.

    Args:
        name: The column's name in the scan.
        stored_name: The name in the file; `None` where the file lacks the column, and all rows are null.
        is_cast: Whether the file has a narrower type.
        stored_type: The type in the file, in Iceberg's words.
    """

    name: str
    stored_name: str | None
    is_cast: bool
    stored_type: str


@dataclass(frozen=True)
class EngineFile:
    """A file that the engine reads.

    Args:
        path: Where it is, on this machine.
        columns: The columns of the scan.
    """

    path: str
    columns: tuple[EngineColumn, ...]


class _Refused(Exception):  # noqa: N818 - it is a reason and never reaches a user
    """Why Floeberg has to read a file."""


def engine_files(
    scan: PlannedScan, plan: _native.Plan, *, filter_is_tested: bool = False
) -> list[EngineFile | str]:
    """How the files of a plan are read.

    Args:
        scan: The scan, with all columns that are read.
        plan: Its plan, or one of fewer files.
        filter_is_tested: Whether the engine tests the filter of the plan again.

    Returns:
        For each file of the plan how it is read, or the reason why the engine cannot read it.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    try:
        fields = _fields(scan)
    except _Refused as why:
        return [str(why)] * len(plan)
    said = pa.table(_any(plan)).select(["location", "file_format", "spec_id", "delete_files", "residual"])
    files = said.to_pylist()
    is_true = [tree[0] == "true" for tree in plan.residuals()]
    paths = [_path(file, filtered=not (filter_is_tested or is_true[file["residual"]])) for file in files]
    found: list[EngineFile | str] = [why for _, why in paths]
    taken = [number for number, (_, why) in enumerate(paths) if not why]
    stored = stored_files(scan, [files[number]["location"] for number in taken])
    sources = {spec: set(ids) for spec, ids in scan._inner.identity_sources()}  # noqa: SLF001 - the package's own
    proven: dict[tuple[int, int], tuple[EngineColumn, ...] | str] = {}
    for number, file in zip(taken, stored, strict=True):
        key = (file.shape.number, files[number]["spec_id"])
        if key not in proven:
            proven[key] = _proven(fields, file, sources.get(key[1], set()))
        columns = proven[key]
        found[number] = columns if isinstance(columns, str) else EngineFile(paths[number][0], columns)
    return found


def _any(value: object) -> Any:  # noqa: ANN401 - pyarrow has no types
    return value


def _fields(scan: PlannedScan) -> tuple[NestedField, ...]:
    """The columns of a scan, all of which a file may have."""
    fields = scan.projection().fields
    if scan._inner.limit is not None:  # noqa: SLF001 - the package's own
        raise _Refused("the scan has a limit")
    for each in fields:
        if each.field_id >= _RESERVED:
            raise _Refused(f"the scan has the metadata column {each.name!r}")
    if len({each.name.casefold() for each in fields}) < len(fields):
        raise _Refused("columns differ by the case of their names alone")
    return fields


def _path(file: dict[str, Any], *, filtered: bool) -> tuple[str, str]:
    """The path of a file that is read whole, and why it is not; one of the two is empty."""
    path = _native.local_path(file["location"])
    if file["file_format"].lower() != "parquet":
        return "", f"the format is {file['file_format']}"
    if file["delete_files"]:
        return "", "rows of the file may be deleted"
    if filtered:
        return "", "the scan has a filter"
    if path is None:
        return "", "the file is not on this machine"
    if not path.startswith("/") or _PATTERN.search(path) or not path.isprintable():
        return "", "the path may be read as a pattern"
    return path, ""


def _proven(
    fields: Sequence[NestedField], file: StoredFile, sources: set[int]
) -> tuple[EngineColumn, ...] | str:
    try:
        return _columns(fields, file, sources)
    except _Refused as why:
        return str(why)


def _columns(fields: Sequence[NestedField], file: StoredFile, sources: set[int]) -> tuple[EngineColumn, ...]:
    shape = file.shape
    if shape.error is not None:
        raise _Refused(f"the footer cannot be read: {shape.error}")
    if any(each.field_id is None for each in shape.columns):
        raise _Refused("a column of the file has no field id")
    return tuple(_column(field, shape.columns, sources) for field in fields)


def _column(field: NestedField, columns: Sequence[StoredColumn], sources: set[int]) -> EngineColumn:
    name = field.name
    found = [each for each in columns if each.field_id == field.field_id]
    if not found:
        if field.required or field.initial_default is not None:
            raise _Refused(f"the file lacks column {name!r}, which is required or has a default")
        if field.field_id in sources:
            raise _Refused(f"the value of column {name!r} is that of the partition")
        return EngineColumn(name, None, is_cast=False, stored_type=str(field.field_type))
    stored = found[0]
    alike = [each for each in columns if each.name.casefold() == stored.name.casefold()]
    if len(found) > 1 or len(alike) > 1:
        raise _Refused(f"the file has several columns for {name!r}")
    if not stored.name or stored.name.casefold() in _OWN_NAMES:
        raise _Refused(f"column {name!r} has a name in the file that engines use themselves")
    kind = _read_as(field, stored, name)
    return EngineColumn(name, stored.name, is_cast=kind != str(field.field_type), stored_type=kind)


def _read_as(field: NestedField, stored: StoredColumn, name: str) -> str:
    """The type that the engine finds in the file."""
    # A file may promise more than the table does, and never less.
    if stored.repetition == "repeated" or (field.required and stored.repetition != "required"):
        raise _Refused(f"column {name!r} is {stored.repetition} in the file")
    kind = field.field_type
    if isinstance(kind, PrimitiveType):
        return _primitive(kind, stored, name)
    _check_parts(kind, stored, name)
    return str(kind)


def _check_parts(kind: IcebergType, stored: StoredColumn, name: str) -> None:
    """Checks that a nested column is stored in exactly the form of the table."""
    if stored.stored is not None:
        raise _Refused(f"column {name!r} is stored as {stored.stored}, and is {kind}")
    pairs: list[tuple[NestedField, StoredColumn]]
    if isinstance(kind, StructType):
        names = [each.name for each in kind.fields]
        if stored.means is not None or not names or [each.name for each in stored.columns] != names:
            raise _Refused(f"the struct {name!r} has other fields in the file")
        pairs = list(zip(kind.fields, stored.columns, strict=True))
    elif isinstance(kind, ListType):
        pairs = [(kind.element_field, _inside(stored, "list", 1, name)[0])]
    elif isinstance(kind, MapType):
        key, value = _inside(stored, "map", 2, name)
        pairs = [(kind.key_field, key), (kind.value_field, value)]
    else:
        raise _Refused(f"column {name!r} has the type {kind}")
    for field, part in pairs:
        if part.field_id != field.field_id:
            raise _Refused(f"the file has another id for a part of {name!r}")
        if _read_as(field, part, f"{name}.{field.name}") != str(field.field_type):
            raise _Refused(f"a part of {name!r} is of a narrower type in the file")


def _inside(stored: StoredColumn, means: str, parts: int, name: str) -> tuple[StoredColumn, ...]:
    """The parts of a list or a map, in the form of three levels that every reader understands in the same way."""
    if stored.means == means and len(stored.columns) == 1:
        middle = stored.columns[0]
        is_old = middle.name in {"array", f"{stored.name}_tuple"}
        if middle.repetition == "repeated" and len(middle.columns) == parts and not is_old:
            return middle.columns
    raise _Refused(f"the {means} {name!r} is stored in an old form")


def _primitive(kind: PrimitiveType, stored: StoredColumn, name: str) -> str:
    if stored.unusual:
        raise _Refused(f"column {name!r} is stored as {', '.join(stored.unusual)}")
    said = (stored.stored, stored.means)
    text = str(kind)
    for each in (text, _WIDENED.get(text, "")):
        if said in _SAME.get(each, set()):
            return each
    decimal = re.fullmatch(r"decimal\((\d+),\s*(\d+)\)", text)
    found = re.fullmatch(r"decimal\((\d+),\s*(\d+)\)", stored.means or "")
    if decimal and found and decimal[2] == found[2]:
        digits = int(found[1])
        if digits <= min(int(decimal[1]), _MOST_DIGITS.get(stored.stored or "", 0)):
            return text if digits == int(decimal[1]) else f"decimal({digits}, {found[2]})"
    raise _Refused(
        f"column {name!r} is {kind}, stored as {stored.stored} of {stored.means or 'nothing else'}"
    )

"""How do dicts become Arrow rows?

In: dicts, and the Arrow schema of the table. Out: a batch with columns of the table's types. Other keys get types that
pyarrow infers.

Invariant: no value is converted silently. A timestamp has a zone where its column has one, a date has no time, strings
are not bytes, and a key that its struct lacks is an error.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg.errors import FloebergError, InvalidInputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["batch_of"]

_EXTENSION = b"ARROW:extension:name"
_UUID_BYTES = 16
_UUID_TEXT = re.compile("-".join(f"[0-9a-fA-F]{{{digits}}}" for digits in (8, 4, 4, 4, 12)))
_INTS = range(-(2**31), 2**31)
_LARGEST_FLOAT = 3.4028235677973366e38
_LARGEST_HALF_FLOAT = 65520.0
"""The least numbers that would be rounded to infinity."""

Check = Callable[[Any], "str | None"]


def batch_of(rows: Sequence[object], schema: pa.Schema) -> pa.RecordBatch:
    """The rows as columns. Every key of any row is a column, null in rows without it.

    Raises:
        InvalidInputError: A row is not a dict, or a value does not fit its column. The error names the column and the
            row.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    for row, each in enumerate(rows):
        if not isinstance(each, Mapping):
            raise InvalidInputError(
                f"data: expected a list of dicts, found an object of type {type(each).__name__}",
                context={"row": str(row)},
            )
    if not rows:
        return pa.RecordBatch.from_pylist([], schema=schema)
    columns = _fields("", rows, schema)
    fields = [pa.field(name, array.type) for name, array in columns.items()]
    if not fields:
        raise InvalidInputError("data: the rows have no columns")
    return pa.RecordBatch.from_arrays(list(columns.values()), schema=pa.schema(fields))


def _fields(path: str, rows: Sequence[Any], known: Iterable[pa.Field[Any]]) -> dict[str, pa.Array[Any]]:
    """The columns of mappings, of which some may be `None`."""
    fields = {field.name: field for field in known}
    names: dict[str, None] = {}
    for row, each in enumerate(rows):
        for name in () if each is None else each:
            if not isinstance(name, str):
                raise _wrong(path or "data", row, f"expected a str as the name of a column, found {name!r}")
            names[name] = None
    made: dict[str, pa.Array[Any]] = {}
    for name in names:
        full = f"{path}.{name}" if path else name
        values = [None if each is None else each.get(name) for each in rows]
        made[name] = _column(full, fields[name], values) if name in fields else _inferred(full, values)
    return made


def _column(  # noqa: PLR0911 - one return a form
    path: str, field: pa.Field[Any], values: list[Any]
) -> pa.Array[Any]:
    import pyarrow as pa  # noqa: PLC0415

    kind: Any = field.type
    extension = (field.metadata or {}).get(_EXTENSION, b"").decode()
    if isinstance(kind, pa.BaseExtensionType):
        extension, kind = kind.extension_name, kind.storage_type
    if extension == "arrow.parquet.variant":
        return _variants(path, values)
    if extension == "arrow.uuid":
        return _leaf(path, kind, values, _not_uuid, _uuid_bytes)
    if pa.types.is_dictionary(kind) or isinstance(kind, pa.RunEndEncodedType):
        return _column(path, field.with_type(kind.value_type), values)
    if pa.types.is_struct(kind):
        return _structs(path, kind, values)
    if _is_list(kind):
        # Of any length and width: they become those of the column where rows are matched.
        offsets, elements = _flat(path, values, _elements)
        below = _column(f"{path}.element", kind.value_field, elements)
        return pa.ListArray.from_arrays(offsets, below)
    if pa.types.is_map(kind):
        offsets, pairs = _flat(path, values, _pairs)
        keys = _column(f"{path}.key", kind.key_field, [key for key, _ in pairs])
        items = _column(f"{path}.value", kind.item_field, [item for _, item in pairs])
        return pa.MapArray.from_arrays(offsets, keys, items)
    check = _check_of(kind)
    kind = _finer(kind)
    if kind == pa.int32() and any(isinstance(each, int) and each not in _INTS for each in values):
        # What is too large is an error where rows are matched, or makes the column wider where it may.
        kind = pa.int64()
    return _leaf(path, kind, values, check)


def _finer(kind: Any) -> Any:  # noqa: ANN401 - types
    """The type in which no time of Python loses a part. Where rows are matched, what the unit lacks is an error."""
    import pyarrow as pa  # noqa: PLC0415

    if getattr(kind, "unit", None) not in ("s", "ms"):
        return kind
    if pa.types.is_time(kind):
        return pa.time64("us")
    return pa.duration("us") if pa.types.is_duration(kind) else pa.timestamp("us", kind.tz)


def _is_list(kind: Any) -> bool:  # noqa: ANN401 - a type
    from pyarrow import types  # noqa: PLC0415

    is_view = str(kind).startswith(("list_view<", "large_list_view<"))
    return types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind) or is_view


def _inferred(path: str, values: list[Any]) -> pa.Array[Any]:
    import pyarrow as pa  # noqa: PLC0415

    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError(
            f"the type of a column cannot be inferred: {error}", context={"column": path}
        ) from error


def _variants(path: str, values: list[Any]) -> pa.Array[Any]:
    import pyarrow as pa  # noqa: PLC0415

    try:
        return pa.array(cast("Any", _native.encode_variants(values)))
    except FloebergError as error:
        raise type(error)(error.message, context={"column": path, **error.context}) from error


def _structs(path: str, kind: Any, values: list[Any]) -> pa.Array[Any]:  # noqa: ANN401 - a struct type
    import pyarrow as pa  # noqa: PLC0415

    for row, value in enumerate(values):
        if value is not None and not isinstance(value, Mapping):
            raise _wrong(path, row, f"expected a dict, found an object of type {type(value).__name__}")
    columns = _fields(path, values, kind)
    missing = [field for field in kind if field.name not in columns]
    for field in missing:
        columns[field.name] = pa.nulls(len(values))
    mask = pa.array([value is None for value in values], pa.bool_())
    fields = [pa.field(name, array.type) for name, array in columns.items()]
    return pa.StructArray.from_arrays(list(columns.values()), fields=fields, mask=mask)


def _flat(
    path: str, values: list[Any], parts: Callable[[Any], list[Any] | None]
) -> tuple[pa.Array[Any], list[Any]]:
    """Where each list begins and ends, null where it is null, and what all of them hold."""
    import pyarrow as pa  # noqa: PLC0415

    offsets: list[int | None] = []
    every: list[Any] = []
    for row, value in enumerate(values):
        if value is None:
            offsets.append(None)
            continue
        found = parts(value)
        if found is None:
            raise _wrong(
                path, row, f"expected a list or a dict, found an object of type {type(value).__name__}"
            )
        offsets.append(len(every))
        every.extend(found)
    offsets.append(len(every))
    return pa.array(offsets, pa.int32()), every


def _elements(value: object) -> list[Any] | None:
    if isinstance(value, (str, bytes, bytearray, Mapping)) or not isinstance(value, Iterable):
        return None
    return list(value)


def _pairs(value: object) -> list[Any] | None:
    if isinstance(value, Mapping):
        return list(value.items())
    found = _elements(value)
    is_pairs = found is not None and all(isinstance(each, tuple) and len(each) == 2 for each in found)  # noqa: PLR2004
    return found if is_pairs else None


def _leaf(
    path: str,
    kind: pa.DataType,
    values: list[Any],
    check: Check | None,
    change: Callable[[Any], Any] | None = None,
) -> pa.Array[Any]:
    import pyarrow as pa  # noqa: PLC0415

    if check is not None:
        for row, value in enumerate(values):
            why = None if value is None else check(value)
            if why is not None:
                raise _wrong(path, row, why)
    if change is not None:
        values = [None if value is None else change(value) for value in values]
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise _wrong(path, _first_wrong(kind, values), str(error)) from error


def _first_wrong(kind: pa.DataType, values: list[Any]) -> int:
    import pyarrow as pa  # noqa: PLC0415

    def fits(value: object) -> bool:
        try:
            pa.array([value], kind)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            return False
        return True

    return next((row for row, value in enumerate(values) if not fits(value)), 0)


def _check_of(kind: Any) -> Check | None:  # noqa: ANN401 - a type
    """A check of values that pyarrow would convert silently."""
    from pyarrow import types  # noqa: PLC0415

    def is_text(kind: Any) -> bool:  # noqa: ANN401 - a type
        return types.is_string(kind) or types.is_large_string(kind) or str(kind) == "string_view"

    def is_bytes(kind: Any) -> bool:  # noqa: ANN401 - a type
        is_plain = types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)
        return is_plain or str(kind) == "binary_view"

    if types.is_timestamp(kind):
        return lambda value: _not_moment(value, has_zone=kind.tz is not None, nanos=kind.unit == "ns")
    known: tuple[tuple[Callable[[Any], bool], Check], ...] = (
        (types.is_decimal, _not_decimal),
        (types.is_integer, _not_integer),
        (types.is_float16, _not_half_float),
        (types.is_float32, _not_short_float),
        (types.is_floating, _not_float),
        (types.is_date, _not_day),
        (types.is_time, _not_time),
        (types.is_duration, _not_duration),
        (is_text, _not_text),
        (is_bytes, _not_bytes),
    )
    return next((check for is_of, check in known if is_of(kind)), None)


def _not_bytes(value: object) -> str | None:
    return None if isinstance(value, (bytes, bytearray, memoryview)) else _found("bytes", value)


def _not_moment(value: object, *, has_zone: bool, nanos: bool) -> str | None:
    # pandas' NaT is a datetime, and equals nothing.
    if not isinstance(value, dt.datetime) or value != value:  # noqa: PLR0124
        return _found("a datetime", value)
    if (value.utcoffset() is not None) != has_zone:
        return f"expected a datetime {'with' if has_zone else 'without'} a time zone, found {value!r}"
    # pandas has moments of nanoseconds.
    if not nanos and getattr(value, "nanosecond", None):
        return f"{value!r} has nanoseconds, and the column microseconds: round it first"
    return None


def _not_day(value: object) -> str | None:
    is_day = isinstance(value, dt.date) and not isinstance(value, dt.datetime)
    return None if is_day else _found("a date without a time", value)


def _not_time(value: object) -> str | None:
    is_time = isinstance(value, dt.time) and value.tzinfo is None
    return None if is_time else _found("a time without a time zone", value)


def _not_duration(value: object) -> str | None:
    return None if isinstance(value, dt.timedelta) else _found("a timedelta", value)


def _not_integer(value: object) -> str | None:
    is_integer = hasattr(value, "__index__") and not isinstance(value, bool)
    return None if is_integer else _found("an int", value)


def _not_decimal(value: object) -> str | None:
    is_exact = isinstance(value, (int, Decimal)) and not isinstance(value, bool)
    return None if is_exact else _found("a Decimal or an int", value)


def _not_float(value: object) -> str | None:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    return None if is_number else _found("a float", value)


def _not_short_float(value: object) -> str | None:
    return _not_float(value) or _beyond(value, _LARGEST_FLOAT, 32)


def _not_half_float(value: object) -> str | None:
    return _not_float(value) or _beyond(value, _LARGEST_HALF_FLOAT, 16)


def _beyond(value: Any, least: float, bits: int) -> str | None:  # noqa: ANN401 - a number
    # An integer may be too large to become a float, and is compared with one.
    is_lost = least <= abs(value) < math.inf
    return f"{value!r} is out of the range of a float of {bits} bits" if is_lost else None


def _not_text(value: object) -> str | None:
    if not isinstance(value, str):
        return _found("a str", value)
    try:
        value.encode()
    except UnicodeEncodeError:
        return f"expected a text that UTF-8 can encode, found {value!r}"
    return None


def _not_uuid(value: object) -> str | None:
    """Why a value is no UUID, its canonical text or its 16 bytes; `None` for one that is."""
    if isinstance(value, str):
        return None if _UUID_TEXT.fullmatch(value) else f"expected the text of a UUID, found {value[:40]!r}"
    is_uuid = isinstance(value, uuid.UUID) or (isinstance(value, bytes) and len(value) == _UUID_BYTES)
    return None if is_uuid else _found("a UUID, its text or its 16 bytes", value)


def _uuid_bytes(value: uuid.UUID | bytes | str) -> bytes:
    """The bytes of one."""
    if isinstance(value, bytes):
        return value
    return (uuid.UUID(value) if isinstance(value, str) else value).bytes


def _found(expected: str, value: object) -> str:
    return f"expected {expected}, found an object of type {type(value).__name__}"


def _wrong(column: str, row: int, why: str) -> InvalidInputError:
    return InvalidInputError(
        f"a value does not fit its column: {why}", context={"column": column, "row": str(row)}
    )

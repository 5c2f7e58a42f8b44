"""How do partition transforms transform Arrow arrays?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from floeberg import _native
from floeberg._arguments import checked_int
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["bucket", "days", "hours", "months", "truncate", "years"]

_PARAMETERS = range(1, 2**31)

Rows = TypeVar("Rows", "pa.Array[Any]", "pa.ChunkedArray[Any]")


@overload
def bucket(array: Rows, n: int) -> Rows: ...


@overload
def bucket(array: int, n: Rows) -> Rows: ...


def bucket(array: Any, n: Any) -> Any:
    """The bucket of each value: its 32-bit Murmur3 hash, without its sign, modulo the number of buckets.

    The number may come first, as in `floeberg.spark.functions`, in SQL and in specs: `bucket(16, array)`.

    Args:
        array: A `pyarrow.Array`, a `pyarrow.ChunkedArray`, or an object with the Arrow PyCapsule interface. Integers,
            decimals, dates, times, timestamps, strings, UUIDs and binary have buckets.
        n: The number of buckets.

    Returns:
        `int32`; null for a null.

    Raises:
        InvalidInputError: The array has another type, or `n` is not 1 to 2147483647.

    Examples:
        >>> import pyarrow as pa
        >>> bucket(pa.array(["iceberg"]), 16).to_pylist()
        [9]
    """
    rows, number = _ordered(array, n)
    return _applied(f"bucket[{_parameter('n', number)}]", rows)


@overload
def truncate(array: Rows, width: int) -> Rows: ...


@overload
def truncate(array: int, width: Rows) -> Rows: ...


def truncate(array: Any, width: Any) -> Any:
    """Each value truncated to a width: numbers down to a multiple of it, strings to characters, binary to bytes.

    The width may come first, as for `bucket`.

    Args:
        array: As for `bucket`: integers, decimals, strings and binary. The width of a decimal has its scale.
        width: The width.

    Returns:
        Values of the same type.

    Raises:
        InvalidInputError: The array has another type, or `width` is not 1 to 2147483647.

    Examples:
        >>> import pyarrow as pa
        >>> truncate(pa.array([-1, 19]), 10).to_pylist(), truncate(pa.array(["iceberg"]), 3).to_pylist()
        ([-10, 10], ['ice'])
    """
    rows, number = _ordered(array, width)
    return _applied(f"truncate[{_parameter('width', number)}]", rows)


def years(array: Rows) -> Rows:
    """Years from 1970, negative before.

    Args:
        array: As for `bucket`: dates and timestamps. A timestamp with a zone is converted to UTC.

    Returns:
        `int32`.

    Raises:
        InvalidInputError: The array has another type.

    Examples:
        >>> import datetime, pyarrow as pa
        >>> years(pa.array([datetime.date(2017, 11, 16), datetime.date(1969, 12, 31)])).to_pylist()
        [47, -1]
    """
    return _applied("year", array)


def months(array: Rows) -> Rows:
    """Months from January 1970, negative before.

    Args:
        array: As for `years`.

    Returns:
        `int32`.

    Raises:
        InvalidInputError: The array has another type.

    Examples:
        >>> import datetime, pyarrow as pa
        >>> months(pa.array([datetime.date(2017, 11, 16)])).to_pylist()
        [574]
    """
    return _applied("month", array)


def days(array: Rows) -> Rows:
    """The day of each date and timestamp.

    Args:
        array: As for `years`.

    Returns:
        `date32`, as tables store it.

    Raises:
        InvalidInputError: The array has another type.

    Examples:
        >>> import datetime, pyarrow as pa
        >>> days(pa.array([datetime.datetime(1969, 12, 31, 23)])).to_pylist()
        [datetime.date(1969, 12, 31)]
    """
    return _applied("day", array)


def hours(array: Rows) -> Rows:
    """Hours from 1970-01-01 00:00, negative before.

    Args:
        array: As for `bucket`: timestamps. One with a zone is converted to UTC.

    Returns:
        `int32`.

    Raises:
        InvalidInputError: The array has another type.

    Examples:
        >>> import datetime, pyarrow as pa
        >>> hours(pa.array([datetime.datetime(1970, 1, 2, 1, 59)])).to_pylist()
        [25]
    """
    return _applied("hour", array)


def _ordered(first: object, second: object) -> tuple[Any, Any]:
    """The array and the number, given in either order."""
    return (second, first) if isinstance(first, int) and not isinstance(second, int) else (first, second)


def _parameter(name: str, value: int) -> int:
    checked = checked_int(name, value)
    if checked not in _PARAMETERS:
        raise InvalidInputError(f"{name}: expected an integer of 1 to 2147483647, found {checked}")
    return checked


def _applied(transform: str, array: Rows) -> Rows:
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    rows: Any = _rows(array)
    chunks = rows.chunks if isinstance(rows, pa.ChunkedArray) else [rows]
    field = pa.field("", rows.type)
    batches = [pa.RecordBatch.from_arrays([chunk], schema=pa.schema([field])) for chunk in chunks]
    if not batches:
        # Without any batch the type of the result would be unknown.
        batches = [pa.RecordBatch.from_arrays([pa.array([], rows.type)], schema=pa.schema([field]))]
    reader = pa.RecordBatchReader.from_batches(pa.schema([field]), batches)
    made = [pa.array(cast("Any", column)) for column in _native.transform_column(transform, reader)]
    result = pa.chunked_array(made) if isinstance(rows, pa.ChunkedArray) else made[0]
    return cast("Rows", result)


def _rows(array: object) -> Any:  # noqa: ANN401 - an array or a chunked one
    import pyarrow as pa  # noqa: PLC0415

    rows: Any = array
    if not isinstance(array, (pa.Array, pa.ChunkedArray)):
        try:
            if hasattr(array, "__arrow_c_array__"):
                rows = pa.array(cast("Any", array))
            elif hasattr(array, "__arrow_c_stream__"):
                rows = pa.chunked_array(cast("Any", array))
            else:
                raise InvalidInputError(
                    f"array: expected Arrow data, found an object of type {type(array).__name__}"
                )
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise InvalidInputError(f"array: its Arrow data cannot be read: {error}") from error
    if pa.types.is_int8(rows.type) or pa.types.is_int16(rows.type):
        return rows.cast(pa.int32())
    if isinstance(rows.type, pa.BaseExtensionType):
        return rows.cast(rows.type.storage_type)
    return rows

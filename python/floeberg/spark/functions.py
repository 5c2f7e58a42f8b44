"""Partition transforms as functions of Spark columns, with the same results as in tables.

`df.repartition(bucket(16, "id"))` brings the rows of each bucket together, as in a bucketed table. The functions run in
Spark's Python workers, on Arrow arrays, and need PySpark 4.1 or later.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, cast, overload

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.transforms import _functions as transforms

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa
    from pyspark.sql import Column

__all__ = ["bucket", "days", "hours", "months", "truncate", "years"]


@overload
def bucket(n: int, column: Column | str, *, source_type: str | None = None) -> Column: ...


@overload
def bucket(n: Column | str, column: int, *, source_type: str | None = None) -> Column: ...


def bucket(n: Any, column: Any, *, source_type: str | None = None) -> Column:
    """The bucket of each value.

    The column may come first, as in `floeberg.transforms`: `bucket("id", 16)`.

    Args:
        n: The number of buckets.
        column: A column or its name: integers, decimals, dates, timestamps, strings or binary.
        source_type: `"uuid"` for a column of UUIDs. Spark stores them as strings.

    Returns:
        A column of `int`.

    Raises:
        InvalidInputError: `n` is not 1 to 2147483647, or `source_type` is another string.
        UnsupportedError: PySpark is older than 4.1.
    """
    column, given = transforms._ordered(n, column)  # noqa: SLF001 - the package's own
    number = transforms._parameter("n", given)  # noqa: SLF001
    if source_type not in {None, "uuid"}:
        raise InvalidInputError(f"source_type: expected 'uuid' or None, found {source_type!r}")

    def apply(values: pa.Array[Any]) -> pa.Array[Any]:
        return transforms.bucket(_uuids(values) if source_type else as_in_tables(values), number)

    return arrow_function(apply, "int")(column)


@overload
def truncate(width: int, column: Column | str, *, source_type: str) -> Column: ...


@overload
def truncate(width: Column | str, column: int, *, source_type: str) -> Column: ...


def truncate(width: Any, column: Any, *, source_type: str) -> Column:
    """Each value truncated to a width.

    The column may come first, as for `bucket`.

    Args:
        width: The width.
        column: A column or its name: integers, decimals, strings or binary.
        source_type: The Spark type of the column and of the result: `"int"`, `"bigint"`, `"decimal(9,2)"`, `"string"`
            or `"binary"`. Spark needs it before it knows the column.

    Returns:
        A column of the same type.

    Raises:
        InvalidInputError: `width` is not 1 to 2147483647.
        UnsupportedError: PySpark is older than 4.1.
    """
    column, given = transforms._ordered(width, column)  # noqa: SLF001 - the package's own
    checked = transforms._parameter("width", given)  # noqa: SLF001

    def apply(values: pa.Array[Any]) -> pa.Array[Any]:
        return transforms.truncate(values, checked)

    return arrow_function(apply, source_type)(column)


def years(column: Column | str) -> Column:
    """Years from 1970 of dates and timestamps, negative before. Always in UTC, whatever the session's time zone.

    Args:
        column: A column or its name.

    Returns:
        A column of `int`.
    """
    return arrow_function(plain(transforms.years), "int")(column)


def months(column: Column | str) -> Column:
    """Months from January 1970 of dates and timestamps, negative before. Always in UTC.

    Args:
        column: A column or its name.

    Returns:
        A column of `int`.
    """
    return arrow_function(plain(transforms.months), "int")(column)


def days(column: Column | str) -> Column:
    """The day of dates and timestamps. Always in UTC, whatever the session's time zone.

    Args:
        column: A column or its name.

    Returns:
        A column of `date`.
    """
    return arrow_function(plain(transforms.days), "date")(column)


def hours(column: Column | str) -> Column:
    """Hours from 1970-01-01 00:00 of timestamps, negative before. Always in UTC.

    Args:
        column: A column or its name.

    Returns:
        A column of `int`.
    """
    return arrow_function(plain(transforms.hours), "int")(column)


def plain(transform: Callable[[Any], Any]) -> Callable[[pa.Array[Any]], pa.Array[Any]]:
    """A transform as a function of its own, whose annotations are set."""

    def apply(values: pa.Array[Any]) -> pa.Array[Any]:
        return transform(values)

    return apply


def arrow_function(
    apply: Callable[..., pa.Array[Any]], result_type: str, what: str = "these functions"
) -> Callable[..., Column]:
    """A function of Spark that computes on Arrow arrays.

    Args:
        apply: What it computes.
        result_type: Its type in Spark.
        what: What needs it, for errors.

    Raises:
        UnsupportedError: PySpark is older than 4.1.
    """
    try:
        from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined] # noqa: PLC0415 - older ones have none
    except ImportError as error:
        raise UnsupportedError(f"{what} need PySpark 4.1 or later: pip install 'pyspark>=4.1'") from error
    import pyarrow as pa  # noqa: PLC0415 - importing this module needs none

    # Spark decides the kind of a function by its annotations, which must be types.
    code = apply.__code__
    apply.__annotations__ = dict.fromkeys((*code.co_varnames[: code.co_argcount], "return"), pa.Array)
    return cast("Callable[..., Column]", arrow_udf(apply, result_type))


def as_in_tables(values: pa.Array[Any]) -> pa.Array[Any]:
    """Values in types that tables have. Spark's times count nanoseconds, those of tables microseconds."""
    import pyarrow as pa  # noqa: PLC0415 - planning needs none

    if pa.types.is_time64(values.type):
        return values.cast(pa.time64("us"), safe=False)
    return values.cast(pa.int32()) if values.type in {pa.int8(), pa.int16()} else values


def _uuids(values: pa.Array[Any]) -> pa.Array[Any]:
    """The bytes of UUIDs that are stored as strings."""
    import pyarrow as pa  # noqa: PLC0415 - planning needs none

    try:
        texts = values.to_pylist()
        return pa.array([None if text is None else uuid.UUID(text).bytes for text in texts], pa.binary(16))
    except (AttributeError, TypeError, ValueError) as error:
        raise InvalidInputError(f"source_type: not all values are UUIDs: {error}") from error

"""May this session have columns of times?

Spark has the type TIME from 4.1 on, where `spark.sql.timeType.enabled` is true.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.errors import UnsupportedError
from floeberg.spark.session.conf import is_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

__all__ = ["TIME_TYPES", "check_times", "time_columns"]

TIME_TYPES = "spark.sql.timeType.enabled"


def check_times(spark: SparkSession, columns: StructType) -> None:
    """Checks that a session may have columns.

    Raises:
        UnsupportedError: One of them has times, which the session does not take.
    """
    found = next(time_columns(columns), None)
    # A release that does not know the setting takes times.
    if found is not None and not is_set(spark, TIME_TYPES, default=True):
        raise UnsupportedError(
            f"column {found!r} is of type time, which Spark takes only where {TIME_TYPES} is true: set it "
            f"(spark.conf.set({TIME_TYPES!r}, 'true')), or leave the column out"
        )


def time_columns(kind: Any, name: str = "") -> Iterator[str]:  # noqa: ANN401 - any type of Spark
    """The columns and the parts of columns of a type that are times."""
    from pyspark.sql import types  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    if isinstance(kind, types.StructType):
        for each in kind.fields:
            yield from time_columns(each.dataType, f"{name}.{each.name}" if name else each.name)
    elif isinstance(kind, types.ArrayType):
        yield from time_columns(kind.elementType, f"{name}.element")
    elif isinstance(kind, types.MapType):
        yield from time_columns(kind.keyType, f"{name}.key")
        yield from time_columns(kind.valueType, f"{name}.value")
    elif kind.simpleString().startswith("time("):
        yield name

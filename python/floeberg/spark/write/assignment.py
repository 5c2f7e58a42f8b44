"""How does a value of Spark get into a column, as Spark's own assignments do it?

In: the type of the value and that of the column. Out: the type to cast to, or an error.

Spark assigns by the rules of ANSI SQL: between numbers, with an error for a number that does not fit; between dates and
timestamps; to strings. Text never becomes a number.

Invariant: a value that changes by the cast raises, or the cast is the one that Spark makes itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.session.names import quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import DataType

__all__ = ["Assignments", "written"]

_WHOLE = ("tinyint", "smallint", "int", "bigint")
_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}


class Assignments:
    """What may be assigned in a session.

    Args:
        spark: The session.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._raises = str(spark.conf.get("spark.sql.ansi.enabled", "true")).lower() == "true"
        self._policy = str(spark.conf.get("spark.sql.storeAssignmentPolicy", "ANSI")).upper()

    def cast(self, column: str, have: DataType, want: DataType) -> str | None:
        """The type that a value is cast to; `None` where it has the column's already.

        Args:
            column: The column, for errors.
            have: The type of the value.
            want: The type of the column.

        Raises:
            InvalidInputError: A value of the type cannot be assigned.
            UnsupportedError: The session would not raise for a value that does not fit.
        """
        from pyspark.sql import types  # noqa: PLC0415 - importing floeberg.spark imports nothing large

        one, other = have.simpleString(), want.simpleString()
        if one == other:
            return None
        parts = self._parts(column, have, want)
        if parts:
            for name, inner, wanted in parts:
                self.cast(name, inner, wanted)
            return written(want)
        atomic = not isinstance(have, (types.ArrayType, types.MapType, types.StructType, types.VariantType))
        numbers = isinstance(have, types.NumericType) and isinstance(want, types.NumericType)
        moments = isinstance(have, _moments()) and isinstance(want, _moments())
        to_text = isinstance(want, types.StringType) and atomic
        if not (isinstance(have, types.NullType) or numbers or moments or to_text):
            raise InvalidInputError(
                f"column {column!r} is of type {other}, and the value of type {one}: write CAST(... AS {other})"
            )
        if self._policy != "ANSI" and not isinstance(have, types.NullType):
            raise UnsupportedError(
                f"column {column!r} is of type {other}, and the value of type {one}: values are only converted where "
                f"spark.sql.storeAssignmentPolicy is ANSI, found {self._policy}"
            )
        if numbers and not self._raises and not _is_wider(one, other):
            raise UnsupportedError(
                f"column {column!r} is of type {other}, and the value of type {one}: with spark.sql.ansi.enabled off "
                "Spark changes numbers that do not fit: switch it on, or write CAST"
            )
        return other

    def _parts(self, column: str, have: DataType, want: DataType) -> list[tuple[str, DataType, DataType]]:
        """The parts of a value and of a column that are nested alike, which are assigned one by one.

        Raises:
            InvalidInputError: A struct has other fields, or in another order.
        """
        from pyspark.sql import types  # noqa: PLC0415 - the same

        if isinstance(have, types.ArrayType) and isinstance(want, types.ArrayType):
            return [(f"{column}.element", have.elementType, want.elementType)]
        if isinstance(have, types.MapType) and isinstance(want, types.MapType):
            return [
                (f"{column}.key", have.keyType, want.keyType),
                (f"{column}.value", have.valueType, want.valueType),
            ]
        if not (isinstance(have, types.StructType) and isinstance(want, types.StructType)):
            return []
        if [name.lower() for name in have.names] != [name.lower() for name in want.names]:
            raise InvalidInputError(
                f"column {column!r} has the fields {', '.join(map(repr, want.names))}, and the value "
                f"{', '.join(map(repr, have.names))}: give them these names, in this order, with named_struct"
            )
        return [
            (f"{column}.{one.name}", one.dataType, other.dataType)
            for one, other in zip(have.fields, want.fields, strict=True)
        ]


def written(kind: DataType) -> str:
    """A type as it is written in SQL, whatever names its fields have."""
    from pyspark.sql import types  # noqa: PLC0415 - the same

    if isinstance(kind, types.ArrayType):
        return f"ARRAY<{written(kind.elementType)}>"
    if isinstance(kind, types.MapType):
        return f"MAP<{written(kind.keyType)}, {written(kind.valueType)}>"
    if isinstance(kind, types.StructType):
        fields = (f"{quoted(each.name)}: {written(each.dataType)}" for each in kind.fields)
        return f"STRUCT<{', '.join(fields)}>"
    return kind.simpleString()


def _moments() -> tuple[type, ...]:
    from pyspark.sql import types  # noqa: PLC0415 - the same

    return types.DateType, types.TimestampType, types.TimestampNTZType


def _is_wider(have: str, want: str) -> bool:
    """Whether all numbers of a type are numbers of the other."""
    if have in _WHOLE and want in _WHOLE:
        return _WHOLE.index(have) < _WHOLE.index(want)
    if want == "double":
        return have == "float" or have in _WHOLE[:3]
    if want.startswith("decimal"):
        precision, scale = _parts(want)
        if have in _DIGITS:
            return precision - scale >= _DIGITS[have]
        if have.startswith("decimal"):
            digits, places = _parts(have)
            return scale >= places and precision - scale >= digits - places
    return False


def _parts(decimal: str) -> tuple[int, int]:
    precision, scale = decimal.removeprefix("decimal(").rstrip(")").split(",")
    return int(precision), int(scale)

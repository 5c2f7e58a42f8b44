"""Which types of Spark hold all values of which others?

In: the type that the query of a view gives, and the one that the view has. Out: whether a cast changes no value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import types as spark

__all__ = ["is_promotion", "nullable"]

_WHOLE = ("tinyint", "smallint", "int", "bigint")
_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
_SMALLER = {("float", "double"), ("date", "timestamp_ntz")}


def is_promotion(given: spark.DataType, wanted: spark.DataType) -> bool:  # noqa: PLR0911 - one return a kind
    """Whether a type holds all values of another one, as they are.

    Args:
        given: The type of the values.
        wanted: The type that they are to get.
    """
    from pyspark.sql import types as spark  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    if isinstance(given, spark.StructType) and isinstance(wanted, spark.StructType):
        return [each.name for each in given] == [each.name for each in wanted] and all(
            is_promotion(one.dataType, other.dataType)
            for one, other in zip(given.fields, wanted.fields, strict=True)
        )
    if isinstance(given, spark.ArrayType) and isinstance(wanted, spark.ArrayType):
        return is_promotion(given.elementType, wanted.elementType)
    if isinstance(given, spark.MapType) and isinstance(wanted, spark.MapType):
        return is_promotion(given.keyType, wanted.keyType) and is_promotion(given.valueType, wanted.valueType)
    if isinstance(given, spark.NullType):
        return True
    texts = (spark.StringType, spark.CharType, spark.VarcharType)
    if isinstance(given, texts) and isinstance(wanted, texts):
        return True
    one, other = given.simpleString(), wanted.simpleString()
    if isinstance(wanted, spark.DecimalType):
        before = wanted.precision - wanted.scale
        if isinstance(given, spark.DecimalType):
            return given.scale <= wanted.scale and given.precision - given.scale <= before
        return one in _DIGITS and _DIGITS[one] <= before
    if one in _WHOLE and other in _WHOLE:
        return _WHOLE.index(one) <= _WHOLE.index(other)
    return one == other or (one, other) in _SMALLER


def nullable(kind: spark.DataType) -> spark.DataType:
    """A type whose values may be null at every depth: a cast would check that they are not."""
    from pyspark.sql import types as spark  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    if isinstance(kind, spark.StructType):
        return spark.StructType(
            [spark.StructField(each.name, nullable(each.dataType)) for each in kind.fields]
        )
    if isinstance(kind, spark.ArrayType):
        return spark.ArrayType(nullable(kind.elementType))
    if isinstance(kind, spark.MapType):
        return spark.MapType(nullable(kind.keyType), nullable(kind.valueType))
    return kind

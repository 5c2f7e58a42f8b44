"""Reads through the data source `floeberg`, and what they give, in the terms of the tests of Python."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import VariantType

from corpus import Case, encode
from floeberg import errors

VARIANT = pa.field(
    "v",
    pa.struct(
        [
            pa.field("value", pa.binary(), nullable=False),
            pa.field("metadata", pa.binary(), nullable=False, metadata={b"variant": b"true"}),
        ]
    ),
)


def load(spark: SparkSession, case: Case, options: Mapping[str, str]) -> DataFrame:
    """A table of the corpus, at its current metadata file, in one partition."""
    reader = (
        spark.read.format("floeberg").option("relocate", json.dumps(case.relocate)).option("partitions", 1)
    )
    return reader.options(**options).load(str(case.metadata_file))


def forms(frame: DataFrame) -> list[tuple[str, str, bool]]:
    """Names, types and nullability, at every level."""
    return [(field.name, field.dataType.json(), field.nullable) for field in frame.schema]


def rows_of(frame: DataFrame) -> list[str]:
    """The rows of a frame, in the encoding of the corpus."""
    variants = [field.name for field in frame.schema if isinstance(field.dataType, VariantType)]
    table = frame.drop(*variants).toArrow()
    for name in variants:
        table = table.add_column(frame.columns.index(name), VARIANT.with_name(name), [_bytes_of(frame, name)])
    return encode(
        table.cast(pa.schema(field.with_type(_in_microseconds(field.type)) for field in table.schema))
    )


def _bytes_of(frame: DataFrame, name: str) -> pa.Array:
    """A column of variants: `toArrow` of PySpark 4.3 fails where one is null, whatever the source."""
    values = [row[0] for row in frame.select(name).collect()]
    rows = [value and {"value": value.value, "metadata": value.metadata} for value in values]
    return pa.array(rows, VARIANT.type)


def _in_microseconds(kind: pa.DataType) -> pa.DataType:
    """Times are nanoseconds in Spark's Arrow, and microseconds in Iceberg."""
    if kind == pa.time64("ns"):
        return pa.time64("us")
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_in_microseconds(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_in_microseconds(kind.value_type)))
    if pa.types.is_map(kind):
        return pa.map_(_in_microseconds(kind.key_type), _in_microseconds(kind.item_type))
    return kind


def ours(error: PySparkException) -> errors.FloebergError:
    """The error of Floeberg that Spark tells of; an error of another origin is raised."""
    told = re.findall(r"^(?:\w+: )?floeberg\.errors\.(\w+): (.*)$", str(error), flags=re.MULTILINE)
    if not told:
        raise error
    name, message = told[-1]
    found: errors.FloebergError = getattr(errors, name)(message)
    return found

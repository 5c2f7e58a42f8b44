"""Reads through the data source `floeberg`, and what they give, in the terms of the tests of Python."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from corpus import Case, encode
from floeberg import errors


def load(spark: SparkSession, case: Case, options: Mapping[str, str]) -> DataFrame:
    """A table of the corpus, at its current metadata file, in one partition."""
    reader = (
        spark.read.format("floeberg").option("relocate", json.dumps(case.relocate)).option("partitions", 1)
    )
    return reader.options(**options).load(str(case.metadata_file))


def rows_of(frame: DataFrame) -> list[str]:
    """The rows of a frame, in the encoding of the corpus."""
    table = frame.toArrow()
    return encode(
        table.cast(pa.schema(field.with_type(_in_microseconds(field.type)) for field in table.schema))
    )


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

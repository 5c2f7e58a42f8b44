"""Every version of every Lance table of the corpus has the same rows through Spark."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from corpus import lance_cases, lance_lent
from floeberg.errors import UnsupportedError
from floeberg.spark.read.types import spark_struct

CASES = [case for case in lance_cases() if case != lance_lent("lance_legacy")]
WITHOUT = {"decimal256"}
"""The types that Spark has no type for, so that a column of them is left out by name."""


def spark_has(field: pa.Field) -> bool:
    """Whether Spark has a type for a column."""
    try:
        spark_struct(pa.schema([field]), truncate_nanoseconds=True)
    except UnsupportedError:
        return False
    return True


def in_spark(value: Any, kind: pa.DataType) -> Any:
    """A value as Spark has it, which has no nanoseconds, unsigned integers or zones of columns."""
    if value is None:
        return None
    if pa.types.is_dictionary(kind):
        return in_spark(value, kind.value_type)
    if pa.types.is_struct(kind):
        return {each.name: in_spark(value[each.name], each.type) for each in kind}
    if pa.types.is_map(kind):
        return [(in_spark(key, kind.key_type), in_spark(item, kind.item_type)) for key, item in value]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return [in_spark(each, kind.value_type) for each in value]
    if pa.types.is_uint64(kind):
        return Decimal(value)
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind) or pa.types.is_time(kind):
        # By microseconds since the epoch, in whatever zone and unit it is shown. What is smaller is cut off.
        units = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}[kind.unit]
        whole = pa.int64() if kind.bit_width == 64 else pa.int32()
        nanoseconds = pa.scalar(value, kind).cast(whole).as_py() * units
        return nanoseconds // 1_000 if nanoseconds >= 0 else -(-nanoseconds // 1_000)
    return value


def told(table: pa.Table) -> list[str]:
    """The rows as texts, in an order of their own. NaN is not equal to itself."""
    rows = table.to_pylist()
    return sorted(
        repr({each.name: in_spark(row[each.name], each.type) for each in table.schema}) for row in rows
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_version_has_its_rows_through_spark(spark, case) -> None:
    for version in case.open().version_numbers():
        table = case.open(version=version)
        chosen = [each.name for each in table.schema() if spark_has(each)]
        left_out = {str(each.type).split("(")[0] for each in table.schema() if not spark_has(each)}
        assert left_out <= WITHOUT, left_out
        options = {
            "path": str(case.location),
            "relocate": json.dumps(case.relocate),
            "version": str(version),
            "truncate-nanoseconds": "true",
        }
        if left_out:
            options["columns"] = json.dumps(chosen)
        frame = spark.read.format("floeberg").options(**options).load()
        assert frame.columns == chosen
        wanted = table.scan().to_arrow().select(chosen)
        found = frame.toArrow()
        assert found.num_rows == table.scan().count()
        assert told(found.select(chosen)) == told(wanted), version

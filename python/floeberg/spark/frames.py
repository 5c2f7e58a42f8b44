"""How does a scan become a DataFrame?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.spark.options import SCAN, scan_token
from floeberg.spark.registration import register_once
from floeberg.spark.request import scan_bytes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from floeberg.scan import Scan

__all__ = ["frame_of"]


def frame_of(scan: Scan, spark: SparkSession, options: dict[str, int | bool | None]) -> DataFrame:
    """The DataFrame of a scan. See `Scan.to_spark`."""
    register_once(spark)
    reader = spark.read.format("floeberg").option(SCAN, scan_token(scan_bytes(scan)))
    for key, value in options.items():
        if value is not None:
            reader = reader.option(key, value)
    frame = reader.load()
    limit = scan._inner.limit  # noqa: SLF001 - the package's own
    return frame if limit is None else frame.limit(limit)

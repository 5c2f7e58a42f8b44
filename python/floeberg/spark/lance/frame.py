"""How does a scan of a Lance table become a DataFrame?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.spark.lance.request import lance_scan_bytes
from floeberg.spark.read.dataframe import token_to_dataframe
from floeberg.spark.read.options import scan_token
from floeberg.spark.session.environment import check_pyspark, check_session
from floeberg.spark.session.task_errors import own_errors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from floeberg.lance import LanceScan

__all__ = ["lance_frame"]


@own_errors()
def lance_frame(scan: LanceScan, spark: SparkSession, options: dict[str, int | bool | None]) -> DataFrame:
    """The DataFrame of a scan. See `LanceScan.to_spark`."""
    check_pyspark()
    check_session(spark)
    frame = token_to_dataframe(scan_token(lance_scan_bytes(scan)), spark, options)
    limit = scan._inner.limit  # noqa: SLF001 - the package's own
    return frame if limit is None else frame.limit(limit)

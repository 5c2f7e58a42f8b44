"""How many pieces of rows does Spark send to Python at a time?

Pieces are rows of others as bytes, some MiB each. From Spark 4.1 on, batches have a limit of bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.spark.session.conf import own_setting

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["small_batches"]

_ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"
_PIECES_OF_A_BATCH = "8"
"""Pieces have some MiB."""
_LIMITS_BYTES = (4, 1)
"""The release of Spark from which on batches have a limit of bytes."""


def small_batches(spark: SparkSession) -> dict[str, str]:
    """Settings for batches of few pieces."""
    release = tuple(int(part) for part in spark.version.split(".")[:2])
    given = own_setting(spark, _ROWS) or ""
    is_small = given.isdigit() and 0 < int(given) <= int(_PIECES_OF_A_BATCH)
    return {} if is_small or release >= _LIMITS_BYTES else {_ROWS: _PIECES_OF_A_BATCH}

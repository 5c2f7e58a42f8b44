"""Which partition of a frame is a row in?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["in_partitions"]


def in_partitions(frame: DataFrame, partitions: int, column: str) -> DataFrame:
    """The rows in the partitions whose numbers a column of type `int` has.

    Spark 4.0 hashes the number: a partition may have rows of several numbers, and another one none.
    """
    if hasattr(frame, "repartitionById"):
        return frame.repartitionById(partitions, column)
    return frame.repartition(partitions, column)

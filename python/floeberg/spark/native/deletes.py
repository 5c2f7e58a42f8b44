"""How does Spark leave out the rows that deletes name by their positions?

In: files that Spark reads, and their deletes. Out: the rows that are left.

The deleted rows of a file are a bitmap, and the bitmaps of all files are sent to every executor. A join drops a row by
looking at one bit. The size of the row's file selects the bitmap: Spark knows that size for every row without reading
anything.

Invariant: the sizes of the files of a group differ, and were asked of the files themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg.errors import InvalidDataError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from floeberg.scan.plan import Plan
    from floeberg.spark.native.lanes import FileGroup

__all__ = ["without_deleted"]

_ROW, _FILE, _SIZE, _WORDS = (f"__floeberg_{name}" for name in ("row", "file", "size", "words"))


def without_deleted(spark: SparkSession, frame: DataFrame, plan: Plan, group: FileGroup) -> DataFrame:
    """The rows of files that no delete names. Their positions stay there as `_metadata.row_index`."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large
    import pyarrow.compute as pc  # noqa: PLC0415 - the same
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - PySpark's own habit

    if len(set(group.sizes)) != len(group.sizes):
        raise InvalidDataError("two files of a group are of one size")
    words = pa.array(cast("Any", _native.deleted_rows(plan._inner, list(group.numbers))))  # noqa: SLF001 - the package's own
    bitmaps = pa.table({_SIZE: pa.array(group.sizes, pa.int64()), _WORDS: words})
    known = bitmaps.filter(pc.greater(pc.list_value_length(words), 0))
    if not known.num_rows:
        # Deletes may name rows that no file has.
        return frame
    rows = frame.select(
        "*", F.col("_metadata.row_index").alias(_ROW), F.col("_metadata.file_size").alias(_FILE)
    )
    word = F.get(F.col(_WORDS), F.shiftright(F.col(_ROW), 6).cast("int"))
    is_deleted = F.bit_get(word, F.col(_ROW).bitwiseAND(F.lit(63)).cast("int")) == 1
    return rows.join(
        F.broadcast(spark.createDataFrame(known)), (F.col(_FILE) == F.col(_SIZE)) & is_deleted, "left_anti"
    )

"""How does Spark leave out the rows that deletes name by their positions?

In: rows with their positions and the keys of their files, and the deletes. Out: the rows that are left; or all, and
which of them are deleted.

The deleted rows of a file are a bitmap, and the bitmaps of all files are sent to every executor. A join drops a row by
looking at one bit. The key of the row's file selects the bitmap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg.spark.native.file_values import DELETED, KEY, KEY_OF_FILE, ROW, keyed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from floeberg.scan.plan import Plan
    from floeberg.spark.native.lanes import FileGroup

__all__ = ["without_deleted"]

_WORDS = "__floeberg_words"


def without_deleted(
    spark: SparkSession, frame: DataFrame, plan: Plan, group: FileGroup, *, marked: bool
) -> DataFrame:
    """The rows of files that no delete names.

    Args:
        spark: The session.
        frame: The rows.
        plan: The plan of their files.
        group: The files.
        marked: Whether all rows are kept, with a column that says which are deleted.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large
    import pyarrow.compute as pc  # noqa: PLC0415 - the same
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - PySpark's own habit

    words = pa.array(cast("Any", _native.deleted_rows(plan._inner, list(group.numbers))))  # noqa: SLF001 - the package's own
    # Without nulls, Spark tests for none.
    words = words.cast(pa.list_(pa.field("item", pa.int64(), nullable=False)))
    known = keyed(group, {_WORDS: words}).filter(pc.greater(pc.list_value_length(words), 0))
    if not known.num_rows:
        # Deletes may name rows that no file has.
        return frame.withColumn(DELETED, F.lit(False)) if marked else frame
    # A word beyond the last is null: nothing is deleted there.
    is_deleted = f"bit_get(get({_WORDS}, CAST(shiftright({ROW}, 6) AS INT)), CAST({ROW} & 63 AS INT)) = 1"
    bitmaps = F.broadcast(spark.createDataFrame(known))
    is_of_file = f"{KEY} = {KEY_OF_FILE}"
    if not marked:
        return frame.join(bitmaps, F.expr(f"{is_of_file} AND {is_deleted}"), "left_anti")
    joined = frame.join(bitmaps, F.expr(is_of_file), "left")
    marks = joined.withColumn(DELETED, F.expr(f"coalesce({is_deleted}, false)"))
    return marks.drop(KEY_OF_FILE, _WORDS)

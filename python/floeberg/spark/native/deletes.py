"""How does Spark leave out the rows that deletes name by their positions?

In: rows with their positions and the keys of their files, and the deletes. Out: the rows that are left; or all, and
which of them are deleted.

The deleted rows of a file are a bitmap, and every executor is sent the bitmaps of all files. A row is dropped by
looking at one bit. The key of the row's file selects the bitmap: by its number, or by its remainder where the files are
few, so that the bitmaps are one value; and by a join where it is no number and files are many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg.spark.native.file_values import DELETED, KEY, KEY_OF_FILE, ROW, keyed
from floeberg.spark.session.batch_limits import frame_of_arrow

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

    from floeberg.scan.plan import Plan
    from floeberg.spark.native.lanes import FileGroup

__all__ = ["without_deleted"]

_WORDS = "__floeberg_words"
_WORD, _BIT = f"CAST(shiftright({ROW}, 6) AS INT)", f"CAST({ROW} & 63 AS INT)"
_MOST_FILES = 200
"""The most files whose bitmaps are found by a remainder: the divisor grows with the square of their number."""
_MOST_REMAINDERS = 100_000
_MOST_BYTES = 64 << 20
"""Bitmaps that are sent with the tasks; larger ones are broadcast."""


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
    known = keyed(group, {_WORDS: words}).filter(pc.greater(pc.list_value_length(words), 0))
    if not known.num_rows:
        # Deletes may name rows that no file has.
        return frame.withColumn(DELETED, F.lit(False)) if marked else frame
    divisor = _divisor(group) if known.nbytes <= _MOST_BYTES else None
    if divisor is None:
        return _joined(frame, frame_of_arrow(spark, known), marked=marked)
    # A number is its own remainder.
    place = KEY if group.key == "number" else f"CAST({KEY} % {divisor} AS INT)"
    return _looked_up(frame, frame_of_arrow(spark, _by_remainder(known, divisor)), place, marked=marked)


def _divisor(group: FileGroup) -> int | None:
    """A number whose remainders tell all keys apart; `None` where keys are names, or many that are no numbers."""
    if group.key == "number":
        return len(group.keys)
    if group.key == "name" or len(group.keys) > _MOST_FILES:
        return None
    sizes = cast("Sequence[int]", group.keys)
    divisors = range(len(sizes), _MOST_REMAINDERS)
    return next((each for each in divisors if len({size % each for size in sizes}) == len(sizes)), None)


def _by_remainder(known: pa.Table, divisor: int) -> pa.Table:
    """One row: a list of bitmaps, each at the remainder of its file's key."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    rows = {size % divisor: row for row, size in enumerate(known[KEY_OF_FILE].to_pylist())}
    taken = pa.array([rows.get(remainder) for remainder in range(divisor)], pa.int64())
    words = known[_WORDS].combine_chunks().take(taken)
    return pa.table({_WORDS: pa.ListArray.from_arrays(pa.array([0, divisor], pa.int32()), words)})


def _looked_up(frame: DataFrame, bitmaps: DataFrame, place: str, *, marked: bool) -> DataFrame:
    """Drop or mark deleted rows by a value that is the same for all rows."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - PySpark's own habit

    # One expression: Spark looks through the whole plan, the bitmaps too, for each that is put upon it.
    is_deleted = F.coalesce(_is_set(F.get(bitmaps.scalar(), F.expr(place))), F.lit(False))
    return frame.withColumn(DELETED, is_deleted) if marked else frame.where(~is_deleted)


def _joined(frame: DataFrame, bitmaps: DataFrame, *, marked: bool) -> DataFrame:
    """Drop or mark deleted rows by a join."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - PySpark's own habit

    is_of_file, is_set = F.col(KEY) == F.col(KEY_OF_FILE), _is_set(F.col(_WORDS))
    if not marked:
        return frame.join(F.broadcast(bitmaps), is_of_file & is_set, "left_anti")
    joined = frame.join(F.broadcast(bitmaps), is_of_file, "left")
    # A file without deletes has no bitmap.
    return joined.withColumn(DELETED, F.coalesce(is_set, F.lit(False))).drop(KEY_OF_FILE, _WORDS)


def _is_set(words: Column) -> Column:
    """Whether the bit of a row is set. A word beyond the last is null: nothing is deleted there."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - PySpark's own habit

    return F.bit_get(F.get(words, F.expr(_WORD)), F.expr(_BIT)) == 1

"""How many rows does Spark send to Python at a time?

From PySpark 4.1 on, a batch has a limit of bytes too, and Spark computes its bytes after every row: of rows with a few
columns that takes longer than to make the batch. Where rows cannot be large, a limit of rows does instead.

Invariant: rows that may be of any size, with binary values or nested ones, keep the limit of bytes. So do all rows
where the user has set one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.spark.session.conf import changed_settings, own_setting

if TYPE_CHECKING:
    from collections.abc import Collection

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

__all__ = ["batch_limits", "frame_of_arrow"]

_BYTES, _ROWS = (f"spark.sql.execution.arrow.max{what}PerBatch" for what in ("Bytes", "Records"))
_NONE = "2147483647"
"""Of this limit Spark does not compute the bytes."""
_MOST_BYTES = 64 << 20
"""Spark's own limit."""
_DEFAULT = f"{_MOST_BYTES}b"
"""The same, as Spark Connect shows it where none is set."""
_MOST_ROWS, _FEWEST_ROWS = 10_000, 1_000
_WIDTH = 16
"""The most bytes of a value of a fixed size."""
_TEXT = 8 << 10
"""Bytes that a text is taken to have. With the fewest rows, texts of eight times as much fill Spark's own limit."""
_FIXED = frozenset(
    {
        *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double"),
        *("date", "time", "timestamp", "timestamp_ntz", "void"),
    }
)


def batch_limits(spark: SparkSession, schema: StructType, short: Collection[str] = ()) -> dict[str, str]:
    """The settings that let batches of rows be limited by their number; none where they stay as they are.

    Args:
        spark: The session.
        schema: The columns of the rows.
        short: Columns of texts that are short, whatever the rows.
    """
    rows = _rows(schema, short)
    if rows is None or own_setting(spark, _BYTES) not in {None, _DEFAULT}:
        return {}
    given = own_setting(spark, _ROWS) or ""
    # Zero, or what is negative, is no limit.
    least = min(rows, int(given)) if given.isdigit() and int(given) else rows
    return {_BYTES: _NONE, _ROWS: str(least)}


def frame_of_arrow(spark: SparkSession, table: pa.Table) -> DataFrame:
    """The frame of a table of Arrow. PySpark fails to send one where the user set no limit of rows."""
    given = spark.conf.get(_ROWS, None) or ""
    has_limit = given.isdigit() and int(given) > 0
    with changed_settings(spark, {} if has_limit else {_ROWS: str(_MOST_ROWS)}):
        return spark.createDataFrame(table)


def _rows(schema: StructType, short: Collection[str]) -> int | None:
    """How many rows surely are a small batch; `None` where that is not known."""
    texts = 0
    for field in schema:
        kind = field.dataType.simpleString().partition("(")[0]
        if kind == "string" and field.name not in short:
            texts += 1
        elif kind not in _FIXED and kind not in {"string", "decimal"}:
            return None
    if texts:
        return min(_MOST_ROWS, max(_FEWEST_ROWS, _MOST_BYTES // (texts * _TEXT)))
    rows = _MOST_BYTES // (_WIDTH * max(1, len(schema)))
    # Rows with this number of columns need the other limit.
    return None if rows < _FEWEST_ROWS else min(_MOST_ROWS, rows)

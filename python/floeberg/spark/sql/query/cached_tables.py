"""Which tables are kept by Spark for a session?

`CACHE TABLE` keeps the rows of a table's snapshot in Spark. A use of the table reads them as long as that is the
snapshot that it would read anyway. Then the newer one is kept, from its first use on.

Invariant: a use of a table has the rows that it would have if nothing were kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark import StorageLevel
    from pyspark.sql import DataFrame, SparkSession

    from floeberg.scan import Scan
    from floeberg.table import Table

__all__ = ["forget_all", "forget_table", "keep_table", "kept_frame", "kept_level"]


@dataclass(frozen=True)
class _Kept:
    """A table that is kept.

    Args:
        shown: What of it: its identity, its snapshot and its columns.
        reading: How it is read.
        frame: Its rows.
        level: Where Spark keeps them.
    """

    shown: tuple[Any, ...]
    reading: dict[str, Any]
    frame: DataFrame
    level: StorageLevel


# A frame keeps its session alive, until the table is no longer kept.
_KEPT: WeakKeyDictionary[SparkSession, dict[tuple[str, ...], _Kept]] = WeakKeyDictionary()
_LOCK = Lock()


def keep_table(  # noqa: PLR0913, PLR0917 - what is kept, and how
    spark: SparkSession,
    name: tuple[str, ...],
    table: Table,
    scan: Scan,
    reading: Mapping[str, Any],
    level: StorageLevel,
) -> DataFrame:
    """Keeps the rows of a scan from their first use on, instead of older ones of that name.

    Args:
        spark: The session.
        name: The whole name of the table.
        table: The table.
        scan: A scan of all its columns and rows.
        reading: What `Scan.to_spark` is given.
        level: Where Spark keeps them.

    Returns:
        The rows.
    """
    forget_table(spark, name)
    frame = scan.to_spark(spark, **reading).persist(level)
    with _LOCK:
        _KEPT.setdefault(spark, {})[name] = _Kept(_shown(table, scan), dict(reading), frame, level)
    return frame


def kept_frame(
    spark: SparkSession, name: tuple[str, ...], table: Table, scan: Scan, reading: Mapping[str, Any]
) -> DataFrame | None:
    """The kept rows of a scan; `None` where the table is not kept, or is read in another way.

    Args:
        spark: The session.
        name: The whole name of the table.
        table: The table.
        scan: A scan of all its columns and rows.
        reading: What `Scan.to_spark` is given.
    """
    with _LOCK:
        kept = _KEPT.get(spark, {}).get(name)
    if kept is None or kept.reading != dict(reading):
        return None
    if kept.shown == _shown(table, scan):
        return kept.frame
    return keep_table(spark, name, table, scan, reading, kept.level)


def kept_level(spark: SparkSession, name: tuple[str, ...]) -> StorageLevel | None:
    """Where a table is kept, at whatever snapshot; `None` where it is not."""
    with _LOCK:
        kept = _KEPT.get(spark, {}).get(name)
    return None if kept is None else kept.level


def forget_table(spark: SparkSession, name: tuple[str, ...]) -> bool:
    """Stops keeping a table; `False` where it was not kept."""
    with _LOCK:
        kept = _KEPT.get(spark, {}).pop(name, None)
    if kept is not None:
        kept.frame.unpersist()
    return kept is not None


def forget_all(spark: SparkSession) -> None:
    """Stops keeping tables."""
    with _LOCK:
        names = list(_KEPT.get(spark, {}))
    for name in names:
        forget_table(spark, name)


def _shown(table: Table, scan: Scan) -> tuple[Any, ...]:
    return table._inner.identity, table.location(), scan.snapshot_id, repr(scan.projection())  # noqa: SLF001 - the package's own

"""Which temporary views follow their tables?

A view keeps the snapshot that was current when it was made. Views without a chosen snapshot are remembered for each
session. `floeberg.spark.sql` makes them again before a statement that names them. Spark itself does not know of this.

Invariant: a view that the user replaced or dropped is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pyspark.sql import DataFrame, SparkSession

    from floeberg.catalog import Catalog
    from floeberg.lance import LanceScan, LanceTable
    from floeberg.scan import Scan
    from floeberg.table import Table

__all__ = ["FollowingView", "followed", "forget", "renew"]


@dataclass(frozen=True)
class FollowingView:
    """A view that follows a table.

    Args:
        name: The name of the view.
        table: The name of the table.
        catalog: Its catalog, as `floeberg.spark.create_view` was given it.
        scan: What the view reads of a table.
        to_frame: What makes the frame of a scan.
    """

    name: str
    table: str
    catalog: Catalog | str | None
    scan: Callable[[Any], Scan | LanceScan]
    to_frame: Callable[[SparkSession, Any], DataFrame]
    shown: tuple[int | None, str] | None = None
    """The snapshot and the columns that it shows."""
    semantic_hash: int = 0
    """Of what it shows, as Spark computes it. A frame would keep its session alive."""

    def make(self, spark: SparkSession, scan: Scan | LanceScan, *, replacing: bool = True) -> DataFrame:
        """Makes the view, and remembers it."""
        frame = self.to_frame(spark, scan)
        if replacing:
            frame.createOrReplaceTempView(self.name)
        else:
            frame.createTempView(self.name)
        made = replace(self, shown=_shown(scan), semantic_hash=frame.semanticHash())
        with _LOCK:
            _VIEWS.setdefault(spark, {})[self.name.lower()] = made
        return frame


_VIEWS: WeakKeyDictionary[SparkSession, dict[str, FollowingView]] = WeakKeyDictionary()
_LOCK = Lock()


def forget(spark: SparkSession, name: str) -> None:
    """Forgets a view."""
    with _LOCK:
        _VIEWS.get(spark, {}).pop(name.lower(), None)


def followed(spark: SparkSession, words: Collection[str]) -> list[FollowingView]:
    """The views of a session whose names are among words in lower case."""
    with _LOCK:
        return [view for name, view in _VIEWS.get(spark, {}).items() if name in words]


def renew(spark: SparkSession, view: FollowingView, table: Table | LanceTable) -> None:
    """Makes a view again, if its table has changed and it is still the view that was made.

    Args:
        spark: The session.
        view: The view.
        table: Its table, as it is now.
    """
    scan = view.scan(table)
    if _shown(scan) == view.shown:
        return
    if _is_there(spark, view):
        view.make(spark, scan)
    else:
        forget(spark, view.name)


def _shown(scan: Scan | LanceScan) -> tuple[int | None, str]:
    return getattr(scan, "snapshot_id", None) or getattr(scan, "version", None), str(scan.projection())


def _is_there(spark: SparkSession, view: FollowingView) -> bool:
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    try:
        return spark.table(f"`{view.name.replace('`', '``')}`").semanticHash() == view.semantic_hash
    except AnalysisException:
        return False

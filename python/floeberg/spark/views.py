"""Which temporary views follow their tables?

A view keeps the snapshot that was current when it was made. Views without a chosen snapshot are remembered for each
session, global ones for the application. `floeberg.spark.sql` makes them again before a statement that names them, or
names a view of theirs. Spark itself does not know of this.

Invariant: a view that the user replaced or dropped is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from floeberg.spark.session.names import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pyspark.sql import DataFrame, SparkSession

    from floeberg.catalog import Catalog
    from floeberg.lance import LanceScan, LanceTable
    from floeberg.scan import Scan
    from floeberg.table import Table

__all__ = [
    "FollowedView",
    "FollowingView",
    "followed",
    "forget",
    "full_name",
    "is_there",
    "remember",
    "renew",
    "state_of",
]


class FollowedView(Protocol):
    """A view that is made again."""

    @property
    def name(self) -> str:
        """Its name, of one part."""

    @property
    def is_global(self) -> bool:
        """Whether all sessions of the application see it."""

    @property
    def depends(self) -> frozenset[str]:
        """The followed views that it reads, by their names in lower case."""

    @property
    def semantic_hash(self) -> int:
        """Of what it shows, as Spark computes it."""


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
    is_global: bool = False
    depends: frozenset[str] = frozenset()

    def make(self, spark: SparkSession, scan: Scan | LanceScan, *, replacing: bool = True) -> DataFrame:
        """Makes the view, and remembers it."""
        frame = self.to_frame(spark, scan)
        if replacing:
            frame.createOrReplaceTempView(self.name)
        else:
            frame.createTempView(self.name)
        remember(spark, replace(self, shown=state_of(scan), semantic_hash=frame.semanticHash()))
        return frame


_VIEWS: WeakKeyDictionary[SparkSession, dict[str, FollowedView]] = WeakKeyDictionary()
_GLOBAL: dict[str, dict[str, FollowedView]] = {}
"""Those that all sessions of an application see, by the application."""
_LOCK = Lock()


def remember(spark: SparkSession, view: FollowedView) -> None:
    """Remembers a view, as the last one."""
    name, application = view.name.lower(), _application(spark) if view.is_global else ""
    with _LOCK:
        own = _GLOBAL.setdefault(application, {}) if view.is_global else _VIEWS.setdefault(spark, {})
        own.pop(name, None)
        own[name] = view


def forget(spark: SparkSession, name: str, *, is_global: bool = False) -> None:
    """Forgets a view."""
    application = _application(spark) if is_global else ""
    with _LOCK:
        own = _GLOBAL.get(application, {}) if is_global else _VIEWS.get(spark, {})
        own.pop(name.lower(), None)


def followed(spark: SparkSession, words: Collection[str] | None = None) -> list[FollowedView]:
    """The views of a session, each after those that it reads.

    Args:
        spark: The session.
        words: Words in lower case; only views whose names are among them, and what they read. `None` is all.
    """
    application = _application(spark) if _GLOBAL else ""
    with _LOCK:
        known = [*_GLOBAL.get(application, {}).values(), *_VIEWS.get(spark, {}).values()]
    found: dict[str, list[FollowedView]] = {}

    def add(names: Collection[str] | None) -> None:
        for view in known:
            name = view.name.lower()
            if (names is None or name in names) and name not in found:
                found[name] = []
                add(view.depends)
                # It comes after what it reads.
                found[name] = [*found.pop(name), *(each for each in known if each.name.lower() == name)]

    add(words)
    return [view for views in found.values() for view in views]


def _application(spark: SparkSession) -> str:
    return str(spark.conf.get("spark.app.id", ""))


def renew(spark: SparkSession, view: FollowingView, table: Table | LanceTable) -> None:
    """Makes a view again, if its table has changed and it is still the view that was made.

    Args:
        spark: The session.
        view: The view.
        table: Its table, as it is now.
    """
    scan = view.scan(table)
    if state_of(scan) == view.shown:
        return
    if is_there(spark, view):
        view.make(spark, scan)
    else:
        forget(spark, view.name)


def state_of(scan: Scan | LanceScan) -> tuple[int | None, str]:
    """What a scan reads: its snapshot and its columns."""
    return getattr(scan, "snapshot_id", None) or getattr(scan, "version", None), str(scan.projection())


def is_there(spark: SparkSession, view: FollowedView) -> bool:
    """Whether a view is still the one that was made."""
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    try:
        return spark.table(full_name(spark, view)).semanticHash() == view.semantic_hash
    except AnalysisException:
        return False


def full_name(spark: SparkSession, view: FollowedView) -> str:
    """The name of a view as Spark finds it, in backticks."""
    name = quoted(view.name)
    if not view.is_global:
        return name
    return f"{spark.conf.get('spark.sql.globalTempDatabase', 'global_temp')}.{name}"

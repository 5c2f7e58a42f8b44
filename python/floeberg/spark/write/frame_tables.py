"""Does a DataFrame read a table, in whichever way?

The files that Spark reads are in its plan. Where Floeberg's tasks read, the options of the relation name the table.

Invariant: what cannot be told is taken for a read of the table.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote

from floeberg.errors import FloebergError
from floeberg.lance import LanceTable
from floeberg.spark.read.lance_request import is_lance_scan
from floeberg.spark.read.options import read_options
from floeberg.spark.read.scan_request import ScanRequest
from floeberg.spark.session.environment import is_connect

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame

__all__ = ["leaves_of", "reads_table"]

_RELATION = "DataSourceV2Relation"
_READ_BY_TASKS = ("RelationV2", "floeberg_read")
"""What a plan shows where tasks read."""


def reads_table(frame: DataFrame, location: str) -> bool:
    """Whether a DataFrame reads the table at a location."""
    if _has_files_of(frame.inputFiles(), location):
        return True
    if is_connect(frame.sparkSession):
        # A client knows a plan as text alone.
        plan = cast("Any", frame)._explain_string(extended=True)  # noqa: SLF001 - `explain` prints
        return any(each in plan for each in _READ_BY_TASKS)
    return any(found is None or _is_at(found, location) for found in _locations(frame))


def _locations(frame: DataFrame) -> Iterator[str | None]:
    """The locations of the tables that tasks read; `None` where that is not known."""
    if _READ_BY_TASKS[1] in frame._jdf.queryExecution().analyzed().toString():  # noqa: SLF001 - Spark has no public plan
        yield None
    for leaf in leaves_of(frame):
        if leaf.getClass().getSimpleName() == _RELATION and leaf.table().name() == "floeberg":
            yield _location(dict(leaf.options().asCaseSensitiveMap()))


def _location(options: Mapping[str, str]) -> str | None:
    """The location of the table that options name; empty for a table of another format."""
    from floeberg.spark.read.changelog_reader import (  # noqa: PLC0415 - it imports PySpark
        ChangelogRequest,
        is_changelog,
    )

    try:
        wanted, settings = read_options(options)
        if not isinstance(wanted, bytes):
            table = wanted.locator.open_any()
            return "" if isinstance(table, LanceTable) else table.location()
        if is_lance_scan(wanted):
            return ""
        if is_changelog(wanted):
            return ChangelogRequest(wanted, settings).open().scan().table_location
        return ScanRequest(wanted, settings).open()._inner.table_location  # noqa: SLF001 - the package's own
    except FloebergError:
        return None


def leaves_of(frame: DataFrame) -> Iterator[Any]:
    """The relations in the plan of a DataFrame of a classic session, those of subqueries and views too."""
    plan = frame._jdf.queryExecution().analyzed()  # noqa: SLF001 - the same
    for each in (plan, *_items(plan.subqueriesAll())):
        yield from _items(each.collectLeaves())


def _items(sequence: Any) -> Iterator[Any]:  # noqa: ANN401 - one of Scala
    return (sequence.apply(at) for at in range(sequence.size()))


def _has_files_of(paths: Sequence[str], location: str) -> bool:
    folder = _folder(location)
    return any(_plain(unquote(path)).startswith(folder) for path in paths)


def _is_at(found: str, location: str) -> bool:
    return _folder(found) == _folder(location)


def _folder(location: str) -> str:
    return _plain(location).rstrip("/") + "/"


def _plain(location: str) -> str:
    """A location without what stands before its path."""
    return re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*:/+", "/", location)

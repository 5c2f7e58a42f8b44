"""Which snapshots of a table does a DataFrame read, before it overwrites the table?

Columns of the files that Spark reads itself carry their snapshot. A query may keep none of these columns, but its plan
has the relations that they come from.

Invariant: every relation of a plan is asked, those of subqueries, views and cached DataFrames too. A client of Spark
Connect has no plan: there, columns of the query say it, or else the DataFrame of the table that was made last.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from floeberg.spark.read.branch_reads import READ_KEY, BranchRead, frames_read
from floeberg.spark.session.environment import is_connect

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame

    from floeberg.spark.read.branch_reads import FramesRead

__all__ = ["has_files_of", "note_frame", "reads_of_frame"]

_NEWEST: dict[str, BranchRead] = {}
"""What the newest DataFrame of a table reads that this process made, by the UUID of the table."""


def note_frame(read: BranchRead) -> None:
    """Notes what a new DataFrame reads."""
    _NEWEST[read.table] = read


def reads_of_frame(frame: DataFrame, table: str | None, location: str) -> tuple[BranchRead, ...]:
    """What a DataFrame reads of a table, where Spark reads the files.

    Args:
        frame: The DataFrame.
        table: The UUID of the table.
        location: Its location.
    """
    if table is None:
        return ()
    if not is_connect(frame.sparkSession):
        told = {text for text in _texts(frame) if text}
        return tuple(read for read in (BranchRead(*json.loads(text)) for text in told) if read.table == table)
    frames: FramesRead = frames_read(table, frame.schema)
    if frames.is_certain:
        return frames.reads
    newest = _NEWEST.get(table)
    return () if newest is None or not has_files_of(frame.inputFiles(), location) else (newest,)


def _texts(frame: DataFrame) -> Iterator[str]:
    """What the columns of each relation of a plan carry."""
    analyzed = frame._jdf.queryExecution().analyzed()  # noqa: SLF001 - Spark has no public plan
    for plan in (analyzed, *_items(analyzed.subqueriesAll())):
        for relation in _items(plan.collectLeaves()):
            columns = json.loads(relation.schema().json())["fields"]
            yield from (text for each in columns if (text := each["metadata"].get(READ_KEY)) is not None)


def _items(sequence: Any) -> Iterator[Any]:  # noqa: ANN401 - one of Scala
    return (sequence.apply(at) for at in range(sequence.size()))


def has_files_of(paths: Sequence[str], location: str) -> bool:
    """Whether some paths are of files of the table at a location."""
    folder = _plain(location).rstrip("/") + "/"
    return any(_plain(unquote(path)).startswith(folder) for path in paths)


def _plain(location: str) -> str:
    """A location without what stands before its path."""
    return re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*:/+", "/", location)

"""Which snapshots of a table does a DataFrame read, before it overwrites the table?

Columns of the files that Spark reads itself carry their snapshot. A query may keep none of these columns, but its plan
has the relations that they come from.

Invariant: every relation of a plan is asked, those of subqueries, views and cached DataFrames too. A client of Spark
Connect has no plan: there, columns of the query say it, or else the DataFrame of the table that was made last.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from floeberg.spark.read.branch_reads import READ_KEY, BranchRead, frames_read, newest_frame
from floeberg.spark.session.environment import is_connect
from floeberg.spark.write.frame_tables import leaves_of, reads_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

    from floeberg.spark.read.branch_reads import FramesRead

__all__ = ["reads_of_frame"]


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
    newest = newest_frame(table)
    return (newest,) if newest is not None and reads_table(frame, location) else ()


def _texts(frame: DataFrame) -> Iterator[str]:
    """What the columns of each relation of a plan carry."""
    for relation in leaves_of(frame):
        columns = json.loads(relation.schema().json())["fields"]
        yield from (text for each in columns if (text := each["metadata"].get(READ_KEY)) is not None)

"""Which snapshots did a query read before it overwrites the table?

A query may overwrite a table with rows of that table. Commits since the snapshot that it read are then conflicts. Spark
does not tell a writer what was read, but a task knows its query. Tasks that read record their snapshot in a folder of
the executor, and tasks that write look it up there.

Files that Spark reads itself have no task of Floeberg. The columns of their DataFrames carry the snapshot in their
metadata. For queries that keep none of these columns, the driver records the snapshot.

Invariant: only snapshots that tasks of the same query read are found, and those of DataFrames. Some may be missed:
where no writing task ran on the machine of a reading one, and where an earlier query read the rows, as with `cache()`.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg.spark.session.local_dir import local_dir

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql.types import StructType

    from floeberg.scan import Scan

__all__ = [
    "READ_KEY",
    "BranchRead",
    "FramesRead",
    "branch_read",
    "frames_read",
    "newest_frame",
    "note_frame",
    "record_frame",
    "record_read",
    "recorded_reads",
]

READ_KEY = "floeberg.read"
"""The key of a column's metadata that says which snapshot it was read from, where Spark reads files itself; empty where
the user chose the snapshot."""

_QUERIES = ("spark.sql.execution.root.id", "spark.sql.execution.id")
"""Local properties that identify a task's query. The first belongs to the whole query, where it has parts."""

_TAIL = 1 << 16
_NEWEST: dict[str, BranchRead] = {}
"""By the UUID of the table."""


@dataclass(frozen=True)
class BranchRead:
    """The head of a branch when it was read.

    Args:
        table: The UUID of the table.
        branch: The branch.
        snapshot_id: Its snapshot; `None` for an empty table.
    """

    table: str
    branch: str
    snapshot_id: int | None

    def as_text(self) -> str:
        """It as the metadata of a column."""
        return json.dumps([self.table, self.branch, self.snapshot_id])


@dataclass(frozen=True)
class FramesRead:
    """What a query read through DataFrames whose files Spark reads itself.

    Args:
        reads: What was read.
        is_certain: Whether columns of the query say it; otherwise it is the newest DataFrame that was made.
    """

    reads: tuple[BranchRead, ...] = ()
    is_certain: bool = True


def note_frame(read: BranchRead) -> None:
    """Notes, in this process, what a new DataFrame reads."""
    _NEWEST[read.table] = read


def newest_frame(table: str) -> BranchRead | None:
    """What the newest DataFrame of a table reads that this process made."""
    return _NEWEST.get(table)


def branch_read(scan: Scan) -> BranchRead | None:
    """The branch that a scan reads; `None` where the user chose a snapshot, or the table has no UUID."""
    found = scan._inner.branch_read()  # noqa: SLF001 - the package's own
    table, branch, snapshot_id = found or (None, "", None)
    return None if table is None else BranchRead(table, branch, snapshot_id)


def record_read(read: BranchRead) -> None:
    """Records that the query of this task reads a snapshot."""
    record, query = _record_file(read.table), _query()
    if record is None or query is None:
        return
    line = (json.dumps([query, read.branch, read.snapshot_id]) + "\n").encode()
    # A read must not fail for the sake of its record.
    with suppress(OSError):
        record.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with record.open("ab+") as file:
            # Tasks of one query write equal lines, and running queries are near the end of the file.
            file.seek(max(file.seek(0, os.SEEK_END) - _TAIL, 0))
            if line not in file.read():
                file.write(line)


def recorded_reads(table: str | None) -> tuple[BranchRead, ...]:
    """What the query of this task read of a table, by tasks on this machine."""
    record, query = None if table is None else _record_file(table), _query()
    if table is None or record is None or query is None:
        return ()
    try:
        lines = record.read_bytes().splitlines()
    except OSError:
        return ()
    start = json.dumps([query])[:-1].encode() + b","
    found = (
        json.loads(line) for line in dict.fromkeys(lines) if line.startswith(start) and line.endswith(b"]")
    )
    return tuple(BranchRead(table, branch, snapshot_id) for _, branch, snapshot_id in found)


def record_frame(read: BranchRead, first_local_dir: str) -> None:
    """Records, on the driver, that a DataFrame of a snapshot was made.

    Args:
        read: The snapshot.
        first_local_dir: The first local directory of the driver's Spark.
    """
    record = _frames_file(read.table, local_dir(first_local_dir))
    # The record is less important than the read.
    with suppress(OSError):
        if record is not None:
            record.mkdir(mode=0o700, parents=True, exist_ok=True)
            branch = hashlib.sha256(read.branch.encode()).hexdigest()
            made = record / f"{branch}-{os.getpid()}"
            made.write_text(json.dumps([read.branch, read.snapshot_id]), encoding="utf-8")
            made.replace(record / branch)


def frames_read(table: str | None, schema: StructType) -> FramesRead:
    """What a query read of a table through DataFrames whose files Spark reads itself.

    Columns that the query takes over say it. Where all of its columns are made anew, the newest such DataFrame of the
    table is taken for read.

    Args:
        table: The UUID of the table.
        schema: The columns of the query.
    """
    told = [text for each in schema if (text := (each.metadata or {}).get(READ_KEY)) is not None]
    if told:
        reads = {BranchRead(*json.loads(text)) for text in told if text}
        return FramesRead(tuple(read for read in reads if read.table == table))
    return FramesRead(_recorded_frames(table), is_certain=False)


def _recorded_frames(table: str | None) -> tuple[BranchRead, ...]:
    record = None if table is None else _frames_file(table, local_dir())
    if table is None or record is None:
        return ()
    found = []
    with suppress(OSError, ValueError):
        found = [json.loads(each.read_bytes()) for each in record.iterdir() if "-" not in each.name]
    return tuple(BranchRead(table, branch, snapshot_id) for branch, snapshot_id in found)


def _frames_file(table: str, folder: Path | None) -> Path | None:
    return None if folder is None else folder / "frames" / hashlib.sha256(table.encode()).hexdigest()


def _record_file(table: str) -> Path | None:
    folder = local_dir()
    return None if folder is None else folder / "reads" / hashlib.sha256(table.encode()).hexdigest()


def _query() -> str | None:
    from pyspark import TaskContext  # noqa: PLC0415 - importing floeberg.spark imports no PySpark

    context = TaskContext.get()
    if context is None:
        return None
    return next((found for key in _QUERIES if (found := context.getLocalProperty(key))), None)

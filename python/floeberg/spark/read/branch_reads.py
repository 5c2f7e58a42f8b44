"""From which snapshots were the rows of a query read?

A query that overwrites a table with rows of that table must know from which snapshot it read them: what others did
since then is a conflict. Spark tells a writer nothing of what was read. But tasks know which query they belong to:
those that read leave word in the folder that Spark names to all tasks of an executor, and those that write look there.

Invariant: a query is told of a snapshot only if one of its own tasks read it. It may miss one: where no task that wrote
ran beside the tasks that read, and where rows were read by an earlier query and kept, by `cache()` for one.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark import TaskContext

from floeberg.spark.session.local_dir import scratch

if TYPE_CHECKING:
    from pathlib import Path

    from floeberg.scan import Scan

__all__ = ["BranchRead", "branch_read", "keep_read", "reads_of"]

_QUERIES = ("spark.sql.execution.root.id", "spark.sql.execution.id")
"""What Spark tells tasks of their query; the first is that of the whole where a query has parts."""

_TAIL = 1 << 16


@dataclass(frozen=True)
class BranchRead:
    """A branch of a table at one of its snapshots, as it was read.

    Args:
        table: The id of the table.
        branch: The branch.
        snapshot_id: The snapshot; `None` where it had none.
    """

    table: str
    branch: str
    snapshot_id: int | None


def branch_read(scan: Scan) -> BranchRead | None:
    """What a scan reads; `None` where the user chose a snapshot, and where the table has no id."""
    found = scan._inner.branch_read()  # noqa: SLF001 - the package's own
    table, branch, snapshot_id = found or (None, "", None)
    return None if table is None else BranchRead(table, branch, snapshot_id)


def keep_read(read: BranchRead) -> None:
    """Keeps that the query of this task reads a snapshot."""
    place, query = _place(read.table), _query()
    if place is None or query is None:
        return
    line = (json.dumps([query, read.branch, read.snapshot_id]) + "\n").encode()
    # A read is worth more than what is kept of it.
    with suppress(OSError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with place.open("ab+") as kept:
            # Tasks of one query say the same: the last lines are of queries that run now.
            kept.seek(max(kept.seek(0, os.SEEK_END) - _TAIL, 0))
            if line not in kept.read():
                kept.write(line)


def reads_of(table: str | None) -> tuple[BranchRead, ...]:
    """What the query of this task read of a table, as far as tasks beside this one did."""
    place, query = None if table is None else _place(table), _query()
    if table is None or place is None or query is None:
        return ()
    try:
        lines = place.read_bytes().splitlines()
    except OSError:
        return ()
    start = json.dumps([query])[:-1].encode() + b","
    found = (
        json.loads(line) for line in dict.fromkeys(lines) if line.startswith(start) and line.endswith(b"]")
    )
    return tuple(BranchRead(table, branch, snapshot_id) for _, branch, snapshot_id in found)


def _place(table: str) -> Path | None:
    own = scratch()
    return None if own is None else own / "reads" / hashlib.sha256(table.encode()).hexdigest()


def _query() -> str | None:
    context = TaskContext.get()
    if context is None:
        return None
    return next((found for key in _QUERIES if (found := context.getLocalProperty(key))), None)

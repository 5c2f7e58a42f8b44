"""A process that changes rows of a table, again and again.

    changer.py KIND FOLDER ACTION WRITER COUNT

says what `appender.py` says, and of each commit `told` and JSON: how often it was rebased and repeated, and what it
read and wrote. Actions are

- `disjoint`: updates rows that no other process changes;
- `copied`: the same by copies of their file;
- `random`: updates rows of random keys, or merges them and changes only some;
- `same`: upserts the same new keys as all others.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
from faulted import SCHEMA, Place

import floeberg as fb
from floeberg import FloebergError
from floeberg.errors import CommitConflictError

KEYS = 24
"""Keys of rows that all processes change."""
NEW = 5
"""Keys that each upsert brings."""


def say(*words: object) -> None:
    """Tell the test."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def disjoint(table: fb.Table, writer: int, number: int) -> tuple[fb.CommitResult, dict[str, Any]]:
    """Update the rows that are this writer's."""
    where = f"writer = {writer} AND number = {number}"
    return table.update({"part": "done"}, where, mode="merge-on-read"), {}


def copied(table: fb.Table, writer: int, number: int) -> tuple[fb.CommitResult, dict[str, Any]]:
    """The same, where the other rows of the file are written again."""
    where = f"writer = {writer} AND number = {number}"
    return table.update({"part": "done"}, where, mode="copy-on-write"), {}


def same(table: fb.Table, writer: int, number: int) -> tuple[fb.CommitResult, dict[str, Any]]:
    """Upsert keys that all insert."""
    rows = [
        {"writer": key, "number": number, "row": 0, "part": f"{writer}"}
        for key in range(number, number + NEW)
    ]
    done = table.upsert(pa.Table.from_pylist(rows, SCHEMA), ["writer", "number"], mode="merge-on-read")
    assert done.commit is not None
    return done.commit, {}


class Reads:
    """What the last run of an operation saw: rows by key, and who wrote them last."""

    def __init__(self) -> None:
        """Nothing."""
        self.seen: dict[str, str] = {}

    def batch(self, batch: pa.RecordBatch, key: str, stamp: str) -> None:
        """Take over a batch. A key that comes again is of a later run."""
        keys, stamps = batch.column(key).to_pylist(), batch.column(stamp).to_pylist()
        self.seen.update({str(each): by for each, by in zip(keys, stamps, strict=True)})


def by_key(table: fb.Table, writer: int, number: int) -> tuple[fb.CommitResult, dict[str, Any]]:
    """Stamp rows of random keys. A merge looks at some that it leaves as they are."""
    chance = random.Random(f"{writer} {number}")
    keys = chance.sample(range(KEYS), 3)
    stamp, reads = f"{writer}-{number}", Reads()

    def stamped(batch: pa.RecordBatch) -> pa.Array[Any]:
        reads.batch(batch, "number", "part")
        return pa.array([stamp] * batch.num_rows)

    if chance.random() < 0.5:
        where = f"number IN ({', '.join(map(str, keys))})"
        done = table.update({"part": stamped}, where, mode="merge-on-read")
        return done, {"reads": reads.seen, "writes": keys}
    written = keys[:1]

    def is_written(batch: pa.RecordBatch) -> pa.Array[Any]:
        reads.batch(batch, "target.number", "target.part")
        return pa.array([each in written for each in batch.column("target.number").to_pylist()])

    source = pa.table({"number": pa.array(keys, pa.int32())})
    merge = table.merge(source, on=["number"], mode="merge-on-read")
    done = merge.when_matched_update({"part": stamp}, is_written).execute()
    return done, {"reads": reads.seen, "writes": written}


ACTIONS: dict[str, Callable[[fb.Table, int, int], tuple[fb.CommitResult, dict[str, Any]]]] = {
    "disjoint": disjoint,
    "copied": copied,
    "random": by_key,
    "same": same,
}


def main(place: Place, action: str, writer: int, count: int) -> None:
    """Change rows."""
    table = place.table()
    say("ready")
    sys.stdin.readline()
    for number in range(count):
        say("begin", number)
        begun = time.monotonic()
        while True:
            try:
                done, history = ACTIONS[action](table.refresh(), writer, number)
            except CommitConflictError:
                # Others were faster at every attempt. As users do, it begins anew.
                continue
            except FloebergError as error:
                say("failed", number, type(error).__name__, error)
            else:
                counts = {"rebased": done.rebased, "repeated": done.repeated}
                times = {"begun": begun, "ended": time.monotonic()}
                say("told", json.dumps(counts | times | history))
                say("done", number)
            break


if __name__ == "__main__":
    kind, folder, action, *others = sys.argv[1:]
    main(Place(kind, Path(folder)), action, *map(int, others))

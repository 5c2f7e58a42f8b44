"""A process that changes rows of a table, change by change, until it has done so or is killed.

    mutator.py KIND FOLDER ACTION MODE WRITER COUNT

changes the rows `writer = WRITER AND number = NUMBER`, and says what `appender.py` says. Each change sets the part of
all of these rows to `new`; all but updates insert one more row with it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
from faulted import SCHEMA, Place

import floeberg as fb
from floeberg import FloebergError

FILES = 3
"""Each change is of a row in each of so many files."""
KEYS = ["writer", "number", "row"]


def rows(writer: int, number: int) -> pa.Table:
    """The rows of a change, and one that is not there."""
    found = [{"writer": writer, "number": number, "row": row, "part": "new"} for row in range(FILES + 1)]
    return pa.Table.from_pylist(found, SCHEMA)


def update(table: fb.Table, mode: str, writer: int, number: int) -> None:
    """Set a column."""
    table.update({"part": "new"}, f"writer = {writer} AND number = {number}", mode=mode)


def upsert(table: fb.Table, mode: str, writer: int, number: int) -> None:
    """Update and insert."""
    table.upsert(rows(writer, number), KEYS, mode=mode)


def merge(table: fb.Table, mode: str, writer: int, number: int) -> None:
    """Update and insert by clauses."""
    clauses = table.merge(rows(writer, number), on=KEYS, mode=mode).when_matched_update({"part": "new"})
    clauses.when_not_matched_insert_all().execute()


def apply_changes(table: fb.Table, mode: str, writer: int, number: int) -> None:
    """Apply a feed."""
    changes = rows(writer, number)
    words = pa.array(["update"] * changes.num_rows)
    places = pa.array(range(changes.num_rows))
    feed = changes.append_column("op", words).append_column("at", places)
    table.apply_changes(feed, keys=KEYS, operation="op", order_by="at", mode=mode)


ACTIONS: dict[str, Callable[[fb.Table, str, int, int], None]] = {
    "update": update,
    "upsert": upsert,
    "merge": merge,
    "apply_changes": apply_changes,
}


def say(*words: object) -> None:
    """Tell the test."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def main(place: Place, action: str, mode: str, writer: int, count: int) -> None:
    """Change rows."""
    table = place.table()
    say("ready")
    sys.stdin.readline()
    for number in range(count):
        say("begin", number)
        try:
            ACTIONS[action](table.refresh(), mode, writer, number)
        except FloebergError as error:
            say("failed", number, type(error).__name__, error)
        else:
            say("done", number)


if __name__ == "__main__":
    kind, folder, action, mode, writer, count = sys.argv[1:]
    main(Place(kind, Path(folder)), action, mode, int(writer), int(count))

"""A process that appends to a table until it has done so often enough, or is killed.

    appender.py KIND FOLDER WRITER FIRST COUNT

says `ready`, then for each append `begin NUMBER` and `done NUMBER` or `failed NUMBER CLASS`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from faulted import Place, batch

from floeberg import FloebergError, Table


def say(*words: object) -> None:
    """Tell the test."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def main(kind: str, folder: str, writer: int, first: int, count: int) -> None:
    """Append."""
    append(Place(kind, Path(folder)).table(), writer, first, count)


def append(table: Table, writer: int, first: int, count: int) -> None:
    """Append to a table that is open."""
    rows = [batch(writer, number) for number in range(first, first + count)]
    say("ready")
    sys.stdin.readline()
    for number, each in enumerate(rows, first):
        say("begin", number)
        try:
            table.append(each)
        except FloebergError as error:
            say("failed", number, type(error).__name__, error)
        else:
            say("done", number)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))

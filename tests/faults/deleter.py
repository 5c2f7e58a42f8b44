"""A process that deletes rows of a table, one by one, until it has done so or is killed.

    deleter.py KIND FOLDER MODE WRITER FIRST COUNT

deletes the rows `writer = WRITER AND number = NUMBER`, and says what `appender.py` says. It begins anew where another
commit conflicts, as users do.
"""

from __future__ import annotations

import sys
from pathlib import Path

from faulted import Place

from floeberg import FloebergError
from floeberg.errors import CommitConflictError

MOST = 200
"""So often a delete begins anew."""


def say(*words: object) -> None:
    """Tell the test."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def main(place: Place, mode: str, writer: int, numbers: range) -> None:
    """Delete."""
    table = place.table()
    say("ready")
    sys.stdin.readline()
    for number in numbers:
        say("begin", number)
        for _ in range(MOST):
            try:
                table.refresh().delete(f"writer = {writer} AND number = {number}", mode=mode)
            except CommitConflictError as error:
                said = error
                continue
            except FloebergError as error:
                say("failed", number, type(error).__name__, error)
            else:
                say("done", number)
            break
        else:
            say("failed", number, "again and again", said)


if __name__ == "__main__":
    kind, folder, mode, *others = sys.argv[1:]
    writer, first, count = map(int, others)
    main(Place(kind, Path(folder)), mode, writer, range(first, first + count))

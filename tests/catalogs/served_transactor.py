"""A process that appends to three tables of a server in one commit, as `appender.py` does to one.

served_transactor.py KIND PROPERTIES WRITER FIRST COUNT

PROPERTIES is a JSON file of those of the catalog.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from appender import say
from faulted import batch

import floeberg as fb

TABLES = ("ns.a", "ns.b", "ns.c")


def main(properties: str, writer: int, first: int, count: int) -> None:
    """Append to all three, again and again."""
    catalog = fb.load_catalog("cut", **json.loads(Path(properties).read_text()))
    say("ready")
    sys.stdin.readline()
    for number in range(first, first + count):
        say("begin", number)
        try:
            with catalog.transaction() as transaction:
                for name in TABLES:
                    transaction.table(name).append(batch(writer, number))
        except fb.FloebergError as error:
            say("failed", number, type(error).__name__, " ".join(str(error).split()))
        else:
            say("done", number)


if __name__ == "__main__":
    main(sys.argv[2], *map(int, sys.argv[3:]))

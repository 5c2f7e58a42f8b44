"""A process that changes a Lance table until it is killed.

    lance_appender.py LOCATION WRITER COUNT

says `ready`, then for each append `begin NUMBER` and `done NUMBER`. After each it updates and deletes a row of it.
"""

from __future__ import annotations

import sys

from lance_actions import opened, rows


def say(*words: object) -> None:
    """Tell the test."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def main(location: str, writer: int, count: int) -> None:
    """Append, update and delete."""
    table = opened(location, {})
    say("ready")
    sys.stdin.readline()
    for number in range(count):
        say("begin", number)
        given = rows(writer, number)
        table.append(given)
        first, second, _ = given["id"].to_pylist()
        table.update({"name": "u"}, f"id = {first}")
        table.delete(f"id = {second}")
        say("done", number)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))

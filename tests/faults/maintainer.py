"""A process that looks after a table again and again, until it has done so or is killed.

    maintainer.py KIND FOLDER COUNT

says what `appender.py` says. Each run appends, deletes by positions and by keys, and does all maintenance that is due.
"""

from __future__ import annotations

import sys
from pathlib import Path

from faulted import Place, batch

from floeberg import FloebergError
from floeberg.maintenance.lease import LEASE

EVER = "2100-01-01T00:00Z"
POLICY = {
    "rewrite_data_files": {"options": {"min-input-files": "2"}, "sort_order": "row desc"},
    "rewrite_position_delete_files": {"options": {"rewrite-all": "true"}},
    "convert_equality_deletes": {},
    "remove_dangling_deletes": {},
    "rewrite_manifests": {},
    "expire_snapshots": {"older_than": "PT0S", "retain_last": 2},
}


def say(*words: object) -> None:
    """Tell the test."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def main(place: Place, count: int) -> None:
    """Change rows that do not stay, and maintain."""
    table = place.table()
    say("ready")
    sys.stdin.readline()
    for number in range(count):
        say("begin", number)
        try:
            table.refresh()
            if LEASE in table.properties:
                # Of a process that was killed: an hour is too long for a test.
                with table.transaction() as transaction:
                    transaction.remove_properties(LEASE)
            table.append(batch(99, number))
            table.delete("writer = 99 AND row = 0", mode="merge-on-read")
            gone = batch(99, number).slice(1)
            feed = gone.append_column("op", [["delete"] * 2]).append_column("at", [[0, 1]])
            keys = ["writer", "number", "row"]
            table.apply_changes(feed, keys=keys, operation="op", order_by="at", mode="equality")
            table.maintenance.run(POLICY)
            table.maintenance.remove_orphan_files(older_than=EVER, allow_recent=True)
        except FloebergError as error:
            say("failed", number, type(error).__name__, error)
        else:
            say("done", number)


if __name__ == "__main__":
    kind, folder, count = sys.argv[1:]
    main(Place(kind, Path(folder)), int(count))

"""A process that appends to `sales.orders`, each row once, and says which rows were acknowledged.

appender.py KIND NAME FOLDER WRITER COUNT
"""

from __future__ import annotations

import sys
from pathlib import Path

from one_column import rows
from store_kinds import KINDS


def main(kind: str, name: str, folder: str, writer: int, count: int) -> None:
    """Append."""
    table = KINDS[kind].make(name, Path(folder)).load_table("sales.orders")
    for number in range(count):
        row = 1_000 * (writer + 1) + number
        table.append(rows(row))
        sys.stdout.write(f"{row}\n")


if __name__ == "__main__":
    main(*sys.argv[1:4], *map(int, sys.argv[4:]))

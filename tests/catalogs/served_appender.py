"""A process that appends to a table of a server, as `appender.py` does.

served_appender.py KIND PROPERTIES WRITER FIRST COUNT

PROPERTIES is a JSON file of those of the catalog.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from appender import append

import floeberg as fb


def main(properties: str, writer: int, first: int, count: int) -> None:
    """Append."""
    catalog = fb.load_catalog("contended", **json.loads(Path(properties).read_text()))
    append(catalog.load_table("ns.t"), writer, first, count)


if __name__ == "__main__":
    main(sys.argv[2], *map(int, sys.argv[3:]))

"""Record what the installed package does, and compare two records.

Before a change that is to keep behaviour, and after it:

    .venv/bin/python tools/record_behaviour.py BEFORE.json
    .venv/bin/python tools/record_behaviour.py AFTER.json --against BEFORE.json

A record has the metadata, manifest lists, manifests and Parquet footers of thirty histories, but for ids, times and
places; plans and explanations of every table of the corpus; and every public name with its signature.
"""

from __future__ import annotations

import json
import os
import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / folder) for folder in ("tools", "tests", "tests/python")]

# Files and manifests are numbered in the order in which threads begin them.
os.environ["FLOEBERG_THREADS"] = "1"

from behaviour import histories, names, plans  # noqa: E402 - they lie in folders that are named above


def differences(before: Any, after: Any, place: str = "") -> Iterator[str]:
    """Yield where two records differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            if key not in after:
                yield f"{place} / {key}: gone"
            elif key not in before:
                yield f"{place} / {key}: new"
            else:
                yield from differences(before[key], after[key], f"{place} / {key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from differences(one, other, f"{place} / {number}")
    elif before != after:
        yield f"{place}: {json.dumps(before)[:200]} is now {json.dumps(after)[:200]}"


def main() -> int:
    """Record, and compare where that is asked for."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("record", type=Path)
    parser.add_argument("--against", type=Path)
    arguments = parser.parse_args()
    recorded = {**names.record(), **plans.record(), **histories.record()}
    text = json.dumps(recorded, indent=1, sort_keys=True)
    # What Python prints of an object that has no text of its own.
    arguments.record.write_text(re.sub(r" at 0x[0-9a-f]+", "", text))
    if arguments.against is None:
        return 0
    found = list(
        differences(json.loads(arguments.against.read_text()), json.loads(arguments.record.read_text()))
    )
    for difference in found:
        print(difference)
    print(f"{len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

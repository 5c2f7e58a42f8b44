"""How many instructions does decoding an entry of a manifest take? More than were recorded is a failure.

Valgrind counts them: unlike times they are the same on a busy machine. `instruction_counts.json` has what was recorded;
`--record` writes it anew, which a change that makes decoding slower on purpose, or faster, does.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path

from programs import build

RECORDED = Path(__file__).parents[1] / "instruction_counts.json"
STATISTICS = {
    "none": "without statistics",
    "one": "with those of one column",
    "all": "with those of 12 columns",
}
ENTRIES = 2_000
TIMES = (1, 3)
"""Counted at both; what is not decoding is in both counts, and drops out of their difference."""
TOLERANCE = 0.03


def main(*, record: bool) -> None:
    """Count, and compare or record."""
    if shutil.which("valgrind") is None:
        print(
            "\ndecode/instructions: not counted, since valgrind is not installed (apt-get install valgrind)"
        )
        if record:
            sys.exit(1)
        return
    counted = {statistics: per_entry(statistics) for statistics in STATISTICS}
    recorded: dict[str, int] = {} if record else json.loads(RECORDED.read_text())
    print("\ndecode/instructions per entry")
    grown = []
    for statistics, count in counted.items():
        before = recorded.get(statistics, count)
        change = count / before - 1
        print(f"  {STATISTICS[statistics]:<30} {count:>8}   recorded {before:>8}   {change:>+7.1%}")
        if change > TOLERANCE:
            grown.append(STATISTICS[statistics])
        elif change < -TOLERANCE:
            print("    fewer than recorded: record it, so that it stays (--record)")
    if record:
        RECORDED.write_text(json.dumps(counted, indent=2) + "\n")
    elif grown:
        sys.exit(f"decoding {' and '.join(grown)} takes over {TOLERANCE:.0%} more instructions than recorded")


def per_entry(statistics: str) -> int:
    """Instructions of decoding one entry."""
    few, many = (instructions(statistics, times) for times in TIMES)
    return round((many - few) / (TIMES[1] - TIMES[0]) / ENTRIES)


def instructions(statistics: str, times: int) -> int:
    """Instructions of the whole program."""
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    program = [str(build("decode-manifest")), statistics, "--times", str(times), "--entries", str(ENTRIES)]
    report = subprocess.run([*valgrind, *program], check=True, capture_output=True, text=True).stderr
    found = re.search(r"I\s+refs:\s+([\d,]+)", report)
    if found is None:
        raise ValueError(f"valgrind counted nothing:\n{report}")
    return int(found.group(1).replace(",", ""))


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write what is counted as what is expected")
    main(record=parser.parse_args().record)

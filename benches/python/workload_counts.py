"""How many instructions do planning, scanning, appending and committing take? Compared with another installation.

    workload_counts.py                             # prints them
    workload_counts.py --against OTHER/bin/python  # and fails where one takes over 3 % more than there

Valgrind counts, so that a busy machine does not matter. The whole way from Python is counted, in one thread, of the
installed wheel: `workload.py` has the pieces of work.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path

from workload import WORKLOADS

TIMES = (2, 8)
"""Counted at both; what is done once is in both counts, and drops out of their difference."""
TOLERANCE = 0.03
PROGRAM = Path(__file__).parent / "workload.py"


def instructions(python: str, workload: str) -> int:
    """Instructions of doing a piece of work once."""
    # Once without counting: what is compiled or made for the first time is there afterwards.
    subprocess.run([python, str(PROGRAM), workload, "1"], check=True)
    few, many = (counted(python, workload, times) for times in TIMES)
    return (many - few) // (TIMES[1] - TIMES[0])


def counted(python: str, workload: str, times: int) -> int:
    """Instructions of the whole process."""
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    command = [*valgrind, python, str(PROGRAM), workload, str(times)]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    report = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stderr
    found = re.search(r"I\s+refs:\s+([\d,]+)", report)
    if found is None:
        raise ValueError(f"valgrind counted nothing:\n{report}")
    return int(found.group(1).replace(",", ""))


def memory(python: str, workload: str) -> int:
    """The highest memory of a process that does the work, in KiB, of what it was started with."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [sys.executable, "-c", code, python, str(PROGRAM), workload, "3"]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> int:
    """Count, and compare."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--against", help="the interpreter of another environment")
    parser.add_argument("workloads", nargs="*", default=list(WORKLOADS))
    arguments = parser.parse_args()
    grown = []
    for workload in arguments.workloads:
        now, peak = instructions(sys.executable, workload), memory(sys.executable, workload)
        line = f"{workload:<8} {now:>14,} instructions {peak // 1024:>5} MiB"
        if arguments.against:
            before, peak_before = (
                instructions(arguments.against, workload),
                memory(arguments.against, workload),
            )
            line += f"   before {before:>14,} {now / before - 1:>+7.1%} {peak_before // 1024:>5} MiB"
            if now > before * (1 + TOLERANCE):
                grown.append(workload)
        print(line, flush=True)
    if grown:
        print(f"over {TOLERANCE:.0%} more: {', '.join(grown)}")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())

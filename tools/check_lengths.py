"""Does every source file fit in one head?

At most 500 lines; tests at most 800. What is tracked or about to be, is looked at.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from cargo_workspace import ROOT, is_test

LIMIT = 500
LIMIT_OF_TESTS = 800
SOURCES = (".rs", ".py", ".pyi")


def faults(lengths: dict[Path, int]) -> list[str]:
    """Return the files, given with their number of lines, that are too long."""
    found = []
    for path, lines in sorted(lengths.items()):
        limit = LIMIT_OF_TESTS if is_test(path) else LIMIT
        if lines > limit:
            found.append(f"{path}: {lines} lines, at most {limit}: split it by subject")
    return found


def main() -> int:
    """Check the checkout; print every fault."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = [Path(line) for line in listed.stdout.splitlines() if line.endswith(SOURCES)]
    present = [path for path in paths if (ROOT / path).is_file()]
    found = faults({path: len((ROOT / path).read_text().splitlines()) for path in present})
    for fault in found:
        print(f"lengths: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""Is the list of known failures the only place that singles out a case of the corpus, and is it well formed?

Every entry names an existing case, known parts, a reason and an issue; no source or test outside the corpus names a
case, so nobody can excuse one anywhere else. Tests borrow tables by role, from FIXTURES.toml. Not looked at is the
demo, which shows a table by its place.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from cargo_workspace import ROOT

CORPUS = ROOT / "tests" / "conformance"
PARTS = {"open", "rows", "filters", "time_travel", "refs", "manifests", "plan", "spark"}
KEYS = {"case", "parts", "reason", "issue", "kind"}


def entry_faults(entries: list[dict[str, Any]], cases: set[str]) -> list[str]:
    """Return what is wrong with the entries of the list, given the cases that exist."""
    found, seen = [], set()
    for entry in entries:
        case = entry.get("case", "")
        if case not in cases:
            found.append(f"{case!r} is no case of the corpus")
        if wrong := set(entry) - KEYS:
            found.append(f"{case}: unknown keys {', '.join(sorted(wrong))}")
        parts = entry.get("parts", [])
        if not parts or (wrong := set(parts) - PARTS):
            found.append(f"{case}: parts must be some of {', '.join(sorted(PARTS))}, not {parts}")
        if not str(entry.get("reason", "")).strip():
            found.append(f"{case}: no reason")
        if not isinstance(entry.get("issue"), int):
            found.append(f"{case}: no issue")
        for part in parts:
            if (case, part) in seen:
                found.append(f"{case}: {part} is listed twice")
            seen.add((case, part))
    return found


def naming_faults(sources: Iterable[tuple[str, str]], cases: set[str]) -> list[str]:
    """Return where a source (path and text) names a case by `writer/case` or by a quoted, unmistakable name."""
    plain = {case.split("/")[1] for case in cases if case.count("_") >= 2}
    names = "|".join(re.escape(name) for name in sorted(cases))
    quoted = "|".join(re.escape(name) for name in sorted(plain))
    pattern = re.compile(rf"(?:{names})\b|\"(?:{quoted})\"")
    found = []
    for path, text in sources:
        for number, line in enumerate(text.splitlines(), start=1):
            if match := pattern.search(line):
                found.append(f"{path}:{number} names the case {match.group(0)}: only KNOWN_FAILURES.toml may")
    return found


def main() -> int:
    """Check the list and the sources; print every fault."""
    cases = {"/".join(path.parts[-3:-1]) for path in CORPUS.glob("iceberg/*/*/expected.json")}
    entries = tomllib.loads((CORPUS / "KNOWN_FAILURES.toml").read_text()).get("failure", [])
    places = ["python", "rust", "tests/rust", "tests/python", "tests/spark"]
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", *places],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [Path(line) for line in listed.stdout.splitlines() if line.endswith((".rs", ".py"))]
    sources = ((str(path), (ROOT / path).read_text()) for path in paths if (ROOT / path).is_file())
    found = entry_faults(entries, cases) + naming_faults(sources, cases)
    for fault in found:
        print(f"known failures: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

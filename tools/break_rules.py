"""Do the tests of a rule fail when it is broken?

Breaks rules of `tests/SPEC_RULES.toml`, one after the other, in a copy of the checkout, and runs the Rust tests that
the table names for each. A rule whose tests pass although it is broken is a fault, and so is one that does not compile.

    python tools/break_rules.py                    ten rules at random
    python tools/break_rules.py --count 3 --seed 7 three, the same ones every time
    python tools/break_rules.py 34 51              these
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from cargo_workspace import ROOT
from check_rules import load


def crate_of(path: str) -> str:
    """Return the crate that a source file belongs to."""
    return "floeberg-tests" if path.startswith("tests/") else Path(path).parts[1]


def run_tests(checkout: Path, rule: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    """Run the Rust tests of a rule; the first that fails ends it."""
    by_crate: dict[str, list[str]] = {}
    for test in rule["tests"]:
        path, _, function = test.partition("::")
        if path.endswith(".rs"):
            by_crate.setdefault(crate_of(path), []).append(function)
    for crate, functions in by_crate.items():
        command = ["cargo", "test", "--locked", "--quiet", "-p", crate, "--", *functions]
        done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
        if done.returncode:
            break
    return done


def verdict(checkout: Path, rule: dict[str, Any]) -> str | None:
    """Break a rule and mend it again; return what is wrong with its tests, or nothing."""
    change = rule["broken_by"]
    path = checkout / change["file"]
    whole = path.read_text()
    path.write_text(whole.replace(change["replace"], change["with"]))
    try:
        done = run_tests(checkout, rule)
    finally:
        path.write_text(whole)
    if done.returncode == 0:
        return "its tests pass although it is broken"
    if "test result: FAILED" not in done.stdout:
        return f"no test failed, something else did:\n{done.stdout[-1000:]}{done.stderr[-1000:]}"
    return None


def main() -> int:
    """Break rules; print which tests noticed."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("numbers", nargs="*", type=int, help="rules; some at random unless given")
    arguments.add_argument("--count", type=int, default=10, help="how many at random")
    arguments.add_argument("--seed", type=int, help="which ones")
    chosen = arguments.parse_args()
    rules = {rule["number"]: rule for rule in load("rule") if "broken_by" in rule}
    if missing := set(chosen.numbers) - set(rules):
        print(f"no change that breaks a rule is known for {', '.join(map(str, sorted(missing)))}")
        return 2
    seed = random.randrange(1 << 32) if chosen.seed is None else chosen.seed
    pick = random.Random(seed).sample(sorted(rules), min(chosen.count, len(rules)))
    numbers = chosen.numbers or pick
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder) / "checkout"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(checkout)], cwd=ROOT, check=True)
        try:
            for number in numbers:
                fault = verdict(checkout, rules[number])
                faults += fault is not None
                print(f"rule {number}: {fault or 'its tests fail when it is broken'}", flush=True)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(checkout)], cwd=ROOT, check=True)
    print(f"{len(numbers) - faults} of {len(numbers)} broken rules were noticed (seed {seed})")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

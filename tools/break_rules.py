"""Do the tests of a rule fail when it is broken?

Breaks rules of `tests/SPEC_RULES.toml` and `tests/LANCE_RULES.toml`, one after the other, in a copy of the checkout,
and runs the Rust tests that the tables name for each. A rule whose tests pass although it is broken is a fault, and so
is one that does not compile.

    python tools/break_rules.py                    ten rules at random
    python tools/break_rules.py --count 3 --seed 7 three, the same ones every time
    python tools/break_rules.py 34 51              these
    python tools/break_rules.py --count 99 --together 8
                                                   all, eight in a build: those whose tests are in different files.
                                                   A rule counts if a test of its own fails; the others are broken
                                                   once more, each alone
"""

from __future__ import annotations

import argparse
import random
import re
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


def tests_of(rule: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the Rust tests of a rule: file and function."""
    pairs = (test.partition("::") for test in rule["tests"])
    return [(path, function) for path, _, function in pairs if path.endswith(".rs")]


def run_tests(checkout: Path, rules: list[dict[str, Any]]) -> subprocess.CompletedProcess[str]:
    """Run the Rust tests of rules, those of all crates in one build."""
    tests = [test for rule in rules for test in tests_of(rule)]
    crates = [f"-p{crate}" for crate in sorted({crate_of(path) for path, _ in tests})]
    functions = [function for _, function in tests]
    command = ["cargo", "test", "--locked", "--no-fail-fast", *crates, "--", *functions]
    return subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)


def broken(checkout: Path, rules: list[dict[str, Any]]) -> subprocess.CompletedProcess[str]:
    """Break rules, run their tests, and mend them again."""
    whole: dict[Path, str] = {}
    try:
        for rule in rules:
            change = rule["broken_by"]
            path = checkout / change["file"]
            text = path.read_text()
            whole.setdefault(path, text)
            path.write_text(text.replace(change["replace"], change["with"]))
        return run_tests(checkout, rules)
    finally:
        for path, text in whole.items():
            path.write_text(text)


def verdict(checkout: Path, rule: dict[str, Any]) -> str | None:
    """Break one rule; return what is wrong with its tests, or nothing."""
    done = broken(checkout, [rule])
    if done.returncode == 0:
        return "its tests pass although it is broken"
    if "test result: FAILED" not in done.stdout:
        return f"no test failed, something else did:\n{done.stdout[-1000:]}{done.stderr[-1000:]}"
    return None


def noticed_together(checkout: Path, rules: list[dict[str, Any]]) -> set[int]:
    """Break several rules in one build; return those of which a test of their own failed."""
    done = broken(checkout, rules)
    failed = set(re.findall(r"^test \S*?(\w+) \.\.\. FAILED$", done.stdout, re.MULTILINE))
    return {rule["number"] for rule in rules if failed & {function for _, function in tests_of(rule)}}


def batches(rules: list[dict[str, Any]], most: int) -> list[list[dict[str, Any]]]:
    """Group rules whose tests are in different files."""
    found: list[list[dict[str, Any]]] = []
    for rule in rules:
        files = {path for path, _ in tests_of(rule)}
        for batch in found:
            others = {path for other in batch for path, _ in tests_of(other)}
            if len(batch) < most and not files & others:
                batch.append(rule)
                break
        else:
            found.append([rule])
    return found


def main() -> int:
    """Break rules; print which tests noticed."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("numbers", nargs="*", type=int, help="rules; some at random unless given")
    arguments.add_argument("--count", type=int, default=10, help="how many at random")
    arguments.add_argument("--seed", type=int, help="which ones")
    arguments.add_argument("--together", type=int, default=1, help="how many in one build")
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
            for batch in batches([rules[number] for number in numbers], chosen.together):
                noticed = noticed_together(checkout, batch) if len(batch) > 1 else set()
                for rule in batch:
                    fault = None if rule["number"] in noticed else verdict(checkout, rule)
                    faults += fault is not None
                    print(f"rule {rule['number']}: {fault or 'its tests fail when it is broken'}", flush=True)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(checkout)], cwd=ROOT, check=True)
    print(f"{len(numbers) - faults} of {len(numbers)} broken rules were noticed (seed {seed})")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

"""Has every rule of the specification that implementations get wrong a test that fails where it is broken?

`tests/SPEC_RULES.toml` is the table from rule to test. Every number from 1 to 89 stands there once, in order. A rule
names tests that exist, or says why it has none: `later` (what it rules is not built yet) or `excepted` (what it rules
is not read at all). `broken_by` is a change that breaks the rule; its text must be in the file exactly once, so that
`tools/break_rules.py` can make the change and see the tests fail. Habits of writers name tests, or cases of the corpus.
`tests/LANCE_RULES.toml` is the same for the format of Lance, with numbers from 101 to 170: some are not used.
"""

from __future__ import annotations

import ast
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from cargo_workspace import ROOT

TABLES = (ROOT / "tests" / "SPEC_RULES.toml", ROOT / "tests" / "LANCE_RULES.toml")
CORPUS = ROOT / "tests" / "conformance"
NUMBERS = range(1, 90)
NUMBERS_OF_LANCE = range(101, 171)
KEYS = {"number", "says", "section", "tests", "later", "excepted", "broken_by"}
KEYS_OF_A_HABIT = {"of", "says", "tests", "cases"}
KEYS_OF_A_CHANGE = {"file", "replace", "with"}


def load(what: str) -> list[dict[str, Any]]:
    """Return the entries of both tables of a kind, `rule` or `habit`."""
    return [entry for table in TABLES for entry in tomllib.loads(table.read_text()).get(what, [])]


def tests_of(source: str, *, is_rust: bool) -> set[str]:
    """Return the names of the tests that a source file holds."""
    if is_rust:
        # Between the attribute and the function only other attributes may stand.
        found = re.findall(r"#\[test\]\s*(?:#\[[^\]]*\]\s*)*fn (\w+)", source)
        return set(found)
    functions = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))
    return {node.name for node in functions if node.name.startswith("test_")}


def rule_faults(rules: list[dict[str, Any]], sources: dict[str, str]) -> list[str]:
    """Return what is wrong with the table, given the text of the files that it names."""
    found = []
    numbers = [rule.get("number") for rule in rules]
    found += [
        f"rule {number} stands {numbers.count(number)} times"
        for number in (*NUMBERS, *NUMBERS_OF_LANCE)
        if numbers.count(number) > 1 or (number in NUMBERS and number not in numbers)
    ]
    known = [number for number in numbers if number in NUMBERS or number in NUMBERS_OF_LANCE]
    found += [f"{number} is no rule" for number in numbers if number not in known]
    found += [
        f"rule {number} stands after rule {before}" for before, number in pairwise(known) if number < before
    ]
    for rule in rules:
        name = f"rule {rule.get('number')}"
        if wrong := set(rule) - KEYS:
            found.append(f"{name}: unknown keys {', '.join(sorted(wrong))}")
        found += [f"{name}: no {key}" for key in ("says", "section") if not str(rule.get(key, "")).strip()]
        reasons = [key for key in ("later", "excepted") if str(rule.get(key, "")).strip()]
        if not rule.get("tests") and not reasons:
            found.append(f"{name} has no test and no reason for that")
        found += test_faults(name, rule.get("tests", []), sources)
        if change := rule.get("broken_by"):
            found += change_faults(name, change, sources)
    return found


def habit_faults(habits: list[dict[str, Any]], sources: dict[str, str], cases: set[str]) -> list[str]:
    """Return what is wrong with the habits, given the text of the files and the cases that there are."""
    found = []
    for habit in habits:
        name = f"habit {str(habit.get('says', ''))[:40]!r}"
        if wrong := set(habit) - KEYS_OF_A_HABIT:
            found.append(f"{name}: unknown keys {', '.join(sorted(wrong))}")
        if not habit.get("tests") and not habit.get("cases"):
            found.append(f"{name} has no test and no case")
        found += test_faults(name, habit.get("tests", []), sources)
        found += [f"{name}: there is no case {case}" for case in habit.get("cases", []) if case not in cases]
    return found


def test_faults(name: str, tests: list[str], sources: dict[str, str]) -> list[str]:
    """Return which tests, named by file and function, are not there."""
    found = []
    for test in tests:
        path, _, function = test.partition("::")
        if function not in tests_of(sources.get(path, ""), is_rust=path.endswith(".rs")):
            found.append(f"{name}: there is no test {test}")
    return found


def change_faults(name: str, change: dict[str, str], sources: dict[str, str]) -> list[str]:
    """Return what is wrong with the change that breaks a rule."""
    if set(change) != KEYS_OF_A_CHANGE:
        return [f"{name}: broken_by has the keys {', '.join(sorted(KEYS_OF_A_CHANGE))}"]
    if change["replace"] == change["with"]:
        return [f"{name}: broken_by changes nothing"]
    times = sources.get(change["file"], "").count(change["replace"])
    if times == 1:
        return []
    return [f"{name}: {change['file']} has {change['replace']!r} {times} times, expected once"]


def sources_of(entries: list[dict[str, Any]]) -> dict[str, str]:
    """Return the text of the files that entries name, as far as they exist."""
    paths = {test.partition("::")[0] for entry in entries for test in entry.get("tests", [])}
    paths |= {entry["broken_by"]["file"] for entry in entries if entry.get("broken_by", {}).get("file")}
    return {path: (ROOT / path).read_text() for path in paths if Path(ROOT / path).is_file()}


def main() -> int:
    """Check the table; print every fault."""
    rules, habits = load("rule"), load("habit")
    sources = sources_of(rules + habits)
    cases = {"/".join(path.parts[-3:-1]) for path in CORPUS.glob("iceberg/*/*/expected.json")}
    found = rule_faults(rules, sources) + habit_faults(habits, sources, cases)
    for fault in found:
        print(f"rules: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

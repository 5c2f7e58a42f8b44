"""What is found in tables of other writers? Each finding is listed in `FINDINGS.toml`, with the writer that did it."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import floeberg as fb
from corpus.cases import ROOT, Case, cases

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOUND: dict[str, dict[str, Any]] = {
    each["case"]: each for each in tomllib.loads((ROOT / "FINDINGS.toml").read_text())["finding"]
}


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_findings_of_other_writers_are_listed(case: Case):
    check = fb.check(case.metadata_file, "rows", all_snapshots=True, relocate=case.relocate)
    found = list(check)
    expected = {*FOUND[case.name]["rules"]} if case.name in FOUND else set()
    assert {each.rule.id for each in found} == expected, "\n".join(map(str, found[:20]))


def test_listed_cases_are_there():
    assert FOUND.keys() <= {case.name for case in cases()}
    rules = {rule.id for rule in fb.checking.rules()}
    assert all({*each["rules"]} <= rules and each["writer"] for each in FOUND.values())

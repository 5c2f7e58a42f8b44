"""Nothing is found in tables that pylance and Floeberg write; what is found in the corpus is listed with its writer."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import lance
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import floeberg as fb
from corpus import LanceCase, lance_cases
from corpus.cases import ROOT
from lance_tables.histories import KINDS, History, Step

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOUND: dict[str, dict[str, Any]] = {
    each["case"]: each for each in tomllib.loads((ROOT / "FINDINGS.toml").read_text())["lance_finding"]
}
STEPS = st.tuples(st.sampled_from(KINDS), st.integers(0, 9), st.integers(0, 9), st.integers(0, 2))


@pytest.mark.parametrize("case", lance_cases(), ids=lambda case: case.name)
def test_findings_of_other_writers_are_listed(case: LanceCase) -> None:
    found = list(fb.check(case.location, "rows", all_snapshots=True, relocate=case.relocate))
    for branch in case.expected["branches"]:
        found += case.open(branch=branch).check("rows", all_versions=True)
    expected = {*FOUND[case.name]["rules"]} if case.name in FOUND else set()
    assert {each.rule.id for each in found} == expected, "\n".join(map(str, found[:20]))


def test_listed_cases_are_there() -> None:
    assert FOUND.keys() <= {case.name for case in lance_cases()}
    rules = {rule.id for rule in fb.checking.rules("lance")}
    assert all({*each["rules"]} <= rules and each["writer"] for each in FOUND.values())


def test_nothing_is_found_in_the_table_that_tests_break(sound_lance: Path) -> None:
    assert list(fb.check(sound_lance, "rows", all_snapshots=True)) == []
    branch = fb.open_table(sound_lance, branch="dev")
    assert list(branch.check("rows", all_versions=True)) == []
    assert len(branch.versions()) == 2
    # The rules had something to look at: moved rows share ids with their old places, and there is an index.
    dataset = lance.dataset(sound_lance)
    assert len(dataset.get_fragments()) == 5
    assert dataset.describe_indices()


@pytest.mark.timeout(1200)
@settings(
    max_examples=12,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)
@given(stable=st.booleans(), program=st.lists(STEPS, min_size=4, max_size=14))
def test_nothing_is_found_in_histories(*, stable: bool, program: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as place:
        history = History(Path(place), stable=stable)
        for step in program:
            history.do(step)
        found = list(fb.check(history.location, "rows", all_snapshots=True))
        for line in history.lines[1:]:
            found += history.open(line.branch).check("rows", all_versions=True)
        assert not found, "\n".join(map(str, found))

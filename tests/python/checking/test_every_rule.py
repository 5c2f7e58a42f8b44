"""Every rule is broken by a test, and the guide lists every rule."""

from __future__ import annotations

from pathlib import Path

import floeberg as fb
from checking.test_files import DELETES, FILES
from checking.test_manifests import MANIFESTS
from checking.test_metadata import FILES as METADATA_FILES
from checking.test_metadata import METADATA
from checking.test_views import VIEWS

ROOT = Path(__file__).parents[3]


def test_every_rule_is_broken_by_a_test():
    planted = {
        param.values[0].rule
        for plants in (METADATA, METADATA_FILES, MANIFESTS, FILES, DELETES, VIEWS)
        for param in plants
    }
    # Those of `test_rows_that_cannot_be_read_are_found`.
    assert planted | {"rows-readable"} == {rule.id for rule in fb.checking.rules()}


def test_violations_are_as_many_as_the_issue_asks_for():
    assert sum(map(len, (METADATA, METADATA_FILES, MANIFESTS, FILES, DELETES, VIEWS))) >= 70


def listed() -> str:
    """The guide's tables of rules."""
    text = []
    for level in ("metadata", "manifests", "files", "rows"):
        text += [f"### Level `{level}`", "", "| rule | what holds | severity | section | repair |"]
        text.append("| --- | --- | --- | --- | --- |")
        for rule in fb.checking.rules():
            if rule.level == level:
                engines = f" {rule.engines[0].upper()}{rule.engines[1:]}." if rule.engines else ""
                cells = [f"`{rule.id}`", rule.says + engines, rule.severity, rule.section, rule.repair or ""]
                text.append("| " + " | ".join(cells) + " |")
        text.append("")
    return "\n".join(text)


def test_the_guide_lists_every_rule():
    page = (ROOT / "docs/guide/checking.md").read_text()
    assert page.endswith(listed()), (
        "write it again: python -c 'the list of tests/python/checking/test_every_rule.py'"
    )

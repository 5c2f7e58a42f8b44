"""Every rule is broken by a test, and the guide lists every rule."""

from __future__ import annotations

from pathlib import Path

import floeberg as fb
from checking.test_files import DELETES, FILES
from checking.test_manifests import MANIFESTS
from checking.test_metadata import FILES as METADATA_FILES
from checking.test_metadata import METADATA
from checking.test_views import VIEWS
from lance_checking.test_files import FILES as LANCE_FILES
from lance_checking.test_fragments import MANIFESTS as LANCE_MANIFESTS
from lance_checking.test_versions import VERSIONS as LANCE_VERSIONS

ROOT = Path(__file__).parents[3]


def test_every_rule_is_broken_by_a_test():
    planted = {
        param.values[0].rule
        for plants in (METADATA, METADATA_FILES, MANIFESTS, FILES, DELETES, VIEWS)
        for param in plants
    }
    # Those of `test_rows_that_cannot_be_read_are_found`.
    assert planted | {"rows-readable"} == {rule.id for rule in fb.checking.rules()}


def test_every_rule_of_lance_tables_is_broken_by_a_test():
    planted = {
        param.values[0].rule for plants in (LANCE_VERSIONS, LANCE_MANIFESTS, LANCE_FILES) for param in plants
    }
    assert planted == {rule.id for rule in fb.checking.rules("lance")}


def test_no_rule_is_of_two_formats():
    assert not {rule.id for rule in fb.checking.rules()} & {rule.id for rule in fb.checking.rules("lance")}


def test_violations_are_as_many_as_the_issue_asks_for():
    assert sum(map(len, (METADATA, METADATA_FILES, MANIFESTS, FILES, DELETES, VIEWS))) >= 70


def listed() -> str:
    """The guide's tables of rules."""
    iceberg = of_format("iceberg", "### Level `{}`")
    return (
        iceberg + "\n## The rules of Lance tables\n\n" + of_format("lance", "### Level `{}`, of Lance tables")
    )


def of_format(table_format: str, heading: str) -> str:
    """The tables of rules of a format, one for each level."""
    text = []
    for level in ("metadata", "manifests", "files", "rows"):
        text += [heading.format(level), "", "| rule | what holds | severity | section | repair |"]
        text.append("| --- | --- | --- | --- | --- |")
        for rule in fb.checking.rules(table_format):
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

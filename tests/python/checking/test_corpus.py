"""What is found in tables that other programs wrote? Each finding is listed, with the writer that did it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import floeberg as fb
from corpus.cases import Case, cases


@dataclass(frozen=True)
class Listed:
    """What is found in a table.

    Attributes:
        rules: The rules.
        writer: Who broke them, and how.
    """

    rules: frozenset[str]
    writer: str


FOUND = {
    "duckdb/v3_deletes": Listed(
        frozenset({"deletes-have-no-row-ids", "summary-totals", "summary-changes"}),
        "DuckDB 1.5 gives delete manifests a first row id, and counts no delete files that it removes",
    ),
    "spark-iceberg/import_name_mapping": Listed(
        frozenset({"summary-totals"}),
        "`add_files` of Iceberg Java 1.10 on Spark counts no bytes of the files that it adds",
    ),
    "spark-iceberg/v1_inline_manifests": Listed(
        frozenset({"history-unchanged"}),
        "the corpus has the manifests in the metadata, where Iceberg Java 1.10 had named a list",
    ),
}


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_findings_of_other_writers_are_listed(case: Case):
    check = fb.check(case.metadata_file, "rows", all_snapshots=True, relocate=case.relocate)
    found = list(check)
    expected = FOUND[case.name].rules if case.name in FOUND else frozenset()
    assert {each.rule.id for each in found} == expected, "\n".join(map(str, found[:20]))


def test_listed_cases_are_there():
    assert FOUND.keys() <= {case.name for case in cases()}
    rules = {rule.id for rule in fb.checking.rules()}
    assert all(each.rules <= rules and each.writer for each in FOUND.values())

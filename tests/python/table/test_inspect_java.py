"""Are the metadata tables what Iceberg Java shows for every table of the corpus?

The rows and columns of `metadata_tables.json.gz` are Java's, whole; what is known to differ is said here.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from corpus import Case, cases
from corpus.metadata_tables import columns, java_columns, rows, truth

ASKED = [(case, known) for case in cases() if (known := truth(case)) is not None]
each_case = pytest.mark.parametrize(("case", "known"), ASKED, ids=[case.name for case, _ in ASKED])

ALL_SNAPSHOTS = {"snapshots", "history", "refs", "metadata_log_entries"}


def test_java_was_asked_about_every_table():
    assert {case.name for case, _ in ASKED} == {case.name for case in cases() if not case.is_view}


@each_case
def test_the_columns_are_those_of_java(case: Case, known: dict[str, Any]) -> None:
    inspect = case.open().inspect
    for name, java in known.items():
        wanted = java_columns(java["schema"])
        if name == "all_manifests":
            # Java says that it is required, and gives null where a writer did not say.
            contains_nan = wanted[11][3][1][3][1]
            assert contains_nan == [11, "contains_nan", True, "bool"]
            contains_nan[2] = False
        assert columns(inspect.to_arrow_batch_reader(name).schema) == wanted, name


@each_case
def test_the_rows_are_those_of_java(case: Case, known: dict[str, Any]) -> None:
    inspect = case.open().inspect
    compared = 0
    for name, java in known.items():
        if "rows" in java:
            found = rows(inspect.to_arrow_batch_reader(name).read_all())
            assert lines(found) == lines(as_shown_here(case, name, java["rows"])), name
            compared += 1
        if "rows_at" in java and name not in ALL_SNAPSHOTS:
            found = rows(inspect.to_arrow_batch_reader(name, snapshot_id=java["at"]).read_all())
            assert lines(found) == lines(as_shown_here(case, name, java["rows_at"])), name
            compared += 1
    assert compared >= 4


def lines(found: list[Any]) -> list[str]:
    """Rows as sorted text: Java's come in the order of its hash maps and threads."""
    return sorted(json.dumps(row, ensure_ascii=False) for row in found)


def as_shown_here(case: Case, name: str, java: list[Any]) -> list[Any]:
    """Java's rows, with what is known to differ."""
    original = case.expected["original_dir"]
    shown = []
    for row in java:
        changed = list(row)
        if name == "manifests" and changed[11] is None:
            # Java gives null in a column that it says is required.
            changed[11] = []
        if name in {"files", "data_files", "all_files", "all_data_files"}:
            changed[-4] = without_empty(changed[-4])
        if name in {"entries", "all_entries"}:
            changed[4] = [*changed[4][:-3], without_empty(changed[4][-3]), *changed[4][-2:]]
        shown.append(changed)
    if name == "metadata_log_entries":
        # The last is the file that was opened, where it is now.
        shown[-1][1] = str(case.folder / "table") + shown[-1][1].removeprefix(original)
    return shown


def without_empty(referenced_data_file: str | None) -> str | None:
    """Some writers say that a data file refers to the file ''."""
    return referenced_data_file or None

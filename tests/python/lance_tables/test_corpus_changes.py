"""Changes between the versions of every Lance table of the corpus lead from one to the next."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import floeberg as fb
from corpus import lance_cases, lance_lent
from floeberg.errors import InvalidInputError, UnsupportedError

REFUSED = ("another type in version", "moved rows, or may have", "is not known", "hidden column")
READABLE = [case for case in lance_cases() if case != lance_lent("lance_legacy")]


def counted(rows: list[dict[str, Any]], columns: list[str]) -> Counter[str]:
    return Counter(repr([row.get(name) for name in columns]) for row in rows)


def moved(table: fb.LanceTable, changes: fb.LanceChangelogScan, before: list[dict[str, Any]]) -> Counter[str]:
    """The rows that changes leave of the rows before."""
    columns = table.schema().names
    state = counted(before, columns)
    for change in changes.to_arrow().to_pylist():
        (row,) = counted([change], columns)
        state[row] += 1 if change["_change_type"] in ("INSERT", "UPDATE_AFTER") else -1
        assert state[row] >= 0, change
    return +state


@pytest.mark.parametrize("net", [False, True])
@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_changes_lead_from_each_version_to_the_next(case: Any, *, net: bool) -> None:
    for version in case.open().version_numbers()[1:]:
        table, earlier = case.open(version=version), case.open(version=version - 1)
        columns = table.schema().names
        try:
            changes = table.changelog_scan(version - 1, version, net=net)
            state = moved(table, changes, earlier.scan().to_arrow().to_pylist())
        except (UnsupportedError, InvalidInputError) as error:
            if any(said in str(error) for said in REFUSED):
                continue
            raise
        # Columns that were added or renamed are others in the rows before.
        if earlier.schema().names == columns:
            assert state == counted(table.scan().to_arrow().to_pylist(), columns), version

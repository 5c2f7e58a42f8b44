"""What is planned of every table of the corpus, with and without filters, and how it is explained."""

from __future__ import annotations

from typing import Any

import floeberg
from corpus import Case, cases


def record() -> dict[str, Any]:
    """The plans of each case; an error where there is none."""
    return {f"plan {case.name}": planned(case) for case in cases() if not case.is_view}


def planned(case: Case) -> Any:
    """The plans of a table, by their filters."""
    try:
        table = case.open()
    except floeberg.FloebergError as error:
        return type(error).__name__
    return {each: one(case, table, each) for each in filters(case, table)}


def filters(case: Case, table: Any) -> list[str]:
    """No filter, and some on each column by values of its rows."""
    found = ["true"]
    rows = case.expected.get("rows") or []
    for field in table.schema().fields[:4]:
        name = '"' + field.name.replace('"', '""') + '"'
        found += [f"{name} is null", f"{name} is not null"]
        values = [
            row[field.name] for row in rows if isinstance(row, dict) and row.get(field.name) is not None
        ]
        for value in values[:2]:
            if isinstance(value, str):
                found.append(f"{name} = '" + value.replace("'", "''") + "'")
            elif isinstance(value, int) and not isinstance(value, bool):
                found += [f"{name} = {value}", f"{name} > {value}"]
    return found


def one(case: Case, table: Any, row_filter: str) -> Any:
    """A plan and its explanation, or the class of the error."""
    try:
        scan = table.scan(row_filter=row_filter)
        plan = scan.plan_files().to_arrow()
        explained = str(scan.explain(verbose=True))
    except floeberg.FloebergError as error:
        return type(error).__name__
    folder = str(case.folder)
    lines = [line for line in explained.splitlines() if " ms" not in line and " s " not in line]
    return {
        "plan": [
            {key: repr(value).replace(folder, "") for key, value in row.items()} for row in plan.to_pylist()
        ],
        "explained": [line.replace(folder, "") for line in lines],
    }

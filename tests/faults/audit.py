"""Is a table sound after what was done to it?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from faulted import ROWS, Place, metadata_files, referenced

import floeberg as fb

Append = tuple[int, int]
"""Who appended, and the number of the append."""


def rows(table: fb.Table) -> Counter[tuple[int, int, int]]:
    """How often each row is there."""
    found = table.scan(selected_fields=("writer", "number", "row")).to_arrow()
    columns = [found[name].to_pylist() for name in ("writer", "number", "row")]
    return Counter(zip(*columns, strict=True))


def check(place: Place, before: dict[Path, str], acknowledged: set[Append], tried: set[Append]) -> fb.Table:
    """The table opens; what was acknowledged is there once, the rest whole or not at all; nothing was overwritten.

    Args:
        place: Where it is.
        before: The metadata files that there were.
        acknowledged: Appends that succeeded.
        tried: All appends.
    """
    table = place.table()
    there = rows(table)
    assert set(there.values()) <= {1}, f"rows are there more than once: {there.most_common(3)}"
    by_append = Counter((writer, number) for writer, number, _ in there)
    assert set(by_append.values()) <= {ROWS}, f"appends are half there: {by_append}"
    assert acknowledged <= set(by_append), f"lost: {sorted(acknowledged - set(by_append))}"
    assert set(by_append) <= tried, f"never written: {sorted(set(by_append) - tried)}"
    now = metadata_files(place)
    changed = [path for path, content in before.items() if now.get(path, content) != content]
    assert not changed, f"metadata files were overwritten: {changed}"
    missing = [path for path in referenced(table) if not path.exists()]
    assert not missing, f"the table names files that are not there: {missing}"
    return table

"""Are the rows of a file in the order that its entry names? Spec: Sorting."""

from __future__ import annotations

from typing import Any

from conformance_checker.faults import Faults
from conformance_checker.leaves import Leaf
from conformance_checker.partition_types import source_of
from conformance_checker.single_values import Comparable, is_below, is_nan
from conformance_checker.transforms import apply
from conformance_checker.types import transformed

Json = dict[str, Any]
MOST_ROWS = 50_000
"""So many rows are looked at."""


def check_order(order: Json, found: dict[int, Leaf], rows: int, place: str, faults: Faults) -> None:
    """Check the order of rows."""
    keys = []
    for field in order["fields"]:
        leaf = found.get(source_of(field) or -1)
        if leaf is None or leaf.repeated or transformed(field["transform"], leaf.type) is None:
            # Nothing can be said of what comes after it either.
            break
        values = leaf.values[:MOST_ROWS]
        head = Leaf(leaf.number, leaf.type, values, repeated=False).comparables()
        keys.append((field, [apply(field["transform"], leaf.type, value) for value in head]))
    for row in range(1, min(rows, MOST_ROWS)):
        for field, values in keys:
            turned = _compared(values[row - 1], values[row], field)
            if turned > 0:
                faults.say(
                    "rows-are-sorted",
                    place,
                    f"row {row} by {field}: {values[row - 1]!r}, then {values[row]!r}",
                )
                return
            if turned < 0:
                break


def _compared(one: Comparable, other: Comparable, field: Json) -> int:
    """Below 0 where one value comes before another."""
    if one is None or other is None:
        first = -1 if field["null-order"] == "nulls-first" else 1
        return 0 if one is other else first if one is None else -first
    sign = 1 if field["direction"] == "asc" else -1
    if is_nan(one) or is_nan(other):
        return 0 if is_nan(one) and is_nan(other) else sign if is_nan(one) else -sign
    return -sign if is_below(one, other) else sign if is_below(other, one) else 0

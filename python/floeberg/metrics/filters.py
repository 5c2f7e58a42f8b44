"""How does a filter look in a report, which shows no values?"""

from __future__ import annotations

from functools import reduce
from typing import Any

__all__ = ["filter_without_values"]

_SETS = frozenset({"in", "not-in"})
_UNARY = frozenset({"is-null", "not-null", "is-nan", "not-nan"})


def filter_without_values(tree: tuple[Any, ...]) -> dict[str, Any] | bool:
    """The JSON form of a filter, where the kinds of literals stand for their values.

    A condition of SQL has no such form. It stands as `True`, as what it keeps is not known.

    Args:
        tree: The filter, as `floeberg._native` has it.
    """
    head = tree[0]
    if head in ("true", "false"):
        return bool(head == "true")
    if head == "sql":
        return True
    if head == "not":
        return {"type": "not", "child": filter_without_values(tree[1])}
    if head in ("and", "or"):
        children = [filter_without_values(child) for child in tree[1]]
        return reduce(lambda left, right: {"type": head, "left": left, "right": right}, children)
    _, name, transform, literals = tree
    term = name if transform is None else {"type": "transform", "transform": transform, "term": name}
    test: dict[str, Any] = {"type": head, "term": term}
    kinds = [f"({kind})" for kind, _ in literals]
    if head in _SETS:
        return test | {"values": sorted(set(kinds))}
    return test if head in _UNARY else test | {"value": kinds[0]}

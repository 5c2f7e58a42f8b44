"""How do columns get the names that a Delta table calls them by?

In: columns with their names in files. Out: steps of renames, each of which can be made by itself.

Invariant: two columns may change their names. Where a new name is still that of another column in files, the column has
a name in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from floeberg.takeover.delta_columns import DeltaColumn

__all__ = ["renamed"]

Rename = tuple[tuple[str, ...], str]


def renamed(columns: Sequence[DeltaColumn]) -> list[list[Rename]]:
    """The steps. What is deeper is first, so that the names that lead to it are known."""
    between: dict[tuple[str, ...], str] = {}
    first = list(_first(columns, (), between))
    second = list(_second(columns, (), (), between))
    return [step for step in (first, second) if step]


def _first(
    columns: Sequence[DeltaColumn], above: tuple[str, ...], between: dict[tuple[str, ...], str]
) -> Iterator[Rename]:
    for each in columns:
        path = (*above, each.physical)
        for inside, siblings in _structs(each):
            yield from _first(siblings, (*path, *inside), between)
    taken = {each.physical for each in columns}
    for each in columns:
        if each.name == each.physical:
            continue
        path = (*above, each.physical)
        if each.name in taken:
            between[path] = f"_renamed_{len(between)}_{each.physical}"
        yield path, between.get(path, each.name)


def _second(
    columns: Sequence[DeltaColumn],
    above: tuple[str, ...],
    by_now: tuple[str, ...],
    between: dict[tuple[str, ...], str],
) -> Iterator[Rename]:
    for each in columns:
        path = (*above, each.physical)
        now = (*by_now, between.get(path, each.name))
        for inside, siblings in _structs(each):
            yield from _second(siblings, (*path, *inside), (*now, *inside), between)
        if path in between:
            yield now, each.name


def _structs(column: DeltaColumn) -> Iterator[tuple[tuple[str, ...], list[DeltaColumn]]]:
    """The structs in a column: the names that lead to each, and its fields."""
    found: dict[tuple[str, ...], list[DeltaColumn]] = {}
    for inside, each in column.below:
        found.setdefault(inside, []).append(each)
    yield from found.items()

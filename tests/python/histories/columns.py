"""Changes of columns, of a table and of the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from histories.model import Column, Columns, Row, X, Z
from histories.steps import Step

ACTIONS = ("add", "rename", "swap", "drop", "require", "relax", "promote")
NAMES = ("p", "x", "y", "c", "d", "e")


@dataclass(frozen=True)
class Altering:
    """A change of columns.

    Attributes:
        make: Makes it on an update of the table's schema.
        applied: Makes it on the model's columns.
    """

    make: Callable[[Any], object]
    applied: Callable[[Columns], Columns]


def chosen(step: Step, columns: Columns, rows: list[Row]) -> Altering | None:
    """The change that a step is about; `None` where there is nothing to change."""
    names = {each.name for each in columns}
    later = [each for each in columns if each.number > Z]
    free = [name for name in NAMES if name not in names]
    one = later[step.number % len(later)] if later else None
    if step.action == "add":
        return _added(free, step) if free else None
    if step.action == "promote":
        return _with(X, lambda update, it: update.update_column(it.name, "long"), columns, type="long")
    if step.action == "rename":
        number = columns[1 + step.number % (len(columns) - 1)].number
        return _renamed(number, free[0], columns) if free else None
    if step.action == "swap":
        return _swapped(columns[1 + step.number % (len(columns) - 1)], columns[1], columns)
    if one is None:
        return None
    if step.action == "drop":
        return Altering(
            lambda update: update.delete_column(one.name),
            lambda now: tuple(each for each in now if each.number != one.number),
        )
    if step.action == "relax":
        return _with(
            one.number, lambda update, it: update.make_column_optional(it.name), columns, required=False
        )
    if any(row.get(one.number) is None for row in rows):
        return None
    return _with(one.number, lambda update, it: update.require_column(it.name), columns, required=True)


def _added(free: list[str], step: Step) -> Altering:
    kind = ("long", "string")[step.number % 2]

    def applied(now: Columns) -> Columns:
        return (*now, Column(0, free[0], kind))

    return Altering(lambda update: update.add_column(free[0], kind), applied)


def _with(number: int, make: Callable[[Any, Column], object], columns: Columns, **values: Any) -> Altering:
    it = next(each for each in columns if each.number == number)
    return Altering(
        lambda update: make(update, it),
        lambda now: tuple(replace(each, **values) if each.number == number else each for each in now),
    )


def _renamed(number: int, name: str, columns: Columns) -> Altering:
    return _with(number, lambda update, it: update.rename_column(it.name, name), columns, name=name)


def _swapped(one: Column, other: Column, columns: Columns) -> Altering | None:
    """Two columns trade names."""
    del columns
    if one.number == other.number:
        return None
    names = {one.number: other.name, other.number: one.name}
    return Altering(
        lambda update: update.rename_column(one.name, other.name).rename_column(other.name, one.name),
        lambda now: tuple(replace(each, name=names.get(each.number, each.name)) for each in now),
    )

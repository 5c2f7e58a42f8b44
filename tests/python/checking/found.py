"""What does a check find in a table that was changed by hand?"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

import floeberg as fb
from conformance_checking.planting import Planted


@dataclass(frozen=True)
class Plant:
    """A violation.

    Attributes:
        rule: The rule that it is found by.
        where: What the place of a finding of this rule has in it: of its location, or of its part.
        version: The format version of the table.
        change: What plants it.
        also: Rules that are broken with it, since one number is said at two places.
    """

    rule: str
    where: str
    version: int
    change: object
    also: frozenset[str] = field(default_factory=frozenset)


def plant(rule: str, where: str, version: int, change: object, *also: str) -> Plant:
    """A violation, for a parametrised test."""
    return pytest.param(Plant(rule, where, version, change, frozenset(also)), id=f"{rule}-{where}-{version}")


def findings(table: Planted, level: str = "rows") -> list[fb.Finding]:
    """All that is found in all snapshots of a table."""
    return list(fb.check(table.place, level, all_snapshots=True))


def hold(table: Planted, planted: Plant) -> None:
    """The violation is found by its rule, at its place, and no other rule is broken."""
    found = findings(table)
    rules = {each.rule.id for each in found}
    shown = "\n".join(map(str, found))
    assert planted.rule in rules, shown
    assert rules <= {planted.rule, *planted.also}, shown
    assert any(
        planted.where in f"{each.location}, {each.part}" for each in found if each.rule.id == planted.rule
    ), shown

"""What is a finding of a check, and which rules are there?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from floeberg import _native
from floeberg._display import facts_html
from floeberg.errors import InvalidInputError

__all__ = ["Finding", "Level", "Rule", "Severity", "rules"]

Level = Literal["metadata", "manifests", "files", "rows"]
"""How deep a check looks. Each level includes those before it."""

Severity = Literal["wrong-data", "engines-fail", "slow", "cosmetic"]
"""What follows where a rule is broken, the worst first."""


@dataclass(frozen=True)
class Rule:
    """A rule of the specification that is checked.

    Attributes:
        id: Its name, such as `current-schema`.
        level: The level that it is checked at.
        severity: What follows where it is broken: `wrong-data` (rows are wrong, or cannot be read), `engines-fail`
            (some engines fail), `slow`, or `cosmetic`.
        section: The section of the specification.
        says: The rule, in a sentence.
        engines: Which writers break it, or which engines fail, where that is known.
        repair: The call that mends it, where there is one.
    """

    id: str
    level: Level
    severity: Severity
    section: str
    says: str
    engines: str | None = None
    repair: str | None = None


@dataclass(frozen=True)
class Finding:
    """A rule that is broken at one place.

    Attributes:
        rule: The rule.
        location: The file, as the table spells it.
        part: The part of the file, such as `snapshots[2].schema-id`; empty for the whole file.
        message: What was expected, and what was found.
        snapshot_id: The snapshot, if the finding is of one; of a Lance table its version.
    """

    rule: Rule
    location: str
    part: str
    message: str
    snapshot_id: int | None = None

    @property
    def severity(self) -> Severity:
        """What follows from it."""
        return self.rule.severity

    def __str__(self) -> str:
        part = f", {self.part}" if self.part else ""
        return f"{self.rule.id} ({self.severity}): {self.location}{part}: {self.message}"

    def _repr_html_(self) -> str:
        facts = {
            "rule": self.rule.says,
            "location": self.location,
            "part": self.part or None,
            "found": self.message,
            "snapshot": self.snapshot_id,
            "engines": self.rule.engines,
            "mended by": self.rule.repair,
        }
        return facts_html(f"{self.rule.id} ({self.severity})", facts)


@cache
def _rules() -> dict[str, list[Rule]]:
    iceberg, lance = _native.check_rules()
    return {"iceberg": [Rule(*each) for each in iceberg], "lance": [Rule(*each) for each in lance]}


@cache
def _rules_by_id() -> dict[str, Rule]:
    return {rule.id: rule for of_format in _rules().values() for rule in of_format}


def rules(table_format: Literal["iceberg", "lance"] = "iceberg") -> list[Rule]:
    """All rules that tables of a format are checked by.

    Args:
        table_format: `iceberg`, whose rules are those of views too, or `lance`.

    Returns:
        The rules, by level and subject.

    Raises:
        InvalidInputError: The format is another one.

    Examples:
        >>> next(rule.says for rule in fb.checking.rules() if rule.id == "current-schema")
        'The current schema is one of the schemas.'
        >>> {rule.level for rule in fb.checking.rules("lance")} == {"metadata", "manifests", "files", "rows"}
        True
    """
    known = _rules()
    if table_format not in known:
        raise InvalidInputError(f"table_format: expected one of {[*known]}, found {table_format!r}")
    return list(known[table_format])


def finding_of(found: tuple[str, str, str, str, int | None]) -> Finding:
    """A finding, as Rust gives it."""
    rule, location, part, message, snapshot_id = found
    return Finding(_rules_by_id()[rule], location, part, message, snapshot_id)

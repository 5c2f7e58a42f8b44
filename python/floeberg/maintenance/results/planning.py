"""What does a table need, and what was done about it?"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from floeberg._display import bytes_shown, facts_html, rows_html
from floeberg.errors import InvalidInputError
from floeberg.maintenance.policy import check_call
from floeberg.maintenance.results.base import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["HealthFinding", "MaintenanceCall", "MaintenancePlan", "MaintenanceRun", "TableHealth"]

_VERSION = 1


@dataclass(frozen=True)
class MaintenanceCall:
    """A call of `table.maintenance` that is worth it.

    Attributes:
        procedure: The method, such as `rewrite_data_files`.
        arguments: Its arguments, as a policy gives them.
        files: The files that it replaces or removes; of an expiry, the snapshots.
        bytes: The bytes that it reads, and writes again; of `remove_orphan_files`, those that it removes.
    """

    procedure: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    files: int = 0
    bytes: int = 0

    def without(self, done: Result | None) -> MaintenanceCall:
        """What is left of the call after a part of it was done."""
        files = getattr(done, "rewritten_data_files_count", 0)
        size = getattr(done, "rewritten_bytes_count", 0)
        return replace(self, files=max(0, self.files - files), bytes=max(0, self.bytes - size))

    def __str__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{self.procedure}({arguments}): {self.files:,} files, {bytes_shown(self.bytes)}"


@dataclass(frozen=True)
class HealthFinding:
    """One thing that is looked at.

    Attributes:
        name: What it is, such as `small data files`.
        value: What was found.
        of: All that there are, where `value` is a part of them.
        threshold: From which on something is to be done, as an option or a property says it.
        is_due: Whether something is to be done.
        call: What mends it, and what that costs.
    """

    name: str
    value: float
    of: float | None
    threshold: str
    is_due: bool
    call: MaintenanceCall | None = None

    def __str__(self) -> str:
        part = "" if self.of is None else f" of {self.of:,.0f}"
        mended = f" -> {self.call}" if self.call is not None and self.is_due else ""
        return f"{'!' if self.is_due else ' '} {self.name}: {self.value:,g}{part} ({self.threshold}){mended}"


@dataclass(frozen=True, repr=False)
class TableHealth:
    """How healthy a branch of a table is. Printed, it is a line for each finding.

    Attributes:
        branch: The branch.
        findings: What was looked at.
    """

    branch: str
    findings: tuple[HealthFinding, ...]

    @property
    def due(self) -> tuple[HealthFinding, ...]:
        """The findings that something is to be done about."""
        return tuple(each for each in self.findings if each.is_due)

    def __getitem__(self, name: str) -> HealthFinding:
        """A finding by its name."""
        for each in self.findings:
            if each.name == name:
                return each
        raise KeyError(name)

    def __repr__(self) -> str:
        return "\n".join([f"TableHealth of {self.branch}:", *(f"  {each}" for each in self.findings)])

    def _repr_html_(self) -> str:
        rows = (
            (
                "due" if each.is_due else "fine",
                each.name,
                f"{each.value:,g}",
                None if each.of is None else f"{each.of:,.0f}",
                each.threshold,
                each.call if each.is_due else None,
            )
            for each in sorted(self.findings, key=lambda each: not each.is_due)
        )
        columns = ("", "looked at", "found", "of", "threshold", "mended by")
        return facts_html(f"Health of {self.branch}", {}, rows_html(columns, rows, numbers=(2, 3)))


@dataclass(frozen=True, repr=False)
class MaintenancePlan:
    """Calls that are worth it, most worth first. Printed, it is a line for each call.

    Attributes:
        calls: The calls, in the order in which they are done.
        table: What the plan was made for: the table's uuid, the branch and its snapshot, and the ids of the columns,
            the partition spec and the sort order. Where one of these changed otherwise than by commits that follow, the
            plan is not applied.
    """

    calls: tuple[MaintenanceCall, ...]
    table: Mapping[str, Any]

    def __repr__(self) -> str:
        return "\n".join(["MaintenancePlan:", *(f"  {each}" for each in self.calls)])

    def _repr_html_(self) -> str:
        rows = (
            (
                each.procedure,
                ", ".join(f"{name}={value!r}" for name, value in each.arguments.items()),
                f"{each.files:,}",
                bytes_shown(each.bytes),
            )
            for each in self.calls
        )
        if not self.calls:
            return facts_html("MaintenancePlan: nothing is due", {})
        columns = ("call", "arguments", "files", "bytes")
        return facts_html("MaintenancePlan", {}, rows_html(columns, rows, numbers=(2, 3)))

    def __len__(self) -> int:
        return len(self.calls)

    def to_json(self) -> str:
        """The plan as JSON, to be applied later.

        Returns:
            The text.

        Raises:
            InvalidInputError: An argument is an object of Python, such as a filter of `fb.col`: give it as text.
        """
        calls = [
            {
                "procedure": each.procedure,
                "arguments": dict(each.arguments),
                "files": each.files,
                "bytes": each.bytes,
            }
            for each in self.calls
        ]
        try:
            return json.dumps({"version": _VERSION, "table": dict(self.table), "calls": calls}, indent=2)
        except TypeError as error:
            raise InvalidInputError(
                f"an argument of the plan cannot be JSON: give filters and sort orders as texts ({error})"
            ) from error

    @classmethod
    def from_json(cls, text: str) -> MaintenancePlan:
        """Reads what `to_json` gave.

        Args:
            text: The text.

        Returns:
            The plan.

        Raises:
            InvalidInputError: It is another text.
        """
        try:
            read = json.loads(text)
            if read["version"] != _VERSION:
                raise InvalidInputError(
                    f"expected a plan of version {_VERSION}, found version {read['version']!r}"
                )
            calls = tuple(MaintenanceCall(**each) for each in read["calls"])
            table = dict(read["table"])
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, InvalidInputError):
                raise
            raise InvalidInputError("expected the JSON of a MaintenancePlan") from error
        for call in calls:
            check_call(call.procedure, call.arguments)
            if not all(isinstance(each, int) for each in (call.files, call.bytes)):
                raise InvalidInputError(
                    f"expected numbers of files and bytes of {call.procedure!r}, found {call.files!r}, {call.bytes!r}"
                )
        return cls(calls, table)


@dataclass(frozen=True, repr=False)
class MaintenanceRun(Result):
    """What a run did.

    Attributes:
        results: The result of each call that was done, in their order.
        left: The calls that were not done, or not whole, since the budget was used up.
        seconds: How long it took.
    """

    results: tuple[Result, ...] = ()
    left: tuple[MaintenanceCall, ...] = ()
    seconds: float = 0.0

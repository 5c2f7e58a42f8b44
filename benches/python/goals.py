"""Which goals does a run of a bench meet?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Goal:
    """A measured number, what it must be to pass, and what was hoped for.

    Args:
        name: Topic/case/variant.
        measured: The number.
        unit: What it counts; `x` for ratios.
        passes: The bound to pass.
        hoped: The bound of the goal; the same where there is one bound.
        at_least: Are the bounds lower bounds?
    """

    name: str
    measured: float
    unit: str
    passes: float
    hoped: float
    at_least: bool = False

    @property
    def verdict(self) -> str:
        """`met`, `passed` or `missed`."""
        if self._within(self.hoped):
            return "met"
        return "passed" if self._within(self.passes) else "missed"

    def _within(self, bound: float) -> bool:
        return self.measured >= bound if self.at_least else self.measured <= bound

    def __str__(self) -> str:
        """One line."""
        side = ">=" if self.at_least else "<="
        bounds = f"{side} {self.passes:g}" + ("" if self.passes == self.hoped else f" / {self.hoped:g}")
        return f"  {self.name:<64} {self.measured:>8.3g} {self.unit:<3} {bounds:<16} {self.verdict}"

    def facts(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self) | {"verdict": self.verdict}

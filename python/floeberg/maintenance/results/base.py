"""How does a result show itself?"""

from __future__ import annotations

from dataclasses import dataclass, fields

from floeberg._display import result_html

__all__ = ["Result"]


@dataclass(frozen=True, repr=False)
class Result:
    """What was done, or would be done."""

    def __repr__(self) -> str:
        """The parts that say something: long ones by their number."""
        shown = []
        for each in fields(self):
            value = getattr(self, each.name)
            if not value:
                continue
            is_long = isinstance(value, (tuple, dict)) and len(value) > 3  # noqa: PLR2004 - a line of them
            shown.append(f"{each.name}=<{len(value)}>" if is_long else f"{each.name}={value!r}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def _repr_html_(self) -> str:
        return result_html(self)

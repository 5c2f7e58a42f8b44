"""What is a place of a script that must change, or means something else?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["Change"]


@dataclass(frozen=True, order=True)
class Change:
    """A place of a script for PyIceberg.

    Examples:
        >>> from floeberg.migrate import changes_of
        >>> changes_of("from pyiceberg.catalog import load_catalog")[0].instead
        'from floeberg.catalog import load_catalog'
    """

    line: int
    """The line, from 1 on."""
    column: int
    """The column, from 1 on."""
    must: bool
    """Whether it must change to run; if not, it runs and means something else."""
    what: str
    """What stands there."""
    instead: str
    """What to write, or to know."""

    @property
    def kind(self) -> Literal["change", "look"]:
        """`change` if it must change to run, else `look`."""
        return "change" if self.must else "look"

    def to_dict(self) -> dict[str, Any]:
        """The fields, for JSON."""
        shown = asdict(self)
        del shown["must"]
        return {**shown, "kind": self.kind}

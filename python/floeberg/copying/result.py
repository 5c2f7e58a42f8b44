"""What did a copy do?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from floeberg._display import facts_html

if TYPE_CHECKING:
    from floeberg.lance import LanceTable
    from floeberg.table import Table

__all__ = ["CopyResult"]


@dataclass(frozen=True)
class CopyResult:
    """What a copy did.

    Attributes:
        table: The target after it.
        action: `created` for a new target, `appended` and `replaced` for one that was there, `unchanged` where the
            source has nothing new.
        rows: The rows that were copied.
        copied_from: The snapshot id or the version of the source that the copy went on from; `None` where all rows were
            copied.
        copied_to: The snapshot id or the version of the source that the target has now; `None` for a table without
            snapshots.
    """

    table: Table | LanceTable
    action: Literal["created", "appended", "replaced", "unchanged"]
    rows: int
    copied_from: int | None
    copied_to: int | None

    def _repr_html_(self) -> str:
        facts = {
            "rows": f"{self.rows:,}",
            "copied from": self.copied_from,
            "copied to": self.copied_to,
        }
        return facts_html(f"CopyResult: {self.action}", facts, self.table._repr_html_())

"""What did taking over a table do?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from floeberg._display import facts_html

if TYPE_CHECKING:
    from floeberg.table import Table

__all__ = ["SourceFormat", "TakeoverResult"]

SourceFormat = Literal["files", "delta", "lance"]
"""What a source is: files of Parquet, ORC or Avro; a Delta table; or a Lance table."""


@dataclass(frozen=True)
class TakeoverResult:
    """What taking over a table did.

    Attributes:
        table: The new table; `None` after a dry run.
        source_format: What the source is.
        source_version: The version of a Delta or Lance table that was taken over.
        action: `referred` where the new table names the files of the source, `copied` where rows were written again.
        data_files: The data files of the source that were added, or that were written: of all versions that were taken
            over.
        rows: The rows in these files.
        deleted_rows: Those of them that deletion vectors of the source delete, at its version.
        not_enforced: What the source demands of rows, and the new table does not: constraints, generated columns and
            defaults. Properties of the table keep their text.
        versions: The versions of a Delta table that became snapshots.
        dry_run: Whether nothing was made.
    """

    table: Table | None
    source_format: SourceFormat
    source_version: int | None
    action: Literal["referred", "copied"]
    data_files: int
    rows: int
    deleted_rows: int = 0
    not_enforced: tuple[str, ...] = ()
    versions: int = 1
    dry_run: bool = False

    def _repr_html_(self) -> str:
        facts = {
            "source": self.source_format,
            "source version": self.source_version,
            "data files": f"{self.data_files:,}",
            "rows": f"{self.rows - self.deleted_rows:,}",
            "not enforced": ", ".join(self.not_enforced) or None,
        }
        after = "" if self.table is None else self.table._repr_html_()
        return facts_html(f"TakeoverResult: {self.action}", facts, after)

"""What do the repr and the HTML of a table show?

Columns, partitioning, sort order and the current snapshot, all from the open metadata file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg._display import bytes_shown, facts_html, shown

if TYPE_CHECKING:
    from floeberg.types import PartitionSpec, Schema, Snapshot, SortOrder

_MOST_COLUMNS = 100
"""Columns that are listed: tables may have thousands."""


@dataclass(frozen=True)
class TableDisplay:
    """What is shown of a table."""

    name: str
    schema: Schema
    spec: PartitionSpec
    order: SortOrder
    current: Snapshot | None

    def text(self) -> str:
        """Lines, for a terminal."""
        columns = [f"  {shown(each)}" for each in self.schema.fields[:_MOST_COLUMNS]]
        if len(self.schema) > _MOST_COLUMNS:
            columns.append(f"  ... {len(self.schema) - _MOST_COLUMNS} more columns")
        return "\n".join(
            [
                f"{shown(self.name)}(",
                ",\n".join(columns),
                "),",
                f"partition by: [{self._partitions()}],",
                f"sort order: [{self._sorted_by()}],",
                f"snapshot: {'null' if self.current is None else self.current}",
            ]
        )

    def html(self, location: str, format_version: int) -> str:
        """HTML, for a notebook."""
        facts: dict[str, object] = {
            "location": location,
            "format version": format_version,
            "partition by": self._partitions() or None,
            "sort order": self._sorted_by() or None,
            "snapshot": self.current,
            **({} if self.current is None else _counts(self.current)),
        }
        return facts_html(self.name, facts, self.schema._repr_html_())

    def _partitions(self) -> str:
        return ", ".join(
            f"{shown(each.transform)}({self._columns(each.source_ids)})" for each in self.spec.fields
        )

    def _sorted_by(self) -> str:
        sorted_by = []
        for each in self.order.fields:
            columns = self._columns(each.source_ids)
            what = columns if each.transform == "identity" else f"{shown(each.transform)}({columns})"
            sorted_by.append(f"{what} {shown(each.direction)} {shown(each.null_order)}")
        return ", ".join(sorted_by)

    def _columns(self, ids: tuple[int, ...]) -> str:
        return ", ".join(shown(self.schema.find_column_name(each) or f"field {each}") for each in ids)


def _counts(snapshot: Snapshot) -> dict[str, object]:
    """What the summary says of the whole table."""
    size = snapshot.summary.get("total-files-size", "")
    return {
        "rows": snapshot.summary.get("total-records"),
        "data files": snapshot.summary.get("total-data-files"),
        "delete files": snapshot.summary.get("total-delete-files"),
        "size": bytes_shown(int(size)) if size.isascii() and size.isdigit() else None,
    }

"""What is a difference in a few numbers?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg._display import facts_html

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.comparing.settings import Changed, ColumnChange
    from floeberg.types import PartitionSpec, SortOrder

__all__ = ["DiffSummary"]


@dataclass(frozen=True)
class DiffSummary:
    """What differs between two snapshots, counted.

    Attributes:
        from_snapshot_id: The first snapshot; of a Lance table the version; `None` for a table without snapshots.
        to_snapshot_id: The second snapshot, likewise; `None` for a table without snapshots.
        inserted_rows: Rows that the second snapshot has alone.
        deleted_rows: Rows that the first snapshot has alone.
        updated_rows: Rows that both have, with other values.
        changed_columns: For each column in how many of the updated rows it changed.
        proof: What proves without reading rows that none differs: `same snapshot`, or `rewrites only`, if all snapshots
            between the two are `replace` snapshots; of a Lance table what `LanceTableDiff.proof` says, of two tables
            what `TwoTablesDiff.proof` says. `None` where rows were compared.
        added_files: Data and delete files that the second snapshot has alone; `None`, as the next two, for tables of
            two formats.
        removed_files: Data and delete files that the first snapshot has alone.
        files_with_other_deletes: Data files that both have, with other deletes.
        columns: The columns of the schemas that differ.
        spec: The default partition specs, if they differ.
        sort_order: The default sort orders, if they differ.
        properties: The properties that differ, by key.
        not_known: Why specs, sort orders and properties, and files of two formats, are not known; `None` where they
            are.
    """

    from_snapshot_id: int | None
    to_snapshot_id: int | None
    inserted_rows: int
    deleted_rows: int
    updated_rows: int
    changed_columns: Mapping[str, int]
    proof: str | None
    added_files: int | None
    removed_files: int | None
    files_with_other_deletes: int | None
    columns: tuple[ColumnChange, ...]
    spec: Changed[PartitionSpec] | None
    sort_order: Changed[SortOrder] | None
    properties: Mapping[str, Changed[str]]
    not_known: str | None

    @property
    def changed_rows(self) -> int:
        """The rows that were inserted, deleted or updated."""
        return self.inserted_rows + self.deleted_rows + self.updated_rows

    def _repr_html_(self) -> str:
        return facts_html(f"From {self.from_snapshot_id} to {self.to_snapshot_id}", self.facts())

    def facts(self) -> dict[str, object]:
        """What is shown: a name and a value for each part that differs."""
        if self.changed_rows:
            rows = f"{self.inserted_rows} inserted, {self.deleted_rows} deleted, {self.updated_rows} updated"
        else:
            rows = f"no row changed ({self.proof or 'rows were compared'})"
        files = self.added_files is not None and (
            f"{self.added_files} added, {self.removed_files} removed, "
            f"{self.files_with_other_deletes} with other deletes"
        )
        cells = ", ".join(f"{name} in {count}" for name, count in self.changed_columns.items())
        names = "; ".join(map(str, self.columns))
        properties = ", ".join(
            f"{key}: {each.before} -> {each.after}" for key, each in self.properties.items()
        )
        found: dict[str, object] = {
            "rows": rows,
            "updated columns": cells,
            "files": files,
            "columns": names,
            "partition spec": _shown(self.spec),
            "sort order": _shown(self.sort_order),
            "properties": properties,
            "not known": self.not_known,
        }
        return {name: value for name, value in found.items() if value}


def _shown(setting: Changed[PartitionSpec] | Changed[SortOrder] | None) -> str | None:
    return None if setting is None else f"{setting.before} -> {setting.after}"

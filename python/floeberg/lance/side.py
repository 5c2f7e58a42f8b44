"""What is a Lance table, where it is compared with another table?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg._secrets import without_secrets
from floeberg.comparing.settings import LanceField
from floeberg.comparing.sides import ComparedTable
from floeberg.lance.pages import pages_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.types._fields import NestedField

__all__ = ["LanceSide"]


@dataclass(frozen=True)
class LanceSide(ComparedTable):
    """A Lance table at a version.

    Attributes:
        table: The version.
        rows: The scan of its rows.
    """

    table: _native.LanceTable
    rows: _native.LanceScan

    format_name = "Lance"

    @property
    def scan(self) -> _native.LanceScan:
        """Its rows."""
        return self.rows

    @property
    def snapshot_id(self) -> int:
        """The snapshot; of a Lance table the version."""
        return self.table.version

    @property
    def name(self) -> str:
        """What a title calls it."""
        return f"{without_secrets(self.table.folder)}, version {self.table.version}"

    def with_filter(self, tree: Any) -> LanceSide:  # noqa: ANN401 - a tree of the native module
        """Only rows that match."""
        return replace(self, rows=self.rows.filter(tree))

    def identity(self) -> object:
        """Equal for sides that have the same rows, because they are the same snapshot of the same table."""
        # Stores of one name may be at different places.
        options = tuple(sorted(self.table.storage_options.items()))
        return self.format_name, self.table.manifest_location, options

    def own_key(self) -> list[str]:
        """The columns that identify a row, as the table says it; none where it does not."""
        return self.table.primary_key()

    def pages(self) -> object:
        """What decodes its data files, where Python does."""
        return pages_of(self.table.storage_options)

    def fields(self) -> Mapping[str, NestedField | LanceField]:
        """Its columns and their parts, by their whole names."""
        _, own = _native.LanceDiff.of(self.table, self.table, None, ["*"]).fields()
        return {field.name: field for field in (LanceField(*parts) for parts in own)}

    def spec(self) -> None:
        """What the default spec means by names of columns, and the spec."""
        return

    def sort_order(self) -> None:
        """What the default sort order means by names of columns, and the order."""
        return

    def properties(self) -> Mapping[str, str]:
        """Its properties."""
        return cast("Mapping[str, str]", self.table.facts()["config"])

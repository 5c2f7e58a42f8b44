"""How are columns of rows that match a filter set?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.commit.changed_rows import ChangedRows, RowChanges
from floeberg.commit.new_values import Assignments, Functions, aliases_of_target

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.commit.changed_rows import ChangeRequest, FoundChanges
    from floeberg.commit.new_values import NewValue
    from floeberg.expressions import Expression

__all__ = ["UpdateRows"]


class UpdateRows(RowChanges):
    """Sets columns of the rows that match a filter."""

    command = "update"

    def __init__(
        self,
        updates: Mapping[str, NewValue],
        row_filter: Expression,
        *,
        case_sensitive: bool,
        isolation: str | None,
        mode: str | None,
    ) -> None:
        """The arguments of `Table.update`."""
        self._functions = Functions(aliases_of_target)
        self._assignments = Assignments(updates, self._functions)
        self._tree = row_filter.as_tree()
        self._case_sensitive = case_sensitive
        self._isolation = isolation
        self._mode = mode

    def find(self, request: ChangeRequest) -> FoundChanges:
        """Looks for the rows, and writes them with their new values."""
        scan = request.scan(self._tree, case_sensitive=self._case_sensitive)
        changed = ChangedRows.of(request)
        assignments = self._assignments.of(changed.schema, case_sensitive=self._case_sensitive)
        return changed.changed(
            _native.RowChange.update(assignments, case_sensitive=self._case_sensitive),
            scan,
            functions=self._functions,
            command=self.command,
            isolation=self._isolation,
            mode=self._mode,
            row_filter=self._tree,
            case_sensitive=self._case_sensitive,
        )

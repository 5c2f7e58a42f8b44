"""How do the branches, tags and statistics files of a table change?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.commit.manage_snapshots import ManageSnapshots
from floeberg.commit.update_statistics import UpdateStatistics
from floeberg.table._base import TableBase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg import _native

__all__ = ["TableReferences"]


class TableReferences(TableBase):
    """The methods of `floeberg.Table` that change what refers to its snapshots."""

    def manage_snapshots(self) -> ManageSnapshots:
        """Makes, moves and removes branches and tags, rolls back, and publishes snapshots of branches.

        Returns:
            The changes. The end of a `with` block commits them, or `commit()`.

        Raises:
            FloebergError: Those of every commit, as with `append`.

        Examples:
            >>> before = orders.append(pa.table({"id": [1]})).snapshot_id
            >>> _ = orders.append(pa.table({"id": [2]}))
            >>> orders.manage_snapshots().rollback_to_snapshot(before).commit()
            >>> orders.scan().to_arrow()["id"].to_pylist()
            [1]
        """
        self._operations.check_writable()
        return ManageSnapshots(self._change_references, lambda: self._inner, self._wap_branch)

    def update_statistics(self) -> UpdateStatistics:
        """Changes which statistics files the table names. The files are written already, and stay.

        Returns:
            The changes. The end of a `with` block commits them, or `commit()`.

        Raises:
            FloebergError: Those of every commit, as with `append`.
        """
        self._operations.check_writable()
        return UpdateStatistics(self._change_references)

    def _change_references(self, operations: Sequence[_native.Operation]) -> None:
        # What moves branches is never staged, and says itself which branch it moves.
        with self._begin(None) as transaction:
            transaction.change_references(operations)

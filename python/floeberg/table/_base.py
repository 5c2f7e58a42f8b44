"""What do all methods of a table share?

A table is an opened metadata file, with the operations of its catalog or folder. Every change is a transaction.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from floeberg._arguments import checked_text
from floeberg._pyiceberg_names import SpelledLikePyIceberg
from floeberg.commit.options import SnapshotOptions  # noqa: TC001 - `_keywords` reads the name
from floeberg.commit.part_transaction import TablePart
from floeberg.commit.transaction import Transaction

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from floeberg.commit.operations import OpenedTable, TableOperations
    from floeberg.commit.wap import WapSettings

__all__ = ["TableBase"]


class TableBase(SpelledLikePyIceberg):
    """The state of `floeberg.Table`, and the methods that change it as a whole."""

    _opened: OpenedTable
    _is_whole: bool
    _json: dict[str, Any] | None
    _wap: WapSettings
    _operations: TableOperations

    @property
    def _inner(self) -> OpenedTable:
        """The state of the table with all snapshots."""
        self._complete()
        return self._opened

    def _whole_of(self, opened: OpenedTable) -> OpenedTable:
        """A state that this table has, or had, with all snapshots."""
        if opened.metadata_location == self._opened.metadata_location:
            return self._inner
        return self._operations.load_whole(opened)

    def _complete(self) -> None:
        """Loads the snapshots that are not here. No other method asks for them."""
        if not self._is_whole:
            self._become(self._operations.load_whole(self._opened))

    def transaction(self, *, dry_run: bool = False, **commit: Unpack[SnapshotOptions]) -> Transaction:
        """Begins a transaction: several operations, one commit.

        Args:
            dry_run: Whether the commit of one delete or overwrite only counts what it would do. Nothing is written.
            **commit: As `SnapshotOptions` says. With `stage_only`, it has one operation.

        Returns:
            The transaction.

        Raises:
            InvalidInputError: A `wap.id` comes with another branch, or for a table without audits.
            UnsupportedError: The table cannot be written where it was opened. The error says what to do.
        """
        return self._begin(self._wap, dry_run=dry_run, **commit)

    def _begin(self, wap: WapSettings | None, **how: Any) -> Transaction:  # noqa: ANN401 - those of `transaction`
        """Begins a transaction that follows settings of audits, or none."""
        self._operations.check_writable()
        return Transaction(self._operations, self._inner, become=self._become, wap=wap, **how)

    def _begin_part(self, **how: Any) -> TablePart:  # noqa: ANN401 - those of `transaction`
        """Begins the part of this table in a transaction of several tables."""
        self._operations.check_writable()
        return TablePart(self._operations, self._inner, become=self._become, wap=self._wap, **how)

    def _wap_branch(self) -> str | None:
        """The branch that is read where no snapshot is chosen; `None` is `main`."""
        if self._wap.wap_branch is None:
            return None
        refs = self._metadata_at_hand().get("refs", {})
        branches = [name for name, each in refs.items() if each["type"] == "branch"]
        return self._wap.branch_to_read(self._opened.properties, branches)

    def _snapshot_id(self) -> int | None:
        """The snapshot that is read where none is chosen."""
        branch = self._wap_branch()
        if branch is None:
            return self._opened.snapshot_id
        return cast("int", self._metadata_at_hand()["refs"][branch]["snapshot-id"])

    def _branch_to_write(self, branch: str | None) -> str:
        """The branch that a write goes to, which may name one."""
        named = None if branch is None else checked_text("branch", branch)
        target = self._wap.target(
            self._opened.properties, branch=named, snapshot_properties={}, stage_only=False
        )
        return "main" if target.branch is None else target.branch

    def refresh(self) -> Self:
        """Loads the current metadata, including commits of other writers.

        Returns:
            The table itself.

        Raises:
            NoSuchTableError: The table was dropped, or replaced by one with another UUID. This object stays as it was.
            UnsupportedError: It was opened at a fixed snapshot or metadata file.

        Examples:
            >>> other = catalog.load_table("db.orders")
            >>> _ = orders.append(pa.table({"id": [1]}))
            >>> other.scan().count(), other.refresh().scan().count()
            (0, 1)
        """
        current, is_whole = self._operations.load_to_read(self._opened)
        self._opened.check_same_table(current)
        if current is not self._opened:
            self._become(current, is_whole=is_whole)
        return self

    def _become(self, native: OpenedTable, *, is_whole: bool = True) -> None:
        """Moves to another metadata file. Existing scans do not change."""
        self._opened, self._is_whole = native, is_whole
        self._json = None

    def _metadata(self) -> dict[str, Any]:
        """The metadata with all snapshots."""
        self._complete()
        return self._metadata_at_hand()

    def _metadata_at_hand(self) -> dict[str, Any]:
        """The metadata, which may have only the snapshots of branches and tags."""
        if self._json is None:
            self._json = cast("dict[str, Any]", json.loads(self._opened.metadata_json()))
        return self._json

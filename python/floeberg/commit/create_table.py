"""How is a table created together with its first rows, in one commit?"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.commit.transaction import Transaction

if TYPE_CHECKING:
    from collections.abc import Callable

    from floeberg.commit.new_table import NewTable
    from floeberg.commit.operations import OpenedTable, TableOperations

__all__ = ["CreateTableTransaction"]


class CreateTableTransaction(Transaction):
    """A transaction whose commit creates a table. Until then no catalog has it."""

    def __init__(
        self,
        table_operations: TableOperations,
        new: NewTable,
        *,
        become: Callable[[OpenedTable], None] = lambda _: None,
        **how: Any,  # noqa: ANN401 - those of `Transaction`
    ) -> None:
        """Use `Catalog.create_table_transaction`."""
        # Files are written for this table before it exists.
        self._create = _native.Operation.create_table(**new, uuid=str(uuid.uuid4()))
        made = _native.Commit.begin(
            [self._create],
            starting=None,
            storage_options=dict(table_operations.storage_options),
            snapshot_properties={},
            branch="main",
            commit_key=str(uuid.uuid4()),
        )
        draft = made.attempt(None)
        super().__init__(
            table_operations,
            draft.table(f"{draft.metadata_folder}/draft.metadata.json"),
            become=become,
            **how,
        )

    def _whole(self) -> tuple[list[_native.Operation], OpenedTable | None]:
        return [self._create, *self._operations], None

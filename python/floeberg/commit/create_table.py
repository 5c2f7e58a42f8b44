"""How is a table created together with its first rows, in one commit?"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.commit.transaction import Transaction

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
        self._uuid = str(uuid.uuid4())
        self._create = _native.Operation.create_table(**new, uuid=self._uuid)
        super().__init__(table_operations, _draft(self._create, table_operations), become=become, **how)

    def described(self, new: NewTable, locations: list[str]) -> tuple[_native.Receipt, str | None]:
        """Files of other writers, looked at as those of this table in another form.

        The form has the same partition spec, and columns with the same ids in the same order, which may have other
        names and defaults: those that the files know.

        Args:
            new: The form.
            locations: The files. Those with field ids must have the ids and names of the form.

        Returns:
            The files, and the name mapping that their columns were found by.
        """
        form = _draft(_native.Operation.create_table(**new, uuid=self._uuid), self._table_operations)
        return _native.describe_files(form, locations, trust_field_ids=True, progress=self._reporter.native)

    def add_described(self, receipts: Sequence[_native.Receipt], name_mapping: str | None) -> None:
        """Adds files that were looked at, as one operation."""
        receipt = _native.Receipt.concat(list(receipts))
        self._files_are_new = False
        self._added.append(receipt)
        self._operations.append(_native.Operation.add_files(receipt, name_mapping=name_mapping))

    @property
    def added_counts(self) -> tuple[int, int]:
        """The files that it adds, and their rows."""
        return sum(map(len, self._added)), sum(each.rows for each in self._added)

    @property
    def staged(self) -> OpenedTable:
        """The table after the operations so far."""
        return self._staged()

    def _whole(self) -> tuple[list[_native.Operation], OpenedTable | None]:
        return [self._create, *self._operations], None


def _draft(create: _native.Operation, table_operations: TableOperations) -> OpenedTable:
    """The table that an operation creates. Nothing is written."""
    made = _native.Commit.begin(
        [create],
        starting=None,
        storage_options=dict(table_operations.storage_options),
        snapshot_properties={},
        branch="main",
        commit_key=str(uuid.uuid4()),
    )
    draft = made.attempt(None)
    return draft.table(f"{draft.metadata_folder}/draft.metadata.json")

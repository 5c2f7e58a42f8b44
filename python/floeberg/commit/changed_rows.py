"""How do rows that change become files and positions?

In: a table, and batches of new rows with the places of the rows that they replace. Out: a row delta for one commit.

Invariant: rows are read while others are written. A row keeps its row id. An error leaves no file.
"""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from floeberg import _native
from floeberg.errors import NotFoundError
from floeberg.write.receipt import Receipt
from floeberg.write.recipe import WriteRecipe

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from floeberg.commit.new_values import Functions
    from floeberg.commit.operations import OpenedTable
    from floeberg.progress.reporting import Reporter

__all__ = ["ChangeRequest", "ChangedRows", "FoundChanges", "RowChanges"]


@dataclass(frozen=True)
class ChangeRequest:
    """On what rows are changed, and how.

    Args:
        table: The table, as the operations before left it.
        branch: The branch.
        options: Properties of the write.
        counts_only: Whether nothing is written.
        reporter: Reports how far the write is.
    """

    table: OpenedTable
    branch: str
    options: Mapping[str, str]
    counts_only: bool
    reporter: Reporter

    def scan(
        self,
        tree: Any,  # noqa: ANN401 - a tree of tuples
        *,
        case_sensitive: bool = True,
    ) -> _native.Scan:
        """The rows of the branch that match a filter; those of the current snapshot where the branch is new."""
        scan = self.table.scan(
            row_filter=tree,
            selected_fields=["*"],
            case_sensitive=case_sensitive,
            snapshot_id=None,
            limit=None,
        )
        try:
            return scan.use_ref(self.branch)
        except NotFoundError:
            return scan


@dataclass(frozen=True)
class FoundChanges:
    """What an operation changes on a table.

    Args:
        operation: The operation. Where nothing changes, it checks that there is still nothing to change.
        written: The files of new rows, and their recipe.
        updated_rows: The rows that are changed.
        inserted_rows: The rows that are added.
    """

    operation: _native.Operation
    written: tuple[WriteRecipe, Receipt]
    updated_rows: int
    inserted_rows: int


class RowChanges(ABC):
    """An operation that looks for its rows, and does so again on a newer table."""

    command: Literal["update", "upsert", "merge", "apply_changes"]

    @abstractmethod
    def find(self, request: ChangeRequest) -> FoundChanges:
        """Looks for the rows, and writes what takes their place."""


@dataclass(frozen=True)
class ChangedRows:
    """Changes the rows of one operation."""

    request: ChangeRequest
    recipe: WriteRecipe
    width: int
    """The number of columns of the table. In version 3, lineage follows."""

    @classmethod
    def of(cls, request: ChangeRequest) -> ChangedRows:
        """With the recipe of the table."""
        native = _native.WriteRecipe.of(
            request.table, options=dict(request.options), write_id=str(uuid.uuid4())
        )
        width = len(WriteRecipe(native).arrow_schema())
        has_lineage = request.table.format_version >= 3  # noqa: PLR2004 - the version that has it
        return cls(request, WriteRecipe(native.with_lineage() if has_lineage else native), width)

    @property
    def schema(self) -> pa.Schema:
        """The columns of the table."""
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        return pa.schema(list(self.recipe.arrow_schema())[: self.width])

    def changed(  # noqa: PLR0913 - keywords
        self,
        change: _native.RowChange,
        scan: _native.Scan,
        *,
        functions: Functions | None = None,
        keys: _native.KeyRecipe | None = None,
        command: str,
        isolation: str | None,
        mode: str | None,
        row_filter: Any = None,  # noqa: ANN401 - a tree of tuples
        case_sensitive: bool = True,
    ) -> FoundChanges:
        """Changes rows, and writes the new ones.

        Args:
            change: What is done.
            scan: The rows of the branch.
            functions: The functions of new values and conditions.
            keys: How the keys of a feed are written as equality deletes, which reads no rows.
            command: The operation, for errors and properties.
            isolation: The isolation level.
            mode: How deletes are written.
            row_filter: The rows that were read, for conflicts.
            case_sensitive: Whether the case of names counts in it.

        Returns:
            The operation that commits the rows.
        """
        reporter = self.request.reporter
        done = _native.change_rows(
            change,
            scan,
            self.recipe.native(),
            keys=keys,
            writes=not self.request.counts_only,
            functions=functions,
            progress=reporter.writing,
        )
        receipt = Receipt(done.receipt)
        try:
            delta = _native.RowDeltaReceipt.concat(
                [_native.RowDeltaReceipt.of_files(done.receipt), done.deleted]
            )
            operation = _native.Operation.row_delta(
                delta,
                row_filter,
                case_sensitive=case_sensitive,
                isolation=isolation,
                read_snapshot_id=None if keys else scan.snapshot_id,
                command=command,
                mode=mode,
                keys=done.keys,
                inserts_keys=done.inserts_keys,
                found=done.found,
            )
        except BaseException:
            self.recipe.remove(receipt)
            raise
        return FoundChanges(operation, (self.recipe, receipt), done.updated_rows, done.inserted_rows)

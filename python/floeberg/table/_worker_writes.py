"""How do workers write files of a table, and how do their files become part of it?"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_options, checked_text
from floeberg.table._base import TableBase
from floeberg.write.recipe import WriteRecipe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from floeberg.commit.result import CommitResult
    from floeberg.commit.row_operations import WriteMode
    from floeberg.expressions import AnyFilter
    from floeberg.write.receipt import Receipt

__all__ = ["TableWorkerWrites"]


class TableWorkerWrites(TableBase):
    """The methods of `floeberg.Table` for writes in other processes."""

    def write_recipe(
        self, *, options: Mapping[str, str] | None = None, write_id: str | None = None
    ) -> WriteRecipe:
        """Makes the recipe that workers need to write rows of this table, for `commit_receipts`.

        Args:
            options: As with `append`.
            write_id: An id of the write. It is part of the names of its files. By default, it is random.

        Returns:
            The recipe.

        Raises:
            UnsupportedError: The table cannot be written where it was opened. The error says what to do.

        Examples:
            >>> orders.write_recipe(write_id="job-7")
            WriteRecipe(write_id="job-7")
        """
        self._operations.check_writable()
        given = checked_text("write_id", str(uuid.uuid4()) if write_id is None else write_id)
        return WriteRecipe(
            _native.WriteRecipe.of(self._inner, options=checked_options("options", options), write_id=given)
        )

    def commit_receipts(  # noqa: PLR0913 - all but the first are keywords
        self,
        receipts: Sequence[Receipt],
        *,
        mode: WriteMode = "append",
        overwrite_filter: AnyFilter = True,
        case_sensitive: bool = True,
        snapshot_properties: Mapping[str, str] | None = None,
        branch: str = "main",
        idempotency_key: str | None = None,
        made_from: Sequence[int | None] = (),
        options: Mapping[str, str] | None = None,
    ) -> CommitResult:
        """Adds files that workers wrote to the table, atomically.

        After an error, the files are still there. Remove them with `WriteRecipe.remove`, but never after
        `CommitStateUnknownError` or `AlreadyExistsError`: they may be in the table.

        Args:
            receipts: The receipts of `WriteRecipe.write`, each once.
            mode: `append` adds the rows. `overwrite` replaces the rows that match the filter. `dynamic-overwrite`
                replaces all rows of the partitions that the files are in.
            overwrite_filter: The filter of `overwrite`.
            case_sensitive: Whether the case of names in the filter counts.
            snapshot_properties: As with `append`.
            branch: As with `append`.
            idempotency_key: As with `append`: a repeated commit with the same key is a success and adds nothing.
            made_from: Snapshots of the branch that the rows were computed from, if they are older than this table. An
                overwrite conflicts with changes since the oldest of them. `None` is an empty branch.
            options: `isolation-level`, as with `overwrite`.

        Returns:
            What the commit did, or which earlier commit did it.

        Raises:
            InvalidInputError: A receipt belongs to another table.
            AlreadyExistsError: The table already has one of the files. All manifests of the branch are read to find
                out.
            NotFoundError: A file is missing.
            InvalidDataError: The size of a file differs from its receipt.
            CommitConflictError: Columns have changed, and the files no longer fit.
            FloebergError: The other errors of `append` and `overwrite`.

        Examples:
            >>> receipt = orders.write_recipe().write(pa.table({"id": [1]}), task="0-0")
            >>> for _ in range(2):
            ...     _ = orders.commit_receipts([receipt], idempotency_key="job-7")
            >>> orders.scan().count()
            1
        """
        with self.transaction(
            snapshot_properties=snapshot_properties, branch=branch, idempotency_key=idempotency_key
        ) as transaction:
            transaction.commit_receipts(
                receipts,
                mode=mode,
                overwrite_filter=overwrite_filter,
                case_sensitive=case_sensitive,
                made_from=made_from,
                options=options,
            )
            return transaction.commit_transaction()

"""How do workers write files of a table, and how do their files become part of it?"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_names, checked_options, checked_text
from floeberg.commit.options import SnapshotOptions  # noqa: TC001 - `_keywords` reads the names
from floeberg.expressions import ALWAYS_TRUE
from floeberg.table._base import TableBase
from floeberg.write.recipe import WriteRecipe
from floeberg.write.row_delta import RowDeltaRecipe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Unpack

    from floeberg.commit.result import CommitResult
    from floeberg.commit.row_operations import WriteMode
    from floeberg.expressions import AnyFilter
    from floeberg.write.receipt import Receipt
    from floeberg.write.row_delta import RowDeltaReceipt

__all__ = ["TableWorkers"]


class TableWorkers(TableBase):
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

    def row_delta_recipe(
        self,
        *,
        key_columns: Sequence[str] | None = None,
        branch: str | None = None,
        options: Mapping[str, str] | None = None,
        write_id: str | None = None,
    ) -> RowDeltaRecipe:
        """Makes the recipe that workers need to delete and change rows of this table, for `commit_row_delta`.

        Args:
            key_columns: The columns of equality deletes, for `RowDeltaRecipe.delete_keys`. They are right only where
                they reach every row: in a partitioned table each source of its partitions must be a key, unless the
                table has an unpartitioned spec. The manifest list is read to find out.
            branch: The branch that the keys are deleted from; as with `append`.
            options: As with `append`.
            write_id: As with `write_recipe`.

        Returns:
            The recipe.

        Raises:
            InvalidInputError: A column cannot be a key, or the keys do not reach every row. The error says what to do.
                Or the table has format version 1, which has no equality deletes.
            UnsupportedError: The table cannot be written where it was opened. The error says what to do.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1, 2, None]}))
            >>> recipe = orders.row_delta_recipe(key_columns=["id"])
            >>> receipt = recipe.delete_keys(pa.table({"id": pa.array([2, None], pa.int64())}), task="0-0")
            >>> read = orders.current_snapshot().snapshot_id
            >>> orders.commit_row_delta([receipt], read_snapshot_id=read).operation
            'delete'
            >>> orders.scan().to_arrow()["id"].to_pylist()
            [1]
        """
        rows = self.write_recipe(options=options, write_id=write_id)
        copies = None
        if self._inner.format_version >= 3:  # noqa: PLR2004 - the version that has a lineage
            copies = WriteRecipe(rows._inner.with_lineage())  # noqa: SLF001 - the package's own
        if key_columns is None:
            return RowDeltaRecipe(rows, copies, None)
        keys = _native.KeyRecipe.of(
            self._inner,
            columns=checked_names("key_columns", key_columns),
            branch=self._branch_to_write(branch),
            options=checked_options("options", options),
            write_id=rows.write_id,
        )
        return RowDeltaRecipe(rows, copies, keys)

    def commit_row_delta(
        self,
        receipts: Sequence[RowDeltaReceipt],
        *,
        read_snapshot_id: int | None,
        conflict_filter: AnyFilter | None = None,
        case_sensitive: bool = True,
        options: Mapping[str, str] | None = None,
        **commit: Unpack[SnapshotOptions],
    ) -> CommitResult:
        """Deletes rows, and adds and replaces files, as workers say, in one snapshot.

        The commit writes a deletion vector for each data file with deleted rows, or position deletes before format
        version 3. They also hold what others deleted of these files meanwhile. A conflict is raised, and never tried
        again: find the rows again.

        An error removes no file of the workers. Remove them with `RowDeltaRecipe.remove`, but never after
        `CommitStateUnknownError`, when they may be in the table, nor after `AlreadyExistsError`, when they are.

        Args:
            receipts: The receipts of `RowDeltaRecipe`, each once.
            read_snapshot_id: The snapshot that the workers read, where validation starts; `None` is an empty branch.
            conflict_filter: The rows that the operation would have changed too. Such rows that others added since are a
                conflict under `serializable` isolation. `None` asks for no such test.
            case_sensitive: Whether the case of names in the filter counts.
            options: `isolation-level`; unless given it is the table's `write.delete.isolation-level`.
            **commit: As `SnapshotOptions` says.

        Returns:
            What the commit did, or which earlier commit did it.

        Raises:
            InvalidInputError: There is nothing to do, a receipt belongs to another table, a row is not in its file, or
                rows are deleted by position in format version 1.
            CommitConflictError: A data file is gone; a row that is written again was deleted; or others added rows that
                `conflict_filter` matches.
            AlreadyExistsError: The table has a file already.
            NotFoundError: A file is missing.
            FloebergError: The others of `append`.
        """
        with self.transaction(**commit) as transaction:
            transaction.commit_row_delta(
                receipts,
                read_snapshot_id=read_snapshot_id,
                conflict_filter=conflict_filter,
                case_sensitive=case_sensitive,
                options=options,
            )
            return transaction.commit_transaction()

    def commit_receipts(  # noqa: PLR0913 - all but the first are keywords
        self,
        receipts: Sequence[Receipt],
        *,
        mode: WriteMode = "append",
        overwrite_filter: AnyFilter = ALWAYS_TRUE,
        case_sensitive: bool = True,
        validate_from_snapshot_ids: Sequence[int | None] = (),
        options: Mapping[str, str] | None = None,
        **commit: Unpack[SnapshotOptions],
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
            validate_from_snapshot_ids: Snapshots of the branch that the rows were computed from, if they are older
                than this table. An overwrite conflicts with changes since the oldest of them. `None` stands for a
                branch without a snapshot.
            options: `isolation-level`, as with `overwrite`.
            **commit: As `SnapshotOptions` says.

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
        with self.transaction(**commit) as transaction:
            transaction.commit_receipts(
                receipts,
                mode=mode,
                overwrite_filter=overwrite_filter,
                case_sensitive=case_sensitive,
                validate_from_snapshot_ids=validate_from_snapshot_ids,
                options=options,
            )
            return transaction.commit_transaction()

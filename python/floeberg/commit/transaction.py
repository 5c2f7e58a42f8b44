"""How do several operations on a table become one commit?

The operations are in `row_operations` and `metadata_operations`; here is their end.
"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

from floeberg._pyiceberg_names import SpelledLikePyIceberg
from floeberg.commit.loop import commit
from floeberg.commit.metadata_operations import MetadataOperations
from floeberg.commit.result import CommitResult
from floeberg.commit.row_operations import RowOperations
from floeberg.commit.staging import remove_written
from floeberg.errors import CommitStateUnknownError, FloebergError

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

__all__ = ["Transaction"]


class Transaction(RowOperations, MetadataOperations, SpelledLikePyIceberg):
    """Operations on a table that become one commit: all of them or none.

    Each operation sees what the ones before did. Nothing is in the table before the end: `commit_transaction`, or that
    of the `with` block. Where the block is left by an exception, nothing is done.

    Examples:
        >>> with orders.transaction() as transaction:
        ...     _ = transaction.set_properties(owner="jo")
        ...     transaction.append(pa.table({"id": [1]}))
        >>> orders.properties["owner"], orders.scan().count()
        ('jo', 1)
    """

    _spelled_as = "Transaction"

    @property
    def result(self) -> CommitResult | None:
        """What the commit did; `None` before its end, and where there is none."""
        return self._result

    def commit_transaction(self) -> CommitResult:
        """Makes the operations part of the table, all or none. The table is then what it became.

        Returns:
            What was done, or that it was done before.

        Raises:
            CommitConflictError: Another writer did what the operations cannot stand beside, or was faster too often.
                Nothing was changed.
            CommitStateUnknownError: Whether it took effect is not known. Nothing was removed.
            FloebergError: Any other says that nothing was changed.
        """
        self._check_open()
        self._is_open = False
        if self._known_done:
            self._result = self._done_before()
        elif self._operations:
            self._result = self._commit()
        else:
            self._result = CommitResult(None, None, already_committed=False)
        return self._result

    def _commit(self) -> CommitResult:
        # From here on the files may be part of the table, whatever happens.
        self._files.detach()
        try:
            committed = commit(
                self._table_operations,
                operations=self._operations,
                starting=self._starting,
                snapshot_properties=self._properties,
                branch=self._branch,
                idempotency_key=self._key,
                made_from=self._made_from,
                files_are_new=self._files_are_new,
            )
        except CommitStateUnknownError:
            raise
        except FloebergError:
            remove_written(self._written)
            raise
        if not committed.here:
            remove_written(self._written)
        self._become(committed.table)
        return self._told(committed.result)

    def _told(self, result: CommitResult) -> CommitResult:
        """A result with what was added, unless an earlier commit added it."""
        added = [] if result.already_committed else self._added
        return replace(
            result,
            added_files=sum(map(len, added)),
            added_rows=sum(each.rows for each in added),
            added_bytes=sum(each.size for each in added),
            seconds=monotonic() - self._begun,
        )

    def _done_before(self) -> CommitResult:
        """What the commit with the key did. Raises `InvalidInputError` where it did something else."""
        current = self._current
        key, branch = self._key or "", self._branch
        snapshot_id = current.find_commit(key, branch=branch, operations=self._skipped)
        operation = None if snapshot_id is None else current.operation_of(snapshot_id)
        return CommitResult(snapshot_id, operation, already_committed=True)

    def rollback(self) -> None:
        """Does nothing of it, and removes what was written. A transaction that has ended stays as it is."""
        if self._is_open:
            self._is_open = False
            self._files()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._is_open:
            self.commit_transaction()
        else:
            self.rollback()

    def __repr__(self) -> str:
        return f"Transaction({self._current!r})"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a Transaction cannot be pickled: send a WriteRecipe, and commit the Receipts here")

"""How do several operations on a table become one commit?

Its operations are in `row_operations` and `metadata_operations`. Here are commit and rollback.
"""

from __future__ import annotations

import itertools
import uuid
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg._display import facts_html
from floeberg._keywords import says_keywords_of_methods
from floeberg._pyiceberg_names import SpelledLikePyIceberg
from floeberg.commit.loop import commit
from floeberg.commit.metadata_operations import MetadataOperations
from floeberg.commit.result import CommitResult
from floeberg.commit.retries import Retries, RetryBudget
from floeberg.commit.row_operations import RowOperations
from floeberg.commit.staging import remove_written
from floeberg.errors import CommitConflictError, CommitStateUnknownError, FloebergError

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from floeberg.commit.operations import OpenedTable

__all__ = ["Transaction"]


@says_keywords_of_methods
class Transaction(RowOperations, MetadataOperations, SpelledLikePyIceberg):
    """Several operations on a table, one atomic commit.

    Each operation sees the ones before it. The end of the `with` block commits them, or `commit_transaction` does. An
    exception in the block rolls them back.

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
        """What the commit did; `None` before the commit, and after a rollback."""
        return self._result

    def commit_transaction(self) -> CommitResult:
        """Commits the operations, atomically, and updates the table object.

        Returns:
            What the commit did, or which earlier commit did it.

        Raises:
            CommitConflictError: Another writer committed a conflicting change, or was faster at every attempt. Nothing
                was changed.
            CommitStateUnknownError: The outcome is unknown. No file was removed.
            FloebergError: With any other error nothing was changed.
        """
        self._check_open()
        self._is_open = False
        try:
            self._result = self._ended()
        except BaseException:
            self._reporter.stop()
            raise
        self._reporter.end()
        return self._result

    def _ended(self) -> CommitResult:
        if self._known_done:
            return self._done_before()
        if self._dry_run:
            return self._counted()
        if self._whole()[0]:
            return self._commit()
        return CommitResult(None, None, already_committed=False)

    def _whole(self) -> tuple[list[_native.Operation], OpenedTable | None]:
        """All operations of the commit, and the table that they were made for."""
        return self._operations, self._starting

    def _commit(self) -> CommitResult:
        # From here on the files may be part of the table.
        self._files.detach()
        budget = RetryBudget.of(lambda: Retries.of(self._starting.properties))
        for done in itertools.count(1):
            try:
                with budget.shared():
                    return replace(self._commit_once(), repeated=done - 1)
            except CommitConflictError as conflict:  # noqa: PERF203 - once a commit
                if conflict.retryable or not self._is_repeated(conflict, done, budget):
                    remove_written(self._written)
                    raise
        raise AssertionError

    def _is_repeated(self, conflict: CommitConflictError, done: int, budget: RetryBudget) -> bool:
        """Looks for rows again after a conflict, within the retries of the table. The conflict removed no data file."""
        if self._changes is None or not self._changes.is_repeated:
            return False
        try:
            if not budget.allows_retry(conflict):
                conflict.add_note(f"the operation looked for its rows {done} times")
                return False
            budget.wait()
            return self._find_again()
        except BaseException:
            remove_written(self._written)
            raise

    def _commit_once(self) -> CommitResult:
        self._tell_written()
        try:
            committed = commit(
                self._table_operations,
                **self._how(),
                report=self._reporter.native,
                report_whole=self._reporter.committing,
                stopped=lambda: remove_written(self._written),
                check=self._check_base,
            )
        except (CommitStateUnknownError, CommitConflictError):
            # Of a conflict the files may be needed: the caller knows.
            raise
        except FloebergError:
            remove_written(self._written)
            raise
        if not committed.here:
            remove_written(self._written)
        self._become(committed.table)
        return self._told(committed.result)

    def _how(self) -> dict[str, Any]:
        """What is committed, and how."""
        operations, starting = self._whole()
        return {
            "operations": operations,
            "starting": starting,
            "snapshot_properties": self._properties,
            "branch": self._branch,
            "idempotency_key": self._key,
            "validate_from_snapshot_ids": self._read_from(starting),
            "files_are_new": self._files_are_new,
            "stage_only": self._is_staged(operations),
            "leaves_record": self._leaves_record,
        }

    def _is_staged(self, operations: list[_native.Operation]) -> bool:
        return self._stage_only and (self._stages_all or any(each.changes_rows for each in operations))

    def _read_from(self, starting: OpenedTable | None) -> list[int | None]:
        """The snapshots that rows were made from, if they are older than the table that the commit begins at."""
        if starting is None or starting is self._begun_at or not self._stands_on_start:
            return self._validated_from
        return [*self._validated_from, self._head_of(self._begun_at)]

    def _counted(self) -> CommitResult:
        """What the commit would do."""
        if not self._operations:
            return CommitResult(None, None, already_committed=False, dry_run=True)
        current = self._table_operations.load(self._starting)
        self._starting.check_same_table(current)
        commit = _native.Commit.begin(
            self._operations,
            starting=self._starting,
            storage_options=dict(self._table_operations.storage_options),
            snapshot_properties=self._properties,
            branch=self._branch,
            commit_key=str(uuid.uuid4()),
        )
        counts = commit.count(current, self._reporter.native)
        return CommitResult(
            None,
            None,
            already_committed=False,
            dry_run=True,
            added_rows=self._counted_rows,
            seconds=monotonic() - self._begun,
            **self._changed_rows(),
            **counts,
        )

    def _changed_rows(self) -> dict[str, Any]:
        """The rows that an operation which looks for its rows changes and adds."""
        found = None if self._changes is None else self._changes.found
        if found is None:
            return {}
        return {"updated_rows": found.updated_rows, "inserted_rows": found.inserted_rows}

    def _told(self, result: CommitResult) -> CommitResult:
        """A result with the counts of added files, unless an earlier commit added them."""
        added = [] if result.already_committed else self._added
        return replace(
            result,
            added_files=sum(map(len, added)),
            added_rows=sum(each.rows for each in added),
            added_bytes=sum(each.size for each in added),
            seconds=monotonic() - self._begun,
            **({} if result.already_committed else self._changed_rows()),
        )

    def _done_before(self) -> CommitResult:
        """The result of the earlier commit. Raises `InvalidInputError` where the key belongs to other operations."""
        current = self._current
        key, branch = self._key or "", self._branch
        snapshot_id = current.find_commit(key, branch=branch, operations=self._skipped)
        operation = None if snapshot_id is None else current.operation_of(snapshot_id)
        return CommitResult(snapshot_id, operation, already_committed=True)

    def rollback(self) -> None:
        """Drops the operations, and removes their files. After the end of the transaction it does nothing."""
        if self._is_open:
            self._is_open = False
            self._reporter.stop()
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

    def _repr_html_(self) -> str:
        if self._result is not None:
            state = (
                "committed" if self._result.snapshot_id is None else f"committed: {self._result.snapshot_id}"
            )
        else:
            state = "not committed yet" if self._is_open else "ended without a commit"
        facts = {
            "table": self._current.location,
            "state": state,
            "branch": self._branch,
            "operations": ", ".join(each.name for each in self._operations) or "none",
            "rows written": sum(each.rows for each in self._added) or None,
            "files written": sum(map(len, self._added)) or None,
        }
        return facts_html("Transaction", facts)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a Transaction cannot be pickled: send a WriteRecipe, and commit the Receipts here")

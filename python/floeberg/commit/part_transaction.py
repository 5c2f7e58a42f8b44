"""How is a transaction of one table part of one of several tables?

It collects operations as every transaction does. The end of the whole one commits them, together with those of the
other tables.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from floeberg.commit.attempts import begin_commit
from floeberg.commit.create_table import CreateTableTransaction
from floeberg.commit.progress import Progress
from floeberg.commit.retries import Retries, RetryBudget
from floeberg.commit.several import CommitPart, commit_all
from floeberg.commit.staging import remove_written
from floeberg.commit.transaction import Transaction
from floeberg.errors import CommitConflictError, CommitStateUnknownError, FloebergError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from floeberg.commit.result import Committed
    from floeberg.commit.several import StoreAll

__all__ = ["NewTablePart", "TablePart", "commit_parts"]


class TablePart(Transaction):
    """The operations on one table in a transaction of several."""

    identifier: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Whether there is something to commit."""
        return bool(self._whole()[0])

    def commit_transaction(self) -> NoReturn:
        """Raises `InvalidInputError`: the end of the whole transaction commits."""
        raise self._not_alone()

    def rollback(self) -> NoReturn:
        """Raises `InvalidInputError`: the whole transaction can be rolled back."""
        raise self._not_alone()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The end of the whole transaction decides."""

    def _not_alone(self) -> InvalidInputError:
        return InvalidInputError(
            f"the operations on the table {'.'.join(self.identifier)!r} are part of a transaction of several tables, "
            "whose end commits them: call its method instead"
        )

    # What the whole transaction calls.

    def was_done(self, *, is_asked: bool) -> bool:
        """Whether an earlier commit has the key. Without `is_asked`, as far as it is known."""
        return self._is_done() if is_asked else bool(self._known_done)

    def end(self) -> None:
        """Takes no operation any more."""
        self._is_open = False

    def drop(self) -> None:
        """Drops the operations, and removes their files."""
        self.end()
        self._files()

    def end_alone(self) -> None:
        """Ends a transaction whose other tables have nothing to commit, or that was committed before."""
        self.end()
        self._result = self._ended()

    def keep_files(self) -> None:
        """From here on the files may be part of the table."""
        self._files.detach()

    def remove_files(self) -> None:
        """Removes the files: they are certainly not part of the table."""
        remove_written(self._written)

    def begin(self) -> CommitPart:
        """Begins the commit of the table."""
        how = self._how()
        made = begin_commit(self._table_operations, **how)
        return CommitPart(
            self.identifier, Progress(self._table_operations, made), how["starting"], self._check_base
        )

    def is_repeated(self, conflict: CommitConflictError, done: int, budget: RetryBudget) -> bool:
        """Looks for rows again after a conflict of this table. `False` where it does not, or may not any more."""
        return self._is_repeated(conflict, done, budget)

    def finish(self, committed: Committed, repeated: int) -> None:
        """Takes what the commit did."""
        if not committed.here:
            self.remove_files()
        self._become(committed.table)
        self._result = replace(self._told(committed.result), repeated=repeated)

    @property
    def retries(self) -> dict[str, str]:
        """The properties of the table, which say how often a commit is retried."""
        return dict(self._starting.properties)


class NewTablePart(TablePart, CreateTableTransaction):
    """The same for a table that the transaction creates."""


def commit_parts(parts: Sequence[TablePart], store: StoreAll) -> None:
    """Commits the operations of several tables, all or none.

    Args:
        parts: Their transactions.
        store: `Catalog.do_commit_all`.

    Raises:
        CommitConflictError: Another writer committed a conflicting change. Nothing was changed.
        CommitStateUnknownError: The outcome is unknown. No file was removed.
        FloebergError: With any other error nothing was changed.
    """
    for part in parts:
        part.keep_files()

    def stopped() -> None:
        for part in parts:
            part.remove_files()

    budget = RetryBudget.of(lambda: Retries.least_of([part.retries for part in parts]))
    try:
        committed, repeated = _committed(parts, store, budget, stopped)
    except CommitStateUnknownError:
        raise
    except FloebergError:
        stopped()
        raise
    for part, each in zip(parts, committed, strict=True):
        part.finish(each, repeated.get(part.identifier, 0))


def _committed(
    parts: Sequence[TablePart], store: StoreAll, budget: RetryBudget, stopped: Callable[[], None]
) -> tuple[list[Committed], dict[tuple[str, ...], int]]:
    """The commits, and how often operations looked for their rows again."""
    repeated: dict[tuple[str, ...], int] = {}
    for done in itertools.count(1):
        begun = [part.begin() for part in parts]
        try:
            with budget.shared():
                return commit_all(begun, store, stopped=stopped), repeated
        except CommitConflictError as conflict:
            again = [part for part, each in zip(parts, begun, strict=True) if each.conflicted]
            if conflict.retryable or not again:
                raise
            if not _looks_again(again[0], conflict, done, budget, stopped):
                raise
            name = again[0].identifier
            repeated[name] = repeated.get(name, 0) + 1
    raise AssertionError


def _looks_again(
    part: TablePart,
    conflict: CommitConflictError,
    done: int,
    budget: RetryBudget,
    stopped: Callable[[], None],
) -> bool:
    """Whether an operation looked for its rows again, on the table that conflicted. Nothing was committed before."""
    try:
        return part.is_repeated(conflict, done, budget)
    except BaseException:
        stopped()
        raise

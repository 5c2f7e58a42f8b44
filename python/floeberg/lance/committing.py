"""How does an operation become a version of a Lance table?

Rust tries: it looks at what was committed meanwhile, and puts the next manifest where there is none. Python tries again
where another commit was faster, and makes the operation anew where a conflict says so.

Invariant: data files are removed only where it is certain that no version names them.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from floeberg import _native
from floeberg.commit.retries import Retries, RetryBudget
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    FloebergError,
    InvalidInputError,
)
from floeberg.lance.manifest_store import Manifests
from floeberg.lance.result import LanceCommitResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from floeberg.lance.manifest_store import ManifestStore

__all__ = ["Conditions", "InsertedKeys", "Made", "commit", "earlier_commit"]

_OF_SAME_ROWS = ("Merge", "Rewrite")
"""Operations whose files have rows that the table has."""
RETRIES = Retries(number=20, least_wait=0.02, most_wait=2.0, total=120.0)


class InsertedKeys(Protocol):
    """Keys that no row had in the version that was read."""

    def may_be_in(self, read: _native.LanceTable, newest: _native.LanceTable) -> bool:
        """Whether a row that came since may have one of them."""
        ...


@dataclass(frozen=True)
class Conditions:
    """What a commit asks for, beside what its operation does.

    Args:
        expected: Settings that the version before must have; `None` for one that it must lack.
        settings: Settings that come with the version; `None` removes one.
        keeps_rows: Whether nobody may have changed rows since the version that the operation was made of.
    """

    expected: Mapping[str, str | None] = field(default_factory=dict)
    settings: Mapping[str, str | None] = field(default_factory=dict)
    keeps_rows: bool = False


@dataclass
class Made:
    """An operation, made of one version.

    Args:
        operation: The operation; `None` if nothing has to change.
        files: The data files that were written for it.
        counts: Rows that it changes, by the names of `LanceCommitResult`.
        inserted_keys: The keys of rows that it adds because no row has them.
        conditions: What it asks for beside it.
        keeps_files: Whether an operation that is made anew may name the same files.
    """

    operation: _native.LanceOperation | None
    files: _native.LanceDataFiles | None = None
    counts: dict[str, Any] = field(default_factory=dict)
    inserted_keys: InsertedKeys | None = None
    conditions: Conditions = Conditions()
    keeps_files: bool = False

    def abandon(self) -> None:
        """Removes the data files."""
        if self.files is not None:
            with suppress(FloebergError):
                self.files.remove()


def commit(  # noqa: PLR0913 - keywords
    table: _native.LanceTable,
    make: Callable[[_native.LanceTable], Made],
    *,
    operation: str | None = None,
    idempotency_key: str | None = None,
    transaction_properties: Mapping[str, str] | None = None,
    on_conflict: str = "retry",
    manifest_store: ManifestStore | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[_native.LanceTable, LanceCommitResult]:
    """Commits an operation.

    Args:
        table: The version that the operation is made of.
        make: Makes the operation of a version. It is called again where a conflict asks for it.
        operation: The name of the operation, by which an earlier commit with the key is checked.
        idempotency_key: The key of the commit.
        transaction_properties: Entries of the transaction's properties.
        on_conflict: `retry` makes the operation anew, `raise` does not.
        manifest_store: Who decides about versions; `None` is the storage.
        sleep: Waits for some seconds.

    Returns:
        The newest version, and what was done.
    """
    if on_conflict not in ("retry", "raise"):
        raise InvalidInputError(f"on_conflict: expected 'retry' or 'raise', found {on_conflict!r}")
    # Before anything is checked: what was done once may not be possible again.
    if idempotency_key and (earlier := earlier_commit(table, idempotency_key, operation)) is not None:
        return earlier
    budget, current = RetryBudget.of(lambda: RETRIES, sleep), table
    manifests = None if manifest_store is None else Manifests.of(manifest_store, table)
    while True:
        made = make(current)
        if made.operation is None:
            made.abandon()
            return current, LanceCommitResult(None, None, **made.counts)
        tries = _Tries(current, made, idempotency_key, dict(transaction_properties or {}), manifests)
        try:
            return tries.until_done(budget, may_be_made_anew=on_conflict == "retry")
        except _ConflictError:
            try:
                if manifests is not None:
                    manifests.catch_up()
                current = current.newest()
            except BaseException:
                made.abandon()
                raise


def earlier_commit(
    table: _native.LanceTable, key: str, operation: str | None
) -> tuple[_native.LanceTable, LanceCommitResult] | None:
    """What an earlier commit with a key did.

    Raises:
        InvalidInputError: The key belongs to another operation.
    """
    found = table.find_commit(key, operation)
    if found is None:
        return None
    made, name = found
    return table.newest(), LanceCommitResult(made.version, name, already_committed=True)


class _ConflictError(Exception):
    """The operation is to be made anew. Its files are gone, unless it keeps them."""


class _Tries:
    """Attempts with one operation."""

    def __init__(
        self,
        table: _native.LanceTable,
        made: Made,
        key: str | None,
        transaction_properties: dict[str, str],
        manifests: Manifests | None,
    ) -> None:
        if made.operation is None:
            raise AssertionError
        self._manifests = manifests
        self._table = table
        self._made = made
        self._name = made.operation.name
        try:
            self.commit = _native.LanceCommit.begin(
                table,
                made.operation,
                properties=list(transaction_properties.items()),
                key=key,
                inserts_missing_keys=made.inserted_keys is not None,
                expected=list(made.conditions.expected.items()),
                settings=list(made.conditions.settings.items()),
                keeps_rows=made.conditions.keeps_rows,
            )
        except BaseException:
            made.abandon()
            raise

    def until_done(
        self, budget: RetryBudget, *, may_be_made_anew: bool
    ) -> tuple[_native.LanceTable, LanceCommitResult]:
        """Tries until the commit is done, or fails.

        Raises:
            _ConflictError: The operation is to be made anew.
        """
        while True:
            try:
                return self._once()
            except CommitStateUnknownError as error:
                # Another attempt finds out, and nothing may be removed before.
                if not budget.allows_retry(error):
                    raise
            except CommitConflictError as error:
                may_retry = budget.allows_retry(error)
                is_raced = self.commit.is_raced or (may_retry and self._has_other_keys())
                if not may_retry or not error.retryable or not (is_raced or may_be_made_anew):
                    self.abandon()
                    raise _given_up(error, budget.failed) from error
                if not is_raced:
                    if self.commit.abandon() and not self._made.keeps_files:
                        self._made.abandon()
                    budget.wait()
                    raise _ConflictError from error
            except BaseException:
                self.abandon()
                raise
            budget.wait()

    def _once(self) -> tuple[_native.LanceTable, LanceCommitResult]:
        manifests = self._manifests
        table, is_here = self.commit.attempt() if manifests is None else manifests.attempt(self.commit)
        if not is_here:
            return self._found(table)
        files = self._made.files
        result = LanceCommitResult(table.version, self._name, **self._made.counts)
        if files is not None:
            result = replace(
                result,
                added_rows=0 if self._name in _OF_SAME_ROWS else files.rows,
                added_files=len(files),
                added_bytes=files.size_bytes,
            )
        return table, result

    def _has_other_keys(self) -> bool:
        """Whether the last attempt failed because of rows, which turn out to have other keys than those inserted."""
        keys = self._made.inserted_keys
        if keys is None or self.commit.adds_rows is None:
            return False
        try:
            newest = self._table.newest()
            if keys.may_be_in(self._table, newest):
                return False
        except BaseException:
            self.abandon()
            raise
        self.commit.allow_added_rows(newest.version)
        return True

    def abandon(self) -> None:
        if self.commit.abandon():
            self._made.abandon()

    def _found(self, table: _native.LanceTable) -> tuple[_native.LanceTable, LanceCommitResult]:
        """An earlier commit did it."""
        self.abandon()
        result = LanceCommitResult(table.version, self._name, already_committed=True)
        return self._table.newest(), result


def _given_up(error: CommitConflictError, done: int) -> CommitConflictError:
    attempts = f"; gave up after {done} attempts" if done > 1 else ""
    return CommitConflictError(f"{error.message}{attempts}", context=error.context, retryable=error.retryable)

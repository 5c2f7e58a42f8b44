"""How does a commit of a client become one of the catalog?

In: requirements and updates. Out: the table after them, or an error that says whether anything was changed.

Where another writer is faster, the commit is tried again on the new table, as long as its requirements hold: the client
need not know. Where they do not, the client has to begin anew.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from floeberg.catalog.names import dotted
from floeberg.commit.retries import Retries, RetryBudget
from floeberg.commit.several import TableCommit
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    FloebergError,
    InvalidInputError,
    NoSuchTableError,
)
from floeberg.serving.attempts import ServedAttempt
from floeberg.serving.keys import has_key, with_key
from floeberg.serving.requirements import check_requirements, creates_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from floeberg.catalog import Catalog
    from floeberg.catalog.names import Identifier
    from floeberg.commit.operations import OpenedTable, TableOperations
    from floeberg.serving.places import Places

__all__ = ["TableChange", "commit_tables", "commit_to_table"]

_TURNS: Final = tuple(threading.Lock() for _ in range(64))
_PATIENCE: Final = 10.0
"""Seconds until a commit goes on without its turn: the one before may hang."""


@dataclass(frozen=True)
class TableChange:
    """What a client changes in a table.

    Args:
        identifier: The table.
        requirements: What has to hold.
        updates: The updates.
    """

    identifier: Identifier
    requirements: list[dict[str, Any]]
    updates: list[dict[str, Any]]

    @classmethod
    def of(cls, identifier: Identifier, body: Any) -> TableChange:  # noqa: ANN401 - JSON
        """The change in the body of a request. Raises `InvalidInputError` where it is not one."""
        found = [body.get(each) for each in ("requirements", "updates")]
        for name, each in zip(("requirements", "updates"), found, strict=True):
            if not isinstance(each, list) or not all(isinstance(one, dict) for one in each):
                raise InvalidInputError(f"expected a list of objects as {name!r}")
        return cls(identifier, *found)


@dataclass(frozen=True)
class _Committer:
    """Commits the change of one table."""

    catalog: Catalog
    places: Places
    change: TableChange
    key: str | None
    known: OpenedTable | None = None

    @property
    def operations(self) -> TableOperations:
        """Those of the table."""
        return self.catalog.table_operations(self.change.identifier)

    def base(self) -> OpenedTable | None:
        """The current table; `None` where the change creates it.

        Raises:
            NoSuchTableError: The table does not exist, and the change does not create it.
        """
        try:
            return self.operations.load_base(self.known)
        except NoSuchTableError as error:
            if not creates_table(self.change.requirements):
                raise self.catalog.no_such_table(self.change.identifier) from error
            return None

    def attempt(self, base: OpenedTable | None, on: OpenedTable | None) -> ServedAttempt | None:
        """Tries the change; `None` where the table has it already, by the key of the request.

        Args:
            base: The current table. The requirements are about it.
            on: What the attempt is made on.
        """
        if base is not None and has_key(base, self.key):
            return None
        self.places.check_updates(self.change.updates, [] if base is None else [base.location])
        updates = with_key(self.change.updates, self.key)
        check_requirements(self.change.requirements, base)
        if base is None:
            updates = self._placed(updates)
        options = self.operations.storage_options if base is None else base.storage_options
        return ServedAttempt(on, self.change.requirements, updates, options)

    def _placed(self, updates: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The updates that create a table, with its location."""
        levels = self.change.identifier
        self.catalog.new_table("identifier", levels)
        locations = [each.get("location") for each in updates if each.get("action") == "set-location"]
        place = self.catalog._place(levels, locations[-1] if locations else None)  # noqa: SLF001 - its own
        return updates if locations else [*updates, {"action": "set-location", "location": place}]


def commit_to_table(
    catalog: Catalog,
    places: Places,
    change: TableChange,
    *,
    key: str | None,
    known: OpenedTable | None = None,
) -> OpenedTable:
    """Commits the change of one table.

    Args:
        catalog: The catalog.
        places: Where files may be.
        change: The change.
        key: The idempotency key of the request.
        known: The table as it was loaded before.

    Returns:
        The table after it.

    Raises:
        CommitConflictError: A requirement does not hold, or others were faster at every attempt. Nothing was changed.
        CommitStateUnknownError: The outcome is unknown.
        FloebergError: With any other error nothing was changed.
    """
    one = _Committer(catalog, places, change, key, known)
    bases: list[OpenedTable] = []
    budget = RetryBudget(lambda: Retries.least_of([each.properties for each in bases[-1:]]))
    while True:
        try:
            with _turn(change.identifier):
                return _commit_once(one, bases)
        except CommitConflictError as failure:
            if not failure.retryable or not budget.allows_retry(failure):
                raise
        budget.wait()


@contextmanager
def _turn(identifier: Identifier) -> Iterator[None]:
    """Commits of this server to one table take turns, so that few are tried again. Nothing depends on it.

    A lock of the folder would not do: a client on this machine holds that while it waits for the answer.
    """
    lock = _TURNS[hash(identifier) % len(_TURNS)]
    is_ours = lock.acquire(timeout=_PATIENCE)
    try:
        yield
    finally:
        if is_ours:
            lock.release()


def _commit_once(one: _Committer, bases: list[OpenedTable]) -> OpenedTable:
    base = one.base()
    bases += [] if base is None else [base]
    attempt = one.attempt(base, base)
    if base is not None and (attempt is None or not attempt.changes):
        return base
    if attempt is None:
        raise AssertionError
    operations = one.operations
    try:
        return operations.commit(base, attempt)
    except CommitStateUnknownError as failure:
        with suppress(FloebergError):
            current = operations.load(None)
            if operations.includes(current, attempt, failure.context.get("metadata", "")):
                return current
        raise


def commit_tables(
    catalog: Catalog, places: Places, changes: Sequence[TableChange], *, key: str | None
) -> None:
    """Commits the changes of several tables: all, or none.

    Raises:
        UnsupportedError: The catalog has no such commits.
        FloebergError: Those of `commit_to_table`, and `PartialCommitError`.
    """
    names = [each.identifier for each in changes]
    if not changes or len(set(names)) < len(names):
        twice = next((each for each in names if names.count(each) > 1), None)
        raise InvalidInputError(
            "expected changes of tables as 'table-changes', each table once, found "
            + ("none" if twice is None else f"the table {dotted(twice)!r} twice")
        )
    catalog.check_transactions()
    if len(changes) == 1:
        commit_to_table(catalog, places, changes[0], key=key)
        return
    parts = [_Committer(catalog, places, each, key) for each in changes]
    known: list[OpenedTable] = []
    budget = RetryBudget(lambda: Retries.least_of([each.properties for each in known]))
    while True:
        bases = [part.base() for part in parts]
        known = [each for each in bases if each is not None]
        try:
            _commit_all_once(catalog, parts, bases)
        except CommitConflictError as failure:
            if not failure.retryable or not budget.allows_retry(failure):
                raise
        else:
            return
        budget.wait()


def _commit_all_once(
    catalog: Catalog, parts: Sequence[_Committer], bases: Sequence[OpenedTable | None]
) -> None:
    commits = []
    for part, base in zip(parts, bases, strict=True):
        on = None if base is None else part.operations.part_base(base)
        attempt = part.attempt(base, on)
        if attempt is None:
            # All tables have it, or none.
            return
        if base is None or attempt.changes:
            commits.append(TableCommit(part.change.identifier, on, attempt, base))
    if commits:
        catalog.do_commit_all(commits)

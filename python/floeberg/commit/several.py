"""How do commits of several tables become one?

In: a commit of each table, and what makes attempts of all of them current at once. Out: what each commit did, or an
error after which no table was changed.

A conflict of one table retries all: each on its current base, with the data files that are written. Where the outcome
of a request is unknown, each table is searched for its commit. All there is success, none there is retried. If only
some are there, an error says what is known of each table.

Invariant: files of an attempt are removed only where it certainly did not become part of its table.
"""

from __future__ import annotations

import itertools
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from floeberg.commit.attempts import StoppedError, attempt_on, current_base, is_worth_a_retry
from floeberg.commit.lock import commit_lock
from floeberg.commit.metrics_report import report_commit
from floeberg.commit.retries import Retries, RetryBudget
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    FloebergError,
    NoSuchTableError,
    PartialCommitError,
    TableAlreadyExistsError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from floeberg import _native
    from floeberg.commit.attempt import Attempt
    from floeberg.commit.operations import OpenedTable
    from floeberg.commit.progress import Progress
    from floeberg.commit.result import Committed

__all__ = ["CommitPart", "CommitRefusedError", "StoreAll", "TableCommit", "commit_all"]

_LOOKS = 4
"""How often tables are loaded where only some have the commit: a server may be at it."""
_PAUSE = 0.1
"""Seconds before they are loaded again; twice as long each time."""


@dataclass
class TableCommit:
    """The part of one table in a commit of several.

    Args:
        identifier: The namespace and the name of the table.
        base: The table that the attempt was made on; `None` where it creates the table.
        attempt: The attempt.
        before: The table that was current; the base, unless `TableOperations.part_base` made another one of it.
        metadata_location: Its metadata file. A catalog of metadata files sets it before it writes the file.
    """

    identifier: tuple[str, ...]
    base: OpenedTable | None
    attempt: Attempt
    before: OpenedTable | None = None
    metadata_location: str = ""


StoreAll: TypeAlias = "Callable[[Sequence[TableCommit]], Sequence[OpenedTable]]"
"""`Catalog.do_commit_all`."""


class CommitRefusedError(CommitStateUnknownError):
    """A server refused a commit. Something on the way may have sent it before, and then this very commit is why."""


class _PartlyError(Exception):
    """Some tables have the commit, and others do not."""


@dataclass
class CommitPart:
    """The commit of one table, among those of others.

    Args:
        identifier: The table.
        progress: Its commit, and its attempts.
        starting: The table that its operations were made for; `None` where it is to be created.
        check: Called with the table that an attempt is made on. What it raises ends the commit.
        base: The table that was current at the last attempt.
        attempted_on: What the last attempt was made on: the same, or the next version of it, which is not written.
        attempt: The last attempt.
        conflicted: Whether its operations conflict with what others committed.
        is_sent: Whether a request of unknown outcome had an attempt of it.
    """

    identifier: tuple[str, ...]
    progress: Progress
    starting: OpenedTable | None
    check: Callable[[OpenedTable], None]
    base: OpenedTable | None = None
    attempted_on: OpenedTable | None = None
    attempt: _native.Attempt | None = None
    conflicted: bool = False
    is_sent: bool = False

    @property
    def name(self) -> str:
        """The table, for errors."""
        return ".".join(self.identifier)

    def made(self) -> _native.Attempt:
        """Makes an attempt on the base. An error names the table."""
        try:
            on = None if self.base is None else self.progress.table_operations.part_base(self.base)
            self.attempted_on, self.attempt = on, attempt_on(self.progress, on, (None, None))
        except FloebergError as failure:
            self.conflicted = isinstance(failure, CommitConflictError)
            failure.add_note(f"the table is {self.name!r}")
            raise
        self.progress.rebased += self.attempt.is_rebased
        return self.attempt


@dataclass
class _Seen:
    """What a table shows of its commit.

    Args:
        part: The commit.
        current: The table; `None` where it is not there, or cannot be loaded.
        found: The commit, where the table has it.
        state: The same in words.
    """

    part: CommitPart
    current: OpenedTable | None
    found: Committed | None
    state: str

    @property
    def is_dead(self) -> bool:
        """Whether the last attempt certainly cannot take effect on this table any more."""
        if self.current is None:
            return self.state == _GONE and self.part.starting is not None
        return _is_superseded(self.part, self.current)


_GONE = "no such table"
_UNTRACEABLE = "unknown: what it changes may be in the table, and its history has expired since"


def commit_all(
    parts: Sequence[CommitPart],
    store: StoreAll,
    *,
    stopped: Callable[[], None] = lambda: None,
    sleep: Callable[[float], None] = time.sleep,
) -> list[Committed]:
    """Commits to several tables, all or none.

    Args:
        parts: The commits.
        store: Makes attempts of all tables current at once, as `Catalog.do_commit_all` does.
        stopped: Called where Ctrl-C stopped the commit, and nothing was committed.
        sleep: Waits for some seconds.

    Returns:
        The commits in the same order, each with its table after it.

    Raises:
        CommitConflictError: Another writer committed a conflicting change, or was faster at every attempt. Nothing was
            changed.
        PartialCommitError: Some tables have the commit, and others can never get it.
        CommitStateUnknownError: The outcome is unknown. The context has what is known of each table. No file was
            removed.
        TableAlreadyExistsError: Another writer created a table of that name. Nothing was changed.
        FloebergError: With any other error nothing was changed.
    """
    properties = [part.starting.properties for part in parts if part.starting is not None]
    budget = RetryBudget.of(lambda: Retries.least_of(properties), sleep)
    began = time.monotonic()
    for done in itertools.count(1):
        try:
            with _locked(parts):
                found = _try_once(parts, store, sleep)
            return _reported(parts, found, began, done)
        except StoppedError as stop:
            stopped_by = stop.cause
            break
        except PartialCommitError:
            raise
        except _PartlyError as partly:
            raise _unknown(parts, partly) from partly.__cause__
        except FloebergError as failure:
            if not is_worth_a_retry(failure) or not budget.allows_retry(failure):
                return _reported(parts, _given_up(parts, failure, done, sleep), began, done)
        budget.wait()
    if not any(part.is_sent for part in parts):
        _abandon(parts)
        stopped()
    raise stopped_by


def _reported(
    parts: Sequence[CommitPart], found: list[Committed], began: float, attempts: int
) -> list[Committed]:
    for part, each in zip(parts, found, strict=True):
        report_commit(part.progress.table_operations, each, time.monotonic() - began, attempts)
    return found


def _locked(parts: Sequence[CommitPart]) -> ExitStack:
    """The locks of all tables, always in the same order."""
    locations = [part.starting.metadata_location for part in parts if part.starting is not None]
    stack = ExitStack()
    for location in sorted({each.rpartition("/")[0]: each for each in locations}.values()):
        stack.enter_context(commit_lock(location))
    return stack


def _try_once(
    parts: Sequence[CommitPart], store: StoreAll, sleep: Callable[[float], None]
) -> list[Committed]:
    for part in parts:
        part.base = None if part.starting is None else current_base(part.progress, part.starting)
    # An earlier commit may have its key, and an attempt may have taken effect though its response was lost.
    if (found := _found(parts, sleep)) is not None:
        return found
    for part in parts:
        if part.base is not None:
            _forget_superseded(part, part.base)
            part.check(part.base)
    made = [(part, part.made()) for part in parts]
    changing = [(part, attempt) for part, attempt in made if part.base is None or attempt.changes]
    requests = [
        TableCommit(part.identifier, part.attempted_on, attempt, part.base) for part, attempt in changing
    ]
    try:
        tables = store(requests) if requests else ()
    except PartialCommitError:
        raise
    except CommitStateUnknownError as failure:
        for (part, attempt), request in zip(changing, requests, strict=True):
            part.progress.remember(attempt, request.metadata_location, part.base)
            part.is_sent = True
        if (found := _found(parts, sleep, failure)) is not None:
            return found
        if isinstance(failure, CommitRefusedError):
            _forget_refused([part for part, _ in changing])
        raise
    after = {request.identifier: table for request, table in zip(requests, tables, strict=True)}
    return [_finished(part, after.get(part.identifier, part.base)) for part in parts]


def _finished(part: CommitPart, table: OpenedTable | None) -> Committed:
    if part.attempt is None or table is None:
        raise AssertionError
    return part.progress.finished(part.attempt, table)


def _found(
    parts: Sequence[CommitPart],
    sleep: Callable[[float], None],
    failure: FloebergError | None = None,
) -> list[Committed] | None:
    """The commits, where all tables have them; `None` where none has.

    Raises:
        _PartlyError: Only some have them.
    """
    looked_for = [part for part in parts if part.is_sent] or parts
    for look in range(_LOOKS):
        seen = [_seen(part, is_loaded=bool(look or failure)) for part in looked_for]
        found = {each.part.identifier: each.found for each in seen if each.found is not None}
        if any(each.state == _UNTRACEABLE for each in seen):
            raise _PartlyError from failure
        if not found:
            return None
        if len(found) == len(seen):
            return [found.get(part.identifier) or _finished(part, part.base) for part in parts]
        sleep(_PAUSE * 2**look)
    raise _PartlyError from failure


def _seen(part: CommitPart, *, is_loaded: bool) -> _Seen:
    """Looks at a table: as it is now, or at the base of the next attempt."""
    current, state = part.base, "not committed"
    if is_loaded or (current is None and part.progress.unknown):
        try:
            current = part.progress.table_operations.load(None)
        except NoSuchTableError:
            current, state = None, _GONE
        except FloebergError as failure:
            current, state = None, f"unknown: it cannot be loaded: {failure.message}"
    if current is None:
        return _Seen(part, None, None, state)
    found = part.progress.find(current) or _found_unkeyed(part, current)
    if found is not None:
        return _Seen(part, current, found, "committed")
    if part.progress.unknown:
        if not part.progress.is_traceable(current):
            state = _UNTRACEABLE
        elif not _is_recognized(part):
            state = "unknown: what it changes is not recognized in the table"
        elif not _is_superseded(part, current):
            state = "not committed so far"
    return _Seen(part, current, None, state)


def _is_superseded(part: CommitPart, current: OpenedTable) -> bool:
    last = part.progress.unknown[-1]
    return part.progress.table_operations.is_superseded(current, last.attempt, last.base)


def _is_recognized(part: CommitPart) -> bool:
    """Whether a commit is certainly found where the table has it.

    A server that makes the metadata leaves no trace of one without a snapshot, once others went on.
    """
    if part.starting is None or part.progress.table_operations.writes_metadata:
        return True
    return all(each.attempt.snapshot_id is not None for each in part.progress.unknown)


def _forget_superseded(part: CommitPart, current: OpenedTable) -> None:
    """Forgets attempts that can never take effect any more. One that is not recognized may be why they cannot."""
    if _is_recognized(part):
        part.progress.forget_superseded(current)


def _found_unkeyed(part: CommitPart, current: OpenedTable) -> Committed | None:
    """A commit without a snapshot, of which nothing is left to do."""
    if part.starting is None or not part.progress.unknown:
        return None
    last = part.progress.unknown[-1].attempt
    if last.snapshot_id is not None:
        return None
    with suppress(FloebergError):
        part.starting.check_same_table(current)
        if not part.progress.commit.attempt(current, None).changes:
            return part.progress.finished(last, current)
    return None


def _forget_refused(parts: Sequence[CommitPart]) -> None:
    """Forgets a request that a server refused, and that no table has, where it cannot take effect any more.

    Raises:
        TableAlreadyExistsError: A table that it creates is there.
    """
    seen = [_seen(part, is_loaded=True) for part in parts]
    if not any(each.is_dead for each in seen):
        return
    for part in parts:
        part.progress.unknown.pop()
        part.is_sent = bool(part.progress.unknown)
    for each in seen:
        if each.part.starting is None and each.current is not None:
            raise TableAlreadyExistsError(f"the table {each.part.name!r} already exists")


def _given_up(
    parts: Sequence[CommitPart], failure: FloebergError, done: int, sleep: Callable[[float], None]
) -> list[Committed]:
    """Ends a commit without another attempt. Files are removed where it is certain that it failed."""
    if any(part.progress.unknown for part in parts):
        try:
            if (found := _found(parts, sleep, failure)) is not None:
                return found
        except (_PartlyError, FloebergError):
            # Also where the key belongs to other operations.
            raise _unknown(parts, failure) from failure
        for part in parts:
            if part.progress.unknown and (current := _seen(part, is_loaded=True).current) is not None:
                _forget_superseded(part, current)
    if any(part.progress.unknown for part in parts):
        raise _unknown(parts, failure) from failure
    _abandon(parts)
    if isinstance(failure, CommitStateUnknownError):
        raise CommitConflictError(
            f"another writer committed first to one of the tables {_names(parts)}; gave up after {done} attempts",
            context=failure.context,
            retryable=True,
        ) from failure
    if isinstance(failure, CommitConflictError) and done > 1:
        raise CommitConflictError(
            f"{failure.message}; gave up after {done} attempts",
            context=failure.context,
            retryable=failure.retryable,
        ) from failure
    raise failure


def _unknown(parts: Sequence[CommitPart], cause: BaseException) -> CommitStateUnknownError:
    """The error that says what is known of each table."""
    states = {}
    for part in parts:
        try:
            state = _seen(part, is_loaded=True).state
        except FloebergError as failure:
            state = f"unknown: {failure.message}"
        states[f"table {part.name}"] = state
    why = f": {cause.message}" if isinstance(cause, FloebergError) else ""
    return CommitStateUnknownError(
        f"the outcome of a commit to the tables {_names(parts)} is unknown{why}", context=states
    )


def _abandon(parts: Sequence[CommitPart]) -> None:
    for part in parts:
        part.progress.abandon()


def _names(parts: Sequence[CommitPart]) -> str:
    return ", ".join(repr(part.name) for part in parts)

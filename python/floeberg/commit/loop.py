"""How does a commit become part of a table atomically?

Commits use optimistic concurrency. Rust makes an attempt: the files and the metadata of the commit on the current
table. The table operations of a catalog or a folder make it current. If another writer committed first, the commit is
retried on the newer metadata.

Each commit has a key, which is in the summaries of its snapshots. If the outcome of a commit is unknown, it is searched
for by that key, or by its metadata file, before anything is retried or removed.
"""

from __future__ import annotations

import itertools
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from floeberg.commit.attempts import (
    StoppedError,
    attempt_on,
    begin_commit,
    current_base,
    current_or_none,
    is_worth_a_retry,
    prepare_once,
)
from floeberg.commit.lock import commit_lock
from floeberg.commit.metrics_report import report_commit
from floeberg.commit.progress import Progress, UntraceableError
from floeberg.commit.retries import Retries, RetryBudget
from floeberg.errors import (
    AlreadyExistsError,
    CommitConflictError,
    CommitStateUnknownError,
    FloebergError,
    InvalidInputError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from floeberg import _native
    from floeberg.commit.attempts import Preparation
    from floeberg.commit.operations import OpenedTable, TableOperations
    from floeberg.commit.result import Committed

__all__ = ["commit"]


def commit(  # noqa: PLR0913 - all but the first are keywords
    table_operations: TableOperations,
    *,
    operations: Sequence[_native.Operation],
    starting: OpenedTable | None,
    snapshot_properties: Mapping[str, str] | None = None,
    branch: str = "main",
    idempotency_key: str | None = None,
    validate_from_snapshot_ids: Sequence[int | None] = (),
    files_are_new: bool = False,
    stage_only: bool = False,
    leaves_record: bool = False,
    report: Callable[[str, int, int, int], object] | None = None,
    report_whole: Callable[[Mapping[str, int]], object] | None = None,
    stopped: Callable[[], None] = lambda: None,
    check: Callable[[OpenedTable], None] = lambda _: None,
    prepare: Preparation | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Committed:
    """Commits operations to a table, atomically.

    Args:
        table_operations: The operations of the table's catalog or folder.
        operations: What to do, in order.
        starting: The table that the operations were made for; `None` where it is to be created.
        snapshot_properties: Entries to add to the summaries of the snapshots.
        branch: The branch of the snapshots.
        idempotency_key: The key of the commit. If a snapshot of the branch has it, nothing is done.
        validate_from_snapshot_ids: Snapshots of the branch that new rows were made from, if they are older than
            `starting`.
        files_are_new: Whether all added files were written for this commit, under new names. Other files are searched
            for in the table and in the storage.
        stage_only: Whether no branch names the new snapshot, until it is published.
        leaves_record: Whether there is a snapshot even if no row changes.
        report: Called now and then with the step of an attempt, its files, all files of the step, and its rows.
        report_whole: Called with the counts of an attempt, before it is handed to the catalog.
        stopped: Called where a report or Ctrl-C stopped the commit, and nothing was committed.
        check: Called with the table that an attempt is made on. What it raises ends the commit.
        prepare: Called with the commit, a table that an attempt is to be made on, and `report`, once for each table.
        sleep: Waits for some seconds.

    Returns:
        The commit, with the table after it.

    Raises:
        CommitConflictError: Another writer committed a conflicting change, or was faster at every attempt. Nothing was
            changed.
        CommitStateUnknownError: The outcome is unknown. No file was removed.
        AlreadyExistsError: The table has one of the files already. It must not be removed.
        InvalidInputError: The key belongs to other operations, or a file to another table.
        FloebergError: With any other error nothing was changed.
    """
    made = begin_commit(
        table_operations,
        operations=operations,
        starting=starting,
        snapshot_properties=snapshot_properties,
        branch=branch,
        idempotency_key=idempotency_key,
        validate_from_snapshot_ids=validate_from_snapshot_ids,
        files_are_new=files_are_new,
        stage_only=stage_only,
        leaves_record=leaves_record,
    )
    progress = Progress(table_operations, made)
    budget = RetryBudget.of(lambda: Retries.of({} if starting is None else starting.properties), sleep)
    stopped_by: BaseException | None = None
    began = time.monotonic()
    for done in itertools.count(1):
        try:
            if starting is not None and prepare is not None:
                # It may take long, and other commits of this process do not wait for it.
                prepare_once(progress, current_base(progress, starting), report, prepare)
            with commit_lock(None if starting is None else starting.metadata_location):
                found = _try_once(progress, starting, (report, report_whole), check, prepare)
            return _reported(table_operations, found, began, done)
        except StoppedError as stop:
            stopped_by = stop.cause
            break
        except UntraceableError:
            raise
        except FloebergError as failure:
            if starting is None or not is_worth_a_retry(failure) or not budget.allows_retry(failure):
                return _reported(table_operations, _given_up(progress, failure, done), began, done)
        budget.wait()
    if not progress.unknown:
        progress.abandon()
        stopped()
    # What the user's function raised is passed on as it is.
    raise stopped_by or AssertionError


def _reported(operations: TableOperations, found: Committed, began: float, attempts: int) -> Committed:
    report_commit(operations, found, time.monotonic() - began, attempts)
    return found


def _try_once(
    progress: Progress,
    starting: OpenedTable | None,
    reports: tuple[Callable[..., object] | None, Callable[..., object] | None],
    check: Callable[[OpenedTable], None],
    prepare: Preparation | None,
) -> Committed:
    base = None
    if starting is not None:
        base = current_base(progress, starting)
        # An earlier commit may have its key, and an attempt may have taken effect though its response was lost.
        if (found := progress.find(base)) is not None:
            return found
        if not progress.is_traceable(base):
            raise UntraceableError(base)
        progress.forget_superseded(base)
        check(base)
        if prepare is not None:
            prepare_once(progress, base, reports[0], prepare)
    attempt = attempt_on(progress, base, reports)
    progress.rebased += attempt.is_rebased
    if base is not None and not attempt.changes:
        return progress.finished(attempt, base)
    try:
        table = progress.table_operations.commit(base, attempt)
    except CommitStateUnknownError as failure:
        progress.remember(attempt, failure.context.get("metadata", ""), base)
        current = current_or_none(progress.table_operations)
        found = None if current is None else progress.find(current)
        if found is None:
            raise
        return found
    return progress.finished(attempt, table)


def _known_after_all(failure: CommitStateUnknownError, done: int) -> FloebergError:
    """The error of a commit whose outcome was unknown, and which the table shows not to be there."""
    cause = failure.__cause__
    if isinstance(cause, CommitConflictError | AlreadyExistsError):
        # Whoever was asked said what it is in this case.
        known: FloebergError = cause
    else:
        ends = ", and the commit was not retried" if done == 1 else ""
        known = CommitConflictError(
            f"another writer committed first{ends}", context=failure.context, retryable=done > 1
        )
    known.__cause__ = failure if cause is not known else None
    return known


def _given_up(progress: Progress, failure: FloebergError, done: int) -> Committed:
    """Ends a commit without another attempt. Its files are removed where it is certain that it failed."""
    if progress.unknown and (current := current_or_none(progress.table_operations)) is not None:
        with suppress(InvalidInputError):
            if (found := progress.find(current)) is not None:
                return found
        progress.forget_superseded(current)
    if progress.unknown:
        if isinstance(failure, CommitStateUnknownError):
            raise failure
        raise CommitStateUnknownError(
            f"an earlier attempt may still take effect, and the last one failed: {failure.message}",
            context=failure.context | {"metadata": progress.unknown[-1].metadata_location},
        ) from failure
    progress.abandon()
    if isinstance(failure, CommitStateUnknownError):
        failure = _known_after_all(failure, done)
    if isinstance(failure, CommitConflictError) and done > 1:
        raise CommitConflictError(
            f"{failure.message}; gave up after {done} attempts",
            context=failure.context,
            retryable=failure.retryable,
        ) from failure
    raise failure

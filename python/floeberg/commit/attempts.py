"""How is one attempt of a commit made, and what ends it before the catalog is asked?"""

from __future__ import annotations

import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias, cast

from floeberg import _native
from floeberg.errors import CommitConflictError, CommitStateUnknownError, FloebergError, NoSuchTableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from floeberg.commit.operations import OpenedTable, TableOperations
    from floeberg.commit.progress import Progress

__all__ = [
    "Preparation",
    "StoppedError",
    "attempt_on",
    "begin_commit",
    "current_base",
    "current_or_none",
    "is_worth_a_retry",
    "prepare_once",
]

Preparation: TypeAlias = (
    "Callable[[_native.Commit, OpenedTable, Callable[[str, int, int, int], object] | None], None]"
)
"""Does a part of an attempt elsewhere, before it is made."""


def begin_commit(  # noqa: PLR0913 - all but the first are keywords
    table_operations: TableOperations,
    *,
    operations: Sequence[_native.Operation],
    starting: OpenedTable | None,
    snapshot_properties: Mapping[str, str] | None,
    branch: str,
    idempotency_key: str | None,
    validate_from_snapshot_ids: Sequence[int | None],
    files_are_new: bool,
    stage_only: bool,
    leaves_record: bool,
) -> _native.Commit:
    """Begins a commit, whose arguments are those of `loop.commit`. Nothing is written.

    Raises:
        InvalidInputError: The operations exclude each other.
    """
    return _native.Commit.begin(
        list(operations),
        starting=starting,
        storage_options=dict(table_operations.storage_options),
        snapshot_properties=dict(snapshot_properties or {}),
        branch=branch,
        commit_key=idempotency_key if idempotency_key is not None else str(uuid.uuid4()),
        validate_from_snapshot_ids=list(validate_from_snapshot_ids),
        files_are_new=files_are_new,
        stage_only=stage_only,
        leaves_record=leaves_record,
    )


def same_table(current: OpenedTable, starting: OpenedTable) -> OpenedTable:
    """The current table. Raises where it is another table now."""
    try:
        starting.check_same_table(current)
    except NoSuchTableError as error:
        raise CommitConflictError(f"{error.message}: open it again", context=error.context) from error
    return current


class StoppedError(Exception):
    """The user stopped an attempt, before it was handed to the catalog."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(cause)
        self.cause = cause


@contextmanager
def stoppable() -> Iterator[Callable[[Callable[..., object] | None], Callable[..., object] | None]]:
    """A block in which functions of the user may stop an attempt, and Ctrl-C may: what is raised then is passed on.

    It is given a function that wraps those of the user: what these raise may be an error of ours.
    """
    own: list[BaseException] = []

    def noting(report: Callable[..., object] | None) -> Callable[..., object] | None:
        def called(*what: object) -> None:
            try:
                cast("Callable[..., object]", report)(*what)
            except BaseException as raised:
                own.append(raised)
                raise

        return None if report is None else called

    try:
        yield noting
    except BaseException as raised:
        if isinstance(raised, FloebergError) and raised not in own:
            raise
        raise StoppedError(raised) from raised


def current_base(progress: Progress, starting: OpenedTable) -> OpenedTable:
    """The current table, which the next attempt is made on."""
    progress.base = same_table(progress.table_operations.load_base(progress.base or starting), starting)
    return progress.base


def prepare_once(
    progress: Progress,
    base: OpenedTable,
    report: Callable[..., object] | None,
    prepare: Preparation,
) -> None:
    """Prepares an attempt on a base, unless it was prepared."""
    if progress.prepared != base.metadata_location:
        with stoppable() as noting:
            prepare(progress.commit, base, noting(report))
        progress.prepared = base.metadata_location


def attempt_on(
    progress: Progress,
    base: OpenedTable | None,
    reports: tuple[Callable[..., object] | None, Callable[..., object] | None],
) -> _native.Attempt:
    """Makes an attempt. Raises `StoppedError` where a report or Ctrl-C stopped it."""
    with stoppable() as noting:
        report, report_whole = map(noting, reports)
        attempt = progress.commit.attempt(base, report)
        if report_whole is not None:
            report_whole(attempt.counts)
        return attempt


def current_or_none(table_operations: TableOperations) -> OpenedTable | None:
    """The current table; `None` where it cannot be loaded."""
    try:
        return table_operations.load(None)
    except FloebergError:
        return None


def is_worth_a_retry(failure: FloebergError) -> bool:
    """Whether another attempt may succeed, or find out what became of this one."""
    return failure.retryable or isinstance(failure, CommitStateUnknownError)

"""How does a commit become part of a table, or not, and nothing in between?

Rust makes an attempt: the files and the metadata of a commit on the metadata that is current. Here it is handed to what
keeps the table, a catalog or a folder, and tried again on newer metadata where another writer was faster.

Each commit has a key, which its snapshots keep in their summaries. Where it is not known whether a commit took effect,
it is looked for by that key, or by its own metadata file, before anything is tried again or removed.
"""

from __future__ import annotations

import itertools
import random
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from floeberg import _native
from floeberg._turns import turn
from floeberg.errors import (
    AlreadyExistsError,
    CommitConflictError,
    CommitStateUnknownError,
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    NoSuchTableError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "Attempt",
    "CommitResult",
    "Committed",
    "Home",
    "Retries",
    "commit",
    "is_of",
    "write_metadata_file",
]


class Attempt(Protocol):
    """What a commit makes of a table, on one metadata file as its base.

    `requirements_json` and `updates_json` are in the words of the REST catalog specification; `metadata_json` is the
    metadata that they lead to.
    """

    @property
    def changes(self) -> bool:
        """Whether anything changes at all."""
        ...

    @property
    def snapshot_id(self) -> int | None:
        """The last snapshot that it adds."""
        ...

    @property
    def metadata_json(self) -> str:
        """The whole of the new metadata."""
        ...

    @property
    def requirements_json(self) -> str:
        """What must be true of the table."""
        ...

    @property
    def updates_json(self) -> str:
        """What changes."""
        ...

    @property
    def metadata_folder(self) -> str:
        """Where the new metadata says that metadata files go."""
        ...

    def write_metadata(self, location: str, *, if_absent: bool) -> None:
        """Writes the new metadata durably, gzip where the name says so."""
        ...

    def table(self, metadata_location: str) -> _native.Table:
        """The table with the new metadata, which is at that location."""
        ...


class Home(Protocol):
    """What keeps a table, and where: a catalog and an identifier, or a folder."""

    @property
    def storage_options(self) -> dict[str, str]:
        """The options that the table's files are reached by."""
        ...

    def check(self) -> None:
        """Can the table be written here at all? Raises `UnsupportedError`."""
        ...

    def load(self, known: _native.Table | None) -> _native.Table:
        """The table as it is now, the known one where that is current. Raises `NoSuchTableError`."""
        ...

    def commit(self, base: _native.Table | None, attempt: Attempt) -> str:
        """Makes an attempt the table's current metadata if `base` still is; `None` is that there is no table.

        Returns:
            The location of the metadata file.

        Raises:
            CommitConflictError: The base is no longer current. Nothing was changed.
            CommitStateUnknownError: It is not known. The context has the metadata file as `metadata`.
            FloebergError: Any other says that nothing was changed.
        """
        ...

    def holds(self, current: _native.Table, attempt: Attempt, location: str) -> bool:
        """Is the attempt, which was to be at that location, the current metadata or part of its history?"""
        ...


@dataclass(frozen=True)
class Retries:
    """How often, and after which waits, a commit is tried again: the table's properties `commit.retry.*`.

    Args:
        number: How often after the first time.
        least_wait: Seconds before the first retry; twice as long before each further one.
        most_wait: Seconds that a wait has at most.
        total: Seconds after which nothing is tried again.
    """

    number: int = 4
    least_wait: float = 0.1
    most_wait: float = 60.0
    total: float = 1800.0

    @classmethod
    def of(cls, properties: Mapping[str, str]) -> Retries:
        """Those of a table.

        Raises:
            InvalidDataError: A property is no number.
        """

        def number(key: str, otherwise: int) -> int:
            text = properties.get(key, str(otherwise))
            try:
                return max(int(text), 0)
            except ValueError:
                raise InvalidDataError(f"the table's property {key!r} is {text!r}, not a number") from None

        return cls(
            number("commit.retry.num-retries", 4),
            number("commit.retry.min-wait-ms", 100) / 1000,
            number("commit.retry.max-wait-ms", 60_000) / 1000,
            number("commit.retry.total-timeout-ms", 1_800_000) / 1000,
        )

    def wait(self, done: int) -> float:
        """Seconds to wait after so many tries.

        Writers that met once are not to meet again: each waits for a random part of the time.
        """
        longest = min(self.least_wait * 2.0 ** min(done - 1, 62), self.most_wait)
        return random.uniform(longest / 2, longest)  # noqa: S311 - no secret


@dataclass(frozen=True)
class CommitResult:
    """What a commit did, or that it was done before.

    Args:
        snapshot_id: The snapshot that has it, the last one of several; `None` where no rows changed.
        operation: What the snapshot says of itself: `append`, `overwrite`, `delete` or `replace`.
        already_committed: Whether an earlier commit with the same idempotency key did it. Nothing was done now.
        added_files: The data files that were added.
        added_rows: The rows in them.
        added_bytes: The bytes of them.
        seconds: How long it took, from the first operation to the end of the commit.

    Examples:
        >>> first = orders.append(pa.table({"id": [1]}), idempotency_key="job-9")
        >>> again = orders.append(pa.table({"id": [1]}), idempotency_key="job-9")
        >>> first.operation, first.already_committed, again.already_committed
        ('append', False, True)
        >>> first.added_files, first.added_rows, again.added_rows
        (1, 1, 0)
        >>> again.snapshot_id == first.snapshot_id
        True
    """

    snapshot_id: int | None
    operation: str | None
    already_committed: bool
    added_files: int = field(default=0, compare=False)
    added_rows: int = field(default=0, compare=False)
    added_bytes: int = field(default=0, compare=False)
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True)
class Committed:
    """A commit that is part of a table.

    Args:
        table: The table with it.
        here: Whether it was made here. Else another commit with the same key was there before.
        snapshot_id: Its last snapshot.
    """

    table: _native.Table
    here: bool
    snapshot_id: int | None

    @property
    def result(self) -> CommitResult:
        """What the user gets of it."""
        operation = None if self.snapshot_id is None else self.table.operation_of(self.snapshot_id)
        return CommitResult(self.snapshot_id, operation, already_committed=not self.here)


@dataclass(frozen=True)
class _Doubt:
    """An attempt of unknown outcome, where its metadata was to be, and the metadata file that it was based on."""

    attempt: _native.Attempt
    location: str
    base: str | None


@dataclass
class _Progress:
    """What is known of the attempts so far."""

    home: Home
    commit: _native.Commit
    doubts: list[_Doubt] = field(default_factory=list)
    base: _native.Table | None = None
    """The last one that was loaded."""

    def find(self, current: _native.Table) -> Committed | None:
        """The commit, where it is part of the table.

        Raises:
            InvalidInputError: Its key belongs to other operations.
        """
        own = self.commit.find_own(current)
        for doubt in self.doubts:
            is_it = own is not None and doubt.attempt.snapshot_id == own
            if is_it or self.home.holds(current, doubt.attempt, doubt.location):
                return self.finished(doubt.attempt, current)
        if own is not None:
            return Committed(current, here=True, snapshot_id=own)
        earlier = self.commit.find_earlier(current)
        if earlier is None:
            return None
        # Everything that was written here is of no use.
        self.abandon()
        return Committed(current, here=False, snapshot_id=earlier)

    def doubt(self, attempt: _native.Attempt, location: str, base: _native.Table | None) -> None:
        """Remembers an attempt whose outcome is not known."""
        self.doubts.append(_Doubt(attempt, location, None if base is None else base.metadata_location))

    def finished(self, attempt: _native.Attempt, table: _native.Table) -> Committed:
        """Removes what other attempts left. What cannot be removed harms nobody."""
        with suppress(FloebergError):
            self.commit.finished(attempt)
        return Committed(table, here=True, snapshot_id=attempt.snapshot_id)

    def abandon(self) -> None:
        """Removes what all attempts left."""
        with suppress(FloebergError):
            self.commit.abandon()

    def settle(self, current: _native.Table) -> None:
        """Forgets what can take effect no more: its base is not current."""
        self.doubts = [doubt for doubt in self.doubts if doubt.base == current.metadata_location]


def commit(  # noqa: PLR0913 - all but the first are keywords
    home: Home,
    *,
    operations: Sequence[_native.Operation],
    starting: _native.Table | None,
    snapshot_properties: Mapping[str, str] | None = None,
    branch: str = "main",
    idempotency_key: str | None = None,
    made_from: Sequence[int | None] = (),
    files_are_new: bool = False,
    sleep: Callable[[float], None] = time.sleep,
) -> Committed:
    """Makes operations part of a table, all of them or none.

    Args:
        home: What keeps the table.
        operations: What to do, in order.
        starting: The table that the operations were made for; `None` where it is to be created.
        snapshot_properties: What the summaries of the snapshots say beside what they must.
        branch: The branch that snapshots go to.
        idempotency_key: The key of the commit. Where a snapshot of the branch has it, all is done already.
        made_from: The snapshots of the branch that new rows were made from, where that was before `starting`.
        files_are_new: Whether all files that come were written for this commit, under names that nobody else has.
            Others are looked for, in the table and where they are.
        sleep: What waits.

    Returns:
        The table with the operations done.

    Raises:
        CommitConflictError: Another writer did what these operations cannot stand beside, or was faster each time.
            Nothing was changed.
        CommitStateUnknownError: Whether it took effect is not known. Nothing was removed.
        AlreadyExistsError: A file that comes is in the table already. It must not be removed.
        InvalidInputError: The key belongs to other operations, or a file to another table.
        FloebergError: Any other says that nothing was changed.
    """
    made = _native.Commit.begin(
        list(operations),
        starting=starting,
        storage_options=home.storage_options,
        snapshot_properties=dict(snapshot_properties or {}),
        branch=branch,
        commit_key=idempotency_key if idempotency_key is not None else str(uuid.uuid4()),
        made_from=list(made_from),
        files_are_new=files_are_new,
    )
    progress = _Progress(home, made)
    began = time.monotonic()
    for done in itertools.count(1):
        try:
            with turn(None if starting is None else starting.metadata_location):
                return _try_once(progress, starting)
        except FloebergError as failure:
            if starting is None or not _is_worth_a_retry(failure):
                return _given_up(progress, failure, done)
            try:
                # Not before: properties that cannot be followed are mended by a commit too.
                retries = Retries.of(starting.properties)
            except InvalidDataError as error:
                failure.add_note(f"it was not tried again: {error}")
                return _given_up(progress, failure, done)
            wait = retries.wait(done)
            if done > retries.number or time.monotonic() + wait > began + retries.total:
                return _given_up(progress, failure, done)
        sleep(wait)
    raise AssertionError  # The loop has no end.


def _same(current: _native.Table, starting: _native.Table) -> _native.Table:
    """The table as it is now, if it is still the same one."""
    try:
        starting.check_same_table(current)
    except NoSuchTableError as error:
        raise CommitConflictError(f"{error.message}: open it again", context=error.context) from error
    return current


def _try_once(progress: _Progress, starting: _native.Table | None) -> Committed:
    base = None
    if starting is not None:
        base = progress.base = _same(progress.home.load(progress.base or starting), starting)
        # A commit with its key may be there from before, and an attempt may have taken effect without an answer.
        if (found := progress.find(base)) is not None:
            return found
        progress.settle(base)
    attempt = progress.commit.attempt(base)
    if base is not None and not attempt.changes:
        return progress.finished(attempt, base)
    try:
        location = progress.home.commit(base, attempt)
    except CommitStateUnknownError as failure:
        progress.doubt(attempt, failure.context.get("metadata", ""), base)
        current = _current(progress.home)
        found = None if current is None else progress.find(current)
        if found is None:
            raise
        return found
    try:
        table = attempt.table(location)
    except FloebergError as failure:
        # It is part of the table, which is looked at again.
        progress.doubt(attempt, location, base)
        raise _unknown(location, failure) from failure
    return progress.finished(attempt, table)


def _current(home: Home) -> _native.Table | None:
    """The table as it is now, where that can be known."""
    try:
        return home.load(None)
    except FloebergError:
        return None


def _is_worth_a_retry(failure: FloebergError) -> bool:
    return failure.retryable or isinstance(failure, CommitStateUnknownError)


def _given_up(progress: _Progress, failure: FloebergError, done: int) -> Committed:
    """The end of a commit that is not tried again. Its files are removed where it is known to have failed."""
    if progress.doubts and (current := _current(progress.home)) is not None:
        with suppress(InvalidInputError):
            if (found := progress.find(current)) is not None:
                return found
        progress.settle(current)
    if progress.doubts:
        if isinstance(failure, CommitStateUnknownError):
            raise failure
        raise CommitStateUnknownError(
            f"an earlier attempt may yet take effect, and the last one failed: {failure.message}",
            context=failure.context | {"metadata": progress.doubts[-1].location},
        ) from failure
    progress.abandon()
    if isinstance(failure, CommitStateUnknownError):
        raise CommitConflictError(
            "another writer was faster, and the commit was not tried again", context=failure.context
        ) from failure
    if isinstance(failure, CommitConflictError) and done > 1:
        raise CommitConflictError(
            f"{failure.message}; tried {done} times", context=failure.context, retryable=failure.retryable
        ) from failure
    raise failure


def write_metadata_file(attempt: Attempt, location: str, storage_options: dict[str, str]) -> bool:
    """Writes the metadata of an attempt where there is no file yet.

    Returns:
        Whether it is there now; `False` where a file of another is.

    Raises:
        CommitStateUnknownError: It is not known.
        FloebergError: Any other says that it is not there.
    """
    try:
        attempt.write_metadata(location, if_absent=True)
    except FloebergError as failure:
        # A store may have lost its answer to a first request, and found its own file at a second one.
        if not (failure.unsettled or isinstance(failure, AlreadyExistsError)):
            raise
        try:
            found = is_of(attempt, location, storage_options)
        except NoSuchTableError:
            found = None
        except FloebergError:
            raise _unknown(location, failure) from failure
        if found is None:
            # It may yet come.
            raise _unknown(location, failure) from failure
        return found
    return True


def is_of(attempt: Attempt, location: str, storage_options: dict[str, str]) -> bool:
    """Does a metadata file say what an attempt says? Raises `NoSuchTableError`."""
    written = _native.Table.open_metadata(location, storage_options=storage_options)
    return written.metadata_json() == attempt.table(location).metadata_json()


def _unknown(location: str, failure: FloebergError) -> CommitStateUnknownError:
    return CommitStateUnknownError(
        f"whether the metadata file became part of the table is not known: {failure.message}",
        context={"metadata": location} | failure.context,
    )

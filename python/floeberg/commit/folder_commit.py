"""How do attempts of several tables in folders become current at once?

1. The new metadata of each table is staged, in a file that nobody looks for.
2. The next version of each table is reserved: a metadata file that changes nothing, and that one writer can write.
3. The decision is written, if nobody decided: one file. From here on the commit is made, and is never undone.
4. The staged metadata of each table becomes the version after the reserved one. Whoever comes next does it too.

Before the third step, the end of a commit gives the versions back: by a further one that changes nothing.
Invariant: between its reservation and the decision, no other writer of Floeberg commits to a table.
"""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.commit.journal import ABORTED, Decision, JournalPart, Put, decide
from floeberg.commit.metadata_file import remove_old_metadata
from floeberg.commit.operations import table_from_metadata
from floeberg.commit.reservation import Reservation, created_text, empty_text, reserved_text
from floeberg.commit.roll_forward import (
    PartState,
    apply_part,
    close,
    is_reserved,
    put_metadata,
    remove_quietly,
)
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    FloebergError,
    NotFoundError,
    PartialCommitError,
    StorageError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from floeberg.commit.filesystem import FileSystemTableOperations
    from floeberg.commit.operations import OpenedTable
    from floeberg.commit.several import TableCommit

__all__ = ["commit_folders"]


@dataclass(frozen=True)
class _Part:
    """One table's part of the commit.

    Args:
        commit: Its attempt. The base is the version to reserve, which nobody wrote yet.
        table: The operations of the table.
        journal: Its files.
        text: Its new metadata.
    """

    commit: TableCommit
    table: FileSystemTableOperations
    journal: JournalPart
    text: str

    @property
    def creates(self) -> bool:
        """Whether the commit creates the table."""
        return self.commit.base is None

    def reserved_text(self, decision: str, tables: int) -> str:
        """The content of the reserved version."""
        base = self.commit.base
        text = empty_text(self.commit.attempt.metadata_json) if base is None else base.metadata_json()
        version = self.table.version_of(self.journal.reserved)
        reservation = Reservation(decision, version, self.journal.staged, self.creates, tables)
        return reserved_text(text, reservation)

    def conflict(self, why: str) -> CommitConflictError:
        """The error for a version that others made."""
        return CommitConflictError(
            f"{why} of the table {self.journal.table!r}", context={"path": self.table.folder}, retryable=True
        )


def commit_folders(
    commits: Sequence[TableCommit],
    tables: Sequence[FileSystemTableOperations],
    decision: str,
    options: Mapping[str, str],
) -> list[OpenedTable]:
    """Makes attempts of several tables current at once: all, or none. The rules are those of `Catalog.do_commit_all`.

    Args:
        commits: The attempts. Each base is what `part_base` of the table made.
        tables: The operations of the tables.
        decision: The file that decides about the commit.
        options: The storage options.

    Raises:
        PartialCommitError: It was decided, and another engine wrote the next version of a table first.
    """
    parts = [_planned(one, table) for one, table in zip(commits, tables, strict=True)]
    # Two writers reserve in the same order. A table that a commit creates comes last, since others may see it empty.
    ordered = sorted(parts, key=lambda each: (each.creates, each.table.folder))
    reserved: list[_Part] = []
    try:
        for part in ordered:
            _native.put_file(part.journal.staged, part.text.encode(), storage_options=dict(options))
        for part in ordered:
            reserved.append(part)
            _reserve(part, part.reserved_text(decision, len(parts)), options)
        _check(ordered, options)
    except BaseException:
        _give_back(ordered, reserved, decision, options)
        raise
    return _decided(parts, ordered, decision, options)


def _planned(commit: TableCommit, table: FileSystemTableOperations) -> _Part:
    table.check(commit.base, commit.attempt)
    if commit.base is None:
        reserved = table.new_location(commit.attempt)
        final = table.next_to(reserved)
        text = created_text(commit.attempt.metadata_json, reserved)
    else:
        reserved = commit.base.metadata_location
        final = table.next_location(commit.base, commit.attempt)
        text = commit.attempt.metadata_json
    staged = f"{reserved.rpartition('/')[0]}/floeberg-staged-{uuid.uuid4()}.json"
    commit.metadata_location = final
    return _Part(commit, table, JournalPart(".".join(commit.identifier), reserved, staged, final), text)


def _reserve(part: _Part, text: str, options: Mapping[str, str]) -> None:
    """Reserves the next version of a table. Raises `CommitConflictError` where another writer has it."""
    location, base = part.journal.reserved, part.commit.base
    if part.table.is_there_as_other(location):
        raise part.conflict(f"another writer made version {part.table.version_of(location)}")
    try:
        put = put_metadata(location, text, options)
    except CommitStateUnknownError as failure:
        # Without a decision it has no effect, even where it was written.
        raise StorageError(failure.message, context=failure.context, retryable=True) from failure
    if put is Put.OTHER:
        raise part.conflict(f"another writer made version {part.table.version_of(location)}")
    before = part.commit.before
    if base is not None and before is not None and not part.table.stands(base, before.metadata_location):
        raise part.conflict("another writer dropped, or moved on from, the last version")


def _check(parts: Sequence[_Part], options: Mapping[str, str]) -> None:
    """Raises where a table certainly cannot follow a decision for the commit."""
    for part in parts:
        if _native.file_exists(part.journal.final, storage_options=dict(options)):
            raise part.conflict("another engine wrote the next version")
        if part.creates:
            try:
                part.commit.attempt.check_files(part.journal.reserved)
            except NotFoundError as error:
                raise CommitConflictError(
                    "another writer created and dropped the table meanwhile, and files of this commit went with it: "
                    "write the rows again",
                    context={"path": part.table.folder} | error.context,
                ) from error


def _decided(
    parts: Sequence[_Part], ordered: Sequence[_Part], location: str, options: Mapping[str, str]
) -> list[OpenedTable]:
    """Decides for the commit, and makes it visible."""
    wanted = Decision(is_commit=True, parts=tuple(each.journal for each in ordered))
    try:
        decision = decide(location, wanted, options)
    except CommitStateUnknownError:
        raise
    except FloebergError:
        _give_back(ordered, ordered, location, options)
        raise
    if not decision.is_commit:
        _give_back(ordered, ordered, location, options)
        raise CommitConflictError(
            "another writer waited too long for the decision about the commit, and decided against it",
            context={"path": location},
            retryable=True,
        )
    states = {}
    for part in ordered:
        try:
            states[part.journal] = apply_part(part.journal, part.text, location, options)
        except FloebergError as failure:  # noqa: PERF203 - once a table
            raise CommitStateUnknownError(
                f"the commit was decided, and is not visible in all tables yet: {failure.message}",
                context={"decision": location} | failure.context,
            ) from failure
    close(location, states, options)
    if PartState.OVERTAKEN in states.values():
        raise PartialCommitError(
            "the commit of several tables was decided, and another engine wrote the next version of a table before",
            context={f"table {part.table}": state.value for part, state in states.items()}
            | {"decision": location},
        )
    return [_made(part, options) for part in parts]


def _made(part: _Part, options: Mapping[str, str]) -> OpenedTable:
    base, final = part.commit.base, part.journal.final
    if base is not None:
        remove_old_metadata(base, part.commit.attempt, final, options, before=part.commit.before)
        return part.commit.attempt.table(final)
    return table_from_metadata(part.text, final, storage_options=options)


def _give_back(
    parts: Sequence[_Part], reserved: Sequence[_Part], decision: str, options: Mapping[str, str]
) -> None:
    """Gives the reserved versions back. What cannot be given back is decided against."""
    given = [_is_given_back(part, decision, options) for part in reserved]
    remove_quietly([part.journal.staged for part in parts], options)
    if all(given):
        # Another writer may have decided against the commit, while it waited.
        remove_quietly([decision], options)
    else:
        with suppress(FloebergError):
            decide(decision, ABORTED, options)


def _is_given_back(part: _Part, decision: str, options: Mapping[str, str]) -> bool:
    """Gives a version back, unless another writer has it. Returns whether nobody needs the decision for it."""
    base = part.commit.base
    try:
        if not is_reserved(part.journal.reserved, decision, options):
            return True
        if base is None:
            _native.remove_files([part.journal.reserved], storage_options=dict(options))
        else:
            after = part.table.part_base(base)
            put_metadata(after.metadata_location, after.metadata_json(), options)
    except FloebergError:
        return False
    return True

"""What decides about a commit to several tables in folders?

One file in the warehouse, which is written only if it does not exist. It says that the commit is made, and what is left
to do for each table; or that it is given up. So a writer that commits and one that gives it up for the other want the
same name: the first one decides, and the other one obeys. No clock decides.

The file is beside the folders of namespaces, where nobody looks for tables.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import asdict, dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from floeberg import _native
from floeberg.errors import (
    AlreadyExistsError,
    CommitStateUnknownError,
    FloebergError,
    InvalidDataError,
    NotFoundError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "ABORTED",
    "Decision",
    "JournalPart",
    "Put",
    "bytes_at",
    "decide",
    "new_decision_location",
    "put_new",
    "read_decision",
]

_NAME: Final = "_floeberg-transaction-"


@dataclass(frozen=True)
class JournalPart:
    """What a decided commit has to do for one table.

    Args:
        table: The name of the table, for errors.
        reserved: The metadata file that reserves its version.
        staged: The file with its new metadata.
        final: The metadata file that gets this content.
    """

    table: str
    reserved: str
    staged: str
    final: str


@dataclass(frozen=True)
class Decision:
    """What was decided about a commit.

    Args:
        is_commit: Whether it is made. Otherwise it is given up.
        parts: What there is to do for each table.
    """

    is_commit: bool
    parts: tuple[JournalPart, ...] = ()

    def to_bytes(self) -> bytes:
        """The content of its file."""
        said = {
            "decision": "commit" if self.is_commit else "abort",
            "parts": [asdict(each) for each in self.parts],
        }
        return json.dumps(said, indent=1).encode()


ABORTED: Final = Decision(is_commit=False)
"""The decision that a commit is given up."""


def new_decision_location(warehouse: str) -> str:
    """The name of a file that decides about a new commit."""
    return f"{warehouse.rstrip('/')}/{_NAME}{uuid.uuid4()}.json"


def read_decision(location: str, options: Mapping[str, str]) -> Decision | None:
    """What was decided; `None` where nothing was.

    Raises:
        InvalidDataError: The file is damaged.
    """
    content = bytes_at(location, options)
    if content is None:
        return None
    try:
        said = json.loads(content)
        is_commit = {"commit": True, "abort": False}[said["decision"]]
        return Decision(is_commit, tuple(JournalPart(**each) for each in said["parts"]))
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidDataError(
            "the decision about a commit of several tables is damaged: expected a decision 'commit' or 'abort' and its "
            "parts, as JSON",
            context={"path": location},
        ) from error


def decide(location: str, wanted: Decision, options: Mapping[str, str]) -> Decision:
    """Decides about a commit, unless somebody did.

    Returns:
        What is decided now.

    Raises:
        CommitStateUnknownError: It is not known what is decided.
        FloebergError: With any other error this call decided nothing.
    """
    try:
        is_decided = _is_decided(location, wanted, options)
    except CommitStateUnknownError:
        # A decision against it, once it is there, keeps out a request that is still under way.
        wanted = ABORTED
        try:
            is_decided = _is_decided(location, wanted, options)
        except FloebergError as failure:
            raise _unknown(location, failure) from failure
    if is_decided:
        return wanted
    found = read_decision(location, options)
    if found is None:
        raise CommitStateUnknownError(
            "another writer decided about the commit, and removed the decision", context={"path": location}
        )
    return found


def _is_decided(location: str, wanted: Decision, options: Mapping[str, str]) -> bool:
    content = wanted.to_bytes()

    def is_same() -> bool | None:
        there = bytes_at(location, options)
        return None if there is None else there == content

    return put_new(location, content, options, is_same) is not Put.OTHER


class Put(Enum):
    """What became of a file that is written only if none is there."""

    MADE = "made"
    SAME = "one of the same content was there"
    OTHER = "another one was there"


def put_new(
    location: str, content: bytes, options: Mapping[str, str], is_same: Callable[[], bool | None]
) -> Put:
    """Writes a file, if none is there.

    Args:
        location: The file.
        content: Its content.
        options: The storage options.
        is_same: Whether the file that is there has the same content; `None` where there is none.

    Raises:
        CommitStateUnknownError: It may have been written, or may yet be.
        FloebergError: With any other error it was not written.
    """
    try:
        _native.put_file_if_absent(location, content, storage_options=dict(options))
    except FloebergError as failure:
        # A store may have lost its answer to a first request, and found its own file at a second one.
        if not (failure.outcome_unknown or isinstance(failure, AlreadyExistsError)):
            raise
        try:
            found = is_same()
        except FloebergError:
            raise _unknown(location, failure) from failure
        if found is None:
            # It may yet come, or somebody removed it.
            raise _unknown(location, failure) from failure
        return Put.SAME if found else Put.OTHER
    return Put.MADE


def bytes_at(location: str, options: Mapping[str, str]) -> bytes | None:
    """The content of a file; `None` where there is no file."""
    try:
        return _native.read_file(location, storage_options=dict(options))
    except NotFoundError:
        return None


def _unknown(location: str, failure: FloebergError) -> CommitStateUnknownError:
    return CommitStateUnknownError(
        f"whether the file was written is not known: {failure.message}",
        context={"path": location} | failure.context,
    )

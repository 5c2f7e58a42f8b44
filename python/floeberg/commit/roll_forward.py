"""How does a decided commit of several tables become visible, whoever comes next?

In: what was decided. Out: the next version of each table, with its staged metadata. Each step can be repeated, by
several processes at once, and after any of them was killed.

Invariant: a part is written only above the version that its commit reserved, and only where nobody wrote that version.
"""

from __future__ import annotations

import gzip
import logging
import re
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Final

from floeberg import _native
from floeberg._secrets import without_secrets
from floeberg.commit.journal import Put, bytes_at, put_new
from floeberg.commit.metadata_file import GZIP_SUFFIXES, SUFFIXES
from floeberg.commit.operations import open_metadata, table_from_metadata
from floeberg.commit.reservation import reservation_in
from floeberg.errors import FloebergError, NoSuchTableError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from floeberg.commit.journal import Decision, JournalPart

__all__ = [
    "PartState",
    "apply_part",
    "close",
    "is_reserved",
    "put_metadata",
    "remove_quietly",
    "roll_forward",
]

_LOG = logging.getLogger("floeberg.commit")
_VERSION: Final = re.compile(r"/v([0-9]+)(\.[a-z.]+)$")
_HINT: Final = "version-hint.text"


class PartState(Enum):
    """What became of one table's part of a decided commit."""

    COMMITTED = "committed"
    GONE = "committed, and dropped or changed by others since"
    OVERTAKEN = "not committed: another engine wrote its version first"
    LEFT = "decided, and not written yet"


def roll_forward(
    location: str, decision: Decision, options: Mapping[str, str]
) -> dict[JournalPart, PartState]:
    """Writes what a decided commit has to do, and removes the decision where all of it is done.

    What a store refuses is left to whoever comes next.

    Args:
        location: The file with the decision.
        decision: What it says.
        options: The storage options.
    """
    states = {}
    for part in decision.parts:
        states[part] = PartState.LEFT
        with suppress(FloebergError):
            states[part] = _apply_staged(part, location, options)
    close(location, states, options)
    return states


def close(location: str, states: Mapping[JournalPart, PartState], options: Mapping[str, str]) -> None:
    """Ends a commit whose parts are all written. A decision that some table cannot follow stays, and is logged."""
    if PartState.LEFT in states.values():
        return
    overtaken = [part for part, state in states.items() if state is PartState.OVERTAKEN]
    if overtaken:
        _LOG.warning(
            "a commit of several tables was decided, and cannot be made in %s: another engine wrote their next version "
            "first. Of the others it is made: %s. The decision is kept in %s",
            ", ".join(part.table for part in overtaken),
            ", ".join(part.table for part in states if part not in overtaken) or "none",
            without_secrets(location),
        )
    else:
        # Nobody needs it any more: no table has a reservation as its current version.
        remove_quietly([location], options)
    remove_quietly([part.staged for part in states if part not in overtaken], options)


def apply_part(part: JournalPart, text: str, decision: str, options: Mapping[str, str]) -> PartState:
    """Writes the next version of one table.

    Args:
        part: What there is to do.
        text: The new metadata.
        decision: The file with the decision.
        options: The storage options.

    Raises:
        CommitStateUnknownError: It may have been written, or may yet be.
        FloebergError: With any other error it was not written.
    """
    if not is_reserved(part.reserved, decision, options):
        return PartState.GONE
    if _is_there_as_other(part.final, options):
        return PartState.OVERTAKEN
    put = put_metadata(part.final, text, options)
    if put is Put.OTHER:
        return PartState.OVERTAKEN
    if put is Put.SAME:
        return PartState.COMMITTED
    if not _native.file_exists(part.reserved, storage_options=dict(options)):
        # The table was dropped meanwhile, or others committed to it and removed old versions.
        _native.remove_files([part.final], storage_options=dict(options))
        return PartState.GONE
    with suppress(FloebergError):
        _write_hint(part.final, options)
    return PartState.COMMITTED


def _apply_staged(part: JournalPart, decision: str, options: Mapping[str, str]) -> PartState:
    content = bytes_at(part.staged, options)
    if content is None:
        # Somebody wrote it, and removed what was staged.
        if _native.file_exists(part.final, storage_options=dict(options)):
            return PartState.COMMITTED
        return PartState.LEFT if is_reserved(part.reserved, decision, options) else PartState.GONE
    return apply_part(part, content.decode(), decision, options)


def put_metadata(location: str, text: str, options: Mapping[str, str]) -> Put:
    """Writes a metadata file, if none is there. Names with `.gz` are compressed. Raises as `put_new`."""
    content = text.encode()
    if location.endswith(GZIP_SUFFIXES):
        content = gzip.compress(content, mtime=0)

    def is_same() -> bool | None:
        try:
            there = open_metadata(location, storage_options=options)
        except NoSuchTableError:
            return None
        wanted = table_from_metadata(text, location, storage_options=options)
        return there.metadata_json() == wanted.metadata_json()

    return put_new(location, content, options, is_same)


def remove_quietly(locations: Sequence[str], options: Mapping[str, str]) -> None:
    """Removes files that nobody needs. One that stays harms nobody."""
    with suppress(FloebergError):
        _native.remove_files(list(locations), storage_options=dict(options))


def is_reserved(location: str, decision: str, options: Mapping[str, str]) -> bool:
    """Whether a version is reserved for a commit. A table that was dropped and created again has another one there."""
    try:
        reserved = open_metadata(location, storage_options=options)
    except NoSuchTableError:
        return False
    reservation = reservation_in(reserved)
    return reservation is not None and reservation.decision == decision


def _is_there_as_other(location: str, options: Mapping[str, str]) -> bool:
    """Whether the version exists with another suffix."""
    found = _VERSION.search(location)
    stem, suffix = (location, "") if found is None else (location[: found.start(2)], found[2])
    others = [stem + each for each in SUFFIXES if each != suffix]
    return any(_native.file_exists(each, storage_options=dict(options)) for each in others)


def _write_hint(location: str, options: Mapping[str, str]) -> None:
    found = _VERSION.search(location)
    if found is not None:
        folder = location.rpartition("/")[0]
        _native.put_file(f"{folder}/{_HINT}", found[1].encode(), storage_options=dict(options))

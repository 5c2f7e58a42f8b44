"""What is the current state of a table in a folder whose version is reserved by a commit of several tables?

A reader never waits: without a decision the table is as it was before. A writer waits for the decision, and after a
while decides against the other commit, whose client may have been killed. The first decision counts, so no clock does.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, TypeVar

from floeberg.commit.journal import ABORTED, bytes_at, decide, read_decision
from floeberg.commit.operations import open_metadata, table_from_metadata
from floeberg.commit.reservation import reservation_in, without_reservation
from floeberg.commit.roll_forward import remove_quietly, roll_forward
from floeberg.errors import (
    InvalidDataError,
    InvalidInputError,
    LimitExceededError,
    NoSuchTableError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from floeberg.commit.journal import Decision
    from floeberg.commit.operations import OpenedTable
    from floeberg.commit.reservation import Reservation

__all__ = ["PATIENCE", "pending", "settled", "settled_for_commit", "version_of_nothing"]

_T = TypeVar("_T")

PATIENCE = 10.0
"""Seconds that a writer waits for the decision of another one about ten tables or fewer. More tables take longer."""

_FIRST_NAP: Final = 0.01
_LONGEST_NAP: Final = 0.5


def pending(table: OpenedTable, version: int) -> Reservation | None:
    """The reservation of a version; `None` where it has none, or was made upon a reserved one."""
    reservation = reservation_in(table)
    return reservation if reservation is not None and reservation.version == version else None


def settled(
    folder: str, current: OpenedTable, version_of: Callable[[OpenedTable], int], options: Mapping[str, str]
) -> OpenedTable:
    """The state of a table, where the metadata file that is current may reserve a version.

    A decided commit is made visible first. A reservation without a decision stays in the properties.

    Args:
        folder: The folder of the table.
        current: What its current metadata file says.
        version_of: The version of a metadata file.
        options: The storage options.

    Raises:
        NoSuchTableError: The reservation is of a commit that creates the table, and that is not decided.
    """
    missed = ""
    while reservation_in(current) is not None:
        reservation = pending(current, version_of(current))
        if reservation is None:
            return without_reservation(current)
        decision = read_decision(reservation.decision, options)
        if decision is not None and decision.is_commit:
            roll_forward(reservation.decision, decision, options)
        elif decision is not None:
            return _without_commit(folder, without_reservation(current), reservation)
        # Whoever wrote all parts removed the decision: then the table has another version.
        again = open_metadata(folder, storage_options=options)
        if again.metadata_location != current.metadata_location:
            current = again
        elif decision is None:
            return _without_commit(folder, current, reservation)
        elif (staged := _staged(current, reservation, decision, options)) is not None:
            return staged
        elif missed == current.metadata_location:
            raise _lost(reservation)
        else:
            # Somebody may have written the version just now, and removed what was staged.
            missed = current.metadata_location
    return current


def _without_commit(folder: str, table: OpenedTable, reservation: Reservation) -> OpenedTable:
    """The table without the commit that reserved its version. Raises where there would be no table."""
    if reservation.creates:
        raise NoSuchTableError(
            "no table is here: a commit of several tables began to create one, and is not decided, or was given up",
            context={"path": folder},
        )
    return table


def settled_for_commit(
    load: Callable[[], OpenedTable], version_of: Callable[[OpenedTable], int], options: Mapping[str, str]
) -> OpenedTable:
    """The state of a table that a commit is made on: no other commit has its next version.

    Args:
        load: Loads the state of the table.
        version_of: The version of a metadata file.
        options: The storage options.

    Raises:
        CommitStateUnknownError: The other commit cannot be decided about.
        FloebergError: Those of `load`.
    """

    def look() -> tuple[OpenedTable, Reservation | None]:
        table = load()
        return table, pending(table, version_of(table))

    return _waited(look, options)


def version_of_nothing(
    folder: str, version_of: Callable[[OpenedTable], int], options: Mapping[str, str]
) -> int | None:
    """The last version in the folder of a table that does not exist: it was reserved to create the table, in vain.

    Returns:
        The version; 0 where there is none, and `None` where the table exists.
    """

    def look() -> tuple[int | None, Reservation | None]:
        try:
            current = open_metadata(folder, storage_options=options)
        except NoSuchTableError:
            return 0, None
        except (InvalidDataError, InvalidInputError, LimitExceededError, UnsupportedError):
            # A damaged table is one.
            return None, None
        version = version_of(current)
        reservation = pending(current, version)
        if reservation is None or not reservation.creates:
            return None, None
        decision = read_decision(reservation.decision, options)
        if decision is None:
            return None, reservation
        if decision.is_commit:
            roll_forward(reservation.decision, decision, options)
            return None, None
        return version, None

    return _waited(look, options)


def _waited(look: Callable[[], tuple[_T, Reservation | None]], options: Mapping[str, str]) -> _T:
    """What a look finds, once no reservation is undecided."""
    began, nap = time.monotonic(), _FIRST_NAP
    while True:
        found, reservation = look()
        if reservation is None:
            return found
        if time.monotonic() >= began + PATIENCE * max(1, reservation.tables / 10):
            decision = decide(reservation.decision, ABORTED, options)
            if not decision.is_commit:
                remove_quietly([reservation.staged], options)
            continue
        time.sleep(nap)
        nap = min(2 * nap, _LONGEST_NAP)


def _staged(
    current: OpenedTable, reservation: Reservation, decision: Decision, options: Mapping[str, str]
) -> OpenedTable | None:
    """The next version of a table before it is written, for readers that cannot write it."""
    part = next((each for each in decision.parts if each.staged == reservation.staged), None)
    content = None if part is None else bytes_at(part.staged, options)
    if part is None or content is None:
        return None
    return table_from_metadata(
        content.decode(), part.final, storage_options=current.storage_options, earlier=current
    )


def _lost(reservation: Reservation) -> InvalidDataError:
    return InvalidDataError(
        "a commit of several tables was decided, and the file with the table's new metadata is gone: restore the file "
        "from a back-up",
        context={"path": reservation.staged, "decision": reservation.decision},
    )

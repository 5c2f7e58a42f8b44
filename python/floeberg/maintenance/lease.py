"""How does only one run of maintenance go on for a table at a time?

A property of the table says who runs, and until when. Catalogs swap metadata atomically, so of two that begin one
gets it. A run that was killed keeps it until then.
"""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._display import moment_shown
from floeberg.commit.loop import commit
from floeberg.errors import CommitConflictError

if TYPE_CHECKING:
    from floeberg.commit.operations import OpenedTable
    from floeberg.maintenance._base import MaintainedTable

__all__ = ["LEASE", "Lease"]

LEASE = "floeberg.maintenance-lease"
_SECONDS = 3600


class Lease:
    """The right to run maintenance of a table for an hour, from the last call of `renew` on."""

    def __init__(self, maintained: MaintainedTable) -> None:
        """Nothing is asked for yet."""
        self._maintained = maintained
        self._owner = str(uuid.uuid4())

    def renew(self) -> None:
        """Takes the lease, or takes it for an hour more.

        Raises:
            CommitConflictError: Another run has it.
        """
        until = time.time_ns() // 1_000_000 + _SECONDS * 1000
        self._commit(_native.Operation.set_properties({LEASE: f"{self._owner} {until}"}))

    def release(self) -> None:
        """Gives it back, unless another run took it meanwhile."""
        self._maintained._become(  # noqa: SLF001 - the room's own
            self._maintained._operations.load(self._maintained._table())  # noqa: SLF001 - the room's own
        )
        if self._holder(self._maintained._table())[0] == self._owner:  # noqa: SLF001 - the room's own
            self._commit(_native.Operation.remove_properties([LEASE]))

    def _check_free(self, base: OpenedTable) -> None:
        owner, until = self._holder(base)
        if owner not in {"", self._owner} and until > time.time_ns() // 1_000_000:
            raise CommitConflictError(
                f"another run of maintenance goes on for the table: it has until {moment_shown(until)}. If it was "
                f"killed, wait until then, or remove the property {LEASE}"
            )

    @staticmethod
    def _holder(table: OpenedTable) -> tuple[str, int]:
        owner, _, until = table.properties.get(LEASE, "").partition(" ")
        return owner, int(until) if until.isascii() and until.isdigit() else 0

    def _commit(self, operation: _native.Operation) -> None:
        done = commit(
            self._maintained._operations,  # noqa: SLF001 - the room's own
            operations=[operation],
            starting=self._maintained._table(),  # noqa: SLF001 - the room's own
            check=self._check_free,
        )
        self._maintained._become(done.table)  # noqa: SLF001 - the room's own

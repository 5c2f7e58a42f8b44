"""Which plans does a server keep for its clients?

In: what plans a scan. Out: the plan by its id, until nobody asked for it for some time, it is dropped, or others need
its room.

A plan runs in a thread of its own. A plan that is dropped while it runs ends in that thread, and nobody gets it.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from floeberg.serving.refusals import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from floeberg.catalog.names import Identifier
    from floeberg.serving.limits import Limits
    from floeberg.serving.plan_pages import PlannedScan

__all__ = ["KeptPlan", "Plans", "no_plan"]

_NOT_FOUND, _TOO_MANY = 404, 429


@dataclass
class KeptPlan:
    """A plan of a client.

    Attributes:
        of: The table.
        plan_id: Its id, which nobody can guess.
        done: Whether it was made, failed or was dropped.
        made: The plan.
        error: Why it failed.
        is_cancelled: Whether it was dropped before it was made.
        used: When somebody asked for it last.
    """

    of: Identifier
    plan_id: str = field(default_factory=lambda: secrets.token_urlsafe(18))
    done: threading.Event = field(default_factory=threading.Event)
    made: PlannedScan | None = None
    error: Exception | None = None
    is_cancelled: bool = False
    used: float = 0.0


class Plans:
    """The plans of a server.

    Args:
        limits: How many, how large, and how long.
        clock: Tells the time, in seconds.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock, self._lock = limits, clock, threading.Lock()
        self._known: OrderedDict[str, KeptPlan] = OrderedDict()
        self._running = 0

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._known)

    def begin(self, of: Identifier, make: Callable[[], PlannedScan]) -> KeptPlan:
        """Begins to plan, and waits a little for the plan.

        Args:
            of: The table.
            make: Plans. What it raises is kept in the plan.

        Raises:
            RefusedError: Too many plans are under way.
        """
        kept = KeptPlan(of, used=self._clock())
        with self._lock:
            if self._running >= self._limits.plans_under_way:
                raise RefusedError(
                    _TOO_MANY,
                    "TooManyRequestsException",
                    f"the server makes {self._running} plans already, the most at a time: ask again later",
                    {"Retry-After": "1"},
                )
            self._running += 1
            self._known[kept.plan_id] = kept
            self._make_room(kept)
        threading.Thread(target=self._run, args=(kept, make), daemon=True).start()
        kept.done.wait(self._limits.plan_seconds)
        return kept

    def find(self, of: Identifier, plan_id: str) -> KeptPlan:
        """The plan of a table by its id. Raises `RefusedError`."""
        with self._lock:
            kept = self._known.get(plan_id)
            if kept is not None and kept.of == of and not self._is_old(kept):
                kept.used = self._clock()
                self._known.move_to_end(plan_id)
                return kept
        raise no_plan("NoSuchPlanIdException", "plan")

    def drop(self, of: Identifier, plan_id: str) -> None:
        """Forgets a plan, whether it is made or not. Raises `RefusedError` where there is none."""
        kept = self.find(of, plan_id)
        with self._lock:
            self._known.pop(plan_id, None)
            self._cancel(kept)

    def _run(self, kept: KeptPlan, make: Callable[[], PlannedScan]) -> None:
        made, error = None, None
        try:
            made = make()
        except Exception as failure:  # noqa: BLE001 - whatever it is, the client gets it
            error = failure
        with self._lock:
            self._running -= 1
            if not kept.is_cancelled:
                kept.made, kept.error = made, error
                self._make_room(kept)
            kept.done.set()

    def _make_room(self, newest: KeptPlan) -> None:
        """Forgets plans that nobody asked for, the oldest first, as far as there has to be room."""
        limits = self._limits
        for plan_id, each in list(self._known.items()):
            size = sum(one.made.bytes for one in self._known.values() if one.made is not None)
            is_full = len(self._known) > limits.plans or size > limits.plan_bytes
            if each is not newest and (is_full or self._is_old(each)):
                del self._known[plan_id]
                self._cancel(each)

    def _is_old(self, kept: KeptPlan) -> bool:
        return kept.used + self._limits.plan_idle_seconds < self._clock()

    @staticmethod
    def _cancel(kept: KeptPlan) -> None:
        if not kept.done.is_set():
            kept.is_cancelled = True
            kept.done.set()


def no_plan(kind: str, what: str) -> RefusedError:
    """The refusal of an id that the server does not know, or not any more."""
    return RefusedError(
        _NOT_FOUND,
        kind,
        f"the server has no such {what} of the table: it may be too old. Plan the scan again",
    )

"""How does a store misbehave, and to whom?"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

FOREVER = 60.0
"""Seconds after which a store that never answers closes the connection."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with an answer. Where nothing is, it is right.

    Args:
        seconds: Wait so much longer.
        status: Answer this status and code of S3, and do nothing of what was asked.
        headers: What headers say instead; `None` leaves one out.
        longer: Say that the body is so many bytes longer than it is; shorter where negative.
        more: Send so many bytes more than were asked for, and say so.
        whole: Pay no heed to the range, and send the whole object.
        sent: Send only this share of the head and the body, then end the connection.
        resets: End the connection by a reset.
        does: Is what was asked done, where the connection ends before the answer?
        stalls: End the connection only after so many seconds.
        first: Call this before what was asked is done.
        beyond: Only if more requests than so many are under way.
    """

    seconds: float = 0
    status: tuple[int, str] | None = None
    headers: Mapping[str, str | None] = field(default_factory=dict)
    longer: int = 0
    more: int = 0
    whole: bool = False
    sent: float | None = None
    resets: bool = False
    does: bool = True
    stalls: float = 0
    first: Callable[[], object] | None = None
    beyond: int = 0


def after(action: Callable[[], object]) -> Fault:
    """Answer right, but do something else before."""
    return Fault(first=action)


def late(seconds: float) -> Fault:
    """Answer late."""
    return Fault(seconds=seconds)


def closed_before(*, does: bool = False) -> Fault:
    """Close the connection instead of answering; what was asked may be done all the same."""
    return Fault(sent=0, does=does)


def closed_halfway() -> Fault:
    """Close the connection after half the body."""
    return Fault(sent=0.5)


def reset_before(*, does: bool = False) -> Fault:
    """Reset the connection instead of answering."""
    return Fault(sent=0, resets=True, does=does)


def reset_halfway() -> Fault:
    """Reset the connection after half the body."""
    return Fault(sent=0.5, resets=True)


def refused(status: int, code: str = "InternalError", retry_after: int | None = None) -> Fault:
    """Answer a status, with a body of S3."""
    return Fault(
        status=(status, code), headers={} if retry_after is None else {"Retry-After": str(retry_after)}
    )


def slow_down() -> Fault:
    """Answer what S3 does under too many requests."""
    return refused(503, "SlowDown")


def busy(most: int, retry_after: int | None = None) -> Fault:
    """Answer what S3 does under too many requests, where there are more than so many."""
    return replace(refused(503, "SlowDown", retry_after), beyond=most)


def length_too_long(by: int = 10) -> Fault:
    """Promise more bytes than are sent."""
    return Fault(longer=by)


def length_too_short(by: int = 10) -> Fault:
    """Promise fewer bytes than are sent."""
    return Fault(longer=-by)


def other_range(said: str = "bytes 1-2/3") -> Fault:
    """Say that the bytes are those of another range."""
    return Fault(headers={"Content-Range": said})


def other_etag(etag: str | None = '"another"') -> Fault:
    """Say that the bytes are those of another object, or of none that is known."""
    return Fault(headers={"ETag": etag})


def more_bytes(by: int = 10) -> Fault:
    """Send more bytes than were asked for."""
    return Fault(more=by)


def whole_object() -> Fault:
    """Answer a range with the whole object."""
    return Fault(whole=True)


def never(limit: float = FOREVER, *, does: bool = False) -> Fault:
    """Never answer; the connection closes after the limit."""
    return Fault(sent=0, stalls=limit, does=does)


def never_ends(limit: float = FOREVER) -> Fault:
    """Send half the body, and then nothing; the connection closes after the limit."""
    return Fault(sent=0.5, stalls=limit)


@dataclass
class Rule:
    """To which requests a fault happens.

    Args:
        how: The fault.
        verb: Of requests of this verb; `*` for all.
        key: Of keys of this pattern; `*` matches slashes too.
        times: So often; `None` for always.
        every: To one in so many.
        skip: Not to the first of so many.
    """

    how: Fault
    verb: str = "*"
    key: str = "*"
    times: int | None = 1
    every: int = 1
    skip: int = 0
    seen: int = 0
    done: int = 0

    def applies(self, verb: str, key: str) -> bool:
        """Does it happen to this request? It is counted."""
        if not fnmatchcase(verb, self.verb) or not fnmatchcase(key, self.key):
            return False
        self.seen += 1
        if self.seen <= self.skip or (self.seen - self.skip) % self.every or self.done == self.times:
            return False
        self.done += 1
        return True


class Rules:
    """The rules of a store; the first that applies does."""

    def __init__(self) -> None:
        self._rules: list[Rule] = []
        self._lock = threading.Lock()

    def add(self, rule: Rule) -> Rule:
        """One more."""
        with self._lock:
            self._rules.append(rule)
        return rule

    def clear(self) -> None:
        """Behave again."""
        with self._lock:
            self._rules.clear()

    def fault(self, verb: str, key: str) -> Fault:
        """What happens to a request."""
        with self._lock:
            return next((rule.how for rule in self._rules if rule.applies(verb, key)), Fault())

"""How many requests were there, how many at once, and how many waited for one another?"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Request:
    """A request, as a store saw it.

    Args:
        verb: The verb of HTTP; `LIST` for a list of keys.
        key: The key, or the prefix of a list.
        range: What the header `Range` says.
        depth: One more than the deepest request that was answered before this one arrived.
        started: When it arrived, in seconds of `time.monotonic`.
        ended: When the last byte of the answer was sent; `None` while it is answered.
        status: The status that was sent; `None` where the connection ended without one.
        is_answered: Could the client act on the answer?
    """

    verb: str
    key: str
    range: str | None
    depth: int
    started: float
    ended: float | None = None
    status: int | None = None
    is_answered: bool = False

    @property
    def is_leaving(self) -> bool:
        """Is the rest of the answer being sent?"""
        return self.is_answered and self.ended is None

    def __str__(self) -> str:
        """One line."""
        part = f" {self.range}" if self.range else ""
        return f"{self.depth:>3} {self.verb:<6} {self.status or '...'} {self.key}{part}"


@dataclass
class Counts:
    """What was asked of a store.

    Args:
        verbs: Requests by verb.
        most_at_once: The most requests that were neither answered nor given up.
        rounds: The longest chain of requests each of which began after another was answered.
        bytes_out: Bytes of answers, without headers.
        bytes_in: Bytes of objects and of lists of keys that were sent to the store.
        requests: The requests, in the order in which they arrived.
    """

    verbs: Counter[str] = field(default_factory=Counter)
    most_at_once: int = 0
    rounds: int = 0
    bytes_out: int = 0
    bytes_in: int = 0
    requests: list[Request] = field(default_factory=list)

    @property
    def total(self) -> int:
        """All requests."""
        return len(self.requests)

    def facts(self) -> dict[str, Any]:
        """As JSON, without the requests."""
        return {
            "requests": self.total,
            "verbs": dict(self.verbs),
            "most_at_once": self.most_at_once,
            "rounds": self.rounds,
            "bytes_out": self.bytes_out,
            "bytes_in": self.bytes_in,
        }

    def shown(self) -> str:
        """A line for each request."""
        return "\n".join(map(str, self.requests))


class Clock:
    """Counts, which are cleared, and the logical clock of requests.

    Answers are delayed by so many seconds each, or go in step: all that have arrived are answered together once no
    other has arrived for so long and no thread of this process computes. In step, rounds depend neither on the machine
    nor on what else it does, if the client is in this process.
    """

    def __init__(self) -> None:
        self.counts = Counts()
        self._changed = threading.Condition()
        self._deepest = 0
        self._open: set[int] = set()
        # Of requests in step: those that are not carried out yet, those that wait, and when the last one came.
        self._busy = 0
        self._waiting: list[tuple[Counts, Request]] = []
        self._last = 0.0
        self._looks = False

    @property
    def in_flight(self) -> int:
        """Requests that are neither answered nor given up."""
        return len(self._open)

    def clear(self) -> Counts:
        """Begin new counts, and return the old ones. Requests that have begun stay where they are counted."""
        with self._changed:
            ended, self.counts = self.counts, Counts()
            self._deepest = 0
            return ended

    def begin(self, verb: str, key: str, asked: str | None) -> tuple[Counts, Request]:
        """A request has arrived."""
        with self._changed:
            request = Request(verb, key, asked, self._deepest + 1, time.monotonic())
            self._open.add(id(request))
            self._busy += 1
            self._last = request.started
            counts = self.counts
            counts.requests.append(request)
            counts.verbs[verb] += 1
            counts.rounds = max(counts.rounds, request.depth)
            counts.most_at_once = max(counts.most_at_once, len(self._open))
            return counts, request

    def carried_out(self) -> None:
        """A request waits for its answer from now on, or has ended."""
        with self._changed:
            self._busy -= 1

    def wait_in_step(self, counts: Counts, request: Request, seconds: float) -> None:
        """Wait until no request has arrived for so long and nobody computes; then all that wait are answered."""
        with self._changed:
            self._waiting.append((counts, request))
            self._last = time.monotonic()
            while not request.is_answered:
                last, left = self._last, self._last + seconds - time.monotonic()
                if left > 0 or self._busy or self._looks:
                    self._changed.wait(max(left, seconds / 10))
                elif not self._is_quiet():
                    # Unless somebody came meanwhile.
                    self._last = max(self._last, time.monotonic() - seconds / 2)
                elif self._last == last and not self._busy:
                    for each in self._waiting:
                        self._answered(*each)
                    self._waiting.clear()
                    self._changed.notify_all()

    def _is_quiet(self) -> bool:
        """Do all threads wait, but this one? Requests may arrive meanwhile."""
        self._looks = True
        self._changed.release()
        try:
            return all_others_wait()
        finally:
            self._changed.acquire()
            self._looks = False

    def answered(self, counts: Counts, request: Request) -> None:
        """The client can act on the answer: this is before its last byte is sent, so that nothing overtakes it."""
        with self._changed:
            self._answered(counts, request)

    def _answered(self, counts: Counts, request: Request) -> None:
        request.is_answered = True
        self._open.discard(id(request))
        if counts is self.counts:
            self._deepest = max(self._deepest, request.depth)

    def end(self, request: Request, counts: Counts, status: int | None, sent: int, received: int) -> None:
        """The answer was sent, or the connection has ended."""
        with self._changed:
            self._open.discard(id(request))
            request.ended = time.monotonic()
            request.status = status
            counts.bytes_out += sent
            counts.bytes_in += received


def all_others_wait() -> bool:
    """Do the other threads of this process wait, each time that they are looked at?"""
    mine = str(threading.get_native_id())
    for _ in range(3):
        for place in Path("/proc/self/task").iterdir():
            # One that has ended has no file.
            with contextlib.suppress(OSError):
                if place.name != mine and (place / "stat").read_bytes().rpartition(b") ")[2][:1] in b"RD":
                    return False
        time.sleep(0.001)
    return True

"""Was a request answered before?

In: the idempotency key of a request. Out: the earlier answer, or that of the request, which runs once.

Answers are kept in memory for some time. A snapshot also carries the key of the request that added it: after a restart,
a commit that is sent again is found in the table.
Spec: REST catalog specification, `Idempotency-Key`.
"""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response

    from floeberg.commit.operations import OpenedTable

__all__ = ["LIFETIME", "Answers", "checked_key", "has_key", "with_key"]

LIFETIME: Final = 1800
"""Seconds for which answers are kept."""
_MOST: Final = 100_000
_MOST_BYTES: Final = 64 << 20
"""How much of answers is kept in memory, whatever their number."""
_KEY: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_IN_SUMMARY: Final = "floeberg.request-key"
_FIRST_STATUS_OF_SERVERS: Final = 500
_NOT_KEPT: Final = frozenset({401, 403, 408, 413, 419, 429})
"""Answers that say nothing about the request itself."""


def checked_key(text: str | None) -> str | None:
    """An idempotency key, as requests have it. Raises `InvalidInputError` where it is not a UUID."""
    if text is None:
        return None
    if not _KEY.fullmatch(text):
        raise InvalidInputError("Idempotency-Key: expected a UUID")
    return text.lower()


def with_key(updates: list[dict[str, Any]], key: str | None) -> list[dict[str, Any]]:
    """Updates whose new snapshots carry a key."""
    return updates if key is None else [_marked(each, key) for each in updates]


def _marked(update: dict[str, Any], key: str) -> dict[str, Any]:
    snapshot = update.get("snapshot")
    if update.get("action") != "add-snapshot" or not isinstance(snapshot, dict):
        return update
    summary = snapshot.get("summary")
    if not isinstance(summary, dict):
        return update
    return {**update, "snapshot": {**snapshot, "summary": {**summary, _IN_SUMMARY: key}}}


def has_key(table: OpenedTable, key: str | None) -> bool:
    """Whether a table has a snapshot of the request with a key."""
    return key is not None and table.has_in_summary(_IN_SUMMARY, key)


@dataclass
class _Entry:
    """A request that runs, or its answer."""

    digest: bytes
    expires: float
    done: threading.Event = field(default_factory=threading.Event)
    answer: Response | None = None

    @property
    def size(self) -> int:
        """The bytes of the answer."""
        return 0 if self.answer is None else len(self.answer.body)


class Answers:
    """The answers of a server to requests with keys.

    Args:
        clock: Tells the time, in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._known: OrderedDict[str, _Entry] = OrderedDict()
        self._bytes = 0

    def once(self, key: str | None, what: bytes, answer: Callable[[], Response]) -> Response:
        """The answer to a request.

        Args:
            key: Its key; `None` runs it at once.
            what: What tells it from others.
            answer: Runs it. An exception is passed on, and the key is free again.

        Raises:
            InvalidInputError: The key belongs to another request.
        """
        if key is None:
            return answer()
        digest = hashlib.sha256(what).digest()
        while True:
            with self._lock:
                entry, is_ours = self._entry(key, digest)
            if is_ours:
                return self._run(key, entry, answer)
            if entry.digest != digest:
                raise InvalidInputError(
                    "Idempotency-Key: the key was sent with another request; take a new one"
                )
            entry.done.wait()
            if entry.answer is not None:
                return entry.answer

    def _entry(self, key: str, digest: bytes) -> tuple[_Entry, bool]:
        now = self._clock()
        while self._known and (
            len(self._known) >= _MOST
            or self._bytes > _MOST_BYTES
            or next(iter(self._known.values())).expires < now
        ):
            self._bytes -= self._known.popitem(last=False)[1].size
        if key in self._known:
            return self._known[key], False
        entry = self._known[key] = _Entry(digest, now + LIFETIME)
        return entry, True

    def _run(self, key: str, entry: _Entry, answer: Callable[[], Response]) -> Response:
        try:
            found = answer()
            if found.status_code < _FIRST_STATUS_OF_SERVERS and found.status_code not in _NOT_KEPT:
                entry.answer = found
                with self._lock:
                    # It may be gone already.
                    self._bytes += entry.size if self._known.get(key) is entry else 0
            return found
        finally:
            if entry.answer is None:
                with self._lock:
                    self._known.pop(key, None)
            entry.done.set()

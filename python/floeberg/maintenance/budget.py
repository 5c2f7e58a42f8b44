"""How much time and how many bytes may a run of maintenance use?"""

from __future__ import annotations

from time import monotonic

from floeberg._arguments import checked_size
from floeberg.errors import InvalidInputError

__all__ = ["Budget", "checked_threshold"]


def checked_threshold(name: str, value: object) -> float:
    """A number of at least 0.

    Raises:
        InvalidInputError: It is something else.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
        raise InvalidInputError(f"{name}: expected a number of at least 0, found {value!r}")
    return value


class Budget:
    """Seconds, and bytes that are written again. Nothing that is begun is cut off."""

    def __init__(self, max_seconds: float | None, max_bytes: int | None) -> None:
        """Begins now.

        Raises:
            InvalidInputError: A bound is no number, or negative.
        """
        if max_seconds is not None:
            checked_threshold("max_seconds", max_seconds)
        self._max_seconds = max_seconds
        self._max_bytes = None if max_bytes is None else checked_size("max_bytes", max_bytes)
        self._begun = monotonic()
        self._bytes = 0
        self.was_over = False

    @property
    def seconds(self) -> float:
        """The seconds since it began."""
        return monotonic() - self._begun

    def is_over(self, size: int) -> bool:
        """Whether work on so many bytes must not begin. If it may, the bytes count as used."""
        over_time = self._max_seconds is not None and self.seconds >= self._max_seconds
        if over_time or (self._max_bytes is not None and self._bytes + size > self._max_bytes):
            self.was_over = True
            return True
        self._bytes += size
        return False

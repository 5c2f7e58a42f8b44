"""How do users give a time?"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

from floeberg._arguments import checked_int
from floeberg.errors import InvalidInputError

Moment = datetime | int | str
"""A datetime with a zone, milliseconds from 1970-01-01 UTC, or an ISO 8601 string with a zone."""

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_LAST = 2**63 - 1
_DAY = re.compile(r"\d{4}-?\d\d-?\d\d")


def milliseconds(moment: Moment, name: str = "moment") -> int:
    """Milliseconds from 1970-01-01 UTC.

    Args:
        moment: A datetime with a zone, milliseconds, or an ISO 8601 string with a zone.
        name: The argument, for errors.

    Returns:
        The milliseconds, rounded down.

    Raises:
        InvalidInputError: It has another type, or no zone.
    """
    if isinstance(moment, int) and not isinstance(moment, bool):
        return checked_int(name, moment)
    return microseconds(moment, name) // 1000


def microseconds(moment: Moment, name: str = "moment") -> int:
    """Microseconds from 1970-01-01 UTC. Times that 64 bits do not hold are the first or the last that they hold.

    Args:
        moment: A datetime with a zone, milliseconds, or an ISO 8601 string with a zone.
        name: The argument, for errors.

    Returns:
        The microseconds.

    Raises:
        InvalidInputError: It has another type, or no zone.
    """
    if isinstance(moment, int) and not isinstance(moment, bool):
        return max(-_LAST, min(_LAST, checked_int(name, moment) * 1000))
    written = moment
    if isinstance(moment, str):
        try:
            # Python 3.10 does not read the Z of ISO 8601.
            moment = datetime.fromisoformat(moment.strip().replace("Z", "+00:00"))
        except ValueError as error:
            raise InvalidInputError(f"{name}: expected an ISO 8601 time, found {moment!r}") from error
    if not isinstance(moment, datetime):  # pyright: ignore[reportUnnecessaryIsInstance]
        found = type(moment).__name__
        raise InvalidInputError(
            f"{name}: expected a datetime, milliseconds or an ISO 8601 string, found an object of type {found}"
        )
    if moment.tzinfo is None and _DAY.fullmatch(str(written).strip()):
        day = moment.date().isoformat()
        raise InvalidInputError(
            f"{name}: the day {day} is not a moment: write {day}T00:00:00+00:00 for its beginning in UTC, "
            f"or {day}T23:59:59.999999+00:00 for its end"
        )
    if moment.tzinfo is None:
        raise InvalidInputError(
            f"{name}: the time {moment.isoformat()} has no time zone: write {moment.isoformat()}+00:00 for UTC"
        )
    return (moment - _EPOCH) // timedelta(microseconds=1)


def moment_of(microseconds_since_1970: int) -> datetime | None:
    """The time in UTC; `None` beyond the years 1 to 9999."""
    try:
        return _EPOCH + timedelta(microseconds=microseconds_since_1970)
    except OverflowError:
        return None

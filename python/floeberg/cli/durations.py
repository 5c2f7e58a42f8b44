"""How are times and ages written on the command line?

An age is `7d`, `12h` or `1d12h`; a time is ISO 8601 with a zone, or an age before now.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

from floeberg.errors import InvalidInputError

__all__ = ["age_of", "iso_age", "time_of"]

_AGE = re.compile(r"(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", re.IGNORECASE)
_UNITS = ("weeks", "days", "hours", "minutes", "seconds")


def age_of(name: str, text: str) -> timedelta:
    """An age, such as `7d`.

    Args:
        name: The option, for errors.
        text: Numbers with the units `w`, `d`, `h`, `m` (minutes) and `s`, largest first.

    Raises:
        InvalidInputError: It is another text.

    Examples:
        >>> age_of("--older-than", "1d12h")
        datetime.timedelta(days=1, seconds=43200)
    """
    found = _AGE.fullmatch(text.strip())
    if found is None or not any(found.groups()):
        raise InvalidInputError(f"{name}: expected an age such as 7d, 12h or 1d12h, found {text!r}")
    try:
        return timedelta(
            **{unit: int(each) for unit, each in zip(_UNITS, found.groups(), strict=True) if each}
        )
    except OverflowError as error:
        raise InvalidInputError(f"{name}: the age {text!r} is longer than any time") from error


def iso_age(name: str, text: str) -> str:
    """An age as ISO 8601 writes it, which policies of maintenance take.

    Examples:
        >>> iso_age("--older-than", "7d")
        'PT604800S'
    """
    return f"PT{int(age_of(name, text).total_seconds())}S"


def time_of(name: str, text: str) -> datetime | str:
    """A time: ISO 8601 with a zone, which is read where it is used, or an age before now.

    Args:
        name: The option, for errors.
        text: The time.

    Raises:
        InvalidInputError: The age is longer than any time.

    Examples:
        >>> time_of("--as-of", "2026-01-01T00:00+00:00")
        '2026-01-01T00:00+00:00'
        >>> time_of("--as-of", "1h") < datetime.now(timezone.utc)
        True
    """
    if _AGE.fullmatch(text.strip()) is None or not text.strip():
        return text
    try:
        return datetime.now(timezone.utc) - age_of(name, text)
    except OverflowError as error:
        raise InvalidInputError(f"{name}: the age {text!r} is longer than any time") from error

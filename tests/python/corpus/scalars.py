"""How does the corpus write single values down?"""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

EPOCH = datetime.date(1970, 1, 1).toordinal()


def special(value: float) -> str:
    """NaN or an infinity."""
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def decimal(value: Decimal, scale: int) -> str:
    """A decimal with all digits of its scale."""
    return f"{value:.{scale}f}"


def date(days: int) -> str:
    """A day."""
    return datetime.date.fromordinal(EPOCH + days).isoformat()


def time(ticks: int, digits: int) -> str:
    """A time of a day."""
    seconds, fraction = divmod(ticks, 10**digits)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:0{digits}}"


def timestamp(ticks: int, digits: int) -> str:
    """A moment, without its zone."""
    days, rest = divmod(ticks, 86_400 * 10**digits)
    return f"{date(days)}T{time(rest, digits)}"

"""Whose line does a warning name?

The line of the user that called the package, however many calls of its own are between.
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["warn_user"]


def warn_user(message: str) -> None:
    """Warns, and names the first line outside of the package.

    Args:
        message: What the user should know.
    """
    level = 1
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - as `warnings` finds lines
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "floeberg":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, stacklevel=level)

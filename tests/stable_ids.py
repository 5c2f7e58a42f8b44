"""Names of test cases that are the same in every process, which tests in several processes need."""

from __future__ import annotations

import re

__all__ = ["stable"]


def stable(value: object) -> str:
    """A value as text, without the addresses that Python shows."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))

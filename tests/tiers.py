"""How many random cases are tried: a few in everyday runs and in CI, all in `make long`."""

from __future__ import annotations

import os
from collections.abc import Sequence

__all__ = ["seeds"]

ALL = os.environ.get("FLOEBERG_CASES") == "all"


def seeds(every: Sequence[int], few: int) -> Sequence[int]:
    """Seeds of random cases: the first few, or every one."""
    return every if ALL else every[:few]

"""What the tests of Spark share: the session, and tables of the corpus."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from corpus import Case, lent
from spark_session import spark

__all__ = ["spark"]


def _lend(role: str) -> Callable[[], Case]:
    @pytest.fixture(scope="session", name=role)
    def case() -> Case:
        return lent(role)

    return case


refs, deletes, many, types, nested = map(_lend, ("refs", "deletes", "many", "types", "nested"))
nanoseconds, variants, required = map(_lend, ("nanoseconds", "variants", "required"))
odd_names, empty, evolved, wide = map(_lend, ("odd_names", "empty", "evolved", "wide"))
(partitioned_positions,) = map(_lend, ("partitioned_positions",))

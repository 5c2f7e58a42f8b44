"""How often is a commit tried again, and when?"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg._table_properties import whole_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Retries"]


@dataclass(frozen=True)
class Retries:
    """How often, and after which waits, a commit is tried again: the table's properties `commit.retry.*`.

    Args:
        number: How often after the first time.
        least_wait: Seconds before the first retry; twice as long before each further one.
        most_wait: Seconds that a wait has at most.
        total: Seconds after which nothing is tried again.
    """

    number: int
    least_wait: float
    most_wait: float
    total: float

    @classmethod
    def of(cls, properties: Mapping[str, str]) -> Retries:
        """Those of a table.

        Raises:
            InvalidInputError: A property is not a whole number.
        """
        return cls(
            whole_of(properties, "commit.retry.num-retries"),
            whole_of(properties, "commit.retry.min-wait-ms") / 1000,
            whole_of(properties, "commit.retry.max-wait-ms") / 1000,
            whole_of(properties, "commit.retry.total-timeout-ms") / 1000,
        )

    def wait(self, done: int) -> float:
        """Seconds to wait after so many tries.

        Writers that met once are not to meet again: each waits for a random part of the time.
        """
        longest = min(self.least_wait * 2.0 ** min(done - 1, 62), self.most_wait)
        return random.uniform(longest / 2, longest)  # noqa: S311 - no secret

"""How often is a commit retried, and when?"""

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
    """The retries of a commit, by the table's properties `commit.retry.*`.

    Args:
        number: The most retries.
        least_wait: Seconds before the first retry; twice as long before each further one.
        most_wait: The longest wait, in seconds.
        total: The time after which a commit is not retried any more, in seconds.
    """

    number: int
    least_wait: float
    most_wait: float
    total: float

    @classmethod
    def of(cls, properties: Mapping[str, str]) -> Retries:
        """The retries of a table.

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
        """Seconds to wait after a number of attempts.

        Each writer waits for a random part of the time, so that two do not conflict again.
        """
        longest = min(self.least_wait * 2.0 ** min(done - 1, 62), self.most_wait)
        return random.uniform(longest / 2, longest)  # noqa: S311 - no secret

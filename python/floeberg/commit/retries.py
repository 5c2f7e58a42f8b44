"""How often is a commit tried again, and when?"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg.errors import InvalidDataError

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

    number: int = 4
    least_wait: float = 0.1
    most_wait: float = 60.0
    total: float = 1800.0

    @classmethod
    def of(cls, properties: Mapping[str, str]) -> Retries:
        """Those of a table.

        Raises:
            InvalidDataError: A property is no number.
        """

        def number(key: str, otherwise: int) -> int:
            text = properties.get(key, str(otherwise))
            try:
                return max(int(text), 0)
            except ValueError:
                raise InvalidDataError(f"the table's property {key!r} is {text!r}, not a number") from None

        return cls(
            number("commit.retry.num-retries", 4),
            number("commit.retry.min-wait-ms", 100) / 1000,
            number("commit.retry.max-wait-ms", 60_000) / 1000,
            number("commit.retry.total-timeout-ms", 1_800_000) / 1000,
        )

    def wait(self, done: int) -> float:
        """Seconds to wait after so many tries.

        Writers that met once are not to meet again: each waits for a random part of the time.
        """
        longest = min(self.least_wait * 2.0 ** min(done - 1, 62), self.most_wait)
        return random.uniform(longest / 2, longest)  # noqa: S311 - no secret

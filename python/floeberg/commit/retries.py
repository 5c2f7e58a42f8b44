"""How often is a commit retried, and when?"""

from __future__ import annotations

import random
import time
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg._table_properties import whole_of
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from floeberg.errors import FloebergError

__all__ = ["Retries", "RetryBudget"]


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

    @classmethod
    def least_of(cls, properties: Sequence[Mapping[str, str]]) -> Retries:
        """The retries that all tables of a commit allow; those of a new table where there is none.

        Raises:
            InvalidInputError: A property is not a whole number.
        """
        each = [cls.of(of_one) for of_one in properties] or [cls.of({})]
        return cls(
            min(one.number for one in each),
            max(one.least_wait for one in each),
            max(one.most_wait for one in each),
            min(one.total for one in each),
        )

    def wait(self, done: int) -> float:
        """Seconds to wait after a number of attempts.

        Each writer waits for a random part of the time, so that two do not conflict again.
        """
        longest = min(self.least_wait * 2.0 ** min(done - 1, 62), self.most_wait)
        return random.uniform(longest / 2, longest)  # noqa: S311 - no secret


class RetryBudget:
    """How often something is tried again, and until when.

    Loops may nest: a statement of Spark runs again, a change of rows looks for its rows again, and a commit is tried
    again. What they do inside of `shared` counts together, so that the table's properties bound all of it.

    Args:
        limits: The retries; asked after a failure only, since the operation may be the one that repairs a wrong
            property.
        sleep: Waits for some seconds.
    """

    _outer: ContextVar[RetryBudget | None] = ContextVar("retry_budget", default=None)

    def __init__(self, limits: Callable[[], Retries], sleep: Callable[[float], object] = time.sleep) -> None:
        self._limits, self._sleep = limits, sleep
        self._began = time.monotonic()
        self._wait = 0.0
        self.failed = 0
        """How many attempts failed."""

    @classmethod
    def of(cls, limits: Callable[[], Retries], sleep: Callable[[float], object] = time.sleep) -> RetryBudget:
        """The budget of the loop around this one, or a new one."""
        return cls._outer.get() or cls(limits, sleep)

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Shares the budget with the loops inside."""
        token = self._outer.set(self)
        try:
            yield
        finally:
            self._outer.reset(token)

    def allows_retry(self, failure: FloebergError) -> bool:
        """Counts a failed attempt, and says whether there may be another one.

        A wrong property is noted at the failure.
        """
        self.failed += 1
        try:
            limits = self._limits()
        except InvalidInputError as error:
            failure.add_note(f"the commit was not retried: {error}")
            return False
        self._wait = limits.wait(self.failed)
        return self.failed <= limits.number and time.monotonic() + self._wait <= self._began + limits.total

    def wait(self) -> None:
        """Waits until the next attempt."""
        self._sleep(self._wait)

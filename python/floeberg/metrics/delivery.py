"""How do reports reach who gets them, without delaying an operation?

A thread runs while there are reports to hand on, and no longer. Reports that come while too many wait are dropped. A
forked process begins with no reports of its parent. The end of the interpreter waits for reports for a short time.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable  # noqa: TC003 - an alias names it
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from floeberg.metrics.reports import MetricsReport

__all__ = ["Delivery", "MetricsReporter", "MetricsSink", "checked_reporter"]

_LOGGER = logging.getLogger("floeberg.metrics")
_MOST_WAITING = 100
_AT_EXIT = 2.0
"""Seconds that the end of the interpreter waits for reports."""


class _Reports(Protocol):
    def report(self, report: Any, /) -> object: ...  # noqa: ANN401 - a report of either kind


MetricsReporter: TypeAlias = "Callable[[Any], object] | _Reports"
"""Gets a `ScanReport` or a `CommitReport`: a function, or an object with a method `report`.

It is called on a thread of its own, one report after the other. What it raises is logged, and ends nothing.
"""


def checked_reporter(reporter: object) -> MetricsReporter | None:
    """A reporter of a user, or `None`.

    Raises:
        InvalidInputError: It is neither a function nor has it a method `report`.
    """
    if reporter is None or callable(reporter) or callable(getattr(reporter, "report", None)):
        return reporter  # type: ignore[return-value]
    raise InvalidInputError(
        "metrics_reporter: expected a function, or an object with a method 'report', found an object of type "
        f"{type(reporter).__name__}"
    )


class _Waiting:
    """The reports of one process that wait, and the thread that hands them on."""

    def __init__(self) -> None:
        self._jobs: deque[Callable[[], object]] = deque()
        self._changed = threading.Condition()
        self._runs = False
        self.dropped = 0

    def put(self, job: Callable[[], object]) -> None:
        with self._changed:
            if len(self._jobs) >= _MOST_WAITING:
                self.dropped += 1
                return
            self._jobs.append(job)
            if self._runs:
                return
            self._runs = True
        try:
            threading.Thread(target=self._run, name="floeberg-metrics", daemon=True).start()
        except RuntimeError:
            # The interpreter ends, or has no more threads.
            with self._changed:
                self._runs = False
                self._jobs.clear()

    def wait(self, seconds: float) -> bool:
        """Whether all reports were handed on within some seconds."""
        ends = time.monotonic() + seconds
        with self._changed:
            while self._runs:
                left = ends - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    return not self._runs
            return True

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._jobs:
                    self._runs = False
                    self._changed.notify_all()
                    return
                job = self._jobs.popleft()
            try:
                job()
            except Exception as failure:  # noqa: BLE001 - a reporter may raise anything
                # Its message may have a secret.
                _LOGGER.debug("a metrics report was not handed on: %s", type(failure).__name__)


_KNOWN: weakref.WeakSet[Delivery] = weakref.WeakSet()


class Delivery:
    """Hands reports on, in the background."""

    def __init__(self) -> None:
        # By process: a lock that another thread held at a fork is not looked at again.
        self._waiting: dict[int, _Waiting] = {}

    def put(self, job: Callable[[], object]) -> None:
        """Has a job done soon, or drops it."""
        process = os.getpid()
        waiting = self._waiting.get(process) or self._waiting.setdefault(process, _Waiting())
        _KNOWN.add(self)
        waiting.put(job)

    def wait(self, seconds: float) -> bool:
        """Waits until all jobs are done, at most some seconds. Returns whether they are."""
        waiting = self._waiting.get(os.getpid())
        return waiting is None or waiting.wait(seconds)

    @property
    def dropped(self) -> int:
        """How many jobs this process dropped, as too many waited."""
        waiting = self._waiting.get(os.getpid())
        return 0 if waiting is None else waiting.dropped


@atexit.register
def _at_exit() -> None:
    ends = time.monotonic() + _AT_EXIT
    for each in list(_KNOWN):
        each.wait(max(0.0, ends - time.monotonic()))


@dataclass(frozen=True)
class MetricsSink:
    """Where the reports of a table go.

    Args:
        table_name: The name of the table in reports.
        reporters: Who gets them.
        delivery: What hands them on.
    """

    table_name: str
    reporters: tuple[MetricsReporter, ...] = field(repr=False)
    delivery: Delivery = field(repr=False)

    def send(self, make: Callable[[str], MetricsReport | None]) -> None:
        """Has a report made and handed on, in the background.

        Args:
            make: Makes the report, from the name of the table; `None` where there is nothing to report.
        """

        def job() -> None:
            report = make(self.table_name)
            for each in self.reporters if report is not None else ():
                try:
                    called = each if callable(each) else each.report
                    called(report)
                except Exception as failure:  # noqa: BLE001, PERF203 - a reporter may raise anything
                    _LOGGER.debug("a metrics reporter raised %s", type(failure).__name__)

        self.delivery.put(job)

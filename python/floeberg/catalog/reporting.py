"""Who gets the reports of scans of a catalog's tables, and of commits to them?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.metrics.delivery import Delivery, MetricsSink, checked_reporter

if TYPE_CHECKING:
    from floeberg.catalog.names import Identifier
    from floeberg.metrics import MetricsReporter

__all__ = ["Reports"]

_LAST_WAIT = 5.0
"""Seconds that closing a catalog waits for reports."""


class Reports:
    """The reporter of a catalog. Pickles of catalogs have none."""

    _name: str
    _metrics_reporter: MetricsReporter | None = None

    @property
    def metrics_reporter(self) -> MetricsReporter | None:
        """Gets a report of each scan and each commit: a function, or an object with a method `report`.

        It is called in the background, one report after the other, and delays and fails no operation. Reports that come
        while a hundred wait are dropped. `close` waits for those that are on their way.

        Raises:
            InvalidInputError: What is set is neither a function nor has it a method `report`.

        Examples:
            >>> catalog.metrics_reporter = print
            >>> catalog.metrics_reporter = None
        """
        return self._metrics_reporter

    @metrics_reporter.setter
    def metrics_reporter(self, reporter: MetricsReporter | None) -> None:
        self._metrics_reporter = checked_reporter(reporter)

    def metrics_sink(self, identifier: Identifier) -> MetricsSink | None:
        """Where the reports of a table go; `None` where nobody gets them.

        Args:
            identifier: The namespace and the name.
        """
        reporters = self._reporters_of(identifier)
        if not reporters:
            return None
        return MetricsSink(".".join((self._name, *identifier)), reporters, self._delivery())

    def _reporters_of(self, identifier: Identifier) -> tuple[MetricsReporter, ...]:
        """All that get the reports of a table."""
        del identifier
        return () if self._metrics_reporter is None else (self._metrics_reporter,)

    def _delivery(self) -> Delivery:
        delivery: Delivery | None = self.__dict__.get("_reports")
        # Of two threads, both get the object that is there first.
        return delivery or self.__dict__.setdefault("_reports", Delivery())

    def _finish_reports(self) -> None:
        """Waits for reports that are on their way, for a short time."""
        self._delivery().wait(_LAST_WAIT)

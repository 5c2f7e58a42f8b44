"""How do reports of scans and commits become measurements of OpenTelemetry?

In: reports, as a `metrics_reporter` gets them. Out: measurements of instruments, by the application's meter provider.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.errors import NotInstalledError
from floeberg.metrics.reports import CommitReport, ScanReport, TimerResult

if TYPE_CHECKING:
    from floeberg.metrics.reports import CounterResult, MetricsReport

__all__ = ["OpenTelemetryReporter"]

_NANOSECONDS = 1e9
_UNITS = {"count": "1", "bytes": "By"}


class OpenTelemetryReporter:
    """A `metrics_reporter` that hands the numbers of scans and commits to OpenTelemetry.

    Each metric of a report is an instrument: `floeberg.scan.` or `floeberg.commit.` and Iceberg Java's name of the
    metric with underscores, as `floeberg.scan.result_data_files`. Counts and bytes are counters, times are histograms
    in seconds. Attributes are `floeberg.table`, the name of the table, and of commits `floeberg.operation`. Filters and
    snapshot ids are not measured.

    Args:
        meter_provider: Where instruments are made. By default, the provider that the application has set.

    Raises:
        NotInstalledError: opentelemetry-api is not installed: `pip install 'floeberg[otel]'`.

    Examples:
        >>> from floeberg.metrics import OpenTelemetryReporter
        >>> catalog.metrics_reporter = OpenTelemetryReporter()
        >>> orders.append(pa.table({"id": [1, 2]})).added_rows
        2
    """

    def __init__(self, meter_provider: Any = None) -> None:  # noqa: ANN401 - a class of a package that may be missing
        try:
            from opentelemetry import metrics  # noqa: PLC0415 - importing floeberg imports nothing large
        except ImportError:
            raise NotInstalledError(
                "OpenTelemetryReporter needs opentelemetry-api: pip install 'floeberg[otel]'"
            ) from None
        provider = metrics.get_meter_provider() if meter_provider is None else meter_provider
        self._meter = provider.get_meter("floeberg", _native.__version__)
        self._instruments: dict[str, Any] = {}

    def report(self, report: MetricsReport) -> None:
        """Measures what a report says. Reports of another kind are left out."""
        attributes = {"floeberg.table": report.table_name}
        if isinstance(report, CommitReport):
            kind = "commit"
            attributes["floeberg.operation"] = report.operation
        elif isinstance(report, ScanReport):
            kind = "scan"
        else:
            return
        for metric, result in report.metrics.items():
            self._measure(f"floeberg.{kind}.{metric.replace('-', '_')}", result, attributes)

    def _measure(self, name: str, result: CounterResult | TimerResult, attributes: dict[str, str]) -> None:
        if isinstance(result, TimerResult):
            instrument = self._instrument(name, self._meter.create_histogram, "s")
            instrument.record(result.total_duration / _NANOSECONDS, attributes)
        else:
            instrument = self._instrument(name, self._meter.create_counter, _UNITS.get(result.unit, "1"))
            instrument.add(result.value, attributes)

    def _instrument(self, name: str, create: Any, unit: str) -> Any:  # noqa: ANN401 - of the package
        made = self._instruments.get(name)
        if made is None:
            made = self._instruments[name] = create(name, unit=unit)
        return made

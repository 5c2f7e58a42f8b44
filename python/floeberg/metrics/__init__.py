"""Reports of scans and commits: what was read and what was committed, how long it took, and who gets to know.

A catalog has a `metrics_reporter`, which gets the reports of its tables. A REST catalog also sends them to its server,
unless `rest-metrics-reporting-enabled` is `false`.

Spec: REST catalog specification, `ReportMetricsRequest`.
"""

from floeberg.metrics.delivery import MetricsReporter
from floeberg.metrics.open_telemetry import OpenTelemetryReporter
from floeberg.metrics.reports import CommitReport, CounterResult, MetricsReport, ScanReport, TimerResult

__all__ = [
    "CommitReport",
    "CounterResult",
    "MetricsReport",
    "MetricsReporter",
    "OpenTelemetryReporter",
    "ScanReport",
    "TimerResult",
]

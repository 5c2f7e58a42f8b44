"""What does a report say of a scan?

The numbers are those of the account of its plan, by the names that Iceberg Java's `ScanMetrics` has for them. Of rows
that are read without a plan in Python, no file is counted.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from floeberg.metrics.filters import filter_without_values
from floeberg.metrics.reports import CounterResult, ScanReport, TimerResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from floeberg import _native
    from floeberg.metrics.delivery import MetricsSink

__all__ = ["PlanTimer", "report_scan"]

_Metrics = dict[str, CounterResult | TimerResult]


def report_scan(sink: MetricsSink | None, scan: _native.Scan, metrics: Mapping[str, Any]) -> None:
    """Has a scan reported, where somebody gets reports and the table has a snapshot.

    Args:
        sink: Where reports go.
        scan: The scan.
        metrics: What was measured.
    """
    if sink is not None and scan.snapshot_id is not None:
        sink.send(lambda name: _report(name, scan, dict(metrics)))


def _report(name: str, scan: _native.Scan, metrics: _Metrics) -> ScanReport | None:
    if (snapshot_id := scan.snapshot_id) is None:
        return None
    fields = json.loads(scan.projection_json())["fields"]
    return ScanReport(
        name,
        snapshot_id,
        filter_without_values(scan.row_filter()),
        json.loads(scan.schema_json()).get("schema-id", 0),
        tuple(each["id"] for each in fields),
        tuple(each["name"] for each in fields),
        metrics,
    )


class PlanTimer:
    """Measures how long a plan is read, and has it reported once, when all of it was read."""

    def __init__(self, sink: MetricsSink, scan: _native.Scan) -> None:
        self._sink: MetricsSink | None = sink
        self._scan = scan
        self._took = 0

    @contextmanager
    def reading(self, plan: _native.Plan | None = None) -> Iterator[None]:
        """Measures a block, after which all of the plan may have been read."""
        began = perf_counter_ns()
        try:
            yield
        finally:
            self._took += perf_counter_ns() - began
        if plan is not None and plan.known_length is not None:
            self.done(plan)

    def done(self, plan: _native.Plan | None = None, files: int = 0, size: int = 0) -> None:
        """Reports the plan, unless it was reported. Without the whole plan, its files and their size are given."""
        if self._sink is None:
            return
        sink, self._sink = self._sink, None
        found: _Metrics = {
            "result-data-files": CounterResult(files),
            "total-file-size-in-bytes": CounterResult(size, "bytes"),
        }
        if plan is not None:
            found = metrics_of(plan.explain())
        report_scan(sink, self._scan, {"total-planning-duration": TimerResult(self._took), **found})


def metrics_of(account: Mapping[str, Any]) -> _Metrics:
    """The metrics of the account of a plan, whose parts are tuples of the fields of `floeberg.scan.explain`.

    A delete file counts once, however many data files it applies to.
    """
    stages = {name: (entered, kept) for name, entered, _, kept in account["stages"]}
    counts: dict[str, int] = {"result-data-files": account["data_files"]}
    for kind in ("data", "delete"):
        if (manifests := stages.get(f"{kind} manifests")) is not None:
            entered, kept = manifests
            counts |= {
                f"total-{kind}-manifests": entered,
                f"scanned-{kind}-manifests": kept,
                f"skipped-{kind}-manifests": entered - kept,
            }
    of_files = [entered - kept for name, (entered, kept) in stages.items() if name.startswith("data files")]
    counts["skipped-data-files"] = sum(of_files)
    deletes = {content: files for content, files, *_ in account["deletes"]}
    counts |= {
        "result-delete-files": sum(deletes.values()),
        "equality-delete-files": deletes.get("equality", 0),
        "positional-delete-files": deletes.get("position", 0),
        "dvs": deletes.get("vector", 0),
    }
    return {
        **{name: CounterResult(count) for name, count in counts.items()},
        "total-file-size-in-bytes": CounterResult(account["size_in_bytes"], "bytes"),
        "total-delete-file-size-in-bytes": CounterResult(
            sum(size for _, _, _, size, *_ in account["deletes"]), "bytes"
        ),
    }

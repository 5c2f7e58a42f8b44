"""What does a report of a scan or a commit say?

Names of metrics are Iceberg Java's, in `ScanMetrics` and `CommitMetricsResult`. Only what was measured is there.
Spec: REST catalog specification, `ScanReport`, `CommitReport`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from floeberg import _native

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CommitReport", "CounterResult", "MetricsReport", "ScanReport", "TimerResult"]


@dataclass(frozen=True)
class CounterResult:
    """A count, or a number of bytes.

    Args:
        value: The number.
        unit: `count` or `bytes`.
    """

    value: int
    unit: str = "count"

    def to_dict(self) -> dict[str, Any]:
        """The counter as JSON, as in the REST catalog specification."""
        return {"unit": self.unit, "value": self.value}


@dataclass(frozen=True)
class TimerResult:
    """How long something took.

    Args:
        total_duration: The time in all, in nanoseconds.
        count: How often it was done.
    """

    total_duration: int
    count: int = 1

    def to_dict(self) -> dict[str, Any]:
        """The timer as JSON, as in the REST catalog specification."""
        return {"count": self.count, "time-unit": "nanoseconds", "total-duration": self.total_duration}


def _engine() -> dict[str, str]:
    return {"engine-name": "floeberg", "engine-version": _native.__version__}


@dataclass(frozen=True)
class ScanReport:
    """What a scan planned.

    Args:
        table_name: The catalog and the identifier of the table, with dots.
        snapshot_id: The snapshot that was read.
        filter: The filter, in the JSON form of the REST catalog specification. The kinds of literals stand for their
            values, as `"(integer)"`, so that no value leaves the process.
        schema_id: The schema in which names are looked up.
        projected_field_ids: The ids of the columns that are read.
        projected_field_names: Their names.
        metrics: What was measured, by Iceberg Java's names: `result-data-files`, `total-planning-duration` and others.
        metadata: What made the report.

    Examples:
        >>> reports = []
        >>> catalog.metrics_reporter = reports.append
        >>> _ = orders.append(pa.table({"id": [1, 2]}))
        >>> len(orders.scan(row_filter="id > 1").plan_files())
        1
        >>> catalog.close()
        >>> reports[-1].filter, reports[-1].metrics["result-data-files"].value
        ({'type': 'gt', 'term': 'id', 'value': '(integer)'}, 1)
        >>> catalog.metrics_reporter = None
    """

    table_name: str
    snapshot_id: int
    filter: dict[str, Any] | bool
    schema_id: int
    projected_field_ids: tuple[int, ...]
    projected_field_names: tuple[str, ...]
    metrics: Mapping[str, CounterResult | TimerResult]
    metadata: Mapping[str, str] = field(default_factory=_engine)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON, as in the REST catalog specification."""
        return {
            "report-type": "scan-report",
            "table-name": self.table_name,
            "snapshot-id": self.snapshot_id,
            "filter": self.filter,
            "schema-id": self.schema_id,
            "projected-field-ids": list(self.projected_field_ids),
            "projected-field-names": list(self.projected_field_names),
            "metrics": {name: each.to_dict() for name, each in self.metrics.items()},
            "metadata": dict(self.metadata),
        }


@dataclass(frozen=True)
class CommitReport:
    """What a commit did, of a table with a new snapshot.

    Args:
        table_name: The catalog and the identifier of the table, with dots.
        snapshot_id: The new snapshot; the last one of several.
        sequence_number: The sequence number of the snapshot; 0 in format version 1.
        operation: The operation of the snapshot: `append`, `overwrite`, `delete` or `replace`.
        metrics: What was measured, by Iceberg Java's names: `total-duration`, `attempts`, and numbers of the summary of
            the snapshot, as `added-data-files`.
        metadata: What made the report.

    Examples:
        >>> reports = []
        >>> catalog.metrics_reporter = reports.append
        >>> _ = catalog.load_table("db.orders").append(pa.table({"id": [1, 2]}))
        >>> catalog.close()
        >>> reports[-1].operation, reports[-1].metrics["added-records"].value
        ('append', 2)
        >>> catalog.metrics_reporter = None
    """

    table_name: str
    snapshot_id: int
    sequence_number: int
    operation: str
    metrics: Mapping[str, CounterResult | TimerResult]
    metadata: Mapping[str, str] = field(default_factory=_engine)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON, as in the REST catalog specification."""
        return {
            "report-type": "commit-report",
            "table-name": self.table_name,
            "snapshot-id": self.snapshot_id,
            "sequence-number": self.sequence_number,
            "operation": self.operation,
            "metrics": {name: each.to_dict() for name, each in self.metrics.items()},
            "metadata": dict(self.metadata),
        }


MetricsReport: TypeAlias = "ScanReport | CommitReport"
"""A report of a scan or of a commit."""

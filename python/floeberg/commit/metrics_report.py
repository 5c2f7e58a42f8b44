"""What does a report say of a commit?

The numbers are those of the summary of its snapshot, by the names that Iceberg Java's `CommitMetricsResult` has for
them. A number that the summary does not have is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from floeberg.metrics.reports import CommitReport, CounterResult, TimerResult
from floeberg.types._from_json import read_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from floeberg.commit.operations import OpenedTable, TableOperations
    from floeberg.commit.result import Committed

__all__ = ["report_commit"]

_OTHERWISE_NAMED: Final = {
    "removed-data-files": "deleted-data-files",
    "added-positional-delete-files": "added-position-delete-files",
    "removed-positional-delete-files": "removed-position-delete-files",
    "removed-records": "deleted-records",
    "added-positional-deletes": "added-position-deletes",
    "removed-positional-deletes": "removed-position-deletes",
    "total-positional-deletes": "total-position-deletes",
    "manifest-entries-processed": "entries-processed",
}
"""Metrics whose names are others in summaries."""
_AS_NAMED: Final = (
    "added-data-files",
    "total-data-files",
    "added-delete-files",
    "added-equality-delete-files",
    "added-dvs",
    "removed-delete-files",
    "removed-equality-delete-files",
    "removed-dvs",
    "total-delete-files",
    "added-records",
    "total-records",
    "added-equality-deletes",
    "removed-equality-deletes",
    "total-equality-deletes",
    "manifests-created",
    "manifests-replaced",
    "manifests-kept",
)
_BYTES: Final = {f"{what}-files-size-bytes": f"{what}-files-size" for what in ("added", "removed", "total")}
_COUNTS: Final = {name: name for name in _AS_NAMED} | _OTHERWISE_NAMED


def report_commit(operations: TableOperations, committed: Committed, seconds: float, attempts: int) -> None:
    """Has a commit reported that made a snapshot here, where somebody gets reports.

    Args:
        operations: The operations of the table.
        committed: The commit.
        seconds: How long it took.
        attempts: How often it was tried.
    """
    snapshot_id, table = committed.snapshot_id, committed.table
    if not committed.here or snapshot_id is None or (sink := operations.metrics) is None:
        return
    sink.send(lambda name: _report(name, table, snapshot_id, seconds, attempts))


def _report(
    name: str, table: OpenedTable, snapshot_id: int, seconds: float, attempts: int
) -> CommitReport | None:
    snapshot = read_snapshot(table, snapshot_id)
    if snapshot is None:
        return None
    summary = snapshot.summary
    metrics: dict[str, CounterResult | TimerResult] = {
        "total-duration": TimerResult(round(seconds * 1e9)),
        "attempts": CounterResult(attempts),
        **dict(_counters(summary, _COUNTS, "count")),
        **dict(_counters(summary, _BYTES, "bytes")),
    }
    operation = snapshot.operation or ""
    return CommitReport(name, snapshot_id, snapshot.sequence_number, operation, metrics)


def _counters(
    summary: Mapping[str, str], names: Mapping[str, str], unit: str
) -> Iterator[tuple[str, CounterResult]]:
    for metric, key in names.items():
        value = summary.get(key, "")
        if value.isascii() and value.isdigit():
            yield metric, CounterResult(int(value), unit)

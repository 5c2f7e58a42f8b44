"""Reports of scans and commits as measurements of OpenTelemetry."""

from __future__ import annotations

import sys

import pyarrow as pa
import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

import floeberg as fb
from floeberg.errors import NotInstalledError
from floeberg.metrics import OpenTelemetryReporter

ROWS = pa.table({"id": [1, 2, 3]})


def measured(reader: InMemoryMetricReader) -> dict[str, list[tuple[dict, object]]]:
    """The points of each instrument: attributes and values, of histograms their sums."""
    data = reader.get_metrics_data()
    return {
        metric.name: [
            (dict(point.attributes), point.value if hasattr(point, "value") else point.sum)
            for point in metric.data.data_points
        ]
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }


def test_scans_and_commits_are_measured():
    reader = InMemoryMetricReader()
    reporter = OpenTelemetryReporter(MeterProvider(metric_readers=[reader]))
    catalog = fb.load_catalog("telemetry", type="memory", metrics_reporter=reporter)
    catalog.create_namespace("db")
    table = catalog.create_table("db.t", ROWS.schema)
    table.append(ROWS)
    table.append(ROWS)
    table.delete("id = 2")
    list(table.scan(row_filter="id > 1").plan_files())
    catalog.close()
    found = measured(reader)
    name = {"floeberg.table": "telemetry.db.t"}
    append, delete = name | {"floeberg.operation": "append"}, name | {"floeberg.operation": "overwrite"}
    assert (append, 6) in found["floeberg.commit.added_records"]
    assert any(where == delete for where, _ in found["floeberg.commit.attempts"])
    files = table.scan(row_filter="id > 1").explain().data_files
    assert found["floeberg.scan.result_data_files"] == [(name, files)]
    ((where, seconds),) = found["floeberg.scan.total_planning_duration"]
    assert where == name
    assert 0 < seconds < 60


def test_filters_and_values_do_not_leave_the_process():
    reader = InMemoryMetricReader()
    reporter = OpenTelemetryReporter(MeterProvider(metric_readers=[reader]))
    catalog = fb.load_catalog("telemetry-secret", type="memory", metrics_reporter=reporter)
    catalog.create_namespace("db")
    table = catalog.create_table("db.t", pa.schema({"name": pa.string()}))
    table.append(pa.table({"name": ["hidden"]}))
    list(table.scan(row_filter="name = 'hidden'").plan_files())
    catalog.close()
    assert "hidden" not in str(measured(reader))


def test_another_report_is_left_out():
    reader = InMemoryMetricReader()
    OpenTelemetryReporter(MeterProvider(metric_readers=[reader])).report(
        type("Other", (), {"table_name": "x", "metrics": {}})()
    )
    assert reader.get_metrics_data() is None


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(NotInstalledError, match=r"floeberg\[otel\]"):
        OpenTelemetryReporter()

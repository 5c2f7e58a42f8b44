"""Reports of scans and commits: sent once, in the background, and never in the way."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import textwrap
import threading
import time

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.metrics import delivery
from forked import check_in_a_child
from rest_catalogs.scripted import NAMESPACE, TABLES, Says, error

METRICS = f"POST {TABLES}/t/metrics"


@pytest.fixture
def table(server, load, loadable):
    server.says(f"GET {NAMESPACE}", Says(200, {"namespace": ["ns"], "properties": {}}))
    server.says(f"GET {TABLES}/t", loadable())
    return load().load_table("ns.t")


@pytest.fixture
def committed(server, table, tmp_path):
    """A server that takes one commit to the table, as Iceberg's does."""

    def takes(asked):
        (snapshot,) = [each["snapshot"] for each in asked.json["updates"] if each["action"] == "add-snapshot"]
        metadata = json.loads(table._inner.metadata_json())
        metadata["snapshots"].append(snapshot)
        metadata["current-snapshot-id"] = snapshot["snapshot-id"]
        metadata["refs"] = {"main": {"type": "branch", "snapshot-id": snapshot["snapshot-id"]}}
        metadata["last-sequence-number"] = snapshot["sequence-number"]
        return Says(200, {"metadata-location": str(tmp_path / "next.metadata.json"), "metadata": metadata})

    server.says(f"POST {TABLES}/t", takes)
    return table


def reported(server, table):
    table.catalog.close()
    return [each.json for each in server.reports]


def test_a_plan_is_reported_once(server, table):
    plan = table.scan(row_filter="id > 7 AND id IN (5, 6)", selected_fields=("id",)).plan_files()
    assert server.reports == []
    assert len(plan) == len(plan.to_arrow()) == len(plan.split()) == 0
    (report,) = reported(server, table)
    metrics = report.pop("metrics")
    assert report == {
        "report-type": "scan-report",
        "table-name": "scripted.ns.t",
        "snapshot-id": table.current_snapshot().snapshot_id,
        "filter": {
            "type": "and",
            "left": {"type": "gt", "term": "id", "value": "(integer)"},
            "right": {"type": "in", "term": "id", "values": ["(integer)"]},
        },
        "schema-id": 0,
        "projected-field-ids": [1],
        "projected-field-names": ["id"],
        "metadata": {"engine-name": "floeberg", "engine-version": fb.__version__},
    }
    timer = metrics.pop("total-planning-duration")
    assert (timer["count"], timer["time-unit"]) == (1, "nanoseconds")
    assert timer["total-duration"] > 0
    counts = {name: each["value"] for name, each in metrics.items()}
    assert counts["total-data-manifests"] == counts["scanned-data-manifests"] == 1
    assert counts["skipped-data-manifests"] == counts["result-data-files"] == 0
    assert counts["skipped-data-files"] == 1
    assert metrics["total-file-size-in-bytes"] == {"unit": "bytes", "value": 0}


def test_numbers_of_a_plan_are_those_of_its_files(server, table):
    (task,) = table.scan().plan_files()
    (report,) = reported(server, table)
    assert report["metrics"]["result-data-files"]["value"] == 1
    assert report["metrics"]["total-file-size-in-bytes"]["value"] == task.file.file_size_in_bytes
    assert report["metrics"]["result-delete-files"]["value"] == 0
    assert report["filter"] is True


def test_batches_of_a_plan_are_reported_at_their_end(server, table):
    batches = table.scan().plan_files().iter_batches()
    assert next(batches).num_rows == 1
    assert reported(server, table) == []
    assert list(batches) == []
    (report,) = reported(server, table)
    assert report["metrics"]["result-data-files"]["value"] == 1
    assert report["metrics"]["total-file-size-in-bytes"]["value"] > 0


@pytest.mark.parametrize(
    "read",
    [
        lambda scan: scan.to_arrow(),
        lambda scan: scan.to_pandas(),
        lambda scan: list(scan.to_arrow_batch_reader()),
        pa.table,
        lambda scan: scan.count(),
        lambda scan: scan.max("id"),
    ],
    ids=["arrow", "pandas", "reader", "capsule", "count", "max"],
)
def test_each_read_is_one_report(server, table, read):
    read(table.scan(row_filter="id > 0").select("id"))
    (report,) = reported(server, table)
    assert report["report-type"] == "scan-report"
    assert report["filter"]["type"] == "gt"


def test_what_reads_no_rows_is_no_report(server, table):
    table.schema()
    scan = table.scan()
    assert scan.explain(count=True).data_files == 1
    assert repr(table) + repr(scan) + table._repr_html_()
    assert table.inspect.files().num_rows == 1
    assert reported(server, table) == []


def test_a_commit_is_reported_once(server, committed):
    result = committed.append(pa.table({"id": [1, 2, 3]}))
    (report,) = reported(server, committed)
    snapshot = committed.current_snapshot()
    metrics = report.pop("metrics")
    assert report == {
        "report-type": "commit-report",
        "table-name": "scripted.ns.t",
        "snapshot-id": result.snapshot_id,
        "sequence-number": snapshot.sequence_number,
        "operation": "append",
        "metadata": {"engine-name": "floeberg", "engine-version": fb.__version__},
    }
    assert metrics["total-duration"]["total-duration"] > 0
    assert metrics["attempts"] == {"unit": "count", "value": 1}
    assert metrics["added-data-files"]["value"] == 1
    assert (metrics["added-records"]["value"], metrics["total-records"]["value"]) == (3, 5)
    assert metrics["added-files-size-bytes"] == {"unit": "bytes", "value": result.added_bytes}


def test_a_commit_without_a_snapshot_is_not_reported(server, table, loadable):
    server.says(f"POST {TABLES}/t", loadable())
    table.set_properties({"a": "b"})
    assert reported(server, table) == []


def test_an_append_takes_one_request_and_its_report(server, committed):
    before = len(server.asked)
    committed.append(pa.table({"id": [1]}))
    reported(server, committed)
    asked = [f"{each.method} {each.path.partition('?')[0]}" for each in server.asked[before:]]
    # The table is loaded to see whether it is current, which a tag makes short; then comes the commit.
    assert asked == [f"GET {TABLES}/t", f"POST {TABLES}/t"]
    assert len(server.reports) == 1


@pytest.mark.parametrize("off", ["property", "override", "endpoints"])
def test_nothing_is_sent_where_it_is_off(server, load, loadable, off):
    server.says(f"GET {TABLES}/t", loadable())
    given = {"rest-metrics-reporting-enabled": "false"}
    if off == "override":
        server.config = {"defaults": {}, "overrides": given}
    if off == "endpoints":
        server.config["endpoints"] = ["GET /v1/{prefix}/namespaces/{namespace}/tables/{table}"]
    table = load(**(given if off == "property" else {})).load_table("ns.t")
    table.scan().count()
    assert reported(server, table) == []


@pytest.mark.parametrize("says", [Says(0), error(400), error(401), error(503), Says(200, b"<html>")])
def test_a_server_that_fails_fails_no_scan(server, table, says, waits):
    server.says(METRICS, says)
    assert table.scan().count() == table.scan().count() == 2
    assert len(reported(server, table)) == 2
    assert waits == []


@pytest.mark.parametrize("says", [error(404), error(405), error(501)])
def test_a_server_without_the_endpoint_is_asked_once(server, table, says):
    server.says(METRICS, says)
    table.scan().count()
    assert len(reported(server, table)) == 1
    assert table.scan().count() == 2
    assert len(reported(server, table)) == 1


def test_a_table_that_was_dropped_does_not_end_the_reports_of_others(server, table):
    server.says(METRICS, error(404, "NoSuchTableException"))
    for _ in range(2):
        table.scan().count()
        table.catalog.close()
    assert len(server.reports) == 2


def test_a_slow_server_delays_nothing_and_reports_are_dropped(server, table, monkeypatch):
    monkeypatch.setattr(delivery, "_MOST_WAITING", 3)
    opened = threading.Event()

    def slow(_):
        opened.wait(30)
        return Says(204)

    server.says(METRICS, slow)
    began = time.monotonic()
    for _ in range(10):
        assert table.scan().count() == 2
    assert time.monotonic() - began < 20
    assert table.catalog._delivery().dropped >= 6
    opened.set()
    assert 1 <= len(reported(server, table)) <= 4


@pytest.mark.usefixtures("table")
def test_the_end_of_a_process_waits_a_short_time_and_does_not_hang(server):
    server.says(METRICS, lambda _: time.sleep(60) or Says(204))
    program = f"""
        import floeberg as fb
        table = fb.load_catalog("scripted", type="rest", uri={server.url!r}).load_table("ns.t")
        for _ in range(3):
            assert table.scan().count() == 2
    """
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, timeout=50)
    assert time.monotonic() - began < 40


@pytest.mark.usefixtures("table")
def test_the_end_of_a_process_sends_what_is_there(server):
    program = f"""
        import floeberg as fb
        fb.load_catalog("scripted", type="rest", uri={server.url!r}).load_table("ns.t").scan().count()
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, timeout=50)
    assert len(server.reports) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_reports_for_itself(server, table):
    opened = threading.Event()
    server.says(METRICS, lambda _: opened.wait(30) and Says(204), Says(204))
    # The parent's report is on its way while the child is made.
    table.scan().count()

    def counted():
        found = table.scan().count() == 2
        table.catalog.close()
        return found

    check_in_a_child(counted)
    opened.set()
    assert len(reported(server, table)) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_that_is_forked_while_a_report_gets_a_token_has_locks_of_its_own(server, load, loadable):
    opened, asked = threading.Event(), threading.Event()
    of_parent = os.getpid()

    def slow(_):
        asked.set()
        opened.wait(30)
        return Says(400)

    server.says(
        "POST /v1/oauth/tokens", Says(200, {"access_token": "one"}), slow, Says(200, {"access_token": "two"})
    )
    server.says(f"GET {TABLES}/t", loadable())
    server.says(METRICS, error(401), Says(204))
    table = load(credential="me:hush").load_table("ns.t")
    # The report is refused, and the thread that sends it holds the lock of the tokens while it asks for another one.
    table.scan().count()
    assert asked.wait(30)
    check_in_a_child(lambda: os.getpid() != of_parent and table.refresh().scan().count() == 2)
    opened.set()
    table.catalog.close()


def test_what_goes_to_workers_reports_nothing(server, table):
    scan = table.scan()
    groups = scan.plan_files().split()
    before = len(reported(server, table))
    assert sum(pickle.loads(pickle.dumps(each)).to_arrow().num_rows for each in groups) == 2
    assert pickle.loads(pickle.dumps(scan)).count() == 2
    assert len(reported(server, table)) == before


def test_no_value_of_a_filter_and_no_secret_is_sent(server, load, loadable):
    server.says(f"GET {TABLES}/t", loadable())
    table = load(token="hush-token", **{"header.X-Key": "hush-key"}).load_table("ns.t")
    table.scan(row_filter="id = 987654 OR NOT (id BETWEEN 987655 AND 987656)").count()
    table.scan(row_filter="id * 2 = 987654").count()
    reports = reported(server, table)
    assert len(reports) == 2
    assert reports[1]["filter"] is True
    text = json.dumps(reports)
    assert "98765" not in text
    assert "hush" not in text
    assert {each.headers["authorization"] for each in server.reports} == {"Bearer hush-token"}

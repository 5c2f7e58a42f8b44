"""A reporter of the user: of any catalog, for scans and commits."""

from __future__ import annotations

import logging
import pickle

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError
from floeberg.metrics import CommitReport, ScanReport

ROWS = pa.table({"id": [1, 2, 3], "day": ["a", "b", "b"]})


@pytest.fixture(params=["memory", "sql", "filesystem"])
def made(request, tmp_path):
    reports = []
    more = {"uri": f"sqlite:///{tmp_path}/c.db"} if request.param == "sql" else {}
    catalog = fb.load_catalog(
        f"reported {tmp_path}",
        metrics_reporter=reports.append,
        type=request.param,
        warehouse=str(tmp_path / "lake"),
        **more,
    )
    catalog.create_namespace("db")
    return catalog, reports


def test_every_catalog_reports_commits_and_scans(made):
    catalog, reports = made
    table = catalog.create_table("db.t", as_select=ROWS, partition_spec=["day"])
    table.delete("id = 2")
    table.append(ROWS)
    table.scan(row_filter="day = 'a'").plan_files().split()
    catalog.close()
    commits = [each for each in reports if isinstance(each, CommitReport)]
    assert [each.operation for each in commits] == ["append", "overwrite", "append"]
    assert [each.sequence_number for each in commits] == [1, 2, 3]
    assert [each.snapshot_id for each in commits] == [each.snapshot_id for each in table.snapshots()]
    (scan,) = [each for each in reports if isinstance(each, ScanReport)]
    assert {each.table_name for each in reports} == {f"{catalog.name}.db.t"}
    explain = table.scan(row_filter="day = 'a'").explain()
    found = {name: each.value for name, each in scan.metrics.items() if name != "total-planning-duration"}
    assert found["result-data-files"] == explain.data_files == 2
    assert found["total-file-size-in-bytes"] == explain.size_in_bytes
    assert found["scanned-data-manifests"] == explain.manifests.data
    skipped = sum(each.entered - each.kept for each in explain.stages if each.name.startswith("data files"))
    assert found["skipped-data-files"] == skipped
    catalog.purge_table("db.t")


def test_deletes_are_counted_by_kind(made):
    catalog, reports = made
    table = catalog.create_table(
        "db.d", as_select=ROWS, properties={"write.delete.mode": "merge-on-read"}, format_version=3
    )
    table.delete("id = 2")
    catalog.close()
    reports.clear()
    len(table.scan().plan_files())
    catalog.close()
    (scan,) = reports
    assert scan.metrics["dvs"].value == scan.metrics["result-delete-files"].value == 1
    assert scan.metrics["positional-delete-files"].value == 0
    assert scan.metrics["total-delete-file-size-in-bytes"].unit == "bytes"
    assert scan.metrics["total-delete-file-size-in-bytes"].value > 0


def test_a_commit_of_several_tables_is_a_report_for_each(tmp_path):
    reports = []
    catalog = fb.load_catalog(f"several {tmp_path}", metrics_reporter=reports.append, type="memory")
    catalog.create_namespace("db")
    for name in ("db.a", "db.b"):
        catalog.create_table(name, ROWS.schema)
    with catalog.transaction() as transaction:
        transaction.table("db.a").append(ROWS)
        transaction.table("db.b").append(ROWS)
    catalog.close()
    assert {each.table_name.rpartition(".")[2] for each in reports} == {"a", "b"}
    assert len(reports) == 2


def test_an_object_with_a_method_is_a_reporter(tmp_path):
    class Kept:
        def __init__(self):
            self.reports = []

        def report(self, report):
            self.reports.append(report)

    catalog = fb.load_catalog(f"kept {tmp_path}", type="memory")
    kept = Kept()
    catalog.metrics_reporter = kept
    catalog.create_namespace("db")
    catalog.create_table("db.t", as_select=ROWS)
    catalog.close()
    assert [each.operation for each in kept.reports] == ["append"]
    catalog.metrics_reporter = None
    catalog.load_table("db.t").append(ROWS)
    catalog.close()
    assert len(kept.reports) == 1


def test_a_reporter_that_raises_fails_nothing(tmp_path, caplog):
    def fails(report):
        raise RuntimeError(f"hush {report}")

    catalog = fb.load_catalog(f"fails {tmp_path}", metrics_reporter=fails, type="memory")
    catalog.create_namespace("db")
    with caplog.at_level(logging.DEBUG, "floeberg.metrics"):
        table = catalog.create_table("db.t", as_select=ROWS)
        assert table.scan().count() == 3
        catalog.close()
    assert "RuntimeError" in caplog.text
    assert "hush" not in caplog.text


def test_a_second_commit_with_the_key_is_not_reported(tmp_path):
    reports = []
    catalog = fb.load_catalog(f"keys {tmp_path}", metrics_reporter=reports.append, type="memory")
    catalog.create_namespace("db")
    table = catalog.create_table("db.t", ROWS.schema)
    table.append(ROWS, idempotency_key="job")
    assert table.append(ROWS, idempotency_key="job").already_committed
    catalog.close()
    assert len(reports) == 1


@pytest.mark.parametrize("reporter", [5, "print", object()])
def test_another_object_is_an_error(reporter, tmp_path):
    with pytest.raises(InvalidInputError, match=f"metrics_reporter.*{type(reporter).__name__}"):
        fb.load_catalog(f"odd {tmp_path}", metrics_reporter=reporter, type="memory")


def test_reports_are_values(made):
    catalog, reports = made
    table = catalog.create_table("db.v", as_select=ROWS)
    len(table.scan().plan_files())
    catalog.close()
    for each in reports:
        assert pickle.loads(pickle.dumps(each)) == each
        assert set(each.to_dict()) >= {"report-type", "table-name", "snapshot-id", "metrics"}
        with pytest.raises(AttributeError):
            each.snapshot_id = 5


def test_a_pickled_catalog_has_no_reporter(tmp_path):
    catalog = fb.load_catalog(f"sent {tmp_path}", metrics_reporter=print, type="memory")
    assert pickle.loads(pickle.dumps(catalog)).metrics_reporter is None

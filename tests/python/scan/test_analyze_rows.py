"""How long reading takes is also said of plans, of changes and of Lance tables."""

from __future__ import annotations

import pytest

from corpus import lance_lent, lent
from floeberg.errors import InvalidInputError


def looked_at(explain, rows):
    analysis = explain.analysis
    assert analysis.rows == rows
    assert 0 < analysis.first_seconds <= analysis.seconds
    assert (analysis.batches > 0, analysis.size_in_bytes > 0) == (rows > 0, rows > 0)
    assert f"result: {rows:,} rows in {analysis.batches:,} batches" in str(explain)
    assert "reading took" in explain._repr_html_()


@pytest.mark.parametrize("wanted", ["true", "id > 3", "id = -1"])
def test_plans(wanted):
    scan = lent("refs").open().scan(row_filter=wanted)
    looked_at(scan.plan_files().explain(analyze=True), scan.to_arrow().num_rows)
    assert scan.plan_files().explain().analysis is None


def test_changes():
    table = lent("deletes").open()
    for changes in (table.changelog_scan(), table.changelog_scan(net=True)):
        explain = changes.explain(analyze=True)
        looked_at(explain, changes.to_arrow().num_rows)
        plan = changes.plan_files()
        kinds = plan["change_type"].to_pylist()
        assert (explain.inserted_files, explain.deleted_files) == (
            kinds.count("INSERT"),
            kinds.count("DELETE"),
        )
        assert explain.compared_files == plan["changed_rows"].null_count
        assert explain.records == sum(plan["record_count"].to_pylist())
        assert explain.size_in_bytes == sum(plan["file_size_in_bytes"].to_pylist())
        assert explain.to_dict()["analysis"]["rows"] == explain.analysis.rows
    assert explain.is_net and explain.snapshots == 1
    assert "net" in str(explain)
    plain = table.changelog_scan().explain()
    assert plain.analysis is None and plain.snapshots == len(table.versions())
    assert "the first snapshot on" in str(plain)


def test_lance_tables():
    table = lance_lent("lance").open()
    looked_at(table.scan().explain(analyze=True), 29)
    looked_at(table.scan(row_filter="id < 3", limit=1).explain(analyze=True), 1)
    assert table.scan().explain().analysis is None


def test_it_is_yes_or_no():
    for explaining in (
        lent("refs").open().scan().plan_files(),
        lent("refs").open().changelog_scan(),
        lance_lent("lance").open().scan(),
    ):
        with pytest.raises(InvalidInputError, match="analyze"):
            explaining.explain(analyze="yes")

"""What is said of files, columns and settings, and what is proven without reading rows?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from diff.compared import SCHEMA, changed, filled, found, made
from floeberg.comparing import Changed
from floeberg.errors import NotFoundError


def rows(first: int, count: int) -> pa.Table:
    numbers = range(first, first + count)
    return pa.table({"id": numbers, "note": ["a"] * count, "x": [1.0] * count}, SCHEMA)


def local(folder: object, **how: object) -> fb.Table:
    catalog = fb.load_catalog("local", type="filesystem", warehouse=str(folder))
    catalog.create_namespace("ns")
    return catalog.create_table("ns.t", SCHEMA, **how)


@contextmanager
def no_data_files(table: fb.Table) -> Iterator[None]:
    """Data files are elsewhere for a while."""
    folder = Path(table.location().removeprefix("file://")) / "data"
    away = folder.with_name("away")
    folder.rename(away)
    yield
    away.rename(folder)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_compaction_is_proven_to_change_no_row_without_a_data_file(version, tmp_path):
    table = local(tmp_path, format_version=version)
    for number in range(6):
        table.append(rows(number * 10, 10))
    if version > 1:
        table.delete("id = 3")
    before = table.current_snapshot().snapshot_id
    table.maintenance.rewrite_data_files(options={"rewrite-all": "true"})
    after = table.current_snapshot()
    assert after.operation == "replace"
    with no_data_files(table):
        for diff in (table.diff(before), table.diff(after.snapshot_id, before)):
            assert diff.proof() == "rewrites only"
            assert not diff.has_changed_rows()
            assert diff.to_arrow().num_rows == 0
            assert diff.summary().changed_rows == 0
            assert "- rows: no row changed (rewrites only)" in diff.to_markdown()
            assert set(diff.files()["change"].to_pylist()) == {"added", "removed"}
        assert table.diff(before, preview=True).num_rows == 0


def test_a_compaction_and_a_change_are_no_proof():
    table, start = filled(2)
    table.append(rows(10, 5))
    middle = table.current_snapshot().snapshot_id
    table.maintenance.rewrite_data_files(options={"rewrite-all": "true"})
    assert table.diff(middle).proof() == "rewrites only"
    assert table.diff(start).proof() is None
    assert len(found(table.diff(start))) == 5
    table.delete("id = 1")
    assert table.diff(middle).proof() is None
    assert found(table.diff(middle)) == [("delete", None, (1, "a", 1.0), None)]
    assert table.diff("main").proof() == "same snapshot"


def test_a_copied_row_is_no_change_where_nothing_is_proven():
    """Files are written again beside a change: their rows are compared, and found to be the same."""
    for version in (2, 3):
        table, start = filled(version, "copy-on-write")
        table.delete("id = 4")
        table.maintenance.rewrite_data_files(options={"rewrite-all": "true"})
        assert found(table.diff(start)) == [("delete", None, (4, None, 4.0), None)]


def test_counts_of_appends_and_of_dropped_files_read_no_data_file(tmp_path):
    table = local(tmp_path)
    table.append(rows(0, 10))
    start = table.current_snapshot().snapshot_id
    table.append(rows(10, 7))
    with no_data_files(table):
        assert table.diff(start).summary().inserted_rows == 7
        end = table.current_snapshot().snapshot_id
        assert table.diff(end, start).summary().deleted_rows == 7
        with pytest.raises(NotFoundError):
            table.diff(start).to_arrow()


@pytest.mark.parametrize("version", [2, 3])
def test_files_and_their_deletes_are_listed(version):
    table, start = filled(version, "merge-on-read")
    table.delete("id = 3")
    table.append(rows(10, 2))
    files = table.diff(start).files().to_pylist()
    listed = [(each["change"], each["content"], each["record_count"]) for each in files]
    deletes = "deletion vector" if version == 3 else "position deletes"
    assert sorted(listed) == [("added", "data", 2), ("added", deletes, 1), ("other deletes", "data", 4)]
    back = table.diff(table.current_snapshot().snapshot_id, start).files().to_pylist()
    assert sorted(each["change"] for each in back) == ["other deletes", "removed", "removed"]
    assert {each["file_path"] for each in back} == {each["file_path"] for each in files}
    summary = table.diff(start).summary()
    assert (summary.added_files, summary.removed_files, summary.files_with_other_deletes) == (2, 0, 1)


def test_a_preview_says_the_most_for_each_partition():
    catalog = fb.load_catalog("diff preview", type="memory")
    catalog.create_namespace_if_not_exists("ns")
    modes = {"write.delete.mode": "merge-on-read"}
    table = catalog.create_table("ns.t", SCHEMA, properties=modes)
    with table.update_spec() as update:
        update.add_identity("note")
    table.append(pa.table({"id": [1, 2, 3], "note": ["a", "a", "b"], "x": [0.0] * 3}, SCHEMA))
    start = table.current_snapshot().snapshot_id
    table.delete("id = 1")
    table.append(pa.table({"id": [4, 5], "note": ["b", "c d"], "x": [0.0] * 2}, SCHEMA))
    most = {
        each["partition"]: (each["files"], each["inserted_rows"], each["deleted_rows"])
        for each in table.diff(start, preview=True).to_pylist()
    }
    assert most == {"note=a": (1, 0, 1), "note=b": (1, 1, 0), "note=c+d": (1, 1, 0)}
    [row] = [each for each in table.diff(start, preview=True).to_pylist() if each["partition"] == "note=b"]
    assert row["inserted_bytes"] > 0 == row["deleted_bytes"]
    chosen = table.diff(start, preview=True, row_filter="note = 'b'")
    assert chosen["partition"].to_pylist() == ["note=b"]


def test_settings_are_those_of_the_commits():
    table = made(2)
    table.append(rows(0, 3))
    first = table.current_snapshot().snapshot_id
    table.set_properties({"owner": "jo", "team": "x"})
    with table.update_spec() as update:
        update.add_identity("note")
    table.append(rows(3, 3))
    second = table.current_snapshot().snapshot_id
    table.set_properties({"owner": "al"})
    with table.update_sort_order() as order:
        order.asc("id")
    assert table.diff(first, second).properties() == {
        "owner": Changed(None, "jo"),
        "team": Changed(None, "x"),
    }
    assert table.diff(second).properties() == {"owner": Changed("jo", "al")}
    assert table.diff(second, first).properties()["team"] == Changed("x", None)
    specs = table.diff(first, second).spec()
    assert [each.name for each in specs.after.fields] == ["note"]
    assert specs.before.is_unpartitioned()
    assert table.diff(first, second).sort_order() is None
    assert table.diff(second).spec() is None
    orders = table.diff(second).sort_order()
    assert (len(orders.before.fields), len(orders.after.fields)) == (0, 1)
    shown = table.diff(second).summary().facts()
    assert shown["properties"] == "owner: jo -> al"


def test_settings_that_are_not_known_any_more_are_named():
    table = made(2)
    table.append(rows(0, 3))
    first = table.current_snapshot().snapshot_id
    table.set_properties({"write.metadata.previous-versions-max": "1"})
    for number in range(4):
        table.append(rows(number * 10, 1))
    with pytest.raises(NotFoundError, match=f"written with snapshot {first} is not known"):
        table.diff(first).properties()
    summary = table.diff(first).summary()
    assert summary.inserted_rows == 4
    assert f"snapshot {first}" in summary.not_known


def test_snapshots_are_given_by_id_name_and_time():
    table, start = filled(2)
    table.manage_snapshots().create_tag(start, "before").commit()
    moment = datetime.fromtimestamp(table.current_snapshot().timestamp_ms / 1000, timezone.utc)
    table.append(rows(10, 2))
    for a in (start, "before"):
        assert len(found(table.diff(a))) == 2
        assert len(found(table.diff(a, "main"))) == 2
    assert table.diff(moment).from_snapshot_id in {start, table.current_snapshot().snapshot_id}


def test_a_difference_is_shown_as_markdown_and_html():
    table, start = changed(3, "copy-on-write")
    table.append(pa.table({"id": [6], "note": ["<b>|x"], "x": [6.0]}, SCHEMA))
    diff = table.diff(start, key=["id"])
    text = diff.to_markdown()
    assert "- rows: 2 inserted, 1 deleted, 1 updated" in text
    assert "- updated columns: note in 1, x in 1" in text
    assert "| change | id | note | x |" in text
    assert "| update | 2 | b -\\> B | 2.0 -\\> 20.0 |" in text
    assert "| delete | 3 | c | 3.0 |" in text
    assert "\\<b\\>\\|x" in text
    assert "<b>" not in text
    html = diff._repr_html_()
    assert "&lt;b&gt;|x" in html
    assert '<td style="text-align:left">b -&gt; B</td>' in html
    short = diff.to_markdown(limit=1)
    assert "3 more rows" in short
    assert diff.to_markdown(limit=0).count("|") == 0

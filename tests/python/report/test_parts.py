"""The parts of a report say what the calls say that they come from."""

from __future__ import annotations

import itertools
import json
import math
import re
from html import unescape
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import floeberg as fb
from corpus.fixtures import lent
from floeberg.errors import InvalidInputError, NotFoundError, NotInstalledError
from floeberg.report.charts import squares
from floeberg.report.files import size_bins
from floeberg.report.graph import Ref, State, graph, lanes_of
from floeberg.report.history import chosen_states, points_over_time, states_of
from floeberg.report.pruning import fates_of
from floeberg.report.upkeep import points_of
from report.reading import part, text_of


@pytest.fixture(scope="module")
def report(orders):
    first = orders.snapshots()[0].snapshot_id
    return orders.report(row_filter="country = 'fr' and id > 250", snapshots=(first, "main"))


def test_the_numbers_at_the_top_are_those_of_the_table(orders, report):
    files = orders.inspect.data_files()
    text = text_of(report.html.partition("<section")[0])
    assert f"Rows in data files {sum(files['record_count'].to_pylist()):,} before deletes" in text
    assert f"Data files {files.num_rows} 1 with deletes" in text
    assert "Snapshots 5 2 branches, 1 tag" in text


def test_health_has_the_calls_that_mend_it(orders, report):
    health = orders.maintenance.health()
    text = part(report.html, "health")
    assert health.due
    for each in health.due:
        assert f"table.maintenance.{each.call.procedure}()" in text
    assert [each.name for each in points_of(health)] == [each.name for each in health.findings]
    for each in health.findings:
        assert each.name in text


def test_the_calls_of_health_mend_what_is_due(tmp_path):
    catalog = fb.load_catalog("mended", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("s")
    properties = {"history.expire.max-snapshot-age-ms": "1"}
    table = catalog.create_table("s.t", pa.schema({"id": pa.int64()}), properties=properties)
    for number in range(6):
        table.append(pa.table({"id": [number]}))
    due = [each for each in points_of(table.maintenance.health()) if each.is_due]
    calls = [each.call for each in due]
    assert calls == [
        "table.maintenance.rewrite_data_files()",
        "table.maintenance.rewrite_manifests()",
        "table.maintenance.expire_snapshots(dry_run=False)",
    ]
    for call in calls:
        eval(call, {"table": table})
        assert table.scan().count() == 6
    assert table.maintenance.health().due == ()
    assert part(table.report(check=None).html, "health").count("due") == 1


def test_history_names_each_snapshot_with_its_refs(orders, report):
    text = part(report.html, "history")
    for snapshot in orders.snapshots():
        assert f"id {snapshot.snapshot_id}" in text
    assert "tag march" in text and "audit" in text and "main" in text


def test_partitions_have_the_bytes_and_deletes_of_the_metadata_table(orders, report):
    text = part(report.html, "files")
    for each in orders.inspect.partitions().to_pylist():
        deletes = each["position_delete_record_count"] + each["equality_delete_record_count"]
        size = fb._display.bytes_shown(each["total_data_file_size_in_bytes"])
        name = f"country={each['partition']['country']}"
        assert f"{name} {size} {each['file_count']} {each['record_count']} {deletes}" in text


def test_the_difference_counts_rows_and_shows_some(orders, report):
    summary = orders.diff(orders.snapshots()[0].snapshot_id, "main").summary()
    text = part(report.html, "difference")
    assert f"{summary.inserted_rows} inserted, {summary.deleted_rows} deleted" in text
    assert f"{summary.changed_rows - 20} more rows are left out" in text


@pytest.mark.unchecked_tables("files are removed, to be found missing")
def test_findings_are_counted_by_rule(tmp_path):
    table = fb.catalog.filesystem.FileSystemCatalog("found", warehouse=str(tmp_path))
    table.create_namespace("s")
    made = table.create_table("s.t", pa.schema({"id": pa.int64()}))
    for number in range(2):
        made.append(pa.table({"id": [number]}))
    for file in made.inspect.data_files()["file_path"].to_pylist():
        (tmp_path / "s" / "t" / file).unlink()
    text = part(made.report(check="files").html, "findings")
    counts: dict[str, int] = {}
    for finding in made.check("files"):
        counts[finding.rule.id] = counts.get(finding.rule.id, 0) + 1
    assert counts
    for rule, count in counts.items():
        assert f"{rule} {count}" in text
    assert 'section id="findings"' not in made.report(check=None).html


@pytest.mark.unchecked_tables("a manifest is removed: the other parts of a report are made")
def test_a_part_that_cannot_be_made_says_why_and_the_others_are_made(tmp_path):
    catalog = fb.load_catalog("broken", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("s")
    table = catalog.create_table("s.t", pa.schema({"id": pa.int64()}))
    table.append(pa.table({"id": [1]}))
    (path,) = table.inspect.manifests()["path"].to_pylist()
    (tmp_path / path).unlink()
    html = fb.open_table(table.location()).report(row_filter="id = 1").html
    assert "This part could not be made. NotFoundError" in part(html, "files")
    assert path in part(html, "files")
    assert "This part could not be made." in part(html, "filter")
    assert "1 snapshot." in part(html, "history")
    assert "manifest" in part(html, "findings") and "no finding" not in part(html, "findings")


def test_what_was_asked_wrongly_is_an_error_and_no_report(orders, tmp_path):
    with pytest.raises(InvalidInputError, match="nothing"):
        orders.report(row_filter="nothing = 1")
    with pytest.raises(InvalidInputError, match=r"snapshots: expected two, such as .* found 'main'"):
        orders.report(snapshots="main")
    with pytest.raises(NotFoundError):
        orders.report(snapshots=(12, "main"))
    with pytest.raises(InvalidInputError, match="level"):
        orders.report(check="everything")
    with pytest.raises(InvalidInputError, match="path: expected a str or a path, found the int 7"):
        orders.report(check=None).save(7)
    with pytest.raises(FileNotFoundError):
        orders.report(tmp_path / "no" / "folder.html", check=None)


def test_without_the_library_the_error_says_what_to_install(orders, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    with pytest.raises(NotInstalledError, match=r"pip install 'floeberg\[report\]'"):
        orders.report()


def test_a_report_is_saved_and_shown_in_a_frame_of_its_own(orders, tmp_path):
    report = orders.report(tmp_path / "a.html", check=None)
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == report.html
    assert report.save(tmp_path / "b.html") == tmp_path / "b.html"
    assert repr(report).startswith("Report(sales.orders, ")
    frame = report._repr_html_()
    assert frame.count("<") == 2 and 'sandbox=""' in frame
    assert unescape(frame.partition('srcdoc="')[2].partition('"')[0]) == report.html


@pytest.mark.parametrize("role", ["refs", "deletes", "vectors", "evolved", "many", "types"])
def test_tables_of_other_writers_have_every_part(role):
    table = lent(role).open()
    html = table.report().html
    # Health is of tables that can be written, and these were moved.
    assert html.count("could not be made") == 1
    assert "a relocated table cannot be written" in part(html, "health")
    assert "rewrite its paths" in part(html, "health") and "..." not in part(html, "health")
    assert part(html, "files").startswith(
        f' aria-labelledby="files-title"> Files {table.inspect.data_files().num_rows} data'
    )


@pytest.mark.unchecked_tables("its times are no times")
@pytest.mark.parametrize("times", [(2**62, 2**61), (0, 2**53 + 1), (8_640_000_000_000_001, 1), (-5, -5)])
@pytest.mark.parametrize("total", ["9" * 17, "-1", "1e9", "0" * 18])
def test_times_and_counts_that_are_none_do_not_end_a_report(tmp_path, times, total):
    catalog = fb.load_catalog("times", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("s")
    table = catalog.create_table("s.t", pa.schema({"id": pa.int64()}), partition_spec=["id"])
    for _ in times:
        table.append(pa.table({"id": [1]}))
    file = Path(table.metadata_location)
    metadata = json.loads(file.read_text(encoding="utf-8"))
    for snapshot, time in zip(metadata["snapshots"], times, strict=True):
        snapshot["timestamp-ms"] = time
        snapshot["summary"] |= {"operation": "<x>", "total-records": total, "total-files-size": total}
    file.write_text(json.dumps(metadata), encoding="utf-8")
    html = fb.open_table(table.location()).report(row_filter="id = 1").html
    assert "<x>" not in html
    assert "NaN" not in html
    for key in ("health", "findings", "history", "files", "filter", "columns"):
        assert f'<section id="{key}"' in html


def test_partitions_by_dates_that_python_does_not_have_are_shown(tmp_path):
    catalog = fb.load_catalog("dates", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("s")
    columns = pa.schema({"day": pa.date32(), ".raw[0]": pa.binary()})
    table = catalog.create_table("s.t", columns, partition_spec=["day", ".raw[0]"])
    days = pa.array([5_000_000, None, 0], pa.int32()).cast(pa.date32())
    table.append(pa.table({"day": days, ".raw[0]": pa.array([b"\xff", b"", None], pa.binary())}))
    text = part(table.report(check=None).html, "files")
    assert "day=15659-07-15, .raw[0]=b'\\xff'" in text
    assert "day=1970-01-01, .raw[0]=null" in text
    assert "day=null, .raw[0]=b''" in text


# What the charts count.


@given(st.lists(st.integers(0, 2**62), max_size=40), st.integers(2, 2**40))
def test_bins_of_sizes_have_every_file_once(sizes, target):
    bins = size_bins(pa.chunked_array([pa.array(sizes, pa.int64())]), target * 3 // 4, target * 9 // 5)
    assert sum(each["files"] for each in bins) == len(sizes)
    small = sum(each["files"] for each in bins if each["kind"] == "small")
    assert small == sum(max(size, 1) < target * 3 // 4 for size in sizes)
    large = sum(each["files"] for each in bins if each["kind"] == "large")
    assert large == sum(size > target * 9 // 5 for size in sizes)
    for size in sizes:
        # The logarithm of a double may be that of the next power.
        wanted = math.log2(max(size, 1))
        assert any(each["low"] - 1e-9 <= wanted <= each["high"] + 1e-9 for each in bins)


@given(st.lists(st.integers(0, 100_000), min_size=1, max_size=4))
def test_squares_are_few_and_show_whatever_is_there(counts):
    named = [(str(number), "red", count) for number, count in enumerate(counts)]
    chart, each, rows = squares(named)
    values = chart["data"]["values"]
    assert len(values) <= 240 + len(counts)
    assert len({(value["row"], value["column"]) for value in values}) == len(values)
    for name, _, count in named:
        drawn = sum(value["kind"] == name for value in values)
        assert drawn == -(-count // each)
    assert all(value["row"] < rows for value in values)


@pytest.mark.parametrize(
    "where", ["TRUE", "country = 'de'", "id = 7", "country = 'fr' and id > 250", "id < 0"]
)
def test_what_becomes_of_manifests_and_files_adds_up(orders, where):
    files = orders.inspect.data_files().num_rows
    manifests = orders.inspect.manifests().to_pylist()
    of_manifests, of_files = fates_of(orders.scan(row_filter=where).explain(), files)
    assert sum(count for _, _, count in of_files) == files
    assert sum(count for _, _, count in of_manifests) == sum(each["content"] == 0 for each in manifests)
    assert of_files[0][2] == len(orders.scan(row_filter=where).plan_files())


@given(st.lists(st.none() | st.integers(0, 30), max_size=31), st.lists(st.integers(0, 40), max_size=5))
def test_every_state_has_a_lane_and_a_line_whatever_its_parent(parents, heads):
    # Parents may be missing, or form a circle: metadata comes from others.
    states = [
        State(number, parent, "append", "", [Ref("<b>", is_tag=True)] if number % 3 else [])
        for number, parent in enumerate(parents)
    ]
    lanes = lanes_of(states, heads)
    assert set(lanes) == {each.number for each in states}
    assert all(0 <= lane < 6 for lane in lanes.values())
    html = graph(states, heads)
    assert html.count("<li>") == html.count("<circle") == len(states)
    assert "<b>" not in html


def test_the_main_line_has_the_first_lane_and_a_branch_another():
    states = [State(4, 3, "", ""), State(5, 2, "", ""), *(State(n, n - 1, "", "") for n in (3, 2, 1))]
    assert lanes_of(states, [4, 5]) == {4: 0, 3: 0, 2: 0, 1: 0, 5: 1}
    # Its lane begins at 5, passes 3, and ends at 2, from which the branch came.
    assert re.findall(r'<path d="([^"]*)"[^>]*lane1', graph(states, [4, 5])) == [
        "M28 14V48",
        "M28 0V48",
        "M28 0C28 9 10 3 10 14",
    ]


def test_a_state_leads_to_the_nearest_ancestor_that_is_shown():
    snapshots = [
        fb.types.Snapshot(number, number - 1 or None, number, number, None, fb.types.Summary())
        for number in range(1, 101)
    ]
    refs = {"main": fb.types.SnapshotRef(100, "branch"), "old": fb.types.SnapshotRef(7, "tag")}
    chosen = chosen_states(snapshots, refs)
    states = states_of(chosen, snapshots, refs)
    assert [each.number for each in states] == [*range(100, 75, -1), 7]
    # 76 leads over those between to 7, and 7 to the first of all, which is not shown.
    assert [each.parent for each in states[-2:]] == [7, 1]
    assert set(lanes_of(states, [100]).values()) == {0}
    circle = [
        fb.types.Snapshot(1, 2, 1, 1, None, fb.types.Summary()),
        fb.types.Snapshot(2, 3, 1, 1, None, fb.types.Summary()),
    ]
    circle.append(fb.types.Snapshot(3, 2, 1, 1, None, fb.types.Summary()))
    assert len(states_of(circle[:1], circle, {})) == 1


def test_points_over_time_leave_out_what_is_no_number_and_keep_the_last():
    count = 1000
    summaries = [[("total-records", str(number))] for number in range(count)]
    summaries[3] = [("total-records", "<script>")]
    summaries[4] = [("total-records", "9" * 40)]
    summaries[5] = []
    table = pa.table(
        {
            "committed_at": pa.array([number * 10**6 for number in range(count)], pa.timestamp("us", "UTC")),
            "snapshot_id": pa.array(range(count), pa.int64()),
            "summary": pa.array(summaries, pa.map_(pa.string(), pa.string())),
        }
    )
    few = points_over_time(table, range(8), "total-records")
    assert [each["value"] for each in few] == [0, 1, 2, 6, 7]
    many = points_over_time(table, range(count), "total-records")
    assert len(many) <= 302
    assert many[-1] == {"at": 999_000, "value": 999}
    assert all(before["at"] < after["at"] for before, after in itertools.pairwise(many))

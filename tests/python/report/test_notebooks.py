"""What a notebook shows: a person sees first what is wanted first, and names of others are text."""

from __future__ import annotations

import re
from html import unescape

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg._display import Html, facts_html, result_html, rows_html
from floeberg.lance import CleanupResult, CompactionResult, LanceCommitResult
from floeberg.maintenance import ExpireSnapshotsResult, MaintenancePlan, RewriteDataFilesResult
from report.scripts import BREAKOUT, IMAGE, SCRIPT


def words(html: str) -> list[str]:
    """The texts between the tags."""
    return [unescape(each) for each in re.findall(r">([^<>]+)<", html)]


def merging(table):
    return (
        table.merge(pa.table({SCRIPT: ["x"]}), on=[SCRIPT])
        .when_matched_delete()
        .when_not_matched_insert_all()
    )


SHOWN = {
    "table": lambda table: table,
    "scan": lambda table: table.scan(row_filter=fb.col(IMAGE) == SCRIPT),
    "plan": lambda table: table.scan(row_filter=fb.col(IMAGE) == SCRIPT).plan_files(),
    "explain": lambda table: table.scan(row_filter=fb.col(IMAGE) == SCRIPT).explain(),
    "snapshot": lambda table: table.current_snapshot(),
    "snapshots": lambda table: table.snapshots(),
    "history": lambda table: table.history(),
    "refs": lambda table: table.refs(),
    "ref": lambda table: table.refs()[SCRIPT],
    "schema": lambda table: table.schema(),
    "spec": lambda table: table.spec(),
    "sort order": lambda _: fb.types.SortOrder(fb.types.SortField(1)),
    "catalog": lambda table: table.catalog,
    "merge": merging,
    "changes of the schema": lambda table: table.update_schema().add_column((BREAKOUT,), "string"),
    "changes of refs": lambda table: table.manage_snapshots(),
    "check": lambda table: table.check(),
    "difference": lambda table: table.diff(table.snapshots()[0].snapshot_id),
    "summary": lambda table: table.diff(table.snapshots()[0].snapshot_id).summary(),
    "health": lambda table: table.maintenance.health(),
    "maintenance": lambda table: table.maintenance.plan(),
    "result": lambda table: table.delete(fb.col(SCRIPT) == "none", dry_run=True),
    "upsert": lambda table: table.upsert(pa.table({SCRIPT: ["new"], IMAGE: ["new"]}), [SCRIPT], dry_run=True),
    "compaction": lambda table: table.maintenance.rewrite_data_files(dry_run=True),
    "expiry": lambda table: table.maintenance.expire_snapshots(retain_last=1, dry_run=True),
    "report": lambda table: table.report(check=None),
    "transaction": lambda table: table.transaction(branch=IMAGE),
    "versions": lambda table: table.versions(),
    "changes": lambda table: table.changelog_scan().explain(),
}


@pytest.mark.parametrize("what", SHOWN)
def test_names_and_values_of_others_are_text(hostile, what):
    html = SHOWN[what](hostile)._repr_html_()
    tags = {each.lower() for each in re.findall(r"<\s*/?\s*([a-zA-Z]+)", html)}
    assert tags <= {
        *(
            "div",
            "strong",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "p",
            "iframe",
            "pre",
            "br",
            "caption",
        ),
    }
    # What stands in quotes is a value of an attribute, which ends with them.
    assert not re.search(r"<[^>]*\son\w+\s*=", re.sub(r'"[^"]*"', '""', html))


def test_what_is_hostile_is_there(hostile):
    # Without it, the test above would see nothing to escape.
    for what in ("table", "scan", "explain", "refs", "schema", "spec", "changes of the schema", "difference"):
        said = unescape(SHOWN[what](hostile)._repr_html_())
        assert "<script" in said or "<img" in said, what


def test_explain_shows_stages_and_reasons(orders):
    shown = words(orders.scan(row_filter="country = 'fr' and id > 250").explain()._repr_html_())
    assert "country = 'fr' AND id > 250" in shown
    assert shown[shown.index("data files by partition") :][:4] == [
        "data files by partition",
        "6",
        "3",
        "3 by partition value: country = 'fr'",
    ]


def test_lists_of_states_are_lists_and_show_the_newest_first(orders):
    snapshots, history, refs = orders.snapshots(), orders.history(), orders.refs()
    assert type(snapshots[:1]) is list and snapshots == list(snapshots)
    assert repr(snapshots) == repr(list(snapshots)) and repr(refs) == repr(dict(refs))
    shown = words(snapshots._repr_html_())
    assert shown[0] == f"{len(snapshots)} snapshots"
    newest, oldest = str(snapshots[-1].snapshot_id), str(snapshots[0].snapshot_id)
    assert shown.index(newest) < shown.index(oldest)
    assert words(history._repr_html_())[0] == f"{len(history)} entries"
    assert "march" in words(refs._repr_html_())
    many = type(snapshots)(snapshots * 20)
    html = many._repr_html_()
    assert html.count("<tr>") == 51
    assert f"{len(many) - 50} older are left out" in html


def test_health_shows_what_is_due_first_with_its_call(orders):
    shown = words(orders.maintenance.health()._repr_html_())
    assert shown.index("due") < shown.index("fine")
    assert str(orders.maintenance.health().due[0].call) in shown
    plan = orders.maintenance.plan()
    assert plan.calls[0].procedure in words(plan._repr_html_())
    assert words(MaintenancePlan((), {})._repr_html_()) == ["MaintenancePlan: nothing is due"]


def test_results_show_what_is_not_zero(orders):
    assert words(
        RewriteDataFilesResult(rewritten_data_files_count=1234, rewritten_bytes_count=2048)._repr_html_()
    ) == [
        *("RewriteDataFilesResult", "rewritten data files count", "1,234", "rewritten bytes count", "2.0 KiB")
    ]
    assert words(ExpireSnapshotsResult(snapshot_ids=(1, 2), refs=("a",) * 4, dry_run=True)._repr_html_()) == [
        *("ExpireSnapshotsResult", "snapshot ids", "1, 2", "refs", "4", "dry run", "yes")
    ]
    assert words(RewriteDataFilesResult()._repr_html_()) == ["RewriteDataFilesResult: nothing changed"]
    assert "7" in words(LanceCommitResult(7, "append", added_rows=3)._repr_html_())
    assert "5,000" in words(CompactionResult(None, 2, 0, 5000, dry_run=True)._repr_html_())
    assert "12" in words(CleanupResult([*range(12)], ["x"], 9)._repr_html_())
    upsert = orders.upsert(pa.table({"id": [1], "country": ["at"]}), ["id"], dry_run=True)
    assert words(upsert._repr_html_())[:5] == ["UpsertResult", "rows updated", "1", "rows inserted", "0"]


def test_a_merge_shows_its_clauses(orders):
    merge = orders.merge(pa.table({"id": [1]}), on=["id"])
    assert "no clause" in merge._repr_html_()
    merge = merge.when_matched_delete("target.id > 3").when_not_matched_by_source_delete()
    shown = words(merge._repr_html_())
    assert shown[0] == "MergeBuilder: not executed yet"
    assert shown[3:6] == ["matched", "with a condition", "delete"]


def test_a_catalog_shows_where_it_is_and_no_secret():
    catalog = fb.load_catalog(
        "told",
        uri="sqlite:////tmp/x.db",
        warehouse="s3://user:hunter2@bucket/lake?sig=hunter3",
        **{"s3.secret-access-key": "hunter4"},
    )
    html = catalog._repr_html_()
    assert "bucket/lake" in html and "s3.secret-access-key" in html
    assert "hunter" not in html


@pytest.mark.unchecked_tables("a file is removed, to be found missing")
def test_a_check_shows_what_it_finds(tmp_path, orders):
    assert words(orders.check()._repr_html_())[0].endswith(": no finding")
    catalog = fb.load_catalog("shown", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("s")
    table = catalog.create_table("s.t", pa.schema({"id": pa.int64()}))
    table.append(pa.table({"id": [1]}))
    (path,) = table.inspect.data_files()["file_path"].to_pylist()
    (tmp_path / path).unlink()
    finding = next(iter(table.check("files")))
    shown = words(table.check("files")._repr_html_())
    assert {finding.rule.id, finding.severity, finding.message} <= set(shown)
    assert finding.message in words(finding._repr_html_())


def test_html_of_ours_stays_and_everything_else_is_escaped():
    assert rows_html(["<a>"], [[Html("<br>"), "<b>", None]], caption="<c>").count("&lt;") == 3
    assert "<br>" in rows_html(["a"], [[Html("<br>")]])
    assert "<i>" not in facts_html("<i>", {"<i>": "<i>", "none": None})
    with pytest.raises(TypeError):
        result_html(object())


def test_versions_are_a_list_that_shows_the_newest_first(orders):
    versions = orders.versions()
    assert type(versions[:1]) is list and repr(versions) == repr(list(versions))
    shown = words(versions._repr_html_())
    assert shown[0] == f"{len(versions)} versions"
    assert shown.index(str(versions[-1].version)) < shown.index(str(versions[0].version))
    many = type(versions)(versions * 20)
    assert "older versions are not shown" in many._repr_html_()


def test_a_transaction_says_what_it_has_and_how_it_ended(tmp_path):
    catalog = fb.load_catalog(f"shown-{tmp_path.name}", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", pa.schema({"id": pa.int64()}))
    with table.transaction() as transaction:
        assert "not committed yet" in words(transaction._repr_html_()) and "none" in words(
            transaction._repr_html_()
        )
        transaction.append(pa.table({"id": [1, 2]}))
        transaction.set_properties(owner="<b>")
        shown = words(transaction._repr_html_())
        assert {"2", "1", "main"} <= set(shown)
        assert any(each.startswith("append") for each in shown), shown
    assert f"committed: {transaction.result.snapshot_id}" in words(transaction._repr_html_())
    gone = table.transaction()
    gone.rollback()
    assert "ended without a commit" in words(gone._repr_html_())

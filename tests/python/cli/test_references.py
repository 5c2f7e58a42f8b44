"""Branches, tags, going back, and what differs."""

from __future__ import annotations

import json

import pytest

import floeberg as fb


def states(run, name):
    found = run("snapshots", name, "--json").json
    return [each.get("version", each.get("snapshot_id")) for each in found]


def names(run, name):
    return sorted(each["name"] for each in run("refs", name, "--json").json)


def test_a_tag_is_made_moved_and_removed(run, table_name):
    first, _ = states(run, table_name)
    assert run("tag", "create", table_name, "audited", "--snapshot-id", first, "--json").json == {
        "tag": "audited",
        "created": True,
    }
    assert run("tag", "create", table_name, "audited", code=4).err.startswith("error: ")
    run("tag", "replace", table_name, "audited")
    assert run("count", table_name, "--ref", "audited").out == "3\n"
    assert "did you mean 'audited'?" in run("tag", "remove", table_name, "audted", "--yes", code=3).err
    run("tag", "remove", table_name, "audited", "--dry-run")
    run("tag", "remove", table_name, "audited", code=11)
    assert "audited" in names(run, table_name)
    run("tag", "remove", table_name, "audited", "--yes")
    assert "audited" not in names(run, table_name)


def test_a_branch_is_made_and_removed(run, table_name):
    run("branch", "create", table_name, "audit")
    assert "audit" in names(run, table_name)
    run("branch", "remove", table_name, "audit", code=11)
    run("branch", "remove", table_name, "audit", "--yes")
    assert "audit" not in names(run, table_name)


def test_a_branch_is_written_renamed_and_published(run, lake):
    run("branch", "create", "lake.sales.orders", "audit", "--keep-for", "90d")
    assert lake.load_table("sales.orders").refs()["audit"].max_ref_age_ms == 90 * 86_400_000
    run("delete", "lake.sales.orders", "--where", "id = 1", "--branch", "audit", "--yes")
    assert run("count", "lake.sales.orders").out == "3\n"
    run("branch", "rename", "lake.sales.orders", "audit", "audited")
    run("branch", "fast-forward", "lake.sales.orders", "main", "audited")
    assert run("count", "lake.sales.orders").out == "2\n"


@pytest.mark.usefixtures("tables")
def test_what_lance_tables_do_not_have_is_said(run):
    assert "have no age" in run("tag", "create", "orders.lance", "x", "--keep-for", "1d", code=2).err
    assert "have no fast-forward" in run("branch", "fast-forward", "orders.lance", "main", "x", code=10).err


def test_a_rollback_goes_back_to_a_snapshot(run, table_name):
    first, _ = states(run, table_name)
    words = ("rollback", table_name, "--snapshot-id", first)
    run("rollback", table_name, "--yes", code=2)
    assert run(*words, "--dry-run", "--json").json["rolled_back_to"] == first
    run(*words, code=11)
    assert run("count", table_name).out == "3\n"
    run(*words, "--yes")
    assert run("count", table_name).out == "2\n"


def test_a_rollback_goes_back_to_a_time(run, table_name):
    found = run("snapshots", table_name, "--json").json[0]
    moment = found.get("timestamp", found.get("committed_at"))
    run("rollback", table_name, "--as-of", moment, "--yes")
    assert run("count", table_name).out == "2\n"


def test_a_diff_exits_with_1_where_rows_differ(run, table_name):
    first, last = states(run, table_name)
    assert run("diff", table_name, first, "--json", code=1).json["changed_rows"] == 1
    assert run("diff", table_name, first, last, code=1).lines()[0] == [
        "rows",
        "1 inserted, 0 deleted, 0 updated",
    ]
    assert run("diff", table_name, last).lines()[0][0] == "rows"
    found = run("diff", table_name, first, "--show", "rows", "-o", "jsonl", code=1).out.splitlines()
    assert json.loads(found[0])["after"] == {"id": 3, "country": None, "price": None}
    assert run("diff", table_name, first, "--show", "markdown", code=1).out.startswith("### From ")
    assert len(run("diff", table_name, first, "--show", "files", code=1).lines()) == 2
    run("diff", table_name, first, "--show", "preview", code=1)
    assert "rows\tno row changed" in run("diff", table_name, first, "--where", "id < 3").out


def test_a_diff_of_two_tables(run, table_name):
    run("copy", table_name, "other.lance")
    run("diff", table_name, "--other", "other.lance", "--key", "id")
    fb.open_table("other.lance").update({"price": 0.5}, "id = 1")
    assert "1 updated" in run("diff", table_name, "--other", "other.lance", "--key", "id", code=1).out
    run("diff", table_name, "--other", "other.lance", "--key", "id", "--columns", "id,country")
    assert "either BEFORE" in run("diff", table_name, code=2).err


@pytest.mark.parametrize("word", ["mian", "7"])
@pytest.mark.usefixtures("lake")
def test_a_state_that_is_not_there_is_named(run, word):
    assert word in run("diff", "lake.sales.orders", word, code=3).err


@pytest.mark.usefixtures("tables")
def test_a_branch_of_a_lance_table_is_read(run):
    run("branch", "create", "orders.lance", "audit", "--snapshot-id", 1)
    assert run("count", "orders.lance", "--ref", "audit").out == "2\n"
    assert run("count", "orders.lance", "--ref", "main").out == "3\n"
    assert run("count", "orders.lance", "--ref", "adit", code=3).err.startswith("error: ")

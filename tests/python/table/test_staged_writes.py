"""Is what is staged read by its snapshot alone, until it is published, and what is of a branch by that branch?"""

from __future__ import annotations

import inspect

import pyarrow as pa
import pytest

import floeberg as fb
from every_write import NEW, ROWS, WRITES, ids
from floeberg import errors


@pytest.fixture
def table(tmp_path):
    with fb.load_catalog(
        "staged", type="sql", uri=f"sqlite:///{tmp_path}/c.db", warehouse=str(tmp_path)
    ) as catalog:
        catalog.create_namespace("ns")
        yield catalog.create_table("ns.t", as_select=ROWS, format_version=2)


def test_every_write_is_here():
    takes = {
        name
        for name, method in inspect.getmembers(fb.Table, inspect.isfunction)
        if not name.startswith("_") and "snapshot_properties" in inspect.signature(method).parameters
    }
    # A repair writes no rows, and mends what is current: neither a branch nor what is staged.
    takes.remove("repair")
    assert takes - {"transaction"} == {*WRITES, "apply_changes"}
    for name in takes:
        assert {"stage_only", "branch"} <= set(inspect.signature(getattr(fb.Table, name)).parameters), name


@pytest.mark.parametrize("name", WRITES)
def test_a_staged_write_is_published_later(table, name):
    write, expected = WRITES[name]
    before = table.refs()
    write(table, stage_only=True, snapshot_properties={"wap.id": "w"})
    assert table.refs() == before
    assert ids(table.scan()) == [1, 2]
    staged = table.snapshots()[-1]
    assert ids(table.scan(snapshot_id=staged.snapshot_id)) == expected
    assert staged.summary["wap.id"] == "w"
    table.manage_snapshots().publish_changes("w").commit()
    assert ids(table.scan()) == expected


@pytest.mark.parametrize("name", WRITES)
def test_a_write_to_a_branch_is_read_there(table, name):
    write, expected = WRITES[name]
    table.manage_snapshots().create_branch(None, "dev").commit()
    write(table, branch="dev")
    assert (ids(table.scan()), ids(table.scan(branch="dev"))) == ([1, 2], expected)


def test_changes_of_a_feed_are_staged(table):
    feed = pa.table({"id": [1, 3], "city": [None, "Bonn"], "op": ["delete", "insert"], "at": [5, 6]})
    done = table.apply_changes(feed, keys=["id"], operation="op", order_by="at", stage_only=True)
    assert ids(table.scan()) == [1, 2]
    assert ids(table.scan(snapshot_id=done.snapshot_id)) == [2, 3]


def test_a_staged_write_has_no_key(table):
    with pytest.raises(errors.InvalidInputError, match="exclude each other"):
        table.append(NEW, stage_only=True, idempotency_key="k")
    with pytest.raises(errors.InvalidInputError, match="stage_only"):
        table.append(NEW, stage_only="yes")


def test_a_scan_reads_a_branch_or_a_tag(table):
    first = table.current_snapshot().snapshot_id
    table.manage_snapshots().create_tag(first, "v1").create_branch(first, "dev").commit()
    table.append(NEW, branch="dev")
    with table.update_schema() as update:
        update.rename_column("city", "town").add_column("note", "string")
    # A branch is read by the columns of now, a tag by those that it had.
    dev = table.scan("note IS NULL AND id > 1", ("town", "id"), branch="dev", limit=1)
    assert dev.to_arrow().column_names == ["id", "town"]
    assert (dev.count(), table.scan("id > 1", branch="dev").count()) == (1, 2)
    tag = table.scan("CITY = 'Oslo'", ("City",), case_sensitive=False, branch="v1")
    assert tag.to_arrow().to_pylist() == [{"city": "Oslo"}]
    assert table.scan(branch="v1").snapshot_id == first
    appended = table.incremental_append_scan(from_snapshot_id_exclusive=first, branch="dev")
    assert ids(appended) == [3]
    with pytest.raises(errors.InvalidInputError, match="choose one snapshot"):
        table.scan(snapshot_id=first, branch="dev")
    with pytest.raises(errors.NotFoundError, match="none"):
        table.scan(branch="none")
    with pytest.raises(errors.InvalidInputError, match="branch"):
        table.scan(branch=1)

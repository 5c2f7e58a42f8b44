"""Is what is staged read by its snapshot alone, until it is published, and what is of a branch by that branch?"""

from __future__ import annotations

import inspect

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floeberg as fb
from floeberg import errors

ROWS = pa.table({"id": [1, 2], "city": ["Oslo", "Riga"]})
NEW = pa.table({"id": [3], "city": ["Bonn"]})


@pytest.fixture
def table(tmp_path):
    with fb.load_catalog(
        "staged", type="sql", uri=f"sqlite:///{tmp_path}/c.db", warehouse=str(tmp_path)
    ) as catalog:
        catalog.create_namespace("ns")
        yield catalog.create_table("ns.t", as_select=ROWS, format_version=2)


def add_files(table, **more):
    path = f"{table.location()}/new.parquet"
    pq.write_table(NEW, path)
    return table.add_files(path, **more)


def commit_receipts(table, **more):
    return table.commit_receipts([table.write_recipe().write(NEW, task="0")], **more)


def commit_row_delta(table, **more):
    read = table.current_snapshot().snapshot_id
    receipt = table.row_delta_recipe().write(NEW, task="0")
    return table.commit_row_delta([receipt], read_snapshot_id=read, **more)


def merge(table, **more):
    return table.merge(NEW, on="id", **more).when_not_matched_insert_all().execute()


# What each makes of the ids 1 and 2.
WRITES = {
    "append": (lambda table, **more: table.append(NEW, **more), [1, 2, 3]),
    "overwrite": (lambda table, **more: table.overwrite(NEW, **more), [3]),
    "dynamic_partition_overwrite": (
        lambda table, **more: table.dynamic_partition_overwrite(NEW, **more),
        [3],
    ),
    "delete": (lambda table, **more: table.delete("id = 1", **more), [2]),
    "update": (lambda table, **more: table.update({"id": 9}, "id = 1", **more), [2, 9]),
    "upsert": (lambda table, **more: table.upsert(NEW, ["id"], **more), [1, 2, 3]),
    "merge": (merge, [1, 2, 3]),
    "add_files": (add_files, [1, 2, 3]),
    "commit_receipts": (commit_receipts, [1, 2, 3]),
    "commit_row_delta": (commit_row_delta, [1, 2, 3]),
}


def ids(scan):
    return sorted(scan.to_arrow()["id"].to_pylist())


def test_every_write_is_here():
    takes = {
        name
        for name, method in inspect.getmembers(fb.Table, inspect.isfunction)
        if not name.startswith("_") and "snapshot_properties" in inspect.signature(method).parameters
    }
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

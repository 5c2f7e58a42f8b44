"""Does a write that changes no row leave a snapshot only where that is a record of something?"""

from __future__ import annotations

import uuid

import pyarrow as pa
import pytest

import floeberg as fb
from every_write import ROWS

NONE = ROWS.slice(0, 0)
FEED = pa.table({"id": [9], "city": ["Bonn"], "op": ["delete"], "at": [1]})


def row_delta(table, **more):
    receipt = table.row_delta_recipe().delete_rows(
        table.scan("id = 9", selected_fields=("_file", "_pos")).to_arrow()
    )
    return table.commit_row_delta([receipt], read_snapshot_id=table.current_snapshot().snapshot_id, **more)


NOTHING = {
    "append": lambda table, **more: table.append(NONE, **more),
    "overwrite": lambda table, **more: table.overwrite(NONE, "id = 9", **more),
    "dynamic_partition_overwrite": lambda table, **more: table.dynamic_partition_overwrite(NONE, **more),
    "delete": lambda table, **more: table.delete("id = 9", **more),
    "delete by files": lambda table, **more: table.delete("id > 1000", mode="merge-on-read", **more),
    "update": lambda table, **more: table.update({"city": "x"}, "id = 9", **more),
    "upsert": lambda table, **more: table.upsert(NONE, ["id"], **more).commit,
    "merge": lambda table, **more: table.merge(NONE, on="id", **more).when_matched_delete().execute(),
    "apply_changes": lambda table, **more: table.apply_changes(
        FEED.slice(0, 0), keys=["id"], operation="op", order_by="at", **more
    ),
    "apply_changes by look-up": lambda table, **more: table.apply_changes(
        FEED, keys=["id"], operation="op", order_by="at", **more
    ),
    "add_files": lambda table, **more: table.add_files([], **more),
    "commit_receipts": lambda table, **more: table.commit_receipts([], **more),
}


@pytest.fixture
def table(tmp_path):
    catalog = fb.load_catalog(f"empty {uuid.uuid4()}", type="memory", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table(
        "ns.t", as_select=ROWS, format_version=2, properties={"write.wap.enabled": "true"}
    )
    table.append(pa.table({"id": [3], "city": ["Bonn"]}))
    return table


def result(done):
    return done.commit if isinstance(done, fb.UpsertResult) else done


@pytest.mark.parametrize("name", NOTHING)
def test_a_write_of_nothing_leaves_nothing(table, name):
    before = table.metadata_location
    done = result(NOTHING[name](table))
    assert (done.snapshot_id, done.operation, done.already_committed) == (None, None, False)
    assert (done.added_rows, done.deleted_rows, done.added_files) == (0, 0, 0)
    assert table.refresh().metadata_location == before
    # Not even a branch.
    assert result(NOTHING[name](table, branch="new")).snapshot_id is None
    assert "new" not in table.refresh().refs()


@pytest.mark.parametrize("told", ["key", "properties", "staged", "wap.id"])
@pytest.mark.parametrize("name", NOTHING)
def test_a_record_is_left_where_one_is_asked_for(table, name, told):
    more = {
        "key": {"idempotency_key": "job-1"},
        "properties": {"snapshot_properties": {"by": "jo"}},
        "staged": {"stage_only": True},
        "wap.id": {"snapshot_properties": {"wap.id": "w"}},
    }[told]
    known = len(table.snapshots())
    before = table.scan().to_arrow().sort_by("id")
    done = result(NOTHING[name](table, **more))
    assert len(table.snapshots()) == known + 1
    assert done.snapshot_id == table.snapshots()[-1].snapshot_id
    assert table.snapshots()[-1].summary["total-records"] == "3"
    if told == "properties":
        assert table.current_snapshot().summary["by"] == "jo"
    if told == "wap.id":
        table.manage_snapshots().publish_changes("w").commit()
    if told == "key":
        again = result(NOTHING[name](table, **more))
        assert (again.already_committed, again.snapshot_id) == (True, done.snapshot_id)
        assert len(table.snapshots()) == known + 1
    assert table.scan().to_arrow().sort_by("id") == before
    if told != "staged":
        assert table.changelog_scan(table.versions()[-2].version).to_arrow().num_rows == 0


def test_only_what_changes_rows_is_in_a_transaction(table):
    known = len(table.snapshots())
    with table.transaction() as transaction:
        transaction.append(NONE)
        transaction.delete("id = 9")
        transaction.append(pa.table({"id": [4], "city": ["Kiel"]}))
        transaction.set_properties(owner="jo")
    assert len(table.snapshots()) == known + 1
    assert transaction.result.added_rows == 1
    with table.transaction() as transaction:
        transaction.append(NONE)
        transaction.set_properties(owner="mo")
    assert (transaction.result.snapshot_id, table.properties["owner"]) == (None, "mo")
    assert len(table.snapshots()) == known + 1


def test_columns_come_with_rows_that_do_not(table):
    done = table.append(NONE.append_column("note", pa.array([], pa.string())), schema_mode="merge")
    assert done.snapshot_id is None
    assert table.schema().column_names == ["id", "city", "note"]


def test_a_new_table_of_no_rows_has_no_snapshot(table):
    made = table.catalog.create_table("ns.empty", as_select=NONE)
    assert (made.current_snapshot(), made.scan().count()) == (None, 0)

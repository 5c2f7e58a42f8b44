"""Does every way by which files come to a branch look at the columns that they were written for?"""

from __future__ import annotations

import uuid

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import errors

SCHEMA = pa.schema({"id": pa.int64(), "n": pa.int64()})


def rows(*values):
    return pa.table({"id": [each[0] for each in values], "n": [each[1] for each in values]}, schema=SCHEMA)


@pytest.fixture
def catalog(tmp_path):
    catalog = fb.load_catalog(f"moved {uuid.uuid4()}", type="memory", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    return catalog


@pytest.fixture(params=[1, 2, 3])
def table(catalog, request):
    table = catalog.create_table("ns.t", SCHEMA, format_version=request.param)
    table.append(rows((1, 1)))
    return table


def staged(table, written, *, then):
    table.append(written, stage_only=True, snapshot_properties={"wap.id": "w"})
    then(table)
    return next(each.snapshot_id for each in table.snapshots() if each.summary.get("wap.id") == "w")


def on_branch(table, written, *, then):
    table.append(written, branch="b")
    then(table)
    return table.refs()["b"].snapshot_id


# How the files of a snapshot come to main, or to another branch.
DOORS = {
    "publish": (staged, lambda refs, _: refs.publish_changes("w")),
    "cherrypick": (on_branch, lambda refs, at: refs.cherrypick(at)),
    "fast_forward": (on_branch, lambda refs, _: refs.fast_forward("main", "b")),
    "fast_forward to a tag": (
        on_branch,
        lambda refs, at: refs.create_tag(at, "t").fast_forward("main", "t"),
    ),
    "fast_forward of a new branch": (on_branch, lambda refs, _: refs.fast_forward("new", "b")),
    "replace_branch": (on_branch, lambda refs, at: refs.replace_branch("main", at)),
    "set_current_snapshot": (on_branch, lambda refs, at: refs.set_current_snapshot(at)),
    "set_current_snapshot by name": (on_branch, lambda refs, _: refs.set_current_snapshot(ref_name="b")),
    "create_branch": (on_branch, lambda refs, at: refs.create_branch(at, "new")),
    "create_branch of staged": (staged, lambda refs, at: refs.create_branch(at, "new")),
}
MOVED = {"publish", "cherrypick"}


def try_door(table, name, written, then, *, moves=False):
    """Puts rows aside, lets something happen, and has them come in; returns the ids of main, before and after."""
    beside, publish = DOORS[name]
    at = beside(table, written, then=then)
    if moves:
        table.append(pa.table({"id": [9], "n": [9]}))
    try:
        publish(table.manage_snapshots(), at).commit()
    finally:
        for branch in table.refresh().refs():
            if branch not in ("b", "t"):
                table.scan(branch=branch).to_arrow()
    return sorted(table.scan().to_arrow()["id"].to_pylist(), key=repr)


def require(column):
    def change(table):
        with table.update_schema(allow_incompatible_changes=True) as update:
            update.require_column(column)

    return change


def drop_and_add(table):
    with table.update_schema() as update:
        update.delete_column("n")
    with table.update_schema() as update:
        update.add_column("n", "long")


def nothing(_):
    """Nothing happens."""


CASES = [(name, moves) for name in DOORS for moves in ([False, True] if name in MOVED else [False])]


@pytest.mark.parametrize(("name", "moves"), CASES)
def test_nulls_do_not_come_into_a_column_that_became_required(table, name, moves):
    with pytest.raises(errors.CommitConflictError, match=r'"id" is required now.*make the column optional'):
        try_door(table, name, rows((None, 2)), require("id"), moves=moves)


@pytest.mark.parametrize(("name", "moves"), CASES)
def test_rows_without_nulls_come_in(table, name, moves):
    found = try_door(table, name, rows((2, 2)), require("id"), moves=moves)
    is_new = "new" in table.refs()
    assert found == ([1] if is_new else [1, 2, 9] if moves else [1, 2])
    assert not is_new or table.scan(branch="new").count() == 2


@pytest.mark.parametrize(("name", "moves"), CASES)
def test_values_of_a_column_that_is_another_one_by_now_are_not_lost(table, name, moves):
    with pytest.raises(errors.FloebergError, match="another column has its name|other columns by now"):
        try_door(table, name, rows((2, 2)), drop_and_add, moves=moves)


@pytest.mark.parametrize("name", ["publish", "cherrypick", "create_branch", "create_branch of staged"])
@pytest.mark.parametrize("new", [{"id": ["x"]}, {"price": [1.5]}])
def test_rows_of_an_older_table_are_no_rows_of_nulls(catalog, table, name, new):
    beside, publish = DOORS[name]
    at = beside(table, rows((2, 2)), then=nothing)
    table = catalog.replace_table("ns.t", as_select=pa.table(new))
    with pytest.raises(errors.CommitConflictError, match="none of their columns"):
        publish(table.manage_snapshots(), at).commit()
    assert table.refresh().scan().to_arrow().to_pylist() == pa.table(new).to_pylist()
    # A tag is read with the columns of its snapshot.
    table.manage_snapshots().create_tag(at, "old").commit()
    assert sorted(table.scan(branch="old").to_arrow()["id"].to_pylist()) == [1, 2]


@pytest.mark.parametrize("back", ["id", "time", "current"])
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_deleted_nulls_do_not_come_back_into_a_required_column(table, back, mode):
    if table.format_version == 1 and mode == "merge-on-read":
        return
    table.append(rows((None, 5), (6, 6)))
    before = table.current_snapshot()
    table.delete("id IS NULL", mode=mode)
    require("id")(table)
    refs = table.manage_snapshots()
    if back == "id":
        refs.rollback_to_snapshot(before.snapshot_id)
    elif back == "time":
        refs.rollback_to_timestamp(before.timestamp_ms + 1)
        if table.current_snapshot().timestamp_ms <= before.timestamp_ms:
            return
    else:
        refs.set_current_snapshot(before.snapshot_id)
    with pytest.raises(errors.CommitConflictError, match='"id" is required now'):
        refs.commit()
    assert sorted(table.refresh().scan().to_arrow()["id"].to_pylist()) == [1, 6]
    # To what has no nulls it goes back.
    table.manage_snapshots().rollback_to_snapshot(table.snapshots()[0].snapshot_id).commit()
    assert table.scan().to_arrow()["id"].to_pylist() == [1]


def test_a_rollback_past_a_change_of_columns_goes_on(table):
    first = table.current_snapshot().snapshot_id
    table.append(rows((2, 2)))
    table.delete("id = 1")
    drop_and_add(table)
    table.manage_snapshots().rollback_to_snapshot(first).commit()
    assert table.scan().to_arrow().to_pylist() == [{"id": 1, "n": None}]
    table.manage_snapshots().create_branch(None, "audit").commit()
    assert table.scan(branch="audit").count() == 1

"""What appends added between two snapshots: the truth is what each append's snapshot has more than its parent."""

from __future__ import annotations

import pickle
from collections import Counter

import pytest

from corpus import Case, cases, encode, known_failures, lent
from floeberg import errors

# Rows are compared between snapshots, so that all must have one schema.
CASES = [
    case
    for case in cases()
    if not case.is_view
    and not {(case.name, "open"), (case.name, "rows"), (case.name, "time_travel")} & known_failures().keys()
    and case.expected["snapshots"]
    and len(case.expected["schemas"]) == 1
]


def added(case: Case) -> dict[int, Counter[str]]:
    """The rows that each append added, by snapshot, where its parent is not expired."""
    table = case.open()
    rows = {
        each["snapshot_id"]: Counter(encode(table.scan(snapshot_id=each["snapshot_id"]).to_arrow()))
        for each in case.expected["snapshots"]
    }
    return {
        each["snapshot_id"]: rows[each["snapshot_id"]] - rows.get(each["parent_id"], Counter())
        for each in case.expected["snapshots"]
        if each["operation"] == "append" and (each["parent_id"] is None or each["parent_id"] in rows)
    }


def ancestry(case: Case, last: int) -> list[int]:
    """The snapshots up to one, oldest first."""
    parents = {each["snapshot_id"]: each["parent_id"] for each in case.expected["snapshots"]}
    line = [last]
    while parents.get(line[-1]) in parents:
        line.append(parents[line[-1]])
    return line[::-1]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_range_holds_what_its_appends_added(case: Case) -> None:
    """From the oldest and from the middle, up to the current snapshot and to every ref."""
    table, truth = case.open(), added(case)
    lasts = {case.expected["current_snapshot_id"]} | {
        ref["snapshot_id"] for ref in case.expected["refs"].values()
    }
    for last in sorted(lasts):
        line = ancestry(case, last)
        for after in {line[0], line[len(line) // 2], line[-1]}:
            between = line[line.index(after) + 1 :]
            wanted = sum((truth[each] for each in between if each in truth), Counter())
            scan = table.incremental_append_scan(
                from_snapshot_id_exclusive=after, to_snapshot_id_inclusive=last
            )
            assert Counter(encode(scan.to_arrow())) == wanted, (after, last)
            assert scan.count() == wanted.total()
            assert scan.plan_files().delete_files() == []


def test_without_bounds_all_appends_of_the_current_ancestry_are_read(many):
    scan = many.open().incremental_append_scan()
    assert sorted(scan.to_arrow()["id"].to_pylist()) == sorted(row[0] for row in many.expected["rows"])
    assert scan.snapshot_id == many.expected["current_snapshot_id"]


def test_entries_that_a_later_manifest_kept_are_not_added_again():
    """Manifests were merged: an append's manifest has the files of those before as existing ones."""
    case = lent("merged")
    table, line = case.open(), ancestry(case, case.expected["current_snapshot_id"])
    scan = table.incremental_append_scan(from_snapshot_id_exclusive=line[3], to_snapshot_id_inclusive=line[5])
    stages = {stage.name: stage for stage in scan.explain().stages}
    assert sum(each.count for each in stages["data files by snapshot"].dropped) > 0
    paths = [task.file.file_path for task in scan.plan_files()]
    assert len(paths) == len(set(paths)) == 2


def test_snapshots_that_do_not_append_are_left_out_and_named():
    case = lent("merged")
    line = ancestry(case, case.expected["current_snapshot_id"])
    stage = case.open().incremental_append_scan(from_snapshot_id_exclusive=line[0]).explain().stages[0]
    assert (stage.name, stage.entered, stage.kept) == ("snapshots", 9, 7)
    assert {each.by: each.reason for each in stage.dropped} == {
        "delete": "operation",
        "overwrite": "operation",
    }


def test_a_snapshot_off_the_line_is_refused():
    case = lent("rollbacks")
    line = ancestry(case, case.expected["current_snapshot_id"])
    off = [each["snapshot_id"] for each in case.expected["snapshots"] if each["snapshot_id"] not in line]
    assert off
    for snapshot in off:
        with pytest.raises(
            errors.InvalidInputError, match=f"{snapshot} is not an ancestor of snapshot {line[-1]}"
        ):
            case.open().incremental_append_scan(from_snapshot_id_exclusive=snapshot)
        # It can be the last, with what it was made from.
        own = ancestry(case, snapshot)
        scan = case.open().incremental_append_scan(
            from_snapshot_id_exclusive=own[0], to_snapshot_id_inclusive=snapshot
        )
        assert scan.snapshot_id == snapshot


def test_an_expired_snapshot_can_be_the_first():
    case = lent("expired")
    oldest, newest = case.expected["snapshots"]
    gone = oldest["parent_id"]
    table = case.open()
    assert table.snapshot_by_id(gone) is None
    scan = table.incremental_append_scan(from_snapshot_id_exclusive=gone)
    truth = table.scan().count() - table.scan(snapshot_id=oldest["snapshot_id"]).count()
    assert (newest["operation"], scan.count()) == ("append", truth)
    with pytest.raises(errors.InvalidInputError, match="not an ancestor"):
        table.incremental_append_scan(from_snapshot_id_exclusive=gone + 1)
    with pytest.raises(errors.NotFoundError):
        table.incremental_append_scan(to_snapshot_id_inclusive=gone)


def test_a_branch_ends_a_range(refs):
    table, first = refs.open(), refs.expected["refs"]["first"]["snapshot_id"]
    last = refs.expected["refs"]["dev"]["snapshot_id"]
    by_id = table.incremental_append_scan(from_snapshot_id_exclusive=first, to_snapshot_id_inclusive=last)
    by_ref = refs.open(ref="dev").incremental_append_scan(from_snapshot_id_exclusive=first)
    assert by_ref.snapshot_id == by_id.snapshot_id == last
    assert encode(by_ref.to_arrow()) == encode(by_id.to_arrow())
    whole = table.incremental_append_scan().use_ref("dev")
    assert (whole.snapshot_id, whole.count() >= by_id.count()) == (last, True)


def test_the_schema_is_the_tables_current_one(evolved):
    table = evolved.open()
    first = evolved.expected["snapshots"][0]["snapshot_id"]
    scan = table.incremental_append_scan(to_snapshot_id_inclusive=first)
    assert scan.schema() == table.schema() != table.scan(snapshot_id=first).schema()
    assert scan.to_arrow().column_names == evolved.expected["columns"]


def test_a_range_is_filtered_selected_limited_explained_and_pickled(many):
    table = many.open()
    line = ancestry(many, many.expected["current_snapshot_id"])
    scan = table.incremental_append_scan(
        from_snapshot_id_exclusive=line[9], row_filter="id >= 0", selected_fields=("id",), limit=7
    )
    assert scan.to_arrow().shape == (7, 1)
    scan = table.incremental_append_scan(from_snapshot_id_exclusive=line[9]).filter("id > 20").select("id")
    ids = sorted(scan.to_arrow()["id"].to_pylist())
    assert ids == sorted(row[0] for row in many.expected["rows"] if row[0] > 20)
    assert (scan.min("id"), scan.max("id"), scan.count()) == (ids[0], ids[-1], len(ids))
    back = pickle.loads(pickle.dumps(scan))
    assert repr(back) == repr(scan)
    assert f"from_snapshot_id_exclusive={line[9]}" in repr(scan)
    assert sorted(back.to_arrow()["id"].to_pylist()) == ids
    groups = [pickle.loads(pickle.dumps(group)) for group in scan.plan_files().split(target_size=1)]
    assert sorted(each for group in groups for each in group.to_arrow()["id"].to_pylist()) == ids


def test_a_table_without_snapshots_has_no_appends():
    table = lent("empty").open()
    assert table.incremental_append_scan().count() == 0
    with pytest.raises(errors.InvalidInputError, match="has no snapshots"):
        table.incremental_append_scan(from_snapshot_id_exclusive=1)

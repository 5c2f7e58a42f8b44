"""What a table needs is found, planned and done: within a budget, and one run at a time."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import errors
from floeberg.maintenance import MaintenanceCall, MaintenancePlan
from floeberg.maintenance.lease import LEASE
from floeberg.maintenance.policy import ARGUMENTS, arguments_of, read_policy
from maintenance.disk import on_disk, rows


def neglected(make, version: int = 2) -> fb.Table:
    """A table with everything that maintenance mends."""
    table = make(version, **{"commit.manifest-merge.enabled": "false"})
    for number in range(12):
        table.append(rows(2 * number, 2 * number + 1, part="ab"[number % 2]))
    for gone in (0, 2, 4, 6, 8):
        table.delete(f"id = {gone}", mode="merge-on-read")
    changes = pa.table({"op": ["delete"], "id": pa.array([1], pa.int64()), "part": ["a"], "at": [1]})
    with table.transaction() as transaction:
        transaction.apply_changes(
            changes, keys=["id", "part"], operation="op", order_by="at", mode="equality"
        )
    return table


def ids(table: fb.Table) -> list[int]:
    return sorted(table.scan().to_arrow()["id"].to_pylist())


POLICY: dict[str, dict[str, Any]] = {
    **{name: {} for name in ARGUMENTS},
    "expire_snapshots": {"older_than": "PT0S", "retain_last": 1},
}


@pytest.mark.parametrize("version", [2, 3])
def test_health_names_what_is_to_be_done_and_its_cost(make, version):
    table = neglected(make, version)
    before = on_disk(table.location())
    found = table.maintenance.health(POLICY, list_files=True)
    due = {each.name: each.value for each in found.due}
    assert due["data files to write again"] == 12
    assert due["equality delete files"] == 1
    assert due["small or overlapping manifests"] == len(table.inspect.manifests())
    assert due["old snapshots"] == len(table.snapshots()) - 1
    assert found["old snapshots"].of == len(table.snapshots())
    assert found["rows deleted by position"].value == 5
    assert not found["rows deleted by position"].is_due
    assert found["largest partition, in medians"].value < 2
    assert not found["orphan files"].is_due
    call = found["data files to write again"].call
    assert (call.procedure, call.files) == ("rewrite_data_files", 12)
    assert call.bytes == sum(table.inspect.data_files()["file_size_in_bytes"].to_pylist())
    assert "! data files to write again: 12 of 12" in repr(found)
    assert on_disk(table.location()) == before
    with pytest.raises(KeyError):
        found["nothing"]


def test_a_healthy_table_needs_nothing(make):
    table = make(2)
    assert not table.maintenance.health().due
    assert not table.maintenance.plan().calls
    table.append(rows(1))
    assert not table.maintenance.health().due
    assert table.maintenance.run().results == ()


def test_uneven_partitions_are_found(make):
    table = make(2)
    for part in "abc":
        table.append(rows(1, part=part))
    table.append(rows(*range(20_000), part="d"))
    assert table.maintenance.health()["largest partition, in medians"].is_due
    assert not table.maintenance.health(skew_threshold=1e9)["largest partition, in medians"].is_due


@pytest.mark.parametrize("version", [2, 3])
def test_a_run_does_all_of_it_and_the_next_nothing(make, version):
    table = neglected(make, version)
    before = ids(table)
    done = table.maintenance.run(POLICY)
    assert not done.left
    assert done.results
    assert done.seconds > 0
    assert ids(table) == before
    assert LEASE not in table.properties
    assert not table.maintenance.health({**POLICY, "expire_snapshots": {}}).due
    assert len(table.scan().plan_files()) == 2
    again = table.maintenance.run({name: POLICY[name] for name in POLICY if name != "expire_snapshots"})
    assert again.results == ()


def test_a_plan_is_saved_and_applied_later(make, tmp_path: Path):
    table = neglected(make)
    before = ids(table)
    plan = table.maintenance.plan(POLICY)
    assert [each.procedure for each in plan.calls][-1] == "expire_snapshots"
    assert "rewrite_data_files(): 12 files" in repr(plan)
    (tmp_path / "plan.json").write_text(plan.to_json())
    table.append(rows(500))
    later = MaintenancePlan.from_json((tmp_path / "plan.json").read_text())
    assert later == plan
    done = table.maintenance.apply(later)
    assert len(done.results) >= 3
    assert ids(table) == [*before, 500]
    for text in ("[]", "{}", '{"version": 7}', "x", "3", '{"version": 1, "table": {}, "calls": [{"a": 1}]}'):
        with pytest.raises(errors.InvalidInputError, match="expected"):
            MaintenancePlan.from_json(text)


def test_a_plan_is_refused_where_the_table_moved(make):
    table = neglected(make)
    other = make(2, name="db.other")
    plan = table.maintenance.plan()
    with pytest.raises(errors.InvalidInputError, match="another table"):
        other.maintenance.apply(plan)
    first = table.snapshots()[0].snapshot_id
    with table.manage_snapshots() as changes:
        changes.set_current_snapshot(first)
    with pytest.raises(errors.CommitConflictError, match="moved since the plan"):
        table.maintenance.apply(plan)
    plan = table.maintenance.plan()
    with table.update_schema() as update:
        update.add_column("more", "int")
    with pytest.raises(errors.CommitConflictError, match="the columns of the table changed"):
        table.maintenance.apply(plan)
    plan = table.maintenance.plan()
    with table.update_spec() as update:
        update.add_field("id", "bucket[4]", "shard")
    with pytest.raises(errors.CommitConflictError, match="the partition spec of the table changed"):
        table.maintenance.apply(plan)


def test_a_budget_of_bytes_leaves_the_rest(make):
    table = neglected(make)
    before = ids(table)
    whole = table.maintenance.plan({"rewrite_data_files": {}}).calls[0]
    done = table.maintenance.run({"rewrite_data_files": {}}, max_bytes=whole.bytes // 2 + 200)
    # Two groups: the first fits, the second does not.
    assert [each.rewritten_data_files_count for each in done.results] == [6]
    assert [each.procedure for each in done.left] == ["rewrite_data_files"]
    assert ids(table) == before
    rest = table.maintenance.run({"rewrite_data_files": {}})
    assert [each.rewritten_data_files_count for each in rest.results] == [6]
    assert not rest.left


def test_a_budget_of_time_begins_nothing_after_its_end(make):
    table = neglected(make)
    done = table.maintenance.run(POLICY, max_seconds=0)
    assert not done.results
    assert len(done.left) == len(table.maintenance.plan(POLICY).calls)
    for wrong in (-1, "1", float("nan"), True):
        with pytest.raises(errors.InvalidInputError, match="max_seconds"):
            table.maintenance.run(max_seconds=wrong)
    with pytest.raises(errors.InvalidInputError, match="max_bytes"):
        table.maintenance.run(max_bytes=-1)


def test_one_run_at_a_time(make):
    table = neglected(make)
    until = time.time_ns() // 1_000_000 + 60_000
    with table.transaction() as transaction:
        transaction.set_properties({LEASE: f"someone {until}"})
    head = table.current_snapshot().snapshot_id
    with pytest.raises(errors.CommitConflictError, match="another run of maintenance goes on"):
        table.maintenance.run()
    assert table.refresh().current_snapshot().snapshot_id == head
    assert table.properties[LEASE] == f"someone {until}"
    # A run that was killed is over by itself.
    with table.transaction() as transaction:
        transaction.set_properties({LEASE: "someone 1000"})
    assert table.maintenance.run().results
    assert LEASE not in table.refresh().properties


def test_an_error_ends_the_run_and_gives_the_lease_back(make):
    table = neglected(make)
    with pytest.raises(errors.InvalidInputError, match="unknown option"):
        table.maintenance.run({"rewrite_data_files": {"options": {"x": "1"}}})
    plan = table.maintenance.plan({"rewrite_data_files": {}})
    broken = MaintenancePlan.from_json(
        plan.to_json().replace('"arguments": {}', '"arguments": {"options": {"x": "1"}}')
    )
    with pytest.raises(errors.InvalidInputError, match="unknown option"):
        table.maintenance.apply(broken)
    assert LEASE not in table.refresh().properties


def test_files_that_others_may_use_stay(make):
    table = neglected(make)
    with table.transaction() as transaction:
        transaction.set_properties({"gc.enabled": "false"})
    found = table.maintenance.health(POLICY)
    assert not found["old snapshots"].is_due
    assert {type(each).__name__ for each in table.maintenance.run(POLICY).results}.isdisjoint(
        {"ExpireSnapshotsResult", "RemoveOrphanFilesResult"}
    )


def test_a_branch_of_its_own(make):
    table = neglected(make)
    main = table.current_snapshot().snapshot_id
    with table.manage_snapshots() as changes:
        changes.create_branch(main, "dev")
    done = table.maintenance.run({"rewrite_data_files": {}}, branch="dev")
    assert len(done.results) == 1
    assert table.refresh().current_snapshot().snapshot_id == main
    assert len(table.scan(branch="dev").plan_files()) == 2


def test_policies_of_toml_and_ages(make, tmp_path: Path):
    path = tmp_path / "policy.toml"
    path.write_text(
        '[expire_snapshots]\nolder_than = "P1W2DT3H"\nretain_last = 2\n[rewrite_data_files]\n'
        'options = { min-input-files = "3" }\n'
    )
    read = read_policy(path)
    assert list(read) == ["rewrite_data_files", "expire_snapshots"]
    assert read == read_policy(str(path))
    age = time.time() - arguments_of(read["expire_snapshots"])["older_than"].timestamp()
    assert age == pytest.approx(9 * 86400 + 3 * 3600, abs=60)
    assert neglected(make).maintenance.plan(path).calls
    assert read_policy({"expire_snapshots": {"older_than": 5}})["expire_snapshots"]["older_than"] == 5
    for wrong, message in (
        ({"compact": {}}, "found 'compact'"),
        ({"rewrite_data_files": {"option": {}}}, "no argument 'option' there, expected options"),
        ({"rewrite_data_files": 3}, "by their names, found 3"),
        ({"expire_snapshots": {"older_than": "7 days"}}, "'P7D'"),
        ({"expire_snapshots": {"older_than": "P"}}, "'P7D'"),
        ({"remove_dangling_deletes": {"x": 1}}, "expected none"),
        (3, "object of type int"),
    ):
        with pytest.raises(errors.InvalidInputError, match=message):
            read_policy(wrong)
    with pytest.raises(errors.NotFoundError, match="does not exist"):
        read_policy(tmp_path / "none.toml")
    path.write_text("[")
    with pytest.raises(errors.InvalidInputError, match="expected TOML"):
        read_policy(path)


def test_a_table_that_cannot_be_written_still_shows_its_health(make):
    table = neglected(make)
    still = fb.open_table(table.metadata_location)
    assert still.maintenance.health().due
    assert still.maintenance.plan().calls
    with pytest.raises(errors.FloebergError):
        still.maintenance.run()


def test_the_progress_of_a_run_is_reported(make):
    table = neglected(make)
    reports: list[fb.ProgressReport] = []
    table.maintenance.run(POLICY, progress=reports.append)
    assert [each.step for each in reports].count("committing") >= 3
    for call in (
        table.maintenance.rewrite_data_files,
        table.maintenance.convert_equality_deletes,
        table.maintenance.rewrite_position_delete_files,
    ):
        with pytest.raises(errors.InvalidInputError, match="progress"):
            call(progress=3)


def test_what_a_report_raises_stops_the_run_and_leaves_nothing(make):
    table = neglected(make)
    before = on_disk(table.location())

    def stop(_: fb.ProgressReport) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        table.maintenance.rewrite_data_files(progress=stop)
    assert on_disk(table.location()) == before


def test_bytes_count_once_and_only_what_is_written_again(make):
    table = neglected(make)
    policy = {**POLICY, "rewrite_position_delete_files": {"options": {"rewrite-all": "true"}}}
    sizes = {each.procedure: each.bytes for each in table.maintenance.plan(policy).calls}
    positions, data = sizes["rewrite_position_delete_files"], sizes["rewrite_data_files"]
    done = table.maintenance.run(policy, max_bytes=positions + data)
    assert not done.left
    assert len(done.results) > 3


def test_a_plan_made_by_hand_is_checked(make):
    table = neglected(make)
    plan = table.maintenance.plan({"rewrite_data_files": {}})
    for wrong, message in (
        ({"procedure": "drop_table"}, "found 'drop_table'"),
        ({"procedure": "__init__"}, "found '__init__'"),
        ({"procedure": 5}, "found 5"),
        ({"procedure": "run"}, "found 'run'"),
        ({"arguments": {"branch": "main"}}, "no argument 'branch'"),
        ({"arguments": {"dry_run": True}}, "no argument 'dry_run'"),
        ({"procedure": "remove_orphan_files", "arguments": {"allow_recent": True}}, "'allow_recent'"),
        ({"files": "many"}, "numbers of files"),
    ):
        read = json.loads(plan.to_json())
        read["calls"][0] |= wrong
        with pytest.raises(errors.InvalidInputError, match=message):
            MaintenancePlan.from_json(json.dumps(read))
    by_hand = MaintenancePlan((MaintenanceCall("remove_orphan_files", {"allow_recent": True}),), plan.table)
    with pytest.raises(errors.InvalidInputError, match="'allow_recent'"):
        table.maintenance.apply(by_hand)


def test_a_plan_with_an_object_of_python_is_not_saved(make):
    table = neglected(make)
    plan = table.maintenance.plan({"rewrite_data_files": {"where": fb.col("id") < 100}})
    with pytest.raises(
        errors.InvalidInputError, match="cannot be JSON: give filters and sort orders as texts"
    ):
        plan.to_json()
    assert table.maintenance.apply(plan).results


def test_what_a_budget_leaves_is_counted(make):
    table = neglected(make)
    whole = table.maintenance.plan({"rewrite_data_files": {}}).calls[0]
    done = table.maintenance.run({"rewrite_data_files": {}}, max_bytes=whole.bytes // 2 + 200)
    (left,) = done.left
    assert left.files == whole.files - done.results[0].rewritten_data_files_count == 6
    assert left.bytes == whole.bytes - done.results[0].rewritten_bytes_count


def test_thresholds_and_policies_that_make_no_sense(make, tmp_path: Path):
    table = make(2)
    for wrong in ("x", float("nan"), -1, True, None):
        with pytest.raises(errors.InvalidInputError, match="skew_threshold"):
            table.maintenance.health(skew_threshold=wrong)
    with pytest.raises(errors.InvalidInputError, match="cannot be read"):
        table.maintenance.plan(tmp_path)


CALLS = (
    "rewrite_data_files",
    "rewrite_manifests",
    "rewrite_position_delete_files",
    "convert_equality_deletes",
    "remove_dangling_deletes",
    "health",
    "plan",
    "run",
)


@pytest.mark.parametrize("call", CALLS)
def test_a_branch_that_is_not_there_is_an_error_and_no_branch_is_made(make, call):
    table = neglected(make)
    with table.manage_snapshots() as changes:
        changes.create_tag(table.current_snapshot().snapshot_id, "kept")
    method = getattr(table.maintenance, call)
    with pytest.raises(errors.NotFoundError, match="the table has no branch 'nope'; it has 'kept', 'main'"):
        method(branch="nope")
    with pytest.raises(errors.InvalidInputError, match="'kept' is a tag"):
        method(branch="kept")
    with pytest.raises(errors.FloebergError):
        method(branch="")
    assert set(table.refresh().refs()) == {"main", "kept"}


def test_one_plan_serves_all_calls_with_its_filter(make, monkeypatch):
    table = make()
    for number in range(6):
        table.append(rows(number))
    maintenance = table.maintenance
    made, plan = list[str](), maintenance._plan
    monkeypatch.setattr(
        maintenance, "_plan", lambda where, *rest: (made.append(str(where)), plan(where, *rest))[1]
    )
    assert len(maintenance.health().findings) > 6
    assert len(made) == 1
    maintenance.plan({"rewrite_data_files": {"where": "id > 2"}, "convert_equality_deletes": {}})
    assert len(made) == 3
    maintenance.rewrite_data_files(dry_run=True)
    assert len(made) == 4

"""The plan: columns, objects on demand, groups for workers."""

from __future__ import annotations

import json
import pickle
import shutil

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import errors
from floeberg import expressions as fx


def test_a_plan_lists_the_files_of_the_snapshot(deletes):
    plan = deletes.open().scan().plan_files()
    assert len(plan) == plan.to_arrow().num_rows == deletes.expected["live_files"]["data"]
    assert len(plan.delete_files()) == deletes.expected["live_files"]["position_deletes"]
    live = {
        entry["path"]: (entry["record_count"], entry["file_size"])
        for manifest in deletes.expected["manifests"]
        for entry in manifest["entries"]
        if manifest["content"] == "data" and entry["status"] != "deleted"
    }
    ours = {each.file.file_path: (each.file.record_count, each.file.file_size_in_bytes) for each in plan}
    assert ours == live


def test_columns_and_objects_say_the_same(evolved):
    plan = evolved.open().scan(row_filter="id < 8").plan_files()
    deletes, residuals = plan.delete_files(), plan.residuals()
    for row, task in zip(plan.to_arrow().to_pylist(), plan, strict=True):
        for name in ("file_path", "location", "file_format", "spec_id", "record_count", "file_size_in_bytes"):
            assert row[name] == getattr(task.file, name)
        assert row["data_sequence_number"] == task.file.data_sequence_number
        assert [deletes[number] for number in row["delete_files"]] == list(task.delete_files)
        assert residuals[row["residual"]] == task.residual


def test_partition_values_are_named_as_the_files_spec_names_them(evolved):
    table = evolved.open()
    for task in table.scan().plan_files():
        spec = table.specs()[task.file.spec_id]
        assert list(task.file.partition) == [each.name for each in spec.fields]


def test_pruning_keeps_what_may_match(deletes):
    for known in deletes.expected["filters"]:
        plan = deletes.open().scan(row_filter=known["sql"]).plan_files()
        assert len(plan) >= known["files_with_matches"]


def test_a_plan_is_a_sequence(deletes):
    plan = deletes.open().scan().plan_files()
    assert plan[-1] == list(plan)[len(plan) - 1]
    assert plan[1:3] == list(plan)[1:3]
    with pytest.raises(IndexError, match="the plan has 4 files: file 4 does not exist"):
        plan[4]


def test_residuals_are_filters_that_can_be_bound_again(deletes):
    table = deletes.open()
    (residual,) = table.scan(row_filter="id < 5").plan_files().residuals()
    assert isinstance(residual, fx.Expression)
    assert table.scan(row_filter=residual).count() == table.scan(row_filter="id < 5").count()


def test_groups_cover_the_plan_and_are_read_after_pickling(vectors):
    scan = vectors.open().scan(row_filter="id > 2")
    groups = pickle.loads(pickle.dumps(scan.plan_files().split(400)))
    assert len(groups) >= len(scan.plan_files())
    read = pa.concat_tables(group.to_arrow() for group in groups)
    assert read.sort_by("id") == scan.to_arrow().sort_by("id")
    assert read.num_rows == sum(group.to_arrow_batch_reader().read_all().num_rows for group in groups)
    with pytest.raises(errors.InvalidInputError, match="target_size"):
        scan.plan_files().split(0)


def test_a_group_is_iterated_as_the_plan_is(evolved):
    plan = evolved.open().scan(row_filter="id < 8").plan_files()
    (group,) = plan.split(open_file_cost=0)
    # The order of Iceberg Java's arguments.
    assert [len(each) for each in plan.split(128 << 20, 0, 10)] == [len(group)]
    for each in (group, pickle.loads(pickle.dumps(group))):
        assert list(each) == list(plan)
        assert len(each) == len(plan)
        assert each.size_in_bytes == sum(task.file.file_size_in_bytes for task in plan)
        assert each.records == sum(task.file.record_count for task in plan)


def test_the_parts_of_a_file_are_told_apart(deletes):
    plan = deletes.open().scan().plan_files()
    groups = plan.split(1)
    parts = [task for group in groups for task in group]
    assert {task.file for task in parts} == {task.file for task in plan}
    for group in groups:
        (task,) = group
        assert (task.byte_range is None) == (sum(each.file == task.file for each in parts) == 1)
    assert sum(group.size_in_bytes for group in groups) <= plan.explain().size_in_bytes
    assert sum(group.records for group in groups) == plan.explain().records


def test_groups_are_cut_as_the_table_says_unless_somebody_says_it(refs, tmp_path):
    shutil.copytree(refs.folder / "table", tmp_path / "table")
    metadata = tmp_path / "table" / refs.expected["metadata_file"]
    written = json.loads(metadata.read_text())

    def plan(**properties):
        named = {name.replace("_", "-"): value for name, value in properties.items()}
        written["properties"] = {f"read.split.{name}": value for name, value in named.items()}
        metadata.write_text(json.dumps(written))
        relocate = {refs.expected["original_dir"]: str(tmp_path / "table")}
        return fb.open_table(metadata, relocate=relocate).scan().plan_files()

    mebi = 1024 * 1024
    assert [len(group) for group in plan().split()] == [3]
    assert [len(group) for group in plan(target_size="1").split()] == [1, 1, 1]
    assert [len(group) for group in plan(target_size="1").split(128 * mebi)] == [3]
    assert [len(group) for group in plan(open_file_cost=str(64 * mebi)).split()] == [2, 1]
    assert [len(group) for group in plan(open_file_cost=str(64 * mebi)).split(open_file_cost=0)] == [3]
    with pytest.raises(errors.InvalidInputError, match="read.split.planning-lookback"):
        plan(planning_lookback="few").split()
    assert [len(group) for group in plan(planning_lookback="few").split(lookback=1)] == [3]


@pytest.mark.parametrize("name", ["target_size", "open_file_cost", "lookback", "most_groups", "least_size"])
def test_a_number_that_makes_no_groups_is_refused(refs, name):
    plan = refs.open().scan().plan_files()
    for wrong in (-1, 2**64, "8"):
        with pytest.raises(errors.InvalidInputError, match=name):
            plan.split(**{name: wrong})

"""The plan: columns, objects on demand, groups for workers."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

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
    with pytest.raises(IndexError, match="file 4 of a plan of 4 files"):
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


def test_explain_accounts_for_every_file(deletes):
    explain = deletes.open().scan(row_filter="id < 5").explain()
    for stage in explain.stages:
        assert stage.entered == stage.kept + sum(each.count for each in stage.dropped)
    assert explain.data_files == 2
    assert "data files" in str(explain)
    told = explain.to_dict()
    assert told["data_files"] == 2
    assert told["stages"][0]["name"] == explain.stages[0].name


def test_explain_names_the_test_that_dropped_files(deletes):
    explain = deletes.open().scan(row_filter="id > 1000000").explain()
    dropped = [each for stage in explain.stages for each in stage.dropped]
    assert dropped
    assert any("id" in each.by for each in dropped)
    assert explain.data_files == 0

"""The account of a plan: numbers that add up, as objects, dicts, text and Arrow."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pytest

from corpus.filters import Filter
from corpus.fixtures import lent


def scans_of(case):
    table = case.open()
    yield table.scan()
    for known in case.expected.get("filters", []):
        yield table.scan(row_filter=Filter(known).sql)


@pytest.fixture(params=["deletes", "vectors", "evolved", "partitioned_keys", "empty"])
def case(request):
    return lent(request.param)


def test_what_came_in_was_dropped_or_kept(case):
    for scan in scans_of(case):
        explain = scan.explain()
        for stage in explain.stages:
            assert stage.entered == stage.kept + sum(each.count for each in stage.dropped)
        kept = {stage.name: stage.kept for stage in explain.stages}
        entered = {stage.name: stage.entered for stage in explain.stages}
        assert kept.get("data manifests", 0) == explain.manifests.data
        assert kept.get("delete manifests", 0) == explain.manifests.deletes
        by_bounds = "data files by counts and bounds"
        assert kept.get("data files by partition", 0) == entered.get(by_bounds, 0)
        assert kept.get(by_bounds, 0) == explain.data_files == len(scan.plan_files())


def test_what_is_to_read_is_what_the_tasks_read(case):
    for scan in scans_of(case):
        plan = scan.plan_files()
        explain, tasks = plan.explain(), list(plan)
        sizes = sorted(task.file.file_size_in_bytes for task in tasks)
        assert (explain.data_files, explain.size_in_bytes) == (len(sizes), sum(sizes))
        assert explain.records == sum(task.file.record_count for task in tasks)
        if not sizes:
            assert explain.sizes is None
        else:
            assert (explain.sizes.smallest, explain.sizes.largest) == (sizes[0], sizes[-1])
            assert explain.sizes.median == sizes[(len(sizes) - 1) // 2]
        different = {delete for task in tasks for delete in task.delete_files}
        assert {each.content: each.files for each in explain.deletes} == Counter(
            delete.content for delete in different
        )
        for each in explain.deletes:
            of_kind = [delete for delete in different if delete.content == each.content]
            assert each.records == sum(delete.record_count for delete in of_kind)
            bytes_of = [delete.content_size_in_bytes or delete.file_size_in_bytes for delete in of_kind]
            assert each.size_in_bytes == sum(bytes_of)
            assert each.data_files == sum(
                any(delete.content == each.content for delete in task.delete_files) for task in tasks
            )
        counts = (explain.position_deletes, explain.equality_deletes, explain.deletion_vectors)
        assert sum(counts) == len(different)


def test_the_manifests_that_were_looked_into_have_the_bytes_that_the_list_says(deletes):
    explain = deletes.open().scan().explain()
    listed = deletes.open().inspect.manifests()
    assert explain.manifests.data + explain.manifests.deletes == listed.num_rows
    assert explain.manifests.size_in_bytes == sum(listed["length"].to_pylist())


def test_arrow_has_a_row_for_what_is_kept_and_one_for_every_reason(case):
    for scan in scans_of(case):
        explain = scan.explain()
        table = explain.to_arrow()
        table.validate(full=True)
        assert table.num_rows == sum(1 + len(stage.dropped) for stage in explain.stages)
        for number, stage in enumerate(explain.stages):
            rows = [row for row in table.to_pylist() if row["stage"] == number]
            assert {row["name"] for row in rows} == {stage.name}
            assert sum(row["count"] for row in rows) == stage.entered == rows[0]["entered"]
            assert [row["count"] for row in rows if row["outcome"] == "kept"] == [stage.kept]
            dropped = [(row["by"], row["reason"]) for row in rows if row["outcome"] == "dropped"]
            assert dropped == [(each.by, each.reason) for each in stage.dropped]
        assert table.schema.field("count").type == pa.int64()
        assert table.schema.field("columns").type == pa.list_(pa.string())


def test_a_dict_is_plain_and_whole(deletes):
    explain = deletes.open().scan(row_filter="id < 5").explain(count=True)
    told = json.loads(json.dumps(explain.to_dict()))
    assert told["data_files"] == explain.data_files == 2
    assert told["stages"][0]["name"] == explain.stages[0].name
    assert told["manifests"]["data"] == explain.manifests.data
    assert told["sizes"]["largest"] == explain.sizes.largest
    assert told["aggregates"][0]["value"] == explain.aggregates[0].value


def test_names_are_given_where_they_are_asked_for(case):
    everything = {task.file.file_path for task in case.open().scan().plan_files()}
    for scan in scans_of(case):
        plain, named = scan.explain(), scan.explain(verbose=True)
        assert list(named.files) == [task.file.file_path for task in scan.plan_files()]
        assert len(named.manifests.files) == named.manifests.data + named.manifests.deletes
        for stage, same in zip(named.stages, plain.stages, strict=True):
            assert (stage.name, stage.entered, stage.kept) == (same.name, same.entered, same.kept)
            for each, unnamed in zip(stage.dropped, same.dropped, strict=True):
                assert replace(each, files=()) == unnamed
                assert each.files == tuple(sorted(set(each.files)))
                assert 0 < len(each.files) <= each.count
                if stage.name.startswith("data files"):
                    assert set(each.files) <= everything - set(named.files)
        text = str(named)
        for path in (*named.files, *named.manifests.files):
            assert f"      {path}\n" in text + "\n"
        assert replace(named, files=(), stages=plain.stages, manifests=plain.manifests) == plain


def test_the_columns_of_a_test_are_named(deletes):
    explain = deletes.open().scan(row_filter="id > 1000000").explain()
    dropped = [each for stage in explain.stages for each in stage.dropped if each.reason == "bounds"]
    assert {each.columns for each in dropped} == {("id",)}


def test_text_tells_every_stage_and_what_is_to_read(deletes):
    explain = deletes.open().scan(row_filter="id < 5").explain()
    text = str(explain)
    for stage in explain.stages:
        assert f"{stage.name} " in text
        for each in stage.dropped:
            assert f"{each.count:,} by {each.reason}: {each.by}" in text
    assert f"{explain.data_files:,} data files, {explain.records:,} rows" in text
    for each in explain.deletes:
        assert str(each) in text


def test_the_test_that_dropped_files_is_named(deletes):
    explain = deletes.open().scan(row_filter="id > 1000000").explain()
    dropped = [each for stage in explain.stages for each in stage.dropped]
    assert dropped
    assert any("id" in each.by for each in dropped)
    assert explain.data_files == 0
    assert explain.sizes is None

"""A plan batch by batch, and manifests that are kept for the next plan."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import errors


def manifests(folder: Path) -> list[Path]:
    """The manifests of a table, but not its manifest lists."""
    return [path for path in folder.joinpath("metadata").glob("*.avro") if not path.name.startswith("snap-")]


@pytest.fixture
def moved(refs, tmp_path) -> Path:
    """A copy of a table, to be damaged."""
    shutil.copytree(refs.folder / "table", tmp_path / "table")
    return tmp_path / "table"


def opened(refs, folder: Path, **options) -> fb.Table:
    return fb.open_table(folder, relocate={refs.expected["original_dir"]: str(folder)}, **options)


def test_batches_are_the_plan(evolved):
    for words in (None, "id < 8", "id < 0"):
        table = evolved.open()
        scan = table.scan() if words is None else table.scan(row_filter=words)
        batches = list(scan.plan_files().iter_batches())
        plan = scan.plan_files()
        assert pa.Table.from_batches(batches, plan.to_arrow().schema).equals(plan.to_arrow())
        # A plan that is there is not planned again.
        assert list(plan.iter_batches()) == batches


def test_a_plan_can_be_gone_through_and_asked_for_after_that(evolved):
    plan = evolved.open().scan().plan_files()
    assert repr(plan) == "Plan(not read yet: len(plan) reads it)"
    files = sum(batch.num_rows for batch in plan.iter_batches())
    assert sum(batch.num_rows for batch in plan.iter_batches()) == files
    assert (len(plan), repr(plan)) == (files, f"Plan({files} files)")


def test_a_plan_that_was_begun_is_whole_in_spite_of_a_stream_that_was_left(evolved):
    plan = evolved.open().scan().plan_files()
    first = next(plan.iter_batches())
    assert plan.to_arrow().to_batches()[0] == first
    assert len(plan) > first.num_rows


def test_a_missing_manifest_is_told_when_files_are_asked_for(refs, moved):
    for path in manifests(moved):
        path.unlink()
    plan = opened(refs, moved).scan().plan_files()
    for ask in (
        len,
        lambda plan: list(plan.iter_batches()),
        lambda plan: plan.to_arrow(),
        lambda plan: plan[0],
    ):
        with pytest.raises(errors.NotFoundError, match=r"\.avro"):
            ask(plan)


def test_a_missing_manifest_list_is_told_when_planning_begins(refs, moved):
    for path in moved.joinpath("metadata").glob("snap-*.avro"):
        path.unlink()
    with pytest.raises(errors.NotFoundError, match="snap-"):
        opened(refs, moved).scan().plan_files()


@pytest.mark.parametrize("name", ["refs", "deletes", "vectors", "partitioned_keys"])
def test_what_was_planned_is_planned_again_without_its_manifests(name, request, tmp_path):
    case = request.getfixturevalue(name)
    folder = tmp_path / "table"
    shutil.copytree(case.folder / "table", folder)
    table = opened(case, folder)
    first = table.scan().plan_files()
    files = first.to_arrow()
    for path in manifests(folder):
        path.unlink()
    again = table.scan().plan_files()
    assert again.to_arrow().equals(files)
    assert (again.delete_files(), again.explain()) == (first.delete_files(), first.explain())


def test_statistics_that_were_not_decoded_before_are_not_made_up(refs, moved):
    table = opened(refs, moved)
    assert len(table.scan().plan_files())
    for path in manifests(moved):
        path.unlink()
    with pytest.raises(errors.NotFoundError):
        len(table.scan(row_filter="id > 3").plan_files())


def test_statistics_of_one_filter_are_kept_beside_those_of_the_next(refs, moved):
    table = opened(refs, moved)
    filters = ["id > 3", "v > 3", "id > 3 AND v > 3"]
    first = [table.scan(row_filter=words).plan_files().to_arrow() for words in filters[:2]]
    for path in manifests(moved):
        path.unlink()
    again = [table.scan(row_filter=words).plan_files().to_arrow() for words in filters]
    assert again[:2] == first
    assert again[2]["file_path"].to_pylist() == [
        path for path in first[0]["file_path"].to_pylist() if path in first[1]["file_path"].to_pylist()
    ]


@pytest.mark.parametrize("way", ["argument", "environment", "pickle"])
def test_nothing_is_kept_where_that_is_turned_off(refs, moved, monkeypatch, way):
    if way == "environment":
        monkeypatch.setenv("FLOEBERG_MANIFEST_CACHE", "0")
        table = opened(refs, moved)
    else:
        table = opened(refs, moved, manifest_cache=0)
    if way == "pickle":
        table = pickle.loads(pickle.dumps(table))
    assert len(table.scan().plan_files())
    for path in manifests(moved):
        path.unlink()
    with pytest.raises(errors.NotFoundError):
        len(table.scan().plan_files())


def test_going_through_a_plan_keeps_nothing(refs, moved):
    table = opened(refs, moved)
    assert list(table.scan().plan_files().iter_batches())
    for path in manifests(moved):
        path.unlink()
    with pytest.raises(errors.NotFoundError):
        len(table.scan().plan_files())


@pytest.mark.parametrize("wrong", [-1, "1G", 1.5])
def test_a_wrong_size_of_what_is_kept_is_told(refs, moved, wrong):
    with pytest.raises(errors.InvalidInputError, match="manifest_cache"):
        opened(refs, moved, manifest_cache=wrong)


def test_a_wrong_size_in_the_environment_is_told(refs, moved, monkeypatch):
    monkeypatch.setenv("FLOEBERG_MANIFEST_CACHE", "much")
    with pytest.raises(errors.InvalidInputError, match="FLOEBERG_MANIFEST_CACHE"):
        opened(refs, moved)


def test_what_appends_added_is_found_in_a_table_that_was_planned(refs):
    table = refs.open()
    first, *_, last = (entry.snapshot_id for entry in table.history())
    span = {"from_snapshot_id_exclusive": first, "to_snapshot_id_inclusive": last}
    expected = refs.open().incremental_append_scan(**span).plan_files().to_arrow()
    assert len(table.scan().plan_files())
    assert table.incremental_append_scan(**span).plan_files().to_arrow().equals(expected)
    assert len(table.scan().plan_files()) == len(refs.open().scan().plan_files())

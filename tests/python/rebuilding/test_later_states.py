"""Where an older state comes back, what is left of later ones is named. That nothing proves the newest list is said."""

from __future__ import annotations

from pathlib import Path

import pytest

import floeberg as fb
from maintenance.disk import path_of, rows
from rebuilding.lost import lists, metadata_folder, newest_metadata, without_metadata

pytestmark = pytest.mark.unchecked_tables("tables are destroyed")


@pytest.fixture(params=[1, 2, 3])
def table(request, tmp_path: Path) -> fb.Table:
    catalog = fb.load_catalog("later", type="filesystem", warehouse=str(tmp_path / "lake"))
    catalog.create_namespace("db")
    return catalog.create_table("db.t", rows().schema, format_version=request.param)


def ids(table: fb.Table) -> list[int]:
    return sorted(table.scan().to_arrow()["id"].to_pylist())


def manifests(table: fb.Table) -> set[Path]:
    return {Path(path_of(each)) for each in table.inspect.manifests()["path"].to_pylist()}


def passed_over(done: fb.rebuilding.RebuildResult) -> dict[str, str]:
    return {Path(path_of(each.location)).name: each.reason for each in done.passed_over}


def new(table: fb.Table, name: str = "new") -> str:
    return f"{table.location()}-{name}"


def test_a_later_list_whose_manifest_is_gone_is_named(table):
    table.append(rows(1, 2, 3))
    before = manifests(table)
    table.append(rows(4))
    later = lists(table)[-1]
    snapshot, [gone] = table.current_snapshot().snapshot_id, manifests(table) - before
    gone.unlink()
    newest_metadata(table).unlink()
    done = fb.rebuild(table.location(), to=new(table))
    assert (ids(done.table), done.source) == ([1, 2, 3], "metadata")
    named = passed_over(done)
    assert str(snapshot) in named[later.name] and gone.name in named[later.name]
    # The hint says the version that is gone.
    assert "no such metadata file" in named["version-hint.text"]
    assert done.advice is None


def test_a_later_list_that_only_removes_is_named(table):
    table.append(rows(1))
    table.append(rows(2))
    table.delete("id = 2")
    later, snapshot = lists(table)[-1], table.current_snapshot().snapshot_id
    newest_metadata(table).unlink()
    done = fb.rebuild(table.location(), to=new(table))
    assert ids(done.table) == [1, 2]
    assert f"snapshot_id={snapshot}" in passed_over(done)[later.name]
    again = fb.rebuild(table.location(), to=new(table, "again"), snapshot_id=snapshot)
    assert ids(again.table) == [1]


def test_a_damaged_later_list_is_named(table):
    table.append(rows(1))
    table.append(rows(2))
    later = lists(table)[-1]
    later.write_bytes(later.read_bytes()[:-30])
    newest_metadata(table).unlink()
    done = fb.rebuild(table.location(), to=new(table))
    assert ids(done.table) == [1] and later.name in passed_over(done)


def test_a_folder_in_place_of_a_file_is_named(table):
    table.append(rows(1))
    newest = newest_metadata(table)
    newest.unlink()
    newest.mkdir()
    for path in manifests(table):
        path.unlink()
    [only] = lists(table)
    done = fb.rebuild(table.location(), to=new(table))
    assert ids(done.table) == []
    named = passed_over(done)
    assert "found a folder" in named[newest.name]
    assert "is gone" in named[only.name]
    # The same for a manifest list.
    only.unlink()
    (only / "x").mkdir(parents=True)
    assert "found a folder" in passed_over(fb.rebuild(table.location(), to=new(table, "again")))[only.name]


def test_lists_before_the_metadata_are_not_named(table):
    table.append(rows(1))
    table.append(rows(2))
    kept = [path.read_bytes() for path in lists(table)]
    first = lists(table)[0]
    table.maintenance.expire_snapshots(retain_last=1, older_than="2100-01-01T00:00:00Z")
    first.write_bytes(kept[0])
    done = fb.rebuild(table.location(), to=new(table))
    assert ids(done.table) == [1, 2]
    if table.format_version > 1:
        assert done.passed_over == ()


def test_that_nothing_proves_the_newest_list_is_said(table):
    table.append(rows(1))
    parent = table.current_snapshot().snapshot_id
    table.append(rows(2))
    staged = table.current_snapshot().snapshot_id
    table.manage_snapshots().rollback_to_snapshot(parent).commit()
    assert ids(table) == [1]
    without_metadata(table)
    done = fb.rebuild(table.location(), to=new(table))
    assert (done.source, done.snapshot_id) == ("manifest-list", staged)
    assert f"nothing proves that snapshot {staged}" in done.advice
    assert f"snapshot_id={parent}" in done.advice
    # Whoever chose the snapshot knows it.
    chosen = fb.rebuild(table.location(), to=new(table, "chosen"), snapshot_id=parent)
    assert (ids(chosen.table), chosen.advice) == ([1], None)


def test_the_first_list_has_no_snapshot_before_it(table):
    table.append(rows(1))
    without_metadata(table)
    assert "names no snapshot before it" in fb.rebuild(table.location(), to=new(table)).advice
    assert metadata_folder(table).is_dir()

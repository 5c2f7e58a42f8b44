"""The files of a table go that was dropped: all of them, and no others."""

from __future__ import annotations

import json
import logging
import shutil
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import floeberg as fb
from floeberg import errors
from floeberg.maintenance import delete_reachable_files
from maintenance.disk import EVER, named, on_disk, path_of, rows
from maintenance.moved_tables import fill

pytestmark = pytest.mark.unchecked_tables("their files are removed")


@pytest.mark.parametrize("version", [1, 2, 3])
def test_all_files_go_and_no_others(make, catalog, caplog, version):
    table, other = make(version), make(version, name="db.other")
    fill(table)
    fill(other)
    location, expected = table.metadata_location, named(table)
    assert on_disk(table.location()) == expected
    files = table.inspect.all_files().select(["content", "file_path"]).to_pylist()
    kinds = Counter(content for content, _ in {(each["content"], each["file_path"]) for each in files})
    catalog.drop_table("db.t")
    planned = delete_reachable_files(location, dry_run=True)
    assert planned.dry_run
    assert on_disk(table.location()) == expected
    with caplog.at_level(logging.INFO, logger="floeberg.maintenance"):
        done = delete_reachable_files(location)
    assert on_disk(table.location()) == set()
    assert {path_of(each) for each in done.deleted_files} == expected
    assert done.deleted_files == planned.deleted_files
    assert done.deleted_files[-1] == location
    assert (done.kept_files, done.failed_files) == ((), {})
    logged = {each.args[0] for each in caplog.records if each.message.startswith("removed ")}
    assert {path_of(each) for each in logged} == expected
    counts = {name: getattr(done, name) for name in dir(done) if name.endswith("_count")}
    assert sum(counts.values()) == len(expected)
    assert counts == {
        "deleted_data_files_count": kinds[0],
        "deleted_position_delete_files_count": kinds[1],
        "deleted_equality_delete_files_count": 0 if version == 1 else 2,
        "deleted_manifest_files_count": len(
            {each for each in expected if each.endswith(".avro") and "/snap-" not in each}
        ),
        "deleted_manifest_lists_count": sum("/snap-" in each for each in expected),
        "deleted_statistics_files_count": 2,
        "deleted_metadata_files_count": sum(".metadata.json" in each for each in expected),
    }
    assert (kinds[1] > 0) == (version > 1)
    assert on_disk(other.location()) == named(other)
    assert other.scan().count() > 0


def test_what_only_earlier_metadata_names_goes_too(make, catalog):
    table = make(2)
    table.append(rows(1))
    table.overwrite(rows(2))
    before = on_disk(table.location())
    table.maintenance.expire_snapshots(older_than=EVER, delete_files=False)
    table.set_properties({"write.metadata.previous-versions-max": "1"})
    table.append(rows(3))
    table.append(rows(4))
    assert len(json.loads(table._inner.metadata_json())["metadata-log"]) == 1
    data = {each for each in before if each.endswith(".parquet")}
    assert not data <= named(table)
    catalog.drop_table("db.t")
    done = delete_reachable_files(table.metadata_location)
    assert on_disk(table.location()) == set()
    assert before <= {path_of(each) for each in done.deleted_files}


def test_snapshots_that_expired_with_their_files_do_not_matter(make, catalog):
    table = make(2)
    table.append(rows(1))
    table.overwrite(rows(2))
    table.maintenance.expire_snapshots(older_than=EVER)
    left = on_disk(table.location())
    catalog.drop_table("db.t")
    assert {path_of(each) for each in delete_reachable_files(table.metadata_location).deleted_files} == left
    assert on_disk(table.location()) == set()


def test_files_elsewhere_are_kept(make, catalog, tmp_path):
    (tmp_path / "elsewhere" / "part=a").mkdir(parents=True)
    shared = tmp_path / "elsewhere" / "part=a" / "x.parquet"
    pq.write_table(rows(7).select(["id"]), shared)
    table = make(2)
    table.append(rows(1))
    table.add_files([str(shared)])
    catalog.drop_table("db.t")
    done = delete_reachable_files(table.metadata_location)
    assert [path_of(each) for each in done.kept_files] == [str(shared)]
    assert shared.exists()
    assert on_disk(table.location()) == set()


def test_gc_that_is_off_keeps_all(make, catalog):
    table = make(2, **{"gc.enabled": "false"})
    table.append(rows(1))
    before = on_disk(table.location())
    catalog.drop_table("db.t")
    for dry_run in (True, False):
        with pytest.raises(errors.InvalidInputError, match=r"gc\.enabled"):
            delete_reachable_files(table.metadata_location, dry_run=dry_run)
    assert on_disk(table.location()) == before


def test_a_copied_metadata_file_removes_nothing(make, catalog, tmp_path):
    table = make(2)
    table.append(rows(1))
    before = on_disk(table.location())
    copied = tmp_path / "copy" / Path(table.metadata_location).name
    copied.parent.mkdir()
    shutil.copyfile(path_of(table.metadata_location), copied)
    catalog.drop_table("db.t")
    with pytest.raises(errors.InvalidInputError, match="copied, moved or linked"):
        delete_reachable_files(copied)
    assert on_disk(table.location()) == before


DAMAGE = [(kind, damage) for kind in ("manifest", "list", "log") for damage in ("cut", "gone")]


@pytest.mark.parametrize(("kind", "damage"), [*DAMAGE, ("log", "another table")])
def test_damage_removes_nothing(make, catalog, kind, damage):
    table, other = make(2), make(2, name="db.other")
    for each in (table, other):
        each.append(rows(1))
        each.append(rows(2))
    location = table.metadata_location

    def path(of: fb.Table) -> Path:
        if kind == "manifest":
            return Path(path_of(of.inspect.manifests()["path"][0].as_py()))
        if kind == "list":
            return Path(path_of(of.snapshots()[0].manifest_list))
        return Path(path_of(json.loads(of._inner.metadata_json())["metadata-log"][-1]["metadata-file"]))

    file = path(table)
    catalog.drop_table("db.t")
    if damage == "another table":
        shutil.copyfile(path(other), file)
    elif damage == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-9])
    before = on_disk(table.location())
    if (kind, damage) == ("log", "gone"):
        # Metadata files of the log may be gone.
        delete_reachable_files(location)
        assert on_disk(table.location()) == set()
        return
    with pytest.raises((errors.InvalidDataError, errors.NotFoundError)):
        delete_reachable_files(location)
    assert on_disk(table.location()) == before


def test_a_table_in_a_file_system_has_a_hint_and_maybe_a_later_version(tmp_path):
    lake = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    lake.create_namespace("db")
    table = lake.create_table("db.t", rows(1).schema)
    table.append(rows(1))
    earlier = table.metadata_location
    table.append(rows(2))
    before = on_disk(table.location())
    with pytest.raises(errors.InvalidInputError, match="later version"):
        delete_reachable_files(earlier)
    hint = Path(path_of(table.location()), "metadata", "version-hint.text")
    said = hint.read_text() if hint.exists() else None
    hint.write_text("9")
    with pytest.raises(errors.InvalidInputError, match="later version"):
        delete_reachable_files(table.metadata_location)
    hint.write_text(said or "3")
    assert on_disk(table.location()) == before | {str(hint)}
    done = delete_reachable_files(table.metadata_location)
    assert on_disk(table.location()) == set()
    assert str(hint) in {path_of(each) for each in done.deleted_files}


def test_what_names_a_file_that_stays_stays_too(make, catalog):
    table = make(2)
    table.append(rows(1))
    [data] = [each for each in on_disk(table.location()) if each.endswith(".parquet")]
    names = on_disk(table.location()) - {data}
    catalog.drop_table("db.t")
    # A folder in the place of the file cannot be removed as a file.
    Path(data).unlink()
    Path(data).mkdir()
    done = delete_reachable_files(table.metadata_location)
    assert [path_of(each) for each in done.failed_files] == [data]
    assert on_disk(table.location()) == names
    Path(data).rmdir()
    assert delete_reachable_files(table.metadata_location).failed_files == {}
    assert on_disk(table.location()) == set()


def test_mistakes_are_errors(make):
    table = make(2)
    with pytest.raises(errors.InvalidInputError, match="dry_run"):
        delete_reachable_files(table.metadata_location, dry_run=1)
    with pytest.raises(errors.NotFoundError):
        delete_reachable_files(f"{table.location()}/metadata/none.metadata.json")
    with pytest.raises(errors.InvalidInputError, match="storage_options"):
        delete_reachable_files(table.metadata_location, storage_options=3)
    assert on_disk(table.location()) == named(table)


def test_a_location_that_a_table_of_the_catalog_has_is_refused(make, catalog):
    table = make(2)
    table.append(rows(1))
    before = on_disk(table.location())
    catalog.rename_table("db.t", "db.kept")
    for dry_run in (True, False):
        with pytest.raises(errors.InvalidInputError, match="another table of the catalog"):
            delete_reachable_files(table.metadata_location, catalog=catalog, dry_run=dry_run)
    assert on_disk(table.location()) == before
    catalog.drop_table("db.kept")
    delete_reachable_files(table.metadata_location, catalog=catalog)
    assert on_disk(table.location()) == set()


@pytest.mark.parametrize("gc", ["true", "false"])
def test_a_purge_is_logged_file_by_file(make, catalog, caplog, gc):
    table = make(2)
    fill(table)
    table.set_properties({"gc.enabled": gc})
    expected = named(table)
    data = {path_of(each) for each in table.inspect.all_files()["file_path"].to_pylist()}
    with caplog.at_level(logging.INFO, logger="floeberg.maintenance"):
        assert catalog.purge_table("db.t") == []
    # Data that others may share stays.
    left = data if gc == "false" else set()
    assert on_disk(table.location()) == left
    logged = [path_of(each.args[0]) for each in caplog.records if each.message.startswith("removed ")]
    assert set(logged) == expected - left


def test_a_purge_keeps_what_names_a_file_that_stays(make, catalog):
    table = make(2)
    table.append(rows(1))
    table.append(rows(2))
    data = sorted(each for each in on_disk(table.location()) if each.endswith(".parquet"))
    names = on_disk(table.location()) - set(data)
    Path(data[0]).unlink()
    Path(data[0]).mkdir()
    with pytest.raises(errors.StorageError, match="what names them was kept") as found:
        catalog.purge_table("db.t")
    assert data[0] in str(found.value)
    assert on_disk(table.location()) == names
    Path(data[0]).rmdir()
    catalog.register_table("db.t", table.metadata_location)
    assert catalog.purge_table("db.t") == []
    assert on_disk(table.location()) == set()

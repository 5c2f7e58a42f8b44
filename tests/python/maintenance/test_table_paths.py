"""A table is copied by the list of `rewrite_table_path`: it is the same at its new location."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import floeberg as fb
from floeberg import errors
from maintenance.disk import named, on_disk, path_of, rows
from maintenance.moved_tables import copy, fill, listed, open_moved, state
from written_tables import Written

pytestmark = pytest.mark.unchecked_tables("checked below: summaries keep the sizes that delete files had")
KINDS = [(1, "file"), (2, "file"), (2, "partition"), (3, "file")]


@pytest.fixture(autouse=True)
def _tables_are_conformant_but_for_sizes(request, tmp_path) -> Iterator[None]:
    """Check what a test wrote, as that of any other."""
    yield
    # A table that a test damaged, and one of the first writers, whose snapshots had no manifest lists.
    if "damage" in request.node.name or "name_their_manifests" in request.node.name:
        return
    written = Written()
    written.look_through(tmp_path)
    faults = written.faults()
    assert [each for each in faults if "files-size" not in each.detail] == []


def moved_to(tmp_path: Path) -> str:
    return str(tmp_path / "moved, \"to\" 'é' %20" / "t")


@pytest.mark.parametrize(("version", "granularity"), KINDS)
def test_a_copied_table_is_the_same(make, catalog, tmp_path, version, granularity):
    table = make(version, **{"write.delete.granularity": granularity})
    fill(table)
    before, files_before = state(table), on_disk(table.location())
    if version == 2:
        # Deletes of several data files in one file, and of one.
        paths = table.inspect.all_delete_files().to_pylist()
        assert {each["content"] for each in paths} == {1, 2}
    target = moved_to(tmp_path)
    done = table.maintenance.rewrite_table_path(table.location(), target)
    files = listed(done)
    assert len(files) == len({each for _, each in files}) == done.files_to_copy_count
    assert on_disk(table.location()) - files_before == {
        path_of(each) for each, _ in files if each.startswith(done.staging_location)
    } | {path_of(done.file_list_location)}
    assert files_before <= on_disk(table.location())
    assert done.latest_version == Path(table.metadata_location).name == Path(files[-1][1]).name
    # All that the table names, and nothing else.
    assert {path_of(each).replace(path_of(target), path_of(table.location())) for _, each in files} == named(
        table
    )

    copy(files)
    shutil.rmtree(path_of(table.location()))
    there = open_moved(catalog, "db.moved", files)
    assert there.location() == target
    assert state(there) == before
    assert_nothing_names(there, table.location())
    assert_sizes_are_right(there)
    # It goes on there.
    there.append(rows(70, part="after"))
    if version > 1:
        there.delete("id = 16", mode="merge-on-read")
        there.maintenance.convert_equality_deletes()
    left = [each for each in before["rows"] if each[0] != 16 or version == 1]
    assert sorted(there.scan().to_arrow()["id"].to_pylist()) == sorted([*(each[0] for each in left), 70])
    there.maintenance.expire_snapshots(older_than="2100-01-01T00:00Z")
    assert named(there) <= on_disk(target)


def assert_nothing_names(table: fb.Table, location: str) -> None:
    """No file of a table has the path of another location in it."""
    for path in on_disk(table.location()):
        file = Path(path)
        if file.name.endswith("-deletes.parquet") and "file_path" in pq.read_schema(file).names:
            found = pq.read_table(file)["file_path"].to_pylist()
            assert found
            assert all(each.startswith(f"{table.location()}/") for each in found), path
        if not file.name.endswith(".avro"):
            assert path_of(location).encode() not in file.read_bytes(), path
    for each in table.inspect.all_files().to_pylist():
        assert each["file_path"].startswith(f"{table.location()}/")
        for name in ("lower_bounds", "upper_bounds"):
            bounds = dict(each[name] or [])
            if 2147483546 in bounds:
                assert bounds[2147483546].decode().startswith(f"{table.location()}/")
        if each["content"] == 1 and each.get("referenced_data_file") is not None:
            assert each["referenced_data_file"].startswith(f"{table.location()}/")


def assert_sizes_are_right(table: fb.Table) -> None:
    """Manifests and lists say how large files are."""
    for each in table.inspect.all_manifests().to_pylist():
        assert each["length"] == Path(path_of(each["path"])).stat().st_size
    for each in table.inspect.all_files().to_pylist():
        path = Path(path_of(each["file_path"]))
        assert each["file_size_in_bytes"] == path.stat().st_size
        if path.suffix == ".parquet" and each["split_offsets"]:
            groups = pq.ParquetFile(path).metadata
            first = [groups.row_group(number).column(0) for number in range(groups.num_row_groups)]
            starts = [each.dictionary_page_offset or each.data_page_offset for each in first]
            assert each["split_offsets"] == starts


@pytest.mark.parametrize(("version", "granularity"), KINDS)
def test_what_was_added_is_copied_alone(make, catalog, tmp_path, version, granularity):
    table = make(version, **{"write.delete.granularity": granularity})
    table.append(rows(*range(10)))
    table.append(rows(*range(10, 20)))
    if version > 1:
        table.delete("id in (1, 11)", mode="merge-on-read")
    target = moved_to(tmp_path)
    first = listed(table.maintenance.rewrite_table_path(table.location(), target))
    copy(first)
    start = Path(table.metadata_location).name
    fill(table)
    before = state(table)
    done = table.maintenance.rewrite_table_path(table.location(), target, start_version=start)
    second = listed(done)
    assert not {each for _, each in first} & {each for _, each in second}
    assert {each for _, each in [*first, *second]} >= {
        f"{target}{each.removeprefix(path_of(table.location()))}" for each in named(table)
    }
    copy(second)
    shutil.rmtree(path_of(table.location()))
    there = open_moved(catalog, "db.moved", second)
    assert state(there) == before
    assert_sizes_are_right(there)
    # An earlier version is whole, too.
    assert len(fb.open_table(first[-1][1]).snapshots()) == (2 if version == 1 else 3)


def test_what_a_rewrite_of_manifests_carried_over_is_not_copied_again(make, tmp_path):
    table = make(2)
    for number in range(4):
        table.append(rows(number))
    start = table.metadata_location
    data = {each for each in named(table) if each.endswith(".parquet")}
    table.maintenance.rewrite_manifests()
    table.maintenance.expire_snapshots(older_than="2100-01-01T00:00Z", delete_files=False)
    table.append(rows(9))
    done = table.maintenance.rewrite_table_path(
        table.location(), str(tmp_path / "there"), start_version=start
    )
    sources = [path_of(each) for each, _ in listed(done)]
    assert not data.intersection(sources)
    assert sum(each.endswith(".parquet") for each in sources) == 1
    # The other way round: all live files are in a whole copy, though their snapshots are gone.
    whole = listed(table.maintenance.rewrite_table_path(table.location(), str(tmp_path / "there")))
    assert data <= {path_of(each) for each, _ in whole}


def test_an_earlier_version_may_be_the_last(make, catalog, tmp_path):
    table = make(2)
    table.append(rows(1))
    end, before = table.metadata_location, state(table)
    table.append(rows(2))
    done = table.maintenance.rewrite_table_path(table.location(), str(tmp_path / "there"), end_version=end)
    assert done.latest_version == Path(end).name
    files = listed(done)
    copy(files)
    assert state(open_moved(catalog, "db.moved", files)) == before
    assert sum(each.endswith(".parquet") for each, _ in files) == 1


@pytest.mark.parametrize("written", ["file://{}", "file:{}", "{}"])
@pytest.mark.parametrize("asked", ["file://{}", "file:{}", "{}/", "{}"])
def test_a_scheme_of_local_files_does_not_matter(catalog, tmp_path, written, asked):
    place = str(tmp_path / "own place")
    table = catalog.create_table(
        "db.t",
        rows(1).schema,
        location=written.format(place),
        properties={"write.data.path": f"{place}/else"},
    )
    table.append(rows(1, 2))
    table.delete("id = 1", mode="merge-on-read")
    before = state(table)
    files = listed(
        table.maintenance.rewrite_table_path(asked.format(place), written.format(tmp_path / "there"))
    )
    copy(files)
    shutil.rmtree(place)
    there = open_moved(catalog, "db.moved", files)
    assert state(there) == before
    assert there.location() == written.format(tmp_path / "there")
    assert there.properties["write.data.path"] == written.format(tmp_path / "there") + "/else"
    there.append(rows(3))
    assert (tmp_path / "there" / "else").is_dir()


def test_properties_that_name_folders_change(make, tmp_path):
    base = path_of(make(2, name="db.base").location())
    names = [
        "write.data.path",
        "write.metadata.path",
        "write.object-storage.path",
        "write.folder-storage.path",
    ]
    table = make(2, name="db.named", **{each: f"{base}/{number}" for number, each in enumerate(names)})
    relative = make(2, name="db.relative", **{"write.data.path": "inside"})
    source, target = str(Path(base).parent), str(tmp_path / "there")
    for each, expected in ((table, f"{target}/{Path(base).name}/0"), (relative, "inside")):
        files = listed(each.maintenance.rewrite_table_path(source, target))
        document = json.loads(Path(path_of(files[-1][0])).read_text())
        assert document["properties"]["write.data.path"] == expected
    document = json.loads(
        Path(path_of(listed(table.maintenance.rewrite_table_path(source, target))[-1][0])).read_text()
    )
    assert [document["properties"][each] for each in names] == [
        f"{target}/{Path(base).name}/{number}" for number in range(4)
    ]


def test_metadata_that_is_compressed_stays_so(make, catalog, tmp_path):
    table = make(2, **{"write.metadata.compression-codec": "gzip"})
    table.append(rows(1))
    files = listed(table.maintenance.rewrite_table_path(table.location(), str(tmp_path / "there")))
    copy(files)
    assert files[-1][1].endswith(".gz.metadata.json")
    assert Path(files[-1][1]).read_bytes()[:2] == b"\x1f\x8b"
    assert state(open_moved(catalog, "db.moved", files)) == state(table)


@pytest.mark.parametrize("file_format", ["avro", "orc"])
def test_deletes_of_other_formats_are_copied(make, catalog, tmp_path, file_format):
    table = make(2, **{"write.delete.format.default": file_format, "write.delete.granularity": "partition"})
    table.append(rows(*range(5)))
    table.append(rows(*range(5, 9)))
    table.delete("id in (1, 6)", mode="merge-on-read")
    [delete] = table.inspect.delete_files().to_pylist()
    assert delete["file_format"].lower() == file_format
    before = state(table)
    files = listed(table.maintenance.rewrite_table_path(table.location(), str(tmp_path / "there")))
    copy(files)
    shutil.rmtree(path_of(table.location()))
    there = open_moved(catalog, "db.moved", files)
    assert state(there) == before
    assert_sizes_are_right(there)


def test_a_table_that_was_upgraded_is_copied(make, catalog, tmp_path):
    table = make(1)
    table.append(rows(*range(10)))
    table.append(rows(*range(10, 20), part="b"))
    table.upgrade_table_version(2)
    table.delete("id in (1, 11)", mode="merge-on-read")
    start = table.metadata_location
    first = listed(table.maintenance.rewrite_table_path(table.location(), str(tmp_path / "there")))
    table.upgrade_table_version(3)
    table.append(rows(30))
    table.delete("id = 5", mode="merge-on-read")
    before = state(table)
    # Whole, and in two parts.
    whole = listed(table.maintenance.rewrite_table_path(table.location(), str(tmp_path / "whole")))
    copy(whole)
    assert state(open_moved(catalog, "db.whole", whole)) == before
    second = listed(
        table.maintenance.rewrite_table_path(table.location(), str(tmp_path / "there"), start_version=start)
    )
    copy([*first, *second])
    shutil.rmtree(path_of(table.location()))
    there = open_moved(catalog, "db.moved", second)
    assert state(there) == before
    assert_sizes_are_right(there)
    assert sorted(Path(each).name for each, _ in whole if "/data/" in each) == sorted(
        Path(each).name for each, _ in [*first, *second] if "/data/" in each
    )


def test_snapshots_that_name_their_manifests_are_copied(make, catalog, tmp_path):
    table = make(1)
    table.append(rows(1, 2))
    table.append(rows(3, part="b"))
    document = json.loads(table._inner.metadata_json())
    for each, snapshot in zip(document["snapshots"], table.snapshots(), strict=True):
        found = table.inspect.manifests(snapshot_id=snapshot.snapshot_id)
        each["manifests"] = found["path"].to_pylist()
        del each["manifest-list"]
    written = Path(path_of(table.metadata_location)).with_name("00009-inline.metadata.json")
    written.write_text(json.dumps(document))
    inline = catalog.register_table("db.inline", str(written))
    files = listed(inline.maintenance.rewrite_table_path(table.location(), str(tmp_path / "there")))
    copy(files)
    shutil.rmtree(path_of(table.location()))
    there = open_moved(catalog, "db.moved", files)
    assert sorted(there.scan().to_arrow()["id"].to_pylist()) == [1, 2, 3]
    moved = json.loads(there._inner.metadata_json())["snapshots"]
    assert all(path.startswith(str(tmp_path / "there")) for each in moved for path in each["manifests"])


def test_a_dry_run_and_no_list(make, tmp_path):
    table = make(3)
    fill(table)
    before = on_disk(table.location())
    planned = table.maintenance.rewrite_table_path(table.location(), str(tmp_path / "there"), dry_run=True)
    assert on_disk(table.location()) == before
    assert (planned.dry_run, planned.file_list_location, planned.staging_location) == (True, None, None)
    staging = str(tmp_path / "staging")
    done = table.maintenance.rewrite_table_path(
        table.location(), str(tmp_path / "there"), create_file_list=False, staging_location=staging
    )
    assert done.file_list_location is None
    assert done.staging_location == f"{staging}/"
    assert not any(Path(each).name == "file-list" for each in on_disk(staging))
    for name in (
        "rewritten_manifest_file_paths_count",
        "rewritten_delete_file_paths_count",
        "files_to_copy_count",
    ):
        assert getattr(planned, name) == getattr(done, name) > 0
    assert not (tmp_path / "there").exists()
    # What is staged is not lost for orphans.
    table.maintenance.rewrite_table_path(table.location(), str(tmp_path / "there"))
    gone = table.maintenance.remove_orphan_files(older_than="2100-01-01T00:00Z", allow_recent=True)
    assert on_disk(table.location()) == before
    assert gone.orphan_file_locations


def test_what_cannot_be_done_is_an_error(make, tmp_path):
    table = make(2)
    table.append(rows(1))
    first = Path(table.metadata_location).name
    table.append(rows(2))
    before = on_disk(tmp_path)

    def refused(*prefixes: str, **given: str | bool) -> str:
        with pytest.raises(errors.InvalidInputError) as caught:
            table.maintenance.rewrite_table_path(*prefixes, **given)
        assert on_disk(tmp_path) == before
        return str(caught.value)

    there = str(tmp_path / "there")
    assert "the location of the table" in refused(f"{table.location()}/data", there)
    assert "the location of the table" in refused(f"{table.location()}x", there)
    assert "the location of the table" in refused("s3://bucket/t", there)
    assert "two locations" in refused(table.location(), f"{table.location()}/")
    assert "target_prefix" in refused(table.location(), "relative/path")
    assert "target_prefix" in refused(table.location(), "")
    assert "source_prefix" in refused("", there)
    assert "v99.metadata.json" in refused(table.location(), there, start_version="v99.metadata.json")
    assert "end_version" in refused(table.location(), there, end_version="nothing")
    last = Path(table.metadata_location).name
    assert "start_version" in refused(table.location(), there, start_version=last)
    assert "start_version" in refused(table.location(), there, start_version=last, end_version=first)
    assert "empty folder" in refused(table.location(), there, staging_location=table.location())
    with pytest.raises(errors.InvalidInputError, match="start_version"):
        table.maintenance.rewrite_table_path(table.location(), there, start_version=3)
    with pytest.raises(errors.InvalidInputError, match="dry_run"):
        table.maintenance.rewrite_table_path(table.location(), there, dry_run="yes")


def test_a_file_elsewhere_is_named_and_nothing_stays_staged(make, tmp_path):
    table = make(2)
    table.append(rows(1))
    table.add_files([written_elsewhere(tmp_path)])
    before = on_disk(tmp_path)
    for dry_run in (True, False):
        with pytest.raises(errors.InvalidInputError, match=r"elsewhere.*part-1\.parquet"):
            table.maintenance.rewrite_table_path(table.location(), str(tmp_path / "there"), dry_run=dry_run)
    assert on_disk(tmp_path) == before


def written_elsewhere(tmp_path: Path) -> str:
    folder = tmp_path / "elsewhere" / "part=a"
    folder.mkdir(parents=True)
    pq.write_table(rows(7, 8).select(["id"]), folder / "part-1.parquet")
    return str(folder / "part-1.parquet")


@pytest.mark.parametrize("damage", ["gone", "cut"])
@pytest.mark.parametrize("kind", ["manifest", "delete", "list", "metadata"])
def test_damage_stages_nothing(make, tmp_path, kind, damage):
    table = make(3)
    fill(table)
    deletes = table.inspect.delete_files()["file_path"].to_pylist()
    path = {
        "manifest": table.inspect.manifests()["path"][0].as_py(),
        "delete": next(each for each in deletes if each.endswith(".puffin")),
        "list": table.snapshots()[0].manifest_list,
        "metadata": json.loads(table._inner.metadata_json())["metadata-log"][0]["metadata-file"],
    }[kind]
    file = Path(path_of(path))
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-7])
    before = on_disk(tmp_path)
    opened = fb.open_table(table.metadata_location)
    with pytest.raises((errors.InvalidDataError, errors.NotFoundError), match=file.name[:20]):
        opened.maintenance.rewrite_table_path(table.location(), str(tmp_path / "there"))
    assert on_disk(tmp_path) == before


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_table_that_was_moved_without_it_is_staged_by_what_was_written(make, catalog, tmp_path, version):
    """Its folder was copied as it is, and it is opened by where the files are now."""
    table = make(version)
    fill(table)
    before, written = state(table), table.location()
    there = tmp_path / "there"
    shutil.move(path_of(written), there)
    last = f"{there}/metadata/{Path(table.metadata_location).name}"
    opened = fb.open_table(last, relocate={written: str(there)})
    target = moved_to(tmp_path)
    done = opened.maintenance.rewrite_table_path(written, target)
    files = listed(done)
    assert path_of(done.staging_location).startswith(f"{there}/metadata/")
    copy(files)
    shutil.rmtree(there)
    moved = open_moved(catalog, "db.moved", files)
    assert moved.location() == target
    assert state(moved) == before
    assert_nothing_names(moved, written)


def test_an_earlier_version_of_a_moved_table_is_the_last_one(make, catalog, tmp_path):
    table = make(2)
    table.append(rows(1))
    middle = Path(table.metadata_location).name
    table.append(rows(2))
    written, there = table.location(), tmp_path / "there"
    shutil.move(path_of(written), there)
    last = f"{there}/metadata/{Path(table.metadata_location).name}"
    opened = fb.open_table(last, relocate={written: str(there)})
    target = moved_to(tmp_path)
    first = opened.maintenance.rewrite_table_path(written, target, end_version=middle)
    copy(listed(first))
    second = opened.maintenance.rewrite_table_path(written, target, start_version=middle)
    assert second.files_to_copy_count == 4
    copy(listed(second))
    moved = open_moved(catalog, "db.moved", listed(second))
    assert sorted(moved.scan().to_arrow()["id"].to_pylist()) == [1, 2]

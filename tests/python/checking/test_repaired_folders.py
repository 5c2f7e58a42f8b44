"""A table in a folder whose newest metadata file is damaged is mended where that is asked for."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import (
    CommitStateUnknownError,
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    NotFoundError,
    StorageError,
)

SCHEMA = pa.schema({"id": pa.int64()})

pytestmark = pytest.mark.unchecked_tables("metadata files are damaged")


def made(folder, version, **properties):
    catalog = fb.load_catalog(f"folders {folder}", type="filesystem", warehouse=str(folder))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA, format_version=version, properties=properties)
    for number in range(3):
        table.append(pa.table({"id": [number]}, SCHEMA))
    return table, Path(table.metadata_location.removeprefix("file://")).parent


def cut(path, keep=0.6):
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * keep)])
    return path.read_bytes()


def ids(location):
    return sorted(fb.open_table(location).scan().to_arrow()["id"].to_pylist())


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("keep", [0, 0.6])
def test_the_newest_whole_version_becomes_current_where_that_is_asked_for(tmp_path, version, keep):
    table, folder = made(tmp_path, version)
    location, newest = str(folder.parent), folder / "v4.metadata.json"
    last = table.current_snapshot()
    content = cut(newest, keep)
    with pytest.raises(FloebergError):
        fb.open_table(location)
    number = last.sequence_number if version > 1 else "unknown"
    with pytest.raises(
        InvalidDataError, match=rf"damaged versions 4: .*{last.snapshot_id} \(sequence number"
    ):
        fb.repair(location)
    before = sorted(folder.iterdir())
    dry = fb.repair(location, dry_run=True)
    assert sorted(folder.iterdir()) == before
    done = fb.repair(location, drop_damaged_versions=True)
    assert (dry.damaged, dry.lost, dry.version) == (done.damaged, done.lost, done.version)
    assert (done.version, done.dry_run) == (3, False)
    [damaged] = done.damaged
    assert damaged.version == 4
    assert Path(damaged.moved_to.removeprefix("file://")).read_bytes() == content
    assert not newest.exists()
    assert (folder / "version-hint.text").read_text() == "3"
    [lost] = done.lost
    assert lost.snapshot_id == last.snapshot_id
    assert number in {"unknown", lost.sequence_number}
    assert ids(location) == [0, 1]
    # The next version is the one that was damaged.
    fb.open_table(location).append(pa.table({"id": [9]}, SCHEMA))
    assert newest.exists()
    assert ids(location) == [0, 1, 9]
    assert fb.repair(location).damaged == ()
    assert fb.check(location, "rows").is_sound()


def test_several_damaged_versions_are_moved_and_older_ones_stay(tmp_path):
    _, folder = made(tmp_path, 2)
    for name in ("v1", "v3", "v4"):
        cut(folder / f"{name}.metadata.json")
    done = fb.repair(folder.parent, drop_damaged_versions=True)
    assert [each.version for each in done.damaged] == [4, 3]
    assert len(done.lost) == 2
    assert [each.sequence_number for each in done.lost] == [2, 3]
    assert ids(str(folder.parent)) == [0]
    assert (folder / "v1.metadata.json").exists()


def test_a_second_damaged_file_of_a_version_does_not_replace_the_first(tmp_path):
    _, folder = made(tmp_path, 2)
    cut(folder / "v4.metadata.json")
    first = fb.repair(folder.parent, drop_damaged_versions=True).damaged[0].moved_to
    fb.open_table(str(folder.parent)).append(pa.table({"id": [7]}, SCHEMA))
    cut(folder / "v4.metadata.json")
    second = fb.repair(folder.parent, drop_damaged_versions=True).damaged[0].moved_to
    assert first != second
    assert all(Path(each.removeprefix("file://")).exists() for each in (first, second))


def test_a_change_without_a_snapshot_loses_none(tmp_path):
    table, folder = made(tmp_path, 2)
    table.set_properties({"a": "b"})
    cut(folder / "v5.metadata.json")
    with pytest.raises(InvalidDataError, match="no manifest list of a later snapshot is there"):
        fb.repair(folder.parent)
    done = fb.repair(folder.parent, drop_damaged_versions=True)
    assert (done.version, done.lost) == (4, ())
    assert ids(str(folder.parent)) == [0, 1, 2]


def test_a_table_never_goes_back(tmp_path):
    _, folder = made(tmp_path, 2)
    (folder / "v3.metadata.json").write_bytes((folder / "v1.metadata.json").read_bytes())
    cut(folder / "v4.metadata.json")
    with pytest.raises(InvalidDataError, match="the table would go back"):
        fb.repair(folder.parent, drop_damaged_versions=True)
    assert (folder / "v4.metadata.json").exists()


def test_a_sound_folder_stays_as_it_is(tmp_path):
    _, folder = made(tmp_path, 3, **{"write.metadata.compression-codec": "gzip"})
    before = {path: path.read_bytes() for path in folder.iterdir()}
    found = fb.repair(folder, drop_damaged_versions=True)
    assert (found.version, found.damaged, found.lost) == (4, (), ())
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_what_cannot_be_mended_is_an_error(tmp_path):
    with pytest.raises(NotFoundError, match="no table in a folder is here"):
        fb.repair(tmp_path / "none")
    _, folder = made(tmp_path, 2)
    for path in folder.glob("*.metadata.json"):
        path.write_bytes(b"{")
    with pytest.raises(InvalidDataError, match="all 4 metadata files of the folder are damaged"):
        fb.repair(folder.parent, drop_damaged_versions=True)
    (folder / "00001-a.metadata.json").write_bytes(b"{}")
    with pytest.raises(InvalidInputError, match="a catalog knows the current one"):
        fb.repair(folder.parent)


def test_a_version_that_the_hint_says_and_that_is_gone_is_given_up_where_that_is_asked_for(tmp_path):
    table, folder = made(tmp_path, 2)
    last, location, hint = table.current_snapshot(), str(folder.parent), folder / "version-hint.text"
    (folder / "v4.metadata.json").unlink()
    dry = fb.repair(location, dry_run=True)
    assert (dry.version, dry.damaged, dry.missing) == (3, (), 4)
    assert [each.snapshot_id for each in dry.lost] == [last.snapshot_id]
    with pytest.raises(InvalidDataError, match=rf"says version 4, .*{last.snapshot_id} \(sequence number 3"):
        fb.repair(location)
    # The hint is the only evidence.
    opened = fb.open_table(location)
    found = list(opened.check())
    done = opened.repair(found)
    assert {each.rule.id for each in found} == {"version-hint"}
    assert (done.repaired, hint.read_text()) == ((), "4")
    [(_, why)] = done.skipped
    assert "floeberg.repair with drop_damaged_versions=True" in why
    done = fb.repair(location, drop_damaged_versions=True)
    assert (done.missing, done.lost, hint.read_text()) == (4, dry.lost, "3")
    assert ids(location) == [0, 1]
    assert fb.repair(location) == fb.repair(location, drop_damaged_versions=True)
    assert fb.repair(location).missing is None


def test_a_missing_version_and_damaged_ones_are_given_up_together(tmp_path):
    _, folder = made(tmp_path, 2)
    (folder / "v4.metadata.json").unlink()
    cut(folder / "v3.metadata.json")
    with pytest.raises(InvalidDataError, match=r"says version 4, .*; found damaged versions 3: "):
        fb.repair(folder.parent)
    done = fb.repair(folder.parent, drop_damaged_versions=True)
    assert (done.version, done.missing, [each.version for each in done.damaged]) == (2, 4, [3])
    assert [each.sequence_number for each in done.lost] == [2, 3]
    assert ids(str(folder.parent)) == [0]


def test_a_hint_below_the_newest_version_is_mended_by_the_table(tmp_path):
    _, folder = made(tmp_path, 2)
    (folder / "v1.metadata.json").unlink()
    (folder / "version-hint.text").write_text("1")
    assert fb.repair(folder.parent).missing is None
    table = fb.open_table(str(folder.parent))
    done = table.repair([each for each in table.check() if each.rule.id == "version-hint"])
    assert len(done.repaired) == 1
    assert (folder / "version-hint.text").read_text() == "4"


@pytest.mark.parametrize("name", ["v02", "v04", "v05", "v00005"])
def test_a_name_that_no_reader_looks_for_is_no_version(tmp_path, name):
    _, folder = made(tmp_path, 2)
    (folder / f"{name}.metadata.json").write_text("{")
    found = fb.repair(folder.parent, drop_damaged_versions=True)
    assert (found.version, found.damaged, found.lost) == (4, (), ())
    assert ids(str(folder.parent)) == [0, 1, 2]


def test_a_whole_file_of_a_version_counts_where_the_other_is_damaged(tmp_path):
    _, folder = made(tmp_path, 2, **{"write.metadata.compression-codec": "gzip"})
    bad = folder / "v4.metadata.json"
    bad.write_text("{")
    with pytest.raises(FloebergError):
        fb.open_table(str(folder.parent))
    done = fb.repair(folder.parent, drop_damaged_versions=True)
    assert (done.version, [each.version for each in done.damaged], done.lost) == (4, [4], ())
    assert done.metadata_location.endswith("/v4.gz.metadata.json")
    assert not bad.exists()
    assert (folder / "version-hint.text").read_text() == "4"
    assert ids(str(folder.parent)) == [0, 1, 2]


def test_a_folder_with_the_name_of_the_next_version_is_named_and_stays(tmp_path):
    _, folder = made(tmp_path, 2)
    place = folder / "v5.metadata.json"
    place.mkdir()
    [damaged] = fb.repair(folder.parent, dry_run=True).damaged
    assert (damaged.version, damaged.moved_to) == (5, None)
    with pytest.raises(
        InvalidDataError, match="damaged versions 5: expected a metadata file, found a folder"
    ):
        fb.repair(folder.parent)
    with pytest.raises(InvalidDataError, match="no folder is moved: remove it"):
        fb.repair(folder.parent, drop_damaged_versions=True)
    assert place.is_dir()


@pytest.mark.parametrize("kind", ["folder", "link to nothing"])
def test_a_commit_that_finds_no_free_name_was_certainly_not_made(tmp_path, kind):
    _, folder = made(tmp_path, 2)
    place = folder / "v5.metadata.json"
    if kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(folder / "nothing")
    before = sorted(folder.parent.rglob("*"))
    with pytest.raises(StorageError, match=f"a {kind} is where the new file should be") as refused:
        fb.open_table(str(folder.parent)).append(pa.table({"id": [9]}, SCHEMA))
    assert not isinstance(refused.value, CommitStateUnknownError)
    assert sorted(folder.parent.rglob("*")) == before
    if kind == "folder":
        place.rmdir()
    else:
        place.unlink()
    fb.open_table(str(folder.parent)).append(pa.table({"id": [9]}, SCHEMA))
    assert ids(str(folder.parent)) == [0, 1, 2, 9]

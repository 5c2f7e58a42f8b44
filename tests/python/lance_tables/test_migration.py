"""Manifests get the names of the newer scheme."""

from __future__ import annotations

import shutil
from pathlib import Path

import lance
import pyarrow as pa
import pytest

import floeberg as fb
from corpus import lance_cases
from floeberg.errors import AlreadyExistsError, InvalidDataError, InvalidInputError, NotFoundError

from .kit import check_same

(CASE,) = (case for case in lance_cases() if case.name == "manifest_v1")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A table of pylance whose manifests have the older names."""
    folder = tmp_path / "old"
    shutil.copytree(CASE.location, folder)
    assert all(len(name.stem) < 20 for name in (folder / "_versions").glob("*.manifest"))
    return folder


def test_all_versions_stay_and_the_next_ones_have_newer_names(place: Path) -> None:
    table = fb.open_table(place)
    table.append(table.scan(limit=1).to_arrow())
    versions, rows = table.version_numbers(), table.scan().to_arrow()
    assert (place / "_versions" / f"{versions[-1]}.manifest").exists()
    assert fb.lance.migrate_manifest_paths(str(place)) == len(versions)
    assert fb.lance.migrate_manifest_paths(str(place)) == 0
    names = {path.name for path in (place / "_versions").glob("*.manifest")}
    assert names == {f"{2**64 - 1 - version:020}.manifest" for version in versions}
    again = fb.open_table(place)
    assert (again.version_numbers(), again.scan().to_arrow()) == (versions, rows)
    again.append(rows.slice(0, 1))
    assert lance.write_dataset(rows.slice(0, 1), str(place), mode="append").version == versions[-1] + 2
    check_same(again.refresh())


def test_one_that_was_broken_off_is_done_again(place: Path) -> None:
    folder = place / "_versions"
    versions = fb.open_table(place).version_numbers()
    # As it leaves the folder between two steps.
    shutil.copy(folder / f"{versions[0]}.manifest", folder / f"{2**64 - 1 - versions[0]:020}.manifest")
    with pytest.raises(InvalidDataError, match="both ways"):
        fb.open_table(place)
    assert fb.lance.migrate_manifest_paths(str(place)) == len(versions)
    check_same(fb.open_table(place))


def test_what_cannot_be_migrated_is_told_and_kept(place: Path) -> None:
    folder = place / "_versions"
    other = folder / f"{2**64 - 2:020}.manifest"
    other.write_bytes(b"another")
    before = {path.name for path in folder.iterdir()}
    with pytest.raises(AlreadyExistsError):
        fb.lance.migrate_manifest_paths(str(place))
    assert {path.name for path in folder.iterdir()} >= {"1.manifest", other.name} and len(before) > 1
    for location, options, error in (
        (place.parent / "none", {}, NotFoundError),
        (place, {"branch": "gone"}, NotFoundError),
        (place, {"branch": "../x"}, InvalidInputError),
    ):
        with pytest.raises(error):
            fb.lance.migrate_manifest_paths(str(location), **options)


def test_a_branch_has_manifests_of_its_own(place: Path) -> None:
    table = fb.open_table(place)
    table.create_branch("b")
    branch = fb.open_table(place, branch="b")
    branch.append(pa.table(table.scan(limit=1).to_arrow()))
    rows = branch.scan().to_arrow()
    assert fb.lance.migrate_manifest_paths(str(place), branch="b") in {0, 2}
    assert fb.lance.migrate_manifest_paths(str(place), branch="main") == len(table.version_numbers())
    assert fb.open_table(place, branch="b").scan().to_arrow() == rows
    assert fb.open_table(place).version_numbers() == table.version_numbers()

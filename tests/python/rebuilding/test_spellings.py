"""One file has many spellings: links, `.`, `..` and doubled slashes change neither rows nor deletes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import floeberg as fb
from maintenance.disk import path_of, rows
from rebuilding.lost import data_paths, delete_paths, digests, without_lists, without_metadata

pytestmark = pytest.mark.unchecked_tables("tables are destroyed")

SPELLINGS = {
    "link": lambda path, root: f"{root}/link/{path}",
    "slashes": lambda path, root: f"{root}/lake//db/t/{path}",
    "dots": lambda path, root: f"{root}/lake/./db/t/{path}",
    "upward": lambda path, root: f"{root}/lake/../lake/db/t/{path}",
    "scheme": lambda path, root: f"file://{root}/link/{path}",
}
DESTROYED = {"metadata": fb.Table.refresh, "manifest-list": without_metadata, "manifests": without_lists}


@pytest.fixture(params=[2, 3])
def table(request, tmp_path: Path) -> fb.Table:
    catalog = fb.load_catalog("spelled", type="filesystem", warehouse=str(tmp_path / "lake"))
    catalog.create_namespace("db")
    made = catalog.create_table("db.t", rows().schema, format_version=request.param)
    made.append(rows(1, 2, 3))
    made.append(rows(4, 5))
    made.delete("id in (2, 4)", mode="merge-on-read")
    (tmp_path / "link").symlink_to(path_of(made.location()))
    return made


def ids(table: fb.Table) -> list[int]:
    return sorted(table.scan().to_arrow()["id"].to_pylist())


@pytest.mark.parametrize("destroy", DESTROYED.values(), ids=DESTROYED)
@pytest.mark.parametrize("spelled", SPELLINGS.values(), ids=SPELLINGS)
def test_files_in_another_spelling_keep_their_deletes(table, tmp_path, spelled, destroy):
    old = path_of(table.location())
    data, deletes = data_paths(table), delete_paths(table)
    destroy(table)

    def again(path: str) -> str:
        return spelled(path_of(path).removeprefix(f"{old}/"), tmp_path)

    named = [again(path) for path in [*data, *deletes]]
    done = fb.rebuild(spelled("", tmp_path), to=tmp_path / "new", files=named)
    assert ids(done.table) == [1, 3, 5]
    # Entries are those of the manifests, with the paths that these have.
    assert sorted(data_paths(done.table)) == sorted(data)
    assert done.unproven == ()
    assert list(done.table.check("rows")) == []


@pytest.mark.parametrize("spelled", [SPELLINGS["link"], SPELLINGS["upward"]], ids=["link", "upward"])
@pytest.mark.usefixtures("table")
def test_candidates_in_the_spelling_of_the_folder_are_listed_files(tmp_path, spelled):
    found = fb.rebuild_candidates(spelled("", tmp_path)).to_pylist()
    data = [each["file_path"] for each in found if each["content"] == "data"]
    done = fb.rebuild(spelled("", tmp_path), to=tmp_path / "new", files=data)
    assert (ids(done.table), done.source) == ([1, 3, 5], "metadata")


@pytest.mark.usefixtures("table")
def test_a_folder_behind_a_link_is_as_sound_as_the_folder(tmp_path):
    done = fb.rebuild(tmp_path / "link", to=tmp_path / "new")
    assert ids(done.table) == [1, 3, 5]
    assert (done.passed_over, done.unproven, done.missing) == ((), (), ())
    assert "table.repair" in done.advice


def test_a_relative_path_is_that_of_its_file(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path / "lake")
    data = [os.path.relpath(path_of(path)) for path in data_paths(table)]
    done = fb.rebuild("../lake/db/t", to=tmp_path / "new", files=[f"../lake/{path}" for path in data])
    assert ids(done.table) == [1, 3, 5]


@pytest.mark.parametrize("destroy", DESTROYED.values(), ids=DESTROYED)
def test_a_file_by_two_names_is_refused(table, tmp_path, destroy):
    first, second = (path_of(path) for path in data_paths(table))
    behind = tmp_path / "behind.parquet"
    behind.symlink_to(first)
    destroy(table)
    for other in (first.replace("/data/", "/./data/"), f"{tmp_path}/link/data/{Path(first).name}", behind):
        with pytest.raises(fb.errors.InvalidInputError, match="each file once, found one by two names"):
            fb.rebuild(table.location(), to=tmp_path / "new", files=[first, second, other])


def test_a_target_is_compared_by_its_real_folder(table, tmp_path):
    old = path_of(table.location())
    before = digests(old)
    spelled: list[Callable[[str], str]] = [
        lambda name: f"{tmp_path}/link/{name}",
        lambda name: f"{tmp_path}/none/../lake/db/t/{name}",
        lambda name: f"{tmp_path}/lake/db/u/../t/{name}",
        lambda name: f"{tmp_path}/lake/db//t/./{name}",
        lambda name: f"file://{tmp_path}/link/{name}",
    ]
    for target in (spell(name) for spell in spelled for name in ("new", "", "new/deeper")):
        with pytest.raises(fb.errors.InvalidInputError, match="outside of that of the old table"):
            fb.rebuild(old, to=target)
        with pytest.raises(fb.errors.InvalidInputError, match="outside of that of the old table"):
            fb.rebuild(tmp_path / "link", to=target)
    assert digests(old) == before
    # A folder beside the old one whose name begins in the same way is another one.
    assert ids(fb.rebuild(tmp_path / "link", to=f"{old}-new").table) == [1, 3, 5]

"""Which version of a Lance table is opened, and what it says of itself."""

from __future__ import annotations

import pickle
import shutil
from datetime import timedelta

import pytest

import floeberg as fb
from corpus import lance_lent, lent
from floeberg import errors


@pytest.fixture
def case():
    return lance_lent("lance")


def test_the_format_is_told_by_the_folder(case):
    assert isinstance(fb.open_table(case.location), fb.LanceTable)
    assert isinstance(fb.open_table(str(case.location) + "/"), fb.LanceTable)
    iceberg = lent("refs")
    assert isinstance(fb.open_table(iceberg.folder / "table", relocate=iceberg.relocate), fb.Table)


def test_a_version_or_a_moment_is_opened(case):
    table = case.open()
    assert (table.version, table.scan().count()) == (7, 29)
    versions = table.versions()
    assert [each.version for each in versions] == table.version_numbers() == list(range(1, 8))
    for each in versions:
        assert case.open(version=each.version).version == each.version
        assert case.open(as_of=each.timestamp).version == each.version
        if each.version > 1:
            before = each.timestamp - timedelta(microseconds=1)
            assert case.open(as_of=before).version == each.version - 1
        assert each.written_by.startswith("lance ")


def test_before_the_first_version_there_is_none(case):
    with pytest.raises(errors.NotFoundError, match="the first is newer"):
        case.open(as_of=0)


def test_tags_and_branches_are_opened_and_listed():
    case = lance_lent("lance_branches")
    table = case.open()
    assert sorted(table.branches()) == sorted(case.expected["branches"])
    assert {name: each.version for name, each in table.tags().items()} == {
        name: each["version"] for name, each in case.expected["tags"].items()
    }
    for name, told in case.expected["branches"].items():
        branch = case.open(branch=name)
        assert (branch.branch, branch.version) == (name, told["versions"][-1]["version"])
        assert branch.scan().to_arrow()["id"].to_pylist() == told["versions"][-1]["ids"]
        parent = table.branches()[name]
        assert (parent.parent_branch, parent.parent_version) == (
            told["parent_branch"],
            told["parent_version"],
        )
        assert pickle.loads(pickle.dumps(branch)).scan().to_arrow() == branch.scan().to_arrow()
        for state in told["versions"]:
            found = case.open(branch=name, version=state["version"]).scan(selected_fields=("id", "_rowaddr"))
            assert found.to_arrow()["id"].to_pylist() == state["ids"]
            assert found.to_arrow()["_rowaddr"].to_pylist() == state["addresses"]
    for name, told in case.expected["tags"].items():
        tagged = case.open(tag=name)
        assert (tagged.version, tagged.branch) == (told["version"], told["branch"])
    refs = table.inspect.refs()
    assert refs["name"].to_pylist() == sorted([*case.expected["branches"], *case.expected["tags"]])


@pytest.mark.parametrize(
    ("options", "error", "reason"),
    [
        ({"version": 99}, errors.NotFoundError, "no version 99: there are 7 versions from 1 to 7"),
        ({"version": -1}, errors.InvalidInputError, "at least 0"),
        ({"version": "1"}, errors.InvalidInputError, "version: expected an integer"),
        ({"tag": "gone"}, errors.NotFoundError, 'no tag "gone"'),
        ({"tag": "../x"}, errors.InvalidInputError, "expected a tag"),
        ({"branch": "gone"}, errors.NotFoundError, 'no branch "gone"'),
        ({"version": 1, "tag": "v1"}, errors.InvalidInputError, "version and tag exclude each other"),
        ({"branch": "b", "tag": "v1"}, errors.InvalidInputError, "branch and tag exclude each other"),
        ({"version": 1, "as_of": 0}, errors.InvalidInputError, "as_of and version exclude each other"),
        ({"version": 1, "snapshot_id": 1}, errors.InvalidInputError, "exclude each other"),
        ({"snapshot_id": 1}, errors.UnsupportedError, "Lance tables have no snapshot_id: use version, tag"),
        ({"ref": "main"}, errors.UnsupportedError, "Lance tables have no ref"),
        ({"format": "iceberg"}, errors.UnsupportedError, "expected an Iceberg table, found a Lance table"),
    ],
)
def test_what_cannot_be_opened_says_why(case, options, error, reason):
    with pytest.raises(error, match=reason):
        fb.open_table(case.location, **options)


@pytest.mark.parametrize("argument", [{"version": 1}, {"tag": "a"}, {"branch": "a"}])
def test_arguments_for_lance_are_refused_for_iceberg(argument):
    iceberg = lent("refs")
    with pytest.raises(errors.UnsupportedError, match=f"Iceberg tables have no {next(iter(argument))}"):
        fb.open_table(iceberg.folder / "table", relocate=iceberg.relocate, **argument)


def test_a_folder_without_a_table_is_told_as_such(tmp_path):
    for options in ({}, {"version": 1}, {"format": "lance"}):
        with pytest.raises(errors.NoSuchTableError):
            fb.open_table(tmp_path, **options)


def test_a_table_stays_at_its_version_until_it_is_refreshed(case, tmp_path):
    place = tmp_path / "t"
    shutil.copytree(case.location, place)
    newest = max(case.location.glob("_versions/*.manifest"), key=lambda path: -int(path.stem))
    (place / "_versions" / newest.name).unlink()
    table = fb.open_table(place)
    scan = table.scan()
    assert table.version == 6
    shutil.copy(newest, place / "_versions")
    assert (table.version, table.refresh().version, scan.version) == (6, 7, 6)
    with pytest.raises(errors.UnsupportedError, match="fixed version"):
        fb.open_table(place, version=3).refresh()


def test_what_is_unpickled_stays_at_its_version_and_knows_another_table(case, tmp_path):
    place = tmp_path / "t"
    shutil.copytree(case.location, place)
    table = fb.open_table(place, version=4)
    scan = table.scan(row_filter="id < 20", selected_fields=("id", "_rowid"), limit=7)
    kept = [pickle.dumps(table), pickle.dumps(scan)]
    again = pickle.loads(kept[0])
    assert (again.version, again.scan().to_arrow()) == (4, table.scan().to_arrow())
    assert pickle.loads(kept[1]).to_arrow() == scan.to_arrow()
    group = pickle.dumps(scan.plan_files().split()[0])
    shutil.rmtree(place / "_versions")
    # A group has its own manifest.
    assert (
        pickle.loads(group).to_arrow() == table.scan(row_filter="id < 20").select("id", "_rowid").to_arrow()
    )
    shutil.rmtree(place)
    shutil.copytree(lance_lent("lance_stable").location, place)
    for each in kept:
        with pytest.raises(errors.NotFoundError, match="replaced by that of another table"):
            pickle.loads(each)


def test_a_table_says_what_it_is(case):
    table = case.open()
    text = repr(table)
    assert "id: int64" in text and "version: 7 of 20" in text
    assert "id" in table._repr_html_() and "id" in table.scan()._repr_html_()
    assert (table.branch, table.data_storage_version, table.has_stable_row_ids) == (None, "2.2", False)
    assert lance_lent("lance_stable").open().has_stable_row_ids
    odd = lance_lent("lance_odd_names")
    assert odd.open().config == odd.expected["config"]
    assert odd.open().table_metadata == odd.expected["table_metadata"]
    found = {key.decode(): value.decode() for key, value in (odd.open().schema().metadata or {}).items()}
    assert found == odd.expected["schema_metadata"]


def test_metadata_tables(case):
    inspect = case.open().inspect
    assert inspect.versions().num_rows == 7
    assert inspect.fragments()["fragment_id"].to_pylist() == [0, 1, 2]
    assert inspect.data_files().num_rows == sum(len(each["files"]) for each in case.expected["fragments"])
    assert inspect.refs().num_rows == 0
    empty = lance_lent("lance_empty").open().inspect
    assert (empty.fragments().num_rows, empty.data_files().num_rows) == (0, 0)

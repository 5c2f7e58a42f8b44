"""What other processes do for a compaction and for a search of orphan files, without these processes."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from floeberg import _native
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.maintenance.one_snapshot import commit_snapshot
from maintenance.disk import named, on_disk, path_of, rows

EQUAL = {"equal_schemes": {}, "equal_authorities": {}}


@pytest.fixture
def table(make):
    made = make()
    for number in range(4):
        made.append(rows(number, number + 10))
    made.delete("id = 1", mode="merge-on-read")
    return made


def ids(table):
    return sorted(table.scan().to_arrow()["id"].to_pylist())


def operation_of(table, **wanted):
    paths = table.scan().plan_files().to_arrow()["file_path"].to_pylist()
    wanted = {"groups": [paths], "options": {}, **wanted}
    return _native.Operation.rewrite_data_files(json.dumps(wanted))


def copies_of(table, operation):
    """The only group of a commit."""
    commit = _native.Commit.begin(
        [operation],
        starting=table._inner,
        storage_options={},
        snapshot_properties={},
        branch="main",
        commit_key="a",
    )
    [group] = commit.groups_to_copy(table._inner)
    return group


def by_id(*, descends=False):
    return {"order": f"id {'DESC' if descends else 'ASC'}", "case-sensitive": True}


def test_copies_are_taken_under_their_key_alone(table):
    before, bases = ids(table), []

    def prepare(commit, base, _):
        [(key, files, recipe)] = commit.groups_to_copy(base)
        receipt = _native.copy_group(files, recipe, task=f"t{len(bases)}", partition=7, threads=1)
        commit.take_copies(key if bases else f"other {key}", receipt)
        bases.append(base.metadata_location)
        assert len(commit.groups_to_copy(base)) == 2 - len(bases)

    for _ in range(2):
        made = commit_snapshot(
            table.maintenance, operation_of(table), branch="main", snapshot_properties={}, prepare=prepare
        )
        assert made.counts["copied_rows"] == 7
        assert ids(table) == before
        paths = [Path(each).name for each in table.scan().plan_files().to_arrow()["file_path"].to_pylist()]
        # Under another key the copies are not used, and removed.
        assert [path.startswith("00007-t1-") for path in paths] == [len(bases) == 2]
    assert on_disk(table.location()) == named(table)


def test_another_process_reads_and_writes_what_the_commit_would(table):
    _, files, recipe = copies_of(table, operation_of(table, sort=by_id(descends=True)))
    assert recipe.is_sorted
    receipt = _native.copy_group(files, recipe, task="a", partition=0, threads=None)
    assert receipt.rows == 7
    recipe.remove(receipt)
    keys, number = _native.sample_keys(files, recipe, most=100, threads=1)
    assert (len(keys), number) == (7, 7)
    ends = _native.range_ends([(keys, number)], 3)
    assert len(ends) == 2
    stream = _native.spread_rows(files, recipe, ends, first=5, threads=1)
    pieces = []
    while (piece := stream.next_batch()) is not None:
        pieces.append(pa.record_batch(piece))
    assert [each["range"][0].as_py() for each in pieces] == [0, 1, 2]
    assert [each["number"][0].as_py() for each in pieces] == [5, 6, 7]
    reader = pa.RecordBatchReader.from_batches(pieces[0].schema, pieces)
    written = _native.gather_rows(reader, recipe, task="b", partition=1)
    assert (written.rows, len(written)) == (7, 3)
    recipe.remove(written)
    parts = _native.group_parts(files, 1)
    assert len(parts) > 1
    assert sum(part.extent()[1] for part in parts) == files.extent()[1]


def test_what_is_no_piece_is_refused_and_leaves_no_file(table):
    before = on_disk(table.location())
    _, files, recipe = copies_of(table, operation_of(table, sort=by_id()))
    keys, number = _native.sample_keys(files, recipe, most=100, threads=1)
    stream = _native.spread_rows(files, recipe, _native.range_ends([(keys, number)], 2), first=0, threads=1)
    one, other = pa.record_batch(stream.next_batch()), pa.record_batch(stream.next_batch())
    for batches, message in (
        ([other, one], "expected ranges in order, found range 0 after range 1"),
        ([one, one.set_column(2, "rows", pa.array([b"junk"]))], "found other bytes"),
        ([one.select(["range"])], "expected the number of a range"),
    ):
        reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
        with pytest.raises(InvalidInputError, match=message):
            _native.gather_rows(reader, recipe, task="a", partition=0)
        assert on_disk(table.location()) == before
    with pytest.raises(InvalidInputError, match="ascending"):
        _native.spread_rows(files, recipe, [b"b", b"a"], first=0, threads=1)
    _, files, unsorted = copies_of(table, operation_of(table))
    assert not unsorted.is_sorted
    with pytest.raises(InvalidInputError, match="found rows without one"):
        _native.sample_keys(files, unsorted, most=1, threads=1)
    with pytest.raises(InvalidInputError):
        recipe.with_file_size(0)
    with pytest.raises((InvalidInputError, UnsupportedError), match="nothing"):
        copies_of(table, operation_of(table, sort={"order": "nothing", "case-sensitive": True}))


def test_a_table_names_the_same_places_in_parts(table):
    own, tasks = _native.named_parts(table._inner, most_tasks=2, **EQUAL)
    batches = [own, *(_native.named_places(each, threads=1, storage_options={}, **EQUAL) for each in tasks)]
    places = {f"/{path}" for each in batches for path in pa.record_batch(each)["path"].to_pylist()}
    assert places == named(table)
    assert tasks
    for wrong in (b"", b"junk", tasks[0][:-3]):
        with pytest.raises(InvalidInputError):
            _native.named_places(wrong, threads=1, storage_options={}, **EQUAL)


def test_a_folder_is_listed_level_by_level(table):
    folder = path_of(table.location())

    def listed(place, *, all_levels, may_be_gone=False):
        found = _native.listed_places(
            place, all_levels=all_levels, may_be_gone=may_be_gone, storage_options={}, **EQUAL
        )
        return pa.record_batch(found).to_pylist()

    whole = {each["location"] for each in listed(folder, all_levels=True)}
    assert {path_of(each) for each in whole} == on_disk(folder)
    found, folders = set(), [folder]
    while folders:
        for each in listed(folders.pop(), all_levels=False):
            if each["is_folder"]:
                folders.append(each["location"])
            else:
                found.add(each["location"])
                assert f"/{each['path']}" == path_of(each["location"])
                assert each["size"] > 0 < each["modified"]
    assert found == whole
    assert listed(f"{folder}/nowhere", all_levels=True, may_be_gone=True) == []
    with pytest.raises(FileNotFoundError):
        listed(f"{folder}/nowhere", all_levels=True)


def test_files_that_the_table_names_with_another_prefix(table):
    lost = f"{path_of(table.location())}/data/lost"
    known = [(lost, 3, 0, ["hdfs://host"])]

    def orphans(mode, files=known, *, is_known=True):
        listed = _native.ListedFiles.of_compared(table.location(), files, is_known=is_known)
        return listed.orphans(table._inner, older_than_ms=10, prefix_mismatch=mode, **EQUAL)

    assert orphans("delete") == [(lost, 3)]
    assert orphans("ignore") == []
    with pytest.raises(InvalidInputError, match="hdfs://host"):
        orphans("error")
    assert orphans("error", [(lost, 3, 0, [])]) == [(lost, 3)]
    assert orphans("error", [(lost, 3, 10, [])]) == []
    with pytest.raises(InvalidInputError, match="names none of the files"):
        orphans("error", [(lost, 3, 0, [])], is_known=False)

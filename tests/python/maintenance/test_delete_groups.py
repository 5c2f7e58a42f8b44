"""What other processes do for a commit that writes delete files again, without these processes."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from floeberg import _native
from floeberg.errors import InvalidInputError
from floeberg.maintenance.one_snapshot import commit_snapshot
from maintenance.disk import named, on_disk, rows


@pytest.fixture(params=[("file", 2), ("partition", 2), ("file", 3)], ids=str)
def table(request, make):
    """Four data files in two partitions, of which three have position deletes of version 2."""
    granularity, version = request.param
    made = make(2, **{"write.delete.granularity": granularity, "write.target-file-size-bytes": "1"})
    for first, part in ((0, "a"), (10, "a"), (20, "b"), (30, "b")):
        made.append(rows(*range(first, first + 10), part=part))
    made.delete("id in (1, 11)", mode="merge-on-read")
    made.delete("id in (2, 21)", mode="merge-on-read")
    if version > 2:
        with made.transaction() as transaction:
            transaction.upgrade_table_version(version)
    return made


def ids(table):
    return sorted(table.scan().to_arrow()["id"].to_pylist())


def operation_of(table, kind="positions"):
    paths = sorted({each.file_path for each in table.scan().plan_files().delete_files()})
    return _native.Operation.rewrite_deletes(json.dumps({"kind": kind, "paths": paths}))


def begun(table, operation):
    return _native.Commit.begin(
        [operation],
        starting=table._inner,
        storage_options={},
        snapshot_properties={},
        branch="main",
        commit_key="a",
    )


def written(groups, name="w"):
    """The receipts of groups, by their keys, written from what crosses to another process."""
    done = {}
    for number, (key, files, recipe) in enumerate(groups):
        sent, how = pickle.loads(pickle.dumps(files)), pickle.loads(pickle.dumps(recipe))
        done[key] = how.write(sent, task=f"{name}{number}", partition=5, threads=1)
    return done


def test_what_others_wrote_is_used_and_the_rest_is_written_here(table):
    before, asked = ids(table), []

    def prepare(commit, base, _):
        groups = commit.deletes_to_write(base)
        asked.append(len(groups))
        done = written(groups[:1])
        for key, receipt in done.items():
            commit.take_copies(key, receipt)
        # What was taken is not asked for again.
        left = commit.deletes_to_write(base)
        assert {key for key, _, _ in left} == {key for key, _, _ in groups[1:]}

    made = commit_snapshot(
        table.maintenance, operation_of(table), branch="main", snapshot_properties={}, prepare=prepare
    )
    partitions = table.properties["write.delete.granularity"] == "partition"
    assert asked == [2 if partitions else 3]
    assert made.counts["files_with_new_deletes"] == 3
    assert ids(table) == before
    names = {Path(each).name for each in table.inspect.delete_files()["file_path"].to_pylist()}
    assert {name[:5] for name in names} == {"00005", "00000"}
    assert on_disk(table.location()) >= named(table)


def test_deletes_of_other_data_files_are_refused(table):
    commit = begun(table, operation_of(table))
    groups = commit.deletes_to_write(table._inner)
    done = written(groups)
    (one, first), (other, second), *_ = done.items()
    for key, receipt in ((one, second), (other, first), ("", first)):
        with pytest.raises(InvalidInputError, match="those of another one"):
            commit.take_copies(key, receipt)
    assert len(commit.deletes_to_write(table._inner)) == len(groups)
    for key, receipt in done.items():
        commit.take_copies(key, receipt)
    assert commit.deletes_to_write(table._inner) == []
    # All of them belong to the commit.
    assert commit.abandon() == []
    assert on_disk(table.location()) == named(table)


def test_a_recipe_removes_what_it_wrote(table):
    [(_, files, recipe), *_] = begun(table, operation_of(table)).deletes_to_write(table._inner)
    before = on_disk(table.location())
    receipt = recipe.write(files, task="t", partition=0, threads=None)
    assert len(on_disk(table.location())) == len(before) + 1
    recipe.remove(receipt)
    assert on_disk(table.location()) == before
    with pytest.raises(InvalidInputError, match="task name"):
        recipe.write(files, task="a/b", partition=0, threads=1)
    for wrong in (b"", b"junk"):
        with pytest.raises(InvalidInputError):
            _native.DeleteRecipe._from_recipe(wrong)


def test_only_such_a_commit_has_deletes_to_write(table):
    dangling = _native.Operation.rewrite_deletes(json.dumps({"kind": "dangling", "paths": []}))
    nothing = _native.Operation.rewrite_deletes(json.dumps({"kind": "positions", "paths": ["nowhere"]}))
    for operation in (dangling, nothing, _native.Operation.remove_properties(["a"])):
        assert begun(table, operation).deletes_to_write(table._inner) == []
    assert begun(table, operation_of(table)).groups_to_copy(table._inner) == []

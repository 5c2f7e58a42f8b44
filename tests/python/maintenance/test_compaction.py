"""Data files are written again: rows stay the same, and so do their ids."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import errors
from floeberg.maintenance.rewrite_options import read_options
from maintenance.disk import EVER, content, named, on_disk, rows

PARTS = "ab"


def small(make, version: int = 2, count: int = 12, **properties: str) -> fb.Table:
    """A table of many small files of two partitions."""
    table = make(version, **properties)
    for number in range(count):
        table.append(rows(2 * number, 2 * number + 1, part=PARTS[number % 2]))
    return table


def lineage(table: fb.Table) -> list[tuple[Any, ...]]:
    names = ("id", "part", "_row_id", "_last_updated_sequence_number")[: 4 if table.format_version > 2 else 2]
    return sorted(tuple(each.values()) for each in table.scan(selected_fields=names).to_arrow().to_pylist())


def files(table: fb.Table) -> int:
    return len(table.scan().plan_files())


@pytest.mark.parametrize("version", [1, 2, 3])
def test_small_files_become_one_of_each_partition(make, version):
    table = small(make, version)
    before = lineage(table)
    planned = table.maintenance.rewrite_data_files(dry_run=True)
    assert (planned.rewritten_data_files_count, files(table)) == (12, 12)
    done = table.maintenance.rewrite_data_files()
    assert (done.rewritten_data_files_count, done.added_data_files_count) == (12, 2)
    assert {*done.rewritten_files} == {*planned.rewritten_files}
    assert done.rewritten_bytes_count == planned.rewritten_bytes_count > 0
    assert (files(table), lineage(table)) == (2, before)
    snapshot = table.current_snapshot()
    assert snapshot.operation == "replace"
    assert done.snapshot_ids == (snapshot.snapshot_id,)
    # Nothing is left to do.
    assert not table.maintenance.rewrite_data_files().snapshot_ids
    table.maintenance.expire_snapshots(older_than=EVER)
    assert on_disk(table.location()) == named(table)
    assert lineage(table) == before


@pytest.mark.parametrize("version", [2, 3])
def test_deletes_that_applied_are_gone(make, version):
    table = small(make, version)
    table.delete("id in (3, 4, 5)", mode="merge-on-read")
    before = lineage(table)
    assert table.scan().plan_files().delete_files()
    done = table.maintenance.rewrite_data_files()
    assert lineage(table) == before
    tasks = list(table.scan().plan_files())
    assert len(tasks) == 2
    assert not [delete for task in tasks for delete in task.delete_files]
    assert (done.removed_delete_files_count > 0) == (version == 3)


def test_rows_that_equality_deletes_delete_do_not_come_back(make):
    table = small(make, 2)
    changes = pa.table(
        {"op": ["delete", "delete"], "id": pa.array([2, 7], pa.int64()), "part": ["b", "b"], "at": [1, 1]}
    )
    with table.transaction() as transaction:
        transaction.apply_changes(
            changes, keys=["id", "part"], operation="op", order_by="at", mode="equality"
        )
    before = lineage(table)
    table.maintenance.rewrite_data_files()
    assert lineage(table) == before
    table.append(rows(2, 7, part="b"))
    assert len(lineage(table)) == len(before) + 2


def test_a_file_that_is_too_large_is_split(make):
    table = make(2)
    table.append(rows(*range(200_000)))
    before = lineage(table)
    options = {"target-file-size-bytes": "60000", "max-file-size-bytes": "150000"}
    size = next(iter(table.scan().plan_files())).file.file_size_in_bytes
    assert size > 150_000
    done = table.maintenance.rewrite_data_files(options=options)
    assert done.added_data_files_count > 1
    assert lineage(table) == before


def test_only_files_with_rows_that_may_match_are_written(make):
    table = small(make)
    done = table.maintenance.rewrite_data_files(where="part = 'a'")
    assert (done.rewritten_data_files_count, files(table)) == (6, 7)
    assert not table.maintenance.rewrite_data_files(where="part = 'z'").snapshot_ids
    with pytest.raises(errors.FloebergError, match="nowhere"):
        table.maintenance.rewrite_data_files(where="nowhere = 1")


CHOSEN = {
    "too few files": ({"min-input-files": "7"}, 0),
    "enough files": ({"min-input-files": "6"}, 12),
    "enough rows for a file": ({"min-input-files": "99", "target-file-size-bytes": "1500"}, 12),
    "files of a good size": (
        {"target-file-size-bytes": "600", "min-file-size-bytes": "100", "max-file-size-bytes": "5000"},
        0,
    ),
    "all": ({"rewrite-all": "true", "target-file-size-bytes": "700", "min-file-size-bytes": "1"}, 12),
    "groups of a few": ({"max-file-group-size-bytes": "3500", "min-input-files": "5"}, 10),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_what_is_chosen_is_what_the_options_say(make, name):
    options, expected = CHOSEN[name]
    done = small(make).maintenance.rewrite_data_files(options=options, dry_run=True)
    assert done.rewritten_data_files_count == expected


@pytest.mark.parametrize(("ratio", "expected"), [("0.2", 1), ("0.25", 1), ("0.26", 0), ("0.9", 0)])
def test_a_file_with_many_deletes_is_written_again(make, ratio, expected):
    table = make(3)
    table.append(rows(1, 2, 3, 4))
    table.delete("id = 1", mode="merge-on-read")
    sizes = {"min-file-size-bytes": "1", "target-file-size-bytes": "1000000", "delete-ratio-threshold": ratio}
    done = table.maintenance.rewrite_data_files(options=sizes)
    assert done.rewritten_data_files_count == expected
    assert (files(table), lineage(table)[0][0]) == (1, 2)
    sizes |= {"delete-ratio-threshold": "1", "delete-file-threshold": "1"}
    assert table.maintenance.rewrite_data_files(options=sizes).rewritten_data_files_count == 1 - expected


def test_files_of_old_specs_go_to_the_current_one(make):
    table = small(make, 3)
    with table.update_spec() as update:
        update.remove_field("part")
        update.add_field("id", "bucket[2]", "shard")
    before = lineage(table)
    done = table.maintenance.rewrite_data_files()
    assert (done.rewritten_data_files_count, done.added_data_files_count) == (12, 2)
    assert {task.file.spec_id for task in table.scan().plan_files()} == {table.spec().spec_id}
    assert lineage(table) == before


def test_columns_that_were_added_and_renamed_are_those_of_now(make):
    table = small(make)
    with table.update_schema() as update:
        update.add_column("more", "int")
        update.rename_column("id", "number")
    table.append(pa.table({"number": [99], "part": ["a"], "more": pa.array([5], pa.int32())}))
    before = table.scan().to_arrow().sort_by("number")
    table.maintenance.rewrite_data_files()
    assert table.scan().to_arrow().sort_by("number").equals(before)
    assert files(table) == 2


def test_a_branch_is_compacted_and_main_stays(make):
    table = small(make)
    with table.manage_snapshots() as snapshots:
        snapshots.create_branch(None, "dev")
    table.append(rows(100), branch="dev")
    main = table.current_snapshot().snapshot_id
    done = table.maintenance.rewrite_data_files(branch="dev")
    assert done.rewritten_data_files_count == 13
    assert table.current_snapshot().snapshot_id == main
    assert len(table.scan(branch="dev").plan_files()) == 2
    assert table.scan(branch="dev").count() == 25


def test_progress_may_be_partial(make):
    table = small(make)
    before = lineage(table)
    options = {"partial-progress.enabled": "true", "partial-progress.max-commits": "5"}
    done = table.maintenance.rewrite_data_files(options=options)
    assert (len(done.snapshot_ids), done.rewritten_data_files_count, done.failed_data_files_count) == (
        2,
        12,
        0,
    )
    assert (files(table), lineage(table)) == (2, before)


OTHERS: dict[str, Callable[[fb.Table], object]] = {
    "append": lambda table: table.append(rows(1000)),
    "a delete by vectors": lambda table: table.delete("id = 3", mode="merge-on-read"),
    "a delete by copies": lambda table: table.delete("id = 3", mode="copy-on-write"),
    "an update": lambda table: table.update({"id": 500}, "id = 4"),
    "an upsert": lambda table: table.upsert(rows(5, 700, part="a"), ["id"]),
    "a delete of a partition": lambda table: table.delete("part = 'a'"),
    "all rows": lambda table: table.delete("id >= 0"),
    "another compaction": lambda table: table.maintenance.rewrite_data_files(),
    "an expiry": lambda table: table.maintenance.expire_snapshots(older_than=EVER),
    "a column": lambda table: table.update_schema().add_column("more", "int").commit(),
}


@pytest.mark.parametrize("order", [None, "id desc", "zorder(id, part)"])
@pytest.mark.parametrize(("version", "late", "other"), list(itertools.product([2, 3], [False, True], OTHERS)))
def test_what_others_commit_meanwhile_counts(make, catalog, meanwhile, version, late, other, order):  # noqa: PLR0913, PLR0917
    """The other commit is done after the table was loaded, or after the first try had written its files."""
    table = small(make, version)
    stale = catalog.load_table("db.t")
    if late:
        meanwhile(stale, lambda: OTHERS[other](table))
    else:
        OTHERS[other](table)
    stale.maintenance.rewrite_data_files(sort_order=order)
    found = lineage(table.refresh())
    assert sorted(each[0] for each in found) == sorted(_expected(other))
    assert files(table) <= 4
    assert named(table) <= on_disk(table.location())
    if version == 3:
        # Each row has an id of its own, and those that nobody changed have theirs.
        assert len({each[2] for each in found}) == len(found)


def _expected(other: str) -> list[int]:
    """The ids after the other change."""
    ids = list(range(24))
    in_a = [each for each in ids if not (each // 2) % 2]
    return {
        "append": [*ids, 1000],
        "a delete by vectors": [each for each in ids if each != 3],
        "a delete by copies": [each for each in ids if each != 3],
        "an update": [500 if each == 4 else each for each in ids],
        "an upsert": [*ids, 700],
        "a delete of a partition": [each for each in ids if each not in in_a],
        "all rows": [],
    }.get(other, ids)


@pytest.mark.parametrize("order", [None, "id desc"])
def test_a_change_that_began_before_a_compaction_counts(make, catalog, order):
    """It finds its rows again, by their ids in version 3."""
    for version in (2, 3):
        name = f"db.v{version}"
        table = make(version, name)
        for number in range(12):
            table.append(rows(2 * number, 2 * number + 1, part=PARTS[number % 2]))
        with catalog.load_table(name).transaction() as transaction:
            transaction.update({"id": 900}, "id = 7")
            table.maintenance.rewrite_data_files(sort_order=order)
        ids = sorted(table.refresh().scan().to_arrow()["id"].to_pylist())
        assert ids == sorted([*(each for each in range(24) if each != 7), 900])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"no-such-option": "1"}, errors.InvalidInputError),
        ({"target-file-size-bytes": "0"}, errors.InvalidInputError),
        ({"target-file-size-bytes": "a"}, errors.InvalidInputError),
        ({"target-file-size-bytes": "-5"}, errors.InvalidInputError),
        ({"min-file-size-bytes": "600000000"}, errors.InvalidInputError),
        ({"max-file-size-bytes": "1"}, errors.InvalidInputError),
        ({"rewrite-all": "yes"}, errors.InvalidInputError),
        ({"delete-ratio-threshold": "2"}, errors.InvalidInputError),
        ({"delete-ratio-threshold": "nan"}, errors.InvalidInputError),
        ({"min-input-files": "0"}, errors.InvalidInputError),
        ({"max-concurrent-file-group-rewrites": "0"}, errors.InvalidInputError),
        ({"partial-progress.max-failed-commits": "-1"}, errors.InvalidInputError),
        ({"max-file-group-input-files": "0"}, errors.InvalidInputError),
        ({"max-files-to-rewrite": "few"}, errors.InvalidInputError),
        ({"output-spec-id": "-1"}, errors.InvalidInputError),
        ({"rewrite-job-order": "any"}, errors.InvalidInputError),
        ({"use-starting-sequence-number": "false"}, errors.UnsupportedError),
    ],
)
def test_options_that_mean_nothing_are_refused(make, options, error):
    table = small(make, count=2)
    for dry_run in (True, False):
        with pytest.raises(error, match=next(iter(options))):
            table.maintenance.rewrite_data_files(options=options, dry_run=dry_run)
    with pytest.raises(errors.InvalidInputError, match="strategy"):
        table.maintenance.rewrite_data_files(strategy="pack")  # type: ignore[arg-type]


def test_an_empty_table_has_nothing_to_write(make):
    table = make(2)
    assert not table.maintenance.rewrite_data_files().snapshot_ids
    assert not table.snapshots()


def test_readers_of_changes_see_none(make):
    table = small(make, 3)
    before = table.current_snapshot().snapshot_id
    table.maintenance.rewrite_data_files()
    after = table.current_snapshot().snapshot_id
    changes = table.changelog_scan(from_snapshot_id_exclusive=before, to_snapshot_id_inclusive=after)
    assert changes.to_arrow().num_rows == 0
    assert content(table)[before] == content(table)[after]


def test_a_target_size_of_the_table_that_is_none_is_refused():
    """Another writer may have set it."""
    for wrong in ("512mb", "0", ""):
        with pytest.raises(errors.InvalidInputError, match="write.target-file-size-bytes"):
            read_options(None, {"write.target-file-size-bytes": wrong})
    assert read_options(None, {}).target == 512 << 20

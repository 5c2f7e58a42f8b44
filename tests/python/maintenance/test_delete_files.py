"""Delete files are written again, converted or removed: the rows stay the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import errors
from maintenance.disk import EVER, content, named, on_disk, rows

ALL = {"rewrite-all": "true"}


def ids(table: fb.Table) -> list[int]:
    return sorted(table.scan().to_arrow()["id"].to_pylist())


def lineage(table: fb.Table) -> list[tuple[Any, ...]]:
    names = ("id", "part", "_row_id", "_last_updated_sequence_number")[: 4 if table.format_version > 2 else 2]
    return sorted(tuple(each.values()) for each in table.scan(selected_fields=names).to_arrow().to_pylist())


def deletes(table: fb.Table) -> list[tuple[int, str]]:
    """What each live delete file is."""
    found = table.inspect.delete_files()
    return sorted(zip(found["content"].to_pylist(), found["file_format"].to_pylist(), strict=True))


def drop_keys(table: fb.Table, *keys: int, part: str = "a") -> None:
    """Deletes rows by equality deletes."""
    changes = pa.table(
        {
            "op": ["delete"] * len(keys),
            "id": pa.array(keys, pa.int64()),
            "part": [part] * len(keys),
            "at": [1] * len(keys),
        }
    )
    with table.transaction() as transaction:
        transaction.apply_changes(
            changes, keys=["id", "part"], operation="op", order_by="at", mode="equality"
        )


def with_positions(make, version: int = 2, **properties: str) -> fb.Table:
    """A table with several delete files of each of two data files of a partition, and of one of another."""
    table = make(version, **properties)
    table.append(rows(*range(10)))
    table.append(rows(*range(10, 20)))
    table.append(rows(*range(20, 30), part="b"))
    for gone in ("id in (1, 11)", "id in (2, 12)", "id = 3", "id = 21"):
        table.delete(gone, mode="merge-on-read")
    return table


LEFT = [each for each in range(30) if each not in (1, 11, 2, 12, 3, 21)]


@pytest.mark.parametrize("granularity", ["file", "partition"])
def test_position_deletes_become_fewer_files(make, granularity):
    table = with_positions(make, **{"write.delete.granularity": granularity})
    before = deletes(table)
    assert len(before) == {"file": 6, "partition": 4}[granularity]
    planned = table.maintenance.rewrite_position_delete_files(options=ALL, dry_run=True)
    assert planned.rewritten_delete_files_count == len(before)
    done = table.maintenance.rewrite_position_delete_files(options=ALL)
    assert done.rewritten_delete_files_count == len(before)
    assert done.added_delete_files_count == {"file": 3, "partition": 2}[granularity]
    assert done.rewritten_bytes_count == planned.rewritten_bytes_count > done.added_bytes_count > 0
    assert ids(table) == LEFT
    assert table.current_snapshot().operation == "replace"
    table.maintenance.expire_snapshots(older_than=EVER)
    assert on_disk(table.location()) == named(table)
    assert ids(table) == LEFT


def test_enough_small_files_of_a_partition_are_written_again(make):
    table = with_positions(make)
    found = table.maintenance.rewrite_position_delete_files(dry_run=True)
    # Five of partition a, one of partition b.
    assert found.rewritten_delete_files_count == 5
    assert table.maintenance.rewrite_position_delete_files().added_delete_files_count == 2
    assert not table.maintenance.rewrite_position_delete_files().snapshot_ids
    assert ids(table) == LEFT


def test_only_delete_files_of_a_filter(make):
    table = with_positions(make)
    done = table.maintenance.rewrite_position_delete_files(where="part = 'b'", options=ALL)
    assert (done.rewritten_delete_files_count, done.added_delete_files_count) == (1, 1)
    assert ids(table) == LEFT


def test_deletes_keep_their_sequence_number(make):
    """A writer that began before, and rewrites other rows, must not take them for newer deletes."""
    table = with_positions(make)
    newest = max(
        each["sequence_number"]
        for each in table.inspect.entries().to_pylist()
        if each["data_file"]["content"] == 1
    )
    table.append(rows(100))
    table.maintenance.rewrite_position_delete_files(options=ALL)
    found = {
        each["sequence_number"]
        for each in table.inspect.entries().to_pylist()
        if each["data_file"]["content"] == 1 and each["status"] == 1
    }
    assert found == {newest}
    assert ids(table) == [*LEFT, 100]


def test_an_upgraded_table_gets_vectors(make):
    table = with_positions(make, **{"write.delete.granularity": "partition"})
    with table.transaction() as transaction:
        transaction.upgrade_table_version(3)
    table.delete("id = 4", mode="merge-on-read")
    before = lineage(table)
    done = table.maintenance.rewrite_position_delete_files()
    # The vector of the last delete holds what older files say of its data file already.
    assert (done.rewritten_delete_files_count, done.added_delete_files_count) == (3, 2)
    assert deletes(table) == [(1, "PUFFIN")] * 3
    assert lineage(table) == before
    assert ids(table) == [each for each in LEFT if each != 4]
    assert not table.maintenance.rewrite_position_delete_files().snapshot_ids
    table.maintenance.expire_snapshots(older_than=EVER)
    table.maintenance.remove_orphan_files(older_than=EVER, allow_recent=True)
    assert on_disk(table.location()) == named(table)
    assert lineage(table) == before


@pytest.mark.parametrize("version", [2, 3])
def test_equality_deletes_become_positions(make, version):
    table = make(version)
    table.append(rows(*range(10)))
    table.append(rows(*range(10, 20)))
    if version > 1:
        table.delete("id = 0", mode="merge-on-read")
    drop_keys(table, 1, 11, 77)
    drop_keys(table, 2)
    table.append(rows(1))  # newer than the deletes: it stays
    table.append(rows(50, part="b"))
    before = lineage(table)
    assert sum(content == 2 for content, _ in deletes(table)) == 2
    planned = table.maintenance.convert_equality_deletes(dry_run=True)
    assert planned.converted_equality_delete_files_count == 2
    done = table.maintenance.convert_equality_deletes()
    assert (done.converted_equality_delete_files_count, done.added_position_delete_files_count) == (2, 2)
    assert lineage(table) == before
    assert not [each for each in deletes(table) if each[0] == 2]
    assert len(deletes(table)) == (3 if version == 2 else 2)
    assert table.current_snapshot().operation == "overwrite"
    assert not table.maintenance.convert_equality_deletes().snapshot_ids
    assert content(table)
    table.maintenance.rewrite_data_files(options=ALL)
    assert sorted(each[:2] for each in lineage(table)) == sorted(each[:2] for each in before)


@pytest.mark.parametrize("version", [2, 3])
def test_a_changelog_does_not_repeat_converted_deletes(make, version):
    table = make(version)
    table.append(rows(*range(5)))
    drop_keys(table, 1, 2)
    start = table.current_snapshot().snapshot_id
    table.maintenance.convert_equality_deletes()
    assert table.current_snapshot().snapshot_id != start
    assert table.changelog_scan(from_snapshot_id_exclusive=start).to_arrow().num_rows == 0


def test_keys_that_hit_nothing_go_without_new_deletes(make):
    table = make(2)
    table.append(rows(1, 2, 3))
    drop_keys(table, 77, 1)
    table.delete("id = 1", mode="merge-on-read")
    drop_keys(table, 2**40)
    planned = table.maintenance.convert_equality_deletes(dry_run=True).converted_equality_delete_files_count
    done = table.maintenance.convert_equality_deletes()
    assert done.converted_equality_delete_files_count == planned == 2
    assert ids(table) == [2, 3]
    assert deletes(table) == [(1, "PARQUET")]
    assert not table.maintenance.convert_equality_deletes().snapshot_ids


def test_partitions_are_converted_in_several_commits(make):
    table = make(3)
    for part in "abcd":
        table.append(rows(1, 2, part=part))
        drop_keys(table, 1, part=part)
    options = {"partial-progress.enabled": "true", "partial-progress.max-commits": "3"}
    done = table.maintenance.convert_equality_deletes(options=options)
    assert len(done.snapshot_ids) == 2
    assert done.converted_equality_delete_files_count == 4
    assert ids(table) == [2] * 4


@pytest.mark.parametrize("version", [2, 3])
def test_dangling_deletes_go_and_no_other(make, version):
    table = make(version)
    table.append(rows(*range(10)))
    table.append(rows(*range(10, 20), part="b"))
    table.delete("id in (1, 12)", mode="merge-on-read")
    drop_keys(table, 2)
    drop_keys(table, 13, part="b")
    left = ids(table)
    # Only partition a is written again: its deletes are needed no more.
    table.maintenance.rewrite_data_files(where="part = 'a'", options=ALL)
    planned = table.maintenance.remove_dangling_deletes(dry_run=True)
    done = table.maintenance.remove_dangling_deletes()
    assert planned.removed_delete_files_count == done.removed_delete_files_count == {2: 2, 3: 1}[version]
    assert table.current_snapshot().operation == "replace"
    assert ids(table) == left
    assert len(deletes(table)) == 2
    assert not table.maintenance.remove_dangling_deletes().snapshot_ids
    assert content(table)


def test_keys_without_partition_fields_are_for_the_whole_table(catalog):
    schema = pa.schema([("id", pa.int64()), ("part", pa.string())])
    table = catalog.create_table("db.all", schema)
    table.append(rows(1, 2))
    drop_keys(table, 1)
    with table.update_spec() as update:
        update.add_identity("part")
    # A file of another spec is older than the keys.
    table.append(rows(5, part="b"))
    assert not table.maintenance.remove_dangling_deletes().snapshot_ids
    assert len(deletes(table)) == 1
    # Now nothing is.
    table.maintenance.rewrite_data_files(options=ALL)
    table.maintenance.remove_dangling_deletes()
    assert not deletes(table)
    assert ids(table) == [2, 5]


CALLS: dict[str, Callable[[fb.Table], Any]] = {
    "positions": lambda table: table.maintenance.rewrite_position_delete_files(options=ALL),
    "convert": lambda table: table.maintenance.convert_equality_deletes(),
    "dangling": lambda table: table.maintenance.remove_dangling_deletes(),
}
OTHERS: dict[str, Callable[[fb.Table], Any]] = {
    "append": lambda table: table.append(rows(4)),
    "delete": lambda table: table.delete("id = 7", mode="merge-on-read"),
    "keys": lambda table: drop_keys(table, 8),
    "compact": lambda table: table.maintenance.rewrite_data_files(options=ALL),
    "overwrite": lambda table: table.overwrite(rows(900)),
    "update": lambda table: table.update({"id": 70}, "id = 7"),
    "upsert": lambda table: table.upsert(rows(7, 71), ["id"]),
    **CALLS,
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("version", [2, 3])
def test_commits_of_others_meanwhile_count(make, meanwhile, call, other, version):
    table = make(2)
    table.append(rows(200, part="b"))
    table.append(rows(*range(10)))
    for gone in (1, 2, 3):
        table.delete(f"id = {gone}", mode="merge-on-read")
    drop_keys(table, 4, 5)
    if call == "dangling":
        table.maintenance.rewrite_data_files(where="part = 'a'", options=ALL)
        assert deletes(table)
    if version == 3:
        with table.transaction() as transaction:
            transaction.upgrade_table_version(3)
    done = meanwhile(table, lambda: OTHERS[other](table.catalog.load_table("db.t")))
    CALLS[call](table)
    assert done
    expected = {
        "append": [0, 4, 6, 7, 8, 9, 200],
        "delete": [0, 6, 8, 9, 200],
        "keys": [0, 6, 7, 9, 200],
        "overwrite": [900],
        "update": [0, 6, 8, 9, 70, 200],
        "upsert": [0, 6, 7, 8, 9, 71, 200],
    }.get(other, [0, 6, 7, 8, 9, 200])
    table.refresh()
    assert ids(table) == expected
    table.maintenance.convert_equality_deletes()
    assert ids(table) == expected
    table.maintenance.expire_snapshots(older_than=EVER)
    table.maintenance.remove_orphan_files(older_than=EVER, allow_recent=True)
    assert on_disk(table.location()) == named(table)


@pytest.mark.parametrize("call", ["rewrite_position_delete_files", "convert_equality_deletes"])
def test_options_that_do_not_exist_are_refused(make, call):
    table = with_positions(make)
    method = getattr(table.maintenance, call)
    with pytest.raises(errors.InvalidInputError, match=f"unknown option 'sise' of {call}"):
        method(options={"sise": "3"})
    with pytest.raises(errors.InvalidInputError, match="min-file-size-bytes < target-file-size-bytes"):
        method(options={"min-file-size-bytes": "9", "target-file-size-bytes": "5"})
    with pytest.raises(errors.UnsupportedError, match="rewrite-job-order"):
        method(options={"rewrite-job-order": "bytes-asc"})
    with pytest.raises(errors.InvalidInputError, match="true"):
        method(options={"rewrite-all": "yes"})


def test_a_table_without_deletes_has_nothing_to_do(make):
    for version in (1, 2, 3):
        table = make(version, name=f"db.t{version}")
        for _ in range(2):
            assert not table.maintenance.rewrite_position_delete_files(options=ALL).snapshot_ids
            assert not table.maintenance.convert_equality_deletes().snapshot_ids
            assert not table.maintenance.remove_dangling_deletes().snapshot_ids
            table.append(rows(1))


def test_a_compaction_removes_dangling_deletes_if_asked(make):
    table = make(2)
    table.append(rows(200, part="b"))
    table.append(rows(*range(10)))
    drop_keys(table, 4, 5)
    options = {**ALL, "remove-dangling-deletes": "true"}
    planned = table.maintenance.rewrite_data_files(where="part = 'a'", options=options, dry_run=True)
    assert planned.removed_delete_files_count == 0
    done = table.maintenance.rewrite_data_files(where="part = 'a'", options=options)
    assert (len(done.snapshot_ids), done.removed_delete_files_count) == (2, 1)
    assert not deletes(table)
    assert ids(table) == [0, 1, 2, 3, 6, 7, 8, 9, 200]


def test_a_filter_on_a_key_chooses_by_data_files(make):
    table = make(2)
    table.append(rows(1, 2, 3))
    drop_keys(table, 1)
    drop_keys(table, 3)
    # The data file may have the row, so that both deletes apply to a chosen file.
    done = table.maintenance.convert_equality_deletes(where="id = 2")
    assert done.converted_equality_delete_files_count == 2
    assert ids(table) == [2]


def test_counts_are_those_of_the_files_that_were_chosen(make):
    """Not of those that go by the way, since all data files are newer."""
    table = make(2, **{"write.delete.granularity": "partition"})
    table.append(rows(0, 9))
    table.delete("id = 0", mode="merge-on-read")
    table.delete("id = 9")
    table.append(rows(1, 2, 3))
    table.delete("id = 1", mode="merge-on-read")
    planned = table.maintenance.rewrite_position_delete_files(options=ALL, dry_run=True)
    done = table.maintenance.rewrite_position_delete_files(options=ALL)
    assert planned.rewritten_delete_files_count == done.rewritten_delete_files_count == 1
    assert planned.rewritten_bytes_count == done.rewritten_bytes_count
    assert ids(table) == [2, 3]

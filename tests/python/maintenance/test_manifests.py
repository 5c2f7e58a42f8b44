"""Manifests are written again: files stay the same, and plans with a filter read fewer of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import errors
from maintenance.disk import EVER, content, named, on_disk, path_of, rows

SMALL = {"commit.manifest-merge.enabled": "false"}


def spread(make, version: int = 2, count: int = 12, parts: str = "abc", **properties: str) -> fb.Table:
    """A table in which each manifest lists a file of one partition, in turn."""
    table = make(version, **SMALL, **properties)
    for number in range(count):
        table.append(rows(2 * number, 2 * number + 1, part=parts[number % len(parts)]))
    return table


def entries(table: fb.Table) -> list[tuple[Any, ...]]:
    """The live entries of a table: what must not change."""
    found = table.inspect.entries().to_pylist()
    return sorted(
        (
            each["data_file"]["file_path"],
            each["data_file"]["content"],
            each["snapshot_id"],
            each["sequence_number"],
            each["file_sequence_number"],
            each["data_file"].get("first_row_id"),
            str(each["data_file"]["lower_bounds"]),
            each["data_file"]["record_count"],
        )
        for each in found
        if each["status"] != 2
    )


def aim_for(table: fb.Table, manifests: int) -> None:
    """Sets the target size so that this many manifests have it."""
    size = sum(table.inspect.manifests()["length"].to_pylist()) // manifests + 1
    with table.transaction() as transaction:
        transaction.set_properties({"commit.manifest.target-size-bytes": str(size)})


def lineage(table: fb.Table) -> list[tuple[Any, ...]]:
    names = ("id", "part", "_row_id", "_last_updated_sequence_number")[: 4 if table.format_version > 2 else 2]
    return sorted(tuple(each.values()) for each in table.scan(selected_fields=names).to_arrow().to_pylist())


@pytest.mark.parametrize("version", [1, 2, 3])
def test_many_manifests_become_one(make, version):
    table = spread(make, version)
    before, live = lineage(table), entries(table)
    planned = table.maintenance.rewrite_manifests(dry_run=True)
    assert planned == fb.maintenance.RewriteManifestsResult(rewritten_manifests_count=12, dry_run=True)
    done = table.maintenance.rewrite_manifests()
    assert (done.rewritten_manifests_count, done.added_manifests_count) == (12, 1)
    assert (lineage(table), entries(table)) == (before, live)
    snapshot = table.current_snapshot()
    assert done.snapshot_ids == (snapshot.snapshot_id,)
    assert snapshot.operation == "replace"
    summary = snapshot.summary
    assert [summary[each] for each in ("manifests-created", "manifests-replaced", "manifests-kept")] == [
        "1",
        "12",
        "0",
    ]
    assert (summary["entries-processed"], summary["total-records"]) == ("12", "24")
    # Nothing is left to do.
    assert table.maintenance.rewrite_manifests() == fb.maintenance.RewriteManifestsResult()
    table.maintenance.expire_snapshots(older_than=EVER)
    assert on_disk(table.location()) == named(table)
    assert lineage(table) == before


@pytest.mark.parametrize("version", [2, 3])
def test_new_manifests_list_neighbouring_partitions(make, version):
    table = spread(make, version, 40, "dbca")
    before, live = lineage(table), entries(table)
    aim_for(table, 4)
    done = table.maintenance.rewrite_manifests()
    assert done.rewritten_manifests_count == 40
    assert done.added_manifests_count == 4
    assert (lineage(table), entries(table)) == (before, live)
    aim_for(table, 4)
    for part in "abcd":
        plan = table.scan(row_filter=f"part = '{part}'").plan_files()
        assert len(plan) == 10
        ranges = [
            (each["partition_summaries"][0]["lower_bound"], each["partition_summaries"][0]["upper_bound"])
            for each in table.inspect.manifests().to_pylist()
        ]
        assert sum(low <= part <= high for low, high in ranges) == 1
    assert not table.maintenance.rewrite_manifests(dry_run=True).snapshot_ids


@pytest.mark.parametrize("memory", ["256M", "3K"])
def test_a_partition_may_take_several_manifests(make, monkeypatch, memory):
    monkeypatch.setenv("FLOEBERG_MEMORY", memory)
    table = spread(make, 2, 30, "ab")
    before = entries(table)
    aim_for(table, 6)
    done = table.maintenance.rewrite_manifests()
    assert done.added_manifests_count == 6
    assert entries(table) == before


def test_nulls_come_first_and_the_order_may_be_given(catalog):
    schema = pa.schema([("one", pa.string()), ("two", pa.int32()), ("id", pa.int64())])
    table = catalog.create_table("db.two", schema, partition_spec=["one", "two"], properties=SMALL)
    for one, two in itertools.product(["x", None, "y", "z"], [3, None, 1, 2]):
        table.append(pa.table({"one": [one], "two": [two], "id": [1]}, schema))
    before = entries(table)
    aim_for(table, 4)

    def ranges(field: int) -> list[tuple[Any, ...]]:
        found = (each["partition_summaries"][field] for each in table.inspect.manifests().to_pylist())
        return sorted(
            (not each["contains_null"], each["lower_bound"] or "", each["upper_bound"] or "")
            for each in found
        )

    assert table.maintenance.rewrite_manifests().added_manifests_count == 4
    aim_for(table, 4)
    assert ranges(0) == [(False, "null", "null"), (True, "x", "x"), (True, "y", "y"), (True, "z", "z")]
    assert not table.maintenance.rewrite_manifests(dry_run=True).rewritten_manifests_count
    done = table.maintenance.rewrite_manifests(sort_by=["two"])
    assert done.added_manifests_count == done.rewritten_manifests_count == 4
    assert ranges(1) == [(False, "null", "null"), (True, "1", "1"), (True, "2", "2"), (True, "3", "3")]
    assert entries(table) == before
    with pytest.raises(errors.InvalidInputError, match=r'"three" is no partition field .* \["one", "two"\]'):
        table.maintenance.rewrite_manifests(sort_by=["three"])
    with pytest.raises(errors.InvalidInputError, match="named twice"):
        table.maintenance.rewrite_manifests(sort_by=["one", "one"])
    with pytest.raises(errors.InvalidInputError, match="sort_by"):
        table.maintenance.rewrite_manifests(sort_by="one")


def test_each_spec_has_manifests_of_its_own(make):
    table = spread(make, 2, 4)
    with table.update_spec() as update:
        update.add_field("id", "bucket[4]", "shard")
    for number in range(4):
        table.append(rows(100 + number, part="a"))
    before = entries(table)
    done = table.maintenance.rewrite_manifests()
    assert (done.rewritten_manifests_count, done.added_manifests_count) == (4, 1)
    assert (table.maintenance.rewrite_manifests(spec_id=0)).rewritten_manifests_count == 4
    assert entries(table) == before
    assert len(table.inspect.manifests()) == 2
    with pytest.raises(errors.InvalidInputError, match=r"no partition spec 7: expected one of \[0, 1\]"):
        table.maintenance.rewrite_manifests(spec_id=7)


@pytest.mark.parametrize("version", [2, 3])
def test_manifests_of_deletes_are_written_again_too(make, version):
    table = spread(make, version, 6)
    for number in (0, 3, 6):
        table.delete(f"id = {number}", mode="merge-on-read")
    before, live = lineage(table), entries(table)
    done = table.maintenance.rewrite_manifests()
    assert (done.rewritten_manifests_count, done.added_manifests_count) == (9, 2)
    assert (lineage(table), entries(table)) == (before, live)


def test_deleted_entries_and_empty_manifests_go(make):
    table = spread(make, 2, 6)
    table.delete("part = 'a'")
    before = entries(table)
    table.maintenance.rewrite_manifests()
    assert entries(table) == before
    assert table.inspect.manifests()["deleted_data_files_count"].to_pylist() == [0]


def test_a_table_of_an_older_version_gets_row_ids_once(make):
    table = spread(make, 2, 6)
    with table.transaction() as transaction:
        transaction.upgrade_table_version(3)
    table.maintenance.rewrite_manifests()
    ids = table.scan(selected_fields=["id", "_row_id"]).to_arrow().to_pylist()
    assert sorted(each["_row_id"] for each in ids) == list(range(12))
    before = lineage(table)
    table.append(rows(100))
    table.maintenance.rewrite_manifests()
    assert [each for each in lineage(table) if each[0] < 100] == before


OTHERS: dict[str, Callable[[fb.Table], object]] = {
    "append": lambda table: table.append(rows(900)),
    "delete": lambda table: table.delete("id = 3", mode="merge-on-read"),
    "rewrite": lambda table: table.maintenance.rewrite_manifests(),
    "compact": lambda table: table.maintenance.rewrite_data_files(options={"rewrite-all": "true"}),
    "overwrite": lambda table: table.overwrite(rows(901)),
}


@pytest.mark.parametrize("other", OTHERS)
def test_commits_of_others_meanwhile_stay(make, catalog, meanwhile, other):
    table = spread(make, 2, 8)
    done = meanwhile(table, lambda: OTHERS[other](catalog.load_table("db.t")))
    table.maintenance.rewrite_manifests()
    assert done
    expected = {
        "append": [*range(16), 900],
        "delete": [each for each in range(16) if each != 3],
        "overwrite": [901],
    }.get(other, [*range(16)])
    assert sorted(table.scan().to_arrow()["id"].to_pylist()) == expected
    assert content(table)
    table.maintenance.expire_snapshots(older_than=EVER)
    table.maintenance.remove_orphan_files(older_than=EVER, allow_recent=True)
    assert on_disk(table.location()) == named(table)


@pytest.mark.unchecked_tables("a manifest is damaged")
def test_a_damaged_manifest_ends_it_and_changes_nothing(make):
    table = spread(make, 2, 3)
    path = path_of(table.inspect.manifests()["path"].to_pylist()[0])
    with Path(path).open("r+b") as file:
        file.truncate(200)
    head, before = table.current_snapshot().snapshot_id, on_disk(table.location())
    with pytest.raises(errors.InvalidDataError) as found:
        table.maintenance.rewrite_manifests()
    assert path in str(found.value)
    table.refresh()
    assert table.current_snapshot().snapshot_id == head
    assert on_disk(table.location()) == before


def test_an_empty_table_has_nothing_to_do(make):
    table = make(2)
    assert table.maintenance.rewrite_manifests() == fb.maintenance.RewriteManifestsResult()
    assert table.maintenance.rewrite_manifests(dry_run=True).rewritten_manifests_count == 0


def test_a_small_target_comes_to_rest(catalog):
    table = catalog.create_table(
        "db.small",
        rows(1).schema,
        partition_spec=["bucket(50, id)"],
        properties=SMALL | {"commit.manifest.target-size-bytes": "2000"},
    )
    for number in range(2):
        table.append(rows(*range(10 * number, 10 * number + 10)))
    before = entries(table)
    # Manifests of one file are as small as they get.
    assert not table.maintenance.rewrite_manifests().snapshot_ids
    with table.transaction() as transaction:
        transaction.set_properties({"commit.manifest.target-size-bytes": "20000"})
    # The header of a manifest is most of it here, so that fewer ones are smaller in all.
    done = [table.maintenance.rewrite_manifests() for _ in range(4)]
    assert done[0].snapshot_ids
    assert not done[-1].snapshot_ids
    assert entries(table) == before
    assert not table.maintenance.plan({"rewrite_manifests": {}}).calls
    with pytest.raises(errors.InvalidInputError, match="no partition spec 1099511627776"):
        table.maintenance.rewrite_manifests(spec_id=2**40)

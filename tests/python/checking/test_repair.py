"""Faults that a check finds are mended, and what a scan gives stays as it is."""

from __future__ import annotations

import importlib
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from checking.found import Plant, plant
from checking.test_files import DELETES
from checking.test_manifests import MANIFESTS
from checking.test_metadata import METADATA
from conformance_checking.planting import Planted, path_of
from conformance_checking.sound import ID, NAME, SCHEMA, F, rows
from conformance_checking.test_delete_rules import content
from conformance_checking.test_file_rules import (
    also_told,
    in_first,
    removed,
    reversed_rows,
    told,
    written_again,
)
from conformance_checking.test_manifest_rules import NAN, first_append, in_list, setting

MENDED = {rule.id for rule in fb.checking.rules() if (rule.repair or "").startswith("table.repair")}
ONLY_ASKED = {"file-there", "manifest-readable"}

# What no reader can open, or what has no right answer.
UNMENDED = {
    ("required-field", "location"),
    ("required-field", "table-uuid"),
    ("required-field", "last-sequence-number"),
    ("required-field", "next-row-id"),
    ("required-field", "manifest-list"),
    ("field-of-version", "next-row-id"),
    ("field-of-version", "key-id"),
    ("snapshot-log-order", "snapshot-log["),
    ("file-numbers", "entry 0"),
    ("deletes-have-no-row-ids", "row 0"),
}


def mendable(plants: Any) -> list[Any]:
    """The plants of rules that a repair mends."""
    return [
        each
        for each in plants
        if each.values[0].rule in MENDED - ONLY_ASKED
        and (each.values[0].rule, each.values[0].where) not in UNMENDED
    ]


def opened(table: Planted) -> fb.Table:
    """The table in its folder, which can be written."""
    return fb.open_table(str(table.place.parents[1]))


def rows_of(table: fb.Table) -> list[str] | None:
    """What a scan gives; `None` where it gives nothing."""
    try:
        return sorted(map(str, table.scan().to_arrow().to_pylist()))
    except fb.FloebergError:
        return None


def mend(planted: Planted, plant_: Plant) -> fb.Table:
    """Mends what is planted: a dry run says the same, the rule holds then, and no other one is broken anew."""
    before = opened(planted)
    was, found = rows_of(before), list(before.check("rows"))
    broken = {each.rule.id for each in found}
    if plant_.rule not in broken:
        pytest.skip("the current snapshot does not have it")
    files = sorted(planted.place.parents[1].rglob("*"))
    dry = before.repair(found, dry_run=True)
    assert files == sorted(planted.place.parents[1].rglob("*"))
    done = before.repair(found)
    assert (dry.repaired, dry.skipped, dry.lost) == (done.repaired, done.skipped, done.lost)
    assert {each for each, _ in done.repaired} | {each for each, _ in done.skipped} == set(found)
    assert plant_.rule in {each.rule.id for each, _ in done.repaired}, done.skipped
    assert not done.lost
    after = opened(planted)
    left = {each.rule.id for each in after.check("rows")}
    assert left <= {each.rule.id for each, _ in done.skipped}
    assert plant_.rule not in left - {each.rule.id for each, _ in done.skipped}
    assert was is None or rows_of(after) == was
    assert rows_of(after) is not None
    return after


@pytest.mark.parametrize("planted", mendable(METADATA))
def test_metadata_is_mended(sound, planted):
    with sound(planted.version) as table:
        table.change_metadata(planted.change)
        mend(table, planted)


@pytest.mark.parametrize("planted", mendable(MANIFESTS))
def test_manifests_are_mended(sound, planted):
    with sound(planted.version) as table:
        planted.change(table)
        after = mend(table, planted)
        assert after.current_snapshot().operation == "replace"


@pytest.mark.unchecked_tables("violations are planted")
@pytest.mark.parametrize("planted", mendable(DELETES))
def test_entries_of_deletes_are_mended(deleted, planted):
    table = deleted(planted.version)
    planted.change(table)
    if planted.where == "entry " and planted.version == 2 and planted.rule == "equality-ids":
        pytest.skip("nothing says which columns a file of equality deletes has")
    if planted.rule == "vector-without-data-file":
        pytest.skip("the Puffin file names the data file that is live: test_repaired_rows.py has both")
    mend(table, planted)


@pytest.fixture(scope="module")
def appended_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of one append each."""
    folder = tmp_path_factory.mktemp("once")
    catalog = fb.load_catalog("once", type="filesystem", warehouse=str(folder))
    catalog.create_namespace("ns")
    for version in (2, 3):
        table = catalog.create_table(
            f"ns.v{version}",
            SCHEMA,
            partition_spec=["part"],
            sort_order=["id"],
            format_version=version,
        )
        table.append(
            pa.concat_tables([rows("a", 1, 2), rows("a", 5, f=float("nan")), rows("b", 3, 4, f=1.5)])
        )
    return folder


@pytest.fixture
def once(appended_once: Path) -> Iterator[Any]:
    """Lends such a table, and makes it sound again."""
    kept = appended_once.with_name(f"{appended_once.name}-kept")
    shutil.copytree(appended_once, kept)

    def lent(version: int) -> Planted:
        table = fb.open_table(str(appended_once / "ns" / f"v{version}"))
        return Planted(path_of(table.metadata_location))

    yield lent
    shutil.rmtree(appended_once)
    kept.rename(appended_once)


def no_bytes(file: Any) -> None:
    """A file of no bytes."""
    file["file_size_in_bytes"] = 0


def twice(file: Any) -> None:
    """A column is counted twice."""
    file["value_counts"].append(dict(file["value_counts"][0]))


ENTRIES = [
    plant("metrics-negative", "", 2, told("column_sizes", ID, -1)),
    plant("metrics-once", "", 2, in_first(twice)),
    plant("metrics-counts", "", 2, told("value_counts", ID, 17)),
    plant("metrics-counts", "", 3, told("nan_value_counts", F, 17)),
    plant("metrics-nans", "", 2, also_told("nan_value_counts", ID, 1)),
    plant("bound-value", "", 2, told("lower_bounds", ID, b"\x01")),
    plant("bound-value", "", 2, told("lower_bounds", F, NAN)),
    plant("bound-value", "", 3, told("upper_bounds", NAME, b"\xff")),
    plant("bound-order", "", 2, told("lower_bounds", ID, struct.pack("<q", 100))),
    plant("file-size", "", 3, in_first(lambda file: file.update(file_size_in_bytes=77777))),
    plant("file-numbers", "", 2, in_first(no_bytes)),
    plant("record-count", "", 2, in_first(lambda file: file.update(record_count=17))),
    plant("record-count", "", 3, in_first(lambda file: file.update(record_count=17))),
    plant("split-offsets-row-groups", "", 2, in_first(lambda file: file.update(split_offsets=[5]))),
    plant("null-counts", "", 2, told("null_value_counts", NAME, 1)),
    plant("nan-counts", "", 2, told("nan_value_counts", F, 3)),
    plant("value-counts", "", 2, told("value_counts", ID, 0)),
    plant("lower-bounds", "", 2, told("lower_bounds", ID, struct.pack("<q", 4))),
    plant("upper-bounds", "", 3, told("upper_bounds", NAME, b"name")),
    plant("upper-bounds", "", 2, told("upper_bounds", F, struct.pack("<d", 0.4))),
    plant("rows-sorted", "", 2, written_again(reversed_rows)),
    plant("entry-file-sequence", "", 2, lambda table: first_append(table, setting(file_sequence_number=9))),
    plant("version-hint", "", 2, lambda table: (table.place.parent / "version-hint.text").write_text("0")),
    plant(
        "version-hint", "", 3, lambda table: (table.place.parent / "version-hint.text").write_bytes(b"\xff")
    ),
]


@pytest.mark.unchecked_tables("violations are planted")
@pytest.mark.parametrize("planted", ENTRIES)
def test_entries_are_mended(once, planted):
    table = once(planted.version)
    planted.change(table)
    after = mend(table, planted)
    for text in ("id <= 2", "id = 5", "name >= 'name 3'", "f > 1.0", "f < 1.0", "f IS NAN"):
        expected = after.scan(row_filter=text).to_arrow().num_rows
        assert expected > 0, text


def test_every_mended_rule_is_mended_by_a_test():
    plants = [*mendable(METADATA), *mendable(MANIFESTS), *mendable(DELETES), *ENTRIES]
    tested_apart = {"partition-summary-nans", "deletes-have-no-row-ids"}
    assert {each.values[0].rule for each in plants} | ONLY_ASKED | tested_apart >= MENDED - {
        "snapshot-log-order"
    }


def test_summaries_without_nans_are_mended(sound):
    with sound(2) as table:
        table.change_list(
            lambda file: [row["partitions"][1].update(contains_nan=False) for row in file["rows"]]
        )
        mend(table, plant("partition-summary-nans", "", 2, None).values[0])


@pytest.mark.unchecked_tables("violations are planted")
def test_row_ids_of_deletes_are_mended(deleted):
    table = deleted(3)
    table.change_list(
        lambda file: [row.update(first_row_id=7) for row in file["rows"] if row["content"] == 1]
    )
    mend(table, plant("deletes-have-no-row-ids", "", 3, None).values[0])


@pytest.mark.unchecked_tables("files are removed")
def test_data_files_that_are_gone_are_given_up_when_that_is_asked_for(once):
    planted = once(3)
    gone = next(path for path in planted.data_files() if "part=a" in str(path))
    gone.unlink()
    table = opened(planted)
    found = list(table.check("files"))
    assert {each.rule.id for each in found} == {"file-there"}
    refused = table.repair(found)
    assert not refused.repaired
    assert "drop_missing_data_files" in refused.skipped[0][1]
    assert refused.snapshot_id is None
    dry = table.repair(found, dry_run=True, drop_missing_data_files=True)
    done = table.repair(found, drop_missing_data_files=True)
    assert dry.lost == done.lost
    [lost] = done.lost
    assert (lost.location.endswith(gone.name), lost.content, lost.files, lost.lost_rows) == (
        True,
        "data",
        1,
        3,
    )
    assert (done.lost_rows, done.returned_rows) == (3, 0)
    assert table.snapshot_by_id(done.snapshot_id).operation == "delete"
    assert sorted(table.scan().to_arrow()["id"].to_pylist()) == [3, 4]
    assert table.current_snapshot().summary["total-records"] == "2"
    assert list(table.check("rows")) == []


@pytest.mark.unchecked_tables("files are removed")
@pytest.mark.parametrize("version", [2, 3])
def test_delete_files_that_are_gone_are_given_up_when_that_is_asked_for(deleted, version):
    planted = deleted(version)
    before = opened(planted).scan().count()
    content(lambda path, _: path.unlink())(planted)
    table = opened(planted)
    found = [each for each in table.check("files") if each.rule.id == "file-there"]
    assert found
    with pytest.raises(fb.FloebergError):
        table.scan().to_arrow()
    assert not table.repair(found, drop_missing_data_files=True).repaired
    done = table.repair(found, drop_missing_delete_files=True)
    assert {each.content for each in done.lost} == {"position deletes"}
    assert done.lost_rows == 0
    assert table.snapshot_by_id(done.snapshot_id).operation == "overwrite"
    # Older deletes that a vector stood for apply again.
    assert before < table.scan().count() <= before + done.returned_rows
    assert not {"file-there", "summary-totals"} & {each.rule.id for each in table.check("rows")}


@pytest.mark.unchecked_tables("files are removed")
def test_manifests_that_are_gone_are_given_up_when_that_is_asked_for(once):
    planted = once(2)
    opened(planted).append(rows("a", 9))
    table = opened(planted)
    manifests = list(planted.place.parent.glob("*-m*.avro"))
    assert len(manifests) == 2
    oldest = min(manifests, key=lambda path: path.stat().st_mtime_ns)
    oldest.unlink()
    found = list(table.check())
    assert {each.rule.id for each in found} == {"manifest-readable"}
    assert not table.repair(found).repaired
    done = table.repair(found, drop_missing_manifests=True)
    [lost] = done.lost
    assert (lost.content, lost.files, lost.lost_rows) == ("data manifest", 2, 5)
    assert table.scan().to_arrow()["id"].to_pylist() == [9]
    assert list(table.check("rows")) == []


@pytest.mark.unchecked_tables("files are removed")
def test_vectors_go_with_their_data_files(deleted):
    planted = deleted(3)
    table = opened(planted)
    gone = path_of(next(iter(table.inspect.data_files()["file_path"].to_pylist())))
    gone.unlink()
    found = [each for each in table.check("files") if each.rule.id == "file-there"]
    done = table.repair(found, drop_missing_data_files=True)
    assert len(done.lost) == 1
    assert "vector-without-data-file" not in {each.rule.id for each in table.check("files")}


def test_findings_that_do_not_hold_any_more_are_skipped(sound):
    with sound(2) as planted:
        in_list(setting(manifest_length=1))(planted)
        table = opened(planted)
        found = list(table.check())
        assert len(table.repair(found).repaired) == len(found)
        again = table.repair(found)
        assert not again.repaired
        assert again.snapshot_id is None
        assert {why for _, why in again.skipped} <= {
            "it does not hold any more",
            (
                "it is of files that only older snapshots have, or another branch: these go with "
                "table.maintenance.expire_snapshots, and a branch has a repair of its own"
            ),
        }


def test_a_sound_table_stays_as_it_is(sound):
    with sound(3) as planted:
        table = opened(planted)
        done = table.repair(table.check("rows"))
        assert (done.repaired, done.skipped, done.lost, done.snapshot_id) == ((), (), (), None)
        assert table.metadata_location == opened(planted).metadata_location


def test_something_else_than_findings_is_an_error(sound):
    with sound(2) as planted:
        table = opened(planted)
        for wrong in ("file-there", 1, [1], None):
            with pytest.raises(fb.errors.InvalidInputError, match="findings: expected"):
                table.repair(wrong)


def test_a_conflict_with_a_commit_that_removed_the_file_is_said(once, monkeypatch):
    planted = once(2)
    removed(planted)
    table, other = opened(planted), opened(planted)
    found = list(table.check("files"))
    room = importlib.import_module("floeberg.repairing.table_repair")
    commit = room.commit

    def meanwhile(*how: Any, **options: Any) -> Any:
        monkeypatch.setattr(room, "commit", commit)
        assert other.repair(found, drop_missing_data_files=True).lost
        return commit(*how, **options)

    monkeypatch.setattr(room, "commit", meanwhile)
    with pytest.raises(fb.errors.CommitConflictError, match="not in the table any more"):
        table.repair(found, drop_missing_data_files=True)


def test_findings_of_an_older_state_are_checked_on_the_newest_one(once):
    planted = once(2)
    removed(planted)
    table, other = opened(planted), opened(planted)
    found = list(table.check("files"))
    assert other.repair(found, drop_missing_data_files=True).lost
    done = table.repair(found, drop_missing_data_files=True)
    assert not done.repaired
    assert not done.lost

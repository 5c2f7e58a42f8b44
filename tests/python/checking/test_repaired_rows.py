"""A repair proves that a scan gives the same rows, or is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from checking.test_repair import opened, rows_of
from conformance_checker import avro
from conformance_checking.planting import Planted
from conformance_checking.sound import ID
from floeberg.errors import InvalidDataError, InvalidInputError, NotFoundError

PATH = 2_147_483_546
Json = dict[str, Any]

pytestmark = pytest.mark.unchecked_tables("violations are planted")


def change_entries(planted: Planted, content: int, change: Callable[[Json], object]) -> None:
    """Changes the live entries of all manifests of a content in the newest list."""
    listed = avro.read(planted.lists()[-1].read_bytes()).rows
    kinds = [row["content"] for row in listed]
    for path, kind in zip(planted.manifests(), kinds, strict=True):
        if kind == content:
            planted.change_path(path, lambda file: [change(row["data_file"]) for row in file["rows"]])


def bounds_of_paths(file: Json) -> None:
    """Bounds that no path is within, so that the deletes apply to no file."""
    for name in ("lower_bounds", "upper_bounds"):
        file[name] = [{"key": PATH, "value": b"file:///no/such/file"}]


def files(planted: Planted) -> list[Path]:
    return sorted(planted.place.parents[1].rglob("*"))


def test_a_repair_that_changes_rows_is_refused_and_leaves_nothing(deleted):
    planted = deleted(2)
    right = rows_of(opened(planted))
    change_entries(planted, 1, bounds_of_paths)
    table = opened(planted)
    wrong, found, before = rows_of(table), list(table.check("rows")), files(planted)
    assert len(wrong) > len(right)
    assert {"lower-bounds", "upper-bounds"} & {each.rule.id for each in found}
    with pytest.raises(InvalidDataError, match="would change which rows a scan gives") as refused:
        table.repair(found)
    expected, rows = map(int, re.findall(r"(?:expected|found) (\d+) rows", refused.value.message))
    assert expected - rows == len(wrong) - len(right)
    assert files(planted) == before
    assert rows_of(opened(planted)) == wrong


def test_rows_change_where_that_is_asked_for_and_the_result_says_it(deleted):
    planted = deleted(2)
    right = rows_of(opened(planted))
    change_entries(planted, 1, bounds_of_paths)
    table = opened(planted)
    wrong, start = rows_of(table), table.current_snapshot().snapshot_id
    done = table.repair(table.check("rows"), allow_changed_rows=True)
    assert rows_of(table) == right
    proof = done.proof
    assert proof.is_changed
    assert proof.files > 0
    assert proof.rows_before - proof.rows_after == len(wrong) - len(right)
    assert proof.checksum_before != proof.checksum_after
    assert (proof.unread_files, proof.is_planned_before) == (0, True)
    # A replace would prove that no row changed.
    assert table.current_snapshot().operation == "overwrite"
    assert table.diff(start).summary().deleted_rows == len(wrong) - len(right)


def other_data_file(file: Json) -> None:
    """The entry of a vector names a data file that is not there; its Puffin file names the right one."""
    if file.get("content_offset") is not None:
        file["referenced_data_file"] += "x"


def vectors_of(table: fb.Table) -> int:
    return table.inspect.delete_files()["file_format"].to_pylist().count("PUFFIN")


def of_vectors(table: fb.Table, level: str = "manifests") -> list[Any]:
    return [each for each in table.check(level) if each.rule.id == "vector-without-data-file"]


def test_a_vector_goes_whose_puffin_file_names_the_data_file_that_is_not_live(deleted):
    planted = deleted(3)
    gone = {"status": 2, "sequence_number": 1, "file_sequence_number": 1}
    listed = avro.read(planted.lists()[-1].read_bytes()).rows
    for path, row in zip(planted.manifests(), listed, strict=True):
        if row["content"] == 0:
            planted.change_path(path, lambda file: [each.update(gone) for each in file["rows"]])
    table = opened(planted)
    found = of_vectors(table)
    assert vectors_of(table) == len(found) > 0
    done = table.repair(found)
    assert {what for _, what in done.repaired} == {"the vector is removed"}
    assert vectors_of(table) == 0


@pytest.mark.parametrize("level", ["manifests", "files"])
def test_a_vector_stays_whose_puffin_file_names_another_data_file(deleted, level):
    planted = deleted(3)
    change_entries(planted, 1, other_data_file)
    table = opened(planted)
    before, vectors = rows_of(table), vectors_of(table)
    found = of_vectors(table, level)
    assert vectors == len(found) > 0
    for dry in (True, False):
        done = table.repair(found, dry_run=dry)
        assert not done.repaired
        assert all(why.endswith("nothing says which is right") for _, why in done.skipped)
    assert (vectors_of(table), rows_of(table)) == (vectors, before)


def test_a_vector_stays_whose_puffin_file_does_not_say_its_data_file(deleted):
    planted = deleted(3)

    def change(file: Json) -> None:
        other_data_file(file)
        if file.get("content_offset") is not None:
            file["content_offset"] += 1

    change_entries(planted, 1, change)
    table = opened(planted)
    whys = {why for _, why in table.repair(of_vectors(table)).skipped}
    assert whys == {"its Puffin file has no deletion vector where the entry says"}


def test_a_commit_keeps_such_a_vector_where_data_files_are_given_up(deleted):
    planted = deleted(3)
    change_entries(planted, 1, other_data_file)
    table = opened(planted)
    vectors = vectors_of(table)
    Path(table.inspect.data_files()["file_path"][0].as_py().removeprefix("file://")).unlink()
    found = [each for each in table.check("files") if each.rule.id == "file-there"]
    assert table.repair(found, drop_missing_data_files=True).lost
    assert vectors_of(table) == vectors


def test_maintenance_keeps_such_a_vector_too(deleted):
    planted = deleted(3)
    change_entries(planted, 1, other_data_file)
    table = opened(planted)
    vectors = vectors_of(table)
    table.maintenance.remove_dangling_deletes()
    assert vectors_of(table) == vectors > 0


def test_files_that_are_read_in_another_way_have_the_same_rows(deleted):
    planted = deleted(2)

    def larger(file: Json) -> None:
        file["file_size_in_bytes"] += 9

    change_entries(planted, 0, larger)
    table = opened(planted)
    was = rows_of(table)
    done = table.repair(table.check("files"))
    proof = done.proof
    assert "file-size" in {each.rule.id for each, _ in done.repaired}
    assert table.current_snapshot().operation == "replace"
    assert not proof.is_changed
    assert (proof.rows_before, proof.rows_after) == (len(was), len(was))
    assert proof.checksum_before == proof.checksum_after != "0" * 32
    assert (proof.files, proof.unread_files) == (table.inspect.data_files().num_rows, 0)
    assert rows_of(table) == was


def test_files_that_are_read_as_before_are_not_read(deleted):
    planted = deleted(2)

    def unsorted(file: Json) -> None:
        file["null_value_counts"] = [{"key": ID, "value": 3}]

    change_entries(planted, 0, unsorted)
    table = opened(planted)
    was = rows_of(table)
    done = table.repair(table.check("rows"))
    assert "null-counts" in {each.rule.id for each, _ in done.repaired}
    assert (done.proof.files, done.proof.rows_before, done.proof.is_changed) == (0, 0, False)
    assert rows_of(table) == was


def test_what_is_given_up_is_not_in_the_proof(deleted):
    planted = deleted(2)
    delete_files = {
        path.removeprefix("file://")
        for path in opened(planted).inspect.delete_files()["file_path"].to_pylist()
    }
    Path(min(delete_files)).unlink()
    table = opened(planted)
    done = table.repair(table.check("files"), drop_missing_delete_files=True)
    assert done.returned_rows > 0
    assert not done.proof.is_changed
    assert rows_of(table) is not None
    assert table.current_snapshot().operation == "overwrite"


def test_a_dry_run_and_a_repair_of_metadata_have_no_proof(deleted):
    planted = deleted(2)
    change_entries(planted, 0, lambda file: file.update(file_size_in_bytes=1))
    table = opened(planted)
    dry = table.repair(table.check("files"), dry_run=True)
    assert dry.repaired
    assert dry.proof is None
    sound = table.repair([])
    assert isinstance(sound, fb.repairing.RepairResult)
    assert sound.proof is None


def test_a_branch_is_mended_where_its_files_are(tmp_path):
    catalog = fb.load_catalog(f"branch {tmp_path}", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", pa.schema({"id": pa.int64()}))
    table.append(pa.table({"id": [1]}))
    start = table.current_snapshot().snapshot_id
    table.manage_snapshots().create_branch(start, "audit").create_tag(start, "first").commit()
    table.append(pa.table({"id": [2, 3]}), branch="audit")
    [branch] = [each for each in table.snapshots() if each.snapshot_id != start]
    planted = Planted(Path(table.metadata_location.removeprefix("file://")))
    [manifest] = set(planted.manifests(1)) - set(planted.manifests(0))

    def larger(file: Json) -> None:
        for row in file["rows"]:
            row["data_file"]["file_size_in_bytes"] += 1

    planted.change_path(manifest, larger)
    table = opened(planted)
    checked = table.check("files", snapshot_id=branch.snapshot_id)
    found = [each for each in checked if each.rule.id == "file-size"]
    assert len(found) == 1
    on_main = table.repair(found)
    assert not on_main.repaired
    assert "another branch" in on_main.skipped[0][1]
    dry = table.repair(found, branch="audit", dry_run=True)
    done = table.repair(found, branch="audit")
    assert dry.repaired == done.repaired
    assert [each.rule.id for each, _ in done.repaired] == ["file-size"]
    assert (done.proof.files, done.proof.rows_before, done.proof.is_changed) == (1, 2, False)
    assert table.snapshot_by_id(done.snapshot_id).parent_snapshot_id == branch.snapshot_id
    assert table.current_snapshot().snapshot_id == start
    assert sorted(table.scan(snapshot_id=done.snapshot_id).to_arrow()["id"].to_pylist()) == [1, 2, 3]
    assert list(table.check("rows", snapshot_id=done.snapshot_id)) == []
    with pytest.raises(NotFoundError, match="nope"):
        table.repair(found, branch="nope")
    with pytest.raises(InvalidInputError, match="is a tag, expected a branch"):
        table.repair(found, branch="first")

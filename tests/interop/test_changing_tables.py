"""Specs, sort orders, branches and tags change here as in Iceberg Java, which reads ours and goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.table import Table

pytestmark = pytest.mark.timeout(900)

SCHEMA = pa.schema({"id": pa.int64(), "at": pa.timestamp("us", "UTC"), "name": pa.string()})
BUCKET, DAY, HOUR = {"bucket": ["id", 16]}, {"day": ["at"]}, {"hour": ["at"]}
ID, NAME = {"ref": ["id"]}, {"ref": ["name"]}

# What Java calls, beside what is called here.
SPECS: dict[str, list[tuple[list[Any], Any]]] = {
    "added": [
        (
            ["updateSpec", [["addField", BUCKET], ["addField", DAY]]],
            lambda table: table.update_spec().add_field("id", "bucket[16]").add_field("at", "day"),
        )
    ],
    "named and renamed": [
        (
            ["updateSpec", [["addField", "shard", BUCKET], ["renameField", "name", "called"]]],
            lambda table: (
                table.update_spec().add_field("id", "bucket[16]", "shard").rename_field("name", "called")
            ),
        )
    ],
    "removed and back": [
        (["updateSpec", [["removeField", "name"]]], lambda table: table.update_spec().remove_field("name")),
        (["updateSpec", [["addField", HOUR]]], lambda table: table.update_spec().add_field("at", "hour")),
        (["updateSpec", [["addField", "name"]]], lambda table: table.update_spec().add_identity("name")),
    ],
    "removed and added at once": [
        (
            ["updateSpec", [["removeField", "name"], ["addField", "n", {"ref": ["name"]}]]],
            lambda table: table.update_spec().remove_field("name").add_field("name", "identity", "n"),
        )
    ],
    "name taken over": [
        (
            ["updateSpec", [["removeField", "name"], ["addField", "name_2", DAY]]],
            lambda table: table.update_spec().remove_field("name").add_field("at", "day", "name_2"),
        ),
        (
            ["updateSpec", [["renameField", "name_2", "day"]]],
            lambda table: table.update_spec().rename_field("name_2", "day"),
        ),
    ],
    "by term": [
        (
            ["updateSpec", [["addField", BUCKET]]],
            lambda table: table.update_spec().add_field("id", "bucket[16]"),
        ),
        (
            ["updateSpec", [["removeField", BUCKET]]],
            lambda table: table.update_spec().remove_field("bucket(16, id)"),
        ),
    ],
    "sorted": [
        (
            [
                "replaceSortOrder",
                [["asc", NAME, {"nulls": "NULLS_FIRST"}], ["desc", BUCKET, {"nulls": "NULLS_FIRST"}]],
            ],
            lambda table: table.update_sort_order().asc("name").desc("id", "bucket[16]", "nulls-first"),
        ),
        (
            ["replaceSortOrder", [["desc", ID, {"nulls": "NULLS_LAST"}]]],
            lambda table: table.update_sort_order().desc("id"),
        ),
        (
            [
                "replaceSortOrder",
                [["asc", NAME, {"nulls": "NULLS_FIRST"}], ["desc", BUCKET, {"nulls": "NULLS_FIRST"}]],
            ],
            lambda table: table.update_sort_order().asc("name").desc("id", "bucket[16]", "nulls-first"),
        ),
    ],
}
FIRST, SECOND, THIRD = ({"snapshot": number} for number in range(3))
REFS: dict[str, list[tuple[list[Any], Any]]] = {
    "made": [
        (
            ["manageSnapshots", [["createTag", "t", FIRST], ["createBranch", "b", SECOND]]],
            lambda table, ids: table.manage_snapshots().create_tag(ids[0], "t").create_branch(ids[1], "b"),
        ),
        (
            [
                "manageSnapshots",
                [
                    ["setMinSnapshotsToKeep", "b", 3],
                    ["setMaxSnapshotAgeMs", "b", 5],
                    ["setMaxRefAgeMs", "t", 7],
                ],
            ],
            lambda table, _: (
                table.manage_snapshots()
                .set_min_snapshots_to_keep("b", 3)
                .set_max_snapshot_age_ms("b", 5)
                .set_max_ref_age_ms("t", 7)
            ),
        ),
        (
            ["manageSnapshots", [["renameBranch", "b", "c"], ["replaceTag", "t", THIRD]]],
            lambda table, ids: table.manage_snapshots().rename_branch("b", "c").replace_tag("t", ids[2]),
        ),
        (
            ["manageSnapshots", [["fastForwardBranch", "c", "main"], ["removeTag", "t"]]],
            lambda table, _: table.manage_snapshots().fast_forward("c", "main").remove_tag("t"),
        ),
    ],
    "rolled back": [
        (
            ["manageSnapshots", [["rollbackTo", FIRST]]],
            lambda table, ids: table.manage_snapshots().rollback_to_snapshot(ids[0]),
        ),
        (
            ["manageSnapshots", [["setCurrentSnapshot", THIRD]]],
            lambda table, ids: table.manage_snapshots().set_current_snapshot(ids[2]),
        ),
    ],
    "picked": [
        (
            ["manageSnapshots", [["rollbackTo", FIRST]]],
            lambda table, ids: table.manage_snapshots().rollback_to_snapshot(ids[0]),
        ),
        (
            ["manageSnapshots", [["cherrypick", THIRD]]],
            lambda table, ids: table.manage_snapshots().cherrypick(ids[2]),
        ),
    ],
}


def rows(*numbers: int) -> pa.Table:
    return pa.table(
        {
            "id": numbers,
            "at": [number * 3_600_000_000 for number in numbers],
            "name": [str(n % 2) for n in numbers],
        },
        schema=SCHEMA,
    )


def make(folder: Path, version: int, **options: Any) -> Table:
    """A table in a folder, of three snapshots."""
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(folder))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA, format_version=version, **options)
    for number in range(3):
        table.append(rows(number, number + 10))
    return table


def told(table: Table, *keys: str) -> dict[str, Any]:
    """Parts of the metadata, with snapshots by their number."""
    metadata = json.loads(Path(table.metadata_location.removeprefix("file://")).read_text())
    ids = [snapshot["snapshot-id"] for snapshot in metadata["snapshots"]]
    number = {id_: at for at, id_ in enumerate(ids)}
    found = {key: metadata[key] for key in keys if key != "refs"}
    refs = metadata.get("refs", {})
    found["refs"] = {name: ref | {"snapshot-id": number[ref["snapshot-id"]]} for name, ref in refs.items()}
    found["log"] = [number.get(entry["snapshot-id"]) for entry in metadata["snapshot-log"]]
    found["parents"] = [number.get(snapshot.get("parent-snapshot-id")) for snapshot in metadata["snapshots"]]
    picked = [snapshot["summary"].get("source-snapshot-id") for snapshot in metadata["snapshots"]]
    found["picked"] = [None if each is None else number[int(each)] for each in picked]
    return found


def read(table: Table) -> list[Any]:
    return sorted(table.scan().to_arrow()["id"].to_pylist())


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("steps", SPECS.values(), ids=SPECS)
def test_layouts_change_as_in_java(steps, version, tmp_path, java):
    ours, theirs = (
        make(tmp_path / "a", version, partition_spec=["name"]),
        make(tmp_path / "b", version, partition_spec=["name"]),
    )
    for calls, change in steps:
        change(ours).commit()
        java("change", place={"location": theirs.location()}, steps=[calls])
        theirs.refresh()
        parts = (
            "partition-specs",
            "default-spec-id",
            "last-partition-id",
            "sort-orders",
            "default-sort-order-id",
        )
        assert told(ours, *parts) == told(theirs, *parts)
    ours.append(rows(50, 51))
    assert len(java("read", metadata_location=ours.metadata_location)) == 8
    # Java goes on with the table that was changed here.
    java(
        "change",
        place={"location": ours.location()},
        steps=[["updateSpec", [["addField", "last", {"truncate": ["name", 2]}]]]],
    )
    ours.refresh().append(rows(60))
    assert read(ours) == [0, 1, 2, 10, 11, 12, 50, 51, 60]
    assert len(java("read", metadata_location=ours.metadata_location)) == 9


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("steps", REFS.values(), ids=REFS)
def test_refs_change_as_in_java(steps, version, tmp_path, java):
    ours, theirs = make(tmp_path / "a", version), make(tmp_path / "b", version)
    ids = [snapshot.snapshot_id for snapshot in ours.snapshots()]
    for calls, change in steps:
        change(ours, ids).commit()
        java("change", place={"location": theirs.location()}, steps=[calls])
        theirs.refresh()
        assert told(ours) == told(theirs)
        assert read(ours) == read(theirs)
    assert len(java("read", metadata_location=ours.metadata_location)) == len(read(ours))
    java(
        "change",
        place={"location": ours.location()},
        steps=[["manageSnapshots", [["createTag", "theirs", FIRST]]]],
    )
    assert ours.refresh().refs()["theirs"].snapshot_id == ids[0]

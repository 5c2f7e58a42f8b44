"""Iceberg's procedures in Spark, and Floeberg, look after two tables that were made alike: the same files go."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb

pytestmark = pytest.mark.timeout(1800)

EVER = "2100-01-01T00:00:00Z"
SCHEMA = pa.schema([("id", pa.int64()), ("part", pa.string())])


def rows(first: int, count: int, part: str) -> pa.Table:
    return pa.table({"id": range(first, first + count), "part": [part] * count}, SCHEMA)


def line(table: fb.Table) -> None:
    for number in range(5):
        table.append(rows(10 * number, 5, "ab"[number % 2]))


def replaced(table: fb.Table) -> None:
    line(table)
    table.overwrite(rows(100, 3, "a"), overwrite_filter="part = 'a'")
    table.delete("id >= 30", mode="copy-on-write")


def deleted_by_files(table: fb.Table) -> None:
    line(table)
    table.delete("id = 11", mode="merge-on-read")
    table.delete("id = 12", mode="merge-on-read")
    table.delete("part = 'b'")
    table.append(rows(200, 2, "b"))


def with_refs(table: fb.Table) -> None:
    line(table)
    snapshots = [each.snapshot_id for each in table.snapshots()]
    with table.manage_snapshots() as changes:
        changes.create_tag(snapshots[1], "early").create_branch(snapshots[2], "dev", min_snapshots_to_keep=2)
    table.append(rows(300, 2, "a"), branch="dev")
    table.overwrite(rows(400, 2, "a"))


def rolled_back(table: fb.Table) -> None:
    replaced(table)
    snapshots = [each.snapshot_id for each in table.snapshots()]
    table.manage_snapshots().set_current_snapshot(snapshots[3]).commit()
    table.append(rows(500, 2, "b"))


def staged(table: fb.Table) -> None:
    line(table)
    table.append(rows(600, 2, "a"), stage_only=True)
    table.overwrite(rows(700, 2, "a"), overwrite_filter="part = 'a'")


HISTORIES: dict[str, Callable[[fb.Table], None]] = {
    each.__name__: each for each in (line, replaced, deleted_by_files, with_refs, rolled_back, staged)
}


def made(folder: Path, history: str, version: int) -> fb.Table:
    catalog = fb.load_catalog("made", type="filesystem", warehouse=str(folder))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA, partition_spec=["part"], format_version=version)
    HISTORIES[history](table)
    return table


def kinds(folder: Path) -> Counter[str]:
    """The files of a table by what they are."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return Counter("snap" if path.name.startswith("snap-") else path.suffix for path in found)


def content(table: fb.Table) -> list[list[int]]:
    ids = sorted((each.timestamp_ms, each.snapshot_id) for each in table.snapshots())
    return [sorted(table.scan(snapshot_id=each).to_arrow()["id"].to_pylist()) for _, each in ids]


@pytest.mark.unchecked_tables("Iceberg's procedure removes files of states that this process committed")
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("history", HISTORIES)
@pytest.mark.parametrize("last", [1, 3])
def test_the_same_files_go_with_expired_snapshots(tmp_path, java_spark, history, version, last):
    ours = made(tmp_path / "ours", history, version)
    theirs = made(tmp_path / "theirs", history, version)
    name = f"expiry_{history}_{version}_{last}"

    def sql(text: str, folder: str = "theirs") -> list[list[Any]]:
        warehouse = str(tmp_path / folder)
        # A session of Spark keeps what a catalog was when it was first used.
        return java_spark(
            "sql",
            text=text.replace("CATALOG", f"{name}_{folder}"),
            catalog=f"{name}_{folder}",
            warehouse=warehouse,
        )

    ((data, positions, equalities, manifests, lists, statistics),) = sql(
        "CALL CATALOG.system.expire_snapshots(table => 'ns.t', "
        f"older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => {last})"
    )
    done = ours.maintenance.expire_snapshots(older_than=EVER, retain_last=last)
    assert (
        done.deleted_data_files_count,
        done.deleted_position_delete_files_count,
        done.deleted_equality_delete_files_count,
        done.deleted_manifest_files_count,
        done.deleted_manifest_lists_count,
        done.deleted_statistics_files_count,
    ) == (data, positions, equalities, manifests, lists, statistics)
    theirs.refresh()
    assert sorted(ours.refs()) == sorted(theirs.refs())
    assert content(ours) == content(theirs)
    assert kinds(tmp_path / "ours") == kinds(tmp_path / "theirs")
    # Iceberg reads on what is left.
    found = sql("SELECT id FROM CATALOG.ns.t", "ours")
    assert sorted(row[0] for row in found) == sorted(ours.scan().to_arrow()["id"].to_pylist())


def test_the_same_orphans_go(tmp_path, java_spark):
    then = time.time() - 9 * 24 * 60 * 60
    lost = (
        "data/part=a/lost.parquet",
        "data/lost with space.parquet",
        "metadata/lost-m0.avro",
        "metadata/snap-lost.avro",
        "deep/er/lost",
        "_hidden/lost",
        ".hidden",
        "data/_SUCCESS",
    )
    left = {}
    for folder in ("ours", "theirs"):
        table = made(tmp_path / folder, "with_refs", 2)
        place = tmp_path / folder / "ns" / "t"
        for path in place.rglob("*"):
            # All of a table's own files are old, too.
            os.utime(path, (then, then))
        for name in lost:
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(b"x")
            os.utime(place / name, (then, then))
        if folder == "ours":
            removed = set(table.maintenance.remove_orphan_files().orphan_file_locations)
        else:
            found = java_spark(
                "sql",
                text="CALL orphans.system.remove_orphan_files(table => 'ns.t')",
                catalog="orphans",
                warehouse=str(tmp_path / folder),
            )
            removed = {row[0] for row in found}
        left[folder] = {each.partition("/ns/t/")[2] for each in removed}
        assert content(table.refresh())
    assert left["ours"] == left["theirs"]

"""Iceberg's procedures in Spark, and Floeberg, look after two tables that were made alike: the same files go."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest
from looked_after import EVER, HISTORIES, content, kinds, made

pytestmark = pytest.mark.timeout(1800)


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

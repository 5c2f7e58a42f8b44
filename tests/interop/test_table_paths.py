"""Iceberg in Spark reads tables that were moved, and its own procedure lists the same files to copy."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb

pytestmark = [
    pytest.mark.timeout(1800),
    pytest.mark.unchecked_tables("summaries keep the sizes that delete files had"),
]

SCHEMA = pa.schema([("id", pa.int64()), ("part", pa.string())])


def rows(first: int, count: int, part: str) -> pa.Table:
    return pa.table({"id": range(first, first + count), "part": [part] * count}, SCHEMA)


def drop_keys(table: fb.Table, *keys: int, part: str) -> None:
    ids = pa.array(keys, pa.int64())
    changes = pa.table({"id": ids, "part": [part] * len(ids), "op": ["delete"] * len(ids), "at": ids})
    with table.transaction() as transaction:
        transaction.apply_changes(
            changes, keys=["id", "part"], operation="op", order_by="at", mode="equality"
        )


def made(folder: Path, version: int, granularity: str) -> fb.Table:
    catalog = fb.load_catalog("made", type="filesystem", warehouse=str(folder))
    catalog.create_namespace("ns")
    properties = {"write.delete.granularity": granularity}
    table = catalog.create_table(
        "ns.t", SCHEMA, partition_spec=["part"], format_version=version, properties=properties
    )
    for number in range(4):
        table.append(rows(10 * number, 7, "ab"[number % 2]))
    table.manage_snapshots().create_tag(table.snapshots()[1].snapshot_id, "early").commit()
    table.overwrite(rows(90, 3, "c"), overwrite_filter="part = 'c'")
    if version > 1:
        # The procedure of Iceberg 1.11 fails where a Puffin file has several vectors.
        several = ("id in (3, 23)", "id in (14, 34)", "id = 21")
        for gone in several if version == 2 else ("id = 3", "id = 14", "id = 21"):
            table.delete(gone, mode="merge-on-read")
        drop_keys(table, 0, 20, part="a")
    table.delete("id = 91", mode="copy-on-write")
    table.maintenance.compute_table_stats()
    table.manage_snapshots().create_branch(table.current_snapshot().snapshot_id, "dev").commit()
    table.append(rows(200, 2, "a"), branch="dev")
    table.maintenance.rewrite_manifests()
    return table


def plain(location: str) -> str:
    return location.removeprefix("file://").removeprefix("file:")


def listed(location: str) -> list[tuple[str, str]]:
    """The lines of a list, which Spark may have written as a folder."""
    path = Path(plain(location))
    files = [path] if path.is_file() else sorted(path.glob("part-*"))
    found = []
    for each in files:
        with each.open(newline="", encoding="utf-8") as file:
            found += [(plain(source), plain(target)) for source, target in csv.reader(file)]
    return found


@pytest.mark.parametrize(
    ("version", "granularity"), [(1, "file"), (2, "file"), (2, "partition"), (3, "file")]
)
def test_iceberg_reads_a_moved_table_and_lists_the_same_files(tmp_path, java_spark, version, granularity):
    table = made(tmp_path / "lake", version, granularity)
    source, target = plain(table.location()), str(tmp_path / "there" / "ns" / "t")
    lineage = ", _row_id, _last_updated_sequence_number" if version == 3 else ""
    name = f"paths_{version}_{granularity}"

    def sql(text: str, folder: str) -> list[list[Any]]:
        catalog = f"{name}_{folder}"
        # A session of Spark keeps what a catalog was when it was first used.
        return java_spark(
            "sql",
            text=text.replace("CATALOG", catalog),
            catalog=catalog,
            warehouse=str(tmp_path / folder),
        )

    def read(folder: str) -> list[list[list[Any]]]:
        snapshots = [each.snapshot_id for each in table.snapshots()]
        places = [f"VERSION AS OF {each}" for each in snapshots]
        places += ["VERSION AS OF 'early'", "VERSION AS OF 'dev'"]
        # Iceberg has no columns of lineage in what it reads of earlier snapshots.
        found = [sorted(sql(f"SELECT id, part FROM CATALOG.ns.t {each}", folder)) for each in places]
        return [*found, sorted(sql(f"SELECT id, part{lineage} FROM CATALOG.ns.t", folder))]

    before = read("lake")
    done = table.maintenance.rewrite_table_path(source, target)
    ours = listed(done.file_list_location)
    staging = tmp_path / "staging"
    [[latest, file_list, manifests, deletes]] = sql(
        f"CALL CATALOG.system.rewrite_table_path(table => 'ns.t', source_prefix => '{source}', "
        f"target_prefix => '{target}', staging_location => '{staging}')",
        "lake",
    )
    theirs = listed(file_list)

    def without_staging(files: list[tuple[str, str]], staged: str) -> set[tuple[str, str]]:
        return {(each.replace(plain(staged), "STAGED/", 1), to) for each, to in files}

    assert without_staging(ours, done.staging_location) == without_staging(theirs, f"{staging}/")
    assert len(ours) == len(set(ours))
    assert (latest, manifests, deletes) == (
        done.latest_version,
        done.rewritten_manifest_file_paths_count,
        done.rewritten_delete_file_paths_count,
    )
    for each, to in ours:
        Path(to).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(each, to)
    shutil.rmtree(tmp_path / "lake")
    assert read("there") == before
    # Iceberg goes on with the table.
    sql("INSERT INTO CATALOG.ns.t VALUES (500, 'a')", "there")
    sql("DELETE FROM CATALOG.ns.t WHERE id = 5", "there")
    left = [each[0] for each in before[-1] if each[0] != 5]
    assert sorted(each[0] for each in sql("SELECT id FROM CATALOG.ns.t", "there")) == sorted([*left, 500])
    ids = fb.open_table(target).scan().to_arrow()["id"].to_pylist()
    assert sorted(ids) == sorted([*left, 500])

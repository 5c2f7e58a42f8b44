"""Tasks of Spark find the files that expired snapshots alone needed, as this process does."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.errors import InvalidDataError
from floeberg.spark.maintenance import expiry

EVER = "2100-01-01T00:00Z"
SCHEMA = pa.schema({"id": pa.int64(), "part": pa.string()})


def make(folder, name):
    """A table of many manifests, whose history is no line: a branch, and files that only some snapshots need."""
    lake = fb.load_catalog(name, type="filesystem", warehouse=str(folder / name))
    lake.create_namespace("db")
    table = lake.create_table(
        "db.t",
        SCHEMA,
        partition_spec=["part"],
        properties={"commit.manifest-merge.enabled": "false", "write.metadata.previous-versions-max": "100"},
    )
    for number in range(24):
        table.append(pa.table({"id": [number, number], "part": ["a", f"p{number % 3}"]}, SCHEMA))
    with table.manage_snapshots() as snapshots:
        snapshots.create_branch(None, "dev")
    table.append(pa.table({"id": [99], "part": ["dev"]}, SCHEMA), branch="dev")
    table.delete("id = 3", mode="merge-on-read")
    table.delete("id = 5 and part = 'a'")
    table.overwrite(pa.table({"id": [4], "part": ["a"]}, SCHEMA), overwrite_filter="part = 'p1'")
    table.maintenance.rewrite_data_files(options={"rewrite-all": "true"})
    with table.manage_snapshots() as snapshots:
        snapshots.remove_branch("dev")
    return table


def counts(done):
    return {name: value for name, value in vars(done).items() if name.endswith("_count")}


def names(table):
    folder = Path(table.location().removeprefix("file://"))
    return sorted(each.suffix for each in folder.rglob("*.*") if not each.name.startswith("."))


def placed(done, table):
    """The removed files by their kinds and folders: names are random."""
    root = table.location().rstrip("/") + "/"
    gone = (each.removeprefix(root) for each in done.deleted_files)
    return sorted(f"{Path(each).parent}/*{Path(each).suffix}" for each in gone)


def named_by_tasks(monkeypatch):
    """How many tasks read manifests, for each call."""
    asked, named = [], expiry.named_places

    def counted(spark, tasks, places):
        asked.append(len(tasks))
        return named(spark, tasks, places)

    monkeypatch.setattr(expiry, "named_places", counted)
    return asked


@pytest.mark.parametrize("retain_last", [1, 3, 20])
def test_tasks_find_what_is_found_without_spark(spark, tmp_path, monkeypatch, retain_last):
    asked = named_by_tasks(monkeypatch)
    table = make(tmp_path, "lake")
    rows = sorted(table.scan().to_arrow()["id"].to_pylist())
    options = {"older_than": EVER, "retain_last": retain_last}
    by_tasks = fb.spark.maintenance(spark, table).expire_snapshots(dry_run=True, **options)
    here = table.maintenance.expire_snapshots(dry_run=True, **options)
    assert sorted(by_tasks.deleted_files) == sorted(here.deleted_files)
    assert [placed(each, table) for each in (by_tasks,)] == [placed(here, table)]
    assert counts(by_tasks) == counts(here)
    done = fb.spark.maintenance(spark, table).expire_snapshots(**options)
    assert set(done.deleted_files) == set(here.deleted_files)
    assert not any(Path(each.removeprefix("file://")).exists() for each in done.deleted_files)
    assert sorted(table.refresh().scan().to_arrow()["id"].to_pylist()) == rows
    for snapshot in table.snapshots():
        table.scan(snapshot_id=snapshot.snapshot_id).to_arrow()
    assert [number > 1 for number in asked] == [True, True]


def test_few_manifests_are_read_here(spark, tmp_path, monkeypatch):
    asked = named_by_tasks(monkeypatch)
    lake = fb.load_catalog("small", type="filesystem", warehouse=str(tmp_path / "small"))
    lake.create_namespace("db")
    table = lake.create_table("db.t", SCHEMA)
    for number in range(3):
        table.overwrite(pa.table({"id": [number], "part": ["a"]}, SCHEMA))
    done = fb.spark.maintenance(spark, table).expire_snapshots(older_than=EVER)
    assert done.deleted_data_files_count == 2
    assert asked == []
    assert table.refresh().scan().count() == 1


def test_call_runs_by_tasks(spark, tmp_path, monkeypatch):
    asked = named_by_tasks(monkeypatch)
    table = make(tmp_path, "prod")
    planned = table.maintenance.expire_snapshots(older_than=EVER, retain_last=10, dry_run=True)
    lake = fb.load_catalog("prod", type="filesystem", warehouse=str(tmp_path / "prod"))
    call = (
        "CALL prod.system.expire_snapshots(table => 'db.t', older_than => TIMESTAMP '2100-01-01', "
        "retain_last => 10)"
    )
    [row] = floeberg.spark.sql(spark, call, catalog=lake).collect()
    assert row.deleted_data_files_count == planned.deleted_data_files_count
    assert row.deleted_manifest_lists_count == planned.deleted_manifest_lists_count > 0
    assert len(asked) == 1


def test_a_damaged_manifest_removes_nothing(spark, tmp_path):
    table = make(tmp_path, "lake")
    before = names(table)
    path = Path(table.inspect.manifests()["path"][0].as_py().removeprefix("file://"))
    whole = path.read_bytes()
    path.write_bytes(b"Obj\x01 damaged")
    with pytest.raises(InvalidDataError):
        fb.spark.maintenance(spark, table).expire_snapshots(older_than=EVER, retain_last=10)
    path.write_bytes(whole)
    # The snapshots expired, in one more metadata file, and all files stay.
    assert names(table) == sorted([*before, ".json"])
    assert len(json.loads(table.refresh()._inner.metadata_json())["snapshots"]) == 10

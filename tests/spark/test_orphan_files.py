"""Orphan files are found by tasks of Spark as they are without Spark."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.commit import folder_commit
from floeberg.errors import FloebergError, InvalidDataError, InvalidInputError

EVER = "2100-01-01T00:00Z"
ALL = {"older_than": EVER, "allow_recent": True}
SCHEMA = pa.schema({"id": pa.int64(), "part": pa.string()})


@pytest.fixture
def table(tmp_path):
    """A table with partitions, a branch, deletes and a history that has all its files."""
    lake = fb.load_catalog("prod", type="filesystem", warehouse=str(tmp_path / "lake"))
    lake.create_namespace("db")
    made = lake.create_table("db.t", SCHEMA, partition_spec=["part"])
    for number in range(12):
        made.append(pa.table({"id": [number, number], "part": ["a", f"p{number % 3}"]}, SCHEMA))
    made.delete("id = 1", mode="merge-on-read")
    with made.manage_snapshots() as snapshots:
        snapshots.create_branch(None, "dev")
    made.append(pa.table({"id": [8], "part": ["dev"]}, SCHEMA), branch="dev")
    made.overwrite(pa.table({"id": [4], "part": ["a"]}, SCHEMA), overwrite_filter="part = 'p1'")
    made.maintenance.expire_snapshots(retain_last=3, older_than=EVER, delete_files=False)
    return made


def folder_of(table):
    return Path(table.location().removeprefix("file://"))


def junk(table, name, days=9.0):
    path = folder_of(table) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"junk")
    then = time.time() - days * 24 * 60 * 60
    os.utime(path, (then, then))
    return path


def both(spark, table, **options):
    """What is found without Spark and with it: a result, or the class and the text of an error."""
    found = []
    for maintenance in (table.maintenance, fb.spark.maintenance(spark, table)):
        try:
            found.append(maintenance.remove_orphan_files(dry_run=True, **options))
        except FloebergError as error:
            found.append((type(error), str(error)))
    return found


def same(spark, table, **options):
    here, there = both(spark, table, **options)
    assert there == here
    return here


def test_tasks_find_what_is_found_without_spark(spark, table):
    left_by_expiry = same(spark, table, **ALL)
    assert left_by_expiry.orphan_file_locations
    new = [
        junk(table, name)
        for name in (
            "lost",
            "data/lost",
            "data/part=a/lost.parquet",
            "data/part=a/deep/er/lost with a space%20and.bin",
            "metadata/lost-m0.avro",
            "other/é/lost",
        )
    ]
    for name in (
        "_SUCCESS",
        ".part.crc",
        "data/_temporary/0/part",
        "metadata/version-hint.text",
        ".hidden/x",
    ):
        junk(table, name)
    junk(table, "data/young", 0.1)
    (folder_of(table) / "link").symlink_to(folder_of(table) / "data")
    every = same(spark, table, **ALL)
    assert len(every.orphan_file_locations) == len(left_by_expiry.orphan_file_locations) + len(new) + 1
    old = same(spark, table)
    assert len(old.orphan_file_locations) == len(new)
    assert same(spark, table, location=f"file:{folder_of(table)}/data", **ALL).orphan_file_locations
    assert same(spark, table, location=str(folder_of(table) / "metadata"), **ALL).orphan_file_locations
    rows = table.scan().count(), table.scan(branch="dev").count()
    done = fb.spark.maintenance(spark, table).remove_orphan_files(**ALL)
    assert (done.orphan_file_locations, done.orphan_bytes) == (
        every.orphan_file_locations,
        every.orphan_bytes,
    )
    assert not any(path.exists() for path in new)
    assert same(spark, table, **ALL).orphan_file_locations == ()
    assert (table.scan().count(), table.scan(branch="dev").count()) == rows


def test_files_of_an_undecided_commit_of_several_tables_are_kept(spark, table, tmp_path, monkeypatch):
    lake = fb.load_catalog("prod", type="filesystem", warehouse=str(tmp_path / "lake"))
    lake.create_table("db.other", SCHEMA)
    left_by_expiry = same(spark, table, **ALL).orphan_file_locations
    monkeypatch.setattr(folder_commit, "_give_back", lambda *_: None)
    monkeypatch.setattr(folder_commit, "decide", killed)
    transaction = lake.transaction()
    for name in ("db.t", "db.other"):
        transaction.table(name).append(pa.table({"id": [20], "part": ["new"]}, SCHEMA))
    with pytest.raises(SystemExit):
        transaction.commit_transaction()
    assert list((folder_of(table) / "metadata").glob("floeberg-staged-*"))
    lost = junk(table, "data/lost")
    found = same(spark, table.refresh(), **ALL).orphan_file_locations
    assert sorted(found) == sorted([*left_by_expiry, str(lost)])


def killed(*_):
    raise SystemExit


def test_what_is_refused_is_refused(spark, table, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "precious").write_text("x")
    refused = same(spark, table, location=str(other), **ALL)
    assert "names none of the files" in refused[1]
    lake = fb.load_catalog("prod", type="filesystem", warehouse=str(tmp_path / "lake"))
    neighbour = lake.create_table("db.other", SCHEMA)
    assert "another table" in same(spark, table, location=str(tmp_path / "lake" / "db"), **ALL)[1]
    shutil.copytree(folder_of(neighbour), folder_of(table) / "inner")
    assert "another table" in same(spark, table, **ALL)[1]
    shutil.rmtree(folder_of(table) / "inner")
    log = junk(table, "deep/_delta_log/0.json")
    assert "_delta_log" in same(spark, table, **ALL)[1]
    shutil.rmtree(log.parents[1])
    assert same(spark, table, location=str(tmp_path / "nowhere"), **ALL)[0].__name__ == "NotFoundError"
    with pytest.raises(InvalidInputError, match="allow_recent"):
        fb.spark.maintenance(spark, table).remove_orphan_files(older_than=EVER)


def test_an_empty_folder_and_a_new_table(spark, tmp_path):
    lake = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    lake.create_namespace("db")
    table = lake.create_table("db.t", SCHEMA)
    assert same(spark, table, **ALL).orphan_file_locations == ()
    (tmp_path / "empty").mkdir()
    assert same(spark, table, location=str(tmp_path / "empty"), **ALL).orphan_file_locations == ()


@pytest.mark.unchecked_tables("a manifest is damaged")
def test_a_damaged_manifest_stops_it(spark, table):
    lost = junk(table, "lost")
    path = table.inspect.manifests()["path"][0].as_py().removeprefix("file://")
    Path(path).write_bytes(b"Obj\x01 damaged")
    with pytest.raises(InvalidDataError):
        fb.spark.maintenance(spark, table).remove_orphan_files(**ALL)
    assert lost.exists()


def test_what_is_committed_meanwhile_is_named(spark, table, monkeypatch):
    """A commit between the list and the comparison, and one between the comparison and the removal."""
    from floeberg.spark.maintenance import orphans

    before = table.scan().count()
    find = orphans.SparkListing.orphans
    times = []

    def found(listing, opened, **options):
        done = find(listing, opened, **options)
        times.append(opened.metadata_location)
        if len(times) == 1:
            fb.open_table(table.location()).append(pa.table({"id": [99], "part": ["a"]}, SCHEMA))
        return done

    monkeypatch.setattr(orphans.SparkListing, "orphans", found)
    fb.spark.maintenance(spark, table).remove_orphan_files(**ALL)
    assert len(set(times)) == 2
    assert table.refresh().scan().count() == before + 1


def test_call_uses_tasks(spark, table, tmp_path, monkeypatch):
    from floeberg.spark.maintenance import on_spark

    lost = junk(table, "data/lost")
    made = []
    listing = on_spark.SparkListing
    monkeypatch.setattr(on_spark, "SparkListing", lambda *a, **k: made.append(1) or listing(*a, **k))
    lake = fb.load_catalog("prod", type="filesystem", warehouse=str(tmp_path / "lake"))
    call = "CALL prod.system.remove_orphan_files(table => 'db.t')"
    found = floeberg.spark.sql(spark, call, catalog=lake).collect()
    assert [Path(row.orphan_file_location).name for row in found] == ["lost"]
    assert made == [1]
    assert not lost.exists()

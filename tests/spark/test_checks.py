"""Tasks of Spark find in a table what is found without Spark."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.errors import InvalidInputError, UnsupportedError

SCHEMA = pa.schema({"id": pa.int64(), "part": pa.string()})
LEVELS = ("metadata", "manifests", "files", "rows")


def lake_of(tmp_path):
    return fb.load_catalog("prod", type="filesystem", warehouse=str(tmp_path / "lake"))


@pytest.fixture(params=[2, 3])
def table(request, tmp_path):
    """Files in several manifests and specs, with deletes and a schema that changed."""
    lake = lake_of(tmp_path)
    lake.create_namespace("db")
    made = lake.create_table("db.t", SCHEMA, partition_spec=["part"], format_version=request.param)
    for number in range(7):
        made.append(
            pa.table({"id": [number, number + 10, -number], "part": ["a", "a", f"p{number % 3}"]}, SCHEMA)
        )
    made.delete("id = 1", mode="merge-on-read")
    with made.update_schema() as change:
        change.add_column("note", fb.types.StringType())
    made.append(pa.table({"id": [8], "part": ["b"], "note": ["x"]}))
    return made


def files_of(table):
    return sorted(
        Path(path.removeprefix("file://")) for path in table.inspect.data_files()["file_path"].to_pylist()
    )


def shown(check):
    return sorted(map(str, check))


@pytest.mark.parametrize("level", LEVELS)
def test_a_sound_table_is_sound(spark, table, level):
    check = fb.spark.check(spark, table, level)
    assert list(check) == []
    assert check.is_sound()
    assert check.to_arrow().num_rows == 0


@pytest.mark.unchecked_tables("files are damaged")
def test_damaged_files_are_found_alike(spark, table):
    missing, short, other, *_ = files_of(table)
    missing.unlink()
    short.write_bytes(short.read_bytes()[:-9])
    other.write_bytes(files_of(table)[-1].read_bytes())
    for level in LEVELS:
        here, there = table.check(level), fb.spark.check(spark, table, level)
        assert shown(there) == shown(here)
        assert there.counts() == here.counts()
        assert sorted(map(str, there.to_arrow().to_pylist())) == sorted(map(str, here.to_arrow().to_pylist()))
    assert {"file-there", "file-size"} <= {
        finding.rule.id for finding in fb.spark.check(spark, table, "files")
    }


@pytest.mark.unchecked_tables("files are damaged")
def test_vectors_and_older_snapshots_are_checked_alike(spark, table):
    deletes = table.inspect.delete_files()["file_path"].to_pylist()
    Path(deletes[0].removeprefix("file://")).write_bytes(b"PFA1 and no more")
    first = table.snapshots()[0].snapshot_id
    for chosen in ({}, {"snapshot_id": first}, {"since": first}, {"all_snapshots": True}, {"sample": 0.5}):
        here, there = table.check("rows", **chosen), fb.spark.check(spark, table, "rows", **chosen)
        assert shown(there) == shown(here)


@pytest.mark.unchecked_tables("a manifest is damaged")
def test_a_damaged_manifest_is_found_here(spark, table):
    manifest = Path(table.inspect.manifests()["path"].to_pylist()[0].removeprefix("file://"))
    manifest.write_bytes(manifest.read_bytes()[:100])
    assert shown(fb.spark.check(spark, table)) == shown(table.check("rows"))
    assert not fb.spark.check(spark, table).is_sound()


@pytest.mark.unchecked_tables("a file is missing")
def test_call_gives_a_row_for_each_finding(spark, table, tmp_path):
    files_of(table)[0].unlink()
    lake = lake_of(tmp_path)
    sql = fb.spark.sql(spark, "CALL prod.system.check(table => 'db.t', level => 'files')", catalog=lake)
    (row,) = sql.collect()
    assert (row.rule, row.level, row.severity) == ("file-there", "files", "wrong-data")
    none = fb.spark.sql(spark, "CALL prod.system.check('db.t', 'metadata')", catalog=lake)
    assert none.collect() == []
    assert none.columns == sql.columns == table.check().to_arrow().column_names


def test_wrong_arguments_are_refused_before_a_task_runs(spark, table):
    with pytest.raises(InvalidInputError, match="level: expected one of"):
        fb.spark.check(spark, table, "everything")
    with pytest.raises(InvalidInputError, match="sample"):
        fb.spark.check(spark, table, sample=0)


def test_a_lance_table_is_refused(spark, tmp_path):
    location = str(tmp_path / "t.lance")
    fb.lance.create_table(location, pa.table({"k": [1]}))
    with pytest.raises(UnsupportedError, match="call the check of the table"):
        fb.spark.check(spark, location)

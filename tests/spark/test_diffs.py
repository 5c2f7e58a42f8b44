"""Tasks of Spark find between two snapshots what is found without Spark."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.errors import InvalidDataError, InvalidInputError, NotFoundError, UnsupportedError
from floeberg.spark.session.tasks import mapped
from floeberg.types import DecimalType, IntegerType, NestedField, Schema, UUIDType

SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "part": pa.string(),
        "tags": pa.list_(pa.string()),
        "at": pa.struct({"x": pa.float64(), "by": pa.map_(pa.string(), pa.int32())}),
    }
)
MODES = ("delete", "update", "merge")


def rows(numbers, part=None):
    return pa.table(
        {
            "id": list(numbers),
            "part": [part or f"p{each % 2}" for each in numbers],
            "tags": [[str(each), None] if each % 3 else None for each in numbers],
            "at": [{"x": each / 2, "by": [("k", each)]} if each % 4 else None for each in numbers],
        },
        SCHEMA,
    )


def made(tmp_path, version, mode):
    lake = fb.load_catalog("prod", type="filesystem", warehouse=str(tmp_path / "lake"))
    lake.create_namespace("db")
    modes = {f"write.{each}.mode": mode for each in MODES}
    return lake.create_table(
        "db.t", SCHEMA, partition_spec=["part"], format_version=version, properties=modes
    )


@pytest.fixture(
    params=[(1, "copy-on-write"), (2, "merge-on-read"), (3, "copy-on-write"), (3, "merge-on-read")],
    ids=lambda each: f"v{each[0]} {each[1]}",
)
def history(request, tmp_path):
    """A table with appends, updates, deletes, a repeated id, a file that was written again, and its first snapshot."""
    table = made(tmp_path, *request.param)
    table.append(rows(range(40)))
    start = table.current_snapshot().snapshot_id
    table.append(rows(range(40, 45)))
    table.update({"tags": ["new"]}, "id in (3, 4)")
    table.delete("id between 10 and 14")
    table.append(rows([20, 20]))
    table.maintenance.rewrite_data_files(options={"rewrite-all": "true"})
    table.delete("id = 21")
    table.append(rows([100]))
    return table, start


def listed(diff_rows):
    return sorted(
        (
            (
                row["_change"],
                row["_changed_columns"],
                row["before"] and repr(row["before"]),
                row["after"] and repr(row["after"]),
            )
            for row in diff_rows.to_pylist()
        ),
        key=repr,
    )


def assert_alike(spark, table, *snapshots, **how):
    here, there = table.diff(*snapshots, **how), fb.spark.diff(spark, table, *snapshots, **how)
    expected, found = here.to_arrow(), there.to_arrow()
    assert found.schema == expected.schema
    assert listed(found) == listed(expected)
    assert there.summary() == here.summary()
    assert there.has_changed_rows() == here.has_changed_rows()
    return there, expected


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"key": ["id"]},
        {"key": ["id", "part"], "selected_fields": ("tags",)},
        {"selected_fields": ("id", "at")},
        {"row_filter": "id < 30 and part = 'p0'", "key": ["id"]},
    ],
    ids=repr,
)
def test_rows_and_summaries_are_those_without_spark(spark, history, how):
    table, start = history
    _, forwards = assert_alike(spark, table, start, **how)
    _, backwards = assert_alike(spark, table, table.current_snapshot().snapshot_id, start, **how)
    assert forwards.num_rows > 0
    assert backwards.num_rows > 0


def test_rows_that_only_came_are_not_shuffled(spark, history):
    table, _ = history
    last = table.snapshots()[-2].snapshot_id
    there, expected = assert_alike(spark, table, last)
    assert set(expected["_change"].to_pylist()) == {"insert"}
    plan = there.to_spark()._jdf.queryExecution().toString() if hasattr(there.to_spark(), "_jdf") else ""
    assert "floeberg_match" not in plan


def test_a_frame_has_the_rows(spark, history):
    table, start = history
    frame = fb.spark.diff(spark, table, start, key=["id"]).to_spark()
    here = table.diff(start, key=["id"]).to_arrow()
    assert frame.columns == here.column_names
    found = sorted((row["_change"], row["after"] and row["after"]["id"]) for row in frame.collect())
    expected = [(row["_change"], row["after"] and row["after"]["id"]) for row in here.to_pylist()]
    assert found == sorted(expected, key=lambda each: (each[0], each[1] or 0))
    (update,) = frame.where("_change = 'update' and before.id = 4").collect()
    assert update["_changed_columns"] == ["tags"]
    assert update["after"]["tags"] == ["new"]
    assert update["before"]["at"] is None


def test_types_that_spark_lacks_cross_as_they_are(spark, tmp_path):
    lake = fb.load_catalog("prod", type="filesystem", warehouse=str(tmp_path / "lake"))
    lake.create_namespace("db")
    schema = Schema(
        NestedField(1, "u", UUIDType()),
        NestedField(2, "d", DecimalType(20, 3)),
        NestedField(3, "n", IntegerType()),
    )
    table = lake.create_table("db.u", schema)
    ids = [uuid.UUID(int=each) for each in range(3)]
    arrow = pa.schema(table.scan())
    table.append(pa.table({"u": [each.bytes for each in ids], "d": [1, 2, 3], "n": [1, 2, 3]}, arrow))
    start = table.current_snapshot().snapshot_id
    table.update({"n": 9}, "n = 2")
    there, _ = assert_alike(spark, table, start, key=["d"])
    assert there.to_spark().collect()[0]["after"]["u"] == str(ids[1])
    with table.update_schema() as change:
        change.update_column("n", "long")
    table.overwrite(pa.table({"u": [ids[0].bytes], "d": [5], "n": [2**40]}, pa.schema(table.scan())))
    # The earlier schema has the wider type of the later one.
    there, _ = assert_alike(spark, table, "main", start, key=["d"])
    assert {row["before"]["n"] for row in there.to_spark().collect() if row["before"]} == {2**40}


def test_no_job_runs_where_nothing_differs(spark, history):
    table, _ = history
    now = table.current_snapshot().snapshot_id
    table.maintenance.rewrite_data_files(options={"rewrite-all": "true"})
    for a, b in [(now, now), (now, "main")]:
        there = fb.spark.diff(spark, table, a, b)
        group = f"none-{uuid.uuid4()}"
        spark.sparkContext.setJobGroup(group, "nothing differs")
        try:
            assert there.proof() is not None
            assert there.to_arrow().num_rows == 0
            assert there.summary().changed_rows == 0
            assert not there.has_changed_rows()
            assert there.to_spark().collect() == []
            assert there.to_spark().columns == there.to_arrow().column_names
        finally:
            spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)
        assert list(spark.sparkContext.statusTracker().getJobIdsForGroup(group)) == []


def test_a_task_that_is_killed_leaves_nothing(spark, history, tmp_path):
    table, start = history
    folder, temporary = tmp_path / "lake", Path(os.environ.get("TMPDIR", "/tmp"))
    before = sorted(folder.rglob("*"))
    known = {each.name for each in temporary.iterdir()}

    def killed(batches):
        for number, batch in enumerate(batches):
            yield batch
            if number == 0:
                os._exit(7)

    frame = fb.spark.diff(spark, table, start, key=["id"]).to_spark()
    with pytest.raises(Exception, match=r"crashed|exited|abort"):
        mapped(frame, killed, frame.schema).toArrow()
    assert sorted(folder.rglob("*")) == before
    left = {each.name for each in temporary.iterdir()} - known
    assert not [each for each in left if each.startswith(".tmp")]
    assert_alike(spark, table, start, key=["id"])


@pytest.mark.unchecked_tables("a file is damaged")
def test_a_damaged_file_is_an_error_that_names_it(spark, history):
    table, start = history
    path = table.diff(start).files()["file_path"].to_pylist()[0].removeprefix("file://")
    Path(path).write_bytes(b"PAR1 and no more PAR1")
    with pytest.raises(InvalidDataError, match=Path(path).name):
        fb.spark.diff(spark, table, start).to_arrow()
    Path(path).unlink()
    with pytest.raises(NotFoundError, match=Path(path).name):
        fb.spark.diff(spark, table, start, key=["id"]).summary()


def test_wrong_arguments_are_refused_before_a_task_runs(spark, history, tmp_path):
    table, start = history
    with pytest.raises(InvalidInputError, match="nope"):
        fb.spark.diff(spark, table, start, key=["nope"])
    with pytest.raises(NotFoundError, match="no snapshot 17"):
        fb.spark.diff(spark, table, 17)
    with pytest.raises(InvalidInputError, match="a: expected a snapshot id"):
        fb.spark.diff(spark, table, table)
    location = str(tmp_path / "t.lance")
    fb.lance.create_table(location, pa.table({"k": [1]}))
    with pytest.raises(UnsupportedError, match="call the diff of the table"):
        fb.spark.diff(spark, location, 1)

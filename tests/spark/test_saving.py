"""Writes of a session: `save()`, tasks that are run again, jobs and commits that fail."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

import floeberg as fb
from test_other_sessions import run

FIELDS = pa.schema([("id", pa.int64()), ("part", pa.string())])


@pytest.fixture
def table(tmp_path) -> fb.Table:
    """An empty table in a folder."""
    catalog = fb.load_catalog("saving", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    return catalog.create_table("db.t", FIELDS)


def rows(table: fb.Table) -> list[tuple]:
    return sorted(map(tuple, map(dict.values, table.refresh().scan().to_arrow().to_pylist())))


def test_frames_are_appended_and_overwrite(spark, table):
    frame = spark.createDataFrame([(1, "a"), (2, "b"), (3, None)], "id bigint, part string").repartition(3)
    write = frame.write.format("floeberg")
    write.mode("append").save(table.location())
    write.mode("append").save(table.location())
    assert rows(table) == sorted([(1, "a"), (2, "b"), (3, None)] * 2, key=lambda row: row[0])
    assert len(table.snapshots()) == 2
    write.mode("overwrite").save(table.location())
    assert len(rows(table)) == 3
    assert spark.read.format("floeberg").load(table.location()).count() == 3


@pytest.mark.usefixtures("table")
def test_a_table_is_named_by_its_catalog(spark, tmp_path):
    options = {
        "catalog": "of spark",
        "catalog.type": "filesystem",
        "catalog.warehouse": str(tmp_path),
        "table": "db.t",
    }
    frame = spark.createDataFrame([(1, "a")], "id bigint, part string")
    frame.write.format("floeberg").options(**options).mode("append").save()
    assert [tuple(row) for row in spark.read.format("floeberg").options(**options).load().collect()] == [
        (1, "a")
    ]


def test_rows_are_inserted_into_a_view_by_sql(spark, table):
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW inserted USING floeberg OPTIONS (path '{table.location()}')")
    try:
        spark.sql("INSERT INTO inserted VALUES (1, 'a')")
        spark.sql("INSERT INTO inserted SELECT id, 'a' FROM range(2, 3)")
        assert rows(table) == [(1, "a"), (2, "a")]
    finally:
        spark.sql("DROP VIEW inserted")


def test_every_type_of_spark_arrives(spark, tmp_path):
    catalog = fb.load_catalog("types", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    text = "00000000-0000-0000-0000-0000000000ff"
    moment = datetime.datetime(2026, 11, 21, 12, 30, 0, 123456)  # noqa: DTZ001 - Spark takes the session's zone
    names = (
        "b boolean, i int, l bigint, f float, d double, n decimal(9,2), t date, m timestamp_ntz, z timestamp"
    )
    more = "s string, r binary, u string, x binary, c array<int>, k map<string,int>, o struct<a: int>"
    values = (
        *(True, 1, 2, 0.5, 0.25, Decimal("1.20"), datetime.date(1969, 12, 31), moment, moment),
        *("text", b"raw", text, b"12345", [1, None], {"a": 1}, {"a": None}),
    )
    frame = spark.createDataFrame([values, (None,) * len(values)], f"{names}, {more}")
    fields = [
        *(
            ("b", "boolean"),
            ("i", "int"),
            ("l", "long"),
            ("f", "float"),
            ("d", "double"),
            ("n", "decimal(9,2)"),
        ),
        *(("t", "date"), ("m", "timestamp"), ("z", "timestamptz"), ("s", "string"), ("r", "binary")),
        *(("u", "uuid"), ("x", "fixed[5]")),
    ]
    types = fb.types
    columns = [
        types.NestedField(number, name, types.PrimitiveType(kind), required=False)
        for number, (name, kind) in enumerate(fields, 1)
    ]
    whole = types.PrimitiveType("int")
    nested = {
        "c": types.ListType(21, whole, element_required=False),
        "k": types.MapType(22, types.PrimitiveType("string"), 23, whole, value_required=False),
        "o": types.StructType((types.NestedField(24, "a", whole, required=False),)),
    }
    columns += [
        types.NestedField(30 + number, name, kind, required=False)
        for number, (name, kind) in enumerate(nested.items())
    ]
    table = catalog.create_table("db.types", types.Schema(*columns))
    frame.write.format("floeberg").mode("append").save(table.location())
    back = spark.read.format("floeberg").load(table.location())
    assert sorted(map(repr, back.collect())) == sorted(map(repr, frame.collect()))
    assert str(table.refresh().scan().to_arrow()["u"].drop_null()[0].as_py()) == text


def test_other_modes_and_a_table_that_is_not_there_are_refused(spark, table, tmp_path):
    frame = spark.createDataFrame([(1, "a")], "id bigint, part string")
    with pytest.raises(PySparkException):
        frame.write.format("floeberg").save(table.location())
    with pytest.raises(PySparkException, match="NoSuchTableError"):
        frame.write.format("floeberg").mode("append").save(str(tmp_path / "nowhere"))
    with pytest.raises(PySparkException, match='column "id"'):
        frame.selectExpr("part AS id", "part").write.format("floeberg").mode("append").save(table.location())
    assert rows(table) == []


@pytest.mark.timeout(500)
def test_tasks_that_fail_are_run_again_and_jobs_that_fail_leave_nothing(table):
    told = run(
        """
        import pyarrow as pa
        from pyspark import TaskContext

        spark = session(SparkSession.builder.master("local[2, 3]"))
        register(spark)
        place = options["path"]
        frame = spark.range(0, 40, 1, 4).selectExpr("id", "cast(id % 3 AS string) AS part")

        def failing(when):
            def each(batches):
                for batch in batches:
                    yield batch
                if when(TaskContext.get()):
                    raise RuntimeError("the task fails")
            return frame.mapInArrow(each, frame.schema)

        def write(frame, mode="append", **options):
            writer = frame.write.format("floeberg").mode(mode)
            for key, value in options.items():
                writer = writer.option(key.replace("_", "-"), value)
            try:
                writer.save(place)
            except Exception as error:
                return f"{type(error).__name__}: {error}"[:4000]
            return "done"

        def state():
            table = fb.open_table(place)
            return [len(table.snapshots()), sorted(table.scan().to_arrow()["id"].to_pylist())]

        told = {"before": state()}
        told["again"] = write(failing(lambda context: context.attemptNumber() < 2))
        told["after again"] = state()
        told["never"] = write(failing(lambda context: context.partitionId() == 3))
        told["after never"] = state()

        def meanwhile(context):
            if context.partitionId() == 0:
                fb.open_table(place).append(pa.table({"id": [100], "part": ["0"]}))
            return False

        told["conflict"] = write(
            failing(meanwhile), "overwrite", overwrite_filter="id >= 0", isolation_level="serializable"
        )
        told["after conflict"] = state()
        print(json.dumps(told), flush=True)
        """,
        json.dumps({"path": table.location()}),
    )
    whole = list(range(40))
    assert told["before"] == [0, []]
    assert told["again"] == "done"
    assert told["after again"] == [1, whole]
    assert "the task fails" in told["never"]
    assert told["after never"] == [1, whole]
    assert "CommitConflictError" in told["conflict"]
    assert told["after conflict"] == [2, [*whole, 100]]
    # What is in no commit is gone, but for tasks that ended when their job had failed already, of which there are
    # three: the conflict would leave four.
    files = {str(path) for path in Path(table.location()).rglob("*.parquet")}
    named = set(table.refresh().inspect.files()["file_path"].to_pylist())
    assert named <= files
    assert len(files - named) < 4

"""Lance tables written by Spark: step by step as Spark calls the writer, and through a session."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.types import StructType

import floeberg as fb
import floeberg.spark
from floeberg.catalog.sql_manifests import SqlManifestStore
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    InvalidInputError,
    UnsupportedError,
)
from floeberg.spark.datasource import FloebergDataSource
from lifecycle import sent
from test_other_sessions import run

MOMENT = dt.datetime(2026, 1, 2, 3)  # noqa: DTZ001 - Spark gives none a zone
ROWS = StructType().add("id", "long").add("part", "string")
BATCH = pa.schema([("id", pa.int64()), ("part", pa.string())])


class Orders:
    """A Lance table, and writes to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "orders.lance"
        self.table = fb.lance.create_table(str(self.folder), BATCH)

    def writer(self, *, overwrite: bool = False, schema: StructType = ROWS, **options: str) -> Any:
        """The writer, as it arrives where tasks run."""
        given = {"path": str(self.folder)} | {key.replace("_", "-"): value for key, value in options.items()}
        return sent(FloebergDataSource(CaseInsensitiveDict(given)).writer(schema, overwrite))

    def rows(self) -> list[tuple[Any, ...]]:
        """What is in the table now, after pylance was asked too."""
        found = self.table.refresh().scan().to_arrow()
        dataset = lance.dataset(str(self.folder))
        dataset.validate()
        assert dataset.to_table().to_pylist() == found.to_pylist()
        return sorted((row["id"], row["part"]) for row in found.to_pylist())

    def files(self) -> set[str]:
        """The data files that there are, whether the table has them or not."""
        return {each.name for each in self.folder.glob("data/*")}

    def named(self) -> set[str]:
        """Those that the newest version has."""
        plan = self.table.refresh().scan().plan_files()
        return {Path(file.location).name for task in plan for file in task.data_files}


@pytest.fixture
def orders(tmp_path) -> Orders:
    """An empty table."""
    return Orders(tmp_path)


def batches(*rows: tuple[int, str | None]):
    """Rows, as Spark gives them: a batch a row."""
    for number, part in rows:
        yield pa.record_batch([[number], [part]], schema=BATCH)


def test_the_receipts_of_all_tasks_become_one_version(orders):
    writer = orders.writer()
    messages = [sent(writer.write(batches((1, "a"), (2, None)))), sent(writer.write(batches((3, "a"))))]
    assert orders.rows() == []
    sent(writer).commit([*messages, sent(writer.write(batches()))])
    assert orders.rows() == [(1, "a"), (2, None), (3, "a")]
    assert orders.table.version == 2


def test_only_files_of_messages_are_in_the_table(orders):
    writer = orders.writer()
    sent(writer.write(batches((1, "a"))))
    winner = sent(writer.write(batches((1, "a"))))
    writer.commit([winner, None])
    assert orders.rows() == [(1, "a")]
    # The other attempt of the task is left, and in no version.
    assert len(orders.files()) == 2 and len(orders.named()) == 1


def test_a_commit_that_is_repeated_adds_nothing(orders):
    writer = orders.writer()
    messages = [writer.write(batches((1, "a")))]
    for _ in range(3):
        sent(writer).commit(messages)
    assert (orders.rows(), orders.table.version) == ([(1, "a")], 2)
    # Nor does an abort after it take anything away.
    sent(writer).abort(messages)
    assert orders.rows() == [(1, "a")]


def test_a_write_with_the_same_key_is_done_once(orders):
    for _ in range(2):
        writer = orders.writer(idempotency_key="batch 7")
        writer.commit([sent(writer.write(batches((1, "a"))))])
    assert orders.rows() == [(1, "a")] and orders.files() == orders.named()
    # Both began before either was committed.
    writers = [orders.writer(idempotency_key="batch 8") for _ in range(2)]
    for writer in writers:
        writer.commit([writer.write(batches((2, "b")))])
    assert orders.rows() == [(1, "a"), (2, "b")]
    with pytest.raises(InvalidInputError, match="belongs to an earlier operation"):
        orders.writer(overwrite=True, idempotency_key="batch 8")


def test_an_abort_removes_the_files_of_its_tasks(orders):
    writer = orders.writer()
    messages = [sent(writer.write(batches((1, "a")))), sent(writer.write(batches((2, "b"))))]
    assert len(orders.files()) == 2
    sent(writer).abort([*messages, None])
    assert orders.files() == set() and orders.rows() == []


def test_a_task_that_fails_leaves_no_file(orders):
    def failing():
        yield from batches((1, "a"))
        raise RuntimeError("the task fails")

    with pytest.raises(RuntimeError, match="the task fails"):
        orders.writer().write(failing())
    assert orders.files() == set()


def test_files_of_a_commit_of_unknown_outcome_are_kept(orders, monkeypatch):
    writer = orders.writer()
    messages = [sent(writer.write(batches((1, "a"))))]

    def unknown(*_, **__):
        raise CommitStateUnknownError("the answer was lost")

    with monkeypatch.context() as patched:
        patched.setattr(fb.LanceTable, "commit_receipts", unknown)
        with pytest.raises(CommitStateUnknownError):
            writer.commit(messages)
    writer.abort(messages)
    assert len(orders.files()) == 1
    # The same commit again finds out.
    writer.commit(messages)
    assert orders.rows() == [(1, "a")]


def test_an_overwrite_replaces_rows_and_keeps_columns(orders):
    orders.table.append(pa.table({"id": [1, 2], "part": ["a", "b"]}))
    writer = orders.writer(overwrite=True, schema=StructType().add("ID", "long"))
    rows = pa.record_batch([[9]], schema=pa.schema([("ID", pa.int64())]))
    writer.commit([writer.write(iter([rows]))])
    assert orders.rows() == [(9, None)]
    writer = orders.writer(overwrite=True)
    writer.commit([writer.write(batches())])
    assert orders.rows() == []


def test_an_overwrite_conflicts_with_what_others_added_since(orders):
    writer = orders.writer(overwrite=True)
    messages = [writer.write(batches((9, "x")))]
    fb.open_table(str(orders.folder)).append(pa.table({"id": [1], "part": ["a"]}))
    with pytest.raises(CommitConflictError, match="Append"):
        writer.commit(messages)
    writer.abort(messages)
    assert orders.rows() == [(1, "a")] and orders.files() == orders.named()
    snapshot = orders.writer(overwrite=True, isolation_level="snapshot")
    late = [snapshot.write(batches((9, "x")))]
    fb.open_table(str(orders.folder)).append(pa.table({"id": [2], "part": ["a"]}))
    snapshot.commit(late)
    assert orders.rows() == [(9, "x")]
    # Rows that were made from an older version.
    orders.table.append(pa.table({"id": [3], "part": ["a"]}))
    old = str(orders.table.version - 1)
    writer = orders.writer(overwrite=True, validate_from_version=old)
    with pytest.raises(CommitConflictError):
        writer.commit([writer.write(batches((1, "x")))])


def test_a_branch_is_written(orders):
    orders.table.create_branch("dev")
    writer = orders.writer(branch="dev")
    writer.commit([writer.write(batches((1, "a")))])
    branch = fb.open_table(str(orders.folder), branch="dev")
    assert (orders.rows(), branch.scan().count()) == ([], 1)


@pytest.mark.parametrize(
    "options",
    [
        {"overwrite_mode": "dynamic", "overwrite": True},
        {"overwrite_filter": "id = 1", "overwrite": True},
        {"merge_schema": "true"},
        {"compression_codec": "zstd"},
        {"snapshot_property.a": "b"},
        {"validate_from_snapshot_id": "1", "overwrite": True},
        {"properties": '{"write.parquet.page-size-bytes": "1"}'},
        {"relocate": '{"/a": "/b"}'},
    ],
)
def test_options_of_iceberg_are_refused(orders, options):
    with pytest.raises(UnsupportedError, match="Lance table|relocate"):
        orders.writer(**options)


def test_rows_that_do_not_fit_are_told_before_any_task(orders):
    schema = StructType().add("part", "long").add("more", "string")
    with pytest.raises(InvalidInputError) as caught:
        orders.writer(schema=schema)
    assert "'part' is of type string, found int64" in str(caught.value)
    assert "no column 'more'" in str(caught.value)
    with pytest.raises(InvalidInputError, match="for overwrites"):
        orders.writer(isolation_level="snapshot")


PLANNER = """
import pickle, sys
from pyspark import cloudpickle
from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.types import StructType
from floeberg.spark.datasource import FloebergDataSource
schema = StructType().add("id", "long").add("part", "string")
source = FloebergDataSource(CaseInsensitiveDict({"path": sys.argv[1]}))
writer = source.writer(schema, False)
writer.commit([writer.write(iter([]))])
print("lance" in sys.modules)
sys.modules["lance"] = None
import pyarrow as pa
rows = pa.record_batch([[1], ["a"]], names=["id", "part"])
try:
    cloudpickle.loads(cloudpickle.dumps(writer)).write(iter([rows]))
except Exception as error:
    print(type(error).__name__, "pip install 'floeberg[lance]'" in str(error))
"""


def test_a_driver_needs_no_pylance_and_a_worker_without_it_says_so(orders):
    done = subprocess.run(
        [sys.executable, "-c", PLANNER, str(orders.folder)], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["False", "NotInstalledError", "True"], done.stderr


# What follows runs in a session.


def saved(frame, orders: Orders, mode: str = "append", **options: str) -> None:
    writer = frame.write.format("floeberg").mode(mode)
    for key, value in options.items():
        writer = writer.option(key.replace("_", "-"), value)
    writer.save(str(orders.folder))


def test_frames_are_appended_overwrite_and_are_inserted_by_sql(spark, orders):
    frame = spark.createDataFrame([(1, "a"), (2, "b"), (3, None)], "id bigint, part string").repartition(3)
    saved(frame, orders)
    saved(frame, orders)
    assert orders.rows() == sorted([(1, "a"), (2, "b"), (3, None)] * 2, key=lambda row: row[0])
    assert orders.table.version == 3
    saved(frame, orders, "overwrite")
    assert len(orders.rows()) == 3
    assert spark.read.format("floeberg").load(str(orders.folder)).count() == 3
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW orders USING floeberg OPTIONS (path '{orders.folder}')")
    try:
        spark.sql("INSERT INTO orders SELECT id, 'x' FROM range(10, 12)")
    finally:
        spark.sql("DROP VIEW orders")
    assert orders.rows()[-2:] == [(10, "x"), (11, "x")]


def test_an_overwrite_of_what_was_read_loses_no_newer_row(spark, orders):
    orders.table.append(pa.table({"id": [1, 2], "part": ["a", "b"]}))
    frame = spark.read.format("floeberg").load(str(orders.folder)).selectExpr("id + 10 AS id", "part")
    assert frame.count() == 2
    orders.table.append(pa.table({"id": [3], "part": ["c"]}))
    with pytest.raises(PySparkException, match="CommitConflictError"):
        saved(frame, orders, "overwrite")
    assert [row[0] for row in orders.rows()] == [1, 2, 3]
    again = spark.read.format("floeberg").load(str(orders.folder)).selectExpr("id + 10 AS id", "part")
    saved(again, orders, "overwrite")
    assert [row[0] for row in orders.rows()] == [11, 12, 13]
    # A version that was chosen is meant.
    old = spark.read.format("floeberg").option("version", "2").load(str(orders.folder))
    saved(old, orders, "overwrite")
    assert [row[0] for row in orders.rows()] == [1, 2]


def test_an_overwrite_from_the_users_process_loses_no_newer_row(spark, orders):
    orders.table.append(pa.table({"id": [1, 2], "part": ["a", "b"]}))
    read = spark.read.format("floeberg").load(str(orders.folder))
    frame = read.selectExpr("id + 10 AS id", "part")
    orders.table.append(pa.table({"id": [3], "part": ["c"]}))
    before = orders.files()
    with pytest.raises(CommitConflictError):
        floeberg.spark.write(frame, str(orders.folder), mode="overwrite")
    assert ([row[0] for row in orders.rows()], orders.files()) == ([1, 2, 3], before)
    # Appends lose nothing.
    floeberg.spark.write(frame, str(orders.folder))
    assert [row[0] for row in orders.rows()] == [1, 2, 3, 11, 12]
    floeberg.spark.write(frame, str(orders.folder), mode="overwrite", isolation_level="snapshot")
    assert [row[0] for row in orders.rows()] == [11, 12]
    again = spark.read.format("floeberg").load(str(orders.folder)).selectExpr("id + 10 AS id", "part")
    floeberg.spark.write(again, str(orders.folder), mode="overwrite")
    assert [row[0] for row in orders.rows()] == [21, 22]


def test_a_branch_of_a_table_with_a_manifest_store_is_written_by_the_store(spark, tmp_path):
    store = SqlManifestStore(f"sqlite:///{tmp_path}/manifests.db")
    table = fb.lance.create_table(str(tmp_path / "t"), pa.table({"id": [1]}), manifest_store=store)
    table.create_branch("b")
    floeberg.spark.write(spark.range(2, 4), table, branch="b")
    branch = fb.open_table(table.location, branch="b", manifest_store=store)
    assert sorted(branch.scan().to_arrow()["id"].to_pylist()) == [1, 2, 3]
    assert store.latest(branch._inner.folder)[0] == 2


def test_a_frame_is_written_from_the_users_process(spark, orders):
    frame = spark.createDataFrame([(1, "a"), (2, "b")], "ID bigint, part string")
    done = floeberg.spark.write(frame, str(orders.folder), idempotency_key="job")
    assert (done.operation, done.added_rows, done.version) == ("Append", 2, 2)
    again = floeberg.spark.write(frame, orders.table, idempotency_key="job")
    assert again.already_committed and orders.rows() == [(1, "a"), (2, "b")]
    done = floeberg.spark.write(frame.filter("id = 1"), orders.table, mode="overwrite")
    assert (done.operation, orders.rows()) == ("Overwrite", [(1, "a")])
    before = orders.files()
    with pytest.raises(InvalidInputError, match="'part' is of type string"):
        floeberg.spark.write(frame.selectExpr("id", "id AS part"), orders.table)
    refused: list[dict[str, Any]] = [{"mode": "dynamic"}, {"mode": "overwrite", "overwrite_filter": "id = 1"}]
    refused += [{"merge_schema": True}, {"options": {"a": "b"}}, {"distribution_mode": "hash"}]
    for options in refused:
        with pytest.raises(UnsupportedError, match="tables of Iceberg"):
            floeberg.spark.write(frame, orders.table, **options)
    assert orders.files() == before


def test_every_type_of_spark_arrives(spark, tmp_path):
    kinds = {
        "b": (pa.bool_(), "boolean", True),
        "i8": (pa.int8(), "tinyint", -5),
        "u8": (pa.uint8(), "smallint", 200),
        "u64": (pa.uint64(), "decimal(20, 0)", Decimal(2**64 - 1)),
        "i32": (pa.int32(), "int", 1),
        "f16": (pa.float16(), "float", 1.5),
        "f64": (pa.float64(), "double", 0.1),
        "s": (pa.large_string(), "string", "x"),
        "word": (pa.dictionary(pa.int32(), pa.string()), "string", "x"),
        "bin": (pa.binary(2), "binary", b"ab"),
        "day": (pa.date32(), "date", dt.date(2026, 1, 2)),
        "ts": (pa.timestamp("us"), "timestamp_ntz", MOMENT),
        "tsz": (pa.timestamp("ms", "UTC"), "timestamp", MOMENT),
        "dec": (pa.decimal128(10, 2), "decimal(10, 2)", Decimal("1.50")),
        "took": (pa.duration("s"), "interval day to second", dt.timedelta(seconds=5)),
        "list": (pa.list_(pa.int32()), "array<int>", [1, None]),
        "vec": (pa.list_(pa.float32(), 2), "array<float>", [1.0, 2.0]),
        "map": (pa.map_(pa.string(), pa.int64()), "map<string, bigint>", {"a": 1}),
        "st": (pa.struct({"a": pa.int64(), "b": pa.string()}), "struct<a: bigint, b: string>", (1, "x")),
    }
    location = str(tmp_path / "types.lance")
    lance.write_dataset(
        pa.schema({name: kind for name, (kind, _, _) in kinds.items()}).empty_table(), location
    )
    schema = ", ".join(f"{name} {kind}" for name, (_, kind, _) in kinds.items())
    one = tuple(value for _, _, value in kinds.values())
    frame = spark.createDataFrame([one, (None,) * len(kinds)], schema)
    frame.write.format("floeberg").mode("append").save(location)
    found = fb.open_table(location).scan().to_arrow()
    assert [field.type for field in found.schema] == [kind for kind, _, _ in kinds.values()]
    back = spark.read.format("floeberg").load(location).orderBy("i32").collect()
    assert [tuple(row) for row in back] == [(None,) * len(kinds), one] or [tuple(row) for row in back][
        1
    ] == one
    dataset = lance.dataset(location)
    dataset.validate()
    assert dataset.to_table().to_pylist() == found.to_pylist()
    with pytest.raises(PySparkException, match="u8"):
        frame.selectExpr("cast(-1 AS smallint) AS u8").write.format("floeberg").mode("append").save(location)


@pytest.mark.timeout(500)
def test_tasks_that_fail_or_are_killed_are_run_again_and_rows_are_written_once(orders):
    told = run(
        """
        import os
        import pyarrow as pa
        from pyspark import TaskContext

        spark = session(SparkSession.builder.master("local[2, 3]"))
        register(spark)
        place = options["path"]
        frame = spark.range(0, 40, 1, 4).selectExpr("id", "cast(id % 3 AS string) AS part")

        def failing(when, kill=False):
            def each(batches):
                for batch in batches:
                    yield batch
                if when(TaskContext.get()):
                    if kill:
                        os._exit(9)
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
            return [table.version, sorted(table.scan().to_arrow()["id"].to_pylist())]

        told = {"before": state()}
        told["again"] = write(failing(lambda context: context.attemptNumber() < 2))
        told["after again"] = state()
        told["killed"] = write(failing(lambda context: context.attemptNumber() < 1, kill=True), "overwrite")
        told["after killed"] = state()
        told["never"] = write(failing(lambda context: context.partitionId() == 3))
        told["after never"] = state()

        def meanwhile(context):
            if context.partitionId() == 0:
                fb.open_table(place).append(pa.table({"id": [100], "part": ["0"]}))
            return False

        told["conflict"] = write(failing(meanwhile), "overwrite")
        told["after conflict"] = state()
        print(json.dumps(told), flush=True)
        """,
        json.dumps({"path": str(orders.folder)}),
    )
    whole = list(range(40))
    assert told["before"] == [1, []]
    assert told["again"] == told["killed"] == "done"
    assert told["after again"] == [2, whole]
    assert told["after killed"] == [3, whole]
    assert "the task fails" in told["never"]
    assert told["after never"] == [3, whole]
    assert "CommitConflictError" in told["conflict"]
    assert told["after conflict"] == [4, [*whole, 100]]
    orders.rows()
    assert orders.named() <= orders.files()

"""What may make Spark's own reader see other rows than Floeberg's, and does it?"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import floeberg as fb
import floeberg.spark
from corpus import encode
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.scan.stored_files import stored_files
from floeberg.spark.native.lanes import without_repeats
from lifecycle import options_of, read
from reading import forms, rows_of

ROWS = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("part", pa.string()),
        pa.field("moment", pa.timestamp("us", "UTC")),
        pa.field("raw", pa.binary()),
        pa.field("tags", pa.list_(pa.field("element", pa.string(), nullable=False))),
    ]
)
TURNED = {
    "spark.sql.parquet.fieldId.read.enabled": ("true", "false"),
    "spark.sql.parquet.fieldId.read.ignoreMissing": ("true", "false"),
    "spark.sql.caseSensitive": ("true", "false"),
    "spark.sql.files.ignoreMissingFiles": ("true", "false"),
    "spark.sql.files.ignoreCorruptFiles": ("true", "false"),
    "spark.sql.parquet.binaryAsString": ("true", "false"),
    "spark.sql.parquet.int96AsTimestamp": ("true", "false"),
    "spark.sql.parquet.inferTimestampNTZ.enabled": ("true", "false"),
    "spark.sql.parquet.enableVectorizedReader": ("true", "false"),
    "spark.sql.parquet.recordLevelFilter.enabled": ("true", "false"),
    "spark.sql.parquet.datetimeRebaseModeInRead": ("LEGACY", "EXCEPTION", "CORRECTED"),
    "spark.sql.parquet.int96RebaseModeInRead": ("LEGACY", "EXCEPTION", "CORRECTED"),
    "spark.sql.sources.useV1SourceList": ("", "parquet"),
    "spark.sql.session.timeZone": ("Asia/Tokyo", "UTC"),
    "spark.sql.ansi.enabled": ("true", "false"),
    "spark.sql.files.maxPartitionBytes": ("1000", "134217728"),
    "spark.sql.parquet.mergeSchema": ("true", "false"),
    "spark.sql.parquet.filterPushdown": ("false", "true"),
    "spark.sql.parquet.aggregatePushdown": ("true", "false"),
    "spark.sql.parquet.enableNestedColumnVectorizedReader": ("false", "true"),
    "spark.sql.codegen.wholeStage": ("false", "true"),
    "spark.sql.adaptive.enabled": ("false", "true"),
}


def rows(*ids: int) -> pa.Table:
    """Rows, of which one is before 1582."""
    data = [
        {
            "id": number,
            "part": None if number % 5 == 0 else f"p{number % 3}",
            "moment": (number % 50 - 40) * 10**15,
            "raw": bytes([number % 256, 255]),
            "tags": [f"t{number}"] * (number % 3),
        }
        for number in ids
    ]
    return pa.Table.from_pylist(data, ROWS)


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., fb.Table]:
    """Makes tables in a folder of a name."""

    def table(
        schema: pa.Schema = ROWS, name: str = "t", folder: str = "warehouse", **options: object
    ) -> fb.Table:
        catalog = fb.load_catalog("native", type="filesystem", warehouse=str(tmp_path / folder))
        if ("db",) not in catalog.list_namespaces():
            catalog.create_namespace("db")
        return catalog.create_table(f"db.{name}", schema, **options)

    return table


@contextmanager
def settings(spark: SparkSession, **values: str) -> Iterator[None]:
    """Settings of the user's session, which are taken back."""
    before = {key: spark.conf.get(key, None) for key in values}
    for key, value in values.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, value in before.items():
            spark.conf.unset(key) if value is None else spark.conf.set(key, value)


def ids(frame: DataFrame) -> list[int]:
    return sorted(row.id for row in frame.select("id").collect())


def is_native(frame: DataFrame) -> bool:
    return "FloebergDataSource" not in plan_of(frame) and "Python" not in plan_of(frame)


def plan_of(frame: DataFrame) -> str:
    return frame._jdf.queryExecution().toString()


def test_settings_that_are_turned_later_change_no_row(make, spark) -> None:
    table = make(partition_spec=["part"])
    table.append(rows(*range(40)))
    scan = table.scan(row_filter="id >= 3")
    summed = "SELECT sum(id), sum(unix_micros(moment)), sum(length(hex(raw))), sum(size(tags)), count(part) FROM turned"
    scan.to_spark(spark, reader="native").createOrReplaceTempView("turned")
    view = spark.sql(summed)
    scan.to_spark(spark, reader="arrow").createOrReplaceTempView("turned_arrow")
    expected = spark.sql(summed.replace("turned", "turned_arrow")).collect()
    for key, values in TURNED.items():
        for value in values:
            with settings(spark, **{key: value}):
                before = dict(spark.conf.getAll)
                assert spark.sql(summed).collect() == expected, (key, value)
                assert scan.to_spark(spark, reader="native").columns == ROWS.names
                assert dict(spark.conf.getAll) == before
    assert view.collect() == expected


@pytest.mark.parametrize(
    ("folder", "native"),
    [
        ("a b", True),
        ("100%", True),
        ("a%20b", True),
        ("{x,y}[z]*?", True),
        ("part=7", True),
        ("id=3", True),
        ("_under", True),
        (".dot", True),
        ("a#b;c", True),
        ("a:b", True),
        ("quo'te\"", True),
        ("ümlaut", False),
    ],
)
def test_folders_of_any_name(make, spark, folder, native) -> None:
    table = make(folder=folder)
    table.append(rows(*range(9)))
    frame = table.scan().to_spark(spark)
    assert is_native(frame) == native
    assert ids(frame) == list(range(9))
    assert frame.columns == ROWS.names
    assert {row.part for row in frame.collect()} == {None, "p0", "p1", "p2"}


def moved(table: fb.Table, place: Path) -> fb.Table:
    """The table with a copy of its one data file at another place."""
    (location,) = (task.file.location for task in table.scan().plan_files())
    place.parent.mkdir(exist_ok=True)
    shutil.copyfile(path_of(location), place)
    return fb.open_table(table.metadata_location, relocate={location: str(place)})


def path_of(location: str) -> Path:
    return Path(location.removeprefix("file://"))


@pytest.mark.parametrize(
    ("name", "native"),
    [
        ("_under.parquet", False),
        (".dot.parquet", False),
        ("f._COPYING_", False),
        ("a:b.parquet", False),
        ("no suffix", True),
        ("x=1", True),
        ("f?*[a]{b,c}.parquet", True),
        ("f%2Fg.parquet", True),
    ],
)
def test_files_of_any_name(make, spark, tmp_path, name, native) -> None:
    table = make()
    table.append(rows(1, 2, 3))
    scan = moved(table, tmp_path / "elsewhere" / name).scan()
    frame = scan.to_spark(spark)
    assert ids(frame) == [1, 2, 3]
    assert is_native(frame) == native
    if not native:
        with pytest.raises(UnsupportedError, match="Spark's own reader cannot read 1 of 1 files"):
            scan.to_spark(spark, reader="native")


def test_positions_are_those_of_the_file_whatever_is_skipped(make, spark) -> None:
    table = make(properties={"write.parquet.row-group-limit": "64"})
    table.append(rows(*range(1000)))
    with settings(
        spark, **{"spark.sql.files.maxPartitionBytes": "2000", "spark.sql.files.openCostInBytes": "0"}
    ):
        frame = table.scan(selected_fields=("*", "_pos")).to_spark(spark, reader="native")
        for vectorized in ("true", "false"):
            with settings(spark, **{"spark.sql.parquet.enableVectorizedReader": vectorized}):
                found = frame.where("id IN (3, 500, 777)").select("id", "_pos").collect()
                assert sorted(map(tuple, found)) == [(3, 3), (500, 500), (777, 777)]


def test_deleted_rows_in_many_splits(deletes, spark) -> None:
    scan = deletes.open().scan()
    left = encode(scan.to_arrow())
    with settings(
        spark, **{"spark.sql.files.maxPartitionBytes": "500", "spark.sql.files.openCostInBytes": "0"}
    ):
        for vectorized in ("true", "false"):
            with settings(spark, **{"spark.sql.parquet.enableVectorizedReader": vectorized}):
                frame = scan.to_spark(spark)
                assert rows_of(frame) == left
                assert frame.count() == len(left)


def test_files_of_one_size_are_in_parts_of_their_own() -> None:
    assert without_repeats(dict(enumerate([5, 7, 5, 5, 7, 8]))) == [[0, 1, 5], [2, 4], [3]]


def test_names_that_moved_to_other_columns(make, spark) -> None:
    schema = pa.schema([pa.field("id", pa.int64()), pa.field("a", pa.int64()), pa.field("b", pa.int64())])
    table = make(schema)
    table.append(pa.table({"id": [1, 2], "a": [10, 20], "b": [100, 200]}))
    with table.update_schema() as update:
        update.rename_column("a", "c")
    with table.update_schema() as update:
        update.rename_column("b", "a")
    with table.update_schema() as update:
        update.rename_column("c", "b")
    table.append(pa.table({"id": [3], "b": [30], "a": [300]}))
    frame = table.scan().to_spark(spark, reader="native")
    assert {(row.id, row.a, row.b) for row in frame.collect()} == {(1, 100, 10), (2, 200, 20), (3, 300, 30)}
    # A filter reaches the statistics of the right column.
    assert ids(frame.where("b = 20")) == [2]
    assert ids(frame.where("a = 200")) == [2]
    assert ids(frame.where("a > 150 AND b < 25")) == [2]
    with settings(spark, **{"spark.sql.parquet.fieldId.read.enabled": "true"}):
        assert ids(frame.where("b = 20")) == [2]


def test_columns_that_came_and_grew(make, spark) -> None:
    schema = pa.schema(
        [pa.field("id", pa.int32()), pa.field("f", pa.float32()), pa.field("d", pa.decimal128(5, 2))]
    )
    table = make(schema, partition_spec=["id"])
    table.append(
        pa.table({"id": [1, 2], "f": [0.1, float("nan")], "d": pa.array([Decimal(1), Decimal(2)])}).cast(
            schema
        )
    )
    with table.update_schema() as update:
        update.update_column("f", "double").update_column("d", "decimal(12, 2)").add_column("late", "string")
    wide = pa.schema(
        [("id", pa.int32()), ("f", pa.float64()), ("d", pa.decimal128(12, 2)), ("late", pa.string())]
    )
    table.append(pa.table({"id": [3], "f": [0.1], "d": [Decimal(3)], "late": ["x"]}).cast(wide))
    frame = table.scan().to_spark(spark, reader="native")
    arrow = table.scan().to_spark(spark, reader="arrow")
    assert forms(frame) == forms(arrow)
    assert sorted(map(str, frame.collect())) == sorted(map(str, arrow.collect()))
    assert ids(frame.where("late IS NULL")) == [1, 2]
    assert ids(frame.where("f = 0.1")) == ids(arrow.where("f = 0.1"))


def test_a_session_keeps_its_sizes_pruning_and_filters(make, spark) -> None:
    table = make()
    table.append(rows(*range(100)))
    table.scan().to_spark(spark, reader="native").createOrReplaceTempView("kept")
    plan = plan_of(
        spark.sql("SELECT count(*) FROM kept a JOIN kept b ON a.id = b.id WHERE a.id > 5 AND a.part = 'p1'")
    )
    assert "BroadcastHashJoin" in plan
    assert "GreaterThan(id,5)" in plan
    assert "EqualTo(part,p1)" in plan
    assert "ReadSchema: struct<id:bigint,part:string>" in plan


def test_lanes_are_told(make, spark) -> None:
    table = make()
    table.append(rows(1, 2))
    lane = table.scan().explain(spark=spark).lanes[0]
    assert (lane.reader, lane.files) == ("native", 1)
    assert "in Spark by native: 1 data files" in str(table.scan().explain(spark=spark))
    told = table.scan(row_filter="_pos < 1").explain(spark=spark).lanes
    why = "the filter tests '_pos', which is not a top-level column of the table"
    assert [(each.reader, each.reason) for each in told] == [("arrow", why)]


def test_wide_tables_are_warned_of_where_all_columns_are_read(wide, refs, caplog) -> None:
    read(options_of(refs))
    read(options_of(wide, columns="id"))
    assert not caplog.records
    read(options_of(wide))
    (record,) = caplog.records
    assert "floeberg.spark.table" in record.getMessage()


def test_a_reader_that_is_none(make, spark) -> None:
    with pytest.raises(InvalidInputError, match="expected 'auto', 'native' or 'arrow', found 'fast'"):
        make().scan().to_spark(spark, reader="fast")


def test_files_that_are_gone(make, spark, tmp_path) -> None:
    table = make()
    table.append(rows(1, 2, 3))
    place = tmp_path / "elsewhere" / "f.parquet"
    frame = moved(table, place).scan().to_spark(spark, reader="native")
    place.unlink()
    # Spark says no more than that a task failed, by whatever way its error comes.
    with (
        settings(spark, **{"spark.sql.files.ignoreMissingFiles": "true"}),
        pytest.raises(Exception, match="f.parquet"),
    ):
        frame.collect()


def test_files_that_are_damaged(make, spark, tmp_path) -> None:
    table = make()
    table.append(rows(*range(1000)))
    place = tmp_path / "elsewhere" / "f.parquet"
    frame = moved(table, place).scan().to_spark(spark, reader="native")
    place.write_bytes(place.read_bytes()[: place.stat().st_size // 2])
    with (
        settings(spark, **{"spark.sql.files.ignoreCorruptFiles": "true"}),
        pytest.raises(Exception, match="f.parquet"),
    ):
        frame.collect()


def test_dates_of_the_calendar_of_spark_2(make, spark, tmp_path) -> None:
    schema = pa.schema([pa.field("id", pa.int64()), pa.field("day", pa.date32())])
    table = make(schema)
    table.append(pa.table({"id": [1], "day": pa.array([-500_000], pa.int32()).cast(pa.date32())}))
    (task,) = table.scan().plan_files()
    marked = pq.read_table(path_of(task.file.location)).replace_schema_metadata(
        {"org.apache.spark.version": "2.4.8"}
    )
    other = tmp_path / "marked.parquet"
    pq.write_table(marked, other)
    scan = fb.open_table(table.metadata_location, relocate={task.file.location: str(other)}).scan()
    (lane,) = scan.explain(spark=spark).lanes
    assert lane.reason == "column 'day' has dates of the calendar of Spark 2"
    assert scan.to_spark(spark).selectExpr("unix_date(day)").first()[0] == -500_000
    assert scan.select("id").explain(spark=spark).lanes[0].reader == "native"


def test_files_without_field_ids(make, spark, tmp_path) -> None:
    table = make(pa.schema([pa.field("id", pa.int64())]))
    table.append(pa.table({"id": [1, 2]}))
    (task,) = table.scan().plan_files()
    other = tmp_path / "plain.parquet"
    pq.write_table(pa.table({"id": [1, 2]}), other)
    scan = fb.open_table(table.metadata_location, relocate={task.file.location: str(other)}).scan()
    assert scan.explain(spark=spark).lanes[0].reason == "the file has no field ids"
    assert ids(scan.to_spark(spark)) == [1, 2]


def test_tables_and_views_by_name(make, spark, monkeypatch, tmp_path) -> None:
    table = make()
    table.append(rows(1, 2, 3))
    catalog = fb.load_catalog("native", type="filesystem", warehouse=str(tmp_path / "warehouse"))
    first = table.current_snapshot().snapshot_id
    table.append(rows(4))
    assert ids(floeberg.spark.table(spark, "db.t", catalog=catalog)) == [1, 2, 3, 4]
    assert ids(floeberg.spark.table(spark, "db.t", catalog=catalog, snapshot_id=first)) == [1, 2, 3]
    assert ids(floeberg.spark.table(spark, table.location(), columns=["id"], filter="id > 2")) == [3, 4]
    monkeypatch.setenv("FLOEBERG_CATALOG__OWN__TYPE", "filesystem")
    monkeypatch.setenv("FLOEBERG_CATALOG__OWN__WAREHOUSE", str(tmp_path / "warehouse"))
    floeberg.spark.create_view(spark, "by_name", "db.t", catalog="own", filter="id < 3")
    assert spark.sql("SELECT sum(id) FROM by_name").first()[0] == 3
    with pytest.raises(PySparkException):
        floeberg.spark.create_view(spark, "by_name", table, replace=False)
    with pytest.raises(InvalidInputError, match="choose one snapshot"):
        floeberg.spark.table(spark, table, snapshot_id=first, branch="main")


FLOATS = pa.schema(
    {"id": pa.int64(), "d": pa.float64(), "f": pa.float32(), "s": pa.struct({"d": pa.float64()})}
)


@pytest.mark.parametrize(
    "condition",
    [
        "d > 5",
        "d = double('NaN')",
        "d <=> double('NaN')",
        "d != 1",
        "d NOT IN (1D, 2D)",
        "d = 0D",
        "d = -0D",
        "d >= 0D",
        "d IN (0D, 9D)",
        "f > 5",
        "f = float('0')",
        "s.d > 5",
        "s.d = 0D",
    ],
)
def test_spark_leaves_out_neither_nan_nor_signed_zeros(spark, floats: fb.Table, condition: str) -> None:
    native = floeberg.spark.table(spark, floats).where(condition)
    ours = floeberg.spark.table(spark, floats, reader="arrow").where(condition)
    assert sorted(row.id for row in native.collect()) == sorted(row.id for row in ours.collect())


@pytest.fixture(scope="module")
def floats(tmp_path_factory) -> fb.Table:
    catalog = fb.load_catalog("floats", type="filesystem", warehouse=str(tmp_path_factory.mktemp("floats")))
    catalog.create_namespace("n")
    table = catalog.create_table("n.floats", FLOATS)
    for start, values in ((0, (1.0, 1.0, float("nan"))), (3, (-0.0, -0.0)), (5, (0.0, 0.0))):
        table.append(
            pa.Table.from_pylist(
                [{"id": start + i, "d": v, "f": v, "s": {"d": v}} for i, v in enumerate(values)], FLOATS
            )
        )
    return table


def test_footers_are_asked_again_where_a_file_is_another(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    shapes = []
    for name in ("a", "b"):
        field = pa.field(name, pa.int64(), metadata={"PARQUET:field_id": "1"})
        pq.write_table(pa.table([pa.array([1], pa.int64())], pa.schema([field])), path)
        catalog = fb.load_catalog("anew", type="filesystem", warehouse=str(tmp_path / name))
        catalog.create_namespace("n")
        scan = catalog.create_table("n.t", pa.schema({"v": pa.int64()})).scan()
        (stored,) = stored_files(scan, [str(path)])
        shapes.append([column.name for column in stored.shape.columns])
    assert shapes == [["a"], ["b"]]


def test_a_column_may_be_called_as_the_position_is(spark, tmp_path: Path) -> None:
    catalog = fb.load_catalog("positions", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", pa.schema({"id": pa.int64(), "_pos": pa.int64()}))
    table.append(pa.table({"id": [1, 2], "_pos": [7, 8]}))
    assert sorted(floeberg.spark.table(spark, table).collect()) == [(1, 7), (2, 8)]

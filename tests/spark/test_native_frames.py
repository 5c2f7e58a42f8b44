"""Do frames of Spark's own reader keep their rows, whatever is done with them and with their table?"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import floeberg as fb
import floeberg.spark
from floeberg.spark.native.planned_files import can_be_planned
from test_native import ids

ROWS = pa.schema({"id": pa.int64(), "v": pa.float64()})
GONE = (1, 12, 23, 34, 99)


@pytest.fixture
def catalog(tmp_path: Path) -> fb.catalog.Catalog:
    made = fb.load_catalog("frames", type="filesystem", warehouse=str(tmp_path / "warehouse"))
    made.create_namespace("db")
    return made


def rows(*numbers: int) -> pa.Table:
    return pa.Table.from_pylist([{"id": each, "v": each / 4} for each in numbers], ROWS)


@pytest.fixture(params=[2, 3], ids=["positions", "vectors"])
def table(request: pytest.FixtureRequest, catalog: fb.catalog.Catalog) -> fb.Table:
    """Ten files of ten rows and of equal sizes, some of them with deletes."""
    made = catalog.create_table("db.t", ROWS, format_version=request.param)
    for start in range(0, 100, 10):
        made.append(rows(*range(start, start + 10)))
    made.delete(f"id IN {GONE}", mode="merge-on-read")
    return made


LEFT = [each for each in range(100) if each not in GONE]


def outcome(frame: DataFrame) -> list[int] | str:
    """The ids of a frame, or its error."""
    try:
        return ids(frame)
    except Exception as error:  # noqa: BLE001 - Spark has many
        return str(error)


def native(table: fb.Table, spark: SparkSession, *columns: str) -> DataFrame:
    return floeberg.spark.table(spark, table, columns=columns or ("*",), reader="native")


def test_this_spark_is_told_which_files_there_are(spark) -> None:
    assert can_be_planned(spark)


def test_a_frame_keeps_its_rows_when_the_table_changes(table, spark) -> None:
    frame = native(table, spark)
    frame.createOrReplaceTempView("kept")
    table.delete("id < 50", mode="merge-on-read")
    table.append(rows(1, 1000))
    later = native(table, spark)
    assert ids(frame) == LEFT
    assert ids(later) == sorted([*(each for each in LEFT if each >= 50), 1, 1000])
    both = frame.union(later).groupBy("id").count()
    assert both.where("count = 2").count() == len([each for each in LEFT if each >= 50])
    # Both in one query, and each as often as it is asked for.
    joined = frame.alias("a").join(later.alias("b"), "id").join(frame.alias("c"), "id")
    assert ids(joined) == [each for each in LEFT if each >= 50]
    assert frame.exceptAll(later).count() == len([each for each in LEFT if each < 50])
    assert spark.sql("SELECT count(*) FROM kept").first()[0] == len(LEFT)


def test_frames_that_are_kept_by_spark(table, spark) -> None:
    frame = native(table, spark).cache()
    try:
        assert ids(frame) == LEFT
        table.delete("id < 50", mode="merge-on-read")
        # The same files with other deletes are another frame, which nothing is cached of.
        assert ids(native(table, spark)) == [each for each in LEFT if each >= 50]
        assert ids(frame) == LEFT
    finally:
        frame.unpersist()
    checked = native(table, spark).localCheckpoint()
    table.delete("id < 90", mode="merge-on-read")
    assert ids(checked) == [each for each in LEFT if each >= 50]
    assert ids(native(table, spark)) == [each for each in LEFT if each >= 90]


def test_two_tables_whose_files_have_the_same_sizes(table, catalog, spark) -> None:
    other = catalog.create_table("db.other", ROWS, format_version=table.format_version)
    for start in range(100, 200, 10):
        other.append(rows(*range(start, start + 10)))
    other.delete("id IN (100, 155)", mode="merge-on-read")
    one, two = native(table, spark), native(other, spark)
    sizes = [set(each.inspect.files()["file_size_in_bytes"].to_pylist()) for each in (table, other)]
    assert sizes[0] & sizes[1]
    assert ids(one.union(two)) == [*LEFT, *(each for each in range(100, 200) if each not in {100, 155})]
    pairs = one.alias("a").join(two.alias("b"), one["id"] + 100 == two["id"])
    assert pairs.count() == len([each for each in LEFT if each not in {0, 55}])


@pytest.mark.unchecked_tables("a file is live twice")
def test_one_file_twice_in_a_plan(catalog, spark) -> None:
    table = catalog.create_table("db.twice", ROWS)
    table.append(rows(1, 2, 3))
    (task,) = table.scan().plan_files()
    table.add_files([task.file.location], check_duplicate_files=False, trust_field_ids=True)
    expected = sorted(table.scan().to_arrow()["id"].to_pylist())
    assert expected == [1, 1, 2, 2, 3, 3]
    assert ids(floeberg.spark.table(spark, table)) == expected


@pytest.mark.unchecked_tables("a data file is removed")
@pytest.mark.parametrize(
    "refresh", ["REFRESH TABLE shown", "REFRESH '{folder}'", "REFRESH 'file:{folder}/data'"]
)
def test_files_that_are_gone_are_missed_after_a_refresh(table, spark, refresh: str) -> None:
    frame = native(table, spark)
    frame.createOrReplaceTempView("shown")
    assert spark.sql("SELECT count(*) FROM shown").first()[0] == len(LEFT)
    location = next(iter(table.scan().plan_files())).file.location
    Path(location.removeprefix("file://")).unlink()
    spark.sql(refresh.format(folder=table.location().removeprefix("file://")))
    with pytest.raises(Exception, match=location.rpartition("/")[2]):
        spark.sql("SELECT count(*) FROM shown").collect()
    with pytest.raises(Exception, match=location.rpartition("/")[2]):
        frame.collect()


@pytest.mark.unchecked_tables("a data file is removed")
def test_a_cached_frame_whose_files_are_gone(table, spark) -> None:
    frame = native(table, spark).cache()
    frame.createOrReplaceTempView("cached")
    try:
        assert frame.count() == len(LEFT)
        location = next(iter(table.scan().plan_files())).file.location
        Path(location.removeprefix("file://")).unlink()
        spark.catalog.refreshByPath(table.location())
        spark.catalog.refreshTable("cached")
        found = outcome(frame)
        assert found == LEFT or location.rpartition("/")[2] in found
    finally:
        frame.unpersist()

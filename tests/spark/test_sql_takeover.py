"""CALL snapshot, CALL migrate: tables of Spark, and folders, that a table of a catalog takes over."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.errors import FloebergError, InvalidInputError, UnsupportedError

ROWS = [(1, 7, "a/b"), (2, None, None)]


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog(
        "prod", type="sql", uri=f"sqlite:///{tmp_path}/c.db", warehouse=str(tmp_path / "lake")
    )
    catalog.create_namespace("taken")
    return catalog


@pytest.fixture
def sql(spark, lake):
    return lambda text: floeberg.spark.sql(spark, text, catalog=lake)


@pytest.fixture
def old(request, spark, tmp_path):
    """A table of Spark in a folder of its own."""
    kind = getattr(request, "param", "parquet")
    spark.sql("CREATE DATABASE IF NOT EXISTS taken")
    folder = tmp_path / "old"
    spark.sql(
        f"CREATE TABLE taken.old (id bigint, small tinyint, kind string) USING {kind} PARTITIONED BY (kind) "
        f"LOCATION '{folder}'"
    )
    spark.sql("INSERT INTO taken.old VALUES (1, 7, 'a/b'), (2, NULL, NULL)")
    yield folder
    spark.sql("DROP DATABASE taken CASCADE")


def rows_of(table: fb.Table) -> list[tuple[object, ...]]:
    rows = table.scan(selected_fields=("id", "small", "kind")).to_arrow().to_pylist()
    return sorted(tuple(row.values()) for row in rows)


@pytest.mark.parametrize("old", ["parquet", "orc"], indirect=True)
@pytest.mark.usefixtures("old")
def test_a_table_of_spark_beside(sql, lake, tmp_path):
    done = sql(
        f"CALL prod.system.snapshot('taken.old', 'taken.snap', '{tmp_path}/elsewhere', map('owner', 'jo'))"
    )
    assert [tuple(row) for row in done.collect()] == [(2,)]
    assert done.columns == ["imported_files_count"]
    table = lake.load_table("taken.snap")
    assert rows_of(table) == ROWS
    assert (table.properties["gc.enabled"], table.properties["owner"]) == ("false", "jo")
    assert table.location() == f"{tmp_path}/elsewhere"
    assert [each.name for each in table.spec().fields] == ["kind"]
    # Both are tables.
    sql("INSERT INTO prod.taken.snap VALUES (3, 1, 'c')")
    assert sql("SELECT count(*) FROM taken.old").first()[0] == 2
    assert sql("SELECT count(*) FROM prod.taken.snap WHERE kind = 'c'").first()[0] == 1


def test_a_folder_by_its_format(sql, lake, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    pq.write_table(pa.table({"id": [1, 2]}), folder / "a.parquet")
    sql(f"CALL prod.system.snapshot(table => 'prod.taken.files', source_table => '`parquet`.`{folder}`')")
    assert lake.load_table("taken.files").count() == 2


def test_a_delta_table_by_its_folder(sql, lake, tmp_path):
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake(str(tmp_path / "d"), pa.table({"id": [1, 2]}))
    done = sql(f"CALL prod.system.snapshot('`delta`.`{tmp_path}/d`', 'taken.d')")
    assert done.first()[0] == 1
    assert lake.load_table("taken.d").count() == 2


def test_a_table_of_spark_in_place(spark, sql, lake, old):
    done = sql("CALL prod.system.migrate('spark_catalog.taken.old', map('a', 'b'))")
    assert [tuple(row) for row in done.collect()] == [(2,)]
    assert done.columns == ["migrated_files_count"]
    table = lake.load_table("taken.old")
    assert rows_of(table) == ROWS
    assert table.location() == str(old)
    assert (table.properties["migrated"], table.properties["a"]) == ("true", "b")
    assert not spark.catalog.tableExists("taken.old")
    assert spark.catalog.tableExists("taken.old_BACKUP_")


def test_a_backup_of_another_name_or_none(spark, sql, lake, old):
    sql("CALL prod.system.migrate(table => 'taken.old', backup_table_name => 'kept')")
    assert spark.catalog.tableExists("taken.kept")
    lake.drop_table("taken.old")
    for each in (old / "metadata").iterdir():
        each.unlink()
    spark.sql("ALTER TABLE taken.kept RENAME TO taken.old")
    sql("CALL prod.system.migrate(table => 'taken.old', drop_backup => true)")
    # Temporary views of other tests are listed too.
    assert [each.name for each in spark.catalog.listTables("taken") if not each.isTemporary] == []
    assert rows_of(lake.load_table("taken.old")) == ROWS


def test_what_fails_leaves_the_table_of_spark(spark, sql, lake, old):
    (old / "kind=x" / "other=y").mkdir(parents=True)
    pq.write_table(pa.table({"id": [1]}), old / "kind=x" / "other=y" / "a.parquet")
    with pytest.raises(FloebergError):
        sql("CALL prod.system.migrate('taken.old')")
    assert spark.catalog.tableExists("taken.old")
    assert not lake.table_exists("taken.old")


@pytest.mark.usefixtures("old")
def test_what_is_refused(spark, sql):
    spark.sql("CREATE TABLE taken.managed (id int) USING parquet")
    with pytest.raises(UnsupportedError, match="managed table"):
        sql("CALL prod.system.migrate('taken.managed')")
    with pytest.raises(UnsupportedError, match="ignore_missing_files"):
        sql(
            "CALL prod.system.snapshot(source_table => 'taken.old', table => 'taken.s', ignore_missing_files => true)"
        )
    spark.sql("CREATE TABLE taken.texts (id int) USING csv")
    with pytest.raises(UnsupportedError, match="'csv'"):
        sql("CALL prod.system.snapshot('taken.texts', 'taken.s')")
    spark.range(1).createOrReplaceTempView("a_view")
    with pytest.raises(InvalidInputError, match="no folder"):
        sql("CALL prod.system.snapshot('a_view', 'taken.s')")
    with pytest.raises(InvalidInputError, match="is missing"):
        sql("CALL prod.system.snapshot('taken.old')")


@pytest.mark.usefixtures("old")
def test_partitions_elsewhere_are_refused(spark, sql, tmp_path):
    other = Path(tmp_path, "other")
    spark.sql(f"ALTER TABLE taken.old ADD PARTITION (kind = 'z') LOCATION '{other}'")
    spark.sql("INSERT INTO taken.old PARTITION (kind = 'z') VALUES (9, 9)")
    with pytest.raises(UnsupportedError, match="outside of its folder"):
        sql("CALL prod.system.snapshot('taken.old', 'taken.s')")

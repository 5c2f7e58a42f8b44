"""Do Spark's driver and workers read and write encrypted tables, and does Spark's own reader keep away from these?"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark
from encryption.by_specification import Opened
from encryption.java_tables import NAMES, java_table
from encryption.plain_bytes import Watched
from floeberg.encryption import KeyFile, create_key
from floeberg.errors import UnsupportedError

SCHEMA = pa.schema({"id": pa.int64(), "marked_column_name": pa.string()})


def rows(frame) -> list[tuple]:
    return sorted(map(tuple, frame.collect()))


@pytest.mark.parametrize("name", NAMES)
def test_tasks_read_what_java_encrypted(spark, name, tmp_path):
    table = java_table(name, tmp_path)
    opened = fb.open_table(table.folder, relocate=table.relocate, storage_options=table.options)
    wanted = table.states()[-1][1]
    assert rows(floeberg.spark.table(spark, opened, reader="arrow")) == wanted
    # Left to itself, the frame reads by Floeberg too.
    assert rows(floeberg.spark.table(spark, opened)) == wanted
    with pytest.raises(UnsupportedError, match="Spark's own reader cannot read"):
        floeberg.spark.table(spark, opened, reader="native")


def test_the_data_source_takes_the_options_of_the_keys(spark, tmp_path):
    table = java_table("parquet", tmp_path)
    # A data source cannot be moved by an object of Python.
    reader = spark.read.format("floeberg").options(**table.options).option("relocate", relocated(table))
    assert rows(reader.load(str(table.folder))) == table.states()[-1][1]
    without = spark.read.format("floeberg").option("relocate", relocated(table)).load(str(table.folder))
    with pytest.raises(Exception, match=r"encryption\.kms"):
        without.collect()


def relocated(table) -> str:
    ((written, now),) = table.relocate.items()
    return f'{{"{written}": "{now}"}}'


@pytest.fixture
def keys(tmp_path) -> Path:
    create_key(tmp_path / "keys.json", "customers")
    return tmp_path / "keys.json"


@pytest.fixture
def catalog(tmp_path, keys):
    made = fb.load_catalog(
        "encrypted spark",
        type="filesystem",
        warehouse=str(tmp_path / "warehouse"),
        key_management=KeyFile(keys),
    )
    made.create_namespace("db")
    made.create_table("db.t", SCHEMA, properties={"format-version": "3", "encryption.key-id": "customers"})
    return made


def test_tasks_write_encrypted_files_alone(spark, catalog, keys, tmp_path):
    folder = tmp_path / "warehouse" / "db" / "t"
    watched = Watched(folder, ["marked-value-"], ["marked_column_"])
    options = {"encryption.kms-type": "file", "encryption.key-file": str(keys)}
    frame = spark.createDataFrame(
        [(number, f"marked-value-{number}") for number in range(100)], "id long, marked_column_name string"
    )
    frame.repartition(3).write.format("floeberg").options(**options).mode("append").save(str(folder))
    watched.look("the data source")
    table = catalog.load_table("db.t")
    floeberg.spark.write(frame.where("id < 10"), table, mode="append")
    watched.look("write")
    floeberg.spark.sql(spark, "DELETE FROM db.t WHERE id >= 50", catalog=catalog)
    floeberg.spark.sql(
        spark, "UPDATE db.t SET marked_column_name = 'marked-value-changed' WHERE id = 3", catalog=catalog
    )
    frame.where("id > 95").createOrReplaceTempView("marked_source")
    floeberg.spark.sql(
        spark,
        "MERGE INTO db.t AS t USING marked_source AS s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *",
        catalog=catalog,
    )
    watched.look("SQL")
    wanted = [(number, f"marked-value-{number}") for number in [*range(50), *range(10), *range(96, 100)]]
    wanted = sorted((number, "marked-value-changed" if number == 3 else name) for number, name in wanted)
    found = catalog.load_table("db.t")
    assert sorted(tuple(row.values()) for row in found.scan().to_arrow().to_pylist()) == wanted
    path = Path(found.metadata_location.removeprefix("file://"))
    assert sorted(Opened(path, keys).rows(["id", "marked_column_name"])) == wanted

"""Files that are gone, and nulls in required columns: the error names them, and the table stays as it is."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

import floeberg as fb
import floeberg.spark
from floeberg.errors import FloebergError

SCHEMA = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("v", pa.int64())])
MODES = ("copy-on-write", "merge-on-read")


def rows(*numbers):
    return pa.table({"id": list(numbers), "v": [10 * each for each in numbers]}, SCHEMA)


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    return catalog


@pytest.fixture
def make(lake):
    """Makes a table of three files."""

    def made(mode):
        modes = {f"write.{command}.mode": mode for command in ("delete", "update", "merge")}
        table = lake.create_table("db.t", SCHEMA, format_version=3, properties=modes)
        for start in (0, 10, 20):
            table.append(rows(start, start + 1, start + 2))
        return table

    return made


def stored(table):
    """The files of the table's folder, and the metadata file that is current."""
    folder = Path(table.location().removeprefix("file://"))
    return table.refresh().metadata_location, {str(each) for each in folder.rglob("*") if each.is_file()}


CHANGES = [
    "DELETE FROM db.t WHERE id % 10 = 1",
    "UPDATE db.t SET v = v + 1 WHERE id % 10 = 1",
    """MERGE INTO db.t t USING (SELECT id FROM range(30)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.id
       WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 0)""",
]
OVERWRITE = "INSERT OVERWRITE db.t SELECT id, v + 1 FROM db.t"


@pytest.mark.unchecked_tables("a file is gone")
@pytest.mark.parametrize(
    ("text", "mode"),
    [*((text, mode) for text in CHANGES for mode in MODES), (OVERWRITE, MODES[0])],
)
def test_a_data_file_that_is_gone_is_named_and_nothing_is_changed(spark, lake, make, text, mode):
    table = make(mode)
    gone = Path(table.scan("id = 11").plan_files().to_arrow()["file_path"][0].as_py().removeprefix("file://"))
    gone.unlink()
    place, files = stored(table)
    with pytest.raises((FloebergError, PySparkException), match=gone.name):
        floeberg.spark.sql(spark, text, catalog=lake)
    now, left = stored(table)
    assert now == place
    # Tasks of inserts that ended before the one that failed may leave files, which are in no table.
    assert left == files or text == OVERWRITE


NULL = "a value does not fit its column: it is null, and the column is required: fill it, .*column: id,"
NULLS = {
    # Statements, and what the error says.
    "INSERT INTO db.t SELECT nullif(id, 0), id FROM range(3)": NULL,
    "INSERT INTO db.t (v) VALUES (1)": 'column "id" is required and missing',
    "UPDATE db.t SET id = NULL WHERE v = 10": "the column 'id' is required, and a new value is null",
    "UPDATE db.t SET id = nullif(id, 1) WHERE v % 20 = 10": NULL,
    "MERGE INTO db.t t USING (SELECT id FROM range(3)) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET id = nullif(s.id, 1)": NULL,
    "MERGE INTO db.t t USING (SELECT id + 100 AS id FROM range(3)) s ON t.id = s.id "
    "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (nullif(s.id, 101), 1)": NULL,
    "MERGE INTO db.t t USING (SELECT id + 100 AS id FROM range(3)) s ON t.id = s.id "
    "WHEN NOT MATCHED THEN INSERT (v) VALUES (s.id)": NULL,
}


@pytest.mark.parametrize("text", NULLS)
def test_a_null_in_a_required_column_names_it_and_nothing_is_changed(spark, lake, make, text):
    table = make("merge-on-read")
    place, files = stored(table)
    with pytest.raises((FloebergError, PySparkException), match=NULLS[text]):
        floeberg.spark.sql(spark, text, catalog=lake)
    now, left = stored(table)
    assert now == place
    # As above.
    assert left == files or text.startswith("INSERT")

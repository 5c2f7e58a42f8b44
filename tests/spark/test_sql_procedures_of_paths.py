"""CALL stages the files of a table that is to be moved, and says where their list is."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.errors import InvalidInputError

pytestmark = pytest.mark.unchecked_tables("summaries keep the sizes that delete files had")
COLUMNS = [
    "latest_version",
    "file_list_location",
    "rewritten_manifest_file_paths_count",
    "rewritten_delete_file_paths_count",
]


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog(
        "prod", type="sql", uri=f"sqlite:///{tmp_path}/c.db", warehouse=str(tmp_path / "w")
    )
    catalog.create_namespace("db")
    return catalog


@pytest.fixture
def call(spark, lake):
    def run(text):
        found = floeberg.spark.sql(spark, f"CALL prod.system.{text}", catalog=lake)
        return found.columns, [tuple(each) for each in found.collect()]

    return run


def test_a_table_is_staged_copied_and_registered(spark, lake, call, tmp_path):
    table = lake.create_table("db.t", pa.schema({"id": pa.int64()}))
    table.append(pa.table({"id": [1, 2, 3]}))
    first = Path(table.metadata_location).name
    table.delete("id = 2", mode="merge-on-read")
    place, there = table.location(), str(tmp_path / "there")
    columns, [row] = call(f"rewrite_table_path('db.t', '{place}', '{there}')")
    assert columns == COLUMNS
    assert row[0] == Path(table.metadata_location).name
    assert row[2:] == (2, 1)
    with Path(row[1].removeprefix("file://")).open(newline="", encoding="utf-8") as file:
        files = [(source.removeprefix("file://"), target) for source, target in csv.reader(file)]
    assert len(files) == 2 + 2 + 2 + 3
    for source, target in files:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    call(f"register_table(table => 'db.moved', metadata_file => '{files[-1][1]}')")
    shutil.rmtree(place.removeprefix("file://"))
    found = floeberg.spark.sql(spark, "SELECT id FROM prod.db.moved ORDER BY id", catalog=lake).collect()
    assert [each.id for each in found] == [1, 3]
    # What was added since.
    moved = lake.load_table("db.moved")
    last = Path(moved.metadata_location).name
    moved.append(pa.table({"id": [4]}))
    staging = tmp_path / "staging"
    _, [row] = call(
        f"rewrite_table_path(table => 'db.moved', source_prefix => '{there}', target_prefix => '{place}', "
        f"start_version => '{last}', end_version => '{Path(moved.metadata_location).name}', "
        f"staging_location => '{staging}')"
    )
    assert row == (Path(moved.metadata_location).name, f"{staging}/file-list", 1, 0)
    with Path(row[1]).open(newline="", encoding="utf-8") as file:
        assert len(list(csv.reader(file))) == 4
    # The metadata log names the first version too.
    log = json.loads(moved._inner.metadata_json())["metadata-log"]
    assert first in {Path(each["metadata-file"]).name for each in log}


def test_no_list_and_mistakes(lake, call, tmp_path):
    table = lake.create_table("db.t", pa.schema({"id": pa.int64()}))
    place = table.location()
    arguments = f"table => 'db.t', source_prefix => '{place}', target_prefix => '{tmp_path}/there'"
    _, [row] = call(f"rewrite_table_path({arguments}, create_file_list => false)")
    assert row == (Path(table.metadata_location).name, "N/A", 0, 0)
    with pytest.raises(InvalidInputError, match="'target_prefix' is missing"):
        call(f"rewrite_table_path('db.t', '{place}')")
    with pytest.raises(InvalidInputError, match="the location of the table"):
        call(f"rewrite_table_path('db.t', '{place}/data', '/there')")
    with pytest.raises(InvalidInputError, match="start_version"):
        call(f"rewrite_table_path({arguments}, start_version => 'v7.metadata.json')")

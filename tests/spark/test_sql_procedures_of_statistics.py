"""CALL computes statistics, and says which file has them."""

from __future__ import annotations

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.errors import InvalidInputError, NotFoundError


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


def test_statistics_are_computed(lake, call):
    table = lake.create_table(
        "db.t", pa.schema({"id": pa.int64(), "part": pa.string()}), partition_spec=["part"]
    )
    assert call("compute_table_stats('db.t')") == (["statistics_file"], [])
    assert call("compute_partition_stats('db.t')") == (["partition_statistics_file"], [])
    table.append(pa.table({"id": [1, 2, 2], "part": ["a", "b", "b"]}))
    table.append(pa.table({"id": [3], "part": ["b"]}))
    first, second = (each.snapshot_id for each in table.snapshots())

    def file(files, snapshot_id):
        table.refresh()
        return [(each.statistics_path,) for each in files() if each.snapshot_id == snapshot_id]

    columns, found = call("compute_table_stats(table => 'db.t')")
    assert (columns, found) == (["statistics_file"], file(table.statistics, second))
    [blob, _] = table.statistics()[0].blob_metadata
    assert blob.properties == {"ndv": "3"}
    _, found = call(f"compute_table_stats('db.t', {first}, array('part'))")
    assert found == file(table.statistics, first)
    assert [each.properties for each in table.statistics()[1].blob_metadata] == [{"ndv": "2"}]
    _, found = call(f"compute_partition_stats(table => 'db.t', snapshot_id => {first})")
    assert found == file(table.partition_statistics, first)
    columns, found = call("compute_partition_stats('db.t')")
    assert (columns, found) == (["partition_statistics_file"], file(table.partition_statistics, second))
    # It is there already.
    assert call("compute_partition_stats('db.t')")[1] == found


def test_mistakes_are_errors(lake, call):
    table = lake.create_table("db.t", as_select=pa.table({"id": [1]}))
    with pytest.raises(NotFoundError, match="17"):
        call("compute_table_stats('db.t', 17)")
    with pytest.raises(InvalidInputError, match='"no"'):
        call("compute_table_stats(table => 'db.t', columns => array('no'))")
    with pytest.raises(InvalidInputError, match="at least one column"):
        call("compute_table_stats(table => 'db.t', columns => array())")
    with pytest.raises(InvalidInputError, match="partitioned table"):
        call("compute_partition_stats('db.t')")
    with pytest.raises(InvalidInputError, match="at most 2 arguments"):
        call("compute_partition_stats('db.t', 1, 2)")
    assert table.refresh().statistics() == []

"""Iceberg Java, PyIceberg and DuckDB read tables that took over files and Delta tables."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from tables import arrow_file

import floeberg as fb
from corpus import encode
from takeover.delta_tables import adds_of, change_schema, commit, delete_by_vector, deltalake, rows_of_delta

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.unchecked_tables("files of Delta are not those of Iceberg"),
]

ROWS = pa.table(
    {
        "id": pa.array(range(10), pa.int64()),
        "region": ["eu", "a b", None, "x/y", "eu", "eu", "a b", "é", "eu", "eu"],
        "price": [at / 2 for at in range(10)],
    }
)


def old_table(folder: Path, mode: str | None) -> Path:
    """A partitioned Delta table, with or without column mapping, and then with two columns that changed their names."""
    how = {} if mode is None else {"delta.columnMapping.mode": mode}
    deltalake.write_deltalake(str(folder), ROWS, partition_by=["region"], configuration=how)
    if mode is not None:
        names = {"id": "price", "price": "id", "region": "region"}
        change_schema(folder, lambda fields: [{**each, "name": names[each["name"]]} for each in fields])
    return folder


@pytest.mark.parametrize("mode", [None, "name", "id"])
@pytest.mark.parametrize("vectors", [False, True])
def test_peers_read_a_delta_table_that_was_taken_over(tmp_path, java_spark, pyiceberg, mode, vectors):
    old = old_table(tmp_path / "old", mode)
    if vectors:
        features = ["deletionVectors", *(["columnMapping"] if mode else [])]
        both = {"readerFeatures": features, "writerFeatures": features}
        commit(old, [{"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **both}}])
        file = next(each for each in adds_of(old) if "eu" in each["partitionValues"].values())
        delete_by_vector(old, {key: value for key, value in file.items() if value is not None}, [1, 3])
    catalog = fb.load_catalog("taken", type="filesystem", warehouse=str(tmp_path / "lake"))
    catalog.create_namespace("ns")
    table = fb.snapshot_table(old, "ns.t", catalog=catalog).table
    assert table is not None
    found = table.scan().to_arrow().select(["id", "region", "price"]).to_pylist()
    expected = sorted(str(list(row.values())) for row in found)
    assert len(expected) == (8 if vectors else 10) == len(rows_of_delta(old))
    # The generic reader of Iceberg Java knows no name mapping, and takes columns by their positions. Spark's does not.
    name = f"taken_{mode}_{vectors}".lower()
    rows = java_spark(
        "sql",
        text=f"SELECT id, region, price FROM {name}.ns.t",
        catalog=name,
        warehouse=str(tmp_path / "lake"),
    )
    assert sorted(map(str, map(list, rows))) == expected
    if not vectors:
        into = tmp_path / "back.arrow"
        pyiceberg("read", metadata_location=table.metadata_location, into=str(into))
        back = arrow_file(into).select(["id", "region", "price"]).to_pylist()
        assert sorted(str(list(row.values())) for row in back) == expected


def test_peers_read_files_that_were_taken_over(tmp_path, java, duckdb, pyiceberg):
    fb.export_table(_lake_table(tmp_path), tmp_path / "old", partition_by=["region"])
    table = fb.migrate_table(tmp_path / "old").table
    assert table is not None
    expected = sorted(encode(table.scan().to_arrow()))
    assert sorted(java("read", metadata_location=table.metadata_location)) == expected
    into = tmp_path / "back.arrow"
    pyiceberg("read", metadata_location=table.metadata_location, into=str(into))
    assert sorted(encode(arrow_file(into).select(table.schema().column_names))) == expected
    duckdb("read", metadata_location=table.metadata_location, columns=["id", "price"], into=str(into))
    assert sorted(arrow_file(into)["id"].to_pylist()) == list(range(10))


def _lake_table(tmp_path: Path) -> fb.Table:
    catalog = fb.load_catalog("takeover-interop", type="filesystem", warehouse=str(tmp_path / "lake"))
    catalog.create_namespace("ns")
    return catalog.create_table("ns.t", ROWS)

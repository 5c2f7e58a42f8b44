"""Iceberg in Spark, PyIceberg and DuckDB read tables whose manifests and delete files Floeberg wrote again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from peers.process import Refused
from tables import arrow_file

import floeberg as fb

pytestmark = pytest.mark.timeout(1800)

SCHEMA = pa.schema([("id", pa.int64()), ("part", pa.string())])
ALL = {"rewrite-all": "true"}


def rows(first: int, count: int, part: str) -> pa.Table:
    return pa.table({"id": range(first, first + count), "part": [part] * count}, SCHEMA)


def drop_keys(table: fb.Table, *keys: int, part: str) -> None:
    ids = pa.array(keys, pa.int64())
    changes = pa.table({"id": ids, "part": [part] * len(ids), "op": ["delete"] * len(ids), "at": ids})
    with table.transaction() as transaction:
        transaction.apply_changes(
            changes, keys=["id", "part"], operation="op", order_by="at", mode="equality"
        )


def spread(catalog: fb.Catalog, version: int) -> fb.Table:
    """A table of many manifests, with deletes of every kind."""
    table = catalog.create_table(
        "ns.t",
        SCHEMA,
        partition_spec=["part"],
        format_version=version,
        properties={"commit.manifest-merge.enabled": "false"},
    )
    for number in range(8):
        table.append(rows(10 * number, 7, "ab"[number % 2]))
    for gone in (3, 14, 21, 22):
        table.delete(f"id = {gone}", mode="merge-on-read")
    drop_keys(table, 0, 40, 61, part="a")
    drop_keys(table, 10, 51, 900, part="b")
    table.append(rows(0, 1, "a"))
    return table


@pytest.mark.parametrize("version", [2, 3])
def test_iceberg_reads_the_same_before_and_after(tmp_path: Path, java_spark, version):
    catalog = fb.load_catalog("made", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = spread(catalog, version)
    name = f"rewritten_{version}"
    lineage = ", _row_id, _last_updated_sequence_number" if version == 3 else ""

    def sql(text: str) -> list[list[Any]]:
        return java_spark("sql", text=text, catalog=name, warehouse=str(tmp_path))

    def read() -> list[list[Any]]:
        return sorted(sql(f"SELECT id, part{lineage} FROM {name}.ns.t"))

    before = read()
    assert len(before) == 8 * 7 - 4 - 5 + 1
    assert table.maintenance.rewrite_manifests().added_manifests_count == 2
    assert read() == before
    assert table.maintenance.convert_equality_deletes().converted_equality_delete_files_count == 2
    assert read() == before
    table.maintenance.rewrite_position_delete_files(options=ALL)
    assert read() == before
    table.maintenance.rewrite_data_files(where="part = 'a'", options=ALL)
    table.maintenance.remove_dangling_deletes()
    assert read() == before
    # Iceberg goes on with the table.
    sql(f"DELETE FROM {name}.ns.t WHERE id = 50")
    if version == 2:
        sql(
            f"CALL {name}.system.rewrite_position_delete_files"
            "(table => 'ns.t', options => map('rewrite-all', 'true'))"
        )
    table.refresh()
    names = ("id", "part", "_row_id", "_last_updated_sequence_number")[: 4 if version == 3 else 2]
    found = sorted(list(each.values()) for each in table.scan(selected_fields=names).to_arrow().to_pylist())
    left = [row for row in before if row[0] != 50]
    assert found == left
    # Iceberg makes as many manifests, but 1.11 gives rows new ids then.
    sql(f"CALL {name}.system.rewrite_manifests(table => 'ns.t', use_caching => false)")
    table.refresh()
    assert len(table.inspect.manifests()) == 2
    assert sorted(table.scan().to_arrow()["id"].to_pylist()) == [row[0] for row in left]


def test_pyiceberg_reads_what_it_could_not(tmp_path: Path, pyiceberg, duckdb):
    catalog = fb.load_catalog("made", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = spread(catalog, 2)
    expected = sorted(table.scan().to_arrow()["id"].to_pylist())
    into = tmp_path / "rows.arrow"

    def read(peer, **more: Any) -> list[int]:
        peer("read", metadata_location=table.metadata_location, into=str(into), **more)
        return sorted(arrow_file(into)["id"].to_pylist())

    with pytest.raises(Refused, match="equality"):
        read(pyiceberg)
    table.maintenance.convert_equality_deletes()
    assert read(pyiceberg) == read(duckdb, columns=SCHEMA.names) == expected
    table.maintenance.rewrite_position_delete_files(options=ALL)
    table.maintenance.rewrite_manifests()
    assert read(pyiceberg) == read(duckdb, columns=SCHEMA.names) == expected

"""Peers read files that Floeberg added to a table, and PyIceberg describes the same files in the same way."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc
from tables import arrow_file

import floeberg as fb

pytestmark = pytest.mark.timeout(600)

ROWS = pa.table(
    {
        "id": pa.array([1, 2, None], pa.int64()),
        "day": pa.array([datetime.date(2026, 1, 2)] * 3),
        "text": ["a text that is longer than a bound", "b", None],
        "amount": pa.array([Decimal("1.50"), Decimal("-2.25"), None], pa.decimal128(9, 2)),
        "at": pa.array([0, 86_399_999_999, 5], pa.timestamp("us", "UTC")),
        "x": [0.5, -0.5, 7.25],
        "flag": [True, False, None],
        "st": [{"in": 1}, {"in": 2}, None],
        "li": pa.array([[1], [], None], pa.list_(pa.int32())),
    }
)
NESTED = {10, 11}
"""The ids of the field of the struct and of the elements of the list."""

SAID = (
    "record_count",
    "file_size_in_bytes",
    "column_sizes",
    "value_counts",
    "null_value_counts",
    "lower_bounds",
    "upper_bounds",
    "split_offsets",
    "sort_order_id",
    "partition",
)


@pytest.fixture
def catalog(tmp_path):
    made = fb.load_catalog("interop", type="sql", uri=f"sqlite:///{tmp_path}/c.db", warehouse=str(tmp_path))
    made.create_namespace("ns")
    return made


def written(folder: Path) -> list[str]:
    """Files without field ids, as other programs write them."""
    folder.mkdir()
    paths = [folder / "a.parquet", folder / "b.parquet"]
    pq.write_table(ROWS, paths[0], row_group_size=2)
    # Old programs write timestamps as 96 bits, and some no statistics at all.
    other = ROWS.set_column(1, "day", pa.array([datetime.date(2025, 1, 1)] * 3))
    pq.write_table(other, paths[1], write_statistics=["day", "id"])
    return [str(path) for path in paths]


def files(table: fb.Table) -> list[dict[str, Any]]:
    """What manifests say of data files, in the order of their names."""
    listed = sorted(table.refresh().inspect.files().to_pylist(), key=lambda each: each["file_path"])
    return [{name: each.get(name) for name in SAID} for each in listed]


def without_ids(mapping: str) -> Any:
    """A name mapping, without the fields below that PyIceberg writes where there are none."""
    return [
        {
            key: without_ids(json.dumps(value)) if key == "fields" else value
            for key, value in each.items()
            if value
        }
        for each in json.loads(mapping)
    ]


@pytest.mark.unchecked_tables("two tables with the same files")
@pytest.mark.parametrize("spec", [[], ["day"], ["day(at)", "day"]])
def test_pyiceberg_describes_the_same_files_in_the_same_way(catalog, pyiceberg, tmp_path, spec):
    paths = written(tmp_path / "old")[: 1 if "day(at)" in spec else 2]
    ours = catalog.create_table("ns.ours", ROWS.schema, partition_spec=spec)
    theirs = catalog.create_table("ns.theirs", ROWS.schema, partition_spec=spec)
    ours.add_files(paths)
    place = {"uri": f"sqlite:///{tmp_path}/c.db", "warehouse": str(tmp_path)}
    pyiceberg("add_files", identifier="ns.theirs", paths=paths, **place)
    theirs.refresh()
    for mine, other in zip(files(ours), files(theirs), strict=True):
        for name in SAID:
            found, known = mine[name], other[name]
            if isinstance(found, list) and found and isinstance(found[0], tuple):
                # PyIceberg counts what is in lists, and has no bounds of what is in structs.
                known = [pair for pair in known if pair[0] not in NESTED]
                found = [pair for pair in found if pair[0] not in NESTED]
                if name == "value_counts":
                    # It counts values of columns without statistics too.
                    known = [pair for pair in known if pair[0] in dict(found)]
            assert found == known, name
    name = "schema.name-mapping.default"
    assert without_ids(ours.properties[name]) == without_ids(theirs.properties[name])
    for table in (ours, theirs):
        into = tmp_path / "back.arrow"
        pyiceberg("read", metadata_location=table.metadata_location, into=str(into))
        assert rows(arrow_file(into)) == rows(ours.scan().to_arrow())


def rows(table: pa.Table) -> list[str]:
    """Rows in no order."""
    return sorted(str(row) for row in table.select(ROWS.column_names).to_pylist())


def test_peers_read_what_was_imported(catalog, java, duckdb, pyiceberg, tmp_path):
    table = catalog.create_table("ns.t", ROWS.schema, partition_spec=["day"])
    paths = written(tmp_path / "old")
    table.add_files(paths[:1])
    hive = tmp_path / "hive" / "day=2024-02-29"
    hive.mkdir(parents=True)
    pq.write_table(ROWS.drop_columns(["day"]), hive / "c.parquet")
    table.add_files(tmp_path / "hive")
    table.append(ROWS)
    table.delete("id = 2", mode="merge-on-read")
    expected = rows(table.scan().to_arrow())
    assert len(expected) == 6
    into = tmp_path / "back.arrow"
    pyiceberg("read", metadata_location=table.metadata_location, into=str(into))
    assert rows(arrow_file(into)) == expected
    listed = java("files", metadata_location=table.metadata_location)
    assert len(listed) == 3
    with_columns = catalog.create_table("ns.d", ROWS.schema)
    with_columns.add_files(written(tmp_path / "more"))
    duckdb("read", metadata_location=with_columns.metadata_location, columns=["id", "text"], into=str(into))
    found = arrow_file(into)
    assert sorted(map(str, found["text"].to_pylist())) == sorted(map(str, ROWS["text"].to_pylist() * 2))


@pytest.mark.unchecked_tables("pyarrow stores decimals as Floeberg does not")
def test_java_finds_in_footers_what_manifests_say(catalog, java, tmp_path):
    columns = [
        (name, kind)
        for name, kind in zip(ROWS.schema.names, ROWS.schema.types, strict=True)
        if name not in {"st", "li"}
    ]
    table = catalog.create_table("ns.t", pa.schema(columns))
    numbered = [
        pa.field(name, kind, metadata={"PARQUET:field_id": str(number)})
        for number, (name, kind) in enumerate(columns, 1)
    ]
    path = tmp_path / "ids.parquet"
    pq.write_table(ROWS.drop_columns(["st", "li"]).cast(pa.schema(numbered)), path, row_group_size=2)
    table.add_files([path], trust_field_ids=True)
    (file,) = java("files", metadata_location=table.metadata_location)
    said, footer = file["said"], file["footer"]
    del said["nanValueCounts"], footer["nanValueCounts"]
    assert said == footer


def test_java_reads_orc_files_that_were_imported(catalog, java, tmp_path):
    table = catalog.create_table("ns.t", pa.schema({"id": pa.int64(), "text": pa.string()}))
    path = tmp_path / "a.orc"
    orc.write_table(pa.table({"id": [1, 2], "text": ["a", None]}), path)
    table.add_files([path])
    assert table.scan().count() == 2
    assert len(java("read", metadata_location=table.metadata_location)) == 2

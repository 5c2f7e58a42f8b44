"""Peers append to tables that Floeberg wrote, and Floeberg appends again; a SQLite catalog is shared by all three."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from building import Made, new_rows
from drawing import draw
from peers.process import Refused
from tables import Tables, arrow_file, same_rows, save

import floeberg as fb
from corpus import encode

SEEDS = range(100, 124)

pytestmark = pytest.mark.timeout(900)


@pytest.fixture
def tables(tmp_path) -> Tables:
    """Tables that only one test writes to."""
    return Tables(tmp_path)


def named(made: Made) -> list[dict[str, Any]]:
    """New rows for Java: encoded, and by name. JSON has neither NaN nor infinities, and Java's no null in maps."""
    rows = new_rows(made, finite=True)
    made.rows = pa.concat_tables([made.rows, rows])
    return [
        dict(zip(rows.column_names, json.loads(line), strict=True))
        for number in range(rows.num_rows)
        for line in encode(rows.slice(number, 1))
    ]


def append_ours(made: Made) -> None:
    """Floeberg appends to what the table is now."""
    rows = new_rows(made)
    made.table.refresh().append(rows)
    made.rows = pa.concat_tables([made.rows, rows])


def place_for_java(made: Made) -> dict[str, str]:
    """Where Java finds the table."""
    if made.drawn.catalog == "filesystem":
        return {"location": made.table.location()}
    return {
        "uri": f"jdbc:sqlite:{made.place}/catalog.db",
        "warehouse": str(made.place),
        "namespace": "ns",
        "name": "t",
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_java_appends_and_we_append_again(seed, tables, java):
    made = tables[seed]
    # What we wrote with is not what Java's writer is told here to write with.
    append_ours(made)
    java("append", rows=named(made), place=place_for_java(made))
    same_rows(made, encode(made.table.refresh().scan().to_arrow()))
    append_ours(made)
    same_rows(made, java("read", metadata_location=made.table.metadata_location))
    assert made.table.snapshots()[-2].summary.get("iceberg-version", "").startswith("Apache Iceberg")


# PyIceberg has no catalog in folders.
@pytest.mark.parametrize("seed", [seed for seed in SEEDS if draw(seed).catalog == "sql"])
def test_pyiceberg_appends_and_we_append_again(seed, tables, pyiceberg, tmp_path):
    made = tables[seed]
    append_ours(made)
    rows = new_rows(made)
    fields = [
        pa.field(each.name, each.type, nullable=not column.required)
        for each, column in zip(rows.schema, made.drawn.columns, strict=True)
    ]
    save(rows.cast(pa.schema(fields)), tmp_path / "rows.arrow")
    asked = {"uri": f"sqlite:///{made.place}/catalog.db", "warehouse": str(made.place), "identifier": "ns.t"}
    refusal = refused_by_pyiceberg(made, rows)
    if refusal is not None:
        with pytest.raises(Refused, match=refusal):
            pyiceberg("append", rows=str(tmp_path / "rows.arrow"), **asked)
        return
    pyiceberg("append", rows=str(tmp_path / "rows.arrow"), **asked)
    made.rows = pa.concat_tables([made.rows, rows])
    same_rows(made, encode(made.table.refresh().scan().to_arrow()))
    append_ours(made)
    into = tmp_path / "back.arrow"
    pyiceberg("read", metadata_location=made.table.metadata_location, into=str(into))
    same_rows(made, encode(arrow_file(into)))


def refused_by_pyiceberg(made: Made, rows: pa.Table) -> str | None:
    """What PyIceberg 0.12 says where it cannot append."""
    if made.drawn.version == 3:
        return "Cannot write manifest for table version: 3"
    for transform, name in made.drawn.partition:
        # It writes no null as the partition value of a decimal.
        is_null = transform == "void" or rows[name].null_count
        if is_null and pa.types.is_decimal(rows[name].type):
            return "'NoneType' object has no attribute 'as_tuple'"
    return None


def test_a_sqlite_catalog_is_shared_by_all_three(tmp_path: Path, java, pyiceberg):
    catalog = fb.load_catalog(
        "interop", type="sql", uri=f"sqlite:///{tmp_path}/c.db", warehouse=str(tmp_path)
    )
    catalog.create_namespace("ns")
    catalog.create_table("ns.ours", pa.schema([("id", pa.int64())])).append(pa.table({"id": [1]}))
    place = {"warehouse": str(tmp_path), "namespace": "ns"}
    assert java("tables", uri=f"jdbc:sqlite:{tmp_path}/c.db", **place) == ["ns.ours"]
    assert pyiceberg("tables", uri=f"sqlite:///{tmp_path}/c.db", **place) == ["ns.ours"]

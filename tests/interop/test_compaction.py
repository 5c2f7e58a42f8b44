"""Iceberg in Spark reads the same rows, with the same ids, of tables that Floeberg compacted, and compacts them too."""

from __future__ import annotations

import datetime
import math
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb

pytestmark = pytest.mark.timeout(1800)

SCHEMA = pa.schema([("id", pa.int64()), ("part", pa.string())])


def rows(first: int, count: int, part: str) -> pa.Table:
    return pa.table({"id": range(first, first + count), "part": [part] * count}, SCHEMA)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_iceberg_reads_the_same_before_and_after(tmp_path: Path, java_spark, version, mode):
    catalog = fb.load_catalog("made", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA, partition_spec=["part"], format_version=version)
    for number in range(8):
        table.append(rows(10 * number, 7, "ab"[number % 2]))
    table.delete("id in (3, 14, 15, 26)", mode=mode)
    table.update({"id": 900}, "id = 40", mode=mode)
    name = f"compacted_{version}_{mode[:4]}"
    lineage = ", _row_id, _last_updated_sequence_number" if version == 3 else ""

    def sql(text: str) -> list[list[Any]]:
        return java_spark("sql", text=text, catalog=name, warehouse=str(tmp_path))

    def read() -> list[list[Any]]:
        return sorted(sql(f"SELECT id, part{lineage} FROM {name}.ns.t"))

    before = read()
    assert len(before) == 52
    done = table.maintenance.rewrite_data_files(options={"min-input-files": "2"})
    assert done.added_data_files_count == 2
    assert read() == before
    table.maintenance.expire_snapshots(older_than="2100-01-01T00:00Z")
    assert read() == before
    # Iceberg deletes rows of the new files, and compacts them.
    sql(f"DELETE FROM {name}.ns.t WHERE id = 50")
    sql(f"CALL {name}.system.rewrite_data_files(table => 'ns.t', options => map('rewrite-all', 'true'))")
    table.refresh()
    names = ("id", "part", "_row_id", "_last_updated_sequence_number")[: 4 if version == 3 else 2]
    found = sorted(list(each.values()) for each in table.scan(selected_fields=names).to_arrow().to_pylist())
    assert found == [row for row in before if row[0] != 50]


def order_ids(table: fb.Table) -> set[int | None]:
    return set(table.refresh().inspect.files()["sort_order_id"].to_pylist())


@pytest.mark.parametrize("version", [2, 3])
def test_iceberg_sorts_the_same_files_alike(tmp_path: Path, java_spark, version):
    """Each sorts a table of its own by the same calls: rows, and what files say of their order, are the same."""
    catalog = fb.load_catalog("made", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    name = f"sorted_{version}"
    lineage = ", _row_id, _last_updated_sequence_number" if version == 3 else ""

    def sql(text: str) -> list[list[Any]]:
        return java_spark("sql", text=text, catalog=name, warehouse=str(tmp_path))

    tables = []
    for place in ("ours", "theirs"):
        # Iceberg 1.11 needs an unsorted order in the metadata, to write files that are in none.
        table = catalog.create_table(f"ns.{place}", SCHEMA, partition_spec=["part"], format_version=version)
        with table.update_sort_order() as update:
            update.desc("id")
        for number in range(8):
            table.append(rows(10 * (number * 5 % 8), 7, "ab"[number % 2]))
        table.delete("id in (3, 14, 15, 26)")
        with table.update_sort_order() as update:
            update.asc("part").asc("id", "bucket[4]")
        tables.append(table)

    def read(place: str) -> list[list[Any]]:
        return sorted(sql(f"SELECT id, part{lineage} FROM {name}.ns.{place}"))

    before = read("ours")
    options = {"min-input-files": "2", "rewrite-all": "true"}
    for order, of_table in (
        ("id DESC NULLS LAST", True),
        (None, True),
        ("id ASC NULLS LAST", False),
        ("bucket(8, id), id", False),
        ("zorder(id, part)", False),
    ):
        done = tables[0].maintenance.rewrite_data_files(strategy="sort", sort_order=order, options=options)
        assert done.added_data_files_count == 2
        given = "" if order is None else f"sort_order => '{order}', "
        sql(
            f"CALL {name}.system.rewrite_data_files(table => 'ns.theirs', strategy => 'sort', {given}"
            "options => map('min-input-files', '2', 'rewrite-all', 'true'))"
        )
        assert read("ours") == before
        assert [row[:2] for row in read("theirs")] == [row[:2] for row in before]
        ours, theirs = map(order_ids, tables)
        assert ours == theirs
        assert (ours == {0}) != of_table
        # Rows are stored in the same order, of each partition.
        if order is not None:
            for part in "ab":
                stored = [
                    table.scan(f"part = '{part}'", selected_fields=("id",)).to_arrow()["id"].to_pylist()
                    for table in tables
                ]
                assert stored[0] == stored[1]


def test_iceberg_has_the_same_z_order(tmp_path: Path, java_spark):
    """Of whole numbers, texts, doubles, dates and booleans, with nulls: rows are stored in the same order."""
    catalog = fb.load_catalog("made", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    schema = pa.schema(
        [("n", pa.int32()), ("a", pa.int32()), ("b", pa.string()), ("c", pa.float64()), ("d", pa.date32())]
    )
    draw = random.Random(11)

    def row(number: int) -> dict[str, Any]:
        text = "".join(draw.choices("abcxyz\u00e9", k=draw.randrange(12)))
        return {
            "n": number,
            "a": draw.choice([None, draw.randrange(-50, 50)]),
            "b": draw.choice([None, text, text]),
            # No two are equal, so that there is one order.
            "c": draw.uniform(-1e3, 1e3) if number else math.nan,
            "d": draw.choice([None, datetime.date(1960 + number, 1, 1)]),
        }

    tables = []
    batches = [
        pa.Table.from_pylist([row(10 * batch + each) for each in range(10)], schema) for batch in range(9)
    ]
    for place in ("ours", "theirs"):
        table = catalog.create_table(f"ns.{place}", schema)
        for batch in batches:
            table.append(batch)
        tables.append(table)
    for columns, more in (("a, c", {}), ("b, c", {}), ("d, b, a, c", {"var-length-contribution": "3"})):
        options = {"rewrite-all": "true", **more}
        tables[0].maintenance.rewrite_data_files(sort_order=f"zorder({columns})", options=options)
        listed = ", ".join(f"'{name}', '{value}'" for name, value in options.items())
        java_spark(
            "sql",
            text=f"CALL z.system.rewrite_data_files(table => 'ns.theirs', strategy => 'sort', "
            f"sort_order => 'zorder({columns})', options => map({listed}))",
            catalog="z",
            warehouse=str(tmp_path),
        )
        ours, theirs = (table.refresh().scan().to_arrow()["n"].to_pylist() for table in tables)
        assert len(ours) == 90
        assert ours == theirs

"""Objects show what a person wants to know first, and what others wrote cannot harm who looks."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg._display import bytes_shown, moment_shown, shown
from floeberg.types import NestedField, Schema, Snapshot, StructType

HOSTILE = "<script>alert(1)</script>\x1b[2J\n\u202e"
ROWS = pa.table({"id": pa.array([1, 2], pa.int64()), HOSTILE: ["x", "y"]})


@pytest.fixture
def table():
    catalog = fb.load_catalog("shown", type="memory")
    catalog.create_namespace_if_not_exists("n")
    made = catalog.create_table(
        "n.rows",
        ROWS.schema,
        partition_spec=["bucket(4, id)"],
        sort_order=["id desc"],
        properties={"a": HOSTILE},
    )
    made.append(ROWS, {"by": HOSTILE})
    yield made
    catalog.purge_table("n.rows")


def test_a_table_shows_its_columns_spec_order_and_snapshot(table):
    said = repr(table)
    assert said.startswith("n.rows(\n  1: id: optional long,\n  2: <script>")
    assert "partition by: [bucket[4](id)],\nsort order: [id DESC NULLS LAST],\nsnapshot: append: id=" in said
    assert "+2 rows, 2 rows in all" in said
    assert str(table) == said


def test_a_table_without_a_snapshot_or_a_name_is_shown_too(table):
    opened = fb.open_table(table.metadata_location)
    assert repr(opened).startswith(f'Table("{table.metadata_location}")(')
    empty = fb.load_catalog("shown", type="memory").create_table("n.empty", pa.schema({"id": pa.int64()}))
    assert repr(empty).endswith("partition by: [],\nsort order: [],\nsnapshot: null")
    assert "snapshot" not in empty._repr_html_()
    fb.load_catalog("shown", type="memory").purge_table("n.empty")


def test_html_has_the_same_and_the_sizes(table):
    said = table._repr_html_()
    for each in (
        "<strong>n.rows</strong>",
        "bucket[4](id)",
        "id DESC NULLS LAST",
        ">2</td>",
        "format version",
    ):
        assert each in said, each
    assert re.search(r">size</th><td[^>]*>[\d.]+ (B|KiB)</td>", said)


def test_what_others_wrote_is_escaped_wherever_it_is_shown(table):
    snapshot = table.current_snapshot()
    scan = table.scan(row_filter="id > 0")
    looks = (table, scan, scan.plan_files(), snapshot, table.schema())
    for each in looks:
        said = each._repr_html_()
        assert "<script" not in said and said.isprintable(), type(each)
    assert "&lt;script&gt;" in table.schema()._repr_html_()
    for text in (repr(table), str(snapshot)):
        assert text.replace("\n", "").isprintable()
        assert "\x1b" not in text


def test_many_columns_are_counted_and_not_listed():
    catalog = fb.load_catalog("shown", type="memory")
    catalog.create_namespace_if_not_exists("n")
    wide = catalog.create_table("n.wide", pa.schema({f"c{number}": pa.int64() for number in range(150)}))
    assert "... 50 more columns" in repr(wide) and "c120" not in repr(wide)
    catalog.purge_table("n.wide")
    huge = Schema(*(NestedField(number, f"c{number}", "long") for number in range(1, 800)))
    assert "more columns" in huge._repr_html_() and "c700" not in huge._repr_html_()


def test_a_plan_is_not_read_to_be_shown(table):
    plan = table.scan().plan_files()
    assert "not read yet" in plan._repr_html_()
    assert f">{len(plan)}</td>" in plan._repr_html_()


def test_a_schema_shows_the_fields_of_structs():
    schema = Schema(NestedField(1, "p", StructType(NestedField(2, "q", "long", required=True, doc="d"))))
    said = schema._repr_html_()
    assert ">p</td>" in said and ">p.q</td>" in said and ">yes</td>" in said and ">d</td>" in said


def test_times_and_sizes_are_those_of_people():
    assert moment_shown(0) == "1970-01-01 00:00:00.000+00:00"
    assert moment_shown(2**62) == f"{2**62} ms"
    assert (bytes_shown(12), bytes_shown(1536), bytes_shown(2**60)) == ("12 B", "1.5 KiB", "1048576.0 TiB")
    assert shown("x" * 500).endswith("...")
    old = Snapshot(1, None, 0, 0, None, {})
    assert str(old) == "unknown operation: id=1, 1970-01-01 00:00:00.000+00:00"

"""Of rows that change only the columns are read that new values and conditions are made of, or that rows keep."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import floeberg as fb
from floeberg.errors import FloebergError

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("note", pa.string()),
        ("price", pa.float64()),
        ("place", pa.struct([("city", pa.string()), ("zip", pa.int32())])),
    ]
)


def rows(*ids, note, price):
    places = [{"city": note, "zip": each} for each in ids]
    return pa.table([ids, [note] * len(ids), [price] * len(ids), places], schema=SCHEMA)


def made(tmp_path: Path, version: int = 3) -> fb.Table:
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace_if_not_exists("ns")
    properties = {f"write.{each}.mode": "merge-on-read" for each in ("delete", "update", "merge")}
    table = catalog.create_table("ns.t", SCHEMA, format_version=version, properties=properties)
    table.append(rows(1, 2, 3, note="old", price=1.0))
    return table


def damage(table: fb.Table, *names: str) -> None:
    """Make columns of all files unreadable."""
    for task in table.scan().plan_files():
        path = Path(task.file.file_path.removeprefix("file://"))
        facts = pq.read_metadata(path)
        content = bytearray(path.read_bytes())
        for number in range(facts.num_columns):
            column = facts.row_group(0).column(number)
            if column.path_in_schema.partition(".")[0] in names:
                start = column.dictionary_page_offset or column.data_page_offset
                content[start : start + column.total_compressed_size] = b"\xff" * column.total_compressed_size
        path.write_bytes(content)


NEW = rows(2, 3, 4, note="new", price=2.0)


def replaces_rows(table):
    merge = table.merge(NEW, on="id").when_matched_delete("source.id = 3")
    merge.when_matched_update_all().when_not_matched_insert_all().execute()


def deletes_what_no_source_has(table):
    table.merge(NEW, on="id").when_not_matched_by_source_delete().execute()


def sets_all_but_a_key(table):
    updates = {"note": "x", "price": 3.0, "place": None}
    table.merge(NEW, on="id").when_matched_update(updates, "target.id < 3").execute()


def updates_all_columns(table):
    table.update({"note": "x", "price": 3.0, "place": None}, "id = 2")


@pytest.mark.unchecked_tables("columns of their files are damaged")
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(
    "change", [replaces_rows, deletes_what_no_source_has, sets_all_but_a_key, updates_all_columns]
)
def test_columns_that_get_new_values_are_not_read(tmp_path, change, version):
    table = made(tmp_path, version)
    damage(table, "note", "price", "place")
    with pytest.raises(FloebergError):
        table.scan().to_arrow()
    before = table.current_snapshot().snapshot_id
    change(table)
    assert table.current_snapshot().snapshot_id != before


@pytest.mark.unchecked_tables("a column of their files is damaged")
@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("note", lambda table: table.update({"price": 2.0})),
        ("note", lambda table: table.update({"note": fb.sql_expr("note || '!'")})),
        ("note", lambda table: table.merge(NEW, on="id").when_matched_update({"price": 2.0}).execute()),
        (
            "place",
            lambda table: table.merge(NEW, on="id").when_matched_delete("target.place.zip = 2").execute(),
        ),
        (
            "price",
            lambda table: (
                table.merge(NEW, on="id").when_matched_delete(lambda rows: rows["target.id"]).execute()
            ),
        ),
    ],
)
def test_columns_that_stay_or_are_asked_for_are_read(tmp_path, column, change):
    table = made(tmp_path)
    damage(table, column)
    with pytest.raises(FloebergError):
        change(table)


def by_function(batch):
    assert {"target.note", "target.price", "source.note", "source.place"} <= set(batch.schema.names)
    return pc.binary_join_element_wise(batch["target.note"], batch["source.note"], "-")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (fb.sql_expr("CASE WHEN target.id > 100 THEN 'no' ELSE target.note END"), "old"),
        (fb.sql_expr("CASE WHEN target.id > 1 THEN target.note ELSE source.note END"), "old"),
        (fb.sql_expr("COALESCE(source.note, target.note)"), "new"),
        (fb.sql_expr("COALESCE(NULLIF(source.note, 'new'), target.place.city)"), "old"),
        (fb.sql_expr("CASE WHEN target.place.zip = 2 THEN 'zip' END"), "zip"),
        (fb.col("target.place.city"), "old"),
        (fb.col("source.place.city"), "new"),
        (pc.field("target.note"), "old"),
        (by_function, "old-new"),
    ],
)
@pytest.mark.parametrize("case_sensitive", [True, False])
def test_parts_that_only_some_rows_need_are_read(tmp_path, value, expected, case_sensitive):
    table = made(tmp_path)
    merge = table.merge(rows(2, note="new", price=2.0), on="id", case_sensitive=case_sensitive)
    merge.when_matched_update({"note": value, "price": 5.0, "place": None}).execute()
    found = table.scan().to_arrow().sort_by("id").to_pylist()
    place = {"city": "old", "zip": 1}
    assert found[:2] == [
        {"id": 1, "note": "old", "price": 1.0, "place": place},
        {"id": 2, "note": expected, "price": 5.0, "place": None},
    ]


def test_a_name_that_both_sides_have_stays_ambiguous_where_one_side_is_not_read(tmp_path):
    table = made(tmp_path)
    # A part that no row of the check computes.
    value = fb.sql_expr("CASE WHEN target.id > 0 THEN note ELSE 'x' END")
    with pytest.raises(FloebergError, match="'note' is in the table and in the source"):
        table.merge(NEW, on="id").when_matched_update({"note": value, "price": 5.0, "place": None}).execute()


def test_an_update_of_every_column_by_literals_counts_its_rows(tmp_path):
    table = made(tmp_path)
    done = table.update({"id": 9, "note": None, "price": 0.0, "place": None}, "price = 1.0")
    assert done.updated_rows == 3
    assert table.scan("id = 9").to_arrow().num_rows == 3

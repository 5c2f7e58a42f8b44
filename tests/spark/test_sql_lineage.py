"""`UPDATE`, `DELETE` and `MERGE INTO` keep the lineage of rows as the methods of a table do."""

from __future__ import annotations

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark

SCHEMA = pa.schema({"id": pa.int64(), "v": pa.int64(), "part": pa.string()})
SEEN = ("id", "v", "part", "_row_id", "_last_updated_sequence_number")
ADDED = 20


def rows(numbers):
    columns = {"id": list(numbers), "v": [10 * each for each in numbers]}
    return pa.table(columns | {"part": [f"p{each % 2}" for each in numbers]}, SCHEMA)


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    return catalog


@pytest.fixture(params=["copy-on-write", "merge-on-read"])
def twins(lake, request):
    """Two equal tables, whose rows are of three commits, and some of them changed since."""
    modes = {f"write.{command}.mode": request.param for command in ("delete", "update", "merge")}
    found = []
    for name in ("db.t", "db.twin"):
        table = lake.create_table(name, SCHEMA, partition_spec=["part"], format_version=3, properties=modes)
        for start in (0, 5, 10):
            table.append(rows(range(start, start + 5)))
        table.update({"v": fb.sql_expr("v + 1")}, "id IN (3, 4, 11)")
        found.append(table)
    return found


def merge(table):
    source = pa.table({"id": [1, 4, ADDED], "v": [-1, -4, -20]})
    builder = table.merge(source, on=["id"])
    builder.when_matched_delete("source.id = 4")
    builder.when_matched_update({"v": fb.sql_expr("source.v")})
    builder.when_not_matched_insert({name: fb.sql_expr(f"source.{name}") for name in ("id", "v")})
    builder.when_not_matched_by_source_update({"v": fb.sql_expr("target.v + 1")}, "target.id > 12")
    builder.execute()


CHANGES = {
    # Spark finds the rows of these, since no statistics say which they are.
    "UPDATE db.t SET v = v + 1 WHERE id % 3 = 1": lambda table: table.update(
        {"v": fb.sql_expr("v + 1")}, "id IN (1, 4, 7, 10, 13)"
    ),
    "UPDATE db.t SET part = 'moved' WHERE id % 3 = 1": lambda table: table.update(
        {"part": "moved"}, "id IN (1, 4, 7, 10, 13)"
    ),
    "DELETE FROM db.t WHERE id % 5 = 2": lambda table: table.delete("id IN (2, 7, 12)"),
    """MERGE INTO db.t t USING (VALUES (1L, -1L), (4L, -4L), (20L, -20L) AS s (id, v)) s ON t.id = s.id
       WHEN MATCHED AND s.id = 4 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v
       WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)
       WHEN NOT MATCHED BY SOURCE AND t.id > 12 THEN UPDATE SET v = t.v + 1""": merge,
}


def seen(table):
    return table.refresh().scan(selected_fields=SEEN).to_arrow().sort_by("id").to_pylist()


@pytest.mark.parametrize("text", CHANGES, ids=lambda text: text.partition(" WHERE")[0].partition("\n")[0])
def test_rows_have_the_lineage_that_the_methods_of_a_table_leave(spark, lake, twins, text):
    table, twin = twins
    before = seen(table)
    assert before == seen(twin)
    assert {each["_last_updated_sequence_number"] for each in before} == {1, 2, 3, 4}
    floeberg.spark.sql(spark, text, catalog=lake)
    CHANGES[text](twin)
    assert seen(table) == seen(twin) != before
    ids = [each["_row_id"] for each in seen(table)]
    assert len(set(ids)) == len(ids)

"""Columns that change, alone and together with rows."""

from __future__ import annotations

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import CommitConflictError, FloebergError, InvalidInputError

SCHEMA = pa.schema({"id": pa.int64()})


@pytest.fixture
def catalog():
    made = fb.load_catalog("columns", type="memory")
    made.create_namespace("db")
    yield made
    for table in made.list_tables("db"):
        made.purge_table(table)
    made.drop_namespace("db")


@pytest.fixture
def orders(catalog):
    table = catalog.create_table("db.orders", SCHEMA)
    table.append(pa.table({"id": [1]}))
    return table


def rows_of(table):
    return table.scan().to_arrow().sort_by([("id", "ascending")]).to_pylist()


def test_columns_are_changed_in_one_commit(orders, catalog):
    with orders.update_schema() as update:
        update.add_column("note", "string", doc="free text")
        update.rename_column("id", "number")
    again = catalog.load_table("db.orders")
    for table in (orders, again):
        assert [str(field) for field in table.schema().fields] == [
            "1: number: optional long",
            "2: note: optional string (free text)",
        ]
        assert table.scan().to_arrow().to_pylist() == [{"number": 1, "note": None}]


def test_changes_of_two_writers_are_both_made(orders, catalog):
    other = catalog.load_table("db.orders")
    with orders.update_schema() as update:
        update.add_column("a", "string")
    with other.update_schema() as update:
        update.add_column("b", "string")
    assert [(field.field_id, field.name) for field in other.schema().fields] == [
        (1, "id"),
        (2, "a"),
        (3, "b"),
    ]
    with pytest.raises(FloebergError, match='"a"'), orders.update_schema() as update:
        update.add_column("a", "long")


def test_rows_bring_their_columns_where_they_are_told_to(orders):
    rows = pa.table({"note": ["x"], "id": [2]})
    with pytest.raises(InvalidInputError, match="note"):
        orders.append(rows)
    orders.append(rows, schema_mode="merge")
    assert rows_of(orders) == [{"id": 1, "note": None}, {"id": 2, "note": "x"}]
    assert len(orders.history()) == 2
    orders.append(rows, schema_mode="merge")
    assert len(orders.schemas()) == 2
    with pytest.raises(InvalidInputError, match="schema_mode: expected 'merge'"):
        orders.append(rows, schema_mode="anything")


def test_a_transaction_writes_the_columns_that_it_added(orders):
    with orders.transaction() as transaction:
        with transaction.update_schema() as update:
            update.add_column("note", "string")
        transaction.append(pa.table({"id": [2], "note": ["x"]}))
    assert rows_of(orders) == [{"id": 1, "note": None}, {"id": 2, "note": "x"}]


def test_rows_with_new_columns_are_not_taken_for_those_of_another(orders, catalog):
    other = catalog.load_table("db.orders")
    transaction = other.transaction()
    transaction.append(pa.table({"id": [2], "mine": [7]}), schema_mode="merge")
    with orders.update_schema() as update:
        update.add_column("theirs", "long")
    with pytest.raises(CommitConflictError, match="write the rows again") as caught:
        transaction.commit_transaction()
    assert not caught.value.retryable
    current = catalog.load_table("db.orders")
    assert rows_of(current) == [{"id": 1, "theirs": None}]
    current.append(pa.table({"id": [2], "mine": [7]}), schema_mode="merge")
    assert rows_of(current) == [{"id": 1, "theirs": None, "mine": None}, {"id": 2, "theirs": None, "mine": 7}]


def test_a_version_is_upgraded_only_when_asked(orders):
    assert orders.format_version == 2
    with orders.transaction() as transaction:
        transaction.upgrade_table_version(3)
        with transaction.update_schema() as update:
            update.add_column("at", "timestamp_ns")
    assert orders.format_version == 3
    assert str(orders.schema().find_field("at").field_type) == "timestamp_ns"


def test_an_open_table_is_filtered_by_a_partition_column_that_became_wider(catalog):
    schema = pa.schema({"p": pa.int32(), "n": pa.int64()})
    table = catalog.create_table("db.wider", schema, partition_spec=["p"])
    table.append(pa.table({"p": pa.array([1, 2], pa.int32()), "n": [10, 20]}))
    assert table.scan(row_filter="p = 1").count() == 1
    assert len(table.scan().plan_files()) == 2
    with table.update_schema() as update:
        update.update_column("p", "long")
    for opened in (table, catalog.load_table("db.wider")):
        assert opened.scan(row_filter="p = 1").to_arrow().to_pylist() == [{"p": 1, "n": 10}]
        partitions = opened.scan().plan_files().to_arrow()["partition"].to_pylist()
        assert sorted(partition["p"] for partition in partitions) == [1, 2]
    table.append(pa.table({"p": [2**40], "n": [30]}))
    assert table.scan(row_filter="p > 1").count() == 2

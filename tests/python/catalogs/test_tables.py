"""What every catalog promises of tables."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest
from one_column import attempt_on, ids
from places import files_in

from floeberg.errors import (
    AlreadyExistsError,
    CommitConflictError,
    InvalidInputError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    TableAlreadyExistsError,
    UnsupportedError,
)

SCHEMA = pa.schema({"id": pa.int64(), "name": pa.string()})


def rows(*ids):
    return pa.table({"id": list(ids), "name": [f"n{number}" for number in ids]}, SCHEMA)


@pytest.fixture
def orders(catalog):
    """A table without rows."""
    catalog.create_namespace("sales")
    return catalog.create_table("sales.orders", SCHEMA)


def test_a_table_is_created_listed_and_loaded(catalog, orders):
    assert catalog.list_tables("sales") == [("sales", "orders")]
    assert catalog.table_exists(("sales", "orders"))
    assert catalog.list_namespaces("sales") == []
    loaded = catalog.load_table("sales.orders")
    assert loaded.metadata_location == orders.metadata_location
    assert loaded.schema() == orders.schema()
    assert loaded.name() == ("sales", "orders")
    assert loaded.catalog is catalog
    assert loaded.scan().to_arrow().num_rows == 0
    with pytest.raises(NamespaceNotEmptyError, match=r"it has 'sales\.orders'"):
        catalog.drop_namespace("sales")


def test_a_table_is_what_it_was_declared_to_be(catalog):
    catalog.create_namespace("sales")
    for version in (1, 2, 3):
        table = catalog.create_table(
            f"sales.v{version}",
            SCHEMA,
            partition_spec=["bucket(4, id)"],
            sort_order=["id desc"],
            properties={"owner": "jo"},
            format_version=version,
        )
        again = catalog.load_table(f"sales.v{version}")
        for each in (table, again):
            assert each.format_version == version
            assert each.properties["owner"] == "jo"
            assert [(field.name, str(field.transform)) for field in each.spec().fields] == [
                ("id_bucket_4", "bucket[4]")
            ]
            assert each.sort_order().fields[0].direction == "desc"
            assert each.location().endswith(f"/sales/v{version}")
    assert (
        catalog.create_table("sales.by_property", SCHEMA, properties={"format-version": "3"}).format_version
        == 3
    )
    assert catalog.create_table("sales.unsaid", SCHEMA).format_version == 2


@pytest.mark.usefixtures("orders")
def test_a_table_is_created_once(catalog):
    with pytest.raises(TableAlreadyExistsError, match=r"'sales\.orders' already") as caught:
        catalog.create_table("sales.orders", pa.schema({"other": pa.int8()}))
    assert isinstance(caught.value, AlreadyExistsError)
    again = catalog.create_table_if_not_exists("sales.orders", pa.schema({"other": pa.int8()}))
    assert again.schema().column_names == ["id", "name"]
    assert catalog.create_table_if_not_exists("sales.more", SCHEMA).schema().column_names == ["id", "name"]


def test_what_cannot_be_created_leaves_nothing(catalog):
    with pytest.raises(NoSuchNamespaceError):
        catalog.create_table("sales.orders", SCHEMA)
    catalog.create_namespace("sales")
    for given, error in (
        ({"schema": 7}, InvalidInputError),
        ({"schema": SCHEMA, "partition_spec": ["no_such_column"]}, InvalidInputError),
        ({"schema": SCHEMA, "format_version": 4}, InvalidInputError),
        ({"schema": SCHEMA, "properties": {"format-version": "two"}}, InvalidInputError),
        ({"schema": SCHEMA, "properties": {"k": None}}, InvalidInputError),
    ):
        with pytest.raises(error):
            catalog.create_table("sales.orders", **given)
    assert catalog.list_tables("sales") == []


def test_rows_are_appended_and_read(catalog, orders):
    orders.append(rows(1, 2))
    orders.append(rows(3))
    assert ids(orders) == ids(catalog.load_table("sales.orders")) == [1, 2, 3]
    assert [each.operation for each in orders.snapshots()] == ["append", "append"]


def test_a_file_whose_rows_all_have_one_text_is_deleted_by_it(catalog):
    """Both bounds are that text then. A bound that is cut is a beginning, or above all texts of the file."""
    catalog.create_namespace("towns")
    short, long = "Groningen", "Groningen, north of the canal"
    cases = [
        ([short, short], short, []),
        ([short, "Groningen-"], short, [2]),
        ([short, None], short, [2]),
        ([long, long], long, []),
        ([long, long], long[:16], [1, 2]),
        ([long[:16], long], long[:16], [2]),
    ]
    for number, (names, deleted, left) in enumerate(cases):
        table = catalog.create_table(f"towns.t{number}", SCHEMA)
        table.append(pa.table({"id": [1, 2], "name": names}, SCHEMA))
        table.overwrite(pa.table({"id": [9], "name": [""]}, SCHEMA), f"name = '{deleted}'")
        assert ids(table.refresh()) == [*left, 9], (names, deleted)
        assert len(table.snapshots()) == 2, "one snapshot takes rows out and adds others"


def test_a_table_loaded_before_sees_nothing_until_it_is_refreshed(catalog, orders):
    other = catalog.load_table("sales.orders")
    scan = other.scan()
    orders.append(rows(1))
    assert ids(other) == []
    assert other.refresh() is other
    assert ids(other) == [1]
    assert scan.to_arrow().num_rows == 0


def test_writers_on_an_old_base_lose_nothing(catalog, orders):
    others = [catalog.load_table("sales.orders") for _ in range(3)]
    for number, other in enumerate(others):
        other.append(rows(number))
    orders.set_properties({"owner": "jo"})
    assert ids(catalog.load_table("sales.orders")) == [0, 1, 2]
    assert orders.properties["owner"] == "jo"
    assert ids(orders) == [0, 1, 2]


def test_what_becomes_as_it_was_is_what_was_there(catalog, kind):
    """Names, a partition spec and a sort order: a server has them already, and adds none."""
    kind.skip_where_names_are_mapped()
    catalog.create_namespace("sales")
    table = catalog.create_table("sales.turned", SCHEMA)
    for names in (("id", "key"), ("key", "id")):
        with table.update_schema() as update:
            update.rename_column(*names)
    assert sorted(table.schemas()) == [0, 1]
    for column in ("id", "name", "id"):
        with table.update_sort_order() as order:
            order.desc(column)
    with table.update_spec() as update:
        update.add_field("name")
    with table.update_spec() as update:
        update.remove_field("name")
    with table.transaction() as transaction:
        for names in (("id", "key"), ("key", "id")):
            with transaction.update_schema() as update:
                update.rename_column(*names)
    table.append(rows(1))
    again = catalog.load_table("sales.turned")
    assert (again.schema().schema_id, again.schema().column_names) == (0, ["id", "name"])
    assert [(field.source_id, field.direction) for field in again.sort_order().fields] == [(1, "desc")]
    assert again.spec().is_unpartitioned()
    assert ids(again) == [1]


def test_a_base_that_is_not_current_is_refused(catalog, orders, kind):
    base = catalog.load_table("sales.orders")
    orders.append(rows(1))
    if not kind.compares_metadata:
        # Nobody changed what the attempt changes.
        made = catalog.commit_table("sales.orders", base, attempt_on(base._inner))
        assert (ids(made), made.properties["owner"]) == ([1], "jo")
        return
    with pytest.raises(CommitConflictError) as caught:
        catalog.commit_table("sales.orders", base, attempt_on(base._inner))
    assert caught.value.retryable
    assert catalog.load_table("sales.orders").metadata_location == orders.metadata_location
    made = catalog.commit_table("sales.orders", orders, attempt_on(orders._inner))
    again = catalog.load_table("sales.orders")
    assert again.metadata_location == made.metadata_location
    assert (made.name(), made.catalog) == (("sales", "orders"), catalog)
    assert again.properties["owner"] == "jo"


def test_a_renamed_table_keeps_its_rows(catalog, orders, kind):
    orders.append(rows(1))
    catalog.create_namespace("old")
    if not kind.renames:
        with pytest.raises(UnsupportedError, match="cannot be renamed to"):
            catalog.rename_table("sales.orders", "old.orders")
        return
    renamed = catalog.rename_table("sales.orders", "old.orders")
    assert renamed.name() == ("old", "orders")
    assert ids(renamed) == [1]
    assert catalog.list_tables("sales") == []
    renamed.append(rows(2))
    assert ids(catalog.load_table("old.orders")) == [1, 2]
    with pytest.raises(NoSuchTableError):
        orders.append(rows(3))
    catalog.create_table("sales.orders", SCHEMA, location=f"{orders.location()}-2")
    with pytest.raises(TableAlreadyExistsError):
        catalog.rename_table("sales.orders", "old.orders")
    with pytest.raises(NoSuchNamespaceError):
        catalog.rename_table("sales.orders", "nowhere.orders")


def test_a_dropped_table_is_gone_and_can_be_made_again(catalog, orders):
    orders.append(rows(1))
    catalog.drop_table("sales.orders")
    assert catalog.list_tables("sales") == []
    for ask in (catalog.load_table, catalog.drop_table, catalog.purge_table):
        with pytest.raises(NoSuchTableError):
            ask("sales.orders")
    with pytest.raises(NoSuchTableError):
        orders.append(rows(2))
    again = catalog.create_table("sales.orders", SCHEMA)
    assert ids(again) == []
    with pytest.raises(CommitConflictError, match="another was made in its place"):
        orders.append(rows(3))
    assert ids(catalog.load_table("sales.orders")) == []


def test_a_dropped_table_can_be_registered_again(catalog, orders, kind):
    orders.append(rows(1))
    place = orders.metadata_location
    if not kind.renames:
        catalog.create_namespace("other")
        with pytest.raises(UnsupportedError, match="cannot be registered"):
            catalog.register_table("other.orders", place)
        return
    catalog.drop_table("sales.orders")
    if not kind.keeps_dropped:
        with pytest.raises(NoSuchTableError):
            catalog.register_table("sales.orders", place)
        return
    again = catalog.register_table("sales.orders", place)
    assert ids(again) == [1]
    again.append(rows(2))
    assert ids(catalog.load_table("sales.orders")) == [1, 2]
    with pytest.raises(NoSuchTableError):
        catalog.register_table("sales.more", f"{place}.gone.metadata.json")


def test_a_purged_table_leaves_no_file(catalog, orders):
    orders.append(rows(1))
    orders.append(rows(2))
    orders.overwrite(rows(3))
    catalog.purge_table("sales.orders")
    assert not catalog.table_exists("sales.orders")
    assert files_in(orders.location()) == []


def test_a_table_and_its_catalog_travel(catalog, orders, kind):
    again = pickle.loads(pickle.dumps(orders))
    if not kind.travels:
        # Its tables are in one connection.
        with pytest.raises(NoSuchTableError):
            again.refresh()
        return
    again.append(rows(1))
    assert ids(catalog.load_table("sales.orders")) == [1]
    assert again.name() == ("sales", "orders")


def test_names_that_are_no_folders_are_refused_where_they_would_be(catalog, kind):
    catalog.create_namespace("sales")
    if not kind.checks_names:
        with pytest.raises(InvalidInputError, match="means another path on a server"):
            catalog.create_table(("sales", ".."), SCHEMA)
        assert catalog.list_tables("sales") == []
        return
    for name in ("..", ".hidden", "a/b", "a\\b"):
        with pytest.raises(InvalidInputError, match="a folder cannot be named"):
            catalog.create_table(("sales", name), SCHEMA)
    assert catalog.list_tables("sales") == []

"""The mistakes that newcomers make have the class of their kind, and say what to write instead."""

from __future__ import annotations

import pickle
import sys

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import (
    CommitConflictError,
    FloebergError,
    InvalidInputError,
    MissingAttributeError,
    NoSuchNamespaceError,
    NoSuchTableError,
    NotInstalledError,
    StorageError,
    TableAlreadyExistsError,
    UnsupportedError,
)
from floeberg.expressions import EqualTo
from floeberg.types import NestedField

SCHEMA = pa.schema({"id": pa.int64(), "ts": pa.timestamp("us"), "city": pa.string()})


@pytest.fixture
def catalog():
    made = fb.load_catalog("mistakes", type="memory")
    made.create_namespace_if_not_exists("n")
    made.create_table_if_not_exists("n.t", SCHEMA)
    return made


@pytest.fixture
def table(catalog):
    return catalog.load_table("n.t")


@pytest.mark.parametrize("day", ["2026-11-26", " 9999-12-31 "])
def test_a_day_is_told_with_both_of_its_ends(table, day):
    with pytest.raises(InvalidInputError) as told:
        table.scan().as_of(day)
    assert f"write {day.strip()}T00:00:00+00:00 for its beginning in UTC" in str(told.value)
    assert f"or {day.strip()}T23:59:59.999999+00:00 for its end" in str(told.value)
    with pytest.raises(InvalidInputError, match="has no time zone: write 2026-11-26T00:00:00.00:00"):
        table.scan().as_of("2026-11-26T00:00:00")


TRANSFORMS = r"year\(ts\), month\(ts\), day\(ts\), hour\(ts\), bucket\(16, id\), truncate\(4, name\)"


@pytest.mark.parametrize(
    "spec", ["bucket(id)", "bucket(id, 16)", "bucket[16](id)", "truncate(city)", "date(ts)", "days_of(ts)"]
)
def test_a_partition_field_that_is_none_is_told_with_all_that_there_are(catalog, spec):
    with pytest.raises(InvalidInputError, match=TRANSFORMS):
        catalog.create_table("n.wrong", SCHEMA, partition_spec=[spec])


@pytest.mark.parametrize("order", ["id descending", "id down", "desc id"])
def test_a_sort_field_that_is_none_is_told_with_its_words(catalog, order):
    with pytest.raises(InvalidInputError, match='"asc" or "desc" after it'):
        catalog.create_table("n.wrong", SCHEMA, sort_order=[order])


OF_CATALOGS = [
    ({"uri": "sqlitee:///x"}, InvalidInputError, "did you mean 'sqlite'"),
    ({"uri": "sqlite:////no/dir/x.db"}, StorageError, "/no/dir/x.db"),
    ({"type": "rest", "uri": "http://127.0.0.1:1"}, StorageError, "the server cannot be reached"),
    ({"uri": "https://"}, InvalidInputError, "expected the address of a server"),
    ({"type": "hive"}, UnsupportedError, r"fb.open_table\(metadata_location\)"),
    ({"uri": "thrift://x"}, UnsupportedError, "'hive'"),
    ({"type": "nonsense"}, UnsupportedError, "expected 'rest', 'sql', 'filesystem'"),
    ({}, InvalidInputError, "give its type, or a 'uri' or a 'warehouse'"),
    ({"type": "filesystem"}, InvalidInputError, "'warehouse'"),
    ({"type": "memory", "cache": 1}, InvalidInputError, "expected a str as 'cache'"),
    ({"type": "sql", "py-catalog-impl": "a.B"}, InvalidInputError, "not both"),
    ({"py-catalog-impl": "no_such_module.B"}, NotInstalledError, "cannot be imported"),
]


@pytest.mark.parametrize(("properties", "kind", "said"), OF_CATALOGS, ids=str)
def test_a_catalog_that_cannot_be_loaded_says_why(properties, kind, said):
    with pytest.raises(kind, match=said):
        fb.load_catalog("wrong", **properties)


def test_the_package_of_a_database_is_named(monkeypatch):
    # As where it is not installed.
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(NotInstalledError, match="pip install psycopg"):
        fb.load_catalog("wrong", uri="postgresql+psycopg://h/db")


OF_TABLES = [
    (
        "add_bigint",
        lambda t: t.update_schema().add_column("z", "bigint"),
        InvalidInputError,
        'expected "long"',
    ),
    ("add_dotted", lambda t: t.update_schema().add_column("a.b", "long"), InvalidInputError, "write"),
    ("equals_null", lambda t: t.scan("id = NULL"), InvalidInputError, "use IS NULL"),
    ("unknown_column", lambda t: t.scan("idd = 1"), InvalidInputError, 'near matches: "id"'),
    ("wrong_literal", lambda t: t.scan("id = 'x'"), InvalidInputError, "expected a number"),
    ("broken_text", lambda t: t.scan("id >"), InvalidInputError, "position"),
    ("unknown_field", lambda t: t.scan(selected_fields=("citi",)), InvalidInputError, 'near matches: "city"'),
    ("one_name", lambda t: t.scan(selected_fields="id"), InvalidInputError, r"as \('id',\)"),
    ("negative", lambda t: t.scan(limit=-1), InvalidInputError, "at least 0"),
    ("no_filter", lambda t: t.scan(7), InvalidInputError, "expected SQL text"),
    ("no_rows", lambda t: t.append(iter(())), InvalidInputError, "expected rows in Arrow form"),
    ("wrong_type", lambda t: t.append(pa.table({"id": ["x"]})), InvalidInputError, "cast it to int64"),
    ("new_column", lambda t: t.append(pa.table({"idd": [1]})), InvalidInputError, 'schema_mode="merge"'),
    (
        "bad_mode",
        lambda t: t.set_properties({"write.distribution-mode": "hashh"}),
        InvalidInputError,
        "hash or range",
    ),
    ("no_text", lambda t: t.set_properties(a=[1]), InvalidInputError, "expected a str as 'a'"),
    ("reserved", lambda t: t.set_properties({"format-version": "3"}), FloebergError, "format-version"),
    ("downgrade", lambda t: t.upgrade_table_version(1), InvalidInputError, "version"),
    ("two_moments", lambda t: t.scan(snapshot_id=1), FloebergError, "snapshot"),
    ("not_here", lambda t: t.to_daft(), MissingAttributeError, "scan"),
]


@pytest.mark.parametrize(
    ("do", "kind", "said"), [each[1:] for each in OF_TABLES], ids=[each[0] for each in OF_TABLES]
)
def test_a_mistake_with_a_table_is_of_its_class_and_says_what_to_do(table, do, kind, said):
    with pytest.raises(kind, match=said):
        do(table)


def test_names_that_are_there_or_not_have_classes_of_their_own(catalog):
    with pytest.raises(NoSuchTableError, match="'n.none'"):
        catalog.load_table("n.none")
    with pytest.raises(NoSuchNamespaceError, match="create it by create_namespace"):
        catalog.create_table("none.t", SCHEMA)
    with pytest.raises(TableAlreadyExistsError, match="'n.t'"):
        catalog.create_table("n.t", SCHEMA)


def test_a_type_that_is_none_is_told_with_the_one_that_there_is():
    with pytest.raises(InvalidInputError, match='"bigint": expected "long"'):
        NestedField(1, "a", "bigint")


def test_numbers_are_properties_of_tables(catalog):
    made = catalog.create_table("n.numbers", SCHEMA, properties={"a": 1, "b": True})
    assert (made.properties["a"], made.properties["b"]) == ("1", "true")
    catalog.purge_table("n.numbers")


def test_what_a_generator_raises_comes_out_as_it_is(table):
    class MineError(Exception):
        pass

    def batches():
        yield pa.record_batch([pa.array([1])], names=["id"])
        raise MineError("the source is gone")

    before = table.scan().count()
    with pytest.raises(MineError, match="the source is gone"):
        table.append(pa.RecordBatchReader.from_batches(pa.schema({"id": pa.int64()}), batches()))
    assert table.refresh().scan().count() == before


def test_what_is_python_s_own_is_a_type_error_that_says_the_way(table):
    with pytest.raises(TypeError, match="combine filters with &"):
        table.scan(EqualTo("id", 1) and EqualTo("id", 2))
    with pytest.raises(TypeError, match="send the groups of Plan.split, or the Scan"):
        pickle.dumps(table.scan().plan_files())


def test_a_conflict_is_one_of_its_class(catalog, table):
    other = catalog.load_table("n.t")
    with other.update_schema() as update:
        update.delete_column("city")
    with pytest.raises(CommitConflictError), table.update_schema() as update:
        update.rename_column("city", "town")
    catalog.purge_table("n.t")

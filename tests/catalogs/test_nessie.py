"""What works with Nessie, and what it does not do.

The tests of the kit read metadata files by their locations, which Nessie gives as addresses of its own, so they are not
run with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pytest
from one_column import SCHEMA, ids, rows
from served_kinds import of_server
from servers import started

import floeberg as fb
from floeberg.errors import UnsupportedError
from tiers import ALL

pytestmark = [
    pytest.mark.skipif(not ALL, reason="Nessie is a part of `make long`"),
    pytest.mark.unchecked_tables("the locations of metadata files are addresses of the server"),
    pytest.mark.timeout(600),
]


@dataclass(frozen=True)
class Limits:
    """What a server cannot do.

    Attributes:
        version: The format version that every table gets.
        own_properties: What the names of properties begin with that it adds.
    """

    version: int = 2
    own_properties: str = "nessie."


LIMITS = Limits()


@pytest.fixture
def catalog(tmp_path):
    with of_server("nessie")("nessie", tmp_path) as made:
        made.create_namespace("ns", properties={"owner": "jo"})
        yield made


def test_namespaces_are_listed_and_described(catalog):
    catalog.create_namespace("ns.inner")
    assert catalog.list_namespaces() == [("ns",)] and catalog.list_namespaces("ns") == [("ns", "inner")]
    assert catalog.load_namespace_properties("ns")["owner"] == "jo"
    catalog.update_namespace_properties("ns", removals=["owner"], updates={"team": "a"})
    found = catalog.load_namespace_properties("ns")
    assert found["team"] == "a" and "owner" not in found


def test_a_table_has_the_one_version_or_is_refused(catalog):
    table = catalog.create_table("ns.t", SCHEMA)
    assert table.format_version == LIMITS.version
    assert any(key.startswith(LIMITS.own_properties) for key in table.properties)
    for other in {1, 2, 3} - {LIMITS.version}:
        with pytest.raises(
            UnsupportedError, match=f"makes tables of format version 2 where {other} is asked for"
        ):
            catalog.create_table("ns.other", SCHEMA, format_version=other)
    assert catalog.list_tables("ns") == [("ns", "t")]


def test_rows_are_appended_deleted_and_upserted(catalog):
    table = catalog.create_table("ns.t", pa.schema({"id": pa.int64(), "name": pa.string()}))
    table.append(pa.table({"id": [1, 2, 3], "name": ["a", "b", "c"]}))
    table.delete("id = 2")
    done = table.upsert(pa.table({"id": [3, 4], "name": ["new", "d"]}), join_cols=["id"])
    assert (done.rows_updated, done.rows_inserted) == (1, 1)
    with table.update_schema() as update:
        update.add_column("price", "double")
    found = catalog.load_table("ns.t").scan().to_arrow().sort_by("id").to_pylist()
    assert [(row["id"], row["name"], row["price"]) for row in found] == [
        (1, "a", None),
        (3, "new", None),
        (4, "d", None),
    ]


def test_two_writers_append_and_both_are_there(catalog):
    catalog.create_table("ns.t", SCHEMA)
    one, two = catalog.load_table("ns.t"), catalog.load_table("ns.t")
    one.append(rows(1))
    two.append(rows(2))
    assert ids(catalog.load_table("ns.t")) == [1, 2]


def test_several_tables_are_one_commit(catalog):
    for name in ("a", "b"):
        catalog.create_table(("ns", name), SCHEMA)
    with catalog.transaction() as transaction:
        transaction.table("ns.a").append(rows(1))
        transaction.table("ns.b").append(rows(2))
    assert (ids(catalog.load_table("ns.a")), ids(catalog.load_table("ns.b"))) == ([1], [2])


def test_tables_are_renamed_and_dropped(catalog):
    catalog.create_table("ns.t", SCHEMA).append(rows(1))
    assert ids(catalog.rename_table("ns.t", "ns.u")) == [1]
    assert catalog.list_tables("ns") == [("ns", "u")]
    catalog.drop_table("ns.u")
    assert catalog.list_tables("ns") == []


def test_the_check_passes(catalog):
    catalog.create_table("ns.t", SCHEMA)
    found = catalog.check()
    assert found.ok, found
    assert found.step("put-if-absent").ok, found


def test_the_server_is_asked_by_its_own_prefix(catalog):
    assert catalog.properties["prefix"] == "main%7Cwh"
    assert fb.load_catalog("again", **started("nessie").properties).list_namespaces() == [("ns",)]

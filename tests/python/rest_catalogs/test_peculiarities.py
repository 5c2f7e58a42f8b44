"""What real servers do that the specification allows: what they do not list, repeat, and add."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.catalog.rest.updates import commit_request
from floeberg.errors import CommitConflictError, InvalidDataError, NoSuchTableError, TableAlreadyExistsError
from rest_catalogs.scripted import NAMESPACE, TABLES, Says, error

SCHEMA = pa.schema({"id": pa.int64()})
HASTE = {"commit.retry.num-retries": "2", "commit.retry.min-wait-ms": "1", "commit.retry.max-wait-ms": "1"}


@pytest.fixture(autouse=True)
def _namespace(server):
    server.says(f"GET {NAMESPACE}", Says(200, {"namespace": ["ns"], "properties": {}}))


@pytest.fixture
def turned(tmp_path):
    """A table whose column has the name `key`, and had the name `id`."""
    catalog = fb.load_catalog(str(tmp_path), type="memory", warehouse=str(tmp_path / "turned"))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA, properties=HASTE)
    with table.update_schema() as update:
        update.rename_column("id", "key")
    return table


def answer(table):
    return Says(
        200,
        {
            "metadata-location": table.metadata_location,
            "metadata": json.loads(table._inner.metadata_json()),
        },
    )


def test_a_namespace_is_dropped_where_the_server_lists_no_views(server, load):
    server.says(f"GET {TABLES}", Says(200, {"identifiers": []}))
    server.says("GET /v1/namespaces", Says(200, {"namespaces": []}))
    server.says(f"DELETE {NAMESPACE}", Says(204))
    load().drop_namespace("ns")
    assert len(server.of(f"DELETE {NAMESPACE}")) == 1
    assert not [each for each in server.asked if "/views" in each.path]


def test_columns_that_become_as_they_were_are_named_by_their_schema(server, load, turned):
    server.says(f"GET {TABLES}/t", answer(turned))
    server.says(f"POST {TABLES}/t", error(400))
    table = load().load_table("ns.t")
    with pytest.raises(fb.errors.InvalidInputError), table.update_schema() as update:
        update.rename_column("key", "id")
    (asked,) = server.of(f"POST {TABLES}/t")
    sets = [each["schema-id"] for each in asked.json["updates"] if each["action"] == "set-current-schema"]
    assert sets == [0]


def test_columns_that_are_new_are_those_that_were_added_last(server, load, turned):
    server.says(f"GET {TABLES}/t", answer(turned))
    server.says(f"POST {TABLES}/t", error(400))
    table = load().load_table("ns.t")
    with pytest.raises(fb.errors.InvalidInputError), table.update_schema() as update:
        update.rename_column("key", "other")
    (asked,) = server.of(f"POST {TABLES}/t")
    sets = [each["schema-id"] for each in asked.json["updates"] if each["action"] == "set-current-schema"]
    assert sets == [-1]


def test_each_update_names_what_is_there():
    one, two = ({"type": "struct", "fields": [{"id": number}]} for number in (1, 2))
    base = {
        "schemas": [{"schema-id": 0, "identifier-field-ids": [], **one}],
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "sort-orders": [{"order-id": 0, "fields": []}, {"order-id": 3, "fields": [{"source-id": 1}]}],
    }
    made = {"current-schema-id": 1, "default-spec-id": 0, "default-sort-order-id": 3}
    updates = [
        {"action": "add-schema", "schema": {"schema-id": 0, **one}},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-schema", "schema": {"schema-id": 1, **two}},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-spec", "spec": {"spec-id": -1, "fields": []}},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": {"order-id": 3, "fields": [{"source-id": 1}]}},
        {"action": "set-default-sort-order", "sort-order-id": -1},
    ]
    attempt = SimpleNamespace(
        requirements_json="[]", updates_json=json.dumps(updates), metadata_json=json.dumps(made)
    )
    on_base = SimpleNamespace(metadata_json=lambda: json.dumps(base))
    request = commit_request(("a", "b", "t"), on_base, attempt)
    assert request["identifier"] == {"namespace": ["a", "b"], "name": "t"}
    sent = request["updates"]
    assert [each["schema-id"] for each in sent[1:4:2]] == [0, -1]
    assert (sent[5]["spec-id"], sent[7]["sort-order-id"]) == (0, 3)
    assert [each["action"] for each in sent] == [each["action"] for each in updates]
    assert commit_request(("t",), None, attempt)["updates"] == updates
    # Old metadata is not read where nothing asks for it.
    attempt.updates_json = json.dumps(updates[::2])
    assert commit_request(("t",), SimpleNamespace(metadata_json=None), attempt)["updates"] == updates[::2]


def test_a_metadata_file_whose_name_comes_again_is_of_another_table(server, load, loadable):
    first, other = loadable(), loadable()
    other.body["metadata"]["table-uuid"] = "6c1f0d6e-6f0e-4a6e-9d3b-0d6c52a8a001"
    server.says(f"GET {TABLES}/t", first, other)
    table = load().load_table("ns.t")
    with pytest.raises(NoSuchTableError, match="another was made in its place"):
        table.refresh()


def test_a_table_that_another_made_meanwhile_exists_already(server, load, loadable):
    server.says(f"GET {TABLES}/t", error(404, "NoSuchTableException"), loadable())
    server.says(f"POST {TABLES}", loadable(metadata=loadable().body["metadata"]))
    server.says(f"POST {TABLES}/t", error(409, "CommitFailedException"))
    with pytest.raises(TableAlreadyExistsError, match=r"the table 'ns\.t' already exists"):
        load().create_table("ns.t", as_select=pa.table({"id": [1]}))


def test_a_commit_that_others_are_always_faster_than_says_how_often_it_was_tried(server, load, turned):
    tables = []
    for number in range(9):
        turned.append(pa.table({"key": [number]}))
        tables.append(answer(turned))
    server.says(f"GET {TABLES}/t", *tables)
    server.says(f"POST {TABLES}/t", error(409, "CommitFailedException"))
    table = load().load_table("ns.t")
    with pytest.raises(CommitConflictError, match="gave up after 3 attempts") as caught:
        table.append(pa.table({"key": [1]}))
    assert caught.value.retryable
    assert len(server.of(f"POST {TABLES}/t")) == 3


@pytest.mark.parametrize(
    "content",
    [
        b'{"metadata": {"location": "x"',
        b'{"metadata": 5, "metadata-location": "x"}',
        b'{"metadata": "text", "metadata-location": "x"}',
        b'{"metadata": {"a": {"location": "x"}}, "metadata-location": "x"}',
        b'[{"metadata": {}}]',
        b'{"metadata": {"location": "\xff"}, "metadata-location": "x"}',
        b'{"metadata": ' + b"[" * 100_000 + b"]" * 100_000 + b', "metadata-location": "x"}',
    ],
)
def test_metadata_that_is_none_is_an_error(server, load, content):
    """The metadata of an answer is not made into objects of Python."""
    server.says(f"GET {TABLES}/t", Says(200, content))
    with pytest.raises(InvalidDataError):
        load().load_table("ns.t")


def test_names_with_escapes_are_read(server, load, turned):
    body = json.dumps(answer(turned).body).replace('"metadata"', '"meta\\u0064ata"')
    server.says(f"GET {TABLES}/t", Says(200, body.encode()))
    assert load().load_table("ns.t").schema() == turned.schema()

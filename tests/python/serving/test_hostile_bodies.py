"""Whatever a body says, the answer names what is wrong with it, and the catalog is whole."""

from __future__ import annotations

import copy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from floeberg.serving.endpoints import ENDPOINTS
from floeberg.serving.routing import _answer
from floeberg.serving.served import Asked, Served
from serving.conftest import ROWS

COLUMNS = {"type": "struct", "fields": [{"id": 1, "name": "id", "required": False, "type": "long"}]}
NAMED = {"namespace": ["ns"], "name": "t"}
VERSION = {
    "version-id": 1,
    "schema-id": 0,
    "timestamp-ms": 1,
    "summary": {},
    "default-namespace": ["ns"],
    "representations": [{"type": "sql", "sql": "SELECT 1 AS id", "dialect": "spark"}],
}
UPDATES = [
    {"action": "assign-uuid", "uuid": "5c0bd9a8-56fb-4d9a-92ac-0a0ac5f6fd5a"},
    {"action": "upgrade-format-version", "format-version": 3},
    {"action": "add-schema", "schema": COLUMNS, "last-column-id": 4},
    {"action": "set-current-schema", "schema-id": -1},
    {"action": "remove-schemas", "schema-ids": [7]},
    {
        "action": "add-spec",
        "spec": {"spec-id": 1, "fields": [{"name": "p", "transform": "identity", "source-id": 1}]},
    },
    {"action": "set-default-spec", "spec-id": 0},
    {"action": "remove-partition-specs", "spec-ids": [7]},
    {
        "action": "add-sort-order",
        "sort-order": {
            "order-id": 1,
            "fields": [
                {"transform": "identity", "source-id": 1, "direction": "asc", "null-order": "nulls-first"}
            ],
        },
    },
    {"action": "set-default-sort-order", "sort-order-id": 0},
    {
        "action": "add-snapshot",
        "snapshot": {
            "snapshot-id": 5,
            "sequence-number": 9,
            "timestamp-ms": 1,
            "manifest-list": "WAREHOUSE/m.avro",
            "summary": {"operation": "append"},
            "schema-id": 0,
        },
    },
    {
        "action": "set-snapshot-ref",
        "ref-name": "dev",
        "type": "branch",
        "snapshot-id": 5,
        "max-ref-age-ms": 4,
    },
    {"action": "remove-snapshot-ref", "ref-name": "dev"},
    {"action": "remove-snapshots", "snapshot-ids": [9]},
    {
        "action": "set-statistics",
        "statistics": {
            "snapshot-id": 5,
            "statistics-path": "WAREHOUSE/s.puffin",
            "file-size-in-bytes": 1,
            "file-footer-size-in-bytes": 1,
            "blob-metadata": [],
        },
    },
    {"action": "remove-statistics", "snapshot-id": 5},
    {"action": "set-location", "location": "WAREHOUSE/t"},
    {"action": "set-properties", "updates": {"a": "1"}},
    {"action": "remove-properties", "removals": ["a"]},
]
REQUIREMENTS = [
    {"type": "assert-ref-snapshot-id", "ref": "dev", "snapshot-id": None},
    {"type": "assert-last-assigned-field-id", "last-assigned-field-id": 1},
]
COMMITS = [{"requirements": REQUIREMENTS, "updates": [each]} for each in UPDATES]
BODIES = {
    "POST /v1/{prefix}/namespaces": [{"namespace": ["a"], "properties": {"x": "1"}}],
    "POST /v1/{prefix}/namespaces/{namespace}/properties": [{"removals": ["a"], "updates": {"b": "1"}}],
    "POST /v1/{prefix}/namespaces/{namespace}/tables": [
        {
            "name": "new",
            "schema": COLUMNS,
            "partition-spec": {"fields": [{"name": "p", "transform": "bucket[2]", "source-id": 1}]},
            "write-order": UPDATES[8]["sort-order"],
            "properties": {"a": "1"},
            "stage-create": True,
        }
    ],
    "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}": COMMITS,
    "POST /v1/{prefix}/transactions/commit": [
        {"table-changes": [{"identifier": NAMED, **each}]} for each in COMMITS
    ],
    "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/plan": [
        {
            "select": ["id"],
            "filter": {"type": "and", "left": {"type": "gt", "term": "id", "value": 1}, "right": True},
        },
        {"start-snapshot-id": 1, "end-snapshot-id": 2, "case-sensitive": False},
    ],
    "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/tasks": [{"plan-task": "nothing.1"}],
    "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/metrics": [{"report-type": "scan-report"}],
    "POST /v1/{prefix}/namespaces/{namespace}/register": [
        {"name": "r", "metadata-location": "WAREHOUSE/x.json"}
    ],
    "POST /v1/{prefix}/tables/rename": [{"source": NAMED, "destination": {**NAMED, "name": "t"}}],
    "POST /v1/{prefix}/namespaces/{namespace}/views": [
        {"name": "w", "schema": COLUMNS, "view-version": VERSION}
    ],
    "POST /v1/{prefix}/namespaces/{namespace}/views/{view}": [
        {
            "requirements": [],
            "updates": [
                {"action": "add-schema", "schema": COLUMNS},
                {"action": "add-view-version", "view-version": {**VERSION, "schema-id": -1}},
                {"action": "set-current-view-version", "view-version-id": -1},
                {"action": "set-properties", "updates": {"a": "1"}},
                {"action": "remove-properties", "removals": ["a"]},
            ],
        }
    ],
    "POST /v1/{prefix}/views/rename": [
        {"source": {**NAMED, "name": "v"}, "destination": {**NAMED, "name": "v"}}
    ],
}
BY_NAME = {each.listed: each for each in ENDPOINTS}
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(
        ["", "..", "\x00", "\ud800", "<script>", "long", "a" * 500, "s3://b/../x", "-1", "main"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "fields", "id", "x"]), inner)
    ),
    max_leaves=5,
)


def places(json, path=()):
    """Where the parts of a body are."""
    found = [path] if path else []
    if isinstance(json, dict | list):
        for key, value in json.items() if isinstance(json, dict) else enumerate(json):
            found += places(value, (*path, key))
    return found


def with_warehouse(json, warehouse):
    """A body in which locations are below the warehouse."""
    if isinstance(json, dict):
        return {key: with_warehouse(value, warehouse) for key, value in json.items()}
    if isinstance(json, list):
        return [with_warehouse(each, warehouse) for each in json]
    return json.replace("WAREHOUSE", warehouse) if isinstance(json, str) else json


@pytest.fixture
def served(catalog):
    catalog.create_view("ns.v", ROWS.schema, sql={"spark": "SELECT 1 AS id"})
    return Served(catalog)


def test_there_are_bodies_for_each_endpoint_that_takes_one():
    assert set(BODIES) == {
        name
        for name in BY_NAME
        if name.startswith("POST") and not name.endswith(("register-view", "unregister"))
    }


@pytest.mark.unchecked_tables("a client may commit a manifest list that is not there: no catalog looks")
@pytest.mark.parametrize("name", BODIES)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_body_with_a_wrong_part_is_answered(served, caplog, name, data):
    body = copy.deepcopy(
        with_warehouse(data.draw(st.sampled_from(BODIES[name])), served.catalog.properties["warehouse"])
    )
    *path, last = data.draw(st.sampled_from(places(body)))
    part = body
    for key in path:
        part = part[key]
    part[last] = data.draw(JSON)
    caplog.clear()
    asked = Asked(served, {"namespace": "ns", "table": "t", "view": "v"}, {}, {}, body, None)
    answer = _answer(BY_NAME[name], asked)
    assert answer.status_code < 500, (body, answer.body)
    assert not caplog.records, body
    # Another name may be a good one.
    if not served.catalog.table_exists("ns.t"):
        served.catalog.rename_table(served.catalog.list_tables("ns")[0], "ns.t")
    if not served.catalog.view_exists("ns.v"):
        served.catalog.rename_view(served.catalog.list_views("ns")[0], "ns.v")
    assert served.catalog.load_table("ns.t").schema() is not None
    assert served.catalog.load_view("ns.v").schema() is not None

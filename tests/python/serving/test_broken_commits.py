"""Commits that would break a table for its other readers are refused, and so is what no client means."""

from __future__ import annotations

import time

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError, NotFoundError
from serving.conftest import ROWS, asking
from serving.test_tables_of_requests import TABLE, TABLES, ids

LONG = {"id": 1, "name": "id", "required": False, "type": "long"}


def committed(http, *updates):
    return http.post(TABLE, json={"requirements": [], "updates": list(updates)})


def snapshot(http, **members):
    """The current snapshot of the table, added again with other members."""
    metadata = http.get(TABLE).json()["metadata"]
    (known,) = metadata["snapshots"]
    after = {"snapshot-id": 999, "parent-snapshot-id": known["snapshot-id"], "sequence-number": 2}
    found = {**known, **after, "timestamp-ms": int(time.time() * 1000), **members}
    return [
        {
            "action": "add-snapshot",
            "snapshot": {key: value for key, value in found.items() if value is not None},
        },
        {"action": "set-snapshot-ref", "ref-name": "main", "type": "branch", "snapshot-id": 999},
    ]


def ref(http, **members):
    known = http.get(TABLE).json()["metadata"]["current-snapshot-id"]
    return [{"action": "set-snapshot-ref", "ref-name": "b", "snapshot-id": known, **members}]


def schema(*fields, **members):
    return [
        {"action": "add-schema", "schema": {"type": "struct", "fields": list(fields), **members}},
        {"action": "set-current-schema", "schema-id": -1},
    ]


BROKEN = {
    "a tag that keeps snapshots": lambda http: ref(http, type="tag", **{"min-snapshots-to-keep": 3}),
    "a negative age": lambda http: ref(http, type="branch", **{"max-ref-age-ms": -3}),
    "an unknown type": lambda _: schema(LONG, {"id": 5, "name": "x", "required": False, "type": "wat"}),
    "a key that is no column": lambda _: schema(LONG, **{"identifier-field-ids": [77]}),
    "another type": lambda _: schema({**LONG, "type": "string"}),
    "a partition without a source": lambda _: [
        {
            "action": "add-spec",
            "spec": {"fields": [{"source-id": 99, "field-id": 1000, "name": "z", "transform": "identity"}]},
        },
        {"action": "set-default-spec", "spec-id": -1},
    ],
    "an order without a source": lambda _: [
        {
            "action": "add-sort-order",
            "sort-order": {
                "order-id": 1,
                "fields": [
                    {
                        "source-id": 99,
                        "transform": "identity",
                        "direction": "asc",
                        "null-order": "nulls-first",
                    }
                ],
            },
        },
        {"action": "set-default-sort-order", "sort-order-id": -1},
    ],
    "the last sequence number": lambda http: snapshot(http, **{"sequence-number": 2**63 - 1}),
    "its own parent": lambda http: snapshot(http, **{"parent-snapshot-id": 999}),
    "a schema that is not there": lambda http: snapshot(http, **{"schema-id": 88}),
    "a summary without an operation": lambda http: snapshot(http, summary={"a": "b"}),
    "an hour ahead": lambda http: snapshot(http, **{"timestamp-ms": int(time.time() * 1000) + 3_600_000}),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_would_break_the_table_is_refused(http, catalog, what):
    before = http.get(TABLE).json()["metadata-location"]
    answer = committed(http, *BROKEN[what](http))
    assert answer.status_code == 400, answer.text
    assert http.get(TABLE).json()["metadata-location"] == before
    catalog.load_table("ns.t").append(ROWS)
    assert ids(catalog) == [1, 1, 2, 2, 3, 3]
    assert catalog.load_table("ns.t").check().is_sound()


@pytest.mark.unchecked_tables("a manifest list is that of another snapshot")
def test_what_is_well_is_taken(http):
    assert committed(http, *snapshot(http)).status_code == 200
    assert committed(http, *schema(LONG, {"id": 2, "name": "x", "required": False, "type": "int"})).is_success
    assert committed(http, *ref(http, type="tag", **{"max-ref-age-ms": 5})).is_success


def test_a_member_that_is_there_twice_is_refused(http):
    uuid = "00000000-0000-0000-0000-000000000000"
    required = '"requirements":[{"type":"assert-table-uuid","uuid":"' + uuid + '"}],"requirements":[]'
    twice = "{" + required + ',"updates":[{"action":"set-properties","updates":{"a":"1"}}]}'
    answer = http.post(TABLE, content=twice)
    assert answer.status_code == 400
    assert "'requirements' is there twice" in answer.text


def test_half_a_pair_of_surrogates_is_refused(http):
    update = '{"requirements":[],"updates":[{"action":"set-properties","updates":{"a":"%s"}}]}'
    assert http.post(TABLE, content=update % "\\ud800").status_code == 400
    assert http.post(TABLE, content=update % "\\ud83e\\uddca").status_code == 200


def test_who_does_not_ask_for_pages_gets_everything(http, catalog):
    catalog.create_table("ns.u", ROWS)
    answer = http.get(TABLES, params={"pageSize": "1"}).json()
    assert [each["name"] for each in answer["identifiers"]] == ["t", "u"]
    assert answer["next-page-token"] is None
    first = http.get(TABLES, params={"pageSize": "1", "pageToken": ""}).json()
    assert [each["name"] for each in first["identifiers"]] == ["t"]


@pytest.mark.parametrize("name", ["a%1Fb", "%2e%2e", "a%2Fb", "100%", "a%0Ab"])
def test_names_with_percent_signs_take_commits(remote, name):
    remote.create_namespace((name,))
    table = remote.create_table((name, "t"), ROWS.schema)
    table.append(ROWS)
    assert remote.load_table((name, "t")).scan().count() == 3


def test_names_of_very_many_levels_are_refused_at_once(http, tmp_path):
    answer = http.post("/v1/namespaces", json={"namespace": ["b"] * 20_000})
    assert answer.status_code == 400
    assert len(answer.text) < 1000
    folders = fb.load_catalog("levels", type="filesystem", warehouse=str(tmp_path / "lake"))
    with pytest.raises(InvalidInputError, match="at most 64 levels"):
        folders.create_namespace(("a",) * 100_000)
    with asking(folders) as client:
        assert client.post("/v1/namespaces", json={"namespace": ["left", "x" * 300]}).status_code == 400
        assert client.get("/v1/namespaces").json()["namespaces"] == []


def test_what_is_no_catalog_is_not_served():
    with pytest.raises(InvalidInputError, match="expected a catalog"):
        fb.serve("x")


def test_a_report_that_cannot_be_written_is_an_error_of_the_library(tmp_path):
    catalog = fb.load_catalog("unwritten", type="memory")
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", as_select=pa.table({"id": [1]}))
    with pytest.raises(NotFoundError, match="folder of the report"):
        table.report(tmp_path / "none" / "a.html")
    with pytest.raises(fb.errors.FloebergError, match="expected a file, found the folder"):
        table.report(tmp_path)

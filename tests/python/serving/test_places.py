"""A client cannot have the server use files outside of the warehouse."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from serving.conftest import ROWS, asking
from serving.test_requests import refusal
from serving.test_tables_of_requests import COLUMNS, TABLE, TABLES

FORBIDDEN = (403, "ForbiddenException")


def outside(folder):
    """Locations that are not below a warehouse, or may be another place for another reader."""
    return [
        "/etc",
        "file:///etc/passwd",
        "s3://bucket/elsewhere",
        "http://127.0.0.1/metadata",
        f"{folder}",
        f"{folder}/warehouse",
        f"{folder}/warehouse/",
        f"{folder}/warehouse2/x",
        f"{folder}/warehouse/../x",
        f"{folder}/warehouse/./x",
        f"{folder}/warehouse/a/../../x",
        f"file://{folder}/warehouse/%2e%2e/x",
        f"{folder}/warehouse/%252e%252e/x",
        f"{folder}/warehouse/a%2f..%2f..%2fx",
        f"{folder}/warehouse/a\\..\\..\\x",
        f"{folder}/warehouse/a\x00b",
        f"memory://{folder}/warehouse/x",
    ]


@pytest.mark.parametrize("number", range(17))
def test_no_request_names_another_place(http, catalog, tmp_path, number):
    place = outside(tmp_path)[number]
    snapshot = {"snapshot-id": 7, "sequence-number": 9, "timestamp-ms": 1, "summary": {"operation": "append"}}
    updates = [
        {"action": "set-location", "location": place},
        {"action": "add-snapshot", "snapshot": {**snapshot, "manifest-list": place}},
        {"action": "add-snapshot", "snapshot": {**snapshot, "manifests": [place]}},
        {"action": "set-statistics", "statistics": {"snapshot-id": 1, "statistics-path": place}},
        {
            "action": "set-partition-statistics",
            "partition-statistics": {"snapshot-id": 1, "statistics-path": place},
        },
        {"action": "set-properties", "updates": {"write.data.path": place}},
        {"action": "set-properties", "updates": {"write.metadata.path": place}},
        {"action": "set-properties", "updates": {"write.object-storage.path": place}},
    ]
    new = {"name": "new", "schema": COLUMNS}
    view = {"schema": COLUMNS, "view-version": {}, "name": "v"}
    before = catalog.load_table("ns.t").metadata_location
    for answer in (
        *(http.post(TABLE, json={"requirements": [], "updates": [each]}) for each in updates),
        http.post(TABLES, json=new | {"location": place}),
        http.post(TABLES, json=new | {"location": place, "stage-create": True}),
        http.post(TABLES, json=new | {"properties": {"write.metadata.path": place}}),
        http.post("/v1/namespaces/ns/register", json={"name": "new", "metadata-location": place}),
        http.post("/v1/namespaces/ns/register-view", json={"name": "new", "metadata-location": place}),
        http.post("/v1/namespaces/ns/views", json=view | {"location": place}),
        http.post("/v1/namespaces", json={"namespace": ["other"], "properties": {"location": place}}),
        http.post("/v1/namespaces/ns/properties", json={"updates": {"location": place}}),
    ):
        assert refusal(answer) == FORBIDDEN, answer.text
    assert catalog.load_table("ns.t").metadata_location == before
    assert catalog.list_tables("ns") == [("ns", "t")]
    assert catalog.list_namespaces() == [("ns",)]


def test_places_below_the_warehouse_are_taken(http, catalog, tmp_path):
    made = http.post(
        TABLES, json={"name": "new", "schema": COLUMNS, "location": f"file://{tmp_path}/warehouse/x/y"}
    )
    assert made.status_code == 200, made.text
    data = {"action": "set-properties", "updates": {"write.data.path": f"{tmp_path}/warehouse/data"}}
    assert http.post(f"{TABLES}/new", json={"requirements": [], "updates": [data]}).status_code == 200
    assert catalog.load_table("ns.new").properties["write.data.path"] == f"{tmp_path}/warehouse/data"


def test_a_table_that_is_elsewhere_may_stay_there(http, catalog, tmp_path):
    made = catalog.create_table("ns.far", ROWS, location=f"{tmp_path}/far/t")
    path = {"action": "set-properties", "updates": {"write.data.path": f"{tmp_path}/far/t/more"}}
    assert http.post(f"{TABLES}/far", json={"requirements": [], "updates": [path]}).status_code == 200
    beside = {"action": "set-properties", "updates": {"write.data.path": f"{tmp_path}/far/t2"}}
    assert refusal(http.post(f"{TABLES}/far", json={"requirements": [], "updates": [beside]})) == FORBIDDEN
    assert "write.data.path" in made.refresh().properties


@pytest.mark.parametrize(
    "change",
    [
        {"location": "/etc"},
        {"properties": {"write.metadata.path": "/etc"}},
    ],
)
def test_metadata_that_points_elsewhere_is_not_registered(http, catalog, change):
    known = catalog.load_table("ns.t").metadata_location
    planted = known.replace("00000-", "00009-")
    metadata = json.loads(Path(known).read_text()) | change
    Path(planted).write_text(json.dumps(metadata))
    register = "/v1/namespaces/ns/register"
    assert refusal(http.post(register, json={"name": "new", "metadata-location": planted})) == FORBIDDEN
    assert not catalog.table_exists("ns.new")
    with asking(catalog, allow_outside=True) as client:
        assert client.post(register, json={"name": "new", "metadata-location": planted}).status_code == 200


def test_a_table_is_registered_where_another_is_only_if_asked(http, catalog, tmp_path):
    catalog.create_table("ns.u", ROWS)
    place = catalog.load_table("ns.u").metadata_location
    body = {"name": "t", "metadata-location": place}
    assert refusal(http.post("/v1/namespaces/ns/register", json=body)) == (409, "AlreadyExistsException")
    assert http.post("/v1/namespaces/ns/register", json=body | {"overwrite": True}).status_code == 200
    assert catalog.load_table("ns.t").metadata_location == place
    gone = {"name": "new", "metadata-location": f"{tmp_path}/warehouse/none.metadata.json"}
    assert refusal(http.post("/v1/namespaces/ns/register", json=gone))[0] == 404
    (tmp_path / "warehouse" / "damaged.metadata.json").write_text(Path(place).read_text() + "}")
    damaged = {"name": "new", "metadata-location": f"{tmp_path}/warehouse/damaged.metadata.json"}
    assert refusal(http.post("/v1/namespaces/ns/register", json=damaged)) == (422, "InvalidDataException")


@pytest.mark.unchecked_tables("a manifest list is put in the place of another on purpose")
def test_a_plan_reads_no_manifest_of_elsewhere(http, catalog, tmp_path):
    table = catalog.load_table("ns.t")
    elsewhere = catalog.create_table("ns.far", ROWS, location=f"{tmp_path}/far/t")
    # A manifest list that a client wrote may name any file.
    shutil.copy(elsewhere.current_snapshot().manifest_list, table.current_snapshot().manifest_list)
    assert refusal(http.post(f"{TABLE}/plan", json={})) == FORBIDDEN
    with asking(catalog, allow_outside=True) as client:
        assert client.post(f"{TABLE}/plan", json={}).status_code == 200

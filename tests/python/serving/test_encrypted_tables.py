"""A client of a served catalog cannot make an encrypted table plain, nor lose its keys."""

from __future__ import annotations

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.encryption import create_key
from serving.conftest import asking

SCHEMA = pa.schema([("id", pa.int64())])
KEY = "encryption.key-id"
pytestmark = pytest.mark.unchecked_tables("the checker has no keys")


@pytest.fixture
def keyed(tmp_path):
    """A catalog with an encrypted table `ns.t`, and a plain one `ns.plain`, of a row each."""
    create_key(tmp_path / "keys.json", "customers")
    catalog = fb.load_catalog(
        "keyed",
        type="sql",
        uri=f"sqlite:///{tmp_path}/c.db",
        warehouse=str(tmp_path / "warehouse"),
        **{"encryption.kms-type": "file", "encryption.key-file": str(tmp_path / "keys.json")},
    )
    catalog.create_namespace("ns")
    catalog.create_table("ns.t", SCHEMA, properties={KEY: "customers", "format-version": "3"})
    catalog.create_table("ns.plain", SCHEMA, properties={"format-version": "3"})
    for name in ("t", "plain"):
        catalog.load_table(f"ns.{name}").append(pa.table({"id": [1]}))
    return catalog


@pytest.fixture
def http(keyed):
    with asking(keyed) as client:
        yield client


def committed(http, table, *updates):
    return http.post(f"/v1/namespaces/ns/tables/{table}", json={"requirements": [], "updates": list(updates)})


def of(http, table):
    return http.get(f"/v1/namespaces/ns/tables/{table}").json()["metadata"]


CHANGES = {
    "removed": ("t", lambda _: {"action": "remove-properties", "removals": [KEY]}),
    "another": ("t", lambda _: {"action": "set-properties", "updates": {KEY: "other"}}),
    "set": ("plain", lambda _: {"action": "set-properties", "updates": {KEY: "customers"}}),
    "length": ("t", lambda _: {"action": "set-properties", "updates": {"encryption.data-key-length": "32"}}),
    "key taken away": (
        "t",
        lambda http: {
            "action": "remove-encryption-key",
            "key-id": of(http, "t")["encryption-keys"][0]["key-id"],
        },
    ),
    "plain snapshot": (
        "t",
        lambda http: {"action": "add-snapshot", "snapshot": of(http, "plain")["snapshots"][0]},
    ),
    "statistics": ("t", lambda http: statistics(of(http, "t"))),
}


def statistics(metadata):
    file = {
        "snapshot-id": metadata["current-snapshot-id"],
        "statistics-path": f"{metadata['location']}/metadata/s.puffin",
        "file-size-in-bytes": 10,
        "file-footer-size-in-bytes": 5,
        "blob-metadata": [],
    }
    return {"action": "set-statistics", "snapshot-id": file["snapshot-id"], "statistics": file}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_that_would_leave_plain_files_is_refused(http, keyed, what):
    table, update = CHANGES[what]
    before = keyed.load_table(f"ns.{table}").metadata_location
    answer = committed(http, table, update(http))
    assert answer.status_code == 406, answer.text
    assert answer.json()["error"]["type"] == "UnsupportedOperationException"
    now = keyed.load_table(f"ns.{table}")
    assert now.metadata_location == before
    assert now.scan().to_arrow()["id"].to_pylist() == [1]


def test_what_stays_encrypted_is_taken(http, keyed):
    same = {"action": "set-properties", "updates": {KEY: "customers", "owner": "jo"}}
    assert committed(http, "t", same).status_code == 200
    gone = {"action": "remove-properties", "removals": [KEY, "owner"]}
    assert committed(http, "plain", gone).status_code == 200
    assert keyed.load_table("ns.t").properties["owner"] == "jo"


def test_a_new_table_with_a_key_takes_no_plain_snapshot(http):
    metadata = of(http, "plain")
    (snapshot,) = metadata["snapshots"]
    answer = http.post(
        "/v1/namespaces/ns/tables/new",
        json={
            "requirements": [{"type": "assert-create"}],
            "updates": [
                {"action": "assign-uuid", "uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1"},
                {"action": "upgrade-format-version", "format-version": 3},
                {"action": "add-schema", "schema": metadata["schemas"][0]},
                {"action": "set-current-schema", "schema-id": -1},
                {"action": "add-spec", "spec": {"fields": []}},
                {"action": "set-default-spec", "spec-id": -1},
                {"action": "add-sort-order", "sort-order": {"order-id": 0, "fields": []}},
                {"action": "set-default-sort-order", "sort-order-id": -1},
                {"action": "set-properties", "updates": {KEY: "customers"}},
                {"action": "add-snapshot", "snapshot": snapshot},
            ],
        },
    )
    assert answer.status_code == 406, answer.text
    assert "names no key" in answer.text

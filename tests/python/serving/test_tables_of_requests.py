"""What a server answers about tables, as any client asks it."""

from __future__ import annotations

import threading
import uuid

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.catalog import FileSystemCatalog
from floeberg.errors import CommitStateUnknownError
from serving.conftest import ROWS, TOKEN, asking, listening
from serving.test_requests import refusal

TABLES = "/v1/namespaces/ns/tables"
TABLE = f"{TABLES}/t"
COLUMNS = {"type": "struct", "fields": [{"id": 7, "name": "a b", "required": False, "type": "long"}]}


def set_properties(**updates):
    return {"requirements": [], "updates": [{"action": "set-properties", "updates": updates}]}


def ids(catalog):
    return sorted(catalog.load_table("ns.t").scan().to_arrow()["id"].to_pylist())


def test_a_table_is_loaded_as_it_is_kept(http, catalog):
    answer = http.get(TABLE)
    table = catalog.load_table("ns.t")
    assert answer.json()["metadata-location"] == table.metadata_location
    assert table._inner.metadata_json() in answer.text
    assert answer.json()["config"] == {}


def test_a_table_that_did_not_change_is_not_sent_again(http, catalog):
    tag = http.get(TABLE).headers["ETag"]
    for shown in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = http.get(TABLE, headers={"If-None-Match": shown})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    refs = http.get(TABLE, params={"snapshots": "refs"}, headers={"If-None-Match": tag})
    assert refs.status_code == 200
    catalog.load_table("ns.t").append(ROWS)
    after = http.get(TABLE, headers={"If-None-Match": tag})
    assert after.status_code == 200
    assert after.headers["ETag"] != tag


def test_the_answer_to_a_commit_has_the_tag_of_the_table(http):
    made = http.post(TABLE, json=set_properties(a="1"))
    assert http.get(TABLE, headers={"If-None-Match": made.headers["ETag"]}).status_code == 304


def test_snapshots_without_a_name_are_left_out_where_nobody_wants_them(http, catalog):
    table = catalog.load_table("ns.t")
    table.append(ROWS)
    table.manage_snapshots().create_tag(table.snapshots()[0].snapshot_id, "first").commit()
    table.append(ROWS)
    found = {
        mode: [
            each["snapshot-id"]
            for each in http.get(TABLE, params={"snapshots": mode}).json()["metadata"]["snapshots"]
        ]
        for mode in ("all", "refs")
    }
    first, second, third = (each.snapshot_id for each in table.snapshots())
    assert found == {"all": [first, second, third], "refs": [first, third]}
    assert refusal(http.get(TABLE, params={"snapshots": "some"}))[0] == 400


def test_lists_come_in_pages(http, catalog):
    for name in "dbca":
        catalog.create_table(f"ns.{name}", ROWS.schema)
    assert [each["name"] for each in http.get(TABLES).json()["identifiers"]] == list("abcdt")
    seen, token = [], ""
    while token is not None:
        found = http.get(TABLES, params={"pageSize": 2, "pageToken": token}).json()
        assert len(found["identifiers"]) <= 2
        seen += [each["name"] for each in found["identifiers"]]
        token = found["next-page-token"]
        if len(seen) == 2:
            # What was last may be gone when the next page is asked for.
            catalog.drop_table("ns.b")
            catalog.drop_table("ns.c")
    assert seen == ["a", "b", "d", "t"]
    whole = http.get(TABLES, params={"pageToken": ""}).json()
    assert (len(whole["identifiers"]), whole["next-page-token"]) == (3, None)
    for wrong in (
        {"pageSize": "0"},
        {"pageSize": "-1"},
        {"pageSize": "x"},
        {"pageToken": "x"},
        {"pageToken": "bnVsbA=="},
    ):
        assert refusal(http.get(TABLES, params=wrong))[0] == 400
    assert http.get("/v1/namespaces", params={"pageToken": "", "pageSize": "9" * 50}).json()[
        "namespaces"
    ] == [["ns"]]


def test_a_table_is_made_of_a_request(http, catalog):
    made = http.post(
        TABLES,
        json={
            "name": "new",
            "schema": COLUMNS,
            "partition-spec": {"fields": [{"name": "p", "source-id": 7, "transform": "bucket[4]"}]},
            "write-order": {
                "order-id": 1,
                "fields": [
                    {"source-id": 7, "transform": "identity", "direction": "desc", "null-order": "nulls-last"}
                ],
            },
            "properties": {"format-version": "3", "a": "1"},
        },
    )
    assert made.status_code == 200, made.text
    table = catalog.load_table("ns.new")
    assert made.json()["metadata-location"] == table.metadata_location
    assert (table.format_version, table.properties["a"]) == (3, "1")
    assert table.schema().column_names == ["a b"]
    assert [each.name for each in table.spec().fields] == ["p"]
    assert table.sort_order().order_id == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": 7},
        {"name": ""},
        {"name": "a/b"},
        {"name": ".."},
        {"name": "a\x1fb"},
        {"schema": None},
        {
            "schema": {
                "type": "struct",
                "fields": [{"id": 1, "name": "a", "required": True, "type": "nonsense("}],
            }
        },
        {"schema": {"type": "struct", "fields": 7}},
        {"partition-spec": []},
        {"partition-spec": {"fields": [{"name": "p", "source-id": 99, "transform": "identity"}]}},
        {"properties": {"a": 1}},
        {"properties": {"format-version": "9"}},
        {"location": 7},
        {"location": ""},
    ],
)
@pytest.mark.parametrize("staged", [True, False])
def test_a_table_that_cannot_be_is_refused(http, catalog, wrong, staged):
    answer = http.post(TABLES, json={"name": "new", "schema": COLUMNS, "stage-create": staged} | wrong)
    assert refusal(answer)[0] in (400, 406), answer.text
    assert catalog.list_tables("ns") == [("ns", "t")]


def test_a_staged_table_is_not_there_until_its_commit(http, catalog):
    staged = http.post(TABLES, json={"name": "new", "schema": COLUMNS, "stage-create": True}).json()
    assert "metadata-location" not in staged
    assert not catalog.table_exists("ns.new")
    metadata = staged["metadata"]
    updates = [
        {"action": "assign-uuid", "uuid": metadata["table-uuid"]},
        {"action": "upgrade-format-version", "format-version": 2},
        {"action": "add-schema", "schema": metadata["schemas"][0]},
        {"action": "set-current-schema", "schema-id": -1},
        {"action": "add-spec", "spec": metadata["partition-specs"][0]},
        {"action": "set-default-spec", "spec-id": -1},
        {"action": "add-sort-order", "sort-order": metadata["sort-orders"][0]},
        {"action": "set-default-sort-order", "sort-order-id": -1},
        {"action": "set-location", "location": metadata["location"]},
    ]
    created = {"requirements": [{"type": "assert-create"}], "updates": updates}
    assert refusal(http.post(f"{TABLES}/new", json=created | {"updates": updates[:3]}))[0] == 400
    assert not catalog.table_exists("ns.new")
    assert http.post(f"{TABLES}/new", json=created).status_code == 200
    assert catalog.load_table("ns.new").location() == metadata["location"]
    assert refusal(http.post(f"{TABLES}/new", json=created))[0] == 409


def test_what_is_missing_or_taken_has_its_own_error(http, catalog):
    catalog.create_view("ns.v", ROWS.schema, sql={"spark": "SELECT 1 AS id"})
    new = {"name": "t", "schema": COLUMNS}
    expected = {
        http.get(f"{TABLES}/none"): (404, "NoSuchTableException"),
        http.get(f"{TABLES}/v"): (404, "NoSuchTableException"),
        http.post(f"{TABLES}/none", json=set_properties()): (404, "NoSuchTableException"),
        http.delete(f"{TABLES}/none"): (404, "NoSuchTableException"),
        http.get("/v1/namespaces/none"): (404, "NoSuchNamespaceException"),
        http.get("/v1/namespaces/none/tables"): (404, "NoSuchNamespaceException"),
        http.post("/v1/namespaces/none/tables", json=new): (404, "NoSuchNamespaceException"),
        http.get("/v1/namespaces/ns/views/t"): (404, "NoSuchViewException"),
        http.post(TABLES, json=new): (409, "AlreadyExistsException"),
        http.post(TABLES, json=new | {"name": "v"}): (409, "AlreadyExistsException"),
        http.post("/v1/namespaces", json={"namespace": ["ns"]}): (409, "AlreadyExistsException"),
        http.delete("/v1/namespaces/ns"): (409, "NamespaceNotEmptyException"),
        http.post("/v1/tables/rename", json={"source": 1}): (400, "BadRequestException"),
        http.post(TABLE, json={"updates": []}): (400, "BadRequestException"),
        http.post(TABLE, json={"updates": [7], "requirements": []}): (400, "BadRequestException"),
        http.post(TABLE, json={"updates": [{"action": "explode"}], "requirements": []}): (
            406,
            "UnsupportedOperationException",
        ),
        http.post("/v1/namespaces/ns/properties", json={"removals": ["a"], "updates": {"a": "1"}}): (
            422,
            "UnprocessableEntityException",
        ),
    }
    assert [refusal(answer) for answer in expected] == list(expected.values())
    missing = [f"{TABLES}/none", "/v1/namespaces/none", "/v1/namespaces/ns/views/none"]
    assert [http.head(path).status_code for path in missing] == [404, 404, 404]
    assert [
        http.head(path).status_code for path in (TABLE, "/v1/namespaces/ns", "/v1/namespaces/ns/views/v")
    ] == [204] * 3


def test_another_identifier_than_that_of_the_path_is_refused(http, catalog):
    body = set_properties(a="1") | {"identifier": {"namespace": ["ns"], "name": "other"}}
    assert refusal(http.post(TABLE, json=body))[0] == 400
    assert "a" not in catalog.load_table("ns.t").properties


def test_a_requirement_that_does_not_hold_is_a_conflict(http, catalog):
    body = set_properties(a="1") | {
        "requirements": [{"type": "assert-table-uuid", "uuid": str(uuid.uuid4())}]
    }
    assert refusal(http.post(TABLE, json=body)) == (409, "CommitFailedException")
    assert "a" not in catalog.load_table("ns.t").properties


def test_a_lost_race_is_not_the_clients_matter(http, catalog, monkeypatch):
    known, lost = type(catalog).do_swap_metadata_location, []

    def swap(self, identifier, before, after):
        if len(lost) < 2:
            lost.append(after)
            raise self.commit_conflict(identifier)
        known(self, identifier, before, after)

    monkeypatch.setattr(type(catalog), "do_swap_metadata_location", swap)
    catalog.load_table("ns.t")
    assert http.post(TABLE, json=set_properties(a="1")).status_code == 200
    assert len(lost) == 2
    assert catalog.load_table("ns.t").properties["a"] == "1"


def test_a_race_that_is_lost_for_good_is_a_conflict(http, catalog, monkeypatch):
    def swap(self, identifier, *_):
        raise self.commit_conflict(identifier)

    retries = {
        "commit.retry.num-retries": "2",
        "commit.retry.min-wait-ms": "1",
        "commit.retry.max-wait-ms": "1",
    }
    catalog.load_table("ns.t").set_properties(retries)
    monkeypatch.setattr(type(catalog), "do_swap_metadata_location", swap)
    assert refusal(http.post(TABLE, json=set_properties(a="1"))) == (409, "CommitFailedException")


def test_an_outcome_that_is_unknown_is_said_to_be(http, catalog, monkeypatch):
    known = type(catalog).do_swap_metadata_location

    def swap(self, identifier, before, after):
        if is_stored:
            known(self, identifier, before, after)
        raise CommitStateUnknownError("the database went away")

    monkeypatch.setattr(type(catalog), "do_swap_metadata_location", swap)
    is_stored = False
    assert refusal(http.post(TABLE, json=set_properties(a="1"))) == (500, "CommitStateUnknownException")
    is_stored = True
    assert http.post(TABLE, json=set_properties(b="1")).status_code == 200, "the table shows that it was made"


def test_a_request_that_is_sent_twice_is_done_once(http, catalog):
    keys = [str(uuid.uuid4()) for _ in range(3)]
    new = {"name": "new", "schema": COLUMNS}
    made = [http.post(TABLES, json=new, headers={"Idempotency-Key": keys[0]}) for _ in range(2)]
    assert made[0].json() == made[1].json()
    dropped = [http.delete(f"{TABLES}/new", headers={"Idempotency-Key": keys[1]}) for _ in range(2)]
    assert [each.status_code for each in dropped] == [204, 204]
    refused = [
        http.post(TABLES, json={"name": "t", "schema": COLUMNS}, headers={"Idempotency-Key": keys[2]})
        for _ in range(2)
    ]
    assert [each.status_code for each in refused] == [409, 409]
    other = http.post(TABLES, json=new | {"name": "third"}, headers={"Idempotency-Key": keys[0]})
    assert refusal(other)[0] == 400
    assert refusal(http.post(TABLES, json=new, headers={"Idempotency-Key": "mine"}))[0] == 400
    assert catalog.list_tables("ns") == [("ns", "t")]


def test_an_answer_of_a_failing_server_is_not_kept(http, catalog, monkeypatch):
    key = {"Idempotency-Key": str(uuid.uuid4())}

    def swap(*_):
        raise CommitStateUnknownError("the database went away")

    with monkeypatch.context() as broken:
        broken.setattr(type(catalog), "do_swap_metadata_location", swap)
        assert http.post(TABLE, json=set_properties(a="1"), headers=key).status_code == 500
    assert http.post(TABLE, json=set_properties(a="1"), headers=key).status_code == 200


def test_a_commit_that_is_sent_again_after_a_restart_is_found_in_the_table(catalog):
    with listening(catalog) as url, fb.load_catalog("c", type="rest", uri=url, token=TOKEN) as remote:
        remote.load_table("ns.t").append(ROWS)
    summary = catalog.load_table("ns.t").current_snapshot().summary
    key = summary["floeberg.request-key"]
    assert uuid.UUID(key).version == 7
    before = catalog.load_table("ns.t")
    last = before.current_snapshot()
    body = {
        "requirements": [
            {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": last.parent_snapshot_id}
        ],
        "updates": [{"action": "set-properties", "updates": {"again": "1"}}],
    }
    with asking(catalog) as client:
        # The server that comes back knows the key by the snapshot.
        again = client.post(TABLE, json=body, headers={"Idempotency-Key": key})
        assert (again.status_code, again.json()["metadata-location"]) == (200, before.metadata_location)
        assert (
            client.post(TABLE, json=body, headers={"Idempotency-Key": str(uuid.uuid4())}).status_code == 409
        )
    assert ids(catalog) == [1, 1, 2, 2, 3, 3]


def test_several_tables_in_one_commit(http, catalog):
    catalog.create_table("ns.u", ROWS.schema)

    def changes(*parts):
        return {
            "table-changes": [
                {"identifier": {"namespace": ["ns"], "name": name}, **set_properties(**more), **other}
                for name, more, other in parts
            ]
        }

    path = "/v1/transactions/commit"
    refused = {"requirements": [{"type": "assert-default-spec-id", "default-spec-id": 8}]}
    assert http.post(path, json=changes(("t", {"a": "1"}, {}), ("u", {"a": "2"}, {}))).status_code == 204
    assert http.post(path, json=changes(("t", {"a": "9"}, {}), ("u", {"a": "9"}, refused))).status_code == 409
    assert http.post(path, json=changes(("t", {"a": "9"}, {}), ("none", {}, {}))).status_code == 404
    assert http.post(path, json=changes(("t", {"a": "9"}, {}), ("t", {"b": "9"}, {}))).status_code == 400
    for wrong in ({}, {"table-changes": []}, {"table-changes": [7]}, {"table-changes": "t"}):
        assert http.post(path, json=wrong).status_code == 400
    assert [catalog.load_table(f"ns.{name}").properties["a"] for name in "tu"] == ["1", "2"]


def test_many_clients_at_once_lose_nothing(catalog):
    catalog.load_table("ns.t").set_properties({"commit.retry.num-retries": "50"})
    with listening(catalog) as url:
        failed = []

        def append(number):
            with fb.load_catalog("c", type="rest", uri=url, token=TOKEN) as remote:
                table = remote.load_table("ns.t")
                for each in range(3):
                    try:
                        table.append(pa.table({"id": [100 * number + each]}))
                    except fb.FloebergError as error:
                        failed.append(error)

        threads = [threading.Thread(target=append, args=(number,)) for number in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failed == []
    assert ids(catalog) == [
        1,
        2,
        3,
        *sorted(100 * number + each for number in range(1, 9) for each in range(3)),
    ]


def test_spark_s_owner_is_dropped_where_namespaces_have_no_properties(tmp_path):
    folders = FileSystemCatalog("folders", {"warehouse": str(tmp_path)})
    with asking(folders) as client:
        made = client.post("/v1/namespaces", json={"namespace": ["a"], "properties": {"owner": "jo"}})
        assert (made.status_code, made.json()["properties"]) == (200, {"location": f"{tmp_path}/a"})
        other = client.post(
            "/v1/namespaces", json={"namespace": ["b"], "properties": {"owner": "jo", "x": "1"}}
        )
        assert refusal(other) == (406, "UnsupportedOperationException")
        assert refusal(client.get("/v1/namespaces/a/views"))[0] == 406
        assert not [each for each in client.get("/v1/config").json()["endpoints"] if "view" in each]
    assert folders.list_namespaces() == [("a",)]


def test_reports_of_clients_are_logged(http, caplog):
    caplog.set_level("INFO", logger="floeberg.serving")
    assert http.post(f"{TABLE}/metrics", json={"report-type": "scan-report", "x": "\n<b>"}).status_code == 204
    assert r"\n<b>" in caplog.text
    assert refusal(http.post(f"{TABLE}/metrics", json={}))[0] == 400


def test_options_of_the_storage_stay_here_unless_they_are_shared(catalog):
    catalog._properties |= {"s3.secret-access-key": "hush", "s3.region": "eu-central-1"}
    with asking(catalog) as client:
        assert client.get(TABLE).json()["config"] == {"s3.region": "eu-central-1"}
        assert (
            "hush"
            not in client.post(TABLES, json={"name": "n", "schema": COLUMNS, "stage-create": True}).text
        )
    with asking(catalog, share_storage_options=True) as client:
        assert client.get(TABLE).json()["config"] == {
            "s3.secret-access-key": "hush",
            "s3.region": "eu-central-1",
        }


def test_who_has_the_keys_of_tables_is_never_shared(catalog):
    catalog._properties |= {
        "encryption.kms-type": "vault",
        "encryption.vault.token": "hush",
        "kms.endpoint": "https://kms.example.org",
        "s3.region": "eu-central-1",
    }
    with asking(catalog, share_storage_options=True) as client:
        assert client.get(TABLE).json()["config"] == {"s3.region": "eu-central-1"}

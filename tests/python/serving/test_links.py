"""Links in a warehouse lead no client out of it."""

from __future__ import annotations

import json

import pytest

from floeberg.catalog import FileSystemCatalog
from serving.conftest import ROWS, asking
from serving.test_requests import refusal
from serving.test_tables_of_requests import COLUMNS

FORBIDDEN = (403, "ForbiddenException")
PATH = "/v1/namespaces"


@pytest.fixture
def folders(tmp_path):
    """A warehouse with a namespace and a table, and links to another warehouse and its table; and one that stays in."""
    other = FileSystemCatalog("other", {"warehouse": str(tmp_path / "other")})
    other.create_namespace("secret")
    other.create_table("secret.t", ROWS)
    made = FileSystemCatalog("made", {"warehouse": str(tmp_path / "lake")})
    made.create_namespace("ns")
    made.create_table("ns.t", ROWS)
    (tmp_path / "lake" / "away").symlink_to(tmp_path / "other" / "secret", target_is_directory=True)
    (tmp_path / "lake" / "ns" / "away").symlink_to(
        tmp_path / "other" / "secret" / "t", target_is_directory=True
    )
    (tmp_path / "lake" / "within").symlink_to(tmp_path / "lake" / "ns", target_is_directory=True)
    return made


REQUESTS = [
    ("GET", "/away", None),
    ("HEAD", "/away", None),
    ("GET", "/away/tables", None),
    ("GET", "/away/tables/t", None),
    ("HEAD", "/away/tables/t", None),
    ("DELETE", "/away/tables/t", None),
    ("DELETE", "/away", None),
    ("POST", "/away/tables", {"name": "new", "schema": COLUMNS}),
    (
        "POST",
        "/away/tables/t",
        {"requirements": [], "updates": [{"action": "set-properties", "updates": {}}]},
    ),
    ("POST", "/away/tables/t/plan", {}),
    ("POST", "", {"namespace": ["away", "more"]}),
    ("GET", "/ns/tables/away", None),
    ("DELETE", "/ns/tables/away", None),
    ("POST", "/ns/tables", {"name": "away", "schema": COLUMNS}),
    ("POST", "/ns/tables/away", {"requirements": [], "updates": []}),
]


def test_names_that_are_links_out_are_refused(folders, tmp_path):
    before = sorted(map(str, (tmp_path / "other").rglob("*")))
    with asking(folders) as client:
        for method, path, body in REQUESTS:
            answer = client.request(method, PATH + path, json=body)
            assert answer.status_code == 403, (method, path)
            if method != "HEAD":
                assert refusal(answer) == FORBIDDEN
            assert str(tmp_path / "other") not in answer.text
        assert client.get("/report/away/t").status_code == 403
        assert client.get("/?namespace=away").status_code == 403
    assert sorted(map(str, (tmp_path / "other").rglob("*"))) == before


def test_a_transaction_does_not_follow_it(folders):
    change = {"identifier": {"namespace": ["away"], "name": "t"}, "requirements": [], "updates": []}
    with asking(folders) as client:
        assert refusal(client.post("/v1/transactions/commit", json={"table-changes": [change]})) == FORBIDDEN


def test_locations_through_a_link_are_refused(folders, tmp_path):
    (tmp_path / "lake" / "ns" / "t" / "out").symlink_to(tmp_path / "other", target_is_directory=True)
    place = f"{tmp_path}/lake/ns/t/out/secret/t/metadata/v1.metadata.json"
    updates = [
        {"action": "set-properties", "updates": {"write.data.path": f"{tmp_path}/lake/ns/t/out/data"}},
        {"action": "set-statistics", "statistics": {"snapshot-id": 1, "statistics-path": place}},
    ]
    with asking(folders) as client:
        for each in updates:
            answer = client.post(f"{PATH}/ns/tables/t", json={"requirements": [], "updates": [each]})
            assert refusal(answer) == FORBIDDEN
        new = {"name": "r", "metadata-location": f"{tmp_path}/lake/away/t/metadata/v1.metadata.json"}
        assert refusal(client.post(f"{PATH}/ns/register", json=new)) == FORBIDDEN


def test_links_that_stay_within_are_followed(folders, tmp_path):
    with asking(folders) as client:
        assert client.get(f"{PATH}/within/tables/t").status_code == 200
        assert client.get(f"{PATH}/ns/tables/t").status_code == 200
    # The warehouse itself may be reached by a link.
    (tmp_path / "link").symlink_to(tmp_path / "lake", target_is_directory=True)
    linked = FileSystemCatalog("linked", {"warehouse": str(tmp_path / "link")})
    with asking(linked) as client:
        answer = client.post(f"{PATH}/ns/tables", json={"name": "new", "schema": COLUMNS})
        assert answer.status_code == 200, json.dumps(answer.json())
        assert refusal(client.get(f"{PATH}/away/tables/t")) == FORBIDDEN


def test_a_server_that_allows_it_follows(folders):
    with asking(folders, allow_outside=True) as client:
        assert client.get(f"{PATH}/away/tables/t").status_code == 200

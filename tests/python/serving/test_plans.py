"""A plan that takes long comes later, one of many files comes in pages, and all of them within bounds."""

from __future__ import annotations

import threading
import time

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidDataError
from floeberg.serving import planning
from floeberg.serving.limits import Limits
from floeberg.serving.plans import Plans
from floeberg.serving.refusals import RefusedError
from serving.conftest import TOKEN, asking, listening
from serving.test_requests import refusal

PLAN = "/v1/namespaces/ns/tables/t/plan"
TASKS = "/v1/namespaces/ns/tables/t/tasks"
SMALL = Limits(plan_tasks=3)
LATE = Limits(plan_seconds=0.0, plan_tasks=3)


@pytest.fixture
def files(catalog):
    """Ten files of a row each, in which deletes of two positions files apply."""
    table = catalog.create_table(
        "ns.f", pa.table({"id": [0]}), properties={"write.delete.mode": "merge-on-read"}, format_version=2
    )
    for number in range(1, 10):
        table.append(pa.table({"id": [number, number + 100]}))
    table.delete("id = 103")
    table.delete("id in (105, 107)")
    return table


@pytest.mark.parametrize("limits", [SMALL, LATE, Limits(plan_tasks=1), Limits(plan_tasks=10)])
def test_a_client_reads_pages(catalog, files, limits):
    options = {"type": "rest", "token": TOKEN, "scan-planning-mode": "server"}
    with listening(catalog, limits) as url, fb.load_catalog("paged", uri=url, **options) as remote:
        table = remote.load_table("ns.f")
        for wanted in ("true", "id > 4", "id = -1"):
            found = table.scan(wanted).to_arrow()["id"].to_pylist()
            assert sorted(found) == sorted(files.scan(wanted).to_arrow()["id"].to_pylist())


def whole(client, body):
    """All tasks of an answer, each with the paths of its deletes."""
    pages = [
        body,
        *(client.post(TASKS, json={"plan-task": each}).json() for each in body.get("plan-tasks", ())),
    ]
    return [
        (
            task["data-file"]["file-path"],
            [page["delete-files"][number]["file-path"] for number in task.get("delete-file-references", ())],
        )
        for page in pages
        for task in page["file-scan-tasks"]
    ]


@pytest.mark.usefixtures("files")
def test_pages_have_every_task_once_and_their_own_deletes(catalog):
    catalog.rename_table("ns.t", "ns.other")
    catalog.rename_table("ns.f", "ns.t")
    with asking(catalog) as client:
        at_once = client.post(PLAN, json={}).json()
    with asking(catalog, SMALL) as client:
        body = client.post(PLAN, json={}).json()
        assert (body["status"], len(body["file-scan-tasks"]), len(body["plan-tasks"])) == ("completed", 3, 3)
        in_pages = whole(client, body)
        # A page may be asked for again.
        assert whole(client, body) == in_pages
        client.delete(f"{PLAN}/{body['plan-id']}")
        task = {"plan-task": body["plan-tasks"][0]}
        assert refusal(client.post(TASKS, json=task))[0] == 404
    assert "plan-id" not in at_once and "plan-tasks" not in at_once
    assert in_pages == whole(None, at_once)
    assert len(in_pages) == 10
    assert sum(bool(deletes) for _, deletes in in_pages) == 3


@pytest.fixture
def slow(monkeypatch):
    """Planning that goes on when it may."""
    may = threading.Event()
    make = planning.PlannedScan

    def waiting(table, scan):
        assert may.wait(60)
        return make(table, scan)

    monkeypatch.setattr(planning, "PlannedScan", waiting)
    yield may
    may.set()


def ended(client, plan_id):
    """The answer about a plan that is not under way any more."""
    for _ in range(600):
        answer = client.get(f"{PLAN}/{plan_id}")
        if answer.status_code != 200 or answer.json()["status"] != "submitted":
            return answer
        time.sleep(0.02)
    raise AssertionError(plan_id)


def test_a_plan_that_takes_long_is_submitted(catalog, slow):
    with asking(catalog, Limits(plan_seconds=0.05)) as client:
        begun = client.post(PLAN, json={})
        assert begun.status_code == 200
        assert begun.json().keys() == {"status", "plan-id"}
        assert begun.json()["status"] == "submitted"
        path = f"{PLAN}/{begun.json()['plan-id']}"
        assert client.get(path).json() == {"status": "submitted"}
        slow.set()
        found = ended(client, begun.json()["plan-id"]).json()
        assert found["status"] == "completed"
        assert len(found["file-scan-tasks"]) == 1
        assert client.get(path).json() == found
        assert client.delete(path).status_code == 204
        assert refusal(client.get(path)) == (404, "NoSuchPlanIdException")
        assert refusal(client.delete(path)) == (404, "NoSuchPlanIdException")


def test_a_plan_that_is_dropped_while_it_is_made_is_gone(catalog, slow):
    with asking(catalog, Limits(plan_seconds=0.0, plans_under_way=1)) as client:
        plan_id = client.post(PLAN, json={}).json()["plan-id"]
        assert client.delete(f"{PLAN}/{plan_id}").status_code == 204
        assert refusal(client.get(f"{PLAN}/{plan_id}"))[0] == 404
        # It still has a thread.
        assert refusal(client.post(PLAN, json={})) == (429, "TooManyRequestsException")
        slow.set()
        for _ in range(600):
            answer = client.post(PLAN, json={})
            if answer.status_code == 200:
                break
            time.sleep(0.02)
        assert ended(client, answer.json()["plan-id"]).json()["status"] == "completed"


def test_a_plan_that_fails_says_why(catalog, monkeypatch):
    def fails(*_):
        time.sleep(0.1)
        raise InvalidDataError("a manifest is damaged")

    monkeypatch.setattr(planning, "PlannedScan", fails)
    with asking(catalog, Limits(plan_seconds=0.0)) as client:
        plan_id = client.post(PLAN, json={}).json()["plan-id"]
        found = ended(client, plan_id).json()
        assert found["status"] == "failed"
        assert found["error"]["code"] == 422
        assert "a manifest is damaged" in found["error"]["message"]
    with asking(catalog) as client:
        assert refusal(client.post(PLAN, json={})) == (422, "InvalidDataException")


@pytest.mark.parametrize("path", ["none", "%2e%2e", "a" * 500, "%00"])
def test_ids_that_nobody_gave_are_refused(http, path):
    assert refusal(http.get(f"{PLAN}/{path}"))[0] == 404
    assert refusal(http.delete(f"{PLAN}/{path}"))[0] == 404


@pytest.mark.usefixtures("files")
def test_pages_that_are_not_there_are_refused(catalog):
    catalog.rename_table("ns.t", "ns.other")
    catalog.rename_table("ns.f", "ns.t")
    with asking(catalog, SMALL) as client:
        plan_id = client.post(PLAN, json={}).json()["plan-id"]
        for task in (
            "",
            ".",
            ".1",
            "none.1",
            "ID",
            "ID.",
            "ID.0",
            "ID.-1",
            "ID.4",
            "ID.1e1",
            f"ID.{'9' * 400}",
        ):
            answer = client.post(TASKS, json={"plan-task": task.replace("ID", plan_id)})
            assert refusal(answer)[0] == 404, task
        assert refusal(client.post(TASKS, json={"plan-task": 7}))[0] == 400
        # It is a plan of that table alone.
        other = client.post("/v1/namespaces/ns/tables/other/tasks", json={"plan-task": f"{plan_id}.1"})
        assert refusal(other)[0] == 404
        assert refusal(client.get(f"/v1/namespaces/ns/tables/other/plan/{plan_id}"))[0] == 404


class Made:
    """What a plan is for the bounds: its bytes."""

    def __init__(self, size):
        self.bytes = size


def made_plans(clock, **limits):
    return Plans(Limits(plan_seconds=60, **limits), lambda: clock[0])


def test_as_many_plans_are_kept_as_there_is_room_for():
    clock = [0.0]
    plans = made_plans(clock, plans=3, plan_bytes=100, plan_idle_seconds=10)
    kept = [plans.begin(("n", "t"), lambda: Made(1)) for _ in range(4)]
    with pytest.raises(RefusedError):
        plans.find(("n", "t"), kept[0].plan_id)
    # What was asked for last stays longest.
    assert plans.find(("n", "t"), kept[1].plan_id) is kept[1]
    plans.begin(("n", "t"), lambda: Made(1))
    with pytest.raises(RefusedError):
        plans.find(("n", "t"), kept[2].plan_id)
    assert plans.find(("n", "t"), kept[1].plan_id) is kept[1]
    large = plans.begin(("n", "t"), lambda: Made(1000))
    assert len(plans) == 1
    assert plans.find(("n", "t"), large.plan_id) is large
    clock[0] = 10.5
    with pytest.raises(RefusedError):
        plans.find(("n", "t"), large.plan_id)
    plans.begin(("n", "t"), lambda: Made(1))
    assert len(plans) == 1
    assert len({each.plan_id for each in kept}) == 4


def test_pyiceberg_reads_pages(catalog, files):
    from pyiceberg.catalog import load_catalog

    options = {"type": "rest", "token": TOKEN, "scan-planning-mode": "server"}
    with listening(catalog, SMALL) as url:
        theirs = load_catalog("theirs", uri=url, **options).load_table("ns.f")
        found = theirs.scan("id > 4").to_arrow()["id"].to_pylist()
    assert sorted(found) == sorted(files.scan("id > 4").to_arrow()["id"].to_pylist())

"""A scan that a server plans reads the rows that the scan reads."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid

import pyarrow as pa
import pytest

import floeberg as fb
from corpus import lent
from floeberg.catalog import MemoryCatalog
from floeberg.serving.served import Served
from serving.conftest import ROWS, TOKEN, listening
from serving.test_requests import refusal

PLAN = "/v1/namespaces/ns/tables/t/plan"
CASES = {
    "refs": "id >= 2",
    "deletes": "id > 3",
    "vectors": "id > 3",
    "evolved": None,
    "many": "id > 20",
    "partitioned_keys": None,
    "partitioned_positions": "id > 2",
    "partitioned_v1": None,
}


def rows(scan):
    return sorted(map(repr, scan.to_arrow().to_pylist()))


@pytest.mark.parametrize("name", CASES)
def test_tables_of_others(name, monkeypatch):
    case = lent(name)
    known = case.open() if hasattr(case, "open") else fb.open_table(case.location, relocate=case.warehouse)
    catalog = MemoryCatalog(f"planned {uuid.uuid4()}")
    catalog.create_namespace("ns")
    monkeypatch.setattr(Served, "load", lambda *_: known._inner)
    with listening(catalog, allow_outside=True) as url:
        import httpx

        wanted = {} if CASES[name] is None else {"filter": fb.expressions.parse(CASES[name]).to_json()}
        answer = httpx.post(url + PLAN, json=wanted, headers={"Authorization": f"Bearer {TOKEN}"})
        assert answer.status_code == 200, answer.text
        body = answer.json()
    scan = known.scan() if CASES[name] is None else known.scan(CASES[name])
    tasks, found = list(scan.plan_files()), body["file-scan-tasks"]
    assert body["status"] == "completed"
    assert [each["data-file"]["file-path"] for each in found] == [each.file.file_path for each in tasks]
    assert [each["data-file"]["record-count"] for each in found] == [each.file.record_count for each in tasks]
    assert [each["data-file"]["spec-id"] for each in found] == [each.file.spec_id for each in tasks]
    deletes = body["delete-files"]
    assert [
        [deletes[number]["file-path"] for number in each.get("delete-file-references", ())] for each in found
    ] == [[one.file_path for one in each.delete_files] for each in tasks]
    kinds = {"position": "position-deletes", "vector": "position-deletes", "equality": "equality-deletes"}
    assert [each["content"] for each in deletes] == [
        kinds[each.content] for each in scan.plan_files().delete_files()
    ]
    residuals = [each.residual.to_json() for each in tasks]
    assert [each.get("residual-filter", True) for each in found] == residuals


@pytest.fixture
def planned(catalog):
    """The catalog, through a server that plans all scans."""
    with (
        listening(catalog) as url,
        fb.load_catalog(
            "planned", type="rest", uri=url, token=TOKEN, **{"scan-planning-mode": "server"}
        ) as found,
    ):
        yield found


@pytest.mark.parametrize("version", [2, 3])
def test_a_client_reads_by_plans_of_the_server(catalog, planned, version):
    table = catalog.create_table(
        "ns.p",
        pa.table(
            {
                "id": range(20),
                "day": [dt.date(2026, 1, 1 + number % 3) for number in range(20)],
                "name": [f"n{number % 2}" for number in range(20)],
            }
        ),
        partition_spec=["day", "bucket(2, id)"],
        format_version=version,
        properties={"write.delete.mode": "merge-on-read"},
    )
    table.delete("id = 4")
    with table.update_spec() as spec:
        spec.add_field("name")
    table.append(
        pa.table(
            {"id": [100], "day": [dt.date(2026, 2, 1)], "name": [None]}, schema=table.schema().as_arrow()
        )
    )
    table.delete("id = 7")
    for wanted in (
        "true",
        "id > 5",
        "day = date '2026-01-02'",
        "name = 'n1' and id < 9",
        "name is null",
        "id = -1",
    ):
        mine, served = catalog.load_table("ns.p").scan(wanted), planned.load_table("ns.p").scan(wanted)
        assert rows(served) == rows(mine)
    first = table.snapshots()[0].snapshot_id
    assert rows(planned.load_table("ns.p").scan(snapshot_id=first)) == rows(table.scan(snapshot_id=first))


def test_partition_values_are_written_as_the_specification_says(http, catalog):
    values = {
        "flag": (pa.bool_(), True, True),
        "day": (pa.date32(), dt.date(1969, 12, 31), "1969-12-31"),
        "at": (
            pa.timestamp("us"),
            dt.datetime.fromisoformat("2026-01-02T03:04:05.000006"),
            "2026-01-02T03:04:05.000006",
        ),
        "zoned": (
            pa.timestamp("us", "UTC"),
            dt.datetime(2026, 1, 2, 3, tzinfo=dt.timezone.utc),
            "2026-01-02T03:00:00.000000+00:00",
        ),
        "price": (pa.decimal128(9, 2), decimal.Decimal("-0.10"), "-0.10"),
        "raw": (pa.binary(), b"\x00\xff", "00ff"),
        "text": (pa.string(), 'a"\u00fc', 'a"\u00fc'),
        "none": (pa.int32(), None, None),
    }
    schema = pa.schema({name: kind for name, (kind, *_) in values.items()})
    rows = pa.table({name: [value] for name, (_, value, _) in values.items()}, schema=schema)
    catalog.create_table("ns.v", rows, partition_spec=list(values))
    found = http.post("/v1/namespaces/ns/tables/v/plan", json={}).json()["file-scan-tasks"]
    assert [each["data-file"]["partition"] for each in found] == [
        [written for *_, written in values.values()]
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"snapshot-id": "1"},
        {"snapshot-id": 1, "start-snapshot-id": 1, "end-snapshot-id": 2},
        {"start-snapshot-id": 1},
        {"select": "id"},
        {"select": ["none"]},
        {"filter": {"type": "explode"}},
        {"filter": {"type": "eq", "term": "none", "value": 1}},
        {"filter": 7},
    ],
)
def test_a_scan_that_cannot_be_planned_is_refused(http, wrong):
    assert refusal(http.post(PLAN, json=wrong)) == (400, "BadRequestException")


def test_snapshots_and_tables_that_are_not_there(http, catalog):
    assert refusal(http.post(PLAN, json={"snapshot-id": 9}))[0] == 404
    assert refusal(http.post(PLAN.replace("/t/", "/none/"), json={})) == (404, "NoSuchTableException")
    catalog.create_table("ns.empty", ROWS.schema)
    found = http.post(PLAN.replace("/t/", "/empty/"), json={}).json()
    assert found == {"status": "completed", "file-scan-tasks": [], "delete-files": []}


def test_the_appends_between_two_snapshots(http, catalog):
    table = catalog.load_table("ns.t")
    for number in (4, 5):
        table.append(pa.table({"id": [number]}))
    first, second, third = (each.snapshot_id for each in table.snapshots())
    found = http.post(PLAN, json={"start-snapshot-id": first, "end-snapshot-id": third}).json()
    assert len(found["file-scan-tasks"]) == 2
    found = http.post(PLAN, json={"start-snapshot-id": first, "end-snapshot-id": second}).json()
    assert len(found["file-scan-tasks"]) == 1

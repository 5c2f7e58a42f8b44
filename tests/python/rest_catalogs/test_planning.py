"""Scans that a server plans: how it is asked, and what is made of its tasks."""

from __future__ import annotations

import json
import pickle
import secrets

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.catalog.rest import planning
from floeberg.errors import (
    InvalidDataError,
    InvalidInputError,
    NotFoundError,
    PermissionDeniedError,
    StorageError,
    UnsupportedError,
)
from rest_catalogs.scripted import TABLES, Says, error

TABLE = f"{TABLES}/t"
PLAN, TASKS = f"{TABLE}/plan", f"{TABLE}/tasks"
MERGES = {"write.delete.mode": "merge-on-read"}
DEMANDS = {"scan-planning-mode": "server"}
OFFERED = [
    f"{verb} /v1/{{prefix}}/namespaces/{{namespace}}/tables/{{table}}{rest}"
    for verb, rest in [
        ("GET", ""),
        ("POST", ""),
        ("POST", "/plan"),
        ("GET", "/plan/{plan-id}"),
        ("DELETE", "/plan/{plan-id}"),
        ("POST", "/tasks"),
    ]
]


@pytest.fixture
def local(tmp_path):
    """A table of two files in partitions, as its owner sees it."""
    catalog = fb.load_catalog(str(tmp_path), type="memory", warehouse=str(tmp_path / "lake"))
    catalog.create_namespace("ns")
    schema = pa.schema({"id": pa.int64(), "cat": pa.string()})
    table = catalog.create_table("ns.t", schema, partition_spec=["cat"], format_version=3, properties=MERGES)
    table.append(pa.table({"id": [1, 2, 3], "cat": ["a", "a", "b"]}, schema))
    return table


@pytest.fixture
def served(server, load, local):
    """The table of a server that plans, and what it is asked."""
    server.config = {"defaults": {}, "overrides": {}, "endpoints": OFFERED}

    def loaded(config=DEMANDS, **properties):
        body = {
            "metadata-location": local.metadata_location,
            "metadata": json.loads(local._inner.metadata_json()),
            "config": config,
        }
        server.says(f"GET {TABLE}", Says(200, body))
        return load(**properties).load_table("ns.t")

    return loaded


def task(planned, **more):
    """What a server sends of a task of a local plan."""
    file = planned.file
    spec = list(file.partition.values()) if isinstance(file.partition, dict) else list(file.partition)
    return {
        "data-file": {
            "content": "data",
            "file-path": file.file_path,
            "file-format": "parquet",
            "spec-id": file.spec_id,
            "partition": spec,
            "file-size-in-bytes": file.file_size_in_bytes,
            "record-count": file.record_count,
            "first-row-id": file.first_row_id,
        },
        **more,
    }


def completed(*tasks, **more):
    return Says(200, {"status": "completed", "file-scan-tasks": list(tasks), **more})


def tasks_of(local, **scan):
    return [task(each) for each in local.scan(**scan).plan_files()]


def ids(scan):
    return sorted(scan.to_arrow()["id"].to_pylist())


def test_a_scan_is_planned_by_the_server(server, served, local):
    server.says(f"POST {PLAN}", completed(*tasks_of(local)))
    table = served()
    assert ids(table.scan()) == [1, 2, 3]
    assert table.scan().count() == 3
    assert table.scan().to_arrow_batch_reader().read_all().num_rows == 3
    assert table.scan().max("id") == 3
    plan = table.scan().plan_files()
    assert len(plan) == 2
    assert sum(batch.num_rows for batch in plan.iter_batches()) == 2
    assert plan.explain().data_files == 2
    (asked, *_) = server.of(f"POST {PLAN}")
    assert asked.json == {
        "snapshot-id": local.current_snapshot().snapshot_id,
        "case-sensitive": True,
        "use-snapshot-schema": True,
    }


def test_the_request_says_what_is_read(server, served, local):
    server.says(f"POST {PLAN}", completed(*tasks_of(local)))
    table = served()
    scan = table.scan(
        row_filter="id > 1 AND _pos >= 0 AND upper(cat) = 'A'", selected_fields=("id",), case_sensitive=False
    )
    assert ids(scan) == [2]
    body = server.of(f"POST {PLAN}")[-1].json
    assert body["filter"] == {"type": "gt", "term": "id", "value": 1}
    assert body["select"] == ["cat", "id"]
    assert body["case-sensitive"] is False
    # A limit is not sent where rows are left out here.
    assert "min-rows-requested" not in body
    table.scan(row_filter="id > 1", limit=1).to_arrow()
    assert server.of(f"POST {PLAN}")[-1].json["min-rows-requested"] == 1


def test_a_residual_of_the_server_is_tested(server, served, local):
    tasks = tasks_of(local)
    server.says(f"POST {PLAN}", completed(*(each | {"residual-filter": True} for each in tasks)))
    table = served()
    # The server says that all rows match; what it was not sent is tested here.
    assert ids(table.scan(row_filter="id > 2")) == [1, 2, 3]
    assert ids(table.scan(row_filter="id > 2 AND _pos = 0")) == [1, 3]
    strict = {"type": "eq", "term": "id", "value": 2}
    server.says(f"POST {PLAN}", completed(*(each | {"residual-filter": strict} for each in tasks)))
    assert ids(table.scan()) == [2]
    assert table.scan().count() == 1
    groups = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(table.scan().plan_files().split()))))
    assert [row for group in groups for row in group.to_arrow()["id"].to_pylist()] == [2]


def test_deletes_of_the_server_apply(server, served, local):
    local.delete("id = 1")
    (with_delete,) = [each for each in local.scan().plan_files() if each.delete_files]
    (vector,) = with_delete.delete_files
    delete = {
        "content": "position-deletes",
        "file-path": vector.file_path,
        "file-format": "puffin",
        "spec-id": 0,
        "partition": ["a"],
        "file-size-in-bytes": 100,
        "record-count": 1,
        "content-offset": vector.content_offset,
        "content-size-in-bytes": vector.content_size_in_bytes,
    }
    planned = [
        task(each, **{"delete-file-references": [0] if each.delete_files else []})
        for each in local.scan().plan_files()
    ]
    server.says(f"POST {PLAN}", completed(*planned, **{"delete-files": [delete]}))
    table = served()
    assert ids(table.scan()) == [2, 3]
    assert table.scan().count() == 2
    both = [each | {"delete-file-references": [0]} for each in planned]
    server.says(f"POST {PLAN}", completed(*both, **{"delete-files": [delete]}))
    with pytest.raises(InvalidDataError, match="deletion vector of one data file"):
        table.scan().to_arrow()


def test_row_ids_are_those_of_the_server(server, served, local):
    tasks = tasks_of(local)
    server.says(f"POST {PLAN}", completed(*tasks))
    table = served()
    read = table.scan().select("id", "_row_id").to_arrow()
    assert read.sort_by("id").equals(local.scan().select("id", "_row_id").to_arrow().sort_by("id"))
    with pytest.raises(UnsupportedError, match="no sequence numbers"):
        table.scan().select("_last_updated_sequence_number").to_arrow()
    for each in tasks:
        del each["data-file"]["first-row-id"]
    server.says(f"POST {PLAN}", completed(*tasks))
    with pytest.raises(UnsupportedError, match="no first row id"):
        table.scan().select("_row_id").to_arrow()


def test_a_plan_comes_later_and_in_parts(server, served, local, waits):
    first, second = tasks_of(local)
    server.says(f"POST {PLAN}", Says(200, {"status": "submitted", "plan-id": "p/1"}))
    submitted = Says(200, {"status": "submitted"})
    server.says(f"GET {PLAN}/p%2F1", submitted, submitted, completed(**{"plan-tasks": ["one"]}))
    answers = {
        "one": {"file-scan-tasks": [first], "plan-tasks": ["two"]},
        "two": {"file-scan-tasks": [second]},
    }
    server.says(f"POST {TASKS}", lambda asked: Says(200, answers[asked.json["plan-task"]]))
    assert ids(served().scan()) == [1, 2, 3]
    assert len(waits) == 3
    assert not server.of(f"DELETE {PLAN}/p%2F1")


@pytest.mark.parametrize(
    ("answer", "failure", "match"),
    [
        ({"status": "cancelled"}, StorageError, "dropped the plan"),
        ({"status": "strange"}, InvalidDataError, "strange"),
        (
            {"status": "failed", "error": {"message": "too large", "code": 400}},
            InvalidInputError,
            "too large",
        ),
        ({"status": "failed", "error": {"message": "gone", "code": 404}}, NotFoundError, "gone"),
        ({"status": "failed"}, StorageError, "no reason"),
    ],
)
@pytest.mark.usefixtures("waits")
def test_a_plan_that_fails_is_an_error_and_is_dropped(server, served, answer, failure, match):
    server.says(f"POST {PLAN}", Says(200, {"status": "submitted", "plan-id": "p"}))
    server.says(f"GET {PLAN}/p", Says(200, answer))
    server.says(f"DELETE {PLAN}/p", Says(204))
    with pytest.raises(failure, match=match):
        served().scan().to_arrow()
    assert len(server.of(f"DELETE {PLAN}/p")) == 1


def test_a_plan_that_does_not_end_is_an_error_and_is_dropped(server, served, monkeypatch):
    monkeypatch.setattr(planning, "_LONGEST", 0.2)
    server.says(f"POST {PLAN}", Says(200, {"status": "submitted", "plan-id": "p"}))
    server.says(f"GET {PLAN}/p", Says(200, {"status": "submitted"}))
    server.says(f"DELETE {PLAN}/p", Says(204))
    with pytest.raises(StorageError, match="did not plan"):
        served().scan().to_arrow()
    assert len(server.of(f"DELETE {PLAN}/p")) == 1


def test_plan_tasks_without_end_are_an_error(server, served):
    server.says(f"POST {PLAN}", completed(**{"plan-tasks": ["one"], "plan-id": "p"}))
    server.says(f"POST {TASKS}", Says(200, {"plan-tasks": ["one"]}))
    with pytest.raises(InvalidDataError, match="without end"):
        served().scan().to_arrow()
    assert len(server.of(f"DELETE {PLAN}/p")) == 1


@pytest.mark.usefixtures("waits")
def test_a_request_without_an_answer_is_sent_again(server, served, local):
    server.says(f"POST {PLAN}", Says(0), Says(503), completed(*tasks_of(local)))
    assert ids(served().scan()) == [1, 2, 3]
    server.says(f"POST {PLAN}", Says(0))
    with pytest.raises(StorageError, match="no whole answer"):
        served().scan().to_arrow()


def test_credentials_of_a_plan_go_with_its_groups(server, served, local):
    """A key of 4,000 random digits does not fit into less than 2,000 bytes."""
    vended = [{"prefix": local.location()[:5], "config": {"s3.access-key-id": secrets.token_hex(2000)}}]

    def size():
        server.says(f"POST {PLAN}", completed(*tasks_of(local), **{"storage-credentials": vended}))
        assert ids(served().scan()) == [1, 2, 3]
        return len(pickle.dumps(served().scan().plan_files().split()[0]))

    with_key = size()
    vended[0]["prefix"] = "s3://elsewhere"
    assert with_key - size() > 1900


def test_nothing_is_planned_here_where_the_server_demands_to(server, served, local):
    server.says(f"POST {PLAN}", error(403, "ForbiddenException", "not for you"))
    table = served()
    with pytest.raises(PermissionDeniedError, match="not for you"):
        table.scan().to_arrow()
    for work in (
        lambda: table.delete("id = 1"),
        lambda: table.upsert(pa.table({"id": [1], "cat": ["z"]}), join_cols=["id"]),
        lambda: pickle.loads(pickle.dumps(table.scan())).to_arrow(),
        lambda: pickle.loads(pickle.dumps(table)).scan().count(),
    ):
        with pytest.raises(UnsupportedError, match="demands to plan"):
            work()
    assert local.refresh().scan().count() == 3


def test_the_user_may_ask_for_it_and_the_table_may_not_want_it(server, served, local):
    server.says(f"POST {PLAN}", completed(*tasks_of(local)))
    asks = {"scan-planning-mode": "server"}
    assert ids(served(config={}, **asks).scan()) == [1, 2, 3]
    assert len(server.of(f"POST {PLAN}")) == 1
    assert ids(served(config={"scan-planning-mode": "client"}, **asks).scan()) == [1, 2, 3]
    assert ids(served(config={}).scan()) == [1, 2, 3]
    assert len(server.of(f"POST {PLAN}")) == 1
    with pytest.raises(InvalidDataError, match="'client' or 'server'"):
        served(config={"scan-planning-mode": "both"})
    server.config["endpoints"] = OFFERED[:2]
    with pytest.raises(UnsupportedError, match="does not offer POST"):
        served()


def test_a_table_without_a_snapshot_asks_nobody(server, load, tmp_path):
    catalog = fb.load_catalog(str(tmp_path), type="memory", warehouse=str(tmp_path / "lake"))
    catalog.create_namespace("ns")
    empty = catalog.create_table("ns.t", pa.schema({"id": pa.int64()}))
    server.config = {"defaults": {}, "overrides": {}, "endpoints": OFFERED}
    body = {
        "metadata-location": empty.metadata_location,
        "metadata": json.loads(empty._inner.metadata_json()),
    }
    server.says(f"GET {TABLE}", Says(200, body | {"config": DEMANDS}))
    assert load().load_table("ns.t").scan().count() == 0
    assert not server.of(f"POST {PLAN}")


BAD = [
    ({"file-path": None}, "file-path"),
    ({"content": "equality-deletes"}, "expected a data file"),
    ({"content": "puffin"}, "expected data, position-deletes"),
    ({"file-format": "lance"}, "lance"),
    ({"file-format": "puffin"}, "Puffin"),
    ({"spec-id": 7}, "partition spec 7"),
    ({"spec-id": -1}, "whole number"),
    ({"partition": []}, "list of 1 partition values"),
    ({"partition": [5]}, "string"),
    ({"partition": {"7": "a"}}, 'field "7"'),
    ({"record-count": -1}, "whole number"),
    ({"file-size-in-bytes": "9"}, "whole number"),
    ({"split-offsets": ["a"]}, "list of offsets"),
    ({"key-metadata": "00"}, "encrypted"),
    ({"record-count": None}, "record-count"),
]


@pytest.mark.parametrize(("wrong", "match"), BAD)
def test_a_file_that_is_not_as_specified_is_an_error(server, served, local, wrong, match):
    (first, *_) = tasks_of(local)
    first["data-file"].update(wrong)
    server.says(f"POST {PLAN}", completed(first))
    with pytest.raises((InvalidDataError, UnsupportedError), match=match) as failure:
        served().scan().to_arrow()
    if "file-path" not in wrong:
        assert failure.value.context["path"].endswith(".parquet")


@pytest.mark.parametrize(
    ("answer", "match"),
    [
        ({"file-scan-tasks": {}}, "a list"),
        ({"file-scan-tasks": [{}]}, "data-file"),
        ({"file-scan-tasks": [5]}, "data-file"),
        ({"plan-tasks": [5]}, "list of texts"),
        ({"delete-files": [{"content": "data"}]}, "file-path"),
    ],
)
def test_an_answer_that_is_not_as_specified_is_an_error(server, served, answer, match):
    server.says(f"POST {PLAN}", Says(200, {"status": "completed", **answer}))
    with pytest.raises(InvalidDataError, match=match):
        served().scan().to_arrow()


@pytest.mark.parametrize("reference", [1, -1, "a", None])
def test_a_reference_to_no_delete_is_an_error(server, served, local, reference):
    (first, *_) = tasks_of(local)
    server.says(f"POST {PLAN}", completed(first | {"delete-file-references": [reference]}))
    with pytest.raises(InvalidDataError, match="number of one of 0 delete files"):
        served().scan().to_arrow()


@pytest.mark.parametrize("residual", [5, {"type": "eq"}, {"type": "eq", "term": "nothing", "value": 1}])
def test_a_residual_that_does_not_fit_is_an_error(server, served, local, residual):
    (first, *_) = tasks_of(local)
    server.says(f"POST {PLAN}", completed(first | {"residual-filter": residual}))
    with pytest.raises(InvalidDataError, match="residual filter"):
        served().scan().to_arrow()


def test_a_file_that_is_planned_twice_is_an_error(server, served, local):
    """Tasks have no parts of files: its rows would come twice."""
    tasks = tasks_of(local)
    server.says(f"POST {PLAN}", completed(*tasks, tasks[0]))
    with pytest.raises(InvalidDataError, match="planned a data file twice"):
        served().scan().to_arrow()
    server.says(f"POST {PLAN}", completed(*tasks, **{"plan-tasks": ["again"]}))
    server.says(f"POST {TASKS}", Says(200, {"file-scan-tasks": tasks[:1]}))
    with pytest.raises(InvalidDataError, match="planned a data file twice"):
        served().scan().to_arrow()


def test_equality_deletes_of_the_server_apply_to_their_tasks_alone(server, served, local, tmp_path):
    import pyarrow.parquet as pq

    field = pa.field("id", pa.int64(), metadata={"PARQUET:field_id": "1"})
    path = str(tmp_path / "equality.parquet")
    pq.write_table(pa.table([pa.array([2, 3])], schema=pa.schema([field])), path)
    delete = {
        "content": "EQUALITY_DELETES",
        "file-path": path,
        "file-format": "PARQUET",
        "spec-id": 0,
        "partition": {"1000": "a"},
        "file-size-in-bytes": 100,
        "record-count": 2,
        "equality-ids": [1],
    }
    planned = [
        each | {"delete-file-references": [0] if each["data-file"]["partition"] == ["a"] else []}
        for each in tasks_of(local)
    ]
    server.says(f"POST {PLAN}", completed(*planned, **{"delete-files": [delete]}))
    table = served()
    assert ids(table.scan()) == [1, 3]
    assert table.scan().count() == 2
    server.says(f"POST {PLAN}", completed(*planned, **{"delete-files": [delete | {"equality-ids": [99]}]}))
    with pytest.raises(InvalidDataError, match="field id 99"):
        table.scan().to_arrow()


def test_appends_are_checked_by_what_their_snapshots_say(server, served, local):
    """Iceberg's own server adds the files of the snapshot after which the scan begins."""
    first = local.current_snapshot().snapshot_id
    local.append(pa.table({"id": [4, 5], "cat": ["a", "b"]}))
    planned = [
        task(each) for each in local.incremental_append_scan(from_snapshot_id_exclusive=first).plan_files()
    ]
    server.says(f"POST {PLAN}", completed(*planned))
    table = served()
    scan = table.incremental_append_scan(from_snapshot_id_exclusive=first, row_filter="id > 4")
    assert ids(scan) == [5]
    body = server.of(f"POST {PLAN}")[-1].json
    assert (body["start-snapshot-id"], body["end-snapshot-id"]) == (
        first,
        local.current_snapshot().snapshot_id,
    )
    assert not body.keys() & {"filter", "snapshot-id"}
    server.says(f"POST {PLAN}", completed(*tasks_of(local)))
    with pytest.raises(
        InvalidDataError, match="2 data files with 2 rows that the appends added, found 4 with 5"
    ):
        scan.to_arrow()
    with pytest.raises(UnsupportedError, match="from the start of the table"):
        table.incremental_append_scan().to_arrow()

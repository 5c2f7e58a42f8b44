"""Tables of Iceberg's own REST server."""

from __future__ import annotations

import itertools
import pickle
import threading
from pathlib import Path

import pyarrow as pa
import pytest
from rest.proxy import Proxy
from rest.server import RestServer
from tables import arrow_file

import floeberg as fb
from floeberg.errors import (
    CommitStateUnknownError,
    NoSuchTableError,
    StorageError,
    TableAlreadyExistsError,
)

SCHEMA = pa.schema({"id": pa.int64(), "name": pa.string()})
HASTE = {"commit.retry.min-wait-ms": "1", "commit.retry.max-wait-ms": "1"}
NAMES = itertools.count()

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("rest")


@pytest.fixture(scope="module")
def server(folder):
    started = RestServer(folder)
    yield started
    started.stop()


@pytest.fixture
def proxy(server):
    started = Proxy(server.url)
    yield started
    started.stop()


@pytest.fixture
def direct(server, folder):
    """The catalog, asked without anything between."""
    catalog = fb.load_catalog("rest", type="rest", uri=server.url, warehouse=(folder / "warehouse").as_uri())
    catalog.create_namespace_if_not_exists("ns")
    return catalog


@pytest.fixture
def catalog(direct, proxy, folder):
    assert direct.namespace_exists("ns")
    return fb.load_catalog("rest", type="rest", uri=proxy.url, warehouse=(folder / "warehouse").as_uri())


@pytest.fixture
def table(catalog):
    return catalog.create_table(f"ns.t{next(NAMES)}", SCHEMA, properties=HASTE)


def rows(*ids):
    return pa.table({"id": list(ids), "name": [str(each) for each in ids]}, SCHEMA)


def ids(table):
    return sorted(table.scan().to_arrow()["id"].to_pylist())


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_table_is_made_written_and_loaded(catalog, version):
    name = f"ns.v{version}"
    made = catalog.create_table(name, SCHEMA, partition_spec=["bucket(2, id)"], format_version=version)
    assert (made.format_version, made.name(), made.catalog) == (version, ("ns", name[3:]), catalog)
    made.append(rows(1, 2))
    made.append(rows(3))
    made.delete("id = 3")
    again = catalog.load_table(name)
    assert ids(made) == ids(again) == [1, 2]
    assert again.metadata_location == made.metadata_location
    assert again.snapshots() == made.snapshots()
    with pytest.raises(TableAlreadyExistsError):
        catalog.create_table(name, SCHEMA)
    catalog.drop_table(name)
    with pytest.raises(NoSuchTableError):
        made.refresh()


def test_the_metadata_is_the_servers(table):
    table.append(rows(1))
    opened = fb.open_table(table.metadata_location)
    assert opened.schema() == table.schema()
    assert opened.snapshots() == table.snapshots()


def test_columns_and_properties_change(catalog, table):
    table.append(rows(1))
    with table.update_schema() as update:
        update.add_column("price", "double").rename_column("name", "label")
    table.set_properties({"owner": "jo"})
    table.append(pa.table({"id": [2], "label": ["b"], "price": [0.5]}))
    again = catalog.load_table(table.name())
    assert again.schema() == table.schema()
    assert again.schema().column_names == ["id", "label", "price"]
    assert again.properties["owner"] == "jo"
    assert again.scan().to_arrow().sort_by("id")["price"].to_pylist() == [None, 0.5]


def test_a_conflict_is_answered_with_409_and_tried_again(direct, proxy, table):
    other = direct.load_table(table.name())
    proxy.steps = [lambda: other.append(rows(1)), lambda: other.append(rows(2))]
    proxy.answers.clear()
    table.append(rows(3))
    assert proxy.answers == [409, 409, 200]
    assert ids(table) == ids(direct.load_table(table.name())) == [1, 2, 3]
    assert len(table.snapshots()) == 3


def test_writers_at_once_lose_nothing(direct, table):
    failures = []
    table.set_properties({"commit.retry.num-retries": "50"})

    def work(number):
        mine = direct.load_table(table.name())
        try:
            for each in range(3):
                mine.append(rows(10 * number + each))
        except fb.FloebergError as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert ids(table.refresh()) == [10 * number + each for number in range(3) for each in range(3)]


def test_a_commit_whose_answer_is_lost_is_found_by_its_key(catalog, proxy, table):
    proxy.steps = ["lose-answer"]
    proxy.answers.clear()
    done = table.append(rows(1))
    assert proxy.answers == []
    assert (done.already_committed, done.snapshot_id) == (False, table.current_snapshot().snapshot_id)
    assert ids(table) == ids(catalog.load_table(table.name())) == [1]
    assert len(table.snapshots()) == 1


def test_a_request_that_is_lost_is_made_again(proxy, table):
    proxy.steps = ["lose-request"]
    proxy.answers.clear()
    table.append(rows(1))
    assert proxy.answers == [200]
    assert ids(table) == [1]
    assert len(table.snapshots()) == 1


@pytest.mark.parametrize("lost", ["lose-answer", "lose-request"])
def test_a_table_whose_making_was_not_answered_is_there(catalog, proxy, lost):
    """The request is sent again with its idempotency key."""
    name = f"ns.{lost.replace('-', '_')}"
    proxy.steps = [lost]
    made = catalog.create_table(name, SCHEMA)
    made.append(rows(1))
    assert ids(catalog.load_table(name)) == [1]


@pytest.mark.parametrize("lost", ["lose-answer", "lose-request"])
def test_a_table_with_rows_whose_making_was_not_answered_is_there(catalog, proxy, lost):
    """The first request asks where the table goes; the second one makes it."""
    name = f"ns.rows_{lost.replace('-', '_')}"
    proxy.steps = [lambda: None, lost]
    made = catalog.create_table(name, as_select=rows(1, 2))
    assert ids(made) == ids(catalog.load_table(name)) == [1, 2]
    assert made.location().endswith(name.split(".")[1])


def test_a_table_whose_making_is_unknown_says_so(proxy, direct):
    """Without idempotency keys nobody knows whose table it is."""
    proxy.says_keys = False
    assert direct.namespace_exists("ns")
    catalog = fb.load_catalog("rest", type="rest", uri=proxy.url)
    proxy.steps = ["lose-answer"]
    with pytest.raises(CommitStateUnknownError, match=r"ns\.unanswered"):
        catalog.create_table("ns.unanswered", SCHEMA)
    assert direct.table_exists("ns.unanswered")


def test_what_may_yet_be_served_keeps_its_files(catalog, direct, proxy, table):
    """Another changes the metadata, and what the lost request requires still holds."""
    table.set_properties({"commit.retry.num-retries": "0"})
    other = direct.load_table(table.name())
    proxy.steps = ["lose-request"]
    written = table.write_recipe().write(rows(1), task="0")
    load = type(table._operations).load

    def load_after_a_change(operations, known):
        if known is None:
            other.set_properties({"meanwhile": "yes"})
        return load(operations, known)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(table._operations), "load", load_after_a_change)
        with pytest.raises(CommitStateUnknownError):
            table.commit_receipts([written], idempotency_key="job")
    manifests = list(Path(table.location().removeprefix("file:"), "metadata").glob("*.avro"))
    assert len(manifests) == 2
    assert catalog.load_table(table.name()).commit_receipts([written], idempotency_key="job").snapshot_id
    assert ids(table.refresh()) == [1]


def test_a_server_that_is_away_is_a_storage_error():
    started = Proxy("http://127.0.0.1:1")
    uri = started.url
    started.stop()
    with pytest.raises(StorageError, match="cannot be reached"):
        fb.load_catalog("rest", type="rest", uri=uri)


def test_options_that_the_server_gives_are_the_tables(catalog, table, monkeypatch):
    ask = catalog._server.ask

    def vending(endpoint, **what):
        answer = ask(endpoint, **what)
        if endpoint.startswith("GET"):
            answer.body["config"] = {"s3.session-token": "hush"}
        return answer

    monkeypatch.setattr(catalog._server, "ask", vending)
    loaded = catalog.load_table(table.name())
    assert "s3.session-token" not in catalog.storage_options
    assert loaded._inner.storage_options["s3.session-token"] == "hush"
    loaded.append(rows(1))
    assert loaded._inner.storage_options["s3.session-token"] == "hush"
    assert "hush" not in repr(loaded) + repr(loaded.scan()) + repr(loaded.write_recipe())


def test_a_table_and_its_scans_go_to_other_processes(table):
    table.append(rows(1, 2))
    copy = pickle.loads(pickle.dumps(table))
    copy.append(rows(3))
    assert ids(table) == [1, 2]
    assert ids(copy) == ids(table.refresh()) == [1, 2, 3]
    (group,) = pickle.loads(pickle.dumps(table.scan(row_filter="id > 2").plan_files().split(2**40)))
    assert group.to_arrow()["id"].to_pylist() == [3]


def test_pyiceberg_reads_what_was_committed(server, table, pyiceberg, tmp_path):
    table.append(rows(1, 2))
    with table.update_schema() as update:
        update.add_column("price", "double")
    table.append(pa.table({"id": [3], "name": ["3"], "price": [0.5]}))
    into = tmp_path / "rows.arrow"
    assert pyiceberg("read_rest", uri=server.url, identifier=".".join(table.name()), into=str(into)) == 3
    read = arrow_file(into).sort_by("id")
    assert read["id"].to_pylist() == [1, 2, 3]
    assert read["price"].to_pylist() == [None, None, 0.5]


def test_the_server_takes_reports_of_commits_and_scans(catalog, proxy, table):
    table.append(rows(1, 2))
    len(table.scan(row_filter="id > 1 AND name IN ('a', 'b')").plan_files())
    table.scan(row_filter="NOT (id = 2) OR name IS NULL").to_arrow()
    catalog.close()
    assert proxy.reports == [("commit-report", 204), ("scan-report", 204), ("scan-report", 204)]


def test_snapshots_that_no_ref_names_are_asked_for_where_they_are_needed(direct, proxy, table):
    for number in range(3):
        table.append(rows(number))
    refs = fb.load_catalog("rest", type="rest", uri=proxy.url, **{"snapshot-loading-mode": "refs"})
    proxy.asked.clear()
    loaded = refs.load_table(table.name())
    assert loaded.scan().count() == 3
    assert len(loaded._metadata_at_hand()["snapshots"]) == 1
    first = table.snapshots()[0]
    assert loaded.scan().as_of(first.timestamp_ms).count() == 1
    assert loaded.snapshots() == table.snapshots()
    asked = [each.partition("snapshots=")[2] for each in proxy.asked if "snapshots=" in each]
    assert asked == ["refs", "all"]
    loaded.append(rows(9))
    assert ids(direct.load_table(table.name())) == [0, 1, 2, 9]

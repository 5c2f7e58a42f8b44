"""What becomes of a commit of several tables when answers are lost, stores fail, and processes end?"""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pyarrow as pa
import pytest
from catalog_kinds import filesystem, memory, sqlite
from one_column import SCHEMA, ids, rows
from places import files_in
from sqlalchemy.exc import OperationalError

import floeberg as fb
from floeberg.catalog import FileSystemCatalog, metastore, sql_database
from floeberg.commit import lock, several
from floeberg.commit.attempts import StoppedError
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    StorageError,
    TableAlreadyExistsError,
)

HASTE = {"commit.retry.min-wait-ms": "1", "commit.retry.max-wait-ms": "1"}


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(lock, "PATIENCE", 0.0)
    monkeypatch.setattr(several, "_PAUSE", 0.0)


@pytest.fixture(params=[memory, sqlite, filesystem], ids=["memory", "sqlite", "filesystem"])
def catalog(request, tmp_path):
    made = request.param(f"f{tmp_path.name}", tmp_path)
    made.create_namespace("db")
    for name in "ab":
        made.create_table(f"db.{name}", SCHEMA, properties=HASTE).append(rows(0))
    return made


@pytest.fixture
def transaction(catalog):
    """One row for each table, not yet committed."""
    begun = catalog.transaction()
    begun.table("db.a").append(rows(1))
    begun.table("db.b").append(rows(1))
    return begun


@pytest.fixture
def script(catalog, monkeypatch):
    """Lets the requests to commit go as steps say, and counts them."""
    steps, tried = [], []
    do_commit_all = catalog.do_commit_all

    def stepping(commits):
        tried.append([each.identifier for each in commits])
        step = steps.pop(0) if steps else None
        return do_commit_all(commits) if step is None else step(lambda: do_commit_all(commits), commits)

    monkeypatch.setattr(catalog, "do_commit_all", stepping)
    return steps, tried


def there(catalog):
    return {name: ids(catalog.load_table(f"db.{name}")) for name in "ab"}


def stray_files(catalog):
    """The files of rows, manifests and lists that no table names."""
    stray = []
    for name in "ab":
        table = catalog.load_table(f"db.{name}")
        known = {each.rpartition("/")[2] for each in table.inspect.all_files()["file_path"].to_pylist()}
        known |= {each.rpartition("/")[2] for each in table.inspect.all_manifests()["path"].to_pylist()}
        known |= {each.manifest_list.rpartition("/")[2] for each in table.snapshots()}
        names = [each.rpartition("/")[2] for each in files_in(table.location())]
        stray += [each for each in names if each.endswith((".parquet", ".avro")) and each not in known]
    return stray


def lost_request(call, commits):
    del call, commits
    raise CommitStateUnknownError("the connection broke")


def lost_answer(call, commits):
    del commits
    call()
    raise CommitStateUnknownError("the connection broke")


def test_a_lost_answer_is_found_in_all_tables(catalog, transaction, script):
    steps, tried = script
    steps += [lost_answer]
    transaction.commit_transaction()
    assert len(tried) == 1
    assert there(catalog) == {"a": [0, 1], "b": [0, 1]}
    assert {each.already_committed for each in transaction.results.values()} == {False}
    assert stray_files(catalog) == []


def test_a_lost_answer_is_found_after_others_went_on(catalog, transaction, script):
    def overtaken(call, commits):
        del commits
        call()
        catalog.load_table("db.a").append(rows(2))
        raise CommitStateUnknownError("the connection broke")

    steps, tried = script
    steps += [lost_request, overtaken]
    transaction.commit_transaction()
    assert len(tried) == 2
    assert there(catalog) == {"a": [0, 1, 2], "b": [0, 1]}
    assert stray_files(catalog) == []


def test_a_lost_request_is_made_again(catalog, transaction, script):
    def lost_and_overtaken(call, commits):
        del call, commits
        catalog.load_table("db.a").append(rows(2))
        raise CommitStateUnknownError("the connection broke")

    steps, tried = script
    steps += [lost_request, lost_and_overtaken]
    transaction.commit_transaction()
    assert len(tried) == 3
    assert there(catalog) == {"a": [0, 1, 2], "b": [0, 1]}
    assert stray_files(catalog) == []


def test_lost_changes_of_metadata_are_found_or_made_again(catalog, script):
    steps, tried = script
    for step in (lost_request, lost_answer):
        steps += [step]
        with catalog.transaction() as transaction:
            transaction.table("db.a").set_properties(step=step.__name__)
            transaction.table("db.b").append(rows(1))
        assert catalog.load_table("db.a").properties["step"] == step.__name__
    assert len(tried) == 3
    assert there(catalog) == {"a": [0], "b": [0, 1, 1]}


def test_a_lost_creation_is_found(catalog, script):
    steps, tried = script
    steps += [lost_request, lost_answer]
    with catalog.transaction() as transaction:
        transaction.table("db.a").append(rows(1))
        transaction.create_table("db.n", SCHEMA).append(rows(5))
        transaction.create_table("db.empty", SCHEMA)
    assert len(tried) == 2
    assert ids(catalog.load_table("db.n")) == [5]
    assert catalog.load_table("db.empty").count() == 0
    assert there(catalog) == {"a": [0, 1], "b": [0]}
    assert stray_files(catalog) == []


def test_a_commit_to_some_tables_only_names_the_state_of_each(catalog, transaction, script):
    """A catalog that breaks its promise: nothing is removed, and nothing is tried again."""

    def half(call, commits):
        del call
        type(catalog).do_commit_all(catalog, commits[:1])
        raise CommitStateUnknownError("the server ended")

    steps, tried = script
    steps += [half]
    with pytest.raises(CommitStateUnknownError, match=r"'db\.a', 'db\.b' is unknown") as caught:
        transaction.commit_transaction()
    assert caught.value.context == {"table db.a": "committed", "table db.b": "not committed so far"}
    assert len(tried) == 1
    assert there(catalog) == {"a": [0, 1], "b": [0]}
    assert sorted(each.rpartition(".")[2] for each in stray_files(catalog)) == ["avro", "avro", "parquet"]


def test_an_outcome_that_stays_unknown_keeps_all_files(catalog, transaction, script):
    steps, tried = script
    steps += [lost_request] * 9
    with pytest.raises(CommitStateUnknownError) as caught:
        transaction.commit_transaction()
    assert len(tried) == 5
    assert set(caught.value.context.values()) == {"not committed so far"}
    assert there(catalog) == {"a": [0], "b": [0]}
    assert len([each for each in stray_files(catalog) if each.endswith(".parquet")]) == 2


def test_requests_that_others_overtook_are_given_up(catalog, script):
    def lost_and_overtaken(call, commits):
        del call, commits
        for name in "ab":
            catalog.load_table(f"db.{name}").append(rows(2))
        raise CommitStateUnknownError("the connection broke")

    catalog.load_table("db.b").set_properties({"commit.retry.num-retries": "0"})
    script[0].append(lost_and_overtaken)
    transaction = catalog.transaction()
    for name in "ab":
        transaction.table(f"db.{name}").append(rows(1))
    with pytest.raises(CommitConflictError, match=r"committed first to one of the tables 'db\.a', 'db\.b'"):
        transaction.commit_transaction()
    assert there(catalog) == {"a": [0, 2], "b": [0, 2]}
    assert stray_files(catalog) == []


def test_a_refusal_may_be_of_this_very_commit(catalog, transaction, script):
    def sent_twice(call, commits):
        del commits
        call()
        raise several.CommitRefusedError("another writer was faster")

    script[0].append(sent_twice)
    transaction.commit_transaction()
    assert there(catalog) == {"a": [0, 1], "b": [0, 1]}
    assert stray_files(catalog) == []


def test_a_refusal_of_others_is_a_conflict(catalog, transaction, script):
    def refused(call, commits):
        del call, commits
        catalog.load_table("db.b").append(rows(2))
        raise several.CommitRefusedError("another writer was faster")

    steps, tried = script
    steps += [refused] * 9
    with pytest.raises(CommitConflictError, match="gave up after 5 attempts"):
        transaction.commit_transaction()
    assert len(tried) == 5
    assert there(catalog) == {"a": [0], "b": [0, 2, 2, 2, 2, 2]}
    assert stray_files(catalog) == []


def test_a_refused_creation_is_of_another_writer(catalog, script):
    def refused(call, commits):
        del call, commits
        beside = catalog.load_table("db.a").location() + "-n"
        catalog.create_table(
            "db.n", SCHEMA, location=None if isinstance(catalog, FileSystemCatalog) else beside
        )
        raise several.CommitRefusedError("it exists")

    steps, tried = script
    steps += [refused]
    transaction = catalog.transaction()
    transaction.table("db.a").append(rows(1))
    transaction.create_table("db.n", SCHEMA).append(rows(5))
    with pytest.raises(TableAlreadyExistsError, match=r"'db\.n' already exists"):
        transaction.commit_transaction()
    assert len(tried) == 1
    assert catalog.load_table("db.n").count() == 0
    assert stray_files(catalog) == []


def test_an_error_for_good_leaves_nothing(catalog, transaction, script):
    def failing(call, commits):
        del call, commits
        raise StorageError("the disk is full")

    steps, tried = script
    steps += [failing]
    with pytest.raises(StorageError, match="disk is full"):
        transaction.commit_transaction()
    assert len(tried) == 1
    assert there(catalog) == {"a": [0], "b": [0]}
    assert stray_files(catalog) == []


def test_an_error_that_passes_is_tried_again(catalog, transaction, script):
    def failing(call, commits):
        del call, commits
        raise StorageError("the network is down", retryable=True)

    steps, tried = script
    steps += [failing] * 2
    transaction.commit_transaction()
    assert len(tried) == 3
    assert there(catalog) == {"a": [0, 1], "b": [0, 1]}
    assert stray_files(catalog) == []


@pytest.mark.parametrize("catalog", [memory, sqlite], indirect=True)
def test_a_metadata_file_that_cannot_be_written_stops_all(catalog, transaction, monkeypatch):
    make, made = metastore._new_location, []

    def failing(base, attempt):
        if made:
            raise StorageError("the disk is full")
        made.append(make(base, attempt))
        return made[0]

    monkeypatch.setattr(metastore, "_new_location", failing)
    with pytest.raises(StorageError, match="disk is full"):
        transaction.commit_transaction()
    assert there(catalog) == {"a": [0], "b": [0]}
    assert stray_files(catalog) == []
    assert made[0].rpartition("/")[2] not in str(files_in(catalog.load_table("db.a").location()))


def test_ctrl_c_in_an_attempt_leaves_nothing(catalog, transaction, monkeypatch):
    attempt_on, made = several.attempt_on, []

    def stopping(*what):
        if made:
            raise StoppedError(KeyboardInterrupt())
        made.append(attempt_on(*what))
        return made[0]

    monkeypatch.setattr(several, "attempt_on", stopping)
    with pytest.raises(KeyboardInterrupt):
        transaction.commit_transaction()
    assert there(catalog) == {"a": [0], "b": [0]}
    assert stray_files(catalog) == []


def test_ctrl_c_in_the_catalog_keeps_all(catalog, transaction, script):
    def interrupted(call, commits):
        del commits
        call()
        raise KeyboardInterrupt

    script[0].append(interrupted)
    with pytest.raises(KeyboardInterrupt):
        transaction.commit_transaction()
    assert there(catalog) == {"a": [0, 1], "b": [0, 1]}


@pytest.mark.parametrize("is_done", [True, False])
def test_a_database_that_fails_to_commit(tmp_path, monkeypatch, is_done):
    catalog = sqlite("s", tmp_path)
    catalog.create_namespace("db")
    for name in "ab":
        catalog.create_table(f"db.{name}", SCHEMA, properties=HASTE)
    failure_of, left = sql_database._failure_of, [OperationalError("COMMIT", {}, Exception("disk I/O error"))]
    transaction = catalog.transaction()
    for name in "ab":
        transaction.table(f"db.{name}").append(rows(1))

    def failing(begun):
        if left and is_done:
            assert failure_of(begun) is None
        return left.pop() if left else failure_of(begun)

    monkeypatch.setattr(sql_database, "_failure_of", failing)
    transaction.commit_transaction()
    assert left == []
    assert there(catalog) == {"a": [1], "b": [1]}
    assert stray_files(catalog) == []


ENDS = """
import os, signal, sys
import floeberg as fb, pyarrow as pa
from floeberg.catalog import sql, sql_database
folder, step = sys.argv[1:]
catalog = fb.load_catalog("s", type="sql", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"{folder}/warehouse")
swapped, failure_of, done = sql.SqlCatalog._swapped, sql_database._failure_of, []
def end():
    os.kill(os.getpid(), signal.SIGKILL)
def swap(*what):
    if step == f"before-{len(done)}":
        end()
    done.append(swapped(*what))
    return done[-1]
def committed(transaction):
    if step == "before-commit":
        end()
    failed = failure_of(transaction)
    end()
sql.SqlCatalog._swapped = swap
sql_database._failure_of = committed
with catalog.transaction() as transaction:
    transaction.table("db.a").append(pa.table({"id": [1]}))
    transaction.table("db.b").append(pa.table({"id": [1]}))
"""


@pytest.mark.parametrize("step", ["before-0", "before-1", "before-commit", "after-commit"])
def test_a_process_that_ends_between_statements_leaves_all_or_none(tmp_path, step):
    catalog = sqlite("s", tmp_path)
    catalog.create_namespace("db")
    for name in "ab":
        catalog.create_table(f"db.{name}", SCHEMA).append(rows(0))
    done = subprocess.run(
        [sys.executable, "-c", ENDS, str(tmp_path), step], capture_output=True, text=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    expected = [0, 1] if step == "after-commit" else [0]
    assert there(catalog) == {"a": expected, "b": expected}
    with catalog.transaction() as transaction:
        for name in "ab":
            transaction.table(f"db.{name}").append(rows(2))
    assert there(catalog) == {"a": [*expected, 2], "b": [*expected, 2]}


TRANSFERS = """
import json, sys
import floeberg as fb, pyarrow as pa
catalog, worker = fb.load_catalog("s", **json.loads(sys.argv[1])), int(sys.argv[2])
for number in range(10):
    amount = 7 * worker + number
    one, other = ("db.a", "db.b") if number % 2 else ("db.b", "db.a")
    with catalog.transaction() as transaction:
        for name, sign in ((one, -1), (other, 1)):
            row = {"id": [100 * worker + number], "amount": [sign * amount]}
            transaction.table(name).append(pa.table(row))
    print(100 * worker + number, flush=True)
"""
ALONE = """
import json, sys
import floeberg as fb, pyarrow as pa
catalog, worker = fb.load_catalog("s", **json.loads(sys.argv[1])), int(sys.argv[2])
for number in range(10):
    for name in ("db.a", "db.b"):
        catalog.load_table(name).append(pa.table({"id": [-100 * worker - number], "amount": [0]}))
    print(-100 * worker - number, flush=True)
"""


def sqlite_at(folder):
    return {
        "type": "sql",
        "uri": f"sqlite:///{folder}/catalog.db",
        "warehouse": (folder / "warehouse").as_uri(),
    }


def folders_at(folder):
    return {"type": "filesystem", "warehouse": str(folder / "warehouse")}


def worker(program, options, number):
    return subprocess.Popen(
        [sys.executable, "-c", program, json.dumps(options), str(number)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("options_at", [sqlite_at, folders_at])
def test_processes_that_move_amounts_lose_and_double_nothing(tmp_path, options_at):
    """Each transfer is in both tables or in none, and each that was acknowledged is there once."""
    options = options_at(tmp_path)
    catalog = fb.load_catalog("s", **options)
    catalog.create_namespace("db")
    schema = pa.schema({"id": pa.int64(), "amount": pa.int64()})
    many = HASTE | {"commit.retry.num-retries": "500", "commit.retry.total-timeout-ms": "200000"}
    for name in "ab":
        catalog.create_table(f"db.{name}", schema, properties=many)
    workers = [worker(TRANSFERS, options, number) for number in range(5)]
    workers.append(worker(ALONE, options, 1))
    split = set()
    while any(each.poll() is None for each in workers[:5]):
        # Whoever sees a transfer in one table sees it in each table that is loaded after that.
        seen = [{each for each in ids(catalog.load_table(f"db.{name}")) if each >= 0} for name in "aba"]
        split |= (seen[0] - seen[1]) | (seen[1] - seen[2])
    said = [each.communicate(timeout=300) for each in workers]
    assert [each.returncode for each in workers] == [0] * 6, [errors for _, errors in said]
    assert split == set()
    acknowledged = sorted(int(line) for output, _ in said for line in output.split())
    assert len(acknowledged) == 60
    moved = {name: catalog.load_table(f"db.{name}").to_arrow().to_pydict() for name in "ab"}
    for each in moved.values():
        assert sorted(each["id"]) == acknowledged
    amounts = [dict(zip(each["id"], each["amount"], strict=True)) for each in moved.values()]
    assert all(amounts[0][key] == -amounts[1][key] for key in acknowledged)
    assert stray_files(catalog) == []
    assert not [each for each in files_in(str(tmp_path / "warehouse")) if "_floeberg-transaction-" in each]


def test_readers_of_the_database_see_both_locations_or_none(tmp_path):
    """What a catalog lists in one statement is of one moment."""
    catalog = sqlite("s", tmp_path)
    catalog.create_namespace("db")
    for name in "ab":
        catalog.create_table(f"db.{name}", SCHEMA)
    writer = worker(TRANSFERS.replace('"amount": [sign * amount]', ""), sqlite_at(tmp_path), 1)
    seen = set()
    while writer.poll() is None:
        seen.add(
            tuple(
                fb.open_table(location).count()
                for _, location in sorted(catalog.do_list_metadata_locations().items())
            )
        )
    writer.communicate()
    assert writer.returncode == 0
    assert all(one == other for one, other in seen)
    assert len(there(catalog)["a"]) == len(there(catalog)["b"]) == 10

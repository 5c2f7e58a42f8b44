"""A commit of several tables in folders: what its reservations, its decision and its end mean to everybody else."""

from __future__ import annotations

import json
import logging
import os
import signal
from functools import partial
from pathlib import Path

import pytest
from one_column import SCHEMA, attempt_on, ids, rows
from places import files_in

import floeberg as fb
from floeberg import _native
from floeberg.catalog import FileSystemCatalog
from floeberg.commit import folder_commit, lock, settling, several
from floeberg.commit.reservation import RESERVATION
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    InvalidDataError,
    InvalidInputError,
    NamespaceNotEmptyError,
    NoSuchTableError,
    PartialCommitError,
    PermissionDeniedError,
    StorageError,
    TableAlreadyExistsError,
    UnsupportedError,
)

HASTE = {"commit.retry.min-wait-ms": "1", "commit.retry.max-wait-ms": "1"}
NEVER = {"commit.retry.num-retries": "0"}


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(lock, "PATIENCE", 0.0)
    monkeypatch.setattr(settling, "PATIENCE", 0.05)
    monkeypatch.setattr(several, "_PAUSE", 0.0)


@pytest.fixture
def lake(tmp_path):
    """A catalog of the tables `db.a` and `db.b`, of the id 0."""
    made = FileSystemCatalog("lake", {"warehouse": str(tmp_path / "warehouse")})
    made.create_namespace("db")
    for name in "ab":
        made.create_table(f"db.{name}", SCHEMA, properties=HASTE).append(rows(0))
    return made


@pytest.fixture
def transaction(lake):
    """One row for each table and one in a new one, not yet committed."""
    begun = lake.transaction()
    begun.table("db.a").append(rows(1))
    begun.table("db.b").append(rows(1))
    begun.create_table("db.n", SCHEMA, properties=HASTE).append(rows(1))
    return begun


class StoppedError(BaseException):
    """The client ends here: it does not clean up, as if it had been killed."""


@pytest.fixture
def stop(monkeypatch):
    """Ends a client before a step of the commit."""

    def at(step, number=0):
        made, left = getattr(folder_commit, step), [number]

        def stopping(*arguments):
            left[0] -= 1
            if left[0] < 0:
                monkeypatch.setattr(folder_commit, "_give_back", lambda *_: None)
                raise StoppedError
            return made(*arguments)

        monkeypatch.setattr(folder_commit, step, stopping)

    return at


@pytest.fixture
def undecided(transaction, stop, monkeypatch):
    """A client ended after it reserved a version of each table."""
    with monkeypatch.context():
        stop("decide")
        with pytest.raises(StoppedError):
            transaction.commit_transaction()
    monkeypatch.undo()
    monkeypatch.setattr(settling, "PATIENCE", 0.05)
    return transaction


@pytest.fixture
def decided(transaction, stop, monkeypatch):
    """A client ended after the decision."""
    stop("apply_part")
    with pytest.raises(StoppedError):
        transaction.commit_transaction()
    monkeypatch.undo()
    monkeypatch.setattr(settling, "PATIENCE", 0.05)
    return transaction


def there(catalog):
    """The ids of each table that is there."""
    return {name: ids(catalog.load_table(f"db.{name}")) for _, name in catalog.list_tables("db")}


def folder(catalog, name):
    return Path(catalog.properties["warehouse"], "db", name)


def versions(catalog, name):
    found = [
        path.name.split(".")[0] for path in (folder(catalog, name) / "metadata").glob("v*.metadata.json")
    ]
    return sorted(found, key=lambda each: int(each[1:]))


def decisions(catalog):
    return sorted(path.name for path in Path(catalog.properties["warehouse"]).iterdir() if path.is_file())


def staged(catalog):
    return [path for path in files_in(catalog.properties["warehouse"]) if "floeberg-staged" in path]


def of_another_engine(catalog, name, **properties):
    """Another engine writes the next version: it knows of no reservation, and keeps all properties."""
    metadata = folder(catalog, name) / "metadata"
    last = max(int(each[1:]) for each in versions(catalog, name))
    content = json.loads((metadata / f"v{last}.metadata.json").read_text())
    content["properties"] |= properties
    with (metadata / f"v{last + 1}.metadata.json").open("x") as file:
        json.dump(content, file)


def test_a_commit_leaves_two_versions_and_nothing_else(lake, transaction):
    transaction.commit_transaction()
    assert there(lake) == {"a": [0, 1], "b": [0, 1], "n": [1]}
    assert versions(lake, "a") == ["v1", "v2", "v3", "v4"]
    assert versions(lake, "n") == ["v1", "v2"]
    assert decisions(lake) == staged(lake) == []
    for name in "abn":
        table = lake.load_table(f"db.{name}")
        assert RESERVATION not in table.properties
        hint = folder(lake, name) / "metadata" / "version-hint.text"
        assert hint.read_text() == versions(lake, name)[-1][1:]
        log = table.inspect.metadata_log_entries()["file"].to_pylist()
        assert [Path(each).name.split(".")[0] for each in log] == versions(lake, name)


def test_metadata_that_is_compressed_stays_so(lake):
    for name in "ab":
        lake.load_table(f"db.{name}").set_properties({"write.metadata.compression-codec": "gzip"})
    with lake.transaction() as transaction:
        for name in "ab":
            transaction.table(f"db.{name}").append(rows(1))
    for name in "ab":
        table = lake.load_table(f"db.{name}")
        assert table.metadata_location.endswith("/v5.gz.metadata.json")
        assert Path(table.metadata_location).read_bytes().startswith(b"\x1f\x8b")
        assert ids(table) == [0, 1]


def test_old_metadata_is_removed_if_a_table_asks_for_it(lake):
    short = {
        "write.metadata.delete-after-commit.enabled": "true",
        "write.metadata.previous-versions-max": "2",
    }
    lake.load_table("db.a").set_properties(short)
    for number in range(3):
        with lake.transaction() as transaction:
            for name in "ab":
                transaction.table(f"db.{name}").append(rows(number))
    assert versions(lake, "a") == ["v7", "v8", "v9"]
    assert ids(lake.load_table("db.a")) == [0, 0, 1, 2]
    assert ids(fb.open_table(folder(lake, "a"))) == [0, 0, 1, 2]


def test_readers_do_not_see_what_is_undecided(lake, undecided):
    assert there(lake) == {"a": [0], "b": [0]}
    assert ids(fb.open_table(folder(lake, "a"))) == [0]
    assert not lake.table_exists("db.n")
    assert lake.list_namespaces("db") == []
    assert not lake.namespace_exists("db.n")
    for open_it in (lambda: lake.load_table("db.n"), lambda: fb.open_table(folder(lake, "n"))):
        with pytest.raises(NoSuchTableError):
            open_it()
    assert versions(lake, "a") == ["v1", "v2", "v3"]
    assert decisions(lake) == []
    assert undecided.results == {}


@pytest.mark.parametrize("first", "abn")
def test_whoever_comes_next_finishes_what_was_decided(lake, decided, first):
    assert decided.results == {}
    assert versions(lake, "b") == ["v1", "v2", "v3"]
    assert 1 in ids(lake.load_table(f"db.{first}"))
    assert versions(lake, "b") == ["v1", "v2", "v3", "v4"]
    assert decisions(lake) == staged(lake) == []
    assert there(lake) == {"a": [0, 1], "b": [0, 1], "n": [1]}


def test_tables_that_are_opened_by_their_folder_finish_it_too(lake, decided):
    assert decided.results == {}
    assert ids(fb.open_table(folder(lake, "b"))) == [0, 1]
    assert decisions(lake) == []
    assert ids(lake.load_table("db.n")) == [1]


def test_tables_at_a_branch_finish_it_too(lake, decided):
    assert decided.results == {}
    table = fb.open_table(folder(lake, "b"), ref="main")
    assert ids(table) == [0, 1]
    with pytest.raises(UnsupportedError, match="fixed snapshot"):
        table.append(rows(2))


def test_a_known_table_refreshes_to_what_was_decided(lake, transaction, stop, monkeypatch):
    known = lake.load_table("db.b")
    stop("apply_part", 1)
    with pytest.raises(StoppedError):
        transaction.commit_transaction()
    monkeypatch.undo()
    assert ids(known) == [0]
    assert ids(known.refresh()) == [0, 1]
    known.append(rows(2))
    assert there(lake) == {"a": [0, 1], "b": [0, 1, 2], "n": [1]}


def test_a_writer_decides_against_a_client_that_was_killed(lake, undecided):
    lake.load_table("db.a").append(rows(7))
    assert undecided.results == {}
    assert there(lake) == {"a": [0, 7], "b": [0]}
    assert len(decisions(lake)) == 1
    assert not any("/a/" in each for each in staged(lake))
    lake.load_table("db.b").append(rows(8))
    assert there(lake) == {"a": [0, 7], "b": [0, 8]}
    for name in "ab":
        assert RESERVATION not in lake.load_table(f"db.{name}").properties


def test_a_writer_that_knew_the_reserved_version_does_not_pass_it_by(lake, undecided):
    known = lake.load_table("db.a")
    assert undecided.results == {}
    assert RESERVATION in known.properties
    with pytest.raises(CommitConflictError, match="reserved version 3"):
        lake.commit_table("db.a", known, attempt_on(known._inner))
    known.append(rows(7))
    assert RESERVATION not in known.properties
    assert ids(known) == [0, 7]


def test_the_other_transaction_is_decided_against_too(lake, undecided):
    assert undecided.results == {}
    with lake.transaction() as second:
        second.table("db.b").append(rows(8))
        second.table("db.a").append(rows(7))
        second.create_table("db.n", SCHEMA).append(rows(9))
    assert there(lake) == {"a": [0, 7], "b": [0, 8], "n": [9]}


def test_a_table_is_created_where_a_commit_was_given_up(lake, undecided):
    assert undecided.results == {}
    with pytest.raises(NoSuchTableError):
        lake.drop_table("db.n")
    made = lake.create_table("db.n", as_select=rows(5))
    assert versions(lake, "n") == ["v1", "v2"]
    assert there(lake) == {"a": [0], "b": [0], "n": [5]}
    # What is left of the other table by the name is no other table: orphans are looked for.
    orphans = made.maintenance.remove_orphan_files(older_than="2100-01-01T00:00Z", allow_recent=True)
    assert any(each.endswith("/v1.metadata.json") for each in orphans.orphan_file_locations)
    assert there(lake)["n"] == [5]
    with pytest.raises(TableAlreadyExistsError):
        lake.create_table("db.n", SCHEMA)


def test_a_client_that_was_too_slow_obeys(lake, transaction, monkeypatch):
    decide, left = folder_commit.decide, [True]

    def late(*arguments):
        if left:
            left.pop()
            lake.load_table("db.a").append(rows(7))
        return decide(*arguments)

    monkeypatch.setattr(folder_commit, "decide", late)
    transaction.commit_transaction()
    assert there(lake) == {"a": [0, 1, 7], "b": [0, 1], "n": [1]}
    assert decisions(lake) == staged(lake) == []


def test_a_conflict_gives_the_versions_back(lake, transaction, monkeypatch):
    for name in "ab":
        lake.load_table(f"db.{name}").set_properties(NEVER)
    reserve = folder_commit._reserve

    def overtaken(part, *arguments):
        if part.journal.table == "db.b":
            of_another_engine(lake, "b")
        reserve(part, *arguments)

    transaction = lake.transaction()
    for name in "ab":
        transaction.table(f"db.{name}").append(rows(1))
    monkeypatch.setattr(folder_commit, "_reserve", overtaken)
    with pytest.raises(CommitConflictError, match=r"version 4 of the table 'db\.b'"):
        transaction.commit_transaction()
    monkeypatch.undo()
    assert there(lake) == {"a": [0], "b": [0]}
    assert decisions(lake) == staged(lake) == []
    lake.load_table("db.a").append(rows(2))
    assert ids(lake.load_table("db.a")) == [0, 2]


def test_an_abort_leaves_no_version_of_a_new_table(lake, transaction, monkeypatch):
    def failing(*_):
        raise StorageError("the disk is full")

    monkeypatch.setattr(folder_commit, "_check", failing)
    with pytest.raises(StorageError, match="disk is full"):
        transaction.commit_transaction()
    assert versions(lake, "n") == []
    assert files_in(str(folder(lake, "n"))) == []
    assert there(lake) == {"a": [0], "b": [0]}
    assert decisions(lake) == staged(lake) == []


@pytest.mark.parametrize("step", ["_reserve", "put_metadata", "decide"])
def test_ctrl_c_before_the_decision_gives_all_back(lake, transaction, step, monkeypatch):
    made, left = getattr(folder_commit, step), [1]

    def interrupted(*arguments):
        if left and step != "decide":
            left.pop()
            return made(*arguments)
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(folder_commit, step, interrupted)
    with pytest.raises(KeyboardInterrupt):
        transaction.commit_transaction()
    monkeypatch.setattr(settling, "PATIENCE", 0.05)
    assert there(lake) == {"a": [0], "b": [0]}
    lake.load_table("db.a").append(rows(2))
    assert there(lake) == {"a": [0, 2], "b": [0]}


def test_another_engine_that_is_faster_before_the_decision_is_a_conflict(lake, transaction, monkeypatch):
    check, left = folder_commit._check, [True]

    def overtaken(*arguments):
        if left:
            left.pop()
            of_another_engine(lake, "b", owner="other")
        check(*arguments)

    monkeypatch.setattr(folder_commit, "_check", overtaken)
    transaction.commit_transaction()
    assert there(lake) == {"a": [0, 1], "b": [0, 1], "n": [1]}
    assert lake.load_table("db.b").properties == {**HASTE, "owner": "other"}
    assert decisions(lake) == staged(lake) == []


def test_another_engine_that_is_faster_after_the_decision_splits_the_commit(
    lake, transaction, monkeypatch, caplog
):
    apply_part, left = folder_commit.apply_part, [True]

    def overtaken(*arguments):
        if left:
            left.pop()
            of_another_engine(lake, "b", owner="other")
        return apply_part(*arguments)

    monkeypatch.setattr(folder_commit, "apply_part", overtaken)
    with caplog.at_level(logging.WARNING), pytest.raises(PartialCommitError) as caught:
        transaction.commit_transaction()
    context = dict(caught.value.context)
    assert Path(context.pop("decision")).name == decisions(lake)[0]
    assert context == {
        "table db.a": "committed",
        "table db.b": "not committed: another engine wrote its version first",
        "table db.n": "committed",
    }
    assert isinstance(caught.value, CommitStateUnknownError)
    assert "cannot be made in db.b" in caplog.text
    assert there(lake) == {"a": [0, 1], "b": [0], "n": [1]}
    # Nobody tries again, and the property that the other engine carried along is nobody's any more.
    assert lake.load_table("db.b").properties == {**HASTE, "owner": "other"}
    lake.load_table("db.b").append(rows(2))
    assert there(lake) == {"a": [0, 1], "b": [0, 2], "n": [1]}
    raw = json.loads(Path(lake.load_table("db.b").metadata_location).read_text())
    assert RESERVATION not in raw["properties"]


def test_a_split_commit_of_a_killed_client_is_logged_once(lake, decided, caplog):
    assert decided.results == {}
    of_another_engine(lake, "b")
    with caplog.at_level(logging.WARNING):
        assert there(lake) == {"a": [0, 1], "b": [0], "n": [1]}
        assert there(lake) == {"a": [0, 1], "b": [0], "n": [1]}
    assert caplog.text.count("cannot be made in db.b") == 1
    assert len(decisions(lake)) == 1


def test_a_reader_that_may_not_write_sees_what_was_decided(lake, decided, monkeypatch):
    def refused(location, *_, **__):
        raise PermissionDeniedError("read-only", context={"path": location})

    assert decided.results == {}
    with monkeypatch.context() as patched:
        patched.setattr(_native, "put_file_if_absent", refused)
        assert there(lake) == {"a": [0, 1], "b": [0, 1], "n": [1]}
        assert ids(fb.open_table(folder(lake, "b"), ref="main")) == [0, 1]
        assert versions(lake, "a") == ["v1", "v2", "v3"]
        reader = lake.load_table("db.a")
    assert ids(reader.refresh()) == [0, 1]
    reader.append(rows(2))
    assert there(lake) == {"a": [0, 1, 2], "b": [0, 1], "n": [1]}


def test_a_failing_store_after_the_decision_ends_well(lake, transaction, monkeypatch):
    apply_part, left = folder_commit.apply_part, [True, True]

    def failing(*arguments):
        if len(left) == 1:
            left.pop()
            raise StorageError("the network is down")
        left.pop()
        return apply_part(*arguments)

    monkeypatch.setattr(folder_commit, "apply_part", failing)
    transaction.commit_transaction()
    assert there(lake) == {"a": [0, 1], "b": [0, 1], "n": [1]}
    assert {each.already_committed for each in transaction.results.values()} == {False}
    assert decisions(lake) == staged(lake) == []


def test_files_of_an_undecided_commit_are_not_orphans(lake, transaction, stop, monkeypatch):
    stop("decide")
    with pytest.raises(StoppedError):
        transaction.commit_transaction()
    before = files_in(str(folder(lake, "a")))
    done = lake.load_table("db.a").maintenance.remove_orphan_files(
        older_than="2100-01-01T00:00Z", allow_recent=True
    )
    assert done.orphan_file_locations == ()
    assert files_in(str(folder(lake, "a"))) == before
    location = str(folder(lake, "a") / "metadata" / "v3.metadata.json")
    with pytest.raises(InvalidInputError, match="has reserved the version"):
        fb.maintenance.delete_reachable_files(location)
    monkeypatch.undo()
    monkeypatch.setattr(settling, "PATIENCE", 0.05)
    lake.load_table("db.a").append(rows(2))
    done = lake.load_table("db.a").maintenance.remove_orphan_files(
        older_than="2100-01-01T00:00Z", allow_recent=True
    )
    assert sorted(Path(each).suffix for each in done.orphan_file_locations) == [".avro", ".avro", ".parquet"]
    assert ids(lake.load_table("db.a")) == [0, 2]


def test_maintenance_of_a_decided_commit_keeps_its_files(lake, decided):
    assert decided.results == {}
    for name in "ab":
        table = fb.open_table(folder(lake, name))
        table.maintenance.remove_orphan_files(older_than="2100-01-01T00:00Z", allow_recent=True)
        table.maintenance.expire_snapshots(older_than="2100-01-01T00:00Z")
    assert there(lake) == {"a": [0, 1], "b": [0, 1], "n": [1]}


@pytest.mark.parametrize("drop", ["drop_table", "purge_table"])
def test_a_dropped_table_leaves_the_others_their_decision(lake, decided, drop):
    assert decided.results == {}
    getattr(lake, drop)("db.a")
    assert there(lake) == {"b": [0, 1], "n": [1]}
    assert decisions(lake) == staged(lake) == []
    assert not folder(lake, "a").exists()


def test_a_table_that_is_dropped_after_the_decision_was_committed_before(lake, transaction, monkeypatch):
    apply_part, left = folder_commit.apply_part, [True]

    def dropped(*arguments):
        if left:
            left.pop()
            lake.table_operations(("db", "b")).remove()
        return apply_part(*arguments)

    monkeypatch.setattr(folder_commit, "apply_part", dropped)
    transaction.commit_transaction()
    assert there(lake) == {"a": [0, 1], "n": [1]}
    assert versions(lake, "b") == []
    assert decisions(lake) == staged(lake) == []


def test_a_damaged_reservation_is_named(lake):
    of_another_engine(lake, "a", **{RESERVATION: "{}"})
    with pytest.raises(InvalidDataError, match=r"'floeberg\.transaction' is damaged: expected the decision"):
        lake.load_table("db.a")
    assert ids(lake.load_table("db.b")) == [0]


@pytest.mark.parametrize("content", ["", "{}", '{"decision": "perhaps", "parts": []}', "[]"])
def test_a_damaged_decision_is_named(lake, decided, content):
    assert decided.results == {}
    place = Path(lake.properties["warehouse"]) / decisions(lake)[0]
    place.write_text(content)
    with pytest.raises(InvalidDataError, match="expected a decision 'commit' or 'abort'") as caught:
        lake.load_table("db.a")
    assert caught.value.context["path"] == str(place)


def test_staged_metadata_that_is_gone_is_named(lake, decided):
    assert decided.results == {}
    for each in staged(lake):
        Path(each).unlink()
    with pytest.raises(InvalidDataError, match="new metadata is gone"):
        lake.load_table("db.a")


def test_a_store_without_such_writes_is_refused_as_for_one_table(lake, transaction, monkeypatch):
    def refused(location, *_, **__):
        raise UnsupportedError("the store cannot", context={"path": location})

    monkeypatch.setattr(_native, "put_file_if_absent", refused)
    with pytest.raises(UnsupportedError, match="the store cannot"):
        transaction.commit_transaction()
    monkeypatch.undo()
    assert there(lake) == {"a": [0], "b": [0]}
    assert versions(lake, "a") == ["v1", "v2"]
    assert staged(lake) == []


def test_a_namespace_with_what_was_given_up_is_not_empty(lake, undecided):
    assert undecided.results == {}
    for name in "ab":
        lake.drop_table(f"db.{name}")
    assert lake.list_tables("db") == []
    with pytest.raises(NamespaceNotEmptyError, match="its folder has 'n'"):
        lake.drop_namespace("db")
    lake.create_table("db.n", SCHEMA)
    lake.drop_table("db.n")
    lake.drop_namespace("db")
    assert lake.list_namespaces() == []


def test_the_warehouse_lists_no_decision(lake, decided):
    assert decided.results == {}
    assert len(decisions(lake)) == 1
    assert lake.list_namespaces() == [("db",)]
    assert lake.list_tables("db") == [("db", "a"), ("db", "b"), ("db", "n")]


def test_properties_and_columns_alone_are_committed(lake):
    with lake.transaction() as transaction:
        transaction.table("db.a").set_properties(owner="jo")
        with transaction.table("db.b").update_schema() as update:
            update.add_column("name", "string")
        transaction.create_table("db.n", SCHEMA)
    assert lake.load_table("db.a").properties["owner"] == "jo"
    assert lake.load_table("db.b").schema().column_names == ["id", "name"]
    assert lake.load_table("db.n").count() == 0


CALLS = ("put_file_if_absent", "put_file", "read_file", "file_exists", "remove_files")


@pytest.mark.parametrize("call", CALLS)
def test_a_client_that_is_killed_at_any_call_leaves_all_or_none(tmp_path, call, monkeypatch):
    monkeypatch.setattr(settling, "PATIENCE", 0.01)
    ends = []
    for number in range(60):
        lake, transaction = begun(tmp_path / f"{call}-{number}")
        status = in_a_child(partial(killed_at, call, number, transaction.commit_transaction))
        whole = there(lake)
        assert whole in ({"a": [0], "b": [0]}, {"a": [0, 1], "b": [0, 1], "n": [1]}), (call, number, whole)
        ends.append(len(whole))
        for name in "ab":
            lake.load_table(f"db.{name}").append(rows(2))
        expected = {name: [*found, 2] if name in "ab" else found for name, found in whole.items()}
        assert there(lake) == expected
        assert RESERVATION not in lake.load_table("db.a").properties
        if status == 0:
            break
    else:
        pytest.fail("the commit never ended")
    assert ends == sorted(ends)
    assert ends[-1] == 3


@pytest.mark.parametrize("call", CALLS)
def test_a_reader_that_is_killed_while_it_finishes_a_commit_harms_nobody(tmp_path, call):
    for number in range(60):
        lake, transaction = begun(tmp_path / f"{call}-{number}")
        assert in_a_child(partial(killed_after_the_decision, transaction)) == -signal.SIGKILL
        assert len(decisions(lake)) == 1
        status = in_a_child(partial(killed_at, call, number, partial(lake.load_table, "db.b")))
        assert there(lake) == {"a": [0, 1], "b": [0, 1], "n": [1]}
        if status == 0:
            assert decisions(lake) == staged(lake) == []
            break
    else:
        pytest.fail("the load never ended")


def begun(warehouse):
    """A catalog of two tables, and a commit of one row for each and for a new one."""
    lake = FileSystemCatalog("killed", {"warehouse": str(warehouse)})
    lake.create_namespace("db")
    for name in "ab":
        lake.create_table(f"db.{name}", SCHEMA, properties=HASTE).append(rows(0))
    transaction = lake.transaction()
    for name in "ab":
        transaction.table(f"db.{name}").append(rows(1))
    transaction.create_table("db.n", SCHEMA, properties=HASTE).append(rows(1))
    for part in transaction._parts.values():
        # A child commits it: this process does not remove the files of its copy.
        part.keep_files()
    return lake, transaction


def in_a_child(work):
    """Does some work in a fork. Returns how it ended: 0, or -9 for a child that was killed."""
    child = os.fork()
    if child == 0:
        answer = 1
        try:
            work()
            answer = 0
        finally:
            os._exit(answer)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_at(call, number, work):
    """Ends this process before a call of the storage."""
    made, left = getattr(_native, call), [number]

    def killing(*arguments, **keywords):
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        return made(*arguments, **keywords)

    setattr(_native, call, killing)
    work()


def killed_after_the_decision(transaction):
    """Ends this process before what it decided is visible."""
    folder_commit.apply_part = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    transaction.commit_transaction()

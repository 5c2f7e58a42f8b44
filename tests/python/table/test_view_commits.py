"""What becomes of a commit to a view when others are faster, answers are lost, and stores fail?"""

from __future__ import annotations

import threading
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import _native
from floeberg.catalog.sql import SqlCatalog
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    InvalidInputError,
    StorageError,
    UnsupportedError,
    ViewAlreadyExistsError,
)
from floeberg.view import ViewOperations, view_from_metadata
from floeberg.view.committing import commit_view

SCHEMA = pa.schema({"id": pa.int64()})
ONE, TWO, THREE = ({"spark": f"SELECT {number} AS id"} for number in (1, 2, 3))
HASTE = {"commit.retry.min-wait-ms": "1", "commit.retry.max-wait-ms": "1", "commit.retry.num-retries": "3"}


@pytest.fixture
def catalog(tmp_path):
    made = SqlCatalog("prod", {"uri": f"sqlite:///{tmp_path}/c.db", "warehouse": str(tmp_path / "warehouse")})
    made.create_namespace("shop")
    return made


@pytest.fixture
def seen(catalog):
    return catalog.create_view("shop.seen", SCHEMA, sql=ONE, properties=HASTE)


class Script(ViewOperations):
    """Operations of a view, whose commits succeed or fail as the test says."""

    def __init__(self, kept_by, *commits):
        self.kept_by = kept_by
        self.commits = list(commits)
        self.tried = 0

    @property
    def storage_options(self):
        return self.kept_by.storage_options

    def load(self, known):
        return self.kept_by.load(known)

    def commit(self, base, attempt):
        self.tried += 1
        call = lambda: self.kept_by.commit(base, attempt)  # noqa: E731
        return self.commits.pop(0)(call) if self.commits else call()


def scripted(view, *commits):
    script = Script(view._operations, *commits)
    return fb.View(view._inner, operations=script), script


def files(view):
    return sorted(path.name for path in Path(view.location(), "metadata").iterdir())


def lost_request(call):
    del call
    raise CommitStateUnknownError("the connection broke", context={"metadata": "nowhere"})


def lost_answer(call):
    raise CommitStateUnknownError("the connection broke", context={"metadata": call().metadata_location})


def lost_answer_by_another_writer(other):
    def step(call):
        made = call()
        other.refresh().set_properties({"theirs": "1"})
        raise CommitStateUnknownError("the connection broke", context={"metadata": made.metadata_location})

    return step


def failing(call):
    del call
    raise StorageError("the network is down", retryable=True)


def failing_for_good(call):
    del call
    raise StorageError("the disk is full")


def conflicting(call):
    del call
    raise CommitConflictError("another writer was faster", retryable=True)


def test_a_commit_is_tried_again(catalog, seen):
    view, script = scripted(seen, failing, conflicting)
    view.set_properties({"a": "1"})
    assert script.tried == 3
    assert catalog.load_view("shop.seen").properties["a"] == "1"


def test_a_commit_gives_up(catalog, seen):
    view, script = scripted(seen, *[conflicting] * 9)
    with pytest.raises(CommitConflictError, match="gave up after 4 attempts"):
        view.set_properties({"a": "1"})
    assert script.tried == 4
    view, script = scripted(seen, failing_for_good)
    with pytest.raises(StorageError, match="the disk is full"):
        view.set_properties({"a": "1"})
    assert script.tried == 1
    assert catalog.load_view("shop.seen").metadata_location == seen.metadata_location


def test_a_wrong_property_does_not_stop_its_repair(seen):
    seen.set_properties({"commit.retry.num-retries": "many"})
    view, _ = scripted(seen, failing)
    with pytest.raises(StorageError) as caught:
        view.set_properties({"a": "1"})
    assert any("was not retried" in note for note in caught.value.__notes__)
    seen.set_properties({"commit.retry.num-retries": "3"})


def test_a_lost_answer_is_found_again(catalog, seen):
    view, script = scripted(seen, lost_answer)
    view.replace_version(SCHEMA, sql=TWO)
    assert (script.tried, view.current_version().version_id) == (1, 2)
    view, script = scripted(view, lost_request, lost_request)
    view.replace_version(SCHEMA, sql=THREE)
    assert (script.tried, view.current_version().version_id) == (3, 3)
    assert [entry.version_id for entry in catalog.load_view("shop.seen").history()] == [1, 2, 3]


def test_what_cannot_be_known_is_told(catalog, seen):
    view, script = scripted(seen, *[lost_request] * 9)
    with pytest.raises(CommitStateUnknownError, match="the connection broke") as caught:
        view.set_properties({"a": "1"})
    assert script.tried == 4
    assert caught.value.context["metadata"] == "nowhere"
    other = catalog.load_view("shop.seen")
    view, script = scripted(seen, lost_answer_by_another_writer(other))
    with pytest.raises(CommitStateUnknownError):
        view.set_properties({"a": "1"})
    assert script.tried == 1, "another attempt might set it twice, over what came since"
    properties = catalog.load_view("shop.seen").properties
    assert (properties["a"], properties["theirs"]) == ("1", "1")
    # An unknown outcome is not forgotten for what fails later.
    view, script = scripted(seen.refresh(), lost_request, failing_for_good)
    with pytest.raises(CommitStateUnknownError):
        view.set_properties({"a": "2"})


def test_a_new_view_whose_answer_was_lost(catalog, monkeypatch):
    register = SqlCatalog.do_register_view

    def lost(self, identifier, location):
        register(self, identifier, location)
        raise CommitStateUnknownError("the connection broke")

    def lost_before(self, identifier, location):
        del self, identifier, location
        raise CommitStateUnknownError("the connection broke")

    with monkeypatch.context() as patched:
        patched.setattr(SqlCatalog, "do_register_view", lost)
        made = catalog.create_view("shop.v", SCHEMA, sql=ONE)
        assert catalog.load_view("shop.v").metadata_location == made.metadata_location
        patched.setattr(SqlCatalog, "do_register_view", lost_before)
        with pytest.raises(CommitStateUnknownError) as caught:
            catalog.create_view("shop.w", SCHEMA, sql=ONE)
    # Its file stays: the request may yet arrive.
    assert Path(caught.value.context["metadata"]).exists()


def test_what_fails_leaves_no_file_and_changes_nothing(catalog, seen, monkeypatch):
    before = files(seen)
    stale = catalog.load_view("shop.seen")

    def swapped(self, identifier, before, after):
        del before, after
        raise self.view_conflict(identifier)

    with monkeypatch.context() as patched:
        patched.setattr(SqlCatalog, "do_swap_view_metadata_location", swapped)
        with pytest.raises(CommitConflictError, match=r"view 'shop\.seen'"):
            seen.set_properties({"a": "1"})
    assert files(seen) == before
    with monkeypatch.context() as patched:
        patched.setattr(SqlCatalog, "do_view_exists", lambda *_: False)
        with pytest.raises(ViewAlreadyExistsError):
            catalog.create_view("shop.seen", SCHEMA, sql=ONE)
    assert files(seen) == before
    with pytest.raises(InvalidInputError):
        seen.set_properties({"write.metadata.compression-codec": "zip"})
    assert (files(seen), catalog.load_view("shop.seen").versions) == (before, stale.versions)


@pytest.mark.parametrize("failure", [ConnectionError("reset by peer"), StorageError("503", retryable=True)])
def test_a_swap_that_took_effect_is_a_commit_whatever_its_catalog_raised(failure, catalog, seen, monkeypatch):
    swap = SqlCatalog.do_swap_view_metadata_location

    def lost(self, identifier, before, after):
        swap(self, identifier, before, after)
        raise failure

    with monkeypatch.context() as patched:
        patched.setattr(SqlCatalog, "do_swap_view_metadata_location", lost)
        seen.replace_version(SCHEMA, sql=TWO)
    assert catalog.load_view("shop.seen").current_version() == seen.current_version()
    assert seen.current_version().version_id == 2


def test_writers_at_once_lose_no_property(catalog, seen):
    seen.set_properties({"commit.retry.num-retries": "100"})
    failures = []

    def work(number):
        view = catalog.load_view("shop.seen")
        try:
            for each in range(4):
                view.set_properties({f"{number}.{each}": "x"})
        except fb.FloebergError as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    properties = catalog.load_view("shop.seen").properties
    assert sum(value == "x" for value in properties.values()) == 16


def test_writers_at_once_replace_one_version_once(catalog, seen):
    del seen
    views = [catalog.load_view("shop.seen") for _ in range(4)]
    outcomes = []

    def work(number):
        try:
            views[number].replace_version(SCHEMA, sql={"spark": f"SELECT {number + 10} AS id"})
            outcomes.append("done")
        except CommitConflictError:
            outcomes.append("conflict")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["conflict"] * 3 + ["done"]
    assert [entry.version_id for entry in catalog.load_view("shop.seen").history()] == [1, 2]


class Server(ViewOperations):
    """A server that makes the metadata itself, of requirements and updates."""

    def __init__(self):
        self.calls = []
        self.now = None

    @property
    def storage_options(self):
        return {}

    def load(self, known):
        return known or self.now

    def commit(self, base, attempt):
        del base
        self.calls.append((attempt.requirements_json, attempt.updates_json))
        self.now = view_from_metadata(attempt.metadata_json, "server://v", storage_options={})
        return self.now


def test_a_server_gets_requirements_and_updates(catalog):
    server = Server()
    made = catalog.create_view("shop.seen", SCHEMA, sql=ONE)
    view = fb.View(made._inner, operations=server)
    view.set_properties({"a": "1"})
    assert view.properties == {"a": "1"}
    assert view.metadata_location == "server://v"
    requirements, updates = server.calls[0]
    assert requirements == f'[{{"type":"assert-view-uuid","uuid":"{made.uuid()}"}}]'
    assert updates == '[{"action":"set-properties","updates":{"a":"1"}}]'


def test_what_is_in_flight_does_not_pickle(catalog):
    operation = _native.ViewOperation.update_properties(updates={"a": "1"}, removals=[])
    made = catalog.create_view("shop.seen", SCHEMA, sql=ONE)
    attempt = operation.attempt(made._inner, storage_options={})
    for each in (operation, attempt):
        with pytest.raises(TypeError, match="cannot be pickled: send"):
            each.__reduce__()
    assert commit_view(made._operations, operation, starting=made._inner).metadata_location
    with pytest.raises(UnsupportedError):
        commit_view(fb.open_view(made.metadata_location)._operations, operation, starting=made._inner)


def create(catalog):
    catalog.create_view("shop.new", SCHEMA, sql=ONE)


def replace(catalog):
    catalog.create_or_replace_view("shop.seen", SCHEMA, sql=TWO)


def change(catalog):
    catalog.load_view("shop.seen").set_properties({"a": "1"})


def state(catalog):
    views = map(catalog.load_view, catalog.list_views("shop"))
    return {view.name(): (view.sql_for("spark"), view.properties) for view in views}


@pytest.mark.parametrize("action", [create, replace, change], ids=lambda action: action.__name__)
@pytest.mark.parametrize("fault", ["fail", "lose-request", "lose-answer", "cut-short"])
def test_every_call_of_the_storage_may_fail(fault, action, tmp_path):
    """What succeeds has its whole effect. What raises has none, or says that it does not know."""

    def place(name, **options):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        known = {"uri": f"sqlite:///{folder}/c.db", "warehouse": str(folder / "warehouse")}
        return SqlCatalog("prod", known | options)

    def prepared(name):
        plain = place(name)
        plain.create_namespace("shop")
        plain.create_view("shop.seen", SCHEMA, sql=ONE, properties=HASTE)
        return plain

    plain = prepared("all")
    before = state(plain)
    calls = tmp_path / "calls"
    action(place("all", **{"testing.calls": str(calls), "testing.faults": ""}))
    after = state(plain)
    assert before != after
    number = len(calls.read_text().splitlines())
    assert number > 0
    for at in range(number):
        plain = prepared(str(at))
        faults = {"testing.calls": str(tmp_path / f"calls-{at}"), "testing.faults": f"{at}={fault}"}
        allowed = [after]
        try:
            action(place(str(at), **faults))
        except CommitStateUnknownError:
            allowed = [before, after]
        except fb.FloebergError:
            allowed = [before]
        assert state(plain) in allowed, (at, fault)
        plain.create_or_replace_view("shop.seen", SCHEMA, sql=THREE)
        assert plain.load_view("shop.seen").sql_for("spark").sql == "SELECT 3 AS id"

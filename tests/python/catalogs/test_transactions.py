"""What does a commit of several tables do, in catalogs of every kind?"""

from __future__ import annotations

import gc
import pickle
from contextlib import contextmanager

import pyarrow as pa
import pytest
from json_catalog import JsonCatalog
from one_column import SCHEMA, ids, rows
from places import files_in

import floeberg as fb
from floeberg.catalog import FileSystemCatalog, MetastoreCatalog
from floeberg.commit import lock
from floeberg.errors import (
    CommitConflictError,
    InvalidInputError,
    NoSuchTableError,
    TableAlreadyExistsError,
    UnsupportedError,
)

HASTE = {"commit.retry.min-wait-ms": "1", "commit.retry.max-wait-ms": "1"}
WITH_NAMES = pa.schema({"id": pa.int64(), "name": pa.string()})


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Writers that are in one thread cannot wait for each other."""
    monkeypatch.setattr(lock, "PATIENCE", 0.0)


@pytest.fixture
def tables(catalog):
    """Three tables, of the ids 0, 10 and 20."""
    catalog.create_namespace("db")
    made = []
    for number, name in enumerate("abc"):
        made.append(catalog.create_table(f"db.{name}", SCHEMA, properties=HASTE))
        made[-1].append(rows(10 * number))
    return made


@contextmanager
def before_the_commit(catalog, *steps):
    """Takes a step before each request to commit to several tables."""
    do_commit_all, left = catalog.do_commit_all, list(steps)

    def stepping(commits):
        if left:
            left.pop(0)()
        return do_commit_all(commits)

    catalog.do_commit_all = stepping
    try:
        yield left
    finally:
        del catalog.do_commit_all


def there(catalog):
    """The ids of each table."""
    return {name: ids(catalog.load_table(f"db.{name}")) for name in "abc"}


def stray_files(catalog, *tables):
    """The data files, manifests and lists that are there and that no table names."""
    stray = []
    for table in tables:
        now = catalog.load_table(table.name())
        known = {name_of(path) for path in now.inspect.all_files()["file_path"].to_pylist()}
        known |= {name_of(path) for path in now.inspect.all_manifests()["path"].to_pylist()}
        known |= {name_of(each.manifest_list) for each in now.snapshots()}
        logged = now.inspect.metadata_log_entries()["file"].to_pylist()
        known |= {name_of(path) for path in (*logged, now.metadata_location)}
        known |= {"version-hint.text"}
        stray += [each for each in map(name_of, files_in(now.location())) if each not in known]
    return stray


def name_of(path):
    return path.rsplit("/", 1)[-1]


def test_two_and_three_tables_change_at_once(catalog, tables):
    before = catalog.do_list_metadata_locations()
    with catalog.transaction(snapshot_properties={"job": "nine"}) as transaction:
        transaction.table("db.a").append(rows(1))
        transaction.table(("db", "b")).delete("id = 10")
        assert there(catalog) == {"a": [0], "b": [10], "c": [20]}
        assert catalog.do_list_metadata_locations() == before
        assert transaction.results == {}
    assert there(catalog) == {"a": [0, 1], "b": [], "c": [20]}
    assert list(transaction.results) == [("db", "a"), ("db", "b")]
    assert transaction.results["db", "a"].added_rows == 1
    assert transaction.results["db", "b"].deleted_rows == 1
    for name in "ab":
        head = catalog.load_table(f"db.{name}").current_snapshot()
        assert head.summary["job"] == "nine"
        assert head.snapshot_id == transaction.results["db", name].snapshot_id
    with catalog.transaction() as transaction:
        transaction.table("db.a").overwrite(rows(7))
        transaction.table("db.b").append(rows(8))
        transaction.table("db.c").upsert(rows(20, 21), join_cols=["id"])
    assert there(catalog) == {"a": [7], "b": [8], "c": [20, 21]}
    assert stray_files(catalog, *tables) == []


def test_columns_change_in_one_table_and_rows_in_others(catalog, tables):
    assert len(tables) == 3
    with catalog.transaction() as transaction:
        one = transaction.table("db.a")
        with one.update_schema() as update:
            update.add_column("name", "string")
        one.append(pa.table({"id": [1], "name": ["x"]}, WITH_NAMES))
        transaction.table("db.b").set_properties(owner="jo")
        transaction.table("db.c").update({"id": fb.sql_expr("id + 1")}, "id = 20")
    assert catalog.load_table("db.a").to_arrow().sort_by("id")["name"].to_pylist() == [None, "x"]
    assert catalog.load_table("db.b").properties["owner"] == "jo"
    assert transaction.results["db", "b"].snapshot_id is None
    assert there(catalog) == {"a": [0, 1], "b": [10], "c": [21]}


def test_an_exception_in_the_block_commits_nothing_and_leaves_nothing(catalog, tables):
    before = catalog.do_list_metadata_locations()
    transaction = catalog.transaction()

    def work():
        with transaction:
            transaction.table("db.a").append(rows(1))
            transaction.table("db.b").append(rows(2))
            transaction.create_table("db.n", SCHEMA).append(rows(3))
            assert len(stray_files(catalog, *tables)) == 2
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert catalog.do_list_metadata_locations() == before
    assert stray_files(catalog, *tables) == []
    assert transaction.results == {}
    assert files_in(tables[0].location().replace("/a", "/n")) == []
    with pytest.raises(InvalidInputError, match="has ended"):
        transaction.table("db.a")
    with pytest.raises(InvalidInputError, match="has ended"):
        transaction.commit_transaction()


def test_one_that_is_dropped_or_rolled_back_leaves_nothing(catalog, tables):
    transaction = catalog.transaction()
    transaction.table("db.a").append(rows(1))
    transaction.rollback()
    transaction.rollback()
    transaction = catalog.transaction()
    transaction.table("db.a").append(rows(1))
    assert len(stray_files(catalog, *tables)) == 1
    del transaction
    gc.collect()
    assert stray_files(catalog, *tables) == []
    assert there(catalog)["a"] == [0]


def test_an_empty_one_does_nothing(catalog, tables):
    before = catalog.do_list_metadata_locations()
    with catalog.transaction() as transaction:
        pass
    assert transaction.results == {}
    with before_the_commit(catalog, pytest.fail), catalog.transaction() as transaction:
        assert transaction.table("db.a").result is None
    assert transaction.results["db", "a"].snapshot_id is None
    assert catalog.do_list_metadata_locations() == before
    assert len(tables) == 3


def test_one_table_is_an_ordinary_commit(catalog, tables):
    with before_the_commit(catalog, pytest.fail), catalog.transaction() as transaction:
        transaction.table("db.a").append(rows(1))
        transaction.table("db.b")
        tables[0].append(rows(2))
    assert transaction.results["db", "a"].added_rows == 1
    assert there(catalog) == {"a": [0, 1, 2], "b": [10], "c": [20]}


def test_a_conflict_of_one_table_tries_all_again(catalog, tables):
    one, other, _ = tables
    steps = (lambda: one.append(rows(1)), lambda: other.append(rows(11)))
    with before_the_commit(catalog, *steps) as left, catalog.transaction() as transaction:
        transaction.table("db.a").append(rows(2))
        transaction.table("db.b").append(rows(12))
        transaction.table("db.c").append(rows(22))
    assert left == []
    assert there(catalog) == {"a": [0, 1, 2], "b": [10, 11, 12], "c": [20, 22]}
    assert transaction.results["db", "a"].added_files == 1
    assert stray_files(catalog, *tables) == []


def test_a_conflict_that_lasts_changes_nothing(catalog, tables):
    one, other, _ = tables
    other.set_properties({"commit.retry.num-retries": "2"})
    transaction = catalog.transaction()
    transaction.table("db.a").append(rows(2))
    transaction.table("db.b").append(rows(12))
    with (
        before_the_commit(catalog, *[lambda: one.append(rows(1))] * 9) as left,
        pytest.raises(CommitConflictError, match="gave up after 3 attempts") as caught,
    ):
        transaction.commit_transaction()
    assert len(left) == 6
    assert caught.value.retryable
    assert there(catalog) == {"a": [0, 1, 1, 1], "b": [10], "c": [20]}
    assert stray_files(catalog, *tables) == []


def test_operations_that_conflict_change_nothing_and_name_the_table(catalog, tables):
    one, _, _ = tables
    transaction = catalog.transaction()
    transaction.table("db.b").append(rows(12))
    transaction.table("db.a").overwrite(rows(1), "id = 0")
    one.append(rows(0))
    with pytest.raises(CommitConflictError) as caught:
        transaction.commit_transaction()
    assert "the table is 'db.a'" in caught.value.__notes__
    assert there(catalog) == {"a": [0, 0], "b": [10], "c": [20]}
    assert stray_files(catalog, *tables) == []


def test_rows_that_others_changed_are_looked_for_again(catalog, tables):
    one, _, _ = tables
    step = lambda: one.update({"id": fb.sql_expr("id + 5")}, "id = 0")  # noqa: E731 - a step
    with before_the_commit(catalog, step), catalog.transaction() as transaction:
        transaction.table("db.b").append(rows(12))
        transaction.table("db.a").update({"id": fb.sql_expr("id + 1")}, "id < 6")
    assert there(catalog) == {"a": [6], "b": [10, 12], "c": [20]}
    assert transaction.results["db", "a"].repeated == 1
    assert transaction.results["db", "b"].repeated == 0
    assert stray_files(catalog, *tables) == []


def test_a_table_is_created_with_the_others(catalog, tables):
    with catalog.transaction() as transaction:
        new = transaction.create_table("db.n", SCHEMA, properties={"owner": "jo"})
        new.append(rows(5))
        assert transaction.table("db.n") is new
        transaction.create_table("db.empty", SCHEMA)
        transaction.table("db.a").delete("id = 0")
        with pytest.raises(TableAlreadyExistsError):
            transaction.create_table("db.n", SCHEMA)
        assert not catalog.table_exists("db.n")
    made = catalog.load_table("db.n")
    assert (ids(made), made.properties["owner"]) == ([5], "jo")
    assert catalog.load_table("db.empty").count() == 0
    assert there(catalog)["a"] == []
    assert transaction.results["db", "empty"].snapshot_id is None
    assert stray_files(catalog, made, *tables) == []


def test_a_table_that_another_creates_meanwhile_stops_all(catalog, tables):
    place = tables[0].location().rpartition("/")[0] + "/n"
    transaction = catalog.transaction()
    transaction.table("db.a").append(rows(1))
    transaction.create_table("db.n", SCHEMA).append(rows(3))
    in_folders = isinstance(catalog, FileSystemCatalog)
    elsewhere = None if in_folders else f"{place}-other"
    other = catalog.create_table("db.n", as_select=rows(4), location=elsewhere)
    with pytest.raises(TableAlreadyExistsError, match=r"db\.n"):
        transaction.commit_transaction()
    assert ids(catalog.load_table("db.n")) == [4]
    assert there(catalog)["a"] == [0]
    assert stray_files(catalog, other, *tables) == []
    assert in_folders or files_in(place) == []


def test_a_view_of_the_name_of_a_new_table_stops_all(catalog, kind, tables):
    if not kind.views:
        return
    transaction = catalog.transaction()
    transaction.table("db.a").append(rows(1))
    transaction.create_table("db.n", SCHEMA)
    catalog.create_view("db.n", sql="select 1 as id", schema=SCHEMA, dialect="spark")
    with pytest.raises(TableAlreadyExistsError):
        transaction.commit_transaction()
    assert there(catalog)["a"] == [0]
    assert stray_files(catalog, *tables) == []


def test_a_table_that_is_dropped_meanwhile_stops_all(catalog, tables):
    transaction = catalog.transaction()
    transaction.table("db.a").append(rows(1))
    transaction.table("db.b").append(rows(11))
    catalog.drop_table("db.b")
    with pytest.raises(NoSuchTableError):
        transaction.commit_transaction()
    assert ids(catalog.load_table("db.a")) == [0]
    assert stray_files(catalog, tables[0]) == []
    with pytest.raises(NoSuchTableError):
        catalog.transaction().table("db.b")


def test_a_key_is_of_all_tables(catalog, tables):
    def transfer(key="k"):
        with catalog.transaction(idempotency_key=key) as transaction:
            transaction.table("db.a").append(rows(1))
            transaction.table("db.b").delete("id = 10")
        return transaction.results

    first, again = transfer(), transfer()
    assert {each.already_committed for each in first.values()} == {False}
    assert {each.already_committed for each in again.values()} == {True}
    assert [each.snapshot_id for each in again.values()] == [each.snapshot_id for each in first.values()]
    assert there(catalog) == {"a": [0, 1], "b": [], "c": [20]}
    other = catalog.transaction(idempotency_key="k")
    other.table("db.a").append(rows(1))
    other.table("db.c").append(rows(1))
    with pytest.raises(InvalidInputError, match=r"'db\.c' has none"):
        other.commit_transaction()
    assert there(catalog) == {"a": [0, 1], "b": [], "c": [20]}
    assert stray_files(catalog, *tables) == []
    with pytest.raises(UnsupportedError, match="creates no tables"):
        catalog.transaction(idempotency_key="n").create_table("db.n", SCHEMA)


def test_a_key_that_another_commits_meanwhile_is_found(catalog, tables):
    def same():
        with catalog.transaction(idempotency_key="k") as transaction:
            transaction.table("db.a").append(rows(1))
            transaction.table("db.b").append(rows(11))
        return transaction.results

    late = catalog.transaction(idempotency_key="k")
    late.table("db.a").append(rows(1))
    late.table("db.b").append(rows(11))
    assert not same()["db", "a"].already_committed
    late.commit_transaction()
    assert {each.already_committed for each in late.results.values()} == {True}
    assert there(catalog) == {"a": [0, 1], "b": [10, 11], "c": [20]}
    assert stray_files(catalog, *tables) == []


def test_a_part_is_no_transaction_of_its_own(catalog, tables):
    assert len(tables) == 3
    with catalog.transaction() as transaction:
        part = transaction.table("db.a")
        assert transaction.table("db.a") is part
        for ends in (part.commit_transaction, part.rollback):
            with pytest.raises(InvalidInputError, match="part of a transaction of several tables"):
                ends()
        with part as same:
            same.append(rows(1))
        assert there(catalog)["a"] == [0]
        for each in (transaction, part):
            with pytest.raises(TypeError, match="cannot be pickled"):
                pickle.dumps(each)
    assert there(catalog)["a"] == [0, 1]
    with pytest.raises(InvalidInputError, match="has ended"):
        part.append(rows(2))


def test_snapshots_go_to_the_branch_of_a_table(catalog, tables):
    one, _, _ = tables
    one.manage_snapshots().create_branch(one.current_snapshot().snapshot_id, "dev").commit()
    with catalog.transaction() as transaction:
        transaction.table("db.a", branch="dev").append(rows(1))
        transaction.table("db.b").append(rows(11))
        with pytest.raises(InvalidInputError, match="branch 'dev' of the table"):
            transaction.table("db.a", branch="other")
    assert there(catalog) == {"a": [0], "b": [10, 11], "c": [20]}
    assert sorted(one.refresh().scan().use_ref("dev").to_arrow()["id"].to_pylist()) == [0, 1]


class WithoutSuchCommits(JsonCatalog):
    """A catalog that swaps the location of one table alone."""

    do_swap_metadata_locations = MetastoreCatalog.do_swap_metadata_locations


def test_a_catalog_without_such_commits_says_so(tmp_path):
    catalog = WithoutSuchCommits("w", {"file": f"{tmp_path}/w.json", "warehouse": tmp_path.as_uri()})
    with pytest.raises(UnsupportedError, match="WithoutSuchCommits, which has no commit of several tables"):
        catalog.transaction()

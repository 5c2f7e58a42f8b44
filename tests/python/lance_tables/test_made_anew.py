"""Handles of tables and branches that were removed and made anew in their place, and of versions that were cleaned up.

A version is known by its manifest, not by its number. What is not known any more is not guessed.
"""

import pickle
import shutil
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import AlreadyExistsError, CommitConflictError, NotFoundError

NOW = timedelta(0)


def ids(*numbers):
    return pa.table({"id": list(numbers)})


def rows_of(location, **chosen):
    return sorted(fb.open_table(location, **chosen).scan().to_arrow()["id"].to_pylist())


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file())


@pytest.fixture
def table_made_anew(tmp_path):
    """A handle of a table of two versions, and another table of three at its place."""
    place = f"{tmp_path}/t"
    stale = fb.lance.create_table(place, ids(1, 2))
    stale.append(ids(3))
    shutil.rmtree(place)
    new = fb.lance.create_table(place, ids(100, 200))
    new.append(ids(300))
    new.append(ids(400))
    return stale


@pytest.fixture
def branch_made_anew(tmp_path):
    """A handle of a branch of two versions, and another branch of its name."""
    main = fb.lance.create_table(f"{tmp_path}/t", ids(100, 200))
    main.create_branch("b")
    stale = fb.open_table(main.location, branch="b")
    stale.append(ids(3))
    main.delete_branch("b")
    main.create_branch("b")
    new = fb.open_table(main.location, branch="b")
    new.append(ids(300))
    new.append(ids(400))
    return stale


def of_workers(table, rows):
    recipe = table.write_recipe()
    receipt = recipe.write(rows)
    try:
        table.commit_receipts([receipt])
    except CommitConflictError:
        recipe.remove(receipt)
        raise


WRITES = {
    "append": lambda table: table.append(ids(9)),
    "append with a key": lambda table: table.append(ids(9), idempotency_key="job"),
    "overwrite": lambda table: table.overwrite(ids(9)),
    "delete": lambda table: table.delete("id < 101"),
    "delete all": lambda table: table.delete("true"),
    "update": lambda table: table.update({"id": 9}, "id < 101"),
    "upsert": lambda table: table.upsert(ids(1, 9), join_cols=["id"]),
    "add columns": lambda table: table.add_columns({"n": fb.sql_expr("id + 1")}),
    "settings": lambda table: table.update_config({"a": "b"}),
    "restore": lambda table: table.restore(1),
    "compact": lambda table: table.maintenance.compact(),
    "cleanup": lambda table: table.maintenance.cleanup(older_than=NOW),
    "create a tag": lambda table: table.create_tag("t"),
    "create a branch": lambda table: table.create_branch("other"),
    "clone": lambda table: table.shallow_clone(f"{table.location}-clone"),
    "receipts": lambda table: of_workers(table, ids(9)),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("kind", ["table", "branch"])
def test_nothing_is_written_through_a_handle_of_what_was_removed(request, write, kind):
    stale = request.getfixturevalue(f"{kind}_made_anew")
    before = files_in(stale.location)
    with pytest.raises((CommitConflictError, NotFoundError)):
        WRITES[write](stale)
    assert files_in(stale.location) == before
    chosen = {} if kind == "table" else {"branch": "b"}
    assert rows_of(stale.location, **chosen) == [100, 200, 300, 400]
    assert not Path(f"{stale.location}-clone").exists()


@pytest.mark.parametrize("kind", ["table", "branch"])
def test_nothing_of_another_table_is_read_through_a_handle_of_what_was_removed(request, kind):
    stale = request.getfixturevalue(f"{kind}_made_anew")
    recipe = stale.write_recipe()
    for read in (
        stale.refresh,
        stale.versions,
        stale.version_numbers,
        lambda: stale.changelog_scan(1).to_arrow(),
        lambda: pickle.loads(pickle.dumps(stale)),
        lambda: pickle.loads(pickle.dumps(stale.scan())),
    ):
        with pytest.raises(NotFoundError):
            read()
    chosen = {} if kind == "table" else {"branch": "b"}
    opened = fb.open_table(stale.location, **chosen)
    receipt = recipe.write(ids(9))
    with pytest.raises(CommitConflictError):
        opened.commit_receipts([receipt])
    recipe.remove(receipt)
    assert rows_of(stale.location, **chosen) == [100, 200, 300, 400]


def test_a_key_is_of_one_table(table_made_anew):
    fb.open_table(table_made_anew.location).append(ids(500), idempotency_key="job")
    with pytest.raises((CommitConflictError, NotFoundError)):
        table_made_anew.append(ids(9), idempotency_key="job")


def test_receipts_know_their_version_without_a_file_of_its_transaction(tmp_path):
    lance = pytest.importorskip("lance")
    place = f"{tmp_path}/t"

    def create(numbers):
        lance.write_dataset(ids(*numbers), place)
        return fb.open_table(place)

    recipe = create([1]).write_recipe()
    shutil.rmtree(place)
    again = create([2])
    receipt = recipe.write(ids(9))
    with pytest.raises(CommitConflictError, match="another table is here now"):
        again.commit_receipts([receipt])


def test_an_append_from_a_version_that_was_cleaned_up_is_made_anew(tmp_path):
    table = fb.lance.create_table(f"{tmp_path}/t", ids(1, 2))
    stale = fb.open_table(table.location)
    table.append(ids(3))
    table.append(ids(4))
    table.maintenance.cleanup(older_than=NOW)
    # Rows that can be read once.
    rows = pa.RecordBatchReader.from_batches(ids(9).schema, ids(9).to_batches())
    assert stale.append(rows).added_rows == 1
    assert rows_of(table.location) == [1, 2, 3, 4, 9]


def test_receipts_of_a_version_that_was_cleaned_up_are_added_once(tmp_path):
    table = fb.lance.create_table(f"{tmp_path}/t", ids(1))
    stale, other = fb.open_table(table.location), fb.open_table(table.location)
    receipt = stale.write_recipe().write(ids(9))
    table.append(ids(2))
    table.append(ids(3))
    table.maintenance.cleanup(older_than=NOW)
    stale.commit_receipts([receipt])
    assert rows_of(table.location) == [1, 2, 3, 9]
    fb.open_table(table.location).append(ids(4))
    table.refresh().maintenance.cleanup(older_than=NOW)
    with pytest.raises(AlreadyExistsError, match="has the data file already"):
        other.commit_receipts([receipt])
    assert rows_of(table.location) == [1, 2, 3, 4, 9]


def test_columns_that_were_changed_are_named(tmp_path):
    table = fb.lance.create_table(f"{tmp_path}/t", ids(1))
    stale = fb.open_table(table.location)
    table.add_columns({"n": fb.sql_expr("id + 1")})
    table.append(pa.table({"id": [2], "n": [3]}))
    table.maintenance.cleanup(older_than=NOW)
    before = files_in(table.location)
    with pytest.raises(CommitConflictError, match="changed meanwhile, of 'n'"):
        stale.append(ids(9))
    assert files_in(table.location) == before


def test_a_column_that_was_replaced_by_one_of_its_name_is_named(tmp_path):
    table = fb.lance.create_table(f"{tmp_path}/t", pa.table({"id": [1], "v": [1]}))
    stale = fb.open_table(table.location)
    table.drop_columns("v")
    table.add_columns(pa.field("v", pa.int64()))
    with pytest.raises(CommitConflictError, match="'v'"):
        stale.append(pa.table({"id": [2], "v": [2]}))
    assert rows_of(table.location) == [1]


def test_an_overwrite_does_not_guess_what_was_cleaned_up(tmp_path):
    table = fb.lance.create_table(f"{tmp_path}/t", ids(1))
    stale = fb.open_table(table.location)
    table.append(ids(2))
    table.append(ids(3))
    table.maintenance.cleanup(older_than=NOW)
    with pytest.raises(CommitConflictError, match="was cleaned up"):
        stale.overwrite(ids(9))
    stale.refresh().overwrite(ids(9))
    assert rows_of(table.location) == [9]


def test_blobs_are_those_of_the_table_that_was_opened(tmp_path):
    lance = pytest.importorskip("lance")
    place = f"{tmp_path}/t"
    schema = pa.schema(
        [
            pa.field("id", pa.int64()),
            pa.field("b", pa.large_binary(), metadata={"lance-encoding:blob": "true"}),
        ]
    )

    def create(content):
        lance.write_dataset(pa.table({"id": [1], "b": [content]}, schema=schema), place)

    create(b"old")
    stale = fb.open_table(place)
    shutil.rmtree(place)
    create(b"new")
    with pytest.raises(NotFoundError):
        stale.blobs("b", addresses=[0])

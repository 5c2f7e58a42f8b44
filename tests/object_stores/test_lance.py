"""Lance tables in object stores, which put a manifest if there is none: with pylance, faults, many writers."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import lance
import pyarrow as pa
import pytest
from emulators import Emulator, place

import floeberg as fb
from floeberg import _native
from floeberg.errors import CommitStateUnknownError, FloebergError, NotFoundError, TableAlreadyExistsError
from floeberg.lance.page_options import page_options

FAULTS = ("fail", "lose-request", "lose-answer", "cut-short")
_NUMBERS: Iterator[int] = iter(range(1_000_000))


def new_place(store: Emulator) -> str:
    """A location that nothing is at."""
    return f"{place(store.name)}/lance/{next(_NUMBERS)}"


def rows(*ids: int) -> pa.Table:
    return pa.table({"id": pa.array(ids, pa.int64()), "name": [f"n{each}" for each in ids]})


def ids(table: Any) -> list[int]:
    return sorted(table.scan().to_arrow()["id"].to_pylist())


@pytest.fixture
def table(store) -> fb.LanceTable:
    """A table of four rows."""
    return fb.lance.create_table(new_place(store), rows(1, 2, 3, 4))


def test_we_and_pylance_work_on_one_table_in_a_store(table) -> None:
    table.append(rows(5, 6))
    table.delete("id = 1")
    table.update({"name": "u"}, "id = 2")
    table.upsert(rows(6, 7), ["id"])
    lance.write_dataset(rows(8), table.location, mode="append")
    lance.dataset(table.location).delete("id = 3")
    table.refresh()
    assert ids(table) == [2, 4, 5, 6, 7, 8]
    table.add_columns({"twice": fb.sql_expr("id * 2")})
    table.maintenance.compact()
    table.create_tag("t")
    table.create_branch("b/c")
    branch = fb.open_table(table.location, branch="b/c")
    branch.delete("id = 8")
    assert (ids(branch), ids(table)) == ([2, 4, 5, 6, 7], [2, 4, 5, 6, 7, 8])
    dataset = lance.dataset(table.location)
    dataset.validate()
    expected = [{"id": each, "twice": 2 * each} for each in ids(table)]
    assert dataset.to_table(columns=["id", "twice"]).sort_by("id").to_pylist() == expected
    assert table.scan().select("id", "twice").to_arrow().sort_by("id").to_pylist() == expected
    for version in table.version_numbers():
        theirs = lance.dataset(table.location, version=version).to_table(with_row_id=True)
        ours = fb.open_table(table.location, version=version).scan().select("*", "_rowid").to_arrow()
        assert ours.sort_by("id").to_pylist() == theirs.select(ours.column_names).sort_by("id").to_pylist()
    cleaned = table.maintenance.cleanup(older_than=timedelta(0))
    assert len(cleaned.versions) > 5
    assert ids(fb.open_table(table.location, tag="t")) == ids(table)
    with pytest.raises(TableAlreadyExistsError):
        fb.lance.create_table(table.location, rows(1))


def test_a_clone_reads_the_files_of_its_source(store, table) -> None:
    target = new_place(store)
    table.shallow_clone(target)
    clone = fb.open_table(target)
    clone.append(rows(9))
    assert (ids(clone), ids(table)) == ([1, 2, 3, 4, 9], [1, 2, 3, 4])
    assert lance.dataset(target).count_rows() == 5


@pytest.mark.parametrize("fault", FAULTS)
def test_every_call_of_a_change_may_fail(store, fault, tmp_path) -> None:
    before, after = [1, 2, 3, 4], [1, 2, 3, 4, 100]
    for number in range(100):
        calls = tmp_path / f"calls-{number}"
        options = {"testing.calls": str(calls), "testing.faults": f"{number}={fault}"}
        # A new one each time: more fragments are more calls.
        table = fb.lance.create_table(new_place(store), rows(*before))
        expected = [before]
        try:
            opened = fb.open_table(table.location, format="lance", storage_options=options)
            opened.upsert(rows(number % 3 + 1, 100), ["id"])
            expected = [after]
        except CommitStateUnknownError:
            expected = [before, after]
        except FloebergError:
            pass
        found = ids(table.refresh())
        assert found in expected, number
        dataset = lance.dataset(table.location)
        dataset.validate()
        assert sorted(dataset.to_table()["id"].to_pylist()) == found
        if len(calls.read_text().splitlines()) <= number:
            break
    else:
        pytest.fail("an upsert makes more calls than were tried")
    assert number > 5


WRITER = """
import sys
import pyarrow as pa
import floeberg as fb

location, number = sys.argv[1], int(sys.argv[2])
table = fb.open_table(location, format="lance")
for round in range(5):
    table.append(pa.table({"id": [1000 * (number + 1) + round], "name": ["a"]}))
    table.upsert(pa.table({"id": [9000 + round], "name": [str(number)]}), ["id"])
    table.delete(f"id = {1000 * (number + 1) + round}") if round % 2 else None
"""


def test_many_processes_change_a_table_in_a_store_and_lose_nothing(table) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, table.location, str(number)], env=environment)
        for number in range(3)
    ]
    assert [writer.wait(timeout=300) for writer in writers] == [0, 0, 0]
    kept = [1000 * (number + 1) + round_ for number in range(3) for round_ in (0, 2, 4)]
    assert ids(table.refresh()) == sorted([1, 2, 3, 4, *kept, *(9000 + round_ for round_ in range(5))])
    assert table.version == 1 + 3 * (5 + 5 + 2)
    dataset = lance.dataset(table.location)
    dataset.validate()
    assert dataset.count_rows() == table.scan().count()


@pytest.fixture
def options(store, monkeypatch) -> dict[str, str]:
    """Options that say where the storage is. The environment says nothing, or something wrong."""
    for name, value in store.environment.items():
        if name.endswith(("ALLOW_HTTP", "REGION")):
            monkeypatch.delenv(name)
        else:
            monkeypatch.setenv(name, "http://127.0.0.1:9" if value == store.url else "d3Jvbmc=")
    return dict(store.options)


def test_rows_are_written_and_read_with_the_options_of_the_table_alone(store, options) -> None:
    table = fb.lance.create_table(new_place(store), rows(1, 2, 3, 4), storage_options=options)
    table.append(rows(5))
    table.delete("id = 1")
    table.upsert(rows(5, 6), ["id"])
    table.add_columns({"twice": fb.sql_expr("id * 2")})
    table.maintenance.compact()
    opened = fb.open_table(table.location, storage_options=options)
    assert ids(opened) == [2, 3, 4, 5, 6]
    assert opened.take(row_ids=[2], selected_fields=("id",)).to_pylist() == [{"id": 3}]
    assert sum(len(group.to_arrow()) for group in opened.scan().plan_files().split(1)) == 5


def test_workers_write_and_read_with_the_options_that_they_are_sent(store, options) -> None:
    table = fb.lance.create_table(new_place(store), rows(1, 2), storage_options=options)
    work = (
        "import pickle, sys, pyarrow as pa\n"
        "recipe, group = pickle.load(sys.stdin.buffer)\n"
        "receipt = recipe.write(pa.table({'id': pa.array([7], pa.int64()), 'name': ['g']}))\n"
        "sys.stdout.buffer.write(pickle.dumps((receipt, group.to_arrow().num_rows)))"
    )
    (group,) = table.scan().plan_files().split()
    sent = pickle.dumps((table.write_recipe(), group))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", work], input=sent, capture_output=True, check=True, env=environment
    )
    receipt, read = pickle.loads(done.stdout)
    table.commit_receipts([receipt])
    assert (read, ids(table)) == (2, [1, 2, 7])


def test_blobs_are_opened_with_the_options_of_the_table(store, options) -> None:
    location = new_place(store)
    blob = pa.field("blob", pa.large_binary(), metadata={"lance-encoding:blob": "true"})
    batch = pa.table([pa.array([b"one", None], pa.large_binary())], schema=pa.schema([blob]))
    lance.write_dataset(batch, location, storage_options=page_options(options), data_storage_version="2.1")
    table = fb.open_table(location, storage_options=options)
    first, second = table.blobs("blob", addresses=[0, 1])
    assert (first.read(), second) == (b"one", None)


def test_no_text_has_a_secret_of_the_options(store, options) -> None:
    table = fb.lance.create_table(new_place(store), rows(1), storage_options=options)
    scan = table.scan()
    recipe = table.write_recipe()
    receipt = recipe.write(rows(2))
    done = table.commit_receipts([receipt])
    shown: list[object] = [table, scan, scan.plan_files(), recipe, receipt, scan.explain(), done]
    (endpoint,) = (name for name in options if name.endswith("endpoint"))
    (secret,) = (
        value for name, value in options.items() if name.endswith(("secret-access-key", "account-key"))
    )
    nowhere = options | {endpoint: "http://127.0.0.1:9", "io.retries": "0"}
    with pytest.raises(FloebergError) as caught:
        fb.open_table(table.location, format="lance", storage_options=nowhere)
    shown += [caught.value, *traceback.format_exception(caught.value)]
    _native.remove_lance_files(table.inspect.data_files()["location"].to_pylist(), storage_options=options)
    with pytest.raises(NotFoundError) as gone:
        table.scan().to_arrow()
    shown += [gone.value, *traceback.format_exception(gone.value)]
    assert not [each for each in shown if secret in f"{each} {each!r}"]

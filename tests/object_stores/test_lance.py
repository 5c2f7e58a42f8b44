"""Lance tables in S3, which puts a manifest if there is none: with pylance, faults at every call, many writers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import lance
import pyarrow as pa
import pytest
from s3_kinds import BUCKET

import floeberg as fb
from floeberg.errors import CommitStateUnknownError, FloebergError, TableAlreadyExistsError

FAULTS = ("fail", "lose-request", "lose-answer", "cut-short")
_PLACES: Iterator[str] = (f"s3://{BUCKET}/lance/{number}" for number in range(1_000_000))


def rows(*ids: int) -> pa.Table:
    return pa.table({"id": pa.array(ids, pa.int64()), "name": [f"n{each}" for each in ids]})


def ids(table: Any) -> list[int]:
    return sorted(table.scan().to_arrow()["id"].to_pylist())


@pytest.fixture
def table() -> fb.LanceTable:
    """A table of four rows."""
    return fb.lance.create_table(next(_PLACES), rows(1, 2, 3, 4))


def test_we_and_pylance_work_on_one_table_in_s3(table) -> None:
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


def test_a_clone_in_s3_reads_the_files_of_its_source(table) -> None:
    target = next(_PLACES)
    table.shallow_clone(target)
    clone = fb.open_table(target)
    clone.append(rows(9))
    assert (ids(clone), ids(table)) == ([1, 2, 3, 4, 9], [1, 2, 3, 4])
    assert lance.dataset(target).count_rows() == 5


@pytest.mark.parametrize("fault", FAULTS)
def test_every_call_of_a_change_in_s3_may_fail(fault, tmp_path) -> None:
    before, after = [1, 2, 3, 4], [1, 2, 3, 4, 100]
    for number in range(100):
        calls = tmp_path / f"calls-{number}"
        options = {"testing.calls": str(calls), "testing.faults": f"{number}={fault}"}
        # A new one each time: more fragments are more calls.
        table = fb.lance.create_table(next(_PLACES), rows(*before))
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


def test_many_processes_change_a_table_in_s3_and_lose_nothing(table) -> None:
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

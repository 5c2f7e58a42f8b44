"""How often is a store asked, and how often does it have to be waited for?

The store answers in step: what has been asked is answered together, once nothing more is asked. So rounds are those of
the requests themselves, on any machine. `EXPECTED` is all that a change of the requests changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import far_store_faults as faults
import floeberg as fb
from far_store import FarStore
from far_store_tables import Place
from floeberg.catalog import FileSystemCatalog

STEP = 0.02
"""Seconds without a request, after which those that came are answered, unless the client computes."""

TRIES = 3

EXPECTED: dict[str, dict[str, int]] = {
    "open by path": {"GET": 2, "LIST": 1, "rounds": 3},
    "open by the metadata": {"GET": 1, "rounds": 1},
    "open by a catalog": {"GET": 1, "rounds": 1},
    "open by a catalog of folders": {"GET": 2, "HEAD": 6, "rounds": 3},
    "append by a catalog of folders": {"GET": 3, "HEAD": 9, "PUT": 5, "rounds": 12},
    "append to two tables of folders": {"GET": 8, "HEAD": 26, "POST": 3, "PUT": 13, "rounds": 40},
    "plan": {"GET": 2, "rounds": 2},
    "scan of 40 small files": {"GET": 42, "rounds": 4},
    "scan of 40 small files by batches": {"GET": 42, "rounds": 4},
    "scan of large files": {"GET": 13, "rounds": 4},
    "one file of 40 from a catalog": {"GET": 4, "rounds": 4},
    "one file of 40 from its path": {"GET": 5, "LIST": 1, "rounds": 6},
    "one column of a wide file": {"GET": 4, "rounds": 4},
    "position deletes": {"GET": 10, "rounds": 5},
    "deletion vectors": {"GET": 10, "rounds": 5},
    "equality deletes": {"GET": 10, "rounds": 5},
    "limit": {"GET": 3, "rounds": 3},
    "count": {"GET": 2, "rounds": 2},
    "count with a filter": {"GET": 4, "rounds": 3},
    "append of one file": {"GET": 1, "PUT": 4, "rounds": 5},
    "statistics of 40 small files": {"GET": 42, "PUT": 2, "rounds": 6},
    "statistics of partitions": {"GET": 2, "PUT": 2, "rounds": 4},
    "append of four files": {"GET": 1, "PUT": 7, "rounds": 5},
    "delete of a row by a vector": {"GET": 3, "PUT": 4, "rounds": 7},
    "delete of a row by a copy": {"GET": 3, "PUT": 5, "rounds": 8},
    "delete of a whole file": {"GET": 2, "PUT": 3, "rounds": 5},
    "merge into four of 40 files": {"GET": 6, "PUT": 12, "rounds": 9},
    "upsert of five rows": {"GET": 6, "PUT": 12, "rounds": 9},
    "append after another writer": {"GET": 2, "PUT": 4, "rounds": 6},
    "append that loses a race": {"GET": 3, "POST": 2, "PUT": 6, "rounds": 11},
}

Situation = Callable[[Any], Callable[[], object]]
SITUATIONS: dict[str, Situation] = {}


def situation(make: Situation) -> Situation:
    """A situation: it makes a table, and returns what is counted. Its name says what it is."""
    SITUATIONS[make.__name__.replace("_", " ")] = make
    return make


def summed(table: pa.Table, column: str = "id") -> int:
    return sum(table[column].to_pylist())


@situation
def open_by_path(place):
    table = place.files()
    return lambda: fb.open_table(table.location(), storage_options=place.options)


@situation
def open_by_the_metadata(place):
    table = place.files()
    return lambda: fb.open_table(table.metadata_location, storage_options=place.options)


@situation
def open_by_a_catalog(place):
    place.files()
    return place.open


def in_folders(place):
    """A catalog of folders with the tables `db.a` and `db.b`."""
    catalog = FileSystemCatalog("folders", {"warehouse": f"{place.folder}/folders"} | place.options)
    catalog.create_namespace("db")
    for name in "ab":
        catalog.create_table(f"db.{name}", rows(0).schema).append(rows(0))
    return catalog


@situation
def open_by_a_catalog_of_folders(place):
    catalog = in_folders(place)
    return lambda: catalog.load_table("db.a")


@situation
def append_by_a_catalog_of_folders(place):
    table = in_folders(place).load_table("db.a")
    return lambda: table.append(rows(1))


@situation
def append_to_two_tables_of_folders(place):
    transaction = in_folders(place).transaction()
    for name in "ab":
        transaction.table(f"db.{name}").append(rows(1))
    return transaction.commit_transaction


@situation
def plan(place):
    table = place.files()
    return lambda: len(table.scan().plan_files()) == 40 or pytest.fail("files are missing")


@situation
def scan_of_40_small_files(place):
    table = place.files()

    def run() -> None:
        assert summed(table.scan().to_arrow()) == sum(range(400))

    return run


@situation
def scan_of_40_small_files_by_batches(place):
    table = place.files()

    def run() -> None:
        reader = table.scan().to_arrow_batch_reader()
        assert sum(batch.num_rows for batch in reader) == 400

    return run


@situation
def scan_of_large_files(place):
    table = place.large()

    def run() -> None:
        assert table.scan().to_arrow().num_rows == 3 << 18

    return run


@situation
def one_file_of_40_from_a_catalog(place):
    place.files()

    def run() -> None:
        assert summed(place.open().scan(row_filter="part = 7").to_arrow()) == sum(range(70, 80))

    return run


@situation
def one_file_of_40_from_its_path(place):
    location = place.files().location()

    def run() -> None:
        table = fb.open_table(location, storage_options=place.options)
        assert summed(table.scan(row_filter="part = 7").to_arrow()) == sum(range(70, 80))

    return run


@situation
def one_column_of_a_wide_file(place):
    table = place.large(count=1, columns=40, rows=1 << 15, groups=1)

    def run() -> None:
        assert table.scan(selected_fields=("c20",)).to_arrow().num_rows == 1 << 15

    return run


def deleted(place, version: int) -> Callable[[], object]:
    place.files(count=4, version=version).delete("id IN (3, 13, 33)", mode="merge-on-read")
    table = place.open()

    def run() -> None:
        assert summed(table.scan().to_arrow()) == sum(range(40)) - 3 - 13 - 33

    return run


@situation
def position_deletes(place):
    return deleted(place, 2)


@situation
def deletion_vectors(place):
    return deleted(place, 3)


@situation
def equality_deletes(place):
    keys = rows(3, 13, 33).select(["id"])
    changes = keys.append_column("part", pa.array([0, 1, 3], pa.int32()))
    changes = changes.append_column("s", pa.nulls(3, pa.string()))
    changes = changes.append_column("op", pa.array(["delete"] * 3)).append_column("at", pa.array([1, 2, 3]))
    arguments = {"keys": ["id", "part"], "operation": "op", "order_by": "at", "mode": "equality"}
    place.files(count=4).apply_changes(changes, **arguments)
    table = place.open()

    def run() -> None:
        assert summed(table.scan().to_arrow()) == sum(range(40)) - 3 - 13 - 33

    return run


@situation
def limit(place):
    table = place.files()

    def run() -> None:
        assert table.scan(limit=5).to_arrow().num_rows == 5

    return run


@situation
def count(place):
    table = place.files()

    def run() -> None:
        assert table.scan().count() == 400

    return run


@situation
def count_with_a_filter(place):
    table = place.files()

    def run() -> None:
        assert table.scan(row_filter="id < 15").count() == 15

    return run


def rows(*ids: int, part: int = 0) -> pa.Table:
    types = {"id": pa.int64(), "part": pa.int32(), "s": pa.string()}
    return pa.table({"id": ids, "part": [part] * len(ids), "s": ["new"] * len(ids)}, pa.schema(types))


@situation
def append_of_one_file(place):
    table = place.files()
    return lambda: table.append(rows(1000))


@situation
def statistics_of_40_small_files(place):
    table = place.files()
    return lambda: table.maintenance.compute_table_stats(columns=["id"])


@situation
def statistics_of_partitions(place):
    table = place.files()
    return table.maintenance.compute_partition_stats


@situation
def append_of_four_files(place):
    table = place.files()
    data = pa.concat_tables(rows(1000 + each, part=each) for each in range(4))
    return lambda: table.append(data)


@situation
def delete_of_a_row_by_a_vector(place):
    table = place.files(version=3)
    return lambda: table.delete("id = 15", mode="merge-on-read")


@situation
def delete_of_a_row_by_a_copy(place):
    table = place.files()
    return lambda: table.delete("id = 15", mode="copy-on-write")


@situation
def delete_of_a_whole_file(place):
    table = place.files()
    return lambda: table.delete("part = 7")


@situation
def merge_into_four_of_40_files(place):
    table = place.files(version=3)
    source = pa.concat_tables([*(rows(each * 10, part=each) for each in range(4)), rows(1000)])

    def run() -> None:
        merge = table.merge(source, on=["id"])
        done = merge.when_matched_update_all().when_not_matched_insert_all().execute()
        assert (done.updated_rows, done.inserted_rows) == (4, 1)

    return run


@situation
def upsert_of_five_rows(place):
    table = place.files(version=3)
    source = pa.concat_tables([*(rows(each * 10, part=each) for each in range(4)), rows(1000)])

    def run() -> None:
        done = table.upsert(source, ["id"])
        assert (done.rows_updated, done.rows_inserted) == (4, 1)

    return run


@situation
def append_after_another_writer(place):
    table = place.files()
    place.open().append(rows(1000))

    def run() -> None:
        table.append(rows(1001))
        assert len(table.snapshots()) == 3

    return run


@situation
def append_that_loses_a_race(place):
    table = place.files()

    def win() -> None:
        # By another server, whose requests do not count.
        beside = FarStore(place.far.folder).start()
        place.open(aws_endpoint=beside.url).append(rows(1000))
        beside.stop()

    place.far.misbehave(faults.after(win), verb="PUT", key="*.metadata.json")

    def run() -> None:
        table.append(rows(1001))
        assert len(table.snapshots()) == 3

    return run


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_store_is_asked_exactly_so_often(far, tmp_path, name):
    # A machine that is busy with other things may split a round in two, but never makes one of two.
    for number in range(TRIES):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        far.step = None
        run = SITUATIONS[name](Place(far, folder))
        far.step = STEP
        with far.counted() as counts:
            run()
        measured = {**dict(sorted(counts.verbs.items())), "rounds": counts.rounds}
        if measured == EXPECTED.get(name):
            return
    pytest.fail(f'measured\n\n    "{name}": {measured},\n\n{counts.shown()}', pytrace=False)

"""A source that does not fit into memory waits in a temporary file: the rows are the same, and the file is gone."""

from __future__ import annotations

import random
import tempfile
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from beside import beside
from floeberg import _native
from floeberg.errors import InvalidInputError, LimitExceededError, StorageError

SCHEMA = pa.schema([("id", pa.int64()), ("note", pa.string()), ("li", pa.list_(pa.int32()))])
ROWS = 3000
SMALL, LARGE = "300K", "256M"


def rows(ids, note="old", width=300):
    return pa.table(
        {"id": ids, "note": [f"{note}{each}".ljust(width) for each in ids], "li": [[each] for each in ids]},
        SCHEMA,
    )


def stream(table, size=700):
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=size))


@pytest.fixture
def spill_folder(tmp_path, monkeypatch):
    folder = tmp_path / "spill"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def made_files(monkeypatch):
    """The temporary files that were made."""
    made = []
    make = tempfile.TemporaryFile
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **more: made.append(make(**more)) or made[-1])
    return made


def made(folder: Path) -> fb.Table:
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(folder))
    catalog.create_namespace_if_not_exists("ns")
    table = catalog.create_table("ns.t", SCHEMA, format_version=3)
    table.append(rows(range(0, 2 * ROWS, 2)))
    return table


def content(table):
    return table.scan().to_arrow().sort_by("id").to_pylist()


def upsert(table, source):
    return table.upsert(source, ["id"]).commit


def merge(table, source):
    begun = table.merge(source, on=["id"]).when_matched_delete("source.id % 6 = 0").when_matched_update_all()
    return begun.when_not_matched_insert_all("source.id % 5 <> 0").execute()


def merge_with_condition(table, source):
    begun = table.merge(
        source, predicate="target.id = source.id AND source.id % 7 <> 0"
    ).when_matched_update_all()
    return begun.when_not_matched_by_source_update({"note": "stale"}).execute()


def apply_changes(table, source):
    read = source.read_all() if isinstance(source, pa.RecordBatchReader) else source
    ids = read["id"].to_pylist()
    words = pa.array(["delete" if each % 3 == 0 else "insert" for each in ids])
    feed = read.append_column("op", words).append_column("at", pa.array(range(len(ids))))
    again = feed.slice(0, 500).set_column(4, "at", pa.array([-1] * 500))
    return table.apply_changes(
        stream(pa.concat_tables([feed, again])), keys=["id"], operation="op", order_by="at"
    )


def source():
    ids = list(range(1, 2 * ROWS, 3))
    random.Random(7).shuffle(ids)
    return stream(rows(ids, note="new"))


@pytest.mark.parametrize("run", [upsert, merge, merge_with_condition, apply_changes])
def test_the_rows_are_those_of_a_source_in_memory(tmp_path, monkeypatch, spill_folder, made_files, run):
    found = {}
    for memory in (LARGE, SMALL):
        monkeypatch.setenv("FLOEBERG_MEMORY", memory)
        table = made(tmp_path / memory)
        done = run(table, source())
        found[memory] = content(table), done.updated_rows, done.inserted_rows, done.deleted_rows
        assert bool(made_files) == (memory == SMALL)
    assert found[SMALL] == found[LARGE]
    assert list(spill_folder.iterdir()) == []


def test_a_source_is_kept_in_its_own_types(tmp_path, monkeypatch, spill_folder, made_files):
    names = [f"n{number}" for number in range(8)]
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", pa.schema([(name, pa.int64()) for name in names]))
    short = pa.table({name: pa.array(range(ROWS), pa.int32()) for name in names})
    monkeypatch.setenv("FLOEBERG_MEMORY", str(short.nbytes * 3 // 2))
    assert table.upsert(short, ["n0"]).rows_inserted == ROWS
    assert not made_files
    assert list(spill_folder.iterdir()) == []


def test_a_source_in_a_file_is_kept_for_another_attempt(tmp_path, monkeypatch, spill_folder, made_files):
    monkeypatch.setenv("FLOEBERG_MEMORY", SMALL)
    table = made(tmp_path / "w")
    beside(tmp_path / "w", monkeypatch, lambda other: other.append(rows([1, 7])))
    done = upsert(table, source())
    assert (done.updated_rows, done.inserted_rows) == (1002, 998)
    assert made_files
    assert list(spill_folder.iterdir()) == []


def test_nothing_is_left_of_a_source_that_raises(tmp_path, monkeypatch, spill_folder, made_files):
    monkeypatch.setenv("FLOEBERG_MEMORY", SMALL)
    table = made(tmp_path / "w")

    def batches():
        yield from rows(range(3000)).to_batches(max_chunksize=500)
        raise OSError("of the source")

    broken = pa.RecordBatchReader.from_batches(SCHEMA, batches())
    with pytest.raises(OSError, match="of the source") as error:
        upsert(table, broken)
    assert not isinstance(error.value, StorageError)
    assert made_files
    assert list(spill_folder.iterdir()) == []


def test_nothing_is_left_after_a_value_that_does_not_fit(tmp_path, monkeypatch, spill_folder, made_files):
    monkeypatch.setenv("FLOEBERG_MEMORY", SMALL)
    table = made(tmp_path / "w")
    wrong = rows(range(3000)).set_column(
        2, "li", pa.array([[2**40 if each == 2500 else 1] for each in range(3000)])
    )
    with pytest.raises(InvalidInputError, match="row: 2500"):
        upsert(table, stream(wrong))
    assert made_files
    assert list(spill_folder.iterdir()) == []


def test_the_keys_must_fit_into_memory(tmp_path, monkeypatch, spill_folder):
    table = made(tmp_path / "w")
    monkeypatch.setenv("FLOEBERG_MEMORY", "20K")
    for run in (upsert, merge, apply_changes):
        with pytest.raises(LimitExceededError, match="FLOEBERG_MEMORY"):
            run(table, source())
    assert list(spill_folder.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_an_error_that_names_it(tmp_path, monkeypatch):
    monkeypatch.setenv("FLOEBERG_MEMORY", SMALL)
    table = made(tmp_path / "w")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(StorageError, match="temporary file.*TMPDIR.*missing"):
        upsert(table, source())


def test_a_full_disk_is_an_error_of_the_store(tmp_path, monkeypatch):
    if not Path("/dev/full").exists():
        pytest.skip("there is no file that is always full")
    monkeypatch.setenv("FLOEBERG_MEMORY", SMALL)
    table = made(tmp_path / "w")
    full = Path("/dev/full").open("wb", buffering=0)  # noqa: SIM115 - who asked for it closes it
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: full)
    with pytest.raises(StorageError, match="cannot be written to a temporary file.*No space left"):
        upsert(table, source())


@pytest.mark.parametrize("memory", [1, 1000, 20_000, 10_000_000])
@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_rows_are_taken_by_their_numbers(tmp_path, monkeypatch, memory, batch):
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA)
    table.append(rows(range(0, 1000, 3), width=10))
    ids = random.Random(1).sample(range(1000), 1000)
    given = rows(ids, note="new", width=10)
    monkeypatch.setattr(_native, "source_memory", lambda: memory)
    done = table.upsert(stream(given, batch), ["id"])
    assert (done.rows_updated, done.rows_inserted) == (334, 666)
    assert content(table) == given.sort_by("id").to_pylist()
    assert table.upsert(stream(given, batch), ["id"]).rows_updated == 0


def test_columns_of_every_kind_wait_in_a_file(tmp_path, monkeypatch, made_files):
    ids = list(range(2000))
    columns = {
        "id": pa.array(ids, pa.int64()),
        "u": pa.array([each.to_bytes(16, "big") for each in ids], pa.uuid()),
        "c": pa.array([Decimal(each) / 100 for each in ids], pa.decimal128(9, 2)),
        "st": pa.array([{"k": each, "x": "x" * 50} for each in ids]),
        "m": pa.array(
            [[("k", each)] if each % 3 else None for each in ids], pa.map_(pa.string(), pa.int64())
        ),
        "s": pa.array([f"{each % 10}".ljust(100) for each in ids]),
        "b": pa.array([None if each % 5 == 0 else b"b" * 50 for each in ids]),
    }
    given = pa.table(columns)
    stored = {**columns, "s": columns["s"].dictionary_encode(), "b": columns["b"].cast(pa.binary_view())}
    for memory in (LARGE, SMALL):
        monkeypatch.setenv("FLOEBERG_MEMORY", memory)
        catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path / memory))
        catalog.create_namespace("ns")
        table = catalog.create_table("ns.t", given.schema, format_version=3)
        table.append(given.slice(0, 1000).set_column(2, "c", pa.nulls(1000, pa.decimal128(9, 2))))
        done = table.upsert(pa.table(stored), ["id"])
        assert (done.rows_updated, done.rows_inserted) == (1000, 1000)
        assert bool(made_files) == (memory == SMALL)
        found = table.scan().to_arrow().sort_by("id")
        assert found.to_pylist() == given.to_pylist()

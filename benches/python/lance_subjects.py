"""What Floeberg and pylance do with the same Lance tables, each with copies of its own.

A subject prepares a run, which does not count, and returns what is measured. What that returns must be the same for
both.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lance
import numpy as np
import pyarrow as pa

import floeberg as fb

Run = Callable[[], int]
Subject = Callable[[Path], Run]

BATCH = 128 * 1024
PER_FRAGMENT = 1 << 20
UPSERTED = 0.02
"""The share of the rows that an upsert brings, half of them new."""


def rows_table(folder: Path, rows: int) -> Path:
    """A table of 8 columns, written by pylance when it is not there."""
    made = folder / f"lance-rows-{rows}"
    if not (made / "made").exists():
        shutil.rmtree(made, ignore_errors=True)
        batches = (batch(start, min(BATCH, rows - start)) for start in range(0, rows, BATCH))
        reader = pa.RecordBatchReader.from_batches(batch(0, 1).schema, batches)
        lance.write_dataset(reader, made, max_rows_per_file=PER_FRAGMENT, enable_stable_row_ids=True)
        (made / "made").touch()
    return made


def batch(start: int, rows: int) -> pa.RecordBatch:
    """Rows from a number on, the same in every run."""
    drawn = np.random.default_rng(start)
    numbers = np.arange(start, start + rows, dtype=np.int64)
    columns = {
        "id": pa.array(numbers),
        "part": pa.array((numbers * 2654435761 % 20).astype(np.int32)),
        "amount": pa.array(drawn.random(rows)),
        "quantity": pa.array(drawn.integers(0, 100, rows).astype(np.int32)),
        "at": pa.array(1_600_000_000_000_000 + numbers * 1000, pa.timestamp("us")),
        "category": pa.array([f"category-{each}" for each in range(100)]).take(drawn.integers(0, 100, rows)),
        "name": pa.array(numbers * 2654435761 % 2**32).cast(pa.string()),
        "flag": pa.array(numbers % 3 == 0),
    }
    return pa.RecordBatch.from_pydict(columns)


def upserted(rows: int) -> pa.Table:
    """Rows of which one half is in a table of so many, scattered, and the other is not."""
    half = int(rows * UPSERTED / 2)
    every = np.arange(0, BATCH, int(2 / UPSERTED))
    starts = range(0, rows, BATCH)
    known = [batch(start, min(BATCH, rows - start)) for start in starts]
    known = [each.take(every[every < each.num_rows]) for each in known]
    return pa.Table.from_batches([*known, batch(rows, half)])


def copied(location: Path, who: str) -> Path:
    """A copy of a table, as it was at first; the data files are links."""
    copy = location.with_name(f"{location.name}-{who}")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(location, copy, copy_function=lambda old, new: Path(new).hardlink_to(old))
    return copy


def floeberg_open(location: Path) -> Run:
    """Open a table."""
    return lambda: int(opened(location).version)


def pylance_open(location: Path) -> Run:
    """Open a table."""
    return lambda: int(lance.dataset(location).version)


def floeberg_append(location: Path) -> Run:
    """Add a row to a table that is open."""
    table, row = opened(copied(location, "floeberg")), one_row()

    def run() -> int:
        table.append(row)
        return int(table.version)

    return run


def pylance_append(location: Path) -> Run:
    """Add a row to a table that is open."""
    dataset, row = lance.dataset(copied(location, "pylance")), one_row()

    def run() -> int:
        dataset.insert(row)
        return int(dataset.version)

    return run


def floeberg_open_and_append(location: Path) -> Run:
    """Open a table and add a row."""
    copy, row = copied(location, "floeberg"), one_row()

    def run() -> int:
        table = opened(copy)
        table.append(row)
        return int(table.version)

    return run


def pylance_open_and_append(location: Path) -> Run:
    """Open a table and add a row."""
    copy, row = copied(location, "pylance"), one_row()
    return lambda: int(lance.write_dataset(row, copy, mode="append").version)


def floeberg_versions(location: Path) -> Run:
    """List the versions."""
    table = opened(location)
    return lambda: len(table.version_numbers())


def pylance_versions(location: Path) -> Run:
    """List the versions."""
    dataset = lance.dataset(location)
    return lambda: len(dataset.versions())


def floeberg_version_times(location: Path) -> Run:
    """List the versions with the times when they were made."""
    table = opened(location)
    return lambda: sum(each.timestamp is not None for each in table.versions())


def floeberg_scan(location: Path) -> Run:
    """Read all rows."""
    table = opened(location)
    return lambda: sum(each.num_rows for each in table.scan().to_arrow_batch_reader())


def pylance_scan(location: Path) -> Run:
    """Read all rows."""
    dataset = lance.dataset(location)
    return lambda: sum(each.num_rows for each in dataset.scanner().to_reader())


def floeberg_delete(location: Path) -> Run:
    """Delete a twentieth of the rows, scattered."""
    copy = copied(location, "floeberg")

    def run() -> int:
        table = opened(copy)
        table.delete("part = 3")
        return int(table.scan().count())

    return run


def pylance_delete(location: Path) -> Run:
    """Delete a twentieth of the rows, scattered."""
    copy = copied(location, "pylance")

    def run() -> int:
        dataset = lance.dataset(copy)
        dataset.delete("part = 3")
        return int(dataset.count_rows())

    return run


def floeberg_upsert(location: Path) -> Run:
    """Upsert rows, half of them new."""
    copy = copied(location, "floeberg")
    table = opened(copy)
    source = upserted(table.scan().count())

    def run() -> int:
        table.upsert(source, ["id"])
        return int(table.scan().count())

    return run


def pylance_upsert(location: Path) -> Run:
    """Upsert rows, half of them new."""
    dataset = lance.dataset(copied(location, "pylance"))
    source = upserted(dataset.count_rows())

    def run() -> int:
        merge = dataset.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        merge.execute(source)
        return int(dataset.count_rows())

    return run


def opened(location: Path) -> Any:
    """The newest version."""
    return fb.open_table(location, format="lance")


def one_row() -> pa.Table:
    """A row of the tables of many fragments."""
    return pa.table({f"c{each}": pa.array([each], pa.int64()) for each in range(8)})

"""Rows that are read without blocking an event loop."""

from __future__ import annotations

import asyncio
import functools
import operator
import threading

import pyarrow as pa
import pytest

from far_store_tables import BUCKET
from floeberg.errors import NotFoundError

ROWS = 1_000


def written(place, files: int = 4):
    """A table with some files, behind a store."""
    table = place.catalog().create_table("db.asynchronous", pa.schema({"id": pa.int64()}))
    with table.transaction() as changes:
        for first in range(0, files * ROWS, ROWS):
            changes.append(pa.table({"id": range(first, first + ROWS)}))
    return place.catalog().load_table("db.asynchronous")


def test_the_loop_goes_on_while_rows_are_read(place, far):
    table = written(place)
    far.milliseconds = 40

    async def run():
        ticks, done = 0, asyncio.Event()

        async def tick():
            nonlocal ticks
            while not done.is_set():
                await asyncio.sleep(0.005)
                ticks += 1

        ticking = asyncio.create_task(tick())
        rows = await table.scan(row_filter="id >= 10").to_arrow_async()
        done.set()
        await ticking
        return rows, ticks

    rows, ticks = asyncio.run(run())
    # Every request takes 40 ms, and one needs the answer of another.
    assert ticks > 1
    assert rows.equals(table.scan(row_filter="id >= 10").to_arrow())


def test_several_scans_are_read_at_once(place):
    table = written(place)
    parts = [table.scan(row_filter=f"id >= {low} AND id < {low + ROWS}") for low in range(0, 4 * ROWS, ROWS)]

    async def run():
        return await asyncio.gather(*(part.to_arrow_async() for part in parts))

    assert sorted(
        functools.reduce(operator.iadd, (part["id"].to_pylist() for part in asyncio.run(run())), [])
    ) == list(range(4 * ROWS))


def test_batches_come_in_the_order_of_the_plan(place):
    table = written(place)

    async def run():
        return [batch async for batch in table.scan().to_arrow_batches_async()]

    read = pa.Table.from_batches(asyncio.run(run()))
    assert read.to_pydict() == table.scan().to_arrow().to_pydict()


def test_an_empty_result_has_its_columns(place):
    rows = asyncio.run(written(place, 1).scan(row_filter="id < 0").to_arrow_async())
    assert rows.num_rows == 0
    assert rows.schema.names == ["id"]


def test_a_task_that_is_cancelled_stops_the_work(place, far):
    table = written(place)
    far.milliseconds = 200

    async def run():
        task = asyncio.create_task(table.scan().to_arrow_async())
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert not [each for each in threading.enumerate() if each.name.startswith("floeberg-read")]
    far.milliseconds = 0
    assert table.scan().to_arrow().num_rows == 4 * ROWS


@pytest.mark.unchecked_tables("its data files are removed")
def test_errors_keep_their_class(place, far):
    table = written(place, 1)
    (file,) = table.scan().plan_files()
    far.objects.remove(BUCKET, file.file.file_path.removeprefix(f"s3://{BUCKET}/"))
    with pytest.raises(NotFoundError, match=r"\.parquet"):
        asyncio.run(table.scan().to_arrow_async())

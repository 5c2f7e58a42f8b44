"""How are rows read without blocking an event loop?

In: rows that can be read. Out: awaitables of them.

Threads of the core read; a thread of `asyncio` waits for each batch. Who cancels the task that awaits drops the reader,
and that stops the work within a batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import pyarrow as pa

    from floeberg.scan.rows import ArrowRows

__all__ = ["batches", "table"]


async def batches(rows: ArrowRows) -> AsyncIterator[pa.RecordBatch]:
    """The batches of rows, one after the other."""
    import asyncio  # noqa: PLC0415 - importing floeberg imports nothing large

    reader = await asyncio.to_thread(rows.to_arrow_batch_reader)
    while (batch := await asyncio.to_thread(next, reader, None)) is not None:
        yield batch


async def table(rows: ArrowRows) -> pa.Table:
    """All rows."""
    import asyncio  # noqa: PLC0415

    import pyarrow as pa  # noqa: PLC0415

    reader = await asyncio.to_thread(rows.to_arrow_batch_reader)
    read: list[pa.RecordBatch] = []
    while (batch := await asyncio.to_thread(next, reader, None)) is not None:
        read.append(batch)
    return pa.Table.from_batches(read, reader.schema)

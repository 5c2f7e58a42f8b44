"""How are rows read without blocking an event loop?

In: what opens a reader of batches. Out: awaitables of its rows.

Threads of the core read; a thread of `asyncio` waits for each batch. Who cancels the task that awaits drops the reader,
and that stops the work within a batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    import pyarrow as pa

__all__ = ["batches", "table"]


async def batches(opening: Callable[[], pa.RecordBatchReader]) -> AsyncIterator[pa.RecordBatch]:
    """The batches of rows, one after the other."""
    import asyncio  # noqa: PLC0415 - importing floeberg imports nothing large

    reader = await asyncio.to_thread(opening)
    while (batch := await asyncio.to_thread(next, reader, None)) is not None:
        yield batch


async def table(opening: Callable[[], pa.RecordBatchReader]) -> pa.Table:
    """All rows."""
    import asyncio  # noqa: PLC0415

    import pyarrow as pa  # noqa: PLC0415

    reader = await asyncio.to_thread(opening)
    read: list[pa.RecordBatch] = []
    while (batch := await asyncio.to_thread(next, reader, None)) is not None:
        read.append(batch)
    return pa.Table.from_batches(read, reader.schema)

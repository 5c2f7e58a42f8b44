"""What gives batches of rows, one at a time?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

    from floeberg import _native

__all__ = ["BatchStream"]


class BatchStream(Protocol):
    """Batches, one at a time."""

    def next_batch(self) -> _native.Batch | pa.RecordBatch | None:
        """The next batch; `None` after the last one."""
        ...

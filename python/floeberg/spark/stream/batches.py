"""Was a batch of a query committed before?

A commit of a batch has its key, and two properties in the summary of its snapshot, as with Iceberg Java: the id of the
query, and the number of the batch. Both are the same after a restart from the checkpoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from floeberg.table import Table

__all__ = ["QUERY", "StreamBatch"]

QUERY = "sql.streaming.queryId"
"""The local property of a driver and of a task that has the id of the query."""

_QUERY_ID = "spark.sql.streaming.queryId"
_EPOCH_ID = "spark.sql.streaming.epochId"


@dataclass(frozen=True)
class StreamBatch:
    """A batch of a query.

    Args:
        query_id: The id of the query.
        number: The number of the batch.
        branch: The branch that it is written to.
    """

    query_id: str
    number: int
    branch: str

    @property
    def key(self) -> str:
        """The idempotency key of its commit."""
        return f"{self.query_id}-{self.number}"

    @property
    def properties(self) -> dict[str, str]:
        """What its snapshot says of it."""
        return {_QUERY_ID: self.query_id, _EPOCH_ID: str(self.number)}

    def is_done(self, table: Table) -> bool:
        """Whether a snapshot of the branch has this batch of the query, or a later one."""
        newest = table._inner.newest_number(self.branch, _QUERY_ID, self.query_id, _EPOCH_ID)  # noqa: SLF001 - the package's own
        return newest is not None and newest >= self.number

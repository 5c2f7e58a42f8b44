"""What does a feed of changes say of its rows?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg import _native

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from floeberg.commit.source_rows import SourceRows

__all__ = ["ChangeFeed"]


@dataclass(frozen=True)
class ChangeFeed:
    """What a feed says of its rows.

    Args:
        keys: The key columns.
        operation: The column with `insert`, `update` or `delete`.
        order_by: The columns by which the last change of a key is found.
        null_keys: What a null in a key means.
    """

    keys: Sequence[str]
    operation: str
    order_by: Sequence[str]
    null_keys: str

    def check(self, feed: pa.Schema) -> None:
        """Raises `InvalidInputError` where the feed has no such columns, or nested ones."""
        _native.check_feed(feed, keys=list(self.keys), operation=self.operation, order_by=list(self.order_by))

    def of(self, source: SourceRows) -> _native.RowChange:
        """The change that applies the rows of a source."""
        return _native.RowChange.feed(
            source.rows(),
            keys=list(self.keys),
            operation=self.operation,
            order_by=list(self.order_by),
            null_keys=self.null_keys,
        )

"""How is a feed of changes applied, of which the last of a key wins?

In: rows that say whether they insert, update or delete. Out: a row delta.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg.commit.changed_rows import ChangedRows, RowChanges
from floeberg.commit.joined_rows import inserted_rows
from floeberg.commit.source_rows import conformed_source
from floeberg.expressions import ALWAYS_TRUE

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from floeberg.commit.change_feed import ChangeFeed
    from floeberg.commit.changed_rows import ChangeRequest, FoundChanges
    from floeberg.commit.source_rows import SourceRows
    from floeberg.commit.stored_rows import StoredRows

__all__ = ["ApplyChanges", "LastChanges", "last_changes"]


@dataclass(frozen=True)
class LastChanges:
    """What a feed leaves, in the types of the table.

    Args:
        there: The rows that there are then, with the columns that the feed has.
        gone: The keys of rows that there are not.
    """

    there: StoredRows
    gone: StoredRows

    @property
    def num_rows(self) -> int:
        """The number of keys."""
        return self.there.num_rows + self.gone.num_rows

    def keys(self) -> pa.RecordBatchReader:
        """The keys of all changes: those of the rows that there are come first."""
        import pyarrow as pa  # noqa: PLC0415

        names = self.gone.schema.names
        every = chain(self.there.reader(names), self.gone.reader(names))
        return cast("pa.RecordBatchReader", pa.RecordBatchReader.from_batches(self.gone.schema, every))

    def index(self, request: ChangeRequest, null_keys: str) -> _native.SourceKeys:
        """The keys, in a hash table.

        Raises:
            InvalidInputError: A key is null, and that is an error.
        """
        return _native.SourceKeys.of(
            request.table, self.keys(), columns=self.gone.schema.names, nulls=null_keys, repeats=False
        )


def last_changes(feed: ChangeFeed, rows: StoredRows, changed: ChangedRows) -> LastChanges:
    """The last change of each key.

    Raises:
        InvalidInputError: A column is missing or does not fit, or a struct lacks a field; or as with `ChangeFeed.last`.
    """
    there, gone = feed.last(rows)
    columns = feed.columns(rows.schema, changed.schema)
    recipe = changed.recipe.native()
    return LastChanges(
        conformed_source(recipe, rows.taken(there), columns.used),
        conformed_source(recipe, rows.taken(gone), columns.of_keys()),
    )


class ApplyChanges(RowChanges):
    """Makes the rows of a table those that a feed of changes leaves."""

    command = "apply_changes"

    def __init__(
        self,
        source: SourceRows,
        feed: ChangeFeed,
        *,
        isolation: str | None,
        mode: str | None,
    ) -> None:
        """The arguments of `Table.apply_changes`."""
        feed.check(source.schema)
        self._source = source
        self._feed = feed
        self._isolation = isolation
        self._mode = mode

    def find(self, request: ChangeRequest) -> FoundChanges:
        """Looks for the keys, deletes rows, and writes those that change or are new."""
        changed = ChangedRows.of(request)
        last = last_changes(self._feed, self._source.rows(), changed)
        source, index = last.there, last.index(request, self._feed.null_keys)
        scan = request.scan(ALWAYS_TRUE.as_tree())
        found = index.find(scan, lists_all=False)
        receipt = changed.write(self._rows(scan, found, source, changed))
        return changed.found(
            receipt,
            command=self.command,
            isolation=self._isolation,
            mode=self._mode,
            read_snapshot_id=scan.snapshot_id,
            keys=index,
            inserts_keys=source.num_rows > 0,
            rows_read=found,
        )

    @staticmethod
    def _rows(
        scan: _native.Scan, found: _native.FoundRows, source: StoredRows, changed: ChangedRows
    ) -> Iterator[pa.RecordBatch]:
        """New rows. Those of the source come first in the index, and then the keys of deleted ones."""
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        yield from changed.replaced(found, scan, source)
        unmatched = pa.array(cast("Any", found.unmatched()))
        yield from inserted_rows(unmatched.filter(pc.less(unmatched, source.num_rows)), source, changed)

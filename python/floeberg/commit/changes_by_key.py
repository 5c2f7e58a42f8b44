"""How is a feed of changes applied without reading the table?

In: rows that say whether they insert, update or delete. Out: a row delta of equality deletes and new rows.

Invariant: the table has the rows that a look-up would leave, where each key is in at most one row. The deletes of a
commit do not apply to its own rows, of which each key has one.

Spec: Equality Delete Files; Scan Planning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.commit.apply_changes import last_changes
from floeberg.commit.changed_rows import ChangedRows, FoundChanges, RowChanges
from floeberg.commit.joined_rows import inserted_rows
from floeberg.errors import InvalidInputError
from floeberg.write.receipt import Receipt

if TYPE_CHECKING:
    import pyarrow as pa

    from floeberg.commit.change_feed import ChangeFeed
    from floeberg.commit.changed_rows import ChangeRequest
    from floeberg.commit.source_rows import SourceRows

__all__ = ["ApplyByKeys"]


class ApplyByKeys(RowChanges):
    """Makes the rows of a table those that a feed leaves, by deletes of all of its keys."""

    command = "apply_changes"

    def __init__(self, source: SourceRows, feed: ChangeFeed, *, isolation: str | None) -> None:
        """The arguments of `Table.apply_changes`."""
        feed.check(source.schema)
        self._source = source
        self._feed = feed
        self._isolation = isolation

    def find(self, request: ChangeRequest) -> FoundChanges:
        """Writes the keys of all changes, and the rows that there are then."""
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        changed = ChangedRows.of(request)
        last = last_changes(self._feed, self._source.rows(), changed)
        missing = [name for name in changed.schema.names if name not in last.there.schema.names]
        if missing and last.there.num_rows:
            raise InvalidInputError(
                f"mode='equality' does not read the rows that change, so the changes need every column of the table: "
                f"{', '.join(map(repr, missing))} are missing. Add them, or leave mode out"
            )
        last.index(request, self._feed.null_keys)
        recipe = _native.KeyRecipe.of(
            request.table,
            columns=last.gone.schema.names,
            branch=request.branch,
            options=dict(request.options),
            write_id=changed.recipe.write_id,
        )
        rows = pa.array(range(last.there.num_rows), pa.uint32())
        receipt = changed.write(inserted_rows(rows, last.there, changed))
        try:
            if last.num_rows and not request.counts_only:
                receipt = self._with_keys(recipe, last.keys(), receipt)
            operation = _native.Operation.row_delta(
                _native.RowDeltaReceipt.of_files(receipt.native()),
                None,
                case_sensitive=True,
                isolation=self._isolation,
                read_snapshot_id=None,
                command=self.command,
            )
        except BaseException:
            changed.recipe.remove(receipt)
            raise
        return FoundChanges(operation, (changed.recipe, receipt), 0, changed.inserted_rows)

    @staticmethod
    def _with_keys(recipe: _native.KeyRecipe, keys: pa.RecordBatchReader, rows: Receipt) -> Receipt:
        """The files of rows, and those of keys."""
        written = Receipt(recipe.write(keys, task="0", partition=0))
        return Receipt.concat([rows, written])

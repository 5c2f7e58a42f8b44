"""How is a feed of changes applied, of which the last of a key wins?

In: rows that say whether they insert, update or delete. Out: a row delta; by equality deletes, without reading the
table.

Spec: Equality Delete Files; Scan Planning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.commit.changed_rows import ChangedRows, RowChanges
from floeberg.expressions import ALWAYS_TRUE

if TYPE_CHECKING:
    from floeberg.commit.change_feed import ChangeFeed
    from floeberg.commit.changed_rows import ChangeRequest, FoundChanges
    from floeberg.commit.source_rows import SourceRows

__all__ = ["ApplyChanges"]


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
        """Looks for the keys, deletes rows, and writes those that change or are new.

        With the mode `equality` nothing is looked for: the keys of all changes are written, and the rows that there
        are then.
        """
        changed = ChangedRows.of(request)
        keys = None
        if self._mode == "equality":
            keys = _native.KeyRecipe.of(
                request.table,
                columns=list(self._feed.keys),
                branch=request.branch,
                options=dict(request.options),
                write_id=changed.recipe.write_id,
            )
        return changed.changed(
            self._feed.of(self._source),
            request.scan(ALWAYS_TRUE.as_tree()),
            keys=keys,
            command=self.command,
            isolation=self._isolation,
            mode=None if keys else self._mode,
        )

"""How are rows updated by their keys, and others inserted?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.commit.changed_rows import ChangedRows, RowChanges
from floeberg.expressions import ALWAYS_TRUE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.commit.changed_rows import ChangeRequest, FoundChanges
    from floeberg.commit.source_rows import SourceRows

__all__ = ["UpsertRows"]


class UpsertRows(RowChanges):
    """Updates the rows that have a key of the source, and inserts the other rows of the source."""

    command = "upsert"

    def __init__(  # noqa: PLR0913 - keywords
        self,
        source: SourceRows,
        join_cols: Sequence[str] | None,
        *,
        updates: bool,
        inserts: bool,
        case_sensitive: bool,
        null_keys: str,
        isolation: str | None,
        mode: str | None,
    ) -> None:
        """The arguments of `Table.upsert`."""
        self._source = source
        self._join_cols = join_cols
        self._updates = updates
        self._inserts = inserts
        self._case_sensitive = case_sensitive
        self._null_keys = null_keys
        self._isolation = isolation
        self._mode = mode

    def find(self, request: ChangeRequest) -> FoundChanges:
        """Looks for the keys, and writes the rows that change or are new."""
        upsert = _native.RowChange.upsert(
            self._source.rows(),
            keys=None if self._join_cols is None else list(self._join_cols),
            updates=self._updates,
            inserts=self._inserts,
            null_keys=self._null_keys,
            case_sensitive=self._case_sensitive,
        )
        return ChangedRows.of(request).changed(
            upsert,
            request.scan(ALWAYS_TRUE.as_tree()),
            command=self.command,
            isolation=self._isolation,
            mode=self._mode,
        )

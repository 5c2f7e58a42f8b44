"""How does a merge change the rows that a source matches, and add the others?

In: a source, what joins it to the table, and clauses. Out: a row delta.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.commit.changed_rows import ChangedRows, RowChanges
from floeberg.expressions import ALWAYS_TRUE

if TYPE_CHECKING:
    import pyarrow as pa

    from floeberg.commit.changed_rows import ChangeRequest, FoundChanges
    from floeberg.commit.merge_builder import Clauses, JoinKeys
    from floeberg.commit.source_rows import SourceRows

__all__ = ["MergeRows", "merge_of"]


def merge_of(
    source: SourceRows, keys: JoinKeys, clauses: Clauses, schema: pa.Schema, *, case_sensitive: bool
) -> _native.RowChange:
    """A merge into a table with some columns.

    Raises:
        InvalidInputError: A column of a clause is unknown, or a literal does not fit.
    """
    return _native.RowChange.merge(
        source.rows(),
        keys=list(keys.columns),
        condition=keys.condition,
        whole=keys.whole,
        clauses=[each.native(schema, source.schema, case_sensitive=case_sensitive) for each in clauses.every],
        case_sensitive=case_sensitive,
    )


class MergeRows(RowChanges):
    """Changes, deletes and inserts rows by clauses."""

    command = "merge"

    def __init__(  # noqa: PLR0913 - keywords
        self,
        source: SourceRows,
        keys: JoinKeys,
        clauses: Clauses,
        *,
        case_sensitive: bool,
        isolation: str | None,
        mode: str | None,
    ) -> None:
        """The arguments of `Table.merge`."""
        self._source = source
        self._keys = keys
        self._clauses = clauses
        self._case_sensitive = case_sensitive
        self._isolation = isolation
        self._mode = mode

    def find(self, request: ChangeRequest) -> FoundChanges:
        """Joins the source, and writes the rows that change or are new."""
        changed = ChangedRows.of(request)
        merge = merge_of(
            self._source, self._keys, self._clauses, changed.schema, case_sensitive=self._case_sensitive
        )
        reads_all = any(each.rows == "not matched by source" for each in self._clauses.every)
        return changed.changed(
            merge,
            request.scan(ALWAYS_TRUE.as_tree()),
            functions=self._clauses.functions,
            command=self.command,
            isolation=self._isolation,
            mode=self._mode,
            row_filter=ALWAYS_TRUE.as_tree() if reads_all else None,
        )

"""How does a merge change the rows that a source matches, and add the others?

In: a source, what joins it to the table, and clauses. Out: a row delta.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg.commit.changed_rows import ChangedRows, RowChanges
from floeberg.commit.merge_clauses import MergeRun, key_columns, resolved_keys
from floeberg.expressions import ALWAYS_TRUE
from floeberg.scan.rows import Batches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.commit.changed_rows import ChangeRequest, FoundChanges
    from floeberg.commit.merge_clauses import Clause, JoinKeys
    from floeberg.commit.source_rows import SourceRows

__all__ = ["MergeRows"]


class MergeRows(RowChanges):
    """Changes, deletes and inserts rows by clauses."""

    command = "merge"

    def __init__(  # noqa: PLR0913 - keywords
        self,
        source: SourceRows,
        keys: JoinKeys,
        clauses: Sequence[Clause],
        *,
        case_sensitive: bool,
        isolation: str | None,
        mode: str | None,
    ) -> None:
        """The arguments of `Table.merge`."""
        self._source = source
        self._keys = keys
        self._clauses = list(clauses)
        self._case_sensitive = case_sensitive
        self._isolation = isolation
        self._mode = mode

    def find(self, request: ChangeRequest) -> FoundChanges:
        """Joins the source, and writes the rows that change or are new."""
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        source = self._source.rows()
        changed = ChangedRows.of(request)
        schema = changed.schema
        keys = resolved_keys(self._keys, source.schema, schema, case_sensitive=self._case_sensitive)
        targets = [target for target, _ in keys.columns]
        index = _native.SourceKeys.of(
            request.table,
            key_columns(keys, source, schema),
            columns=targets,
            nulls="unequal",
            repeats=True,
        )
        reads_all = any(each.rows == "not matched by source" for each in self._clauses)
        inserts = any(each.rows == "not matched" for each in self._clauses)
        scan = request.scan(ALWAYS_TRUE.as_tree())
        found = index.find(scan, lists_all=reads_all)
        merge = MergeRun(keys, self._clauses, source, changed, case_sensitive=self._case_sensitive)
        batches = Batches(lambda: found.stream(scan, columns=merge.columns_to_read))
        receipt = changed.write(merge.batches(batches, lambda: pa.array(cast("Any", found.unmatched()))))
        return changed.found(
            receipt,
            command=self.command,
            isolation=self._isolation,
            mode=self._mode,
            read_snapshot_id=scan.snapshot_id,
            row_filter=ALWAYS_TRUE.as_tree() if reads_all else None,
            keys=index,
            inserts_keys=inserts,
            rows_read=found,
        )

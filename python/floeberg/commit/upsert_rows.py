"""How are rows updated by their keys, and others inserted?"""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg.commit.changed_rows import ChangedRows, RowChanges
from floeberg.commit.joined_rows import JoinedColumns, inserted_rows
from floeberg.commit.source_rows import conformed_source
from floeberg.errors import InvalidInputError
from floeberg.expressions import ALWAYS_TRUE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

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
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        changed = ChangedRows.of(request)
        raw, schema = self._source.rows(), changed.schema
        scan = request.scan(ALWAYS_TRUE.as_tree())
        columns = JoinedColumns.of(
            raw.schema,
            schema,
            _identifier_fields(scan) if self._join_cols is None else self._join_cols,
            case_sensitive=self._case_sensitive,
            replaces=self._updates,
        )
        source = conformed_source(changed.recipe.native(), raw.batches(), columns.used)
        index = _native.SourceKeys.of(
            request.table,
            source.reader(columns.keys),
            columns=columns.keys,
            nulls=self._null_keys,
            repeats=False,
        )
        found = index.find(scan, lists_all=False)
        batches: list[Iterator[pa.RecordBatch]] = []
        if self._updates:
            batches.append(changed.replaced(found, scan, source))
        if self._inserts:
            batches.append(inserted_rows(pa.array(cast("Any", found.unmatched())), source, changed))
        receipt = changed.write(chain(*batches))
        return changed.found(
            receipt,
            command=self.command,
            isolation=self._isolation,
            mode=self._mode,
            read_snapshot_id=scan.snapshot_id,
            keys=index,
            inserts_keys=self._inserts,
            rows_read=found,
        )


def _identifier_fields(scan: _native.Scan) -> list[str]:
    """The columns that identify a row, by the schema of the table."""
    schema: dict[str, Any] = json.loads(scan.schema_json())
    ids = schema.get("identifier-field-ids", [])
    names = {each["id"]: each["name"] for each in schema["fields"]}
    if not ids:
        raise InvalidInputError(
            "join_cols: the table has no identifier fields, expected the names of key columns"
        )
    return [names.get(each, f"of id {each}") for each in ids]

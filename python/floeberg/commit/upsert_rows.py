"""How are rows updated by their keys, and others inserted?"""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg import _native
from floeberg.commit.changed_rows import ChangedRows, RowChanges
from floeberg.commit.source_rows import conformed_source
from floeberg.commit.stored_rows import as_batch, one_batch
from floeberg.errors import InvalidInputError
from floeberg.expressions import as_expression
from floeberg.scan.rows import Batches

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from floeberg.commit.changed_rows import ChangeRequest, FoundChanges
    from floeberg.commit.source_rows import SourceRows
    from floeberg.commit.stored_rows import StoredRows

__all__ = [
    "UpsertRows",
    "check_fields",
    "columns_of_source",
    "conformed_rows",
    "inserted_rows",
    "key_column",
    "updated_rows",
]

Array: TypeAlias = Any


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
        names = columns_of_source(raw.schema, schema, case_sensitive=self._case_sensitive)
        scan = request.scan(as_expression(True).as_tree())
        given = _identifier_fields(scan) if self._join_cols is None else self._join_cols
        keys = [key_column(name, schema, names, case_sensitive=self._case_sensitive) for name in given]
        used = [name for name in schema.names if name in names]
        if self._updates:
            for name in used:
                check_fields(name, raw.schema.field(names[name]).type, schema.field(name).type)
        columns = {name: names[name] for name in used}
        source = conformed_source(changed.recipe.native(), raw.batches(), columns)
        index = _native.SourceKeys.of(
            request.table,
            source.reader(keys),
            columns=keys,
            nulls=self._null_keys,
            repeats=False,
        )
        found = index.find(scan, lists_all=False)
        batches: list[Iterator[pa.RecordBatch]] = []
        if self._updates:
            of_table = Batches(lambda: found.stream(scan))
            batches.append(updated_rows(batch, source, changed) for batch in of_table)
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


def updated_rows(batch: pa.RecordBatch, source: StoredRows, changed: ChangedRows) -> pa.RecordBatch:
    """Rows of the table with the columns of their rows of the source, where these differ."""
    import pyarrow as pa  # noqa: PLC0415

    names = changed.schema.names
    numbers = [names.index(name) for name in source.schema.names]
    new = source.take(batch.column(batch.num_columns - 1))
    both = [*(batch.column(number) for number in numbers), *new.columns]
    pairs = pa.RecordBatch.from_arrays(both, names=[str(number) for number in range(len(both))])
    differs = pa.array(cast("Any", _native.differing(one_batch(pairs))))
    old, new = batch.filter(differs), new.filter(differs)
    columns: list[Array] = old.columns[: changed.width]
    for number, column in zip(numbers, new.columns, strict=True):
        columns[number] = column
    return changed.changed(old, columns)


def inserted_rows(rows: Array, source: StoredRows, changed: ChangedRows) -> Iterator[pa.RecordBatch]:
    """Rows of the source that are new; columns that it lacks are their default, or null."""
    for new in source.taken(rows):
        yield changed.added(conformed_rows(changed, new).columns, new.num_rows)


def conformed_rows(changed: ChangedRows, rows: pa.RecordBatch) -> pa.RecordBatch:
    """Rows with all columns of the table; those that they lack are their default, or null."""
    import pyarrow as pa  # noqa: PLC0415

    made = changed.recipe.native().conform(one_batch(rows), columns=changed.schema.names)
    return as_batch(pa.table(cast("Any", made)))


def columns_of_source(source: pa.Schema, table: pa.Schema, *, case_sensitive: bool) -> dict[str, str]:
    """The columns of a source by the names that the table has for them.

    Raises:
        InvalidInputError: The table has no such column, or two columns of the source are one.
    """
    found: dict[str, str] = {}
    for name in source.names:
        alike = [name] if name in table.names else []
        if not alike and not case_sensitive:
            alike = [each for each in table.names if each.lower() == name.lower()]
        if len(alike) != 1:
            raise InvalidInputError(
                f"the table has no column {name!r}, which the source has. Its columns are "
                f"{', '.join(map(repr, table.names))}; schema_mode='merge' adds new ones"
            )
        if alike[0] in found:
            raise InvalidInputError(f"two columns of the source match the column {alike[0]!r} of the table")
        found[alike[0]] = name
    return found


def check_fields(name: str, source: Any, table: Any) -> None:  # noqa: ANN401 - types
    """Structs are replaced as a whole: a field that the source lacks would be lost.

    Raises:
        InvalidInputError: The source lacks a field.
    """
    from pyarrow import types  # noqa: PLC0415

    if types.is_struct(source) and types.is_struct(table):
        given = {each.name: each.type for each in source}
        for field in table:
            if field.name not in given:
                raise InvalidInputError(
                    f"the source has no field {f'{name}.{field.name}'!r}, and a struct is replaced as a whole: add "
                    "the field to the source"
                )
            check_fields(f"{name}.{field.name}", given[field.name], field.type)
    elif types.is_map(source) and types.is_map(table):
        check_fields(f"{name}.value", source.item_type, table.item_type)
    elif _is_list(source) and _is_list(table):
        check_fields(f"{name}.element", source.value_type, table.value_type)


def _is_list(kind: pa.DataType) -> bool:
    from pyarrow import types  # noqa: PLC0415

    return types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)


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


def key_column(given: str, table: pa.Schema, source: dict[str, str], *, case_sensitive: bool) -> str:
    """The key column of the table."""
    alike = [given] if given in table.names else []
    if not alike and not case_sensitive:
        alike = [each for each in table.names if each.lower() == given.lower()]
    if not alike and given.partition(".")[0] in table.names:
        raise InvalidInputError(
            f"{given!r} cannot be a key: rows are joined by columns, not by fields of structs"
        )
    if len(alike) != 1:
        raise InvalidInputError(
            f"the table has no key column {given!r}, its columns are {', '.join(map(repr, table.names))}"
        )
    if alike[0] not in source:
        raise InvalidInputError(f"the source has no key column {given!r}")
    return alike[0]

"""How do rows of a source become rows of a table that has some of their keys?

In: rows of a table with the rows of the source that have their keys. Out: rows that change, and rows that are new.
Tables of all formats change by this.

Invariant: a row that would not change is not written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, cast

from floeberg import _native
from floeberg.commit.stored_rows import one_batch
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from floeberg.commit.stored_rows import StoredRows

__all__ = [
    "JoinedColumns",
    "NullKeys",
    "OnConflict",
    "RowsToChange",
    "checked_null_keys",
    "columns_of_source",
    "inserted_rows",
    "updated_rows",
]

Array: TypeAlias = Any

NullKeys = Literal["error", "equal"]
"""What a null in a key of a source is: an error, or equal to null."""

OnConflict = Literal["retry", "raise"]
"""What is done after a conflict: rows are looked for again on the newer table, or it is raised."""


class RowsToChange(Protocol):
    """Where the rows of one operation go.

    Batches of rows of the table have its columns first, then where the rows are, and in the end the number of a row of
    the source.
    """

    @property
    def schema(self) -> pa.Schema:
        """The columns of the table."""
        ...

    @property
    def width(self) -> int:
        """How many they are."""
        ...

    @property
    def place(self) -> int:
        """Which column has a number that no other row of a batch has."""
        ...

    def delete(self, rows: pa.RecordBatch) -> None:
        """Adds rows to delete."""
        ...

    def changed(self, rows: pa.RecordBatch, columns: list[Array]) -> pa.RecordBatch:
        """Rows with new columns in the place of old ones."""
        ...

    def added(self, columns: list[Array], rows: int) -> pa.RecordBatch:
        """Adds rows to insert."""
        ...

    def conformed(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Rows with all columns of the table; those that they lack are their default, or null."""
        ...


def updated_rows(batch: pa.RecordBatch, source: StoredRows, changed: RowsToChange) -> pa.RecordBatch:
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


def inserted_rows(rows: Array, source: StoredRows, changed: RowsToChange) -> Iterator[pa.RecordBatch]:
    """Rows of the source that are new; columns that it lacks are their default, or null."""
    for new in source.taken(rows):
        yield changed.added(changed.conformed(new).columns, new.num_rows)


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


def _check_fields(name: str, source: Any, table: Any) -> None:  # noqa: ANN401 - types
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
            _check_fields(f"{name}.{field.name}", given[field.name], field.type)
    elif types.is_map(source) and types.is_map(table):
        _check_fields(f"{name}.value", source.item_type, table.item_type)
    elif _is_list(source) and _is_list(table):
        _check_fields(f"{name}.element", source.value_type, table.value_type)


def _is_list(kind: pa.DataType) -> bool:
    from pyarrow import types  # noqa: PLC0415

    return types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)


@dataclass(frozen=True)
class JoinedColumns:
    """The columns of a source that is joined to a table by keys.

    Args:
        keys: The key columns, by the names of the table.
        used: All columns, by the names of the table, with those of the source.
    """

    keys: list[str]
    used: dict[str, str]

    @classmethod
    def of(
        cls, source: pa.Schema, table: pa.Schema, keys: Iterable[str], *, case_sensitive: bool, replaces: bool
    ) -> JoinedColumns:
        """Resolves the columns. With `replaces`, values of the source overwrite those of the table.

        Raises:
            InvalidInputError: A key or another column is unknown, or a struct that replaces one lacks a field.
        """
        names = columns_of_source(source, table, case_sensitive=case_sensitive)
        found = [_key_column(name, table, names, case_sensitive=case_sensitive) for name in keys]
        used = {name: names[name] for name in table.names if name in names}
        if replaces:
            for name, given in used.items():
                _check_fields(name, source.field(given).type, table.field(name).type)
        return cls(found, used)

    def of_keys(self) -> dict[str, str]:
        """The key columns alone, with their names in the source."""
        return {name: self.used[name] for name in self.keys}

    def others(self) -> list[str]:
        """The columns that are no keys, by the names of the table."""
        return [name for name in self.used if name not in self.keys]


def checked_null_keys(null_keys: NullKeys) -> NullKeys:
    """Returns what a null in a key means.

    Raises:
        InvalidInputError: It is another word.
    """
    if null_keys not in ("error", "equal"):
        raise InvalidInputError(f"null_keys: expected 'error' or 'equal', found {null_keys!r}")
    return null_keys


def _key_column(given: str, table: pa.Schema, source: dict[str, str], *, case_sensitive: bool) -> str:
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

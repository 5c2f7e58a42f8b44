"""What are the columns of a table?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from floeberg._display import rows_html
from floeberg.errors import InvalidInputError
from floeberg.types._arrow import arrow_schema
from floeberg.types._fields import IcebergType, ListType, MapType, NestedField, StructType, checked_fields
from floeberg.types._frozen import called, set_frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa


_MOST_SHOWN = 500
"""Fields that a notebook shows: tables may have thousands."""


@dataclass(frozen=True, init=False, repr=False)
class Schema:
    """The columns of a table.

    Args:
        fields: The columns, in order.
        schema_id: The id of the schema in its table; a new table assigns its own.
        identifier_field_ids: The ids of the identifier fields, which identify a row.

    Examples:
        >>> schema = Schema(NestedField(1, "id", PrimitiveType("long"), True), identifier_field_ids=(1,))
        >>> schema.find_field("id").field_id, str(schema.find_type(1)), schema.column_names
        (1, 'long', ['id'])
    """

    schema_id: int
    fields: tuple[NestedField, ...]
    identifier_field_ids: tuple[int, ...]

    def __init__(
        self, *fields: NestedField, schema_id: int = 0, identifier_field_ids: Iterable[int] = ()
    ) -> None:
        known = checked_fields("fields", fields)
        set_frozen(self, schema_id=schema_id, fields=known, identifier_field_ids=tuple(identifier_field_ids))

    @property
    def columns(self) -> tuple[NestedField, ...]:
        """The columns, in order."""
        return self.fields

    def __len__(self) -> int:
        return len(self.fields)

    def __bool__(self) -> bool:
        """True: a schema without columns is a schema too."""
        return True

    @property
    def column_names(self) -> list[str]:
        """The full names of all fields, nested ones dotted, each before its children."""
        return [name for name, _ in walk(self.fields)]

    @property
    def field_ids(self) -> set[int]:
        """The ids of all fields, nested ones too."""
        return {each.field_id for _, each in walk(self.fields)}

    @property
    def highest_field_id(self) -> int:
        """The highest id of a field; 0 without fields."""
        return max(self.field_ids, default=0)

    def as_struct(self) -> StructType:
        """The columns as the fields of a struct."""
        return StructType(*self.fields)

    def as_arrow(self) -> pa.Schema:
        """The columns as an Arrow schema, with their field ids as metadata.

        Examples:
            >>> Schema(NestedField(1, "id", "long", required=True)).as_arrow().field("id").nullable
            False
        """
        return arrow_schema(self.fields)

    def identifier_field_names(self) -> set[str]:
        """The full names of the identifier fields."""
        return {name for name, each in walk(self.fields) if each.field_id in self.identifier_field_ids}

    def select(self, *names: str, case_sensitive: bool = True) -> Schema:
        """A schema with some of the fields, and their parents.

        Args:
            *names: Full names, nested ones dotted; `*` is all.
            case_sensitive: Whether the case of column names counts.

        Returns:
            A schema with these fields alone, in the order of this one.

        Raises:
            InvalidInputError: The field does not exist. The error names near matches.

        Examples:
            >>> table.schema().select("v", "id").column_names
            ['id', 'v']
        """
        if "*" in names:
            return self
        wanted = {self.find_field(name, case_sensitive).field_id for name in names}
        return Schema(
            *selected(self.fields, wanted),
            schema_id=self.schema_id,
            identifier_field_ids=self.identifier_field_ids,
        )

    def find_field(self, name_or_id: str | int, case_sensitive: bool = True) -> NestedField:  # noqa: FBT001, FBT002 - PyIceberg's
        """Finds a field at any depth.

        Args:
            name_or_id: The id, or the full dotted name. An exact name wins over a nested path.
            case_sensitive: Whether the case of a name counts.

        Returns:
            The field.

        Raises:
            InvalidInputError: The field does not exist. The error names near matches.

        Examples:
            >>> str(table.schema().find_field("CAT", case_sensitive=False))
            '2: cat: optional string'
        """
        if isinstance(name_or_id, int):
            found = [each for _, each in walk(self.fields) if each.field_id == name_or_id]
        else:
            found = self._named(name_or_id) or ([] if case_sensitive else self._folded(name_or_id))
        if found:
            return found[0]
        raise InvalidInputError(f"the schema has no field {name_or_id!r}{self._near(name_or_id)}")

    def find_type(self, name_or_id: str | int, case_sensitive: bool = True) -> IcebergType:  # noqa: FBT001, FBT002 - PyIceberg's
        """Finds the type of a field, as `find_field` finds the field."""
        return self.find_field(name_or_id, case_sensitive).field_type

    def find_column_name(self, column_id: int) -> str | None:
        """Finds the full name of the field with an id, or `None` where it does not exist."""
        return next((name for name, each in walk(self.fields) if each.field_id == column_id), None)

    def _named(self, name: str) -> list[NestedField]:
        columns = [each for each in self.fields if each.name == name]
        return columns or [each for known, each in walk(self.fields) if known == name]

    def _folded(self, name: str) -> list[NestedField]:
        found = [each for known, each in walk(self.fields) if known.lower() == name.lower()]
        if len(found) > 1:
            raise InvalidInputError(f"the name {name!r} is ambiguous: several fields differ in case only")
        return found

    def _near(self, name: str | int) -> str:
        from difflib import get_close_matches  # noqa: PLC0415 - only errors need it

        near = get_close_matches(str(name), self.column_names)
        return f"; near matches: {', '.join(map(repr, near))}" if near else ""

    def __str__(self) -> str:
        lines = "".join(f"  {each}\n" for each in self.fields)
        return f"table {{\n{lines}}}"

    def _repr_html_(self) -> str:
        return self._table_html()

    def _table_html(self, caption: str | None = None) -> str:
        """The columns as a table, with a name where it stands among others."""
        rows = list(islice(_rows(self.fields, ""), _MOST_SHOWN + 1))
        if len(rows) > _MOST_SHOWN:
            rows[_MOST_SHOWN:] = [("", "... more columns", "", "", "")]
        return rows_html(("id", "column", "type", "required", "doc"), rows, caption=caption)

    def __repr__(self) -> str:
        return called(
            self, *self.fields, schema_id=self.schema_id, identifier_field_ids=self.identifier_field_ids
        )


def _rows(fields: tuple[NestedField, ...], prefix: str) -> Iterator[tuple[object, ...]]:
    """A row for each field, those of structs below their struct."""
    for each in fields:
        inside = each.field_type
        is_struct = isinstance(inside, StructType)
        need = "yes" if each.required else ""
        yield each.field_id, prefix + each.name, "struct" if is_struct else inside, need, each.doc
        if isinstance(inside, StructType):
            yield from _rows(inside.fields, f"{prefix}{each.name}.")


def walk(fields: tuple[NestedField, ...], prefix: str = "") -> Iterator[tuple[str, NestedField]]:
    """The fields at every level, each after its parent, with their full names."""
    for each in fields:
        name = prefix + each.name
        yield name, each
        yield from walk(children(each.field_type), f"{name}.")


def children(field_type: IcebergType) -> tuple[NestedField, ...]:
    """The fields of a struct, the element of a list, the key and the value of a map."""
    if isinstance(field_type, StructType):
        return field_type.fields
    if isinstance(field_type, ListType):
        return (field_type.element_field,)
    if isinstance(field_type, MapType):
        return field_type.key_field, field_type.value_field
    return ()


def selected(fields: tuple[NestedField, ...], wanted: set[int]) -> Iterator[NestedField]:
    """The fields with these ids, whole, and their parents, with only these fields in them."""
    for each in fields:
        inside = each.field_type
        if each.field_id in wanted:
            yield each
        elif isinstance(inside, StructType):
            if kept := tuple(selected(inside.fields, wanted)):
                yield replace(each, field_type=StructType(kept))
        elif any(below.field_id in wanted for _, below in walk(children(inside))):
            # Of a list or a map the whole is kept: its elements have no rows of their own.
            yield each

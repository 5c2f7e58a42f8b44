"""What are the columns of a table?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError
from floeberg.types._fields import IcebergType, ListType, MapType, NestedField, StructType, checked_fields
from floeberg.types._frozen import called, set_frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True, init=False, repr=False)
class Schema:
    """The columns of a table.

    Args:
        fields: The columns, in order.
        schema_id: The id of the schema in its table; a new table gives its own.
        identifier_field_ids: The ids of the fields that identify a row.

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

    @property
    def column_names(self) -> list[str]:
        """The full names of all fields, nested ones dotted, each before its children."""
        return [name for name, _ in walk(self.fields)]

    def find_field(self, name_or_id: str | int, *, case_sensitive: bool = True) -> NestedField:
        """Finds a field at any depth.

        Args:
            name_or_id: The id, or the full dotted name. An exact name wins over a nested path.
            case_sensitive: Whether the case of a name counts.

        Returns:
            The field.

        Raises:
            InvalidInputError: There is no such field; near matches are named.

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
        raise InvalidInputError(f"no field is {name_or_id!r}{self._near(name_or_id)}")

    def find_type(self, name_or_id: str | int, *, case_sensitive: bool = True) -> IcebergType:
        """Finds the type of a field, as `find_field` finds the field."""
        return self.find_field(name_or_id, case_sensitive=case_sensitive).field_type

    def find_column_name(self, column_id: int) -> str | None:
        """Finds the full name of an id, or `None` where there is no such field."""
        return next((name for name, each in walk(self.fields) if each.field_id == column_id), None)

    def _named(self, name: str) -> list[NestedField]:
        columns = [each for each in self.fields if each.name == name]
        return columns or [each for known, each in walk(self.fields) if known == name]

    def _folded(self, name: str) -> list[NestedField]:
        found = [each for known, each in walk(self.fields) if known.lower() == name.lower()]
        if len(found) > 1:
            raise InvalidInputError(f"the name {name!r} is ambiguous without case")
        return found

    def _near(self, name: str | int) -> str:
        from difflib import get_close_matches  # noqa: PLC0415 - only errors need it

        near = get_close_matches(str(name), self.column_names)
        return f"; near matches: {', '.join(map(repr, near))}" if near else ""

    def __str__(self) -> str:
        lines = "".join(f"  {each}\n" for each in self.fields)
        return f"table {{\n{lines}}}"

    def __repr__(self) -> str:
        return called(
            self, *self.fields, schema_id=self.schema_id, identifier_field_ids=self.identifier_field_ids
        )


def walk(fields: tuple[NestedField, ...], prefix: str = "") -> Iterator[tuple[str, NestedField]]:
    for each in fields:
        name = prefix + each.name
        yield name, each
        yield from walk(_children(each.field_type), f"{name}.")


def _children(field_type: IcebergType) -> tuple[NestedField, ...]:
    if isinstance(field_type, StructType):
        return field_type.fields
    if isinstance(field_type, ListType):
        element = field_type
        return (NestedField(element.element_id, "element", element.element_type, element.element_required),)
    if isinstance(field_type, MapType):
        kind = field_type
        return (
            NestedField(kind.key_id, "key", kind.key_type, required=True),
            NestedField(kind.value_id, "value", kind.value_type, kind.value_required),
        )
    return ()

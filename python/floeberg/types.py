"""What does a table look like: its columns, partitions, order and snapshots?

Plain frozen data, named as in PyIceberg. Types print as the Iceberg specification writes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast

from floeberg import _native
from floeberg._snapshots import HistoryEntry, Snapshot, SnapshotRef
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "HistoryEntry",
    "IcebergType",
    "ListType",
    "MapType",
    "NestedField",
    "PartitionField",
    "PartitionSpec",
    "PrimitiveType",
    "Schema",
    "Snapshot",
    "SnapshotRef",
    "SortField",
    "SortOrder",
    "StructType",
]

Json = Any


@dataclass(frozen=True)
class PrimitiveType:
    """A type without children, `variant`, or a type that this version does not know.

    Args:
        name: As the specification writes it: `long`, `decimal(9,2)`, `timestamptz`.
    """

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class StructType:
    """Fields by id.

    Args:
        fields: The fields, in order.
    """

    fields: tuple[NestedField, ...]

    def __post_init__(self) -> None:
        _set(self, fields=_checked_fields("fields", self.fields))

    def __str__(self) -> str:
        return f"struct<{', '.join(map(str, self.fields))}>"


@dataclass(frozen=True)
class ListType:
    """Elements of one type.

    Args:
        element_id: The field id of the element.
        element_type: Its type, or the name of one.
        element_required: Whether it is never null.
    """

    element_id: int
    element_type: IcebergType
    element_required: bool

    def __post_init__(self) -> None:
        _set(self, element_type=_checked_type("element_type", self.element_type))

    def __str__(self) -> str:
        return f"list<{self.element_type}>"


@dataclass(frozen=True)
class MapType:
    """Keys and values.

    Args:
        key_id: The field id of the key, which is never null.
        key_type: Its type, or the name of one.
        value_id: The field id of the value.
        value_type: Its type, or the name of one.
        value_required: Whether it is never null.
    """

    key_id: int
    key_type: IcebergType
    value_id: int
    value_type: IcebergType
    value_required: bool

    def __post_init__(self) -> None:
        _set(
            self,
            key_type=_checked_type("key_type", self.key_type),
            value_type=_checked_type("value_type", self.value_type),
        )

    def __str__(self) -> str:
        return f"map<{self.key_type}, {self.value_type}>"


IcebergType = PrimitiveType | StructType | ListType | MapType


def _checked_type(name: str, given: object) -> IcebergType:
    """A type, of itself or of its name.

    Raises:
        InvalidInputError: It is none; the error names the argument.
    """
    if isinstance(given, IcebergType):
        return given
    if not isinstance(given, str):
        raise InvalidInputError(
            f"{name}: expected a type, or the name of one as 'long', found an object of type {type(given).__name__}"
        )
    try:
        return PrimitiveType(_native.checked_type(given))
    except InvalidInputError as error:
        raise InvalidInputError(f"{name}: {error.message}") from None


def _checked_fields(name: str, given: object) -> tuple[NestedField, ...]:
    """Fields in order. Raises `InvalidInputError` for anything else."""
    fields = tuple(cast("Iterable[object]", given)) if isinstance(given, Iterable) else (given,)
    for each in fields:
        if not isinstance(each, NestedField):
            raise InvalidInputError(
                f"{name}: expected fields of the class NestedField, found an object of type {type(each).__name__}"
            )
    return cast("tuple[NestedField, ...]", fields)


@dataclass(frozen=True)
class NestedField:
    """A column, or a field of a struct.

    Args:
        field_id: The id, unique in the table and never reused.
        name: The name, unique among its siblings.
        field_type: The type, or the name of one: `"long"`.
        required: Whether it is never null.
        doc: The comment.
        initial_default: The value of rows written before the field was added, in the specification's JSON form.
        write_default: The value that a writer puts where none is given, in the same form.

    Examples:
        >>> str(NestedField(1, "id", "long", required=True)), NestedField(2, "price", "decimal(9, 2)").field_type
        ('1: id: required long', PrimitiveType(name='decimal(9,2)'))
    """

    field_id: int
    name: str
    field_type: IcebergType
    required: bool = False
    doc: str | None = None
    initial_default: Json = field(default=None, hash=False)
    write_default: Json = field(default=None, hash=False)

    def __post_init__(self) -> None:
        _set(self, field_type=_checked_type("field_type", self.field_type))

    @property
    def optional(self) -> bool:
        """Whether it may be null."""
        return not self.required

    def __str__(self) -> str:
        need = "required" if self.required else "optional"
        doc = f" ({self.doc})" if self.doc else ""
        return f"{self.field_id}: {self.name}: {need} {self.field_type}{doc}"


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
        known = _checked_fields("fields", fields)
        _set(self, schema_id=schema_id, fields=known, identifier_field_ids=tuple(identifier_field_ids))

    @property
    def columns(self) -> tuple[NestedField, ...]:
        """The columns, in order."""
        return self.fields

    @property
    def column_names(self) -> list[str]:
        """The full names of all fields, nested ones dotted, each before its children."""
        return [name for name, _ in _walk(self.fields)]

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
            found = [each for _, each in _walk(self.fields) if each.field_id == name_or_id]
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
        return next((name for name, each in _walk(self.fields) if each.field_id == column_id), None)

    def _named(self, name: str) -> list[NestedField]:
        columns = [each for each in self.fields if each.name == name]
        return columns or [each for known, each in _walk(self.fields) if known == name]

    def _folded(self, name: str) -> list[NestedField]:
        found = [each for known, each in _walk(self.fields) if known.lower() == name.lower()]
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
        return _called(
            self, *self.fields, schema_id=self.schema_id, identifier_field_ids=self.identifier_field_ids
        )


def _called(made: object, *positional: object, **keywords: object) -> str:
    """The call that makes an object."""
    arguments = [*map(repr, positional), *(f"{name}={value!r}" for name, value in keywords.items())]
    return f"{type(made).__name__}({', '.join(arguments)})"


def _set(frozen: object, **values: object) -> None:
    """Sets what a frozen object is made of."""
    for name, value in values.items():
        object.__setattr__(frozen, name, value)


def _walk(fields: tuple[NestedField, ...], prefix: str = "") -> Iterator[tuple[str, NestedField]]:
    for each in fields:
        name = prefix + each.name
        yield name, each
        yield from _walk(_children(each.field_type), f"{name}.")


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


@dataclass(frozen=True, init=False, repr=False)
class PartitionField:
    """A partition value and how it is made.

    Args:
        source_id: The column that it is made of, or several for a transform of several columns.
        field_id: The id of the partition field, 1000 and up; a new table gives its own.
        transform: As the specification writes it: `bucket[16]`, `day`.
        name: The name of the partition value.

    Examples:
        >>> str(PartitionField(source_id=2, field_id=1000, transform="day", name="ts_day"))
        '1000: ts_day: day(2)'
    """

    source_ids: tuple[int, ...]
    field_id: int
    transform: str
    name: str

    def __init__(self, source_id: int | Iterable[int], field_id: int, transform: str, name: str) -> None:
        _set(self, source_ids=_ids(source_id), field_id=field_id, transform=str(transform), name=name)

    @property
    def source_id(self) -> int:
        """The column that it is made of, or the first of them."""
        return self.source_ids[0]

    def __str__(self) -> str:
        return f"{self.field_id}: {self.name}: {self.transform}({', '.join(map(str, self.source_ids))})"

    def __repr__(self) -> str:
        return _called(
            self,
            source_id=_id(self.source_ids),
            field_id=self.field_id,
            transform=self.transform,
            name=self.name,
        )


def _ids(source_id: int | Iterable[int]) -> tuple[int, ...]:
    return (source_id,) if isinstance(source_id, int) else tuple(source_id)


def _id(source_ids: tuple[int, ...]) -> int | tuple[int, ...]:
    """What gives these ids."""
    return source_ids[0] if len(source_ids) == 1 else source_ids


@dataclass(frozen=True, init=False, repr=False)
class PartitionSpec:
    """How files are partitioned.

    Args:
        fields: The partition fields, in order.
        spec_id: The id; a new table gives its own.

    Examples:
        >>> PartitionSpec(PartitionField(1, 1000, "identity", "id")).is_unpartitioned()
        False
    """

    spec_id: int
    fields: tuple[PartitionField, ...]

    def __init__(self, *fields: PartitionField, spec_id: int = 0) -> None:
        _set(self, spec_id=spec_id, fields=fields)

    def is_unpartitioned(self) -> bool:
        """Whether it has no fields, or only void ones."""
        return all(each.transform == "void" for each in self.fields)

    def __repr__(self) -> str:
        return _called(self, *self.fields, spec_id=self.spec_id)


@dataclass(frozen=True, init=False, repr=False)
class SortField:
    """A column, or a transform of columns, that rows are sorted by.

    Args:
        source_id: The column, or several for a transform of several columns.
        transform: As the specification writes it.
        direction: Smallest first or last.
        null_order: Nulls first or last; unless given, first where the smallest come first, else last.

    Examples:
        >>> SortField(1, direction="desc").null_order
        'nulls-last'
    """

    source_ids: tuple[int, ...]
    transform: str
    direction: Literal["asc", "desc"]
    null_order: Literal["nulls-first", "nulls-last"]

    def __init__(
        self,
        source_id: int | Iterable[int],
        transform: str = "identity",
        direction: Literal["asc", "desc"] = "asc",
        null_order: Literal["nulls-first", "nulls-last"] | None = None,
    ) -> None:
        usual = "nulls-first" if direction == "asc" else "nulls-last"
        _set(
            self,
            source_ids=_ids(source_id),
            transform=str(transform),
            direction=direction,
            null_order=null_order or usual,
        )

    @property
    def source_id(self) -> int:
        """The column, or the first of them."""
        return self.source_ids[0]

    def __repr__(self) -> str:
        return _called(
            self,
            source_id=_id(self.source_ids),
            transform=self.transform,
            direction=self.direction,
            null_order=self.null_order,
        )


@dataclass(frozen=True, init=False, repr=False)
class SortOrder:
    """How the rows of a file are sorted.

    Args:
        fields: The sort fields, most significant first.
        order_id: The id; 0 is unsorted, and a new table gives its own.

    Examples:
        >>> SortOrder(SortField(1)).order_id, SortOrder().is_unsorted
        (1, True)
    """

    order_id: int
    fields: tuple[SortField, ...]

    def __init__(self, *fields: SortField, order_id: int | None = None) -> None:
        known = int(bool(fields)) if order_id is None else order_id
        _set(self, order_id=known, fields=fields)

    @property
    def is_unsorted(self) -> bool:
        """Whether it has no fields."""
        return not self.fields

    def __repr__(self) -> str:
        return _called(self, *self.fields, order_id=self.order_id)

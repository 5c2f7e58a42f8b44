"""What is a column, and which types have fields?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from floeberg import _native
from floeberg.errors import InvalidInputError
from floeberg.types._frozen import called, set_frozen
from floeberg.types._primitives import PrimitiveType, Type

Json = Any


@dataclass(frozen=True, init=False)
class StructType(Type):
    """Fields by id.

    Args:
        *given: The fields, in order, or one sequence of them.
        fields: The same sequence, under PyIceberg's name.

    Examples:
        >>> place = StructType(NestedField(2, "city", "string"), NestedField(3, "zip", "string"))
        >>> len(place), place.field(3).name, place.field_by_name("CITY", case_sensitive=False).field_id
        (2, 'zip', 2)
    """

    fields: tuple[NestedField, ...]

    def __init__(
        self, *given: NestedField | Iterable[NestedField], fields: Iterable[NestedField] = ()
    ) -> None:
        alone = len(given) == 1 and not isinstance(given[0], NestedField)
        set_frozen(self, fields=checked_fields("fields", given[0] if alone else given or fields))

    @property
    def is_struct(self) -> bool:
        """Whether it is a struct."""
        return True

    def field(self, field_id: int) -> NestedField | None:
        """The field with an id, or `None` where it does not exist."""
        return next((each for each in self.fields if each.field_id == field_id), None)

    def field_by_name(self, name: str, case_sensitive: bool = True) -> NestedField | None:  # noqa: FBT001, FBT002 - PyIceberg's
        """The field with a name, or `None` where it does not exist."""
        wanted = name if case_sensitive else name.lower()
        names = ((each.name if case_sensitive else each.name.lower(), each) for each in self.fields)
        return next((each for known, each in names if known == wanted), None)

    def __len__(self) -> int:
        return len(self.fields)

    def __bool__(self) -> bool:
        """True: a type without fields is a type too."""
        return True

    def __str__(self) -> str:
        return f"struct<{', '.join(map(str, self.fields))}>"


@dataclass(frozen=True, init=False)
class ListType(Type):
    """Elements of one type.

    Args:
        element_id: The field id of the element.
        element_type: Its type, or the name of one. PyIceberg's keyword `element` works too.
        element_required: Whether it is never null.
    """

    element_id: int
    element_type: IcebergType
    element_required: bool

    def __init__(
        self,
        element_id: int,
        element_type: IcebergType | str | None = None,
        element_required: bool = True,  # noqa: FBT001, FBT002 - PyIceberg's
        *,
        element: IcebergType | str | None = None,
    ) -> None:
        given = element if element_type is None else element_type
        known = checked_type("element_type", given)
        set_frozen(self, element_id=element_id, element_type=known, element_required=element_required)

    @property
    def element_field(self) -> NestedField:
        """The element as a field."""
        return NestedField(self.element_id, "element", self.element_type, required=self.element_required)

    def __str__(self) -> str:
        return f"list<{self.element_type}>"


@dataclass(frozen=True)
class MapType(Type):
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
    value_required: bool = True

    def __post_init__(self) -> None:
        set_frozen(
            self,
            key_type=checked_type("key_type", self.key_type),
            value_type=checked_type("value_type", self.value_type),
        )

    @property
    def key_field(self) -> NestedField:
        """The key as a field."""
        return NestedField(self.key_id, "key", self.key_type, required=True)

    @property
    def value_field(self) -> NestedField:
        """The value as a field."""
        return NestedField(self.value_id, "value", self.value_type, required=self.value_required)

    def __str__(self) -> str:
        return f"map<{self.key_type}, {self.value_type}>"


IcebergType = PrimitiveType | StructType | ListType | MapType


def checked_type(name: str, given: object) -> IcebergType:
    """A type, given as itself or by its name.

    Raises:
        InvalidInputError: It is of another type. The error names the argument.
    """
    if isinstance(given, IcebergType):
        return given
    if not isinstance(given, str):
        raise InvalidInputError(
            f"{name}: expected a type or its name, such as 'long', found an object of type {type(given).__name__}"
        )
    try:
        return PrimitiveType(_native.checked_type(given))
    except InvalidInputError as error:
        raise InvalidInputError(f"{name}: {error.message}") from None


def checked_fields(name: str, given: object) -> tuple[NestedField, ...]:
    """Fields in order. Raises `InvalidInputError` for anything else."""
    fields = tuple(cast("Iterable[object]", given)) if isinstance(given, Iterable) else (given,)
    for each in fields:
        if not isinstance(each, NestedField):
            raise InvalidInputError(
                f"{name}: expected fields of the class NestedField, found an object of type {type(each).__name__}"
            )
    return cast("tuple[NestedField, ...]", fields)


@dataclass(frozen=True, repr=False)
class NestedField:
    """A column, or a field of a struct.

    Args:
        field_id: The id, unique in the table and never reused.
        name: The name, unique among its siblings.
        field_type: The type, or the name of one: `"long"`.
        required: Whether it is never null.
        doc: The comment.
        initial_default: The value of the field in rows that were written before it was added, in the specification's
            JSON form.
        write_default: The value that writers use by default, in the same form.

    Examples:
        >>> str(NestedField(1, "id", "long", required=True)), NestedField(2, "price", "decimal(9, 2)").field_type
        ('1: id: required long', DecimalType(precision=9, scale=2))
    """

    field_id: int
    name: str
    field_type: IcebergType
    required: bool = False
    doc: str | None = None
    initial_default: Json = field(default=None, hash=False)
    write_default: Json = field(default=None, hash=False)

    def __post_init__(self) -> None:
        set_frozen(self, field_type=checked_type("field_type", self.field_type))

    @property
    def optional(self) -> bool:
        """Whether it may be null."""
        return not self.required

    def __str__(self) -> str:
        need = "required" if self.required else "optional"
        doc = f" ({self.doc})" if self.doc else ""
        return f"{self.field_id}: {self.name}: {need} {self.field_type}{doc}"

    def __repr__(self) -> str:
        said = {"doc": self.doc, "initial_default": self.initial_default, "write_default": self.write_default}
        return called(
            self,
            field_id=self.field_id,
            name=self.name,
            field_type=self.field_type,
            required=self.required,
            **{name: value for name, value in said.items() if value is not None},
        )

"""What is a column, and which types have fields?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from floeberg import _native
from floeberg.errors import InvalidInputError
from floeberg.types._frozen import set_frozen
from floeberg.types._primitives import PrimitiveType

Json = Any


@dataclass(frozen=True)
class StructType:
    """Fields by id.

    Args:
        fields: The fields, in order.
    """

    fields: tuple[NestedField, ...]

    def __post_init__(self) -> None:
        set_frozen(self, fields=checked_fields("fields", self.fields))

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
        set_frozen(self, element_type=checked_type("element_type", self.element_type))

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
        set_frozen(
            self,
            key_type=checked_type("key_type", self.key_type),
            value_type=checked_type("value_type", self.value_type),
        )

    def __str__(self) -> str:
        return f"map<{self.key_type}, {self.value_type}>"


IcebergType = PrimitiveType | StructType | ListType | MapType


def checked_type(name: str, given: object) -> IcebergType:
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


def checked_fields(name: str, given: object) -> tuple[NestedField, ...]:
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
        set_frozen(self, field_type=checked_type("field_type", self.field_type))

    @property
    def optional(self) -> bool:
        """Whether it may be null."""
        return not self.required

    def __str__(self) -> str:
        need = "required" if self.required else "optional"
        doc = f" ({self.doc})" if self.doc else ""
        return f"{self.field_id}: {self.name}: {need} {self.field_type}{doc}"

"""Which columns and which settings differ between two states of a table?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from floeberg.types._schema import children, walk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from floeberg.types import Schema
    from floeberg.types._fields import NestedField

__all__ = [
    "Changed",
    "ColumnChange",
    "LanceField",
    "changed_columns",
    "changed_fields",
    "changed_names",
    "changed_properties",
]

Value = TypeVar("Value")


@dataclass(frozen=True)
class Changed(Generic[Value]):
    """A setting that differs.

    Attributes:
        before: Its value in the first state; `None` where it was not set.
        after: Its value in the second state; `None` where it is not set.
    """

    before: Value | None
    after: Value | None


@dataclass(frozen=True)
class LanceField:
    """A field of a Lance table.

    Attributes:
        field_id: Its id.
        name: The whole name, dotted.
        field_type: The type as the manifest writes it, such as `int64`, `list` or `timestamp:us:UTC`.
        nullable: Whether it may be null.
    """

    field_id: int
    name: str
    field_type: str
    nullable: bool

    def __str__(self) -> str:
        return f"{self.name}: {self.field_type}{'' if self.nullable else ' not null'}"


@dataclass(frozen=True)
class ColumnChange:
    """A column that differs, found by its field id.

    Attributes:
        change: `added`, `dropped`, or `changed`: another name, type, comment or default, or whether it is required.
        name: The whole name, dotted: that of the second schema, or of the first one where the column was dropped.
        before: The column in the first schema, of a Lance table as a `LanceField`; `None` where it was added.
        after: The column in the second schema, likewise; `None` where it was dropped.
    """

    change: Literal["added", "dropped", "changed"]
    name: str
    before: NestedField | LanceField | None
    after: NestedField | LanceField | None

    def __str__(self) -> str:
        if self.change != "changed":
            return f"{self.change}: {self.name}"
        return f"changed: {self.before} -> {self.after}"


def changed_columns(before: Schema, after: Schema) -> list[ColumnChange]:
    """The columns that differ, those of the second schema first. A part of a column is a column of its own."""
    old = {field.field_id: (name, field) for name, field in walk(before.fields)}
    new = {field.field_id: (name, field) for name, field in walk(after.fields)}
    found = []
    for number, (name, field) in new.items():
        earlier_name, earlier = old.get(number, (None, None))
        if earlier is None:
            found.append(ColumnChange("added", name, None, field))
        elif earlier_name != name or _own(earlier) != _own(field):
            found.append(ColumnChange("changed", name, earlier, field))
    found += [
        ColumnChange("dropped", name, field, None)
        for number, (name, field) in old.items()
        if number not in new
    ]
    return found


def changed_names(
    before: Mapping[str, NestedField | LanceField], after: Mapping[str, NestedField | LanceField]
) -> list[ColumnChange]:
    """The columns of two tables of one format that differ, by their names, those of the second table first."""
    found = [
        ColumnChange("changed" if name in before else "added", name, before.get(name), field)
        for name, field in after.items()
        if name not in before or _without_id(before[name]) != _without_id(field)
    ]
    gone = (name for name in before if name not in after)
    return found + [ColumnChange("dropped", name, before[name], None) for name in gone]


def _without_id(field: NestedField | LanceField) -> tuple[Any, ...]:
    return (field.field_type, field.nullable) if isinstance(field, LanceField) else _own(field)


def _own(field: NestedField) -> tuple[Any, ...]:
    """What a column says of itself, without what its parts say."""
    own = type(field.field_type).__name__ if children(field.field_type) else str(field.field_type)
    return (field.name, own, field.required, field.doc, field.initial_default, field.write_default)


def changed_fields(before: Sequence[LanceField], after: Sequence[LanceField]) -> list[ColumnChange]:
    """The fields of a Lance table that differ, by their ids, those of the second version first."""
    old, new = ({field.field_id: field for field in fields} for fields in (before, after))
    found = [
        ColumnChange("changed" if number in old else "added", field.name, old.get(number), field)
        for number, field in new.items()
        if old.get(number) != field
    ]
    gone = (field for number, field in old.items() if number not in new)
    return found + [ColumnChange("dropped", field.name, field, None) for field in gone]


def changed_properties(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, Changed[str]]:
    """The properties that differ, by key."""
    keys = sorted({*before, *after})
    return {
        key: Changed(before.get(key), after.get(key)) for key in keys if before.get(key) != after.get(key)
    }

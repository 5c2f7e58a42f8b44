"""Which state of its table does a DataFrame read that names none?

Spark asks for the schema when a DataFrame or a view is made, and plans it later, once or several times. The first
planning chooses the newest state for all of them: what is read twice by one query, as in a self-join, is the same.

Invariant: the columns are those that the schema promised, by their field ids.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError
from floeberg.spark.session.local_dir import scratch
from floeberg.types import ListType, MapType, NestedField, StructType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from floeberg.types import IcebergType, Schema

__all__ = ["check_promised", "chosen", "is_kept", "keep_chosen"]

_AGAIN = "load the table again, or create the view again"


def is_kept() -> bool:
    """Can be kept here which state a DataFrame reads?"""
    return scratch() is not None


def chosen(load: str) -> str | None:
    """The metadata file that was chosen for a DataFrame; `None` where none was."""
    place = _place(load)
    try:
        return None if place is None else place.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def keep_chosen(load: str, metadata_location: str) -> str:
    """Keeps the metadata file that is chosen for a DataFrame, where none was.

    Returns:
        The one that is kept.

    Raises:
        OSError: It cannot be kept.
    """
    place = _place(load)
    if place is None:
        return metadata_location
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(dir=place.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(metadata_location)
        try:
            # Whole or not at all, and only for the first.
            os.link(made, place)
        except FileExistsError:
            return place.read_text(encoding="utf-8")
    finally:
        Path(made).unlink()
    return metadata_location


def check_promised(promised: Schema, columns: Schema, now: Schema, selected: Schema) -> None:
    """Does a table still have the columns that a DataFrame was promised?

    Args:
        promised: The columns of the DataFrame.
        columns: All columns of the table when they were promised.
        now: All columns of the table now.
        selected: The columns that would be read now.

    Raises:
        InvalidInputError: A column is gone or another, or a name stands for another column.
    """
    ids = dict(_names(now.fields, ""))
    for name, number in _names(columns.fields, ""):
        if ids.get(name, number) != number:
            raise InvalidInputError(
                f"column {name!r} is another one than when the DataFrame was made: {_AGAIN}"
            )
    _check_fields(promised.fields, selected.fields, "")


def _place(load: str) -> Path | None:
    own = scratch()
    return None if own is None else own / "chosen" / load


def _names(fields: Sequence[NestedField], parent: str) -> Iterator[tuple[str, int]]:
    for field in fields:
        name = f"{parent}{field.name}"
        yield name, field.field_id
        yield from _names(_below(field.field_type), f"{name}.")


def _below(kind: IcebergType) -> Sequence[NestedField]:
    if isinstance(kind, StructType):
        return kind.fields
    if isinstance(kind, ListType):
        return (NestedField(kind.element_id, "element", kind.element_type, required=kind.element_required),)
    if isinstance(kind, MapType):
        return (
            NestedField(kind.key_id, "key", kind.key_type, required=True),
            NestedField(kind.value_id, "value", kind.value_type, required=kind.value_required),
        )
    return ()


def _check_fields(promised: Sequence[NestedField], found: Sequence[NestedField], parent: str) -> None:
    by_id = {field.field_id: field for field in found}
    for field in promised:
        name = f"{parent}{field.name}"
        now = by_id.get(field.field_id)
        if now is None or now.name != field.name:
            told = "is gone" if now is None else f"is named {now.name!r} by now"
            raise InvalidInputError(f"column {name!r} of the DataFrame {told}: {_AGAIN}")
        below = _below(field.field_type)
        is_same = (
            type(now.field_type) is type(field.field_type) if below else now.field_type == field.field_type
        )
        if not is_same or (field.required and not now.required):
            was, by_now = (
                f"{'required' if each.required else 'optional'} {each.field_type}" for each in (field, now)
            )
            raise InvalidInputError(
                f"column {name!r} of the DataFrame is {was}, and {by_now} by now: {_AGAIN}"
            )
        _check_fields(below, _below(now.field_type), f"{name}.")

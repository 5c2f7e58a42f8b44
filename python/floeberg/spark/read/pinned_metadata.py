"""Which snapshot does a DataFrame read whose options name none?

Spark asks for the schema when a DataFrame or a view is made. It plans later, once or several times. The first planning
pins the newest metadata file for all of them, so that both sides of a self-join read the same rows.

Invariant: the columns are those of the schema that Spark was given, by field id.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError
from floeberg.spark.session.local_dir import local_dir
from floeberg.types._schema import children, walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.types import NestedField, Schema

__all__ = ["can_pin", "check_same_columns", "pin_metadata", "pinned_metadata"]

_RELOAD = "load the table again, or create the view again"


def can_pin() -> bool:
    """Whether this process can store which metadata file a DataFrame reads."""
    return local_dir() is not None


def pinned_metadata(load: str) -> str | None:
    """The metadata file that is pinned for a DataFrame; `None` where none is."""
    pin = _pin_file(load)
    try:
        return None if pin is None else pin.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def pin_metadata(load: str, metadata_location: str) -> str:
    """Pins the metadata file of a DataFrame, unless another one is pinned.

    Returns:
        The one that is pinned now.

    Raises:
        OSError: It cannot be stored.
    """
    pin = _pin_file(load)
    if pin is None:
        return metadata_location
    pin.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=pin.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(metadata_location)
        try:
            # Whole or not at all, and only for the first.
            os.link(temporary, pin)
        except FileExistsError:
            return pin.read_text(encoding="utf-8")
    finally:
        Path(temporary).unlink()
    return metadata_location


def check_same_columns(expected: Schema, columns: Schema, now: Schema, selected: Schema) -> None:
    """Does a table still have the columns of a DataFrame?

    Args:
        expected: The columns of the DataFrame.
        columns: All columns of the table when the DataFrame was made.
        now: All columns of the table now.
        selected: The columns that would be read now.

    Raises:
        InvalidInputError: A column was dropped or changed, or its name belongs to another column.
    """
    known = dict(walk(now.fields))
    for name, field in walk(columns.fields):
        if known.get(name, field).field_id != field.field_id:
            raise InvalidInputError(
                f"column {name!r} is not the column that it was when the DataFrame was made: {_RELOAD}"
            )
    _check_fields(expected.fields, selected.fields, "")


def _pin_file(load: str) -> Path | None:
    folder = local_dir()
    return None if folder is None else folder / "pinned" / load


def _check_fields(expected: Sequence[NestedField], found: Sequence[NestedField], parent: str) -> None:
    by_id = {field.field_id: field for field in found}
    for field in expected:
        name = f"{parent}{field.name}"
        now = by_id.get(field.field_id)
        if now is None or now.name != field.name:
            what = "was dropped" if now is None else f"is named {now.name!r} now"
            raise InvalidInputError(f"column {name!r} of the DataFrame {what}: {_RELOAD}")
        below = children(field.field_type)
        is_same = (
            type(now.field_type) is type(field.field_type) if below else now.field_type == field.field_type
        )
        if not is_same or (field.required and not now.required):
            was, by_now = (
                f"{'required' if each.required else 'optional'} {each.field_type}" for each in (field, now)
            )
            raise InvalidInputError(
                f"column {name!r} of the DataFrame is {was}, and in the table {by_now} now: {_RELOAD}"
            )
        _check_fields(below, children(now.field_type), f"{name}.")

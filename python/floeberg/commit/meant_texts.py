"""May a text that is given as a new value be meant as an expression?

A text is a literal. Who comes from SQL or delta-rs writes expressions as texts, and would fill the column with their
words.

Invariant: a text that names columns as an expression does is refused, and the error says how to write either.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import cast

from floeberg import _native
from floeberg._arguments import checked_text
from floeberg.errors import InvalidInputError

__all__ = ["check_text_is_meant"]

_SIDES = ("source.", "target.")


def check_text_is_meant(argument: str, name: str, value: object, columns: Collection[str]) -> None:
    """Checks that a new value has no text that a user may have meant as an expression.

    Args:
        argument: The argument that has the value, for the error.
        name: The column that gets the value.
        value: The value. Texts in it are looked at, too.
        columns: The columns that an expression could name.

    Raises:
        InvalidInputError: It has one.
    """
    for text in _texts(value):
        found = _native.value_columns(checked_text(argument, text))
        if found is None:
            continue
        if all(each in columns for each in found) or any(each.startswith(_SIDES) for each in found):
            shown = repr(text if len(text) <= 100 else f"{text[:100]}...")  # noqa: PLR2004 - characters
            of_column = f"fb.col({text!r}) or " if found == [text] else ""
            raise InvalidInputError(
                f"{argument}: the new value of {name!r} is the text {shown}, which reads as an expression of columns: "
                f"write {of_column}fb.sql_expr({shown}) for its values, or fb.lit({shown}) for the text itself"
            )


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts: list[object] = []
    if isinstance(value, Mapping):
        parts = list(cast("Mapping[object, object]", value).values())
    elif isinstance(value, (list, tuple)):
        parts = list(cast("list[object]", value))
    return [text for part in parts for text in _texts(part)]

"""Which columns does a text with commas name?

In: the value of an option, such as `id,"first, second"`. Out: the names.
"""

from __future__ import annotations

import csv

from floeberg.errors import InvalidInputError

__all__ = ["column_names"]


def column_names(option: str, text: str) -> list[str]:
    """The names. One with a comma stands in quotes, as in CSV; spaces around names are left out.

    Raises:
        InvalidInputError: A quote is not closed.

    Examples:
        >>> column_names("--columns", 'id, "a,b", say "hi"')
        ['id', 'a,b', 'say "hi"']
    """
    try:
        rows = list(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error as failure:
        raise InvalidInputError(
            f'{option}: expected names with commas between them, and such with a comma in quotes ("a,b"), '
            f"found {text!r}: {failure}"
        ) from None
    return [each.strip() for each in (rows[0] if rows else [])] or [""]

"""Which columns do the folders of files have, and of which type?

In: paths of files below a folder, as Hive and Spark write them: `day=2026-11-28/part-0.parquet`. Out: the columns of
the partitions, in the order of the folders.

Invariant: all files have the same folders. A type is chosen only where every value is written as that type writes it,
so that no value changes; text is the type of everything else.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

__all__ = ["NULL", "folder_values", "hive_columns"]

NULL: Final = "__HIVE_DEFAULT_PARTITION__"
"""The value of a folder that is null."""

_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]{0,17}")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def folder_values(path: str) -> dict[str, str | None]:
    """The values of the folders that a file is in, by name; `None` is null.

    Args:
        path: The path of the file below the folder of its table.

    Raises:
        InvalidInputError: Two folders have one name, or a name is empty.
    """
    found: dict[str, str | None] = {}
    for part in path.split("/")[:-1]:
        name, equals, value = part.partition("=")
        if not equals:
            continue
        name, value = unquote(name), unquote(value)
        if not name or name in found:
            what = f"two values of {name!r}" if name else "a value without a name"
            raise InvalidInputError(
                f"the folders of a file have {what}: expected names, each once", context={"path": path}
            )
        found[name] = None if value == NULL else value
    return found


def hive_columns(folder: str, files: Iterable[str]) -> dict[str, pa.DataType]:
    """The columns of the folders.

    Args:
        folder: The folder of the table.
        files: Its files.

    Raises:
        InvalidInputError: The files are in folders of other names.
    """
    values: dict[str, set[str | None]] = {}
    names: list[str] | None = None
    first = ""
    for file in files:
        found = folder_values(file[len(folder) + 1 :])
        if names is None:
            names, first = list(found), file
            values = {name: set() for name in names}
        elif list(found) != names:
            raise InvalidInputError(
                f"the files are in folders of other names: expected {_named(names)} as of {first}, found "
                f"{_named(list(found))}. Move the file, or take over each folder by itself",
                context={"path": file},
            )
        for name, value in found.items():
            values[name].add(value)
    return {name: _type_of(found) for name, found in values.items()}


def _named(names: list[str]) -> str:
    return "/".join(f"{name}=.." for name in names) or "no folders name=value"


def _type_of(values: set[str | None]) -> pa.DataType:
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    known = [value for value in values if value is not None]
    if known and all(_INTEGER.fullmatch(value) for value in known):
        return pa.int64()
    if known and all(_is_date(value) for value in known):
        return pa.date32()
    return pa.string()


def _is_date(value: str) -> bool:
    if _DATE.fullmatch(value) is None:
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True

"""In which partition is a file of a Delta table?

In: a file, with its values in the log. Out: the values that its folders do not say.

Invariant: where the name of a folder says a value of a partition column, it says the value of the log.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from floeberg.errors import InvalidDataError, UnsupportedError
from floeberg.takeover.hive_folders import folder_values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from floeberg.takeover.delta_log import DeltaFile

__all__ = ["values_beside_folders"]

_READ: Final[dict[type, Callable[[str], object]]] = {
    str: str,
    bool: lambda text: {"true": True, "false": False}[text.lower()],
    int: int,
    float: float,
    Decimal: Decimal,
    date: date.fromisoformat,
    datetime: datetime.fromisoformat,
}


def values_beside_folders(file: DeltaFile, physical: Mapping[str, str]) -> dict[str, object]:
    """The partition values of a file that are not null, by column, that none of its folders says.

    Args:
        file: The file.
        physical: What columns are called in files, by their names.

    Raises:
        InvalidDataError: A folder and the log say different values.
        UnsupportedError: A folder says a time of a column with a zone, without one.
    """
    said = folder_values(file.path)
    found: dict[str, object] = {}
    for name, value in file.partition.items():
        keys = [key for key in dict.fromkeys((physical.get(name, name), name)) if key in said]
        for key in keys:
            _check_agrees(file, name, said[key], value)
        if value is not None and not keys:
            found[name] = value
    return found


def _check_agrees(file: DeltaFile, name: str, text: str | None, value: object) -> None:
    where = {"path": file.path}
    if isinstance(value, datetime) and value.tzinfo is not None and text is not None and not _has_zone(text):
        raise UnsupportedError(
            f"the folders of the Delta table have times of the column {name!r} without a zone, and the column has "
            "one, so "
            "engines read them differently: copy its rows by deltalake's `scan`",
            context=where,
        )
    try:
        read = text if text is None or value is None else _READ[type(value)](text)
    except (KeyError, ValueError, ArithmeticError):
        read = text
    if read != value:
        raise InvalidDataError(
            f"the folder of a file says {text!r} of the column {name!r}, and the log of the Delta table says "
            f"{value!r}: "
            "expected one value. Write the file again",
            context=where,
        )


def _has_zone(text: str) -> bool:
    return text.endswith("Z") or "+" in text

"""What do Parquet files say of their columns?

In: locations. Out: for each file its size and a description, which files of the same columns share.

Invariant: nothing is kept between two calls: a table made anew may have other files at the same locations.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg import _native

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.scan.scan_protocol import PlannedScan

__all__ = ["StoredColumn", "StoredFile", "StoredShape", "stored_files"]


@dataclass(frozen=True)
class StoredColumn:
    """A column of a file, or a part of one.

    Args:
        name: Its name in the file.
        field_id: Its field id; `None` where the file says none.
        repetition: `required`, `optional` or `repeated`.
        stored: The physical type; `None` for a group.
        means: The annotation, by the words of Iceberg's types where they mean the same; `None` without one.
        unusual: Codecs and encodings that not every reader has.
        columns: The parts of a group.
    """

    name: str
    field_id: int | None
    repetition: str
    stored: str | None
    means: str | None
    unusual: tuple[str, ...]
    columns: tuple[StoredColumn, ...]


@dataclass(frozen=True)
class StoredShape:
    """The columns that files have in common.

    Args:
        number: Distinguishes this shape from the others of the same call.
        columns: The columns.
        legacy_calendar: Whether Spark would move the dates and times of the file, as those of Spark 2.
        error: Why the footer could not be read.
    """

    number: int
    columns: tuple[StoredColumn, ...] = ()
    legacy_calendar: bool = False
    error: str | None = None


@dataclass(frozen=True)
class StoredFile:
    """A file as it is stored.

    Args:
        shape: Its columns.
        size: Its bytes.
    """

    shape: StoredShape
    size: int


def stored_files(scan: PlannedScan, locations: Sequence[str]) -> list[StoredFile]:
    """What the footers of files say, in the order of the files."""
    if not locations:
        return []
    different = list(dict.fromkeys(locations))
    files, texts = _native.parquet_shapes(scan._inner, different)  # noqa: SLF001 - the package's own
    shapes = [_shape(number, text) for number, text in enumerate(texts)]
    found = {
        location: StoredFile(shapes[number], size)
        for location, (number, size) in zip(different, files, strict=True)
    }
    return [found[each] for each in locations]


def _shape(number: int, text: str) -> StoredShape:
    said = json.loads(text)
    return StoredShape(
        number,
        tuple(map(_column, said.get("columns", ()))),
        said.get("legacy_calendar", False),
        said.get("error"),
    )


def _column(said: dict[str, Any]) -> StoredColumn:
    return StoredColumn(
        said["name"],
        said["id"],
        said["repetition"],
        said.get("stored"),
        said["means"],
        tuple(said.get("unusual", ())),
        tuple(map(_column, said.get("columns", ()))),
    )

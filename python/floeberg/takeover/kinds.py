"""What is a source: files, a Delta table or a Lance table?

In: a location. Out: its kind, by the folders in it.

Invariant: a folder that is two tables, or a table of Iceberg already, is an error. Nothing is guessed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from floeberg import _native
from floeberg.errors import InvalidInputError, NoSuchTableError, TableAlreadyExistsError, UnsupportedError
from floeberg.takeover.listing import entries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.takeover.result import SourceFormat

__all__ = ["checked_kind"]

_LOGS: Final[dict[str, SourceFormat]] = {"_delta_log": "delta", "_versions": "lance"}
_METADATA: Final = "metadata"


def checked_kind(location: str, options: Mapping[str, str]) -> SourceFormat:
    """The kind of a source.

    Raises:
        NoSuchTableError: There is no such folder, or it is empty.
        TableAlreadyExistsError: It is a table of Iceberg already.
        InvalidInputError: It is two tables, or a file.
        UnsupportedError: It is a Hudi table.
    """
    where = {"path": location}
    if _native.file_exists(location, storage_options=dict(options)):
        raise InvalidInputError(
            "the source is a file: expected the folder of a table. Add one file to a table by table.add_files",
            context=where,
        )
    listed = entries(location, options)
    if not listed:
        raise NoSuchTableError("the source is an empty folder, or there is none", context=where)
    folders = {name for name, is_folder in listed if is_folder}
    kinds = [kind for folder, kind in _LOGS.items() if folder in folders]
    if _METADATA in folders and _is_iceberg(f"{location}/{_METADATA}", options):
        also = f", and of {kinds[0]} too" if kinds else ""
        raise TableAlreadyExistsError(
            f"the source is a table of Iceberg already{also}: open it with open_table, or register its newest metadata "
            "file with catalog.register_table",
            context=where,
        )
    if ".hoodie" in folders:
        raise UnsupportedError(
            "the source is a Hudi table, whose files cannot be taken over: read its rows with Spark, and append them "
            "to a table",
            context=where,
        )
    if len(kinds) > 1:
        raise InvalidInputError(
            f"the folder is a table of {' and of '.join(kinds)}: expected one. Move the log of the other one away",
            context=where,
        )
    return kinds[0] if kinds else "files"


def _is_iceberg(folder: str, options: Mapping[str, str]) -> bool:
    names = (name for name, is_folder in entries(folder, options) if not is_folder)
    return any(name.endswith((".metadata.json", ".metadata.json.gz")) for name in names)

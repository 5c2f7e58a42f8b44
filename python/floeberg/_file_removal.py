"""Which files may be removed because metadata names them?

Metadata of others may name any file. Only files below the table's own locations belong to it.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Final

from floeberg._secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg import _native

__all__ = ["log_kept_files", "own_folders"]

_LOG = logging.getLogger("floeberg.catalog")
_PATHS: Final = (
    "write.data.path",
    "write.metadata.path",
    "write.object-storage.path",
    "write.folder-storage.path",
)
"""Properties that name places of a table's files, former names among them."""

_ABSOLUTE: Final = re.compile(r"/|[A-Za-z][A-Za-z0-9+.-]+:/|[A-Za-z]:[\\/]")
_SHOWN: Final = 3


def own_folders(table: _native.Table) -> list[str]:
    """The folders of a table's files, by its location and properties. A relative one is in the first of them."""
    paths = (table.properties.get(key, "") for key in _PATHS)
    return [table.location, *(path for path in paths if _ABSOLUTE.match(path))]


def log_kept_files(left: Sequence[str], table: _native.Table) -> None:
    """Logs which files were kept since they are outside of the table's folders."""
    if not left:
        return
    shown = ", ".join(left[:_SHOWN]) + (", ..." if len(left) > _SHOWN else "")
    _LOG.warning(
        "kept %d files that are outside of the locations of the table at %s, though its metadata names them: %s",
        len(left),
        without_secrets(table.location),
        without_secrets(shown),
    )

"""Which files are at a place, whatever store it is in?"""

from __future__ import annotations

from floeberg import _native
from floeberg.errors import NotFoundError


def files_in(folder: str) -> list[str]:
    """The files in a folder, at any depth."""
    try:
        entries = _native.list_folder(folder, storage_options={})
    except NotFoundError:
        return []
    found = [f"{folder}/{name}" for name, is_folder in entries if not is_folder]
    return found + [path for name, is_folder in entries if is_folder for path in files_in(f"{folder}/{name}")]

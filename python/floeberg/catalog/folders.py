"""How are folders listed, made and removed?

Local file systems have folders. Object stores have names only: there a file marks an empty folder.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from floeberg import _native
from floeberg._folder_errors import folder_errors
from floeberg.errors import (
    NotFoundError,
    UnsupportedError,
)

__all__ = ["Folders"]

_MARKER = ".folder"


@dataclass(frozen=True, repr=False)
class Folders:
    """The folders of a storage.

    Args:
        storage_options: The storage options.
    """

    storage_options: dict[str, str]

    def is_there(self, location: str) -> bool:
        """Whether a folder exists."""
        path = _native.local_path(location)
        return _is_folder(Path(path)) if path is not None else bool(self._entries(location))

    def inside(self, location: str) -> list[str]:
        """The names of the folders in a folder; empty where it does not exist."""
        return [name for name, is_folder in self._entries(location) if is_folder]

    def files_in(self, location: str) -> list[str]:
        """The names of the files in a folder; empty where it does not exist."""
        return [name for name, is_folder in self._entries(location) if not is_folder and name != _MARKER]

    def check_no_link(self, location: str) -> None:
        """Raises `UnsupportedError` where a folder is a link, before anything in it is removed."""
        path = _native.local_path(location)
        if path is not None and Path(path).is_symlink():
            target = str(Path(path).readlink())
            raise UnsupportedError(
                f"the folder is a link to {target!r}, and links are not followed: remove the target, then the link",
                context={"path": location},
            )

    def make(self, location: str) -> None:
        """Creates a folder and its parents, durably."""
        path = _native.local_path(location)
        if path is None:
            _native.put_file(f"{location}/{_MARKER}", b"", storage_options=self.storage_options)
            return
        made: list[Path] = []
        with folder_errors(location):
            folder = Path(path)
            while not folder.is_dir():
                made.append(folder)
                folder = folder.parent
            Path(path).mkdir(parents=True, exist_ok=True)
            for each in made:
                _sync(each.parent)

    def remove_empty(self, location: str) -> None:
        """Removes an empty folder, durably. Raises where it has entries."""
        path = _native.local_path(location)
        if path is None:
            _native.remove_files([f"{location}/{_MARKER}"], storage_options=self.storage_options)
            return
        with folder_errors(location):
            Path(path).rmdir()
            _sync(Path(path).parent)

    def remove_all(self, location: str) -> None:
        """Removes a folder and everything in it. Links are removed, not followed."""
        path = _native.local_path(location)
        if path is not None:
            with folder_errors(location), contextlib.suppress(FileNotFoundError):
                shutil.rmtree(path)
                _sync(Path(path).parent)
            return
        entries = self._entries(location)
        for name in (name for name, is_folder in entries if is_folder):
            self.remove_all(f"{location}/{name}")
        files = [f"{location}/{name}" for name, is_folder in entries if not is_folder]
        _native.remove_files(files, storage_options=self.storage_options)

    def _entries(self, location: str) -> list[tuple[str, bool]]:
        try:
            return _native.list_folder(location, storage_options=self.storage_options)
        except NotFoundError:
            return []


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        # A name that no folder can have.
        return False


def _sync(folder: Path) -> None:
    """Makes the names in a folder durable, where the system supports it."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

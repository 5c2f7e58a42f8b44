"""Which files does the folder of a source have?

In: a folder. Out: its files, those of folders in it too, in the order of their names.

Invariant: names that engines hide are left out, as `add_files` does. A local file that is a link to outside of the
folder is an error: whoever wrote the folder does not decide about other files.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from floeberg import _native
from floeberg.errors import InvalidInputError, LimitExceededError, NoSuchTableError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["check_inside", "entries", "files_below", "has_files"]

_DEEPEST: Final = 100


def entries(folder: str, options: Mapping[str, str]) -> list[tuple[str, bool]]:
    """The names in a folder, and whether each is a folder. A folder that does not exist has none."""
    try:
        return _native.list_folder(folder, storage_options=dict(options))
    except NotFoundError:
        return []


def has_files(folder: str, options: Mapping[str, str], depth: int = 0) -> bool:
    """Whether a folder, or one in it, has a file. What is nested too deep counts as one."""
    listed = entries(folder, options)
    return depth > _DEEPEST or any(
        not is_folder or has_files(f"{folder}/{name}", options, depth + 1) for name, is_folder in listed
    )


def files_below(folder: str, options: Mapping[str, str]) -> list[str]:
    """The files.

    Raises:
        NoSuchTableError: There are none.
        InvalidInputError: A link leads out of the folder.
        LimitExceededError: Folders are nested too deep.
    """
    files: list[str] = []
    folders = [folder]
    for _ in range(_DEEPEST):
        below: list[str] = []
        for each in folders:
            for name, is_folder in entries(each, options):
                if not _is_hidden(name):
                    (below if is_folder else files).append(f"{each}/{name}")
        folders = below
        if not folders:
            break
    else:
        raise LimitExceededError(
            f"folders are nested more than {_DEEPEST} levels deep", context={"path": folders[0]}
        )
    if not files:
        raise NoSuchTableError(
            "the folder has no files to take over: files whose names begin with _ or . are left out",
            context={"path": folder},
        )
    check_inside(folder, files)
    return sorted(files)


def check_inside(folder: str, files: Iterable[str]) -> None:
    """Checks that local files are in a folder, whatever links lead to them.

    Raises:
        InvalidInputError: One is not.
    """
    place = _native.local_path(folder)
    if place is None:
        return
    real = os.path.realpath(place).rstrip("/") + "/"
    for file in files:
        local = _native.local_path(file)
        if local is None or not os.path.realpath(local).startswith(real):
            raise InvalidInputError(
                "a file of the source is outside of its folder, or a link to outside: copy the file into the folder "
                "first",
                context={"path": file, "folder": folder},
            )


def _is_hidden(name: str) -> bool:
    """Whether it is a file that engines keep beside data, or the list of checksums of an export."""
    if name == "SHA256SUMS":
        return True
    return name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_")

"""Are the files of an export those that were written?

In: a folder. Out: the list of checksums of its files, in the form of `sha256sum`; and whether files still have them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from floeberg._arguments import checked_path
from floeberg._display import facts_html
from floeberg.errors import InvalidDataError, NotFoundError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

__all__ = ["CHECKSUMS", "ExportCheck", "checksums_text", "verify_export"]

CHECKSUMS: Final = "SHA256SUMS"
"""The file of checksums."""

_PIECE: Final = 1 << 20
_DIGITS: Final = 64


@dataclass(frozen=True)
class ExportCheck:
    """What a comparison of files with their checksums found.

    Attributes:
        files: The files of the list.
        changed: Those with other bytes.
        missing: Those that are gone.
        unlisted: Files in the folder that the list does not have.
    """

    files: int
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    unlisted: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Whether all files are there as they were written, and no other."""
        return not (self.changed or self.missing or self.unlisted)

    def _repr_html_(self) -> str:
        facts = {
            "files": f"{self.files:,}",
            "changed": ", ".join(self.changed) or None,
            "missing": ", ".join(self.missing) or None,
            "unlisted": ", ".join(self.unlisted) or None,
        }
        return facts_html(f"ExportCheck: {'whole' if self.is_whole else 'not whole'}", facts)


def verify_export(folder: str | os.PathLike[str]) -> ExportCheck:
    """Compares the files of an export with their checksums.

    `sha256sum -c SHA256SUMS` in the folder does the same, but for files that the list does not have.

    Args:
        folder: The folder, on this machine.

    Returns:
        What was found.

    Raises:
        NotFoundError: The folder has no list: the export was made without, or is no whole one.
        InvalidDataError: The list is damaged.

    Examples:
        >>> _ = orders.append(pa.table({"id": [1, 2]}))
        >>> _ = fb.export_table(orders, f"{folder}/exported")
        >>> fb.verify_export(f"{folder}/exported").is_whole
        True
    """
    place = Path(checked_path("folder", folder))
    try:
        text = (place / CHECKSUMS).read_bytes().decode()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFoundError(
            f"the list of checksums {CHECKSUMS} is missing: the export was made without one, or was not finished",
            context={"path": str(place)},
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidDataError("the list of checksums is damaged", context={"path": str(place)}) from error
    listed = dict(_read_line(line, place) for line in text.split("\n") if line)
    missing = [name for name in listed if not (place / name).is_file()]
    changed = [
        name for name, digest in listed.items() if name not in missing and _digest(place / name) != digest
    ]
    unlisted = [name for name in _files_in(place) if name not in listed and name != CHECKSUMS]
    return ExportCheck(len(listed), tuple(changed), tuple(missing), tuple(unlisted))


def checksums_text(folder: Path) -> str:
    """The list of checksums of all files in a folder, and in folders in it."""
    return "".join(_line(name, _digest(folder / name)) for name in _files_in(folder))


def _files_in(folder: Path) -> Iterable[str]:
    return sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file())


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _line(name: str, digest: str) -> str:
    """A line as `sha256sum` writes it: with a backslash before the digest where the name has escapes."""
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    return f"{'' if escaped == name else chr(92)}{digest}  {escaped}\n"


def _read_line(line: str, folder: Path) -> tuple[str, str]:
    """The name of a file and its digest.

    Raises:
        InvalidDataError: It is no such line, or the name leads out of the folder.
    """
    is_escaped = line.startswith("\\")
    digest, separator, name = line.removeprefix("\\").partition("  ")
    if is_escaped:
        marks = {"n": "\n", "r": "\r", "\\": "\\"}
        pieces = name.split("\\\\")
        name = "\\".join(each.replace("\\n", marks["n"]).replace("\\r", marks["r"]) for each in pieces)
    is_digest = len(digest) == _DIGITS and all(each in "0123456789abcdef" for each in digest)
    parts = name.split("/")
    if not separator or not is_digest or not name or name.startswith("/") or ".." in parts or "\0" in name:
        raise InvalidDataError(
            f"the list of checksums is damaged: expected a digest and the name of a file in the folder, found {line!r}",
            context={"path": str(folder / CHECKSUMS)},
        )
    return name, digest

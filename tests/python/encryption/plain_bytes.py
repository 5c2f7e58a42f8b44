"""What of a table's rows and names is in the bytes of its folder?

In: marks that stand in the rows and in the names of a table, and nowhere else. Out: the files that have one, in any
form in which a file could have it: as text, in base64, in hexadecimal, or as the bytes of a number. Files are read
after each step of a history, so that those which a later step removes are read too.
"""

from __future__ import annotations

import base64
import gzip
import struct
from dataclasses import dataclass, field
from pathlib import Path

ENCRYPTED = (b"AGS1", b"PARE")
"""What an AES GCM stream, and a Parquet file with an encrypted footer, begin with."""


Mark = str | float | bytes


def forms(mark: Mark) -> set[bytes]:
    """The bytes that a value, or a part of all values, may be written as."""
    if isinstance(mark, str):
        raw = {mark.encode()}
        shifted = {base64.b64encode(b"x" * shift + mark.encode())[4:-4] for shift in range(3)}
        return raw | shifted | {mark.encode().hex().encode()}
    if isinstance(mark, float):
        return {struct.pack(order, mark) for order in ("<d", ">d")} | {repr(mark).encode()}
    return {mark, mark.hex().encode()}


def is_left_plain(path: Path) -> bool:
    """Does the specification leave it plain: metadata, the hint of the newest version, what a catalog keeps?"""
    return path.name.endswith((".metadata.json", ".metadata.json.gz")) or path.name == "version-hint.text"


@dataclass
class Watched:
    """The folder of a table.

    Attributes:
        folder: The folder.
        values: Marks of rows.
        names: Marks of columns.
        seen: Files that were read, and the bytes they began with.
    """

    folder: Path
    values: list[Mark]
    names: list[str]
    seen: dict[Path, bytes] = field(default_factory=dict)

    def look(self, step: str) -> None:
        """Read every file that was not read yet; fails where one has a mark."""
        values = {form for mark in self.values for form in forms(mark)}
        names = {form for mark in self.names for form in forms(mark)}
        for path in sorted(self.folder.rglob("*")):
            if not path.is_file() or path in self.seen:
                continue
            content = path.read_bytes()
            self.seen[path] = content[:4]
            shown = str(path.relative_to(self.folder)).encode()
            found = [mark for mark in values | names if mark in shown]
            assert not found, f"after {step}, the path {shown!r} has {found}"
            if is_left_plain(path):
                text = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
                found = [mark for mark in values if mark in text]
            else:
                # What is compressed hides its marks: so every file must say that it is encrypted, too.
                assert not content or content[:4] in ENCRYPTED, (
                    f"after {step}, {path} begins with {content[:4]!r}"
                )
                found = [mark for mark in values | names if mark in content]
            assert not found, f"after {step}, {path} has {found}"

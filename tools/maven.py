"""Jars of Maven Central, each pinned by its SHA-256 and downloaded once."""

from __future__ import annotations

import hashlib
import urllib.request
from pathlib import Path

from one_at_a_time import one_at_a_time

CENTRAL = "https://repo1.maven.org/maven2"
_AT_ONCE = 1 << 20


def jar(folder: Path, place: str, sha256: str) -> Path:
    """A jar, downloaded where it is not there.

    Raises:
        OSError: It cannot be had.
        ValueError: It is not the one that was pinned.
    """
    path = folder / place.rpartition("/")[2]
    with one_at_a_time(folder):
        if not path.exists():
            unfinished = path.with_suffix(".part")
            urllib.request.urlretrieve(f"{CENTRAL}/{place}", unfinished)
            unfinished.rename(path)
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(_AT_ONCE):
            digest.update(part)
    if digest.hexdigest() != sha256:
        path.unlink()
        raise ValueError(f"{place} is not the file that was pinned by its SHA-256")
    return path

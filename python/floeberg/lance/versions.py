"""What are the versions, tags and branches of a Lance table?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg._timestamps import moment_of

if TYPE_CHECKING:
    from datetime import datetime

    from floeberg._native.lance import _VersionParts

__all__ = ["LanceBranch", "LanceTag", "LanceVersion", "version_of"]


@dataclass(frozen=True)
class LanceVersion:
    """A version of a table.

    Attributes:
        version: Its number.
        timestamp: When it was made, in UTC; `None` if the manifest does not say it.
        written_by: The library that wrote it, and its version.
    """

    version: int
    timestamp: datetime | None
    written_by: str | None


@dataclass(frozen=True)
class LanceTag:
    """A name for a version.

    Attributes:
        name: The name.
        version: The version.
        branch: The branch of the version; `None` is the main one.
    """

    name: str
    version: int
    branch: str | None


@dataclass(frozen=True)
class LanceBranch:
    """A line of versions beside the main one.

    Attributes:
        name: The name.
        parent_branch: The branch that it came from; `None` is the main one.
        parent_version: The version that it came from.
        created_at: When it was made, in UTC.
    """

    name: str
    parent_branch: str | None
    parent_version: int
    created_at: datetime | None


def version_of(parts: _VersionParts) -> LanceVersion:
    """The version that Rust describes."""
    number, moment, writer, _ = parts
    return LanceVersion(
        number,
        None if moment is None else moment_of(moment),
        None if writer is None else " ".join(part for part in writer if part),
    )

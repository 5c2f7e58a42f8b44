"""What are the versions, tags and branches of a Lance table?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg._display import rows_html, shown
from floeberg._timestamps import moment_of

if TYPE_CHECKING:
    from datetime import datetime

    from floeberg._native.lance import _VersionParts

__all__ = ["LanceBranch", "LanceTag", "LanceVersion", "LanceVersions", "version_of"]


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        return f"LanceVersion({', '.join(self._parts())})"

    def _parts(self) -> list[str]:
        writer = "an unknown writer" if self.written_by is None else shown(self.written_by)
        return [str(self.version), _moment_shown(self.timestamp), f"by {writer}"]


class LanceVersions(list[LanceVersion]):
    """Versions of a table. It is a list that shows each version on a line of its own."""

    def __repr__(self) -> str:
        lines = [" | ".join(each._parts()) for each in self]  # noqa: SLF001 - their own
        return "\n".join([f"{len(self)} versions", *lines])

    def _repr_html_(self) -> str:
        return rows_html(("version", "timestamp", "written by"), (each._parts() for each in self))  # noqa: SLF001


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


@dataclass(frozen=True, repr=False)
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

    def __repr__(self) -> str:
        parent = "main" if self.parent_branch is None else shown(self.parent_branch)
        made = _moment_shown(self.created_at)
        return f"LanceBranch({shown(self.name)}, from {parent} at version {self.parent_version}, {made})"


def version_of(parts: _VersionParts) -> LanceVersion:
    """The version that Rust describes."""
    number, moment, writer, _ = parts
    return LanceVersion(
        number,
        None if moment is None else moment_of(moment),
        None if writer is None else " ".join(part for part in writer if part),
    )


def _moment_shown(moment: datetime | None) -> str:
    return "at an unknown time" if moment is None else moment.isoformat(" ", "milliseconds")

"""What did a rebuild find, and what did it leave out?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from floeberg.maintenance.results.base import Result

if TYPE_CHECKING:
    from floeberg.table import Table

__all__ = ["LeftContent", "LeftFile", "PassedOverFile", "RebuildResult", "RebuildSource"]

LeftContent = Literal["data", "position deletes", "equality deletes"]
RebuildSource = Literal["metadata", "manifest-list", "manifests", "files"]


@dataclass(frozen=True)
class PassedOverFile:
    """A metadata file, manifest list or manifest that could not be used.

    Attributes:
        location: Where it is.
        reason: Why it could not be used.
    """

    location: str
    reason: str


@dataclass(frozen=True)
class LeftFile:
    """A data file or delete file that a manifest of the old table says something about.

    Attributes:
        location: Where it is.
        content: `data`, `position deletes` or `equality deletes`. Deletion vectors are position deletes.
        rows: Its rows; of delete files, its deletes.
        reason: Why it is named, and whether it is live.
    """

    location: str
    content: LeftContent
    rows: int
    reason: str


@dataclass(frozen=True, repr=False)
class RebuildResult(Result):
    """A table that was made of what is left of another one, and how it was found.

    Attributes:
        table: The new table; `None` for a dry run.
        metadata_location: Its metadata file; `None` for a dry run.
        source: What said which files are live: `metadata`, `manifest-list`, `manifests` or `files`. With `manifests`
            and `files`, the caller named them.
        source_files: The metadata file, manifest lists or manifests that said so.
        snapshot_id: The snapshot of the old table that the new one stands on; `None` where it stands on none.
        passed_over: The metadata files, manifest lists and manifests that could not be used, and manifest lists that
            are later than all metadata that can be read.
        data_files: How many data files are live.
        delete_files: How many delete files and deletion vectors are live.
        rows: The rows of the live data files. Rows that are deleted count too.
        unproven: Files that other manifests list or remove, where nothing proves that this was committed; files that
            the caller left out, delete files too; and files that it named, and the metadata does not list any more.
        missing: Live files that are gone, and were left out.
        advice: What is better done, where the old table opens as it is; or, where the newest manifest list counts, that
            nothing proves that its snapshot was committed to `main`. `None` otherwise.
        dry_run: Whether nothing was written: the rest says what would be.
    """

    table: Table | None
    metadata_location: str | None
    source: RebuildSource
    source_files: tuple[str, ...] = ()
    snapshot_id: int | None = None
    passed_over: tuple[PassedOverFile, ...] = ()
    data_files: int = 0
    delete_files: int = 0
    rows: int = 0
    unproven: tuple[LeftFile, ...] = ()
    missing: tuple[LeftFile, ...] = ()
    advice: str | None = None
    dry_run: bool = False

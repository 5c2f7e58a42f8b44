"""How is a table in a folder mended whose newest metadata file is damaged, or gone?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_bool, checked_options, checked_path
from floeberg.maintenance.results.base import Result

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

__all__ = ["DamagedVersion", "FolderRepairResult", "LostSnapshot", "repair"]


@dataclass(frozen=True)
class DamagedVersion:
    """A version of a table in a folder whose metadata file cannot be read.

    Attributes:
        version: Its number.
        location: Its metadata file.
        message: What is wrong with it.
        moved_to: Where the file is moved to. It has the same bytes there. `None` for a folder, which is not moved.
    """

    version: int
    location: str
    message: str
    moved_to: str | None


@dataclass(frozen=True)
class LostSnapshot:
    """A snapshot that the newest whole version does not have, by its manifest list.

    Attributes:
        manifest_list: The manifest list, which stays.
        snapshot_id: The snapshot; `None` where the list does not say it.
        sequence_number: Its sequence number; `None` where the list does not say it, as in format version 1.
    """

    manifest_list: str
    snapshot_id: int | None
    sequence_number: int | None


@dataclass(frozen=True, repr=False)
class FolderRepairResult(Result):
    """What `floeberg.repair` found in a folder, and did.

    Attributes:
        version: The newest whole version, which is current now.
        metadata_location: Its metadata file.
        last_sequence_number: Its last sequence number.
        damaged: The damaged metadata files that are read before it, the newest version first.
        missing: The version that `version-hint.text` says, where it is above all that are there; else `None`.
        lost: The snapshots that may be lost with them. Those of commits that failed may be among them.
        dry_run: Whether nothing was done: the rest says what would be.
    """

    version: int
    metadata_location: str
    last_sequence_number: int
    damaged: tuple[DamagedVersion, ...] = ()
    missing: int | None = None
    lost: tuple[LostSnapshot, ...] = ()
    dry_run: bool = False


def repair(
    location: str | os.PathLike[str],
    *,
    drop_damaged_versions: bool = False,
    dry_run: bool = False,
    storage_options: Mapping[str, str] | None = None,
) -> FolderRepairResult:
    """Makes the newest whole version of a table in a folder current, if newer ones are damaged or gone.

    Readers and writers of such tables take the highest version that there is, whatever `version-hint.text` says. So a
    damaged file is moved aside: it is copied beside itself, under a name that no engine reads, the hint is written, and
    the file is removed. What its version committed is lost, unless the file can be restored. A version is gone where
    the hint says a higher one than there is. Other faults are mended by `Table.repair`, once the table opens.

    Args:
        location: The folder of the table.
        drop_damaged_versions: Whether damaged and missing versions are given up. Without it, they are an error.
        dry_run: Whether to say only what is damaged or missing, and what would be lost.
        storage_options: Options of the store.

    Returns:
        The versions, and the snapshots that may be lost. Where none is damaged, nothing is done.

    Raises:
        InvalidDataError: Versions are damaged or missing, and `drop_damaged_versions` was not given; the error names
            the snapshots that may be lost, with their sequence numbers. Or no version is whole, or the newest whole one
            has a lower sequence number than the one before it, or a folder has the name of a newer version.
        CommitConflictError: Another process mended the table meanwhile.
        InvalidInputError: A catalog knows the current metadata file.
        NotFoundError: No table is in the folder.
        UnsupportedError: The newest version is of a table that this release cannot read, or it is a view.

    Examples:
        >>> import tempfile
        >>> import pyarrow as pa
        >>> catalog = fb.load_catalog("mended", type="filesystem", warehouse=tempfile.mkdtemp())
        >>> catalog.create_namespace("ns")
        >>> made = catalog.create_table("ns.t", pa.schema({"id": pa.int64()}))
        >>> found = fb.repair(made.location())
        >>> found.version, found.damaged, found.lost
        (1, (), ())
    """
    version, metadata_location, sequence_number, damaged, missing, lost = _native.repair_folder(
        checked_path("location", location),
        drop_damaged_versions=checked_bool("drop_damaged_versions", drop_damaged_versions),
        dry_run=checked_bool("dry_run", dry_run),
        storage_options=checked_options("storage_options", storage_options),
    )
    return FolderRepairResult(
        version=version,
        metadata_location=metadata_location,
        last_sequence_number=sequence_number,
        damaged=tuple(DamagedVersion(*each) for each in damaged),
        missing=missing,
        lost=tuple(LostSnapshot(*each) for each in lost),
        dry_run=dry_run,
    )

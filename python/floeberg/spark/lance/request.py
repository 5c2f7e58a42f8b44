"""Which scan of a Lance table do the options of a read ask for?

Invariant: a request is pinned to a version, however often it is opened. A driver does not import pylance.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions import ALWAYS_TRUE
from floeberg.lance import LanceScan, LanceTable
from floeberg.table import open_table

if TYPE_CHECKING:
    from floeberg.spark.read.options import ReadSettings, ScanOptions

__all__ = ["LanceRequest", "is_lance_scan", "lance_scan_bytes"]

_ENVELOPE = b"LanceScan\0"


@dataclass(frozen=True)
class LanceRequest:
    """A scan as bytes, and how to read it.

    Args:
        scan: What `lance_scan_bytes` gave.
        settings: How to read it.
        follows_newest: Whether the newest version was read, and none that the user chose.
    """

    scan: bytes = field(repr=False)
    settings: ReadSettings
    follows_newest: bool = True

    @classmethod
    def of(cls, table: LanceTable, wanted: ScanOptions, settings: ReadSettings) -> LanceRequest:
        """The scan that options ask for, of a table that was opened at its newest version or at a time.

        Raises:
            InvalidInputError: An option names a column that the table lacks.
            NotFoundError: The version, tag or branch does not exist.
            UnsupportedError: An option is for tables of Iceberg.
        """
        for_iceberg = {
            "snapshot-id": wanted.snapshot_id,
            "start-snapshot-id": wanted.start_snapshot_id,
            "end-snapshot-id": wanted.end_snapshot_id,
        }
        refused = [name for name, value in for_iceberg.items() if value is not None]
        if refused:
            raise UnsupportedError(
                f"Lance tables have no snapshots: instead of the option {refused[0]!r}, use version, tag, branch or "
                "as-of-timestamp"
            )
        if any(each is not None for each in (wanted.version, wanted.tag, wanted.branch)):
            table = open_table(
                table.location,
                format="lance",
                relocate=wanted.locator.relocate,
                storage_options=wanted.locator.storage,
                version=wanted.version,
                tag=wanted.tag,
                branch=wanted.branch,
            )
        scan = table.scan(
            row_filter=ALWAYS_TRUE if wanted.filter is None else wanted.filter,
            selected_fields=wanted.columns or ("*",),
            case_sensitive=settings.case_sensitive,
        )
        follows_newest = wanted.follows_newest and wanted.version is None
        return cls(lance_scan_bytes(scan), settings, follows_newest)

    def open(self) -> LanceScan:
        """The scan. The manifest of its version is read."""
        return LanceScan(_native.LanceScan._from_recipe(self.scan))  # noqa: SLF001 - not by pickle: options are anyone's


def lance_scan_bytes(scan: LanceScan) -> bytes:
    """The recipe of a scan, which opens it in another process."""
    _, (recipe,) = scan._inner.__reduce__()  # noqa: SLF001 - the package's own
    return bytes(recipe)


def is_lance_scan(scan: bytes) -> bool:
    """Whether bytes are those of `lance_scan_bytes`."""
    return scan[4:].startswith(_ENVELOPE)


def check_iceberg(version: int | None) -> None:
    """Raises where an option for Lance tables is given for one of Iceberg."""
    if version is not None:
        raise InvalidInputError(
            "Iceberg tables have no versions: use snapshot-id, branch, tag or as-of-timestamp"
        )

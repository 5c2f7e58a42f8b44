"""Which scan of a Lance table do the options of a read ask for?

Invariant: a request is pinned to a version, however often it is opened. A driver does not import pylance.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions import ALWAYS_TRUE
from floeberg.lance import LanceScan, LanceTable, LanceTaskGroup
from floeberg.lance.page_options import BUDGET
from floeberg.spark.options.lance_version import lance_at
from floeberg.spark.read.branch_reads import BranchRead
from floeberg.spark.read.scan_request import scan_bytes
from floeberg.spark.session.arrow_types import arrow_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql.types import StructType

    from floeberg.spark.read.options import ReadSettings, ScanOptions

__all__ = ["LanceRequest", "checked_names", "is_lance_scan", "lance_batches"]

_ENVELOPE = b"LanceScan\0"


@dataclass(frozen=True)
class LanceRequest:
    """A scan as bytes, and how to read it.

    Args:
        scan: What `scan_bytes` gave.
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
        relocate = wanted.locator.relocate
        table = lance_at(
            table, branch=wanted.branch, relocate=relocate, version=wanted.version, tag=wanted.tag
        )
        scan = table.scan(
            row_filter=ALWAYS_TRUE if wanted.filter is None else wanted.filter,
            selected_fields=wanted.columns or ("*",),
            case_sensitive=settings.case_sensitive,
        )
        follows_newest = wanted.follows_newest and wanted.version is None
        return cls(scan_bytes(scan), settings, follows_newest)

    def struct(self) -> StructType:
        """The columns, as Spark shows them."""
        from floeberg.spark.read.types import scan_struct  # noqa: PLC0415 - it imports PySpark

        return scan_struct(self.open(), truncate_nanoseconds=self.settings.truncate_nanoseconds)

    def origin(self) -> BranchRead | None:
        """What an overwrite by a query that reads the scan is validated from; `None` where the user chose a version."""
        if not self.follows_newest:
            return None
        native = self.open()._inner  # noqa: SLF001 - the package's own
        return BranchRead(native.folder, "main", native.version)

    def open(self) -> LanceScan:
        """The scan. The manifest of its version is read."""
        return LanceScan(_native.LanceScan._from_recipe(self.scan))  # noqa: SLF001 - not by pickle: options are anyone's


def checked_names(own: StructType, wanted: StructType) -> tuple[str, ...]:
    """The columns of a Lance table that a schema asks for.

    Args:
        own: The columns of the scan.
        wanted: The user's schema.

    Raises:
        InvalidInputError: The schema has a column that the table lacks, or of another type.
    """
    known = {each.name: each for each in own}
    for each in wanted:
        found = known.get(each.name)
        if found is None:
            raise InvalidInputError(f"the table has no column {each.name!r}: it has {', '.join(known)}")
        if found.dataType != each.dataType or (found.nullable and not each.nullable):
            raise InvalidInputError(
                f"column {each.name!r}: expected {found.dataType.simpleString()}"
                f"{'' if found.nullable else ' not null'}, as the table has it, found "
                f"{each.dataType.simpleString()}{'' if each.nullable else ' not null'}"
            )
    return tuple(wanted.names)


def lance_batches(group: _native.LanceTaskGroup, wanted: StructType) -> Iterator[pa.RecordBatch]:
    """The rows of a group, in the Arrow types that Spark checks for. It alone uses pylance.

    Args:
        group: Fragments of a plan.
        wanted: The columns that come out.
    """
    import pyarrow as pa  # noqa: PLC0415 - planning needs none

    from floeberg.spark.read.lance_batches import to_spark_batch  # noqa: PLC0415 - the same

    BUDGET.is_task = True
    schema = arrow_schema(wanted)
    stream = LanceTaskGroup(group)._open()  # noqa: SLF001 - the package's own
    while (batch := stream.next_batch()) is not None:
        yield to_spark_batch(pa.record_batch(cast("Any", batch)), schema)


def is_lance_scan(scan: bytes) -> bool:
    """Whether bytes are those of `scan_bytes`."""
    return scan[4:].startswith(_ENVELOPE)


def check_iceberg(version: int | None) -> None:
    """Raises where an option for Lance tables is given for one of Iceberg."""
    if version is not None:
        raise InvalidInputError(
            "Iceberg tables have no versions: use snapshot-id, branch, tag or as-of-timestamp"
        )

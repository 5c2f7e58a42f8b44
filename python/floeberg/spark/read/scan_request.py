"""Which scan do the options of a read ask for?

Invariant: a request is pinned: however often it is opened, it reads the same snapshot with the same schema.
Only `planned` moves to a newer snapshot, once for all.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.errors import InvalidInputError, NotFoundError
from floeberg.expressions import ALWAYS_TRUE
from floeberg.scan import Scan
from floeberg.spark.read.pinned_metadata import can_pin, check_same_columns, pin_metadata, pinned_metadata
from floeberg.types._from_json import read_schema

if TYPE_CHECKING:
    from floeberg.lance import LanceScan
    from floeberg.spark.read.options import ReadSettings, ScanOptions
    from floeberg.table import Table

__all__ = ["ScanRequest", "scan_bytes"]


@dataclass(frozen=True)
class ScanRequest:
    """A scan as bytes, and how to read it.

    Args:
        scan: What `scan_bytes` gave.
        settings: How to read it.
        expectation: What must still hold of the table to read a newer snapshot; `None` where the user chose one.
    """

    scan: bytes = field(repr=False)
    settings: ReadSettings
    expectation: TableExpectation | None = field(default=None, repr=False)

    @classmethod
    def of(cls, table: Table, wanted: ScanOptions, settings: ReadSettings) -> ScanRequest:
        """The scan that options ask for, pinned to the metadata file of the table.

        Raises:
            InvalidInputError: An option names a column or ref that the table lacks.
            NotFoundError: The snapshot or ref does not exist.
        """
        scan = _scan(table, wanted, settings)
        expectation = TableExpectation.of(wanted, table, scan) if wanted.follows_newest else None
        return cls(scan_bytes(scan), settings, expectation)

    @property
    def is_changelog(self) -> bool:
        """Whether changes of rows are read, by a stream."""
        return self.expectation is not None and self.expectation.options.stream.changelog

    @property
    def stream_options(self) -> tuple[str, ...]:
        """The options that are for streams only."""
        return () if self.expectation is None else self.expectation.options.stream.given

    def planned(self) -> ScanRequest:
        """The request at the snapshot to plan: the user's, or the newest when the DataFrame is first planned.

        Raises:
            InvalidInputError: The table was replaced, or its columns are others now.
            NotFoundError: The table, snapshot or ref does not exist.
        """
        expectation = self.expectation
        if expectation is None or not can_pin():
            return self
        known = pinned_metadata(expectation.load)
        table = expectation.options.locator.open(metadata_location=known)
        if (
            known is None
            and (first := pin_metadata(expectation.load, table.metadata_location)) != table.metadata_location
        ):
            table = expectation.options.locator.open(metadata_location=first)
        if table.metadata_location == expectation.metadata_location:
            return self
        expectation.check_table(table)
        scan = _scan(table, expectation.options, self.settings)
        expectation.check_columns(scan)
        return ScanRequest(scan_bytes(scan), self.settings)

    def open(self) -> Scan:
        """The scan. The table's metadata file is read."""
        try:
            return Scan(_native.Scan._from_recipe(self.scan))  # noqa: SLF001 - not by pickle: options are anyone's
        except NotFoundError as error:
            error.add_note(
                "the DataFrame was made from this metadata file, and the file is gone: load the table again"
            )
            raise


@dataclass(frozen=True)
class TableExpectation:
    """The table of a DataFrame as it was when the DataFrame was made.

    Args:
        load: An id of the DataFrame.
        options: Its options.
        table: The UUID of the table.
        metadata_location: The metadata file that was current.
        columns: All columns of the table, as JSON.
        projection: The columns of the DataFrame, as JSON.
    """

    load: str
    options: ScanOptions
    table: str | None
    metadata_location: str
    columns: str
    projection: str

    @classmethod
    def of(cls, options: ScanOptions, table: Table, scan: Scan) -> TableExpectation:
        """The state of a table when a DataFrame of this scan is made."""
        inner = scan._inner  # noqa: SLF001 - the package's own
        return cls(
            uuid.uuid4().hex,
            options,
            table._inner.identity[0],  # noqa: SLF001 - the package's own
            table.metadata_location,
            inner.schema_json(),
            inner.projection_json(),
        )

    def check_table(self, table: Table) -> None:
        """Raises where another table has taken the name or the path."""
        if table._inner.identity[0] != self.table:  # noqa: SLF001 - the package's own
            raise InvalidInputError(
                "the table was dropped and created again after the DataFrame was made: load the table again"
            )

    def check_columns(self, scan: Scan) -> None:
        """Raises where the columns are others now."""
        expected, columns = (read_schema(json.loads(text)) for text in (self.projection, self.columns))
        check_same_columns(expected, columns, scan.schema(), scan.projection())


def scan_bytes(scan: Scan | LanceScan) -> bytes:
    """The recipe of a scan of either format, which opens it in another process."""
    _, (recipe,) = scan._inner.__reduce__()  # noqa: SLF001 - the package's own
    return bytes(recipe)


def _scan(table: Table, options: ScanOptions, settings: ReadSettings) -> Scan:
    rows, columns = ALWAYS_TRUE if options.filter is None else options.filter, options.columns or ("*",)
    if options.start_snapshot_id is None:
        scan = table.scan(
            row_filter=rows,
            selected_fields=columns,
            case_sensitive=settings.case_sensitive,
            snapshot_id=options.snapshot_id,
        )
    else:
        scan = table.incremental_append_scan(
            from_snapshot_id_exclusive=options.start_snapshot_id,
            to_snapshot_id_inclusive=options.end_snapshot_id,
            row_filter=rows,
            selected_fields=columns,
            case_sensitive=settings.case_sensitive,
        )
    for kind, name in (("branch", options.branch), ("tag", options.tag)):
        if name is not None:
            _check_ref(table, kind, name)
            scan = scan.use_ref(name)
    return scan


def _check_ref(table: Table, kind: str, name: str) -> None:
    ref = table.refs().get(name)
    if ref is not None and ref.snapshot_ref_type != kind:
        raise InvalidInputError(f"the option {kind!r}: {name!r} is a {ref.snapshot_ref_type}")

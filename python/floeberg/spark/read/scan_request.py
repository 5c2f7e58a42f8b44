"""Which scan do the options of a read ask for?

Invariant: a request is pinned: opened anywhere, any number of times, it reads the same snapshot with the same schema.
Only `planned` gives another one, and the same one to all who ask for it.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._metadata import read_schema
from floeberg.errors import InvalidInputError, NotFoundError
from floeberg.scan import Scan
from floeberg.spark.read.options import Handling, Wanted, read_options
from floeberg.spark.read.pinned_metadata import check_promised, chosen, is_kept, keep_chosen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.table import Table

__all__ = ["Request", "scan_bytes"]


@dataclass(frozen=True)
class Request:
    """A scan as bytes, and how to read it.

    Args:
        scan: What `scan_bytes` gave.
        handling: How to read it.
        promise: What was promised where the user chose no snapshot, so that a newer one may be read.
    """

    scan: bytes = field(repr=False)
    handling: Handling
    promise: Promise | None = field(default=None, repr=False)

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Request:
        """What options ask for, pinned to the metadata file that is current now.

        Raises:
            InvalidInputError: An option is wrong, or names what the table has not.
            NotFoundError: There is no such table, snapshot or ref.
        """
        wanted, handling = read_options(options)
        if isinstance(wanted, bytes):
            return cls(wanted, handling)
        table = wanted.place.open(as_of_ms=wanted.as_of_ms)
        scan = _scan(table, wanted, handling)
        promise = Promise.of(wanted, table, scan) if wanted.moves else None
        return cls(scan_bytes(scan), handling, promise)

    def planned(self) -> Request:
        """The same of the newest snapshot, which the first who asks chooses for all; this one where the user did.

        Raises:
            InvalidInputError: The table has not the columns any more that were promised, or is another one.
            NotFoundError: There is no such table, snapshot or ref.
        """
        promise = self.promise
        if promise is None or not is_kept():
            return self
        known = chosen(promise.load)
        table = promise.wanted.place.open(metadata_location=known)
        if (
            known is None
            and (first := keep_chosen(promise.load, table.metadata_location)) != table.metadata_location
        ):
            table = promise.wanted.place.open(metadata_location=first)
        if table.metadata_location == promise.metadata_location:
            return self
        promise.check_table(table)
        scan = _scan(table, promise.wanted, self.handling)
        promise.check_columns(scan)
        return Request(scan_bytes(scan), self.handling)

    def open(self) -> Scan:
        """The scan. The table's metadata file is read."""
        try:
            return Scan(_native.Scan._from_recipe(self.scan))  # noqa: SLF001 - not by pickle: options are anyone's
        except NotFoundError as error:
            error.add_note(
                "the DataFrame was made from this metadata file, which is gone: load the table again"
            )
            raise


@dataclass(frozen=True)
class Promise:
    """What a DataFrame was said to be when it was made.

    Args:
        load: What tells the DataFrame from others.
        wanted: What the options said.
        table: The id of the table.
        metadata_location: The metadata file that was current.
        columns: All columns of the table, as JSON text.
        projection: Those of the DataFrame, likewise.
    """

    load: str
    wanted: Wanted
    table: str | None
    metadata_location: str
    columns: str
    projection: str

    @classmethod
    def of(cls, wanted: Wanted, table: Table, scan: Scan) -> Promise:
        """What a DataFrame of this scan is promised."""
        inner = scan._inner  # noqa: SLF001 - the package's own
        return cls(
            uuid.uuid4().hex,
            wanted,
            table._inner.identity[0],  # noqa: SLF001 - the package's own
            table.metadata_location,
            inner.schema_json(),
            inner.projection_json(),
        )

    def check_table(self, table: Table) -> None:
        """Is it still the same table?"""
        if table._inner.identity[0] != self.table:  # noqa: SLF001 - the package's own
            raise InvalidInputError(
                "the table was dropped, and another was made in its place, since the DataFrame was made: load it again"
            )

    def check_columns(self, scan: Scan) -> None:
        """Has it still the columns?"""
        promised, columns = (read_schema(json.loads(text)) for text in (self.projection, self.columns))
        check_promised(promised, columns, scan.schema(), scan.projection())


def scan_bytes(scan: Scan) -> bytes:
    """What opens the same scan elsewhere."""
    _, (recipe,) = scan._inner.__reduce__()  # noqa: SLF001 - the package's own
    return bytes(recipe)


def _scan(table: Table, wanted: Wanted, handling: Handling) -> Scan:
    rows, columns = True if wanted.filter is None else wanted.filter, wanted.columns or ("*",)
    if wanted.start_snapshot_id is None:
        scan = table.scan(
            row_filter=rows,
            selected_fields=columns,
            case_sensitive=handling.case_sensitive,
            snapshot_id=wanted.snapshot_id,
        )
    else:
        scan = table.incremental_append_scan(
            from_snapshot_id_exclusive=wanted.start_snapshot_id,
            to_snapshot_id_inclusive=wanted.end_snapshot_id,
            row_filter=rows,
            selected_fields=columns,
            case_sensitive=handling.case_sensitive,
        )
    for kind, name in (("branch", wanted.branch), ("tag", wanted.tag)):
        if name is not None:
            _check_ref(table, kind, name)
            scan = scan.use_ref(name)
    return scan


def _check_ref(table: Table, kind: str, name: str) -> None:
    ref = table.refs().get(name)
    if ref is not None and ref.snapshot_ref_type != kind:
        raise InvalidInputError(f"the option {kind!r}: {name!r} is a {ref.snapshot_ref_type}")

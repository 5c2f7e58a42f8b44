"""Which scan do the options of a read ask for?

Invariant: a request is pinned: opened anywhere, any number of times, it reads the same snapshot with the same schema.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.errors import InvalidInputError, NotFoundError
from floeberg.scan import Scan
from floeberg.spark.options import Handling, Wanted, read_options

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
    """

    scan: bytes = field(repr=False)
    handling: Handling

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Request:
        """What options ask for, pinned to the metadata file that is current now.

        Raises:
            InvalidInputError: An option is wrong, or names what the table has not.
            NotFoundError: There is no such table, snapshot or ref.
        """
        wanted, handling = read_options(options)
        return cls(wanted if isinstance(wanted, bytes) else scan_bytes(_scan(wanted, handling)), handling)

    def open(self) -> Scan:
        """The scan. The table's metadata file is read."""
        try:
            return Scan(_native.Scan._from_recipe(self.scan))  # noqa: SLF001 - not by pickle: options are anyone's
        except NotFoundError as error:
            error.add_note(
                "the DataFrame was made from this metadata file, which is gone: load the table again"
            )
            raise


def scan_bytes(scan: Scan) -> bytes:
    """What opens the same scan elsewhere."""
    _, (recipe,) = scan._inner.__reduce__()  # noqa: SLF001 - the package's own
    return bytes(recipe)


def _scan(wanted: Wanted, handling: Handling) -> Scan:
    table = wanted.place.open(as_of_ms=wanted.as_of_ms)
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

"""How is a table opened by its location?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from floeberg import _native
from floeberg._arguments import (
    checked_int,
    checked_options,
    checked_path,
    checked_paths,
    checked_size,
    checked_text,
)
from floeberg._timestamps import Moment, milliseconds
from floeberg.commit.static import operations_of
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.table._table import Table

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

__all__ = ["StaticTable", "open_table"]


def open_table(  # noqa: PLR0913 - all but the first are keywords
    location: str | os.PathLike[str],
    *,
    format: Literal["iceberg"] | None = None,  # noqa: A002 - the word that users know
    relocate: Mapping[str, str] | None = None,
    storage_options: Mapping[str, str] | None = None,
    snapshot_id: int | None = None,
    ref: str | None = None,
    as_of: Moment | None = None,
    version: int | None = None,
    manifest_cache: int | None = None,
) -> Table:
    """Opens a table by its location, without a catalog.

    Args:
        location: The directory of a table, or one of its metadata files: a path or a URI. Relative paths become
            absolute.
        format: The table format. By default, it is detected.
        relocate: For a table that was moved: its current prefixes, by the prefixes that were written. Whole path
            segments are compared, and the longest match wins.
        storage_options: Options of the storage. Reprs and errors do not show them.
        snapshot_id: Opens the table at this snapshot.
        ref: Opens the table at this branch or tag.
        as_of: Opens the table as it was at a time: a datetime with a zone, milliseconds from 1970-01-01 UTC,
            or an ISO 8601 string with a zone.
        version: For other table formats. Iceberg tables have snapshots instead.
        manifest_cache: The maximum bytes of decoded manifests that the table keeps for its next plan; 0 keeps none. By
            default, the environment variable `FLOEBERG_MANIFEST_CACHE`, or 256 MiB.

    Returns:
        The table.

    Raises:
        NoSuchTableError: The table does not exist.
        InvalidInputError: More than one of `snapshot_id`, `ref`, `as_of` and `version` was given.
        InvalidDataError: The metadata is damaged. The error names the file.
        NotFoundError: The snapshot or ref does not exist.
        UnsupportedError: The format, its version or the scheme of the location is not supported.

    Examples:
        >>> table = open_table(location, relocate=warehouse)
        >>> table.scan(row_filter="id < 3", selected_fields=("id",)).to_arrow().num_rows
        3
    """
    choices = {"snapshot_id": snapshot_id, "ref": ref, "as_of": as_of, "version": version}
    chosen = [name for name, value in choices.items() if value is not None]
    if len(chosen) > 1:
        raise InvalidInputError(f"choose one snapshot: {' and '.join(chosen)} exclude each other")
    if format not in (None, "iceberg"):
        raise UnsupportedError(f"the table format {format!r} is not supported: expected 'iceberg'")
    if version is not None:
        raise UnsupportedError("Iceberg tables have no versions: use snapshot_id, ref or as_of")
    moved = checked_paths("relocate", relocate)
    options = checked_options("storage_options", storage_options)
    native = _native.Table.open(
        checked_path("location", location),
        relocate=moved,
        storage_options=options,
        snapshot_id=None if snapshot_id is None else checked_int("snapshot_id", snapshot_id),
        reference=None if ref is None else checked_text("ref", ref),
        as_of_ms=None if as_of is None else milliseconds(as_of),
        manifest_cache=None if manifest_cache is None else checked_size("manifest_cache", manifest_cache),
    )
    operations = operations_of(
        native, is_relocated=bool(moved), is_pinned=bool(chosen), storage_options=options
    )
    return Table(native, operations=operations)


class StaticTable:
    """Tables that are opened by their location, in PyIceberg's words. `open_table` has more options."""

    @classmethod
    def from_metadata(cls, metadata_location: str, properties: Mapping[str, str] | None = None) -> Table:
        """Opens a table by its folder or one of its metadata files, as `open_table` does.

        Args:
            metadata_location: The folder of the table, or its metadata file.
            properties: Options of the storage.

        Returns:
            The table.

        Raises:
            FloebergError: Those of `open_table`.
        """
        return open_table(metadata_location, storage_options=properties)

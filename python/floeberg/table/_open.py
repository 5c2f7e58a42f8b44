"""How is a table opened by its location, and how is its format detected?"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, overload

from floeberg import _native
from floeberg._arguments import (
    checked_int,
    checked_options,
    checked_path,
    checked_paths,
    checked_size,
    checked_text,
    checked_version,
)
from floeberg._keywords import says_keywords
from floeberg._timestamps import Moment, microseconds, milliseconds
from floeberg.commit.reservation import RESERVATION, reservation_in
from floeberg.commit.static import operations_of, settled_in_folder
from floeberg.encryption.choosing import options_with
from floeberg.errors import FloebergError, InvalidInputError, NoSuchTableError, UnsupportedError
from floeberg.lance.manifest_store import Manifests, checked_store, refuse_dynamodb
from floeberg.lance.table import LanceTable
from floeberg.table._missing import missing_table
from floeberg.table._table import Table

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping

    from floeberg.commit.operations import OpenedTable
    from floeberg.encryption import KeyManagement
    from floeberg.lance.manifest_store import ManifestStore

__all__ = ["StaticTable", "open_table"]

TableFormat = Literal["iceberg", "lance"]
_OF_ICEBERG = frozenset({"snapshot_id", "ref", "manifest_cache", "key_management"})
_NO_VERSION = frozenset({"branch", "manifest_cache", "manifest_store", "key_management"})
_OF_LANCE = frozenset({"version", "tag", "branch", "manifest_store"})


@overload
def open_table(
    location: str | os.PathLike[str],
    *,
    format: Literal["lance"],
    relocate: Mapping[str, str] | None = None,
    storage_options: Mapping[str, str] | None = None,
    version: int | None = None,
    tag: str | None = None,
    branch: str | None = None,
    as_of: Moment | None = None,
    manifest_store: ManifestStore | None = None,
) -> LanceTable: ...
@overload
def open_table(
    location: str | os.PathLike[str],
    *,
    format: Literal["iceberg"],
    relocate: Mapping[str, str] | None = None,
    storage_options: Mapping[str, str] | None = None,
    snapshot_id: int | None = None,
    ref: str | None = None,
    as_of: Moment | None = None,
    manifest_cache: int | None = None,
    key_management: KeyManagement | None = None,
) -> Table: ...
@overload
def open_table(
    location: str | os.PathLike[str],
    *,
    format: None = None,
    relocate: Mapping[str, str] | None = None,
    storage_options: Mapping[str, str] | None = None,
    snapshot_id: int | None = None,
    ref: str | None = None,
    as_of: Moment | None = None,
    version: int | None = None,
    tag: str | None = None,
    branch: str | None = None,
    manifest_cache: int | None = None,
    manifest_store: ManifestStore | None = None,
    key_management: KeyManagement | None = None,
) -> Table | Any: ...  # noqa: ANN401 - a union would need a check before each use
@says_keywords
def open_table(  # noqa: PLR0913 - all but the first are keywords
    location: str | os.PathLike[str],
    *,
    format: TableFormat | None = None,  # noqa: A002 - the word that users know
    relocate: Mapping[str, str] | None = None,
    storage_options: Mapping[str, str] | None = None,
    snapshot_id: int | None = None,
    ref: str | None = None,
    as_of: Moment | None = None,
    version: int | None = None,
    tag: str | None = None,
    branch: str | None = None,
    manifest_cache: int | None = None,
    manifest_store: ManifestStore | None = None,
    key_management: KeyManagement | None = None,
) -> Table | LanceTable:
    """Opens a table by its location, without a catalog.

    Args:
        location: The directory of a table, or one of the metadata files of an Iceberg table: a path or a URI. Relative
            paths become absolute.
        format: The table format: `"iceberg"` or `"lance"`. By default, it is detected.
        relocate: For a table that was moved: its current prefixes, by the prefixes that were written. Whole path
            segments are compared, and the longest match wins.
        storage_options: Options of the storage. Reprs and errors do not show them.
        snapshot_id: Opens an Iceberg table at this snapshot.
        ref: Opens an Iceberg table at this branch or tag.
        as_of: Opens the table as it was at a time: a datetime with a zone, milliseconds from 1970-01-01 UTC,
            or an ISO 8601 string with a zone.
        version: Opens a Lance table at this version.
        tag: Opens a Lance table at the version of this tag.
        branch: Opens a branch of a Lance table. `version` and `as_of` then choose among its versions.
        manifest_cache: The maximum bytes of decoded manifests that an Iceberg table keeps for its next plan; 0 keeps
            none. By default, the environment variable `FLOEBERG_MANIFEST_CACHE`, or 256 MiB.
        manifest_store: Who decides about versions of a Lance table, where the storage cannot.
        key_management: Who has the keys of an encrypted Iceberg table, such as `fb.encryption.KeyFile("keys.json")`.
            The options `encryption.kms-type` and `encryption.kms-impl` name one too.

    Returns:
        The table: a `Table`, or a `LanceTable`.

    Raises:
        NoSuchTableError: The table does not exist.
        InvalidInputError: Arguments exclude each other.
        InvalidDataError: The metadata is damaged. The error names the file.
        NotFoundError: The snapshot, ref, version, tag or branch does not exist.
        UnsupportedError: The format, its version or the scheme of the location is not supported, or an argument is for
            the other format.

    Examples:
        >>> table = open_table(location, relocate=warehouse)
        >>> table.scan(row_filter="id < 3", selected_fields=("id",)).to_arrow().num_rows
        3
    """
    if format not in (None, "iceberg", "lance"):
        raise UnsupportedError(f"the table format {format!r} is not supported: expected 'iceberg' or 'lance'")
    choices: dict[str, object] = {
        "snapshot_id": snapshot_id,
        "ref": ref,
        "as_of": as_of,
        "version": version,
        "tag": tag,
        "branch": branch,
        "manifest_cache": manifest_cache,
        "manifest_store": checked_store(manifest_store),
        "key_management": key_management,
    }
    chosen = [name for name, value in choices.items() if value is not None]
    _check_choice(chosen)
    refuse_dynamodb(checked_path("location", location))
    place = Place(
        checked_path("location", location),
        checked_paths("relocate", relocate),
        options_with(checked_options("storage_options", storage_options), key_management),
    )
    # A first version that nobody finished is seen by its manifest store alone.
    is_lance = format == "lance" or manifest_store is not None
    says_lance = bool(_OF_LANCE.intersection(chosen))
    with place.explained(is_either=format is None and not is_lance):
        if is_lance or (format is None and (place.is_named_lance() or (says_lance and place.has_lance()))):
            _refuse_others("Lance", chosen, _OF_ICEBERG, "use version, tag, branch or as_of")
            return _open_lance(
                place, version=version, tag=tag, branch=branch, as_of=as_of, manifest_store=manifest_store
            )
        opened = partial(
            _native.Table.open,
            relocate=place.relocate,
            storage_options=place.storage_options,
            snapshot_id=None if snapshot_id is None else checked_int("snapshot_id", snapshot_id),
            reference=None if ref is None else checked_text("ref", ref),
            as_of_ms=None if as_of is None else milliseconds(as_of, "as_of"),
            manifest_cache=None if manifest_cache is None else checked_size("manifest_cache", manifest_cache),
        )
        is_pinned = any(each is not None for each in (snapshot_id, ref, as_of))
        try:
            native = place.settled(opened(place.location), opened, is_pinned=is_pinned)
        except (NoSuchTableError, UnsupportedError):
            if format is not None or not place.has_lance():
                raise
            _refuse_others("Lance", chosen, _OF_ICEBERG, "use version, tag, branch or as_of")
            return _open_lance(place, version=None, tag=None, branch=None, as_of=as_of)
    _refuse_others("Iceberg", chosen, _OF_LANCE, "use snapshot_id, ref or as_of")
    operations = operations_of(
        native,
        is_relocated=bool(place.relocate),
        is_pinned=is_pinned,
        storage_options=place.storage_options,
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
        return open_table(metadata_location, format="iceberg", storage_options=properties)


@dataclass(frozen=True)
class Place:
    """Where a table is."""

    location: str
    relocate: list[tuple[str, str]]
    storage_options: dict[str, str]

    def is_named_lance(self) -> bool:
        """Whether a Lance table is here, and its folder is named as one. A store without lists does not know."""
        if not self.location.rstrip("/").endswith(".lance"):
            return False
        try:
            return self.has_lance()
        except FloebergError:
            return False

    def has_lance(self) -> bool:
        """Whether a Lance table is here."""
        return _native.LanceTable.exists(self.location, storage_options=self.storage_options)

    def settled(
        self, table: OpenedTable, opened: Callable[[str], OpenedTable], *, is_pinned: bool
    ) -> OpenedTable:
        """The table, where its current version may be reserved by a commit of several tables.

        A metadata file that was named, and a table that was moved, are read as they are.
        """
        is_named = table.metadata_location.rstrip("/") == _native.location_from_user(self.location).rstrip(
            "/"
        )
        if RESERVATION not in table.properties or is_named or self.relocate:
            return table
        now = settled_in_folder(table, self.storage_options)
        if not is_pinned:
            return now
        is_there = _native.file_exists(now.metadata_location, storage_options=self.storage_options)
        reservation = reservation_in(table)
        staged = now.metadata_location if is_there or reservation is None else reservation.staged
        return opened(staged)

    @contextmanager
    def explained(self, *, is_either: bool) -> Iterator[None]:
        """Errors say what may be meant, and name the place instead of a folder that was looked for in it."""
        try:
            yield
        except NoSuchTableError as error:
            raise missing_table(
                error, self.location, self.storage_options, is_either=is_either
            ) from error.__cause__
        except UnsupportedError as error:
            if not error.context.get("path", "").startswith(f"{self.location.rstrip('/')}/"):
                raise
            context = {**error.context, "path": self.location}
            raise UnsupportedError(error.message, context=context) from error.__cause__


def _check_choice(chosen: list[str]) -> None:
    """Arguments that choose a version or a snapshot exclude each other, but a branch may have a version or a time."""
    exclusive = [name for name in chosen if name not in _NO_VERSION]
    if "branch" in chosen:
        exclusive = ["branch", *(name for name in exclusive if name not in {"version", "as_of"})]
    if len(exclusive) > 1:
        raise InvalidInputError(
            f"choose one snapshot or version: {' and '.join(exclusive)} exclude each other"
        )


def _refuse_others(found: str, chosen: list[str], others: frozenset[str], instead: str) -> None:
    refused = [name for name in chosen if name in others]
    if refused:
        raise UnsupportedError(f"{found} tables have no {' and '.join(refused)}: {instead}")


def _open_lance(  # noqa: PLR0913 - keywords
    place: Place,
    *,
    version: int | None,
    tag: str | None,
    branch: str | None,
    as_of: Moment | None,
    manifest_store: ManifestStore | None = None,
) -> LanceTable:
    def opened(version: int | None) -> _native.LanceTable:
        return _native.LanceTable.open(
            place.location,
            relocate=place.relocate,
            storage_options=place.storage_options,
            version=version,
            tag=None if tag is None else checked_text("tag", tag),
            branch=None if branch is None else checked_text("branch", branch),
            as_of_us=None if as_of is None else microseconds(as_of, "as_of"),
        )

    wanted = None if version is None else checked_version("version", version)
    if manifest_store is not None:
        root = _native.location_from_user(place.location).rstrip("/")
        Manifests(manifest_store, root, place.storage_options).catch_up()
    native = opened(wanted)
    if manifest_store is not None and native.branch is not None:
        Manifests.of(manifest_store, native).catch_up()
        native = opened(wanted)
    is_pinned = any(each is not None for each in (version, tag, as_of))
    return LanceTable(native, is_pinned=is_pinned, manifest_store=manifest_store)

"""May a client have the server write to, read from or remove at a location?

In: locations in requests. Out: nothing, or a refusal. A location has to be below the warehouse of the catalog, or below
the location of the table that is changed.

Locations are compared as they are written. So one with `.` or `..` as a segment is refused, also where percent signs
hide them: another reader may resolve them. On a local disk links are followed too: one in the warehouse may lead out.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from floeberg import _native
from floeberg.errors import FloebergError, InvalidInputError
from floeberg.serving.refusals import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from floeberg.catalog import Catalog

__all__ = ["Places"]

_PROPERTIES: Final = (
    "write.data.path",
    "write.metadata.path",
    "write.folder-storage.path",
    "write.object-storage.path",
)
"""Properties of tables and views that are locations."""
_MOST_DECODED: Final = 4
_FORBIDDEN: Final = 403


@dataclass(frozen=True)
class Places:
    """Where clients may have files.

    Attributes:
        roots: The folders; `None` allows every location.
    """

    roots: tuple[str, ...] | None

    @classmethod
    def of(cls, catalog: Catalog, *, allow_outside: bool) -> Places:
        """Those of a catalog: its warehouse."""
        warehouse = catalog.properties.get("warehouse")
        if allow_outside:
            return cls(None)
        return cls(() if warehouse is None else (_native.location_from_user(warehouse),))

    def check(self, location: object, what: str, also: Iterable[str] = ()) -> str:
        """Checks a location of a request.

        Args:
            location: The location.
            what: What is there, for the error.
            also: More folders that it may be in.

        Raises:
            InvalidInputError: It is not a text, or not a location.
            RefusedError: It is elsewhere.
        """
        if not isinstance(location, str) or not location:
            raise InvalidInputError(f"expected a location as {what}")
        try:
            location.encode()
        except UnicodeEncodeError as error:
            raise InvalidInputError(f"{what}: half a pair of surrogates is no text") from error
        if self.roots is None:
            return location
        for own in also:
            # The catalog chose it, whatever signs a name in it has.
            folder = own.rstrip("/") + "/"
            if location.startswith(folder) and not _climbs(location.removeprefix(folder)):
                self.check_links(location, what, also)
                return location
        folders = [_below(root) for root in (*self.roots, *also)]
        try:
            inside = not _climbs(location) and _below(location).startswith(tuple(folders))
        except FloebergError as error:
            raise InvalidInputError(f"{what}: {error}") from error
        if inside and all(_below(location) != each for each in map(_below, self.roots)):
            self.check_links(location, what, also)
            return location
        raise RefusedError(
            _FORBIDDEN,
            "ForbiddenException",
            f"{what} is {location[:500]!r}, which is not below the warehouse of this catalog; a server with "
            "allow_outside=True (--allow-outside) takes any location",
        )

    def check_links(self, location: str, what: str, also: Iterable[str] = ()) -> None:
        """Checks that no link leads from a folder of the warehouse, or of the table, to a place outside of it.

        Args:
            location: The location, as the catalog or a client has it. One that is elsewhere anyway is not looked at.
            what: What is there, for the error.
            also: More folders that it may be in.

        Raises:
            RefusedError: A link does.
        """
        path = None if self.roots is None else _native.local_path(location)
        if path is None:
            return
        written = _below(location)
        for root in (*(self.roots or ()), *also):
            place = _native.local_path(root)
            if place is None or not written.startswith(_below(root)):
                continue
            real, inside = os.path.realpath(path), os.path.realpath(place)
            if os.path.commonpath([real, inside]) != inside:
                raise RefusedError(
                    _FORBIDDEN,
                    "ForbiddenException",
                    f"{what} is {location[:500]!r}, and a link on the way leads out of the warehouse of this catalog; "
                    "a server with allow_outside=True (--allow-outside) follows it",
                )
            return

    def check_updates(self, updates: Sequence[dict[str, Any]], also: Iterable[str] = ()) -> None:
        """Checks each location in the updates of a table or a view."""
        folders = tuple(also)
        for update in updates:
            action = update.get("action")
            if action == "set-location":
                self.check(update.get("location"), "the location", folders)
            elif action == "add-snapshot":
                self._check_snapshot(update.get("snapshot"), folders)
            elif action in ("set-statistics", "set-partition-statistics"):
                file = update.get(str(action).removeprefix("set-"))
                place = file.get("statistics-path") if isinstance(file, dict) else None
                self.check(place, "the statistics file", folders)
            elif action == "set-properties":
                self.check_properties(update.get("updates"), folders)

    def check_properties(self, properties: object, also: Iterable[str] = ()) -> None:
        """Checks the properties that are locations."""
        if isinstance(properties, dict):
            for name in _PROPERTIES:
                if name in properties:
                    self.check(properties[name], f"the property {name!r}", also)

    def check_metadata(self, metadata: dict[str, Any]) -> None:
        """Checks the locations in metadata that a client registers."""
        self.check(metadata.get("location"), "the location of the table or view")
        self.check_properties(metadata.get("properties"))
        for snapshot in metadata.get("snapshots") or ():
            self._check_snapshot(snapshot, ())

    def _check_snapshot(self, snapshot: object, also: Iterable[str]) -> None:
        if not isinstance(snapshot, dict):
            raise InvalidInputError("add-snapshot: expected an object as 'snapshot'")
        manifests = snapshot.get("manifests")
        if manifests is None or "manifest-list" in snapshot:
            self.check(snapshot.get("manifest-list"), "the manifest list of a snapshot", also)
        for each in manifests if isinstance(manifests, list) else ():
            self.check(each, "a manifest of a snapshot", also)


def _below(location: str) -> str:
    """The spelling in which a location is compared, with a slash at its end."""
    return _native.canonical_location(location).rstrip("/") + "/"


def _climbs(location: str) -> bool:
    """Whether a location has a segment that means another folder, or signs that no location has."""
    for _ in range(_MOST_DECODED):
        if any(ord(letter) < ord(" ") for letter in location):
            return True
        if {".", ".."} & set(re.split(r"[/\\]", location)):
            return True
        once = unquote(location)
        if once == location:
            return False
        location = once
    return True

"""Which table, namespace or catalog does a name on the command line mean?

A path or a URL is the location of a table. `sales.orders` is a table of the catalog of `--catalog`, or of the default
one. `lake.sales.orders` is a table of the configured catalog `lake`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from floeberg.catalog import load_catalog
from floeberg.catalog.configuration import configured_name, configured_names, configured_properties
from floeberg.cli.durations import time_of
from floeberg.cli.exits import near
from floeberg.errors import InvalidInputError, NotFoundError, UnsupportedError
from floeberg.lance import LanceTable
from floeberg.table import open_table

if TYPE_CHECKING:
    from floeberg.catalog import Catalog
    from floeberg.scan.scan import Scan
    from floeberg.table import Table

__all__ = ["Named", "Place", "When", "is_location", "need_iceberg", "state_of"]

_ENDS = (".lance", ".json")


@dataclass(frozen=True)
class Named:
    """What a name means: something of a catalog, or a location.

    Attributes:
        catalog: The catalog; `None` for a location.
        levels: The name in the catalog.
        location: The location; `None` for a name in a catalog.
    """

    catalog: Catalog | None
    levels: tuple[str, ...] = ()
    location: str | None = None

    @property
    def shown(self) -> str:
        """The name as it is shown."""
        return ".".join(self.levels) if self.location is None else self.location


@dataclass(frozen=True)
class Place:
    """How names are read: the catalog and the options that were given.

    Attributes:
        catalog_name: The value of `--catalog`.
        options: Properties of the catalog, or options of the storage.
    """

    catalog_name: str | None
    options: dict[str, str]

    def catalog(self) -> Catalog:
        """The catalog of `--catalog`, or the default one.

        Raises:
            InvalidInputError: It is not configured.
        """
        name = self.catalog_name
        if name is not None and not self.options and not configured_properties(name):
            raise InvalidInputError(self._unknown(name))
        return load_catalog(name, **self.options)

    def named(self, text: str) -> Named:
        """What the name of a table means.

        Raises:
            InvalidInputError: No catalog is known that the name could be of.
        """
        if self.catalog_name is None and is_location(text):
            return Named(None, location=text)
        levels = _levels(text)
        if self.catalog_name is not None or self._has_own_catalog():
            return Named(self.catalog(), levels)
        if len(levels) > 1 and configured_properties(levels[0]):
            return Named(load_catalog(levels[0]), levels[1:])
        if configured_properties(configured_name()):
            return Named(self.catalog(), levels)
        raise InvalidInputError(
            f"{text!r} is no path, and no catalog is known for it: {self._unknown(levels[0])}"
        )

    def table(self, text: str) -> Any:  # noqa: ANN401 - a table of either format
        """The table that a name means."""
        named = self.named(text)
        if named.catalog is None:
            return open_table(named.shown, storage_options=self.options)
        return named.catalog.load_table(named.levels)

    def _has_own_catalog(self) -> bool:
        return any(name in self.options for name in ("type", "uri", "warehouse", "py-catalog-impl"))

    def _unknown(self, name: str) -> str:
        known = configured_names()
        if not known:
            return (
                f"the catalog {name!r} is not configured: write it into ~/.floeberg.yaml, or give "
                "--option uri=... or --option warehouse=..."
            )
        if name in known:
            return f"{name!r} is a catalog: look into it with `floeberg ls {name}`"
        return f"the catalog {name!r} is not configured: {near(name, known)}"


@dataclass(frozen=True)
class When:
    """Which state of a table is read.

    Attributes:
        snapshot_id: The snapshot; of a Lance table the version.
        ref: A branch or tag.
        as_of: A time, or an age before now.
    """

    snapshot_id: int | None = None
    ref: str | None = None
    as_of: str | None = None

    def check(self) -> None:
        """Checks that at most one is given.

        Raises:
            InvalidInputError: Several are.
        """
        given = {"--snapshot-id": self.snapshot_id, "--ref": self.ref, "--as-of": self.as_of}
        names = [name for name, value in given.items() if value is not None]
        if len(names) > 1:
            raise InvalidInputError(f"choose one state: {' and '.join(names)} exclude each other")

    def of(self, table: Any, place: Place) -> Any:  # noqa: ANN401 - a table of either format
        """A Lance table at its state. Of an Iceberg table, `scan` has the state."""
        self.check()
        if not isinstance(table, LanceTable) or self == When():
            return table
        moment = None if self.as_of is None else time_of("--as-of", self.as_of)
        chosen: dict[str, Any] = {"version": self.snapshot_id, "as_of": moment}
        if self.ref is not None and self.ref != "main":
            chosen["tag" if self.ref in table.tags() else "branch"] = self.ref
        return open_table(table.location, format="lance", storage_options=place.options, **chosen)

    def scan(
        self,
        table: Any,  # noqa: ANN401 - a table of either format
        where: str | None = None,
        columns: tuple[str, ...] = ("*",),
        limit: int | None = None,
    ) -> Any:  # noqa: ANN401 - a scan of either format
        """A scan of the table at this state."""
        self.check()
        if isinstance(table, LanceTable):
            scan: Any = table.scan(selected_fields=columns, limit=limit)
            return scan if where is None else scan.filter(where)
        scan = self._at(table, limit)
        scan = scan if columns == ("*",) else scan.select(*columns)
        return scan if where is None else scan.filter(where)

    def snapshot(self, table: Table) -> int | None:
        """The snapshot of an Iceberg table at this state; `None` for a table without snapshots."""
        return self._at(table, None).snapshot_id

    def _at(self, table: Table, limit: int | None) -> Scan:
        scan = table.scan(snapshot_id=self.snapshot_id, limit=limit)
        if self.ref is not None:
            return scan.use_ref(self.ref)
        return scan if self.as_of is None else scan.as_of(time_of("--as-of", self.as_of))


def is_location(text: str) -> bool:
    """Whether a text is a path or a URL, and no name in a catalog.

    Examples:
        >>> is_location("s3://bucket/t"), is_location("./t"), is_location("sales.orders")
        (True, True, False)
    """
    if "/" in text or "\\" in text or text.startswith(".") or text.endswith(_ENDS):
        return True
    with suppress(OSError, ValueError):
        return Path(text).is_dir()
    return False


def need_iceberg(table: Any, verb: str) -> Table:  # noqa: ANN401 - a table of either format
    """The table, where it is one of Iceberg.

    Raises:
        UnsupportedError: It is a Lance table.
    """
    if isinstance(table, LanceTable):
        raise UnsupportedError(f"Lance tables have no {verb}", context={"path": table.location})
    return cast("Table", table)


def state_of(text: str) -> int | str | datetime:
    """A snapshot or version by its number, a time, or the name of a branch or tag.

    Examples:
        >>> state_of("12"), state_of("main"), state_of("2026-11-26T00:00Z").year
        (12, 'main', 2026)
    """
    if text.isascii() and text.isdigit():
        return int(text)
    found = time_of("BEFORE", text)
    if isinstance(found, datetime):
        return found
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return text


def _levels(text: str) -> tuple[str, ...]:
    levels = tuple(text.split("."))
    if not all(levels):
        raise InvalidInputError(f"expected a name such as sales.orders, or a path, found {text!r}")
    return levels


def check_ref(table: Any, name: str, kind: str) -> None:  # noqa: ANN401 - a table of either format
    """Checks that a table has a branch or a tag, before anything is asked or done.

    Args:
        table: The table.
        name: The name.
        kind: `branch` or `tag`.

    Raises:
        NotFoundError: There is none. The hint has near matches.
    """
    rows = table.inspect.refs().to_pylist()
    names = [each["name"] for each in rows if each["type"].lower() == kind]
    if name not in names:
        error = NotFoundError(f"the table has no {kind} {name!r}")
        if hint := near(name, names):
            error.add_note(hint)
        raise error

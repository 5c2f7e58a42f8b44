"""Which tables did a test write, and are they what the specification says?"""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import floeberg
import floeberg.commit.transaction
import floeberg.maintenance.compute_statistics
import floeberg.maintenance.expire_snapshots
from conformance_checker import Checked, Fault, check, shared_files
from floeberg import _native
from floeberg.errors import NoSuchTableError, NotFoundError

VERSION = re.compile(r"v(\d+)((?:\.gz)?\.metadata\.json|\.metadata\.json\.gz)")


class Written:
    """The tables that a test wrote."""

    def __init__(self) -> None:
        self._committed: dict[str, tuple[str, dict[str, str]]] = {}
        """Metadata files, and the options of their stores, by the UUIDs of tables."""
        self._found: set[Path] = set()

    def listen(self, monkeypatch: Any) -> None:
        """Remember what is committed in this process."""
        maintenance = floeberg.maintenance
        for module in (
            floeberg.commit.transaction,
            maintenance.compute_statistics,
            maintenance.expire_snapshots,
        ):
            monkeypatch.setattr(module, "commit", self._listening(module.commit))

    def _listening(self, commit: Callable[..., Any]) -> Callable[..., Any]:
        def listening(table_operations: Any, **arguments: Any) -> Any:
            committed = commit(table_operations, **arguments)
            table = committed.table
            options = {key: value for key, value in table.storage_options.items() if "testing." not in key}
            self._committed[table.identity[0]] = (table.metadata_location, options)
            return committed

        return listening

    def look_through(self, folder: Path) -> None:
        """Find the tables below a folder: by versions, and by the catalogs that are there."""
        current: dict[Path, tuple[int, Path]] = {}
        for path in folder.rglob("*metadata.json*"):
            if (found := VERSION.fullmatch(path.name)) and path.parent.name == "metadata":
                current[path.parent] = max(current.get(path.parent, (0, path)), (int(found[1]), path))
        self._found |= {path for _, path in current.values()}
        for database in folder.rglob("*.db"):
            self._found |= {Path(local(each)) for each in locations_in(database)}

    def faults(self) -> list[Fault]:
        """What is wrong with them."""
        checked = [
            found
            for place, options in self._places().items()
            if (found := _checked(place, options)) is not None
        ]
        return [fault for each in checked for fault in each.faults] + shared_files(checked)

    def findings(self) -> list[floeberg.Finding]:
        """What the library's own check finds in them, in all rows of all snapshots."""
        return [
            finding
            for place, options in self._places().items()
            if _is_there(place, options)
            for finding in floeberg.check(place, "rows", all_snapshots=True, storage_options=options)
            # Tests of transforms that no version knows have some.
            if finding.rule.id != "transform-known"
        ]

    def _places(self) -> dict[str, dict[str, str]]:
        """Metadata files, and the options of their stores."""
        places = {local(place): options for place, options in self._committed.values()}
        places |= {str(path): {} for path in self._found}
        return {place: options for place, options in places.items() if not _has_keys(place)}


def _has_keys(place: str) -> bool:
    """Is the table encrypted? `encryption.by_specification` looks at such tables: the checker has no keys."""
    path = Path(place)
    return "://" not in place and path.is_file() and b"KEY_TIMESTAMP" in path.read_bytes()


def _is_there(place: str, options: dict[str, str]) -> bool:
    """Is the metadata file there?"""
    if "://" not in place:
        return Path(place).exists()
    return _native.file_exists(place, storage_options=options)


def local(location: str) -> str:
    """The path of a location, where it has one."""
    # Java writes one slash.
    schemes = (scheme for scheme in ("file://", "file:") if location.startswith(f"{scheme}/"))
    return location.removeprefix(next(schemes, ""))


def locations_in(database: Path) -> list[str]:
    """The metadata files that an SQL catalog names."""
    with closing(sqlite3.connect(database)) as connection:
        try:
            rows = connection.execute("SELECT metadata_location FROM iceberg_tables").fetchall()
        except sqlite3.DatabaseError:
            return []
    return [row[0] for row in rows if row[0]]


def _checked(place: str, options: dict[str, str]) -> Checked | None:
    """A table that was looked at; `None` where it is no more."""

    def read(location: str) -> bytes:
        path = local(location)
        if "://" not in path:
            return Path(path).read_bytes()
        try:
            return _native.read_file(location, storage_options=options)
        except (NotFoundError, NoSuchTableError) as error:
            raise FileNotFoundError(location) from error

    try:
        content = read(place)
    except FileNotFoundError:
        return None
    if not _is_table(content):
        return None
    return check(place, read)


def _is_table(content: bytes) -> bool:
    """Is it the metadata of a table? That of views is named alike."""
    try:
        metadata = json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
    except ValueError:
        return False
    return isinstance(metadata, dict) and "last-column-id" in metadata

"""What are the SQL, the columns and the versions of a view?

A view has no rows: an engine runs its SQL.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from floeberg import _native
from floeberg._arguments import checked_int, checked_options, checked_path, checked_paths, checked_text
from floeberg.errors import NotFoundError
from floeberg.types._from_json import read_schema

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from floeberg.types import Schema

__all__ = ["SQLViewRepresentation", "View", "ViewHistoryEntry", "ViewVersion", "open_view"]


@dataclass(frozen=True)
class SQLViewRepresentation:
    """The definition of a view as a SELECT statement.

    Args:
        sql: The statement.
        dialect: Its dialect: `spark`, `trino` and others.
    """

    sql: str
    dialect: str

    @property
    def type(self) -> str:
        """`sql`."""
        return "sql"


@dataclass(frozen=True)
class ViewVersion:
    """A version of a view, which never changes.

    Args:
        version_id: The id.
        schema_id: The schema of its rows.
        timestamp_ms: When it was created, in milliseconds from 1970-01-01 UTC. It may have become current later.
        summary: The engine that created it, and other facts.
        representations: The same definition in several dialects. Unknown types are omitted.
        default_catalog: The catalog for names without one; `None` is the view's own catalog.
        default_namespace: The namespace for names without one.
    """

    version_id: int
    schema_id: int
    timestamp_ms: int
    summary: Mapping[str, str] = field(hash=False)
    representations: tuple[SQLViewRepresentation, ...]
    default_catalog: str | None
    default_namespace: tuple[str, ...]


@dataclass(frozen=True)
class ViewHistoryEntry:
    """An entry of the version log.

    Args:
        timestamp_ms: When the version became current: milliseconds from 1970-01-01 UTC.
        version_id: The version. It may have been removed.
    """

    timestamp_ms: int
    version_id: int


def open_view(
    location: str | os.PathLike[str],
    *,
    relocate: Mapping[str, str] | None = None,
    storage_options: Mapping[str, str] | None = None,
) -> View:
    """Opens a view by its location, without a catalog.

    Args:
        location: The directory of a view, or one of its metadata files; a path or a URI. Relative paths become
            absolute.
        relocate: For a view that was moved: its current prefixes, by the prefixes that were written.
        storage_options: Options of the storage. Reprs and errors do not show them.

    Returns:
        The view.

    Raises:
        NoSuchViewError: The location has no view.
        InvalidDataError: The metadata is damaged. The error names the file.
        UnsupportedError: It is a table, or the format version or the scheme of the location is not supported.

    Examples:
        >>> view = open_view(view_location)
        >>> view.sql_for("spark").sql
        'SELECT id, count(*) FROM jdbc.db.view_base GROUP BY id'
    """
    return View(
        _native.View.open(
            checked_path("location", location),
            relocate=checked_paths("relocate", relocate),
            storage_options=checked_options("storage_options", storage_options),
        )
    )


class View:
    """An Iceberg view, as one metadata file describes it.

    It stays at the metadata file that it was opened with, also when it is pickled.

    Examples:
        >>> [version.version_id for version in view.versions]
        [1, 2, 3]
    """

    _inner: _native.View
    _json: dict[str, Any]

    def __init__(self, native: _native.View) -> None:
        """Made by `open_view`."""
        self._inner = native
        self._json = cast("dict[str, Any]", json.loads(native.metadata_json()))

    @property
    def metadata_location(self) -> str:
        """The metadata file that was opened."""
        return self._inner.metadata_location

    @property
    def format_version(self) -> int:
        """The format version of the view."""
        return self._json["format-version"]

    @property
    def properties(self) -> dict[str, str]:
        """The view's properties."""
        return dict(self._json["properties"])

    def location(self) -> str:
        """The base location, as the view wrote it."""
        return self._json["location"]

    def uuid(self) -> UUID:
        """The UUID of the view."""
        return UUID(self._json["view-uuid"])

    def schema(self) -> Schema:
        """The columns of the current version.

        Examples:
            >>> view.schema().column_names
            ['k', 'n']
        """
        return self.schemas()[self.current_version().schema_id]

    def schemas(self) -> dict[int, Schema]:
        """All schemas by id.

        Examples:
            >>> {id: schema.column_names for id, schema in view.schemas().items()}
            {0: ['k', 'label'], 1: ['k', 'label', 'one'], 2: ['k', 'n']}
        """
        return {each.schema_id: each for each in map(read_schema, self._json["schemas"])}

    @property
    def versions(self) -> list[ViewVersion]:
        """All versions in the metadata, in their order there."""
        return list(map(_read_version, self._json["versions"]))

    def version(self, version_id: int) -> ViewVersion:
        """Finds a version.

        Args:
            version_id: Its id.

        Returns:
            The version.

        Raises:
            NotFoundError: The version does not exist, or was removed.

        Examples:
            >>> view.version(1).representations[0].sql
            'SELECT id, name FROM jdbc.db.view_base WHERE id > 1'
        """
        wanted = checked_int("version_id", version_id)
        for each in self.versions:
            if each.version_id == wanted:
                return each
        known = ", ".join(str(each.version_id) for each in self.versions)
        raise NotFoundError(f"the view has no version {wanted}; it has {known}")

    def current_version(self) -> ViewVersion:
        """The current version.

        If its `default_catalog` is `None`, names without a catalog belong to the catalog of the view.

        Examples:
            >>> view.current_version().default_namespace
            ('default',)
        """
        return self.version(self._json["current-version-id"])

    def sql_for(self, dialect: str) -> SQLViewRepresentation | None:
        """Finds the statement of the current version in a dialect.

        Args:
            dialect: The dialect, in any case.

        Returns:
            The statement, or `None` if the view does not have the dialect.

        Examples:
            >>> view.sql_for("SPARK").dialect, view.sql_for("trino")
            ('spark', None)
        """
        wanted = checked_text("dialect", dialect).lower()
        found = (each for each in self.current_version().representations if each.dialect.lower() == wanted)
        return next(found, None)

    def history(self) -> list[ViewHistoryEntry]:
        """The log of versions that became current, oldest first. A version may appear several times.

        Examples:
            >>> [entry.version_id for entry in view.history()]
            [1, 2, 3]
        """
        return [
            ViewHistoryEntry(each["timestamp-ms"], each["version-id"]) for each in self._json["version-log"]
        ]

    def __repr__(self) -> str:
        return repr(self._inner)

    def __reduce__(self) -> tuple[type[View], tuple[_native.View]]:
        return View, (self._inner,)


def _read_version(json: dict[str, Any]) -> ViewVersion:
    known = (each for each in json["representations"] if each.get("type") == "sql")
    return ViewVersion(
        version_id=json["version-id"],
        schema_id=json["schema-id"],
        timestamp_ms=json["timestamp-ms"],
        summary=json["summary"],
        representations=tuple(SQLViewRepresentation(each["sql"], each["dialect"]) for each in known),
        default_catalog=json.get("default-catalog"),
        default_namespace=tuple(json["default-namespace"]),
    )

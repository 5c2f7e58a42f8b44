"""What are the SQL, the columns and the versions of a view, and how does it change?

A view has no rows: an engine runs its SQL.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from floeberg import _native
from floeberg._arguments import (
    checked_bool,
    checked_int,
    checked_names,
    checked_path,
    checked_properties,
    checked_text,
)
from floeberg._keywords import says_keywords_of_methods
from floeberg._new_table import schema_json
from floeberg._pyiceberg_names import SpelledLikePyIceberg
from floeberg.checking.checks import Check
from floeberg.errors import InvalidInputError, NotFoundError
from floeberg.types._from_json import read_schema
from floeberg.view.committing import commit_view
from floeberg.view.new_version import version_json
from floeberg.view.operations import StaticViewOperations
from floeberg.view.scan import ViewScan
from floeberg.view.transpiling import transpiled
from floeberg.view.versions import SQLViewRepresentation, ViewHistoryEntry, ViewVersion, read_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from typing_extensions import Self

    from floeberg._new_table import AnySchema
    from floeberg.types import Schema
    from floeberg.view.new_version import AnyViewVersion
    from floeberg.view.operations import OpenedView, ViewOperations
    from floeberg.view.read_view import ViewCatalog
    from floeberg.view.scan import ViewEngine

__all__ = ["View"]

SCHEMA_FORMAT_VERSION = 3
"""The format version whose types a view may have."""


@says_keywords_of_methods
class View(SpelledLikePyIceberg):
    """An Iceberg view, as one metadata file describes it.

    It stays at that metadata file until it is changed here or refreshed, also when it is pickled. A view of a catalog
    can be changed; one of `open_view` cannot.

    Examples:
        >>> [version.version_id for version in view.versions]
        [1, 2, 3]
    """

    _spelled_as = "View"
    _inner: OpenedView
    _json: dict[str, Any]

    def __init__(
        self,
        opened: OpenedView,
        *,
        operations: ViewOperations | None = None,
        listed: tuple[ViewCatalog, tuple[str, ...]] | None = None,
    ) -> None:
        """Use `open_view`, or `load_view` of a catalog."""
        self._operations = StaticViewOperations() if operations is None else operations
        self._listed = listed
        self._become(opened)

    # What it has.

    def name(self) -> tuple[str, ...]:
        """The identifier in the catalog; empty if the view was opened without a catalog.

        Examples:
            >>> view.name()
            ()
        """
        return self._listed[1] if self._listed else ()

    @property
    def catalog(self) -> ViewCatalog | None:
        """The catalog that it was loaded from, or `None`."""
        return self._listed[0] if self._listed else None

    @property
    def metadata_location(self) -> str:
        """The metadata file that was opened."""
        return self._inner.metadata_location

    def check(self) -> Check:
        """Checks whether the view is what the specification says. What is broken is a finding, and no error.

        The metadata file is read again. A view that cannot be opened is checked by `fb.check`.

        Returns:
            The check, which is run as its findings are taken.

        Examples:
            >>> view.check().is_sound()
            True
        """
        inner = self._inner
        return Check(lambda: _native.Check.of_view(inner), repr(inner.metadata_location))

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
        return list(map(read_version, self._json["versions"]))

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

    def sql_for(self, dialect: str, *, transpile: bool = False) -> SQLViewRepresentation | None:
        """Finds the statement of the current version in a dialect.

        Args:
            dialect: The dialect, in any case.
            transpile: Whether a statement of another dialect is translated if the view does not have this one. This
                needs sqlglot: `pip install 'floeberg[views]'`. What cannot be translated becomes a `UserWarning`. Names
                stay as they are written.

        Returns:
            The statement, or `None` if the view does not have the dialect.

        Raises:
            NotInstalledError: sqlglot is not installed.
            UnsupportedError: sqlglot does not know the dialect, or none of those of the view.
            InvalidDataError: The statement is not valid SQL of its dialect.

        Examples:
            >>> view.sql_for("SPARK").dialect, view.sql_for("trino")
            ('spark', None)
            >>> view.sql_for("trino", transpile=True).sql
            'SELECT id, COUNT(*) FROM jdbc.db.view_base GROUP BY id'
        """
        wanted = checked_text("dialect", dialect).lower()
        checked_bool("transpile", transpile)
        representations = self.current_version().representations
        found = next((each for each in representations if each.dialect.lower() == wanted), None)
        if found is not None or not transpile:
            return found
        return transpiled(representations, dialect)

    def scan(
        self, engine: ViewEngine | None = None, *, catalogs: Mapping[str, ViewCatalog] | None = None
    ) -> ViewScan:
        """Describes the rows that the statement of the current version gives. An engine computes them later.

        Tables and views in the statement are found by the view's default catalog and namespace, and views in it are
        expanded. With DuckDB and polars they are loaded now: the scan keeps the snapshots that are current now, or
        those that the statement names. With Spark they are loaded when rows are asked for.

        Args:
            engine: `"duckdb"`, `"polars"` or `"spark"`: the one that runs the statement, which must be installed. By
                default, the first of these. Spark is the active session. A statement in the dialect of the engine is
                preferred; another one is translated, as by `sql_for`.
            catalogs: Catalogs by the names that statements have for them, before those of the configuration.

        Returns:
            The scan, with the names, types and docs of the view's schema.

        Raises:
            NotInstalledError: The engine, or sqlglot, is not installed.
            NotFoundError: A table, a view or a catalog that the statement names does not exist.
            UnsupportedError: The statement cannot be translated, or reads something else than tables and views.
            InvalidDataError: The statement is not one query, or the view reads itself.

        Examples:
            >>> shop.create_table("db.orders", as_select=pa.table({"id": [1, 2]})).name()
            ('db', 'orders')
            >>> schema = pa.schema({"n": pa.int64()})
            >>> counted = shop.create_view("db.counted", schema, sql={"spark": "SELECT count(*) FROM orders"})
            >>> counted.scan("duckdb").to_arrow().to_pylist()
            [{'n': 2}]
        """
        return ViewScan.of(self, engine, catalogs)

    def history(self) -> list[ViewHistoryEntry]:
        """The log of versions that became current, oldest first. A version may appear several times.

        Examples:
            >>> [entry.version_id for entry in view.history()]
            [1, 2, 3]
        """
        return [
            ViewHistoryEntry(each["timestamp-ms"], each["version-id"]) for each in self._json["version-log"]
        ]

    # How it changes.

    def replace_version(  # noqa: PLR0913 - one keyword each
        self,
        schema: AnySchema,
        view_version: AnyViewVersion | None = None,
        *,
        sql: str | Mapping[str, str] | None = None,
        dialect: str | None = None,
        representations: Iterable[SQLViewRepresentation] | None = None,
        default_catalog: str | None = None,
        default_namespace: str | Iterable[str] | None = None,
    ) -> None:
        """Gives the view another definition, as a new current version. Earlier versions stay in its history.

        A definition that the view had before becomes current again, under its old id. The schema keeps its ids where
        the view has an equal one.

        Args:
            schema: The columns of its rows.
            view_version: A whole version, instead of the arguments below.
            sql: The SELECT statement, or one for each dialect: `{"spark": ..., "trino": ...}`.
            dialect: The dialect of a single statement.
            representations: The statements as `SQLViewRepresentation`, instead of `sql`.
            default_catalog: The catalog for names without one; `None` is the view's own.
            default_namespace: The namespace for names without one. If neither is given, both are those of the current
                version.

        Raises:
            InvalidInputError: An argument is wrong, or a dialect of the current version is missing and the property
                `replace.drop-dialect.allowed` is not `true`.
            CommitConflictError: Another writer replaced the version that this object shows: refresh it first.
            CommitStateUnknownError: The outcome is unknown.
            UnsupportedError: The view was opened without a catalog.

        Examples:
            >>> totals.replace_version(totals.schema(), sql={"spark": "SELECT 2 AS n"})
            >>> totals.current_version().version_id, totals.sql_for("spark").sql
            (2, 'SELECT 2 AS n')
        """
        current = self.current_version()
        written = version_json(
            view_version,
            sql=sql,
            dialect=dialect,
            representations=representations,
            default_catalog=default_catalog,
            default_namespace=default_namespace,
            otherwise=(current.default_catalog, current.default_namespace),
        )
        self._commit(
            _native.ViewOperation.replace(
                schema_json=schema_json(schema, format_version=SCHEMA_FORMAT_VERSION),
                version_json=written,
                expected_version_id=current.version_id,
                properties={},
                location=None,
            )
        )

    def update_properties(
        self, removals: Iterable[str] | None = None, updates: Mapping[str, str | float] | None = None
    ) -> None:
        """Removes and sets properties of the view, all or none.

        Args:
            removals: The keys to remove. Missing keys are ignored.
            updates: The keys to set and their values. Numbers and bools become strings.

        Raises:
            InvalidInputError: A key is in both, or a value is not allowed.
            FloebergError: Those of `replace_version`. Properties do not conflict with other changes.

        Examples:
            >>> totals.update_properties(updates={"comment": "all of them"})
            >>> totals.properties["comment"]
            'all of them'
        """
        removed = checked_names("removals", () if removals is None else removals)
        updated = checked_properties("updates", updates)
        if both := sorted(set(removed) & set(updated)):
            raise InvalidInputError(f"properties cannot be removed and set in one update: {', '.join(both)}")
        self._commit(_native.ViewOperation.update_properties(updates=updated, removals=removed))

    def set_properties(
        self, properties: Mapping[str, str | float] | None = None, **more: str | float
    ) -> None:
        """Sets properties of the view: `update_properties` without removals."""
        updates = checked_properties("properties", properties) | checked_properties("properties", more)
        self.update_properties(updates=updates)

    def remove_properties(self, *removals: str) -> None:
        """Removes properties of the view: `update_properties` without updates."""
        self.update_properties(removals=removals)

    def update_location(self, location: str) -> None:
        """Changes where new metadata files go. Files that are there stay where they are.

        Args:
            location: The folder, as a path or a URI.

        Raises:
            FloebergError: Those of `update_properties`.
        """
        self._commit(_native.ViewOperation.set_location(checked_path("location", location)))

    def refresh(self) -> Self:
        """Loads the current metadata, including commits of other writers.

        Returns:
            The view itself.

        Raises:
            NoSuchViewError: The view was dropped, or replaced by one with another UUID. This object stays as it was.
            UnsupportedError: The view was opened without a catalog.
        """
        current = self._operations.load(self._inner)
        self._inner.check_same_view(current)
        self._become(current)
        return self

    def _commit(self, operation: _native.ViewOperation) -> None:
        self._become(commit_view(self._operations, operation, starting=self._inner))

    def _become(self, opened: OpenedView) -> None:
        self._inner = opened
        self._json = cast("dict[str, Any]", json.loads(opened.metadata_json()))

    def __repr__(self) -> str:
        return repr(self._inner)

    def __reduce__(self) -> tuple[Callable[..., View], tuple[object, ...]]:
        return _unpickled, (self._inner, self._operations, self._listed)


def _unpickled(
    opened: OpenedView, operations: ViewOperations, listed: tuple[ViewCatalog, tuple[str, ...]] | None
) -> View:
    return View(opened, operations=operations, listed=listed)

"""Which views does a catalog have, and how are they made?

Tables and views share their names: a name is that of a table or of a view. A catalog keeps views if it implements
`view_operations` and the methods here that begin with `do_`. Others refuse, and say what to use.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, cast

from floeberg import _native
from floeberg._arguments import checked_path, checked_properties
from floeberg._new_table import schema_json
from floeberg.catalog.names import Identifier, checked_identifier, dotted
from floeberg.catalog.namespaces import Namespaces
from floeberg.errors import (
    CommitConflictError,
    NoSuchViewError,
    UnsupportedError,
    ViewAlreadyExistsError,
)
from floeberg.view import View
from floeberg.view.committing import commit_view
from floeberg.view.new_version import version_json
from floeberg.view.view import SCHEMA_FORMAT_VERSION

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from floeberg._new_table import AnySchema
    from floeberg.view import OpenedView, SQLViewRepresentation, ViewOperations
    from floeberg.view.new_version import AnyViewVersion
    from floeberg.view.read_view import ViewCatalog

__all__ = ["Views"]


class Views(Namespaces):
    """The views of a catalog."""

    def create_view(  # noqa: PLR0913 - PyIceberg's order, and one keyword each
        self,
        identifier: str | Iterable[str],
        schema: AnySchema,
        view_version: AnyViewVersion | None = None,
        location: str | os.PathLike[str] | None = None,
        properties: Mapping[str, str | float] | None = None,
        *,
        sql: str | Mapping[str, str] | None = None,
        dialect: str | None = None,
        representations: Iterable[SQLViewRepresentation] | None = None,
        default_catalog: str | None = None,
        default_namespace: str | Iterable[str] | None = None,
    ) -> View:
        """Creates a view.

        Args:
            identifier: The namespace and the name.
            schema: The columns of its rows, as for `create_table`. They get fresh field ids.
            view_version: A whole version, instead of the arguments after `properties`.
            location: Its folder. By default, as for `create_table`.
            properties: Its properties. Numbers and bools become strings.
            sql: The SELECT statement, or one for each dialect: `{"spark": ..., "trino": ...}`.
            dialect: The dialect of a single statement.
            representations: The statements as `SQLViewRepresentation`, instead of `sql`.
            default_catalog: The catalog for names without one in the statement; `None` is this catalog.
            default_namespace: The namespace for names without one in the statement. By default, that of the view.

        Returns:
            The view.

        Raises:
            ViewAlreadyExistsError: A view or a table of that name exists.
            NoSuchNamespaceError: The namespace does not exist.
            InvalidInputError: The schema, a statement or a property is wrong.
            UnsupportedError: The catalog keeps no views.

        Examples:
            >>> schema = pa.schema({"day": pa.date32(), "n": pa.int64()})
            >>> statement = "SELECT day, count(*) AS n FROM orders"
            >>> daily = shop.create_view("db.daily", schema, sql=statement, dialect="spark")
            >>> daily.current_version().default_namespace, daily.sql_for("spark").sql
            (('db',), 'SELECT day, count(*) AS n FROM orders')
        """
        levels = self._new_view_identifier("identifier", identifier)
        written = version_json(
            view_version,
            sql=sql,
            dialect=dialect,
            representations=representations,
            default_catalog=default_catalog,
            default_namespace=default_namespace,
            otherwise=(None, levels[:-1]),
        )
        columns = schema_json(schema, format_version=SCHEMA_FORMAT_VERSION)
        return self._create_view(
            levels, columns, written, location, checked_properties("properties", properties)
        )

    def create_or_replace_view(  # noqa: PLR0913 - as `create_view`
        self,
        identifier: str | Iterable[str],
        schema: AnySchema,
        view_version: AnyViewVersion | None = None,
        location: str | os.PathLike[str] | None = None,
        properties: Mapping[str, str | float] | None = None,
        *,
        sql: str | Mapping[str, str] | None = None,
        dialect: str | None = None,
        representations: Iterable[SQLViewRepresentation] | None = None,
        default_catalog: str | None = None,
        default_namespace: str | Iterable[str] | None = None,
    ) -> View:
        """Creates a view as `create_view` does, or gives the existing view of that name this definition.

        Like `CREATE OR REPLACE VIEW`, it replaces any version, also that of another writer. An existing view keeps its
        UUID, its earlier versions and its other properties, and its location unless one is given. It must not lose a
        dialect, as with `View.replace_version`.

        Raises:
            ViewAlreadyExistsError: A table of that name exists.
            CommitConflictError: Another writer dropped the view, or was faster at every attempt.
            FloebergError: Those of `create_view`.

        Examples:
            >>> schema = pa.schema({"n": pa.int64()})
            >>> for number in (1, 2):
            ...     last = shop.create_or_replace_view("db.last", schema, sql={"spark": f"SELECT {number} AS n"})
            >>> [entry.version_id for entry in last.history()]
            [1, 2]
        """
        levels = checked_identifier("identifier", identifier)
        written = version_json(
            view_version,
            sql=sql,
            dialect=dialect,
            representations=representations,
            default_catalog=default_catalog,
            default_namespace=default_namespace,
            otherwise=(None, levels[:-1]),
        )
        columns = schema_json(schema, format_version=SCHEMA_FORMAT_VERSION)
        wanted = checked_properties("properties", properties)
        if not self.do_view_exists(levels):
            try:
                return self._create_view(
                    self._new_view_identifier("identifier", levels), columns, written, location, wanted
                )
            except ViewAlreadyExistsError:
                # Another writer made it since, or a table has the name.
                if not self.do_view_exists(levels):
                    raise
        operation = _native.ViewOperation.replace(
            schema_json=columns,
            version_json=written,
            expected_version_id=None,
            properties=wanted,
            location=None if location is None else self._place(levels, checked_path("location", location)),
        )
        operations = self.view_operations(levels)
        replaced = commit_view(operations, operation, starting=operations.load(None))
        return self._view(levels, replaced, operations)

    def load_view(self, identifier: str | Iterable[str]) -> View:
        """Loads a view.

        Args:
            identifier: The namespace and the name.

        Returns:
            The view at its current metadata.

        Raises:
            NoSuchViewError: The view, or its metadata file, does not exist; or it is a table.
            InvalidDataError: The metadata is damaged. The error names the file.
            UnsupportedError: The catalog keeps no views.
        """
        levels = checked_identifier("identifier", identifier)
        operations = self.view_operations(levels)
        try:
            opened = operations.load(None)
        except NoSuchViewError as error:
            raise self._instead_of_view(levels, error) from error
        return self._view(levels, opened, operations)

    def view_exists(self, identifier: str | Iterable[str]) -> bool:
        """Whether a view exists. Its metadata is not read.

        Raises:
            UnsupportedError: The catalog keeps no views.
        """
        return self.do_view_exists(checked_identifier("identifier", identifier))

    def list_views(self, namespace: str | Iterable[str]) -> list[Identifier]:
        """Lists the views directly in a namespace, in order.

        Raises:
            NoSuchNamespaceError: The namespace does not exist.
            UnsupportedError: The catalog keeps no views.

        Examples:
            >>> shop.list_views("db")
            [('db', 'totals')]
        """
        return sorted(self.do_list_views(self._known_namespace(namespace)))

    def register_view(
        self, identifier: str | Iterable[str], metadata_location: str | os.PathLike[str]
    ) -> View:
        """Adds an existing view to the catalog.

        Args:
            identifier: The namespace and the name.
            metadata_location: Its current metadata file.

        Returns:
            The view.

        Raises:
            ViewAlreadyExistsError: A view or a table of that name exists.
            NoSuchNamespaceError: The namespace does not exist.
            NoSuchViewError: The metadata file does not exist.
            InvalidDataError: The metadata is damaged.
            UnsupportedError: The catalog keeps no views, or the metadata is that of a table.
        """
        levels = self._new_view_identifier("identifier", identifier)
        location = _native.location_from_user(checked_path("metadata_location", metadata_location))
        opened = _native.View.open_metadata(location, storage_options=self.storage_options)
        self.do_register_view(levels, opened.metadata_location)
        return self.load_view(levels)

    def rename_view(self, from_identifier: str | Iterable[str], to_identifier: str | Iterable[str]) -> View:
        """Renames a view, also into another namespace. Its files are not moved, and its statements do not change.

        Returns:
            The view by its new name.

        Raises:
            NoSuchViewError: The view does not exist.
            ViewAlreadyExistsError: A view or a table of the new name exists.
            NoSuchNamespaceError: The new namespace does not exist.
            UnsupportedError: The catalog keeps no views.
        """
        before = checked_identifier("from_identifier", from_identifier)
        self._check_view(before)
        after = checked_identifier("to_identifier", to_identifier)
        if before != after:
            self.do_rename_view(before, self._new_view_identifier("to_identifier", after))
        return self.load_view(after)

    def drop_view(self, identifier: str | Iterable[str]) -> None:
        """Drops a view. Its metadata files are kept, and `register_view` adds it again.

        Raises:
            NoSuchViewError: The view does not exist.
            UnsupportedError: The catalog keeps no views.
        """
        levels = checked_identifier("identifier", identifier)
        self._check_view(levels)
        self.do_drop_view(levels)

    # What catalogs implement that keep views. The methods of these names without `do_` check the arguments first.

    def view_operations(self, identifier: Identifier) -> ViewOperations:
        """Returns the operations that load a view and commit to it. The catalog is not asked yet."""
        del identifier
        raise self.no_views()

    def do_view_exists(self, identifier: Identifier) -> bool:
        """Whether a view exists. A table of that name does not count."""
        del identifier
        raise self.no_views()

    def do_list_views(self, namespace: tuple[str, ...]) -> Iterable[Identifier]:
        """The views directly in a namespace, in any order, as whole identifiers."""
        del namespace
        raise self.no_views()

    def do_register_view(self, identifier: Identifier, metadata_location: str) -> None:
        """Adds a view with an existing metadata file. Raises `ViewAlreadyExistsError`, for a table of that name too."""
        del identifier, metadata_location
        raise self.no_views()

    def do_rename_view(self, before: Identifier, after: Identifier) -> None:
        """Renames a view, atomically. Raises `NoSuchViewError`, `ViewAlreadyExistsError`."""
        del before, after
        raise self.no_views()

    def do_drop_view(self, identifier: Identifier) -> None:
        """Drops a view. Raises `NoSuchViewError`."""
        del identifier
        raise self.no_views()

    @abstractmethod
    def do_table_exists(self, identifier: Identifier) -> bool:
        """Whether a table exists. A namespace of that name does not count."""

    # Errors that these raise.

    def no_views(self) -> UnsupportedError:
        """The error of a catalog that keeps no views."""
        return UnsupportedError(
            f"{type(self).__name__} keeps no views: use a catalog of the type 'sql' or 'memory', or open a view by "
            "fb.open_view(metadata_location)"
        )

    def no_such_view(self, identifier: Identifier) -> NoSuchViewError:
        """The error for a view that does not exist."""
        return NoSuchViewError(f"the catalog {self._name!r} has no view {dotted(identifier)!r}")

    def view_already_exists(self, identifier: Identifier) -> ViewAlreadyExistsError:
        """The error for a new view whose name is taken."""
        return ViewAlreadyExistsError(f"the view {dotted(identifier)!r} already exists")

    def view_conflict(self, identifier: Identifier) -> CommitConflictError:
        """The error for a commit to a view whose base is no longer current."""
        return CommitConflictError(
            f"another writer changed or dropped the view {dotted(identifier)!r}", retryable=True
        )

    # What they share.

    def _create_view(
        self,
        levels: Identifier,
        columns: str,
        version: str,
        location: str | os.PathLike[str] | None,
        properties: dict[str, str],
    ) -> View:
        operation = _native.ViewOperation.create(
            schema_json=columns,
            version_json=version,
            location=self._place(levels, None if location is None else checked_path("location", location)),
            properties=properties,
        )
        operations = self.view_operations(levels)
        return self._view(levels, commit_view(operations, operation, starting=None), operations)

    def _view(self, identifier: Identifier, opened: OpenedView, operations: ViewOperations) -> View:
        return View(opened, operations=operations, listed=(cast("ViewCatalog", self), identifier))

    def _is_view(self, identifier: Identifier) -> bool:
        """Whether a name is that of a view. Catalogs without views have none."""
        try:
            return self.do_view_exists(identifier)
        except UnsupportedError:
            return False

    def _views_in(self, namespace: tuple[str, ...]) -> Iterable[Identifier]:
        """The views directly in a namespace. Catalogs without views have none."""
        try:
            # Read here: a generator refuses only when it is read.
            return list(self.do_list_views(namespace))
        except UnsupportedError:
            return ()

    def _new_view_identifier(self, name: str, identifier: str | Iterable[str]) -> Identifier:
        """The identifier of a new view."""
        levels = checked_identifier(name, identifier)
        # First, since a catalog without views says so whatever is asked.
        if self.do_view_exists(levels):
            raise self.view_already_exists(levels)
        self._known_namespace(levels[:-1])
        if self.do_table_exists(levels):
            raise self._taken(levels)
        return levels

    def _taken(self, identifier: Identifier) -> ViewAlreadyExistsError:
        return ViewAlreadyExistsError(f"{dotted(identifier)!r} is a table: a view cannot have its name")

    def _check_view(self, identifier: Identifier) -> None:
        if not self.do_view_exists(identifier):
            raise self._instead_of_view(identifier, self.no_such_view(identifier))

    def _instead_of_view(self, identifier: Identifier, error: NoSuchViewError) -> NoSuchViewError:
        """The error for a view that does not exist, or is a table."""
        if not self.do_table_exists(identifier):
            return error
        return NoSuchViewError(
            f"{dotted(identifier)!r} is a table, not a view: use load_table, drop_table and others"
        )

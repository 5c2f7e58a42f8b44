"""What can every catalog do?

A catalog is a list of tables by name. It knows where the current metadata of each is, and swaps that for new metadata
where nobody else did so before: this is what makes a commit one step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_names, checked_options, checked_path, checked_text
from floeberg.catalog.names import (
    Identifier,
    Namespace,
    checked_identifier,
    checked_namespace,
    dotted,
    folder_of,
)
from floeberg.catalog.purging import remove_files_of
from floeberg.errors import (
    InvalidInputError,
    NamespaceAlreadyExistsError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from floeberg.table import Table

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

__all__ = ["Catalog", "PropertiesUpdateSummary"]

_OWN_PROPERTIES = frozenset(
    {"type", "uri", "warehouse", "py-catalog-impl", "schema-version", "init-catalog-tables", "echo"}
)
"""Properties of catalogs, which are no options of stores: a URI may hold a password and stays where it is."""


@dataclass(frozen=True)
class PropertiesUpdateSummary:
    """What became of the properties of a namespace.

    Args:
        removed: The keys that were removed.
        updated: The keys that were set.
        missing: The keys that were to be removed and were not there.
    """

    removed: tuple[str, ...]
    updated: tuple[str, ...]
    missing: tuple[str, ...]


class Catalog(ABC):
    """Tables by name.

    Identifiers are tuples, `("sales", "orders")`; dotted strings stand for them. A catalog of your own derives from
    this, or from `MetastoreCatalog` where it keeps the location of metadata files and can swap one for another.

    Args:
        name: The name of the catalog.
        properties: Its properties: those of the catalog, and the options of stores. They are kept out of reprs and
            errors.

    Examples:
        >>> catalog.create_namespace("sales")
        >>> catalog.list_namespaces()
        [('db',), ('sales',)]
        >>> catalog.drop_namespace("sales")
    """

    _name: str
    _properties: dict[str, str]

    def __init__(self, name: str, properties: Mapping[str, str] | None = None) -> None:
        self._name = checked_text("name", name)
        self._properties = checked_options("properties", properties)

    @property
    def name(self) -> str:
        """The name of the catalog."""
        return self._name

    @property
    def properties(self) -> dict[str, str]:
        """The properties of the catalog, secrets among them."""
        return dict(self._properties)

    @property
    def storage_options(self) -> dict[str, str]:
        """The options that the files of its tables are reached by, secrets among them."""
        own = _OWN_PROPERTIES
        return {key: value for key, value in self._properties.items() if key.replace("_", "-") not in own}

    # Namespaces.

    def create_namespace(
        self, namespace: str | Iterable[str], *, properties: Mapping[str, str] | None = None
    ) -> None:
        """Creates a namespace, and those that it is in.

        Args:
            namespace: The levels of the namespace.
            properties: Properties of it.

        Raises:
            NamespaceAlreadyExistsError: It is there.
            UnsupportedError: The catalog has no place for properties.
        """
        levels = checked_namespace("namespace", namespace)
        if self._has_namespace(levels):
            raise NamespaceAlreadyExistsError(f"the namespace {dotted(levels)!r} is there already")
        self._create_namespace(levels, checked_options("properties", properties))

    def create_namespace_if_not_exists(
        self, namespace: str | Iterable[str], *, properties: Mapping[str, str] | None = None
    ) -> None:
        """Creates a namespace unless it is there, as `create_namespace` does."""
        levels = checked_namespace("namespace", namespace)
        try:
            self.create_namespace(levels, properties=properties)
        except NamespaceAlreadyExistsError:
            return

    def drop_namespace(self, namespace: str | Iterable[str]) -> None:
        """Drops a namespace.

        Args:
            namespace: The levels of the namespace.

        Raises:
            NoSuchNamespaceError: It is not there.
            NamespaceNotEmptyError: It holds tables or namespaces.
        """
        levels = self._known_namespace(namespace)
        inside = [*self._list_tables(levels), *self._list_namespaces(levels)]
        if inside:
            raise NamespaceNotEmptyError(
                f"the namespace {dotted(levels)!r} is not empty: it holds {dotted(min(inside))!r}"
            )
        self._drop_namespace(levels)

    def list_namespaces(self, namespace: str | Iterable[str] = ()) -> list[Namespace]:
        """Lists the namespaces directly in a namespace, or those of the first level, in order.

        Raises:
            NoSuchNamespaceError: There is no such namespace.
        """
        levels = checked_namespace("namespace", namespace, root=True)
        return sorted(self._list_namespaces(self._known_namespace(levels) if levels else ()))

    def namespace_exists(self, namespace: str | Iterable[str]) -> bool:
        """Is there such a namespace?"""
        return self._has_namespace(checked_namespace("namespace", namespace))

    def load_namespace_properties(self, namespace: str | Iterable[str]) -> dict[str, str]:
        """The properties of a namespace.

        Raises:
            NoSuchNamespaceError: There is no such namespace.
        """
        return self._load_namespace_properties(self._known_namespace(namespace))

    def update_namespace_properties(
        self,
        namespace: str | Iterable[str],
        *,
        removals: Iterable[str] = (),
        updates: Mapping[str, str] | None = None,
    ) -> PropertiesUpdateSummary:
        """Removes and sets properties of a namespace, all or none.

        Args:
            namespace: The levels of the namespace.
            removals: The keys to remove.
            updates: The keys to set and their values.

        Returns:
            What was done.

        Raises:
            InvalidInputError: A key is to be removed and set.
            NoSuchNamespaceError: There is no such namespace.
            UnsupportedError: The catalog has no place for properties.
        """
        levels = self._known_namespace(namespace)
        removed = set(checked_names("removals", removals))
        updated = checked_options("updates", updates)
        if both := sorted(removed & set(updated)):
            raise InvalidInputError(f"properties cannot be removed and set at once: {', '.join(both)}")
        known = self._load_namespace_properties(levels)
        self._update_namespace_properties(levels, removed, updated)
        return PropertiesUpdateSummary(
            tuple(sorted(removed & set(known))), tuple(sorted(updated)), tuple(sorted(removed - set(known)))
        )

    # Tables.

    def load_table(self, identifier: str | Iterable[str]) -> Table:
        """Opens a table.

        Args:
            identifier: The namespace and the name.

        Returns:
            The table, as it is now.

        Raises:
            NoSuchTableError: There is no such table, or its metadata file is gone.
            InvalidDataError: The metadata is damaged; the error names the file.

        Examples:
            >>> len(catalog.load_table("db.refs").snapshots())
            5
        """
        levels = checked_identifier("identifier", identifier)
        return Table(self._load(levels, None))

    def table_exists(self, identifier: str | Iterable[str]) -> bool:
        """Is there such a table? Its metadata is not read."""
        return self._has_table(checked_identifier("identifier", identifier))

    def list_tables(self, namespace: str | Iterable[str]) -> list[Identifier]:
        """Lists the tables directly in a namespace, in order.

        Raises:
            NoSuchNamespaceError: There is no such namespace.

        Examples:
            >>> catalog.list_tables("db")
            [('db', 'refs')]
        """
        return sorted(self._list_tables(self._known_namespace(namespace)))

    def register_table(
        self, identifier: str | Iterable[str], metadata_location: str | os.PathLike[str]
    ) -> Table:
        """Takes a table that is there into the catalog.

        Args:
            identifier: The namespace and the name.
            metadata_location: The metadata file that is to be current.

        Returns:
            The table.

        Raises:
            TableAlreadyExistsError: There is a table of that name.
            NoSuchNamespaceError: There is no such namespace.
            NoSuchTableError: There is no such metadata file.
            InvalidDataError: The metadata is damaged.
            UnsupportedError: The catalog keeps its tables in places of its own.
        """
        levels = self._new_identifier("identifier", identifier)
        location = _native.location_from_user(checked_path("metadata_location", metadata_location))
        self._register(levels, self._open(location).metadata_location)
        return self.load_table(levels)

    def rename_table(self, from_identifier: str | Iterable[str], to_identifier: str | Iterable[str]) -> Table:
        """Gives a table another name, in the same or another namespace. Its files stay where they are.

        Returns:
            The table by its new name.

        Raises:
            NoSuchTableError: There is no such table.
            TableAlreadyExistsError: There is a table of the new name.
            NoSuchNamespaceError: The new namespace is not there.
            UnsupportedError: The catalog cannot rename tables.
        """
        before = checked_identifier("from_identifier", from_identifier)
        if not self._has_table(before):
            raise self._no_such_table(before)
        after = checked_identifier("to_identifier", to_identifier)
        if before != after:
            self._rename(before, self._new_identifier("to_identifier", after))
        return self.load_table(after)

    def drop_table(self, identifier: str | Iterable[str]) -> None:
        """Removes a table from the catalog. What becomes of its files is told by the class of the catalog.

        Raises:
            NoSuchTableError: There is no such table.
        """
        levels = checked_identifier("identifier", identifier)
        if not self._has_table(levels):
            raise self._no_such_table(levels)
        self._drop(levels)

    def purge_table(self, identifier: str | Iterable[str]) -> None:
        """Removes a table from the catalog, and all files that its metadata names.

        Files of data are kept where the table's property `gc.enabled` is `false`: others may share them.

        Raises:
            NoSuchTableError: There is no such table.
            InvalidDataError: Its metadata cannot be read. Where this is told by a manifest, the table is dropped, the
                metadata file that the error names is left, and can be registered again.
        """
        levels = checked_identifier("identifier", identifier)
        table = self._load(levels, None)
        self._drop(levels)
        remove_files_of(table, self.storage_options)

    # What catalogs differ in.

    @abstractmethod
    def _has_namespace(self, namespace: Namespace) -> bool:
        """Is it there, or anything inside it?"""

    @abstractmethod
    def _create_namespace(self, namespace: Namespace, properties: dict[str, str]) -> None: ...

    @abstractmethod
    def _drop_namespace(self, namespace: Namespace) -> None: ...

    @abstractmethod
    def _list_namespaces(self, namespace: Namespace) -> Iterable[Namespace]:
        """Those directly inside, in any order."""

    @abstractmethod
    def _load_namespace_properties(self, namespace: Namespace) -> dict[str, str]: ...

    @abstractmethod
    def _update_namespace_properties(
        self, namespace: Namespace, removals: set[str], updates: dict[str, str]
    ) -> None: ...

    @abstractmethod
    def _has_table(self, identifier: Identifier) -> bool: ...

    @abstractmethod
    def _list_tables(self, namespace: Namespace) -> Iterable[Identifier]:
        """Those directly inside, in any order."""

    @abstractmethod
    def _load(self, identifier: Identifier, known: _native.Table | None) -> _native.Table:
        """The table as it is now: the known one where that is current. Raises `NoSuchTableError`."""

    @abstractmethod
    def _register(self, identifier: Identifier, metadata_location: str) -> None:
        """Raises `TableAlreadyExistsError`."""

    @abstractmethod
    def _rename(self, before: Identifier, after: Identifier) -> None:
        """Raises `NoSuchTableError`, `TableAlreadyExistsError`."""

    @abstractmethod
    def _drop(self, identifier: Identifier) -> None:
        """Raises `NoSuchTableError`."""

    # What they share.

    def _known_namespace(self, namespace: str | Iterable[str]) -> Namespace:
        levels = checked_namespace("namespace", namespace)
        if not self._has_namespace(levels):
            raise NoSuchNamespaceError(
                f"the catalog {self._name!r} has no namespace {dotted(levels)!r}; create_namespace makes it"
            )
        return levels

    def _new_identifier(self, name: str, identifier: str | Iterable[str]) -> Identifier:
        """The identifier of a table that is to be there."""
        levels = checked_identifier(name, identifier)
        self._known_namespace(levels[:-1])
        if self._has_table(levels):
            raise self._is_there(levels)
        return levels

    def _no_such_table(self, identifier: Identifier) -> NoSuchTableError:
        return NoSuchTableError(f"the catalog {self._name!r} has no table {dotted(identifier)!r}")

    def _is_there(self, identifier: Identifier) -> TableAlreadyExistsError:
        return TableAlreadyExistsError(f"there is a table {dotted(identifier)!r} already")

    def _default_location(self, identifier: Identifier) -> str:
        """Where a table goes whose place is not given: in the place of its namespace, else in the warehouse."""
        *namespace, name = identifier
        place = self._load_namespace_properties(tuple(namespace)).get("location")
        if place is not None:
            return folder_of(place, (name,))
        warehouse = self._properties.get("warehouse")
        if warehouse is None:
            raise InvalidInputError(
                f"the catalog {self._name!r} has no property 'warehouse': give the location of the table"
            )
        return folder_of(_native.location_from_user(warehouse), identifier)

    def _open(self, metadata_location: str) -> _native.Table:
        """Opens a metadata file, whose location is taken as it was written."""
        return _native.Table.open_metadata(metadata_location, storage_options=self.storage_options)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r})"

    def __reduce__(self) -> tuple[type[Catalog], tuple[str, dict[str, str]]]:
        return type(self), (self._name, self._properties)

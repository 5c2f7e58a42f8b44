"""Which namespaces does a catalog have?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg._arguments import checked_names, checked_options, checked_text
from floeberg._display import facts_html
from floeberg._pyiceberg_names import SpelledLikePyIceberg
from floeberg.catalog.check.origins import GIVEN
from floeberg.catalog.names import Identifier, Namespace, checked_namespace, dotted, folder_of
from floeberg.errors import (
    InvalidInputError,
    NamespaceAlreadyExistsError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType

    from typing_extensions import Self

__all__ = ["Namespaces", "PropertiesUpdateSummary"]

_OWN_PROPERTIES = frozenset(
    {
        *("type", "uri", "warehouse", "py-catalog-impl", "schema-version", "init-catalog-tables", "echo"),
        *("wap.id", "wap.branch", "wap-id", "wap-branch"),
    }
)
"""Properties of catalogs that are not storage options: a URI may have a password, and must not be sent to workers."""


@dataclass(frozen=True)
class PropertiesUpdateSummary:
    """What an update of a namespace's properties did.

    Args:
        removed: The keys that were removed.
        updated: The keys that were set.
        missing: The keys to remove that did not exist.
    """

    removed: tuple[str, ...]
    updated: tuple[str, ...]
    missing: tuple[str, ...]


class Namespaces(SpelledLikePyIceberg, ABC):
    """A catalog without its tables and views: its name, its properties, and its namespaces.

    Args:
        name: The name of the catalog.
        properties: Properties of the catalog, and storage options.
        **more: Properties whose keys are Python names.
    """

    _spelled_as = "Catalog"
    _name: str
    _properties: dict[str, str]
    _origins: Mapping[str, str] = MappingProxyType({})
    """Where properties came from, where `load_catalog` knows."""

    def __init__(self, name: str, properties: Mapping[str, str] | None = None, **more: str) -> None:
        self._name = checked_text("name", name)
        self._properties = checked_options("properties", properties) | checked_options("properties", more)

    def close(self) -> None:
        """Releases what the catalog holds, such as connections to its database. A later call opens them again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def name(self) -> str:
        """The name of the catalog."""
        return self._name

    @property
    def properties(self) -> dict[str, str]:
        """The properties of the catalog, including secrets."""
        return dict(self._properties)

    @property
    def is_configured(self) -> bool:
        """Whether `load_catalog` of the name alone makes it again: all its properties are in the configuration."""
        return bool(self._origins) and GIVEN not in self._origins.values()

    @property
    def storage_options(self) -> dict[str, str]:
        """The storage options for the files of its tables, including secrets."""
        own = _OWN_PROPERTIES
        return {key: value for key, value in self._properties.items() if key.replace("_", "-") not in own}

    def create_namespace(
        self, namespace: str | Iterable[str], properties: Mapping[str, str] | None = None
    ) -> None:
        """Creates a namespace, and its parents.

        Args:
            namespace: The levels of the namespace.
            properties: Its properties.

        Raises:
            NamespaceAlreadyExistsError: The namespace exists.
            UnsupportedError: The catalog cannot store properties of namespaces.
        """
        levels = checked_namespace("namespace", namespace)
        if self.do_namespace_exists(levels):
            raise NamespaceAlreadyExistsError(f"the namespace {dotted(levels)!r} already exists")
        self.do_create_namespace(levels, checked_options("properties", properties))

    def create_namespace_if_not_exists(
        self, namespace: str | Iterable[str], properties: Mapping[str, str] | None = None
    ) -> None:
        """Creates a namespace as `create_namespace` does, unless it exists."""
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
            NoSuchNamespaceError: The namespace does not exist.
            NamespaceNotEmptyError: It has tables, views or namespaces.
        """
        levels = self._known_namespace(namespace)
        inside = [*self.do_list_tables(levels), *self._views_in(levels), *self.do_list_namespaces(levels)]
        if inside:
            raise NamespaceNotEmptyError(
                f"the namespace {dotted(levels)!r} is not empty: it has {dotted(min(inside))!r}"
            )
        self.do_drop_namespace(levels)

    def list_namespaces(self, namespace: str | Iterable[str] = ()) -> list[Namespace]:
        """Lists the namespaces directly in a namespace, or those of the first level, sorted.

        Raises:
            NoSuchNamespaceError: The namespace does not exist.
        """
        levels = checked_namespace("namespace", namespace, root=True)
        return sorted(self.do_list_namespaces(self._known_namespace(levels) if levels else ()))

    def namespace_exists(self, namespace: str | Iterable[str]) -> bool:
        """Whether a namespace exists."""
        return self.do_namespace_exists(checked_namespace("namespace", namespace))

    def load_namespace_properties(self, namespace: str | Iterable[str]) -> dict[str, str]:
        """The properties of a namespace.

        Raises:
            NoSuchNamespaceError: The namespace does not exist.
        """
        return self.do_load_namespace_properties(self._known_namespace(namespace))

    def update_namespace_properties(
        self,
        namespace: str | Iterable[str],
        removals: Iterable[str] | None = None,
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
            InvalidInputError: A key is in both.
            NoSuchNamespaceError: The namespace does not exist.
            UnsupportedError: The catalog cannot store properties of namespaces.
        """
        levels = self._known_namespace(namespace)
        removed = set(checked_names("removals", () if removals is None else removals))
        updated = checked_options("updates", updates)
        if both := sorted(removed & set(updated)):
            raise InvalidInputError(f"properties cannot be removed and set in one update: {', '.join(both)}")
        known = self.do_load_namespace_properties(levels)
        self.do_update_namespace_properties(levels, removed, updated)
        return PropertiesUpdateSummary(
            tuple(sorted(removed & set(known))), tuple(sorted(updated)), tuple(sorted(removed - set(known)))
        )

    # What catalogs implement. The methods of these names without `do_` check the arguments first.

    @abstractmethod
    def do_namespace_exists(self, namespace: Namespace) -> bool:
        """Whether the namespace exists, or anything in it."""

    @abstractmethod
    def do_create_namespace(self, namespace: Namespace, properties: dict[str, str]) -> None:
        """Creates a namespace and its parents. Another writer may create it at the same time."""

    @abstractmethod
    def do_drop_namespace(self, namespace: Namespace) -> None:
        """Drops an existing, empty namespace."""

    @abstractmethod
    def do_list_namespaces(self, namespace: Namespace) -> Iterable[Namespace]:
        """The namespaces directly in one, in any order; those of the first level for `()`."""

    @abstractmethod
    def do_load_namespace_properties(self, namespace: Namespace) -> dict[str, str]:
        """The properties of an existing namespace. `location` is the folder of new tables."""

    @abstractmethod
    def do_update_namespace_properties(
        self, namespace: Namespace, removals: set[str], updates: dict[str, str]
    ) -> None:
        """Removes and sets properties of an existing namespace, atomically."""

    @abstractmethod
    def do_list_tables(self, namespace: Namespace) -> Iterable[Identifier]:
        """The tables directly in a namespace, in any order, as whole identifiers."""

    def _place(self, identifier: Identifier, location: str | None) -> str:
        """The location of a new table or view."""
        if location is None:
            return self._default_location(identifier)
        place = _native.location_from_user(location)
        return place.rstrip("/") or place

    def _default_location(self, identifier: Identifier) -> str:
        """The default location of a new table or view: in that of its namespace, or in the warehouse."""
        *namespace, name = identifier
        place = self.do_load_namespace_properties(tuple(namespace)).get("location")
        if place is not None:
            return folder_of(place, (name,))
        warehouse = self._properties.get("warehouse")
        if warehouse is None:
            raise InvalidInputError(
                f"the catalog {self._name!r} has no property 'warehouse': give the location"
            )
        return folder_of(_native.location_from_user(warehouse), identifier)

    @abstractmethod
    def _views_in(self, namespace: Namespace) -> Iterable[Identifier]:
        """The views directly in a namespace. Catalogs without views have none."""

    def _known_namespace(self, namespace: str | Iterable[str]) -> Namespace:
        levels = checked_namespace("namespace", namespace)
        if not self.do_namespace_exists(levels):
            raise NoSuchNamespaceError(
                f"the catalog {self._name!r} has no namespace {dotted(levels)!r}: create it by create_namespace"
            )
        return levels

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r})"

    def _repr_html_(self) -> str:
        # Values may be secret: only where the catalog is, without passwords and what follows a question mark.
        facts: dict[str, object] = {
            key: _native.without_passwords(self._properties[key].partition("?")[0])
            for key in ("uri", "warehouse")
            if key in self._properties
        }
        others = sorted(self._properties.keys() - facts.keys())
        facts["other properties"] = ", ".join(others) or None
        return facts_html(f"{type(self).__name__} {self._name}", facts)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._name, self._properties)

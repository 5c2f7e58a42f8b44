"""Which namespaces are in a catalog, and what does it know of them?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg._arguments import checked_names, checked_options, checked_text
from floeberg._pyiceberg_names import SpelledLikePyIceberg
from floeberg.catalog.names import Identifier, Namespace, checked_namespace, dotted
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


class Namespaces(SpelledLikePyIceberg, ABC):
    """A catalog without its tables: its name, its properties, and its namespaces.

    Args:
        name: The name of the catalog.
        properties: Its properties: those of the catalog, and the options of stores.
        **more: Properties whose keys are names of Python.
    """

    _spelled_as = "Catalog"
    _name: str
    _properties: dict[str, str]

    def __init__(self, name: str, properties: Mapping[str, str] | None = None, **more: str) -> None:
        self._name = checked_text("name", name)
        self._properties = checked_options("properties", properties) | checked_options("properties", more)

    def close(self) -> None:
        """Lets go of what the catalog holds, as connections to its database. A later call opens them again."""

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
        """The properties of the catalog, secrets among them."""
        return dict(self._properties)

    @property
    def storage_options(self) -> dict[str, str]:
        """The options that the files of its tables are reached by, secrets among them."""
        own = _OWN_PROPERTIES
        return {key: value for key, value in self._properties.items() if key.replace("_", "-") not in own}

    def create_namespace(
        self, namespace: str | Iterable[str], properties: Mapping[str, str] | None = None
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
        if self.do_namespace_exists(levels):
            raise NamespaceAlreadyExistsError(f"the namespace {dotted(levels)!r} already exists")
        self.do_create_namespace(levels, checked_options("properties", properties))

    def create_namespace_if_not_exists(
        self, namespace: str | Iterable[str], properties: Mapping[str, str] | None = None
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
        inside = [*self.do_list_tables(levels), *self.do_list_namespaces(levels)]
        if inside:
            raise NamespaceNotEmptyError(
                f"the namespace {dotted(levels)!r} is not empty: it holds {dotted(min(inside))!r}"
            )
        self.do_drop_namespace(levels)

    def list_namespaces(self, namespace: str | Iterable[str] = ()) -> list[Namespace]:
        """Lists the namespaces directly in a namespace, or those of the first level, in order.

        Raises:
            NoSuchNamespaceError: The namespace does not exist.
        """
        levels = checked_namespace("namespace", namespace, root=True)
        return sorted(self.do_list_namespaces(self._known_namespace(levels) if levels else ()))

    def namespace_exists(self, namespace: str | Iterable[str]) -> bool:
        """Is there such a namespace?"""
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
            InvalidInputError: A key is to be removed and set.
            NoSuchNamespaceError: The namespace does not exist.
            UnsupportedError: The catalog has no place for properties.
        """
        levels = self._known_namespace(namespace)
        removed = set(checked_names("removals", () if removals is None else removals))
        updated = checked_options("updates", updates)
        if both := sorted(removed & set(updated)):
            raise InvalidInputError(f"properties cannot be removed and set at once: {', '.join(both)}")
        known = self.do_load_namespace_properties(levels)
        self.do_update_namespace_properties(levels, removed, updated)
        return PropertiesUpdateSummary(
            tuple(sorted(removed & set(known))), tuple(sorted(updated)), tuple(sorted(removed - set(known)))
        )

    # What catalogs differ in: each is called by the method of its name without `do_`, which checks the arguments.

    @abstractmethod
    def do_namespace_exists(self, namespace: Namespace) -> bool:
        """Is it there, or anything inside it?"""

    @abstractmethod
    def do_create_namespace(self, namespace: Namespace, properties: dict[str, str]) -> None:
        """Makes a namespace that is not there, and those that it is in. Another may make it meanwhile."""

    @abstractmethod
    def do_drop_namespace(self, namespace: Namespace) -> None:
        """Drops a namespace that is there and holds nothing."""

    @abstractmethod
    def do_list_namespaces(self, namespace: Namespace) -> Iterable[Namespace]:
        """Those directly inside, in any order; those of the first level for `()`."""

    @abstractmethod
    def do_load_namespace_properties(self, namespace: Namespace) -> dict[str, str]:
        """The properties of a namespace that is there. `location` is where its tables go."""

    @abstractmethod
    def do_update_namespace_properties(
        self, namespace: Namespace, removals: set[str], updates: dict[str, str]
    ) -> None:
        """Removes and sets properties of a namespace that is there, in one step."""

    @abstractmethod
    def do_list_tables(self, namespace: Namespace) -> Iterable[Identifier]:
        """Those directly inside, in any order, as whole identifiers."""

    def _known_namespace(self, namespace: str | Iterable[str]) -> Namespace:
        levels = checked_namespace("namespace", namespace)
        if not self.do_namespace_exists(levels):
            raise NoSuchNamespaceError(
                f"the catalog {self._name!r} has no namespace {dotted(levels)!r}: create it by create_namespace"
            )
        return levels

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._name, self._properties)

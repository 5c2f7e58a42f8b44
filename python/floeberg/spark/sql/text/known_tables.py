"""Which names of a statement are tables and views of the catalog?

A name with one part is Spark's: a temporary view, a common table expression, a table of the current database. A longer
name is the catalog's if the catalog has it, with or without the name of the catalog in front. A metadata table
(`orders.snapshots`), a branch or a snapshot may follow, spelled as in Iceberg (`orders.branch_audit`).

Invariant: a name is looked up once a statement, and each table is loaded once: all its uses read the same snapshot.
"""

from __future__ import annotations

import difflib
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

from floeberg._table_selectors import selector_of
from floeberg.catalog import load_catalog
from floeberg.catalog.configuration import configured_name, configured_properties
from floeberg.errors import (
    InvalidInputError,
    NoSuchNamespaceError,
    NoSuchTableError,
    NoSuchViewError,
    UnsupportedError,
)
from floeberg.spark.session.names import quoted
from floeberg.spark.session.wap import under_wap
from floeberg.spark.tables import open_named
from floeberg.table.inspect import MetadataTable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import SparkSession

    from floeberg.catalog import Catalog
    from floeberg.table import Table
    from floeberg.view import View

__all__ = ["CHANGES", "Found", "FoundView", "KnownTables"]

CHANGES = "changes"
"""What follows the name of a table whose changes are read."""
_METADATA: frozenset[str] = frozenset({*get_args(MetadataTable), CHANGES})


@dataclass(frozen=True)
class Found:
    """A table that a name means, and what of it."""

    table: Table
    full: tuple[str, ...]
    """The whole name, with that of the catalog."""
    metadata: str | None = None
    """A metadata table, or `changes`."""
    ref: tuple[str, str] | None = None
    """`branch` or `tag`, and its name."""
    snapshot_id: int | None = None
    timestamp_ms: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it is the table itself: no metadata table, ref or snapshot of it."""
        chosen = (self.metadata, self.ref, self.snapshot_id, self.timestamp_ms)
        return all(each is None for each in chosen)

    @property
    def column_names(self) -> list[str]:
        """The names of its columns."""
        return self.table.schema().column_names


@dataclass(frozen=True)
class FoundView:
    """A view that a name means."""

    view: View
    catalog: Catalog
    full: tuple[str, ...]
    """The whole name, with that of the catalog."""

    @property
    def column_names(self) -> list[str]:
        """The names of its columns."""
        return self.view.schema().column_names


class KnownTables:
    """The tables that a statement may name.

    Args:
        spark: The session.
        catalog: The catalog, its name in the configuration, or `None` for the default one.
        others: Other catalogs by their names, before those of the configuration.
    """

    def __init__(
        self, spark: SparkSession, catalog: Catalog | str | None, others: Mapping[str, Catalog] | None = None
    ) -> None:
        self._spark = spark
        if catalog is None:
            name = configured_name()
            self._catalog = load_catalog(name) if configured_properties(name) else None
        else:
            self._catalog = load_catalog(catalog) if isinstance(catalog, str) else catalog
        self._others: dict[str, Catalog | None] = dict(others or {})
        self._tables: dict[tuple[tuple[Any, ...], tuple[str, ...]], Table | None] = {}
        self._found: dict[tuple[str, ...], Found | None] = {}
        self._views: dict[tuple[tuple[Any, ...], tuple[str, ...]], View | None] = {}
        self._of_spark: dict[tuple[str, ...], bool] = {}

    def find(self, parts: tuple[str, ...]) -> Found | None:
        """The table of the catalog that a name means; `None` for a table of Spark.

        Raises:
            InvalidInputError: Spark has a table of the name, too.
            NoSuchTableError: The name begins with the catalog or one of its namespaces, and the table does not exist.
        """
        found = self.look_up(parts)
        if found is None:
            self._explain_absence(parts)
        elif found.full[-len(parts) :] == parts and len(found.full) > len(parts) and self._spark_has(parts):
            raise _of_both_tables(found.full, parts)
        return found

    def look_up(self, parts: tuple[str, ...]) -> Found | None:
        """Like `find`, but without errors for missing or ambiguous tables."""
        if len(parts) < 2:  # noqa: PLR2004 - a namespace and a name
            return None
        if parts not in self._found:
            tried = (_in_catalog(self, catalog, levels) for catalog, levels in self._places(parts))
            self._found[parts] = next((found for found in tried if found is not None), None)
        return self._found[parts]

    def view(self, parts: tuple[str, ...]) -> FoundView | None:
        """The view of the catalog that a name means; `None` where there is none."""
        for catalog, levels in self._places(parts):
            view = self._load_view(catalog, levels)
            if view is not None:
                return FoundView(view, catalog, (catalog.name, *levels))
        return None

    def relation(self, parts: tuple[str, ...]) -> Found | FoundView | None:
        """The table or the view of the catalog that a name means; `None` for a table of Spark.

        Raises:
            FloebergError: As for `find`.
        """
        if self.look_up(parts) is None and (view := self.view(parts)) is not None:
            if view.full[1:] == parts and self._spark_has(parts):
                raise _of_both_tables(view.full, parts)
            return view
        return self.find(parts)

    def is_ours(self, parts: tuple[str, ...]) -> bool:
        """Whether a name is that of a table or a view of a catalog."""
        return self.look_up(parts) is not None or self.view(parts) is not None

    def _places(self, parts: tuple[str, ...]) -> list[tuple[Catalog, tuple[str, ...]]]:
        """Where something of a name may be: catalogs, and the rest of the name."""
        if len(parts) < 2:  # noqa: PLR2004 - a namespace and a name
            return []
        own = self._named(parts[0])
        places = [(own, parts[1:])] if own is not None else []
        return places if self._catalog is None else [*places, (self._catalog, parts)]

    def _load_view(self, catalog: Catalog, levels: tuple[str, ...]) -> View | None:
        key = (catalog.name, *sorted(catalog.properties.items())), levels
        if key not in self._views:
            self._views[key] = None
            # A name that no view of the catalog can have is somebody else's.
            with suppress(InvalidInputError, NoSuchViewError):
                if len(levels) > 1 and _is_view(catalog, levels):
                    self._views[key] = catalog.load_view(levels)
        return self._views[key]

    def load(self, catalog: Catalog, levels: tuple[str, ...]) -> Table | None:
        """A table of a catalog, or `None`."""
        key = (catalog.name, *sorted(catalog.properties.items())), levels
        if key not in self._tables:
            self._tables[key] = None
            # A name that no table of the catalog can have is somebody else's.
            try:
                there = len(levels) > 1 and catalog.table_exists(levels)
            except InvalidInputError:
                there = False
            if there:
                self._tables[key] = under_wap(self._spark, catalog.load_table(levels))
        return self._tables[key]

    def open(self, name: str, catalog: Catalog | str | None) -> Table:
        """A table as `floeberg.spark.create_view` names it, the same as other names of it give in this statement."""
        if catalog is None and "/" in name:
            return open_named(name, None)
        place = catalog if catalog is not None and not isinstance(catalog, str) else load_catalog(catalog)
        return self.load(place, tuple(name.split("."))) or open_named(name, place)

    def beside(self, catalog: Catalog | None) -> KnownTables:
        """The tables of another default catalog, at the same snapshots."""
        if catalog is self._catalog:
            return self
        made = copy(self)
        made._catalog, made._found, made._others = catalog, {}, {}  # noqa: SLF001 - its own class
        return made

    def within(self, catalog: Catalog) -> KnownTables:
        """The tables that a view of a catalog may name, at the same snapshots.

        The catalogs that the statement knows by their names are known there too.
        """
        if catalog is self._catalog:
            return self
        made, others = self.beside(catalog), dict(self._others)
        if self._catalog is not None:
            others[self._catalog.name] = self._catalog
        made._others = others  # noqa: SLF001 - its own class
        return made

    @property
    def default(self) -> Catalog | None:
        """The catalog whose tables are named without it."""
        return self._catalog

    def catalog(self, name: str) -> Catalog | None:
        """The catalog of a name, if there is one."""
        return self._named(name)

    def place(self, parts: tuple[str, ...]) -> tuple[Catalog, tuple[str, ...]] | None:
        """Where a table of a name is, or would be made; `None` for a table of Spark.

        Raises:
            InvalidInputError: Both the catalog and Spark have the namespace.
        """
        own = self._named(parts[0]) if len(parts) > 2 else None  # noqa: PLR2004 - a catalog before both
        if own is not None:
            return own, parts[1:]
        if self._catalog is None or len(parts) < 2:  # noqa: PLR2004 - a namespace and a name
            return None
        found = self.namespace(parts[:-1])
        if found is None or not found[0].namespace_exists(found[1]):
            return None
        if self._spark_has_namespace(parts[:-1]):
            raise _of_both(found[0], parts[:-1], parts)
        return found[0], parts

    def namespace(self, parts: tuple[str, ...]) -> tuple[Catalog, tuple[str, ...]] | None:
        """Where a namespace of a name is, or would be made; `None` for one of Spark."""
        own = self._named(parts[0]) if len(parts) > 1 else None
        if own is not None:
            return own, parts[1:]
        if self._catalog is None or parts[0] == "spark_catalog":
            return None
        return self._catalog, parts

    def existing_namespace(self, parts: tuple[str, ...]) -> tuple[Catalog, tuple[str, ...]] | None:
        """The namespace of a name; `None` for one of Spark, or none at all."""
        found = self.namespace(parts)
        if found is None or (len(parts) > 1 and found[1] != parts):
            return found
        return found if found[0].namespace_exists(parts) and not self._spark_has_namespace(parts) else None

    def check_one_namespace(self, parts: tuple[str, ...]) -> None:
        """Checks that a name means one namespace.

        Raises:
            InvalidInputError: Both the catalog and Spark have a namespace of it.
        """
        found = self.namespace(parts)
        if (
            found is not None
            and found[1] == parts
            and found[0].namespace_exists(parts)
            and self._spark_has_namespace(parts)
        ):
            raise _of_both(found[0], parts, parts)

    def _spark_has_namespace(self, parts: tuple[str, ...]) -> bool:
        return _asked(self._spark.catalog.databaseExists, parts)

    def _named(self, name: str) -> Catalog | None:
        """The catalog of a name: the given one, or one of the configuration."""
        if self._catalog is not None and name == self._catalog.name:
            return self._catalog
        if name not in self._others:
            self._others[name] = load_catalog(name) if configured_properties(name) else None
        return self._others[name]

    def _explain_absence(self, parts: tuple[str, ...]) -> None:
        own = self._named(parts[0]) if len(parts) > 2 else None  # noqa: PLR2004 - a catalog before both
        catalog, levels = (self._catalog, parts) if own is None else (own, parts[1:])
        if catalog is None or len(levels) < 2:  # noqa: PLR2004
            return
        try:
            tables = catalog.list_tables(levels[:-1])
        except (NoSuchNamespaceError, InvalidInputError):
            if own is None:
                return
            tables = []
        if self._spark_has(parts):
            return
        if _is_view(catalog, levels):
            name = ".".join(levels)
            raise NoSuchTableError(
                f"{name!r} is a view, and a table is expected here: SELECT reads the view, CREATE OR REPLACE VIEW, "
                "ALTER VIEW and DROP VIEW change it"
            )
        error = catalog.no_such_table(levels)
        listed = [".".join(each) for each in tables]
        near = difflib.get_close_matches(".".join(levels), listed)
        raise NoSuchTableError(
            error.message + (f"; near matches: {', '.join(map(repr, near))}" if near else "")
        )

    def _spark_has(self, parts: tuple[str, ...]) -> bool:
        if parts not in self._of_spark:
            self._of_spark[parts] = _asked(self._spark.catalog.tableExists, parts)
        return self._of_spark[parts]


def _asked(exists: Callable[[str], bool], parts: tuple[str, ...]) -> bool:
    """Whether Spark has something of a name."""
    from pyspark.errors import PySparkException  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    try:
        return bool(exists(quoted(*parts)))
    except PySparkException:
        # Spark has no catalog or no namespace of that name.
        return False


def _of_both_tables(full: tuple[str, ...], parts: tuple[str, ...]) -> InvalidInputError:
    """The error of a name that both the catalog and Spark have."""
    name = ".".join(parts)
    return InvalidInputError(
        f"both the catalog {full[0]!r} and Spark have a table {name!r}: write {'.'.join(full)!r} "
        f"or 'spark_catalog.{name}'"
    )


def _of_both(catalog: Catalog, namespace: tuple[str, ...], parts: tuple[str, ...]) -> InvalidInputError:
    """The error of a name whose namespace both the catalog and Spark have."""
    name = ".".join(parts)
    return InvalidInputError(
        f"both the catalog {catalog.name!r} and Spark have a namespace {'.'.join(namespace)!r}: write "
        f"'{catalog.name}.{name}' or 'spark_catalog.{name}'"
    )


def _is_view(catalog: Catalog, levels: tuple[str, ...]) -> bool:
    try:
        return catalog.view_exists(levels)
    except UnsupportedError:
        return False


def _in_catalog(known: KnownTables, catalog: Catalog, levels: tuple[str, ...]) -> Found | None:
    full = (catalog.name, *levels)
    table = known.load(catalog, levels)
    if table is not None:
        return Found(table, full)
    if len(levels) < 3:  # noqa: PLR2004 - something after the name
        return None
    last = levels[-1]
    selector = selector_of(last)
    if last.lower() not in _METADATA and selector is None:
        return None
    table = known.load(catalog, levels[:-1])
    if table is None:
        return None
    found = Found(table, full)
    if selector is None:
        return replace(found, metadata=last.lower())
    return replace(
        found, ref=selector.ref, snapshot_id=selector.snapshot_id, timestamp_ms=selector.timestamp_ms
    )

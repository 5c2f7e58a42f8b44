"""How is a catalog of each kind made, empty, with a warehouse of its own?"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from json_catalog import JsonCatalog

from floeberg.catalog import Catalog, FileSystemCatalog, MemoryCatalog
from floeberg.catalog.sql import SqlCatalog

NUMBERS = itertools.count()


@dataclass(frozen=True)
class Kind:
    """How catalogs of a kind are made, and what they can do.

    Attributes:
        make: Makes one, by its name and a folder for it.
        has_properties: Namespaces have properties.
        renames: Tables are renamed, and registered at other places.
        travels: Another process sees the same tables.
        views: It has views.
        compares_metadata: A commit needs the metadata file that it is based on. Otherwise it needs what it changes to
            be as it was: a server looks at requirements.
        places_namespaces: Each namespace has a `location`, though nobody set it.
        takes_patterns: Names may have the signs of patterns.
        takes_capitals: Names of namespaces may have capitals.
        tells_capitals: Names of namespaces may differ by case alone.
        checks_names: Names of tables that are no names of folders are refused.
        keeps_dropped: The files of a dropped table stay, and can be registered.
        replaces_registered: A registered table may take the place of another.
        adds_properties: Properties that a new table gets, though nobody set them.
        maps_names: Tables have a name mapping, which cannot be removed.
        keeps_dropped_views: The metadata of a dropped view stays, and can be registered.
        keeps_summaries: A version of a view has the summary that it was given, and no more.
        moves_views: The metadata of a view is written where its location is.
        names_metadata: Metadata files are named by Floeberg, or as it names them.
        frees_names: A new view may have the name that another was given up for.
        forgets_folders: Folders without a file are not listed.
    """

    make: Callable[[str, Path], Catalog]
    has_properties: bool = True
    renames: bool = True
    travels: bool = True
    views: bool = True
    compares_metadata: bool = True
    places_namespaces: bool = False
    takes_patterns: bool = True
    takes_capitals: bool = True
    tells_capitals: bool = True
    checks_names: bool = True
    keeps_dropped: bool = True
    replaces_registered: bool = True
    adds_properties: frozenset[str] = frozenset()
    maps_names: bool = False
    keeps_dropped_views: bool = True
    keeps_summaries: bool = True
    moves_views: bool = True
    names_metadata: bool = True
    frees_names: bool = True
    forgets_folders: bool = True

    def new(self, folder: Path) -> Catalog:
        """One of a name that no other has."""
        return self.make(f"c{next(NUMBERS)}", folder)

    def skip_where_names_are_mapped(self) -> None:
        """Skip a test that gives the name of a column to another one."""
        if self.maps_names:
            pytest.skip(
                "the server gives tables a name mapping, in which a name stays that of its first column"
            )


def memory(name: str, folder: Path) -> Catalog:
    return MemoryCatalog(name, {"warehouse": str(folder / "warehouse")})


def all_in_memory(name: str, folder: Path) -> Catalog:
    del folder
    return MemoryCatalog(name)


def filesystem(name: str, folder: Path) -> Catalog:
    return FileSystemCatalog(name, {"warehouse": str(folder / "warehouse")})


def filesystem_in_memory(name: str, folder: Path) -> Catalog:
    del folder
    return FileSystemCatalog(name, {"warehouse": f"memory://{name}/warehouse"})


def sqlite(name: str, folder: Path) -> Catalog:
    warehouse = (folder / "warehouse").as_uri()
    return SqlCatalog(name, {"uri": f"sqlite:///{folder}/catalog.db", "warehouse": warehouse})


def sqlite_of_version_0(name: str, folder: Path) -> Catalog:
    connection = sqlite3.connect(folder / "catalog.db")
    # As Iceberg Java makes them.
    connection.execute(
        "CREATE TABLE iceberg_tables(catalog_name VARCHAR(255) NOT NULL,table_namespace VARCHAR(255) NOT NULL,"
        "table_name VARCHAR(255) NOT NULL,metadata_location VARCHAR(1000),"
        "previous_metadata_location VARCHAR(1000),PRIMARY KEY (catalog_name, table_namespace, table_name))"
    )
    connection.execute(
        "CREATE TABLE iceberg_namespace_properties(catalog_name VARCHAR(255) NOT NULL,"
        "namespace VARCHAR(255) NOT NULL,property_key VARCHAR(255),property_value VARCHAR(1000),"
        "PRIMARY KEY (catalog_name, namespace, property_key))"
    )
    connection.commit()
    connection.close()
    return sqlite(name, folder)


def sqlite_in_memory(name: str, folder: Path) -> Catalog:
    return SqlCatalog(name, {"uri": "sqlite://", "warehouse": str(folder / "warehouse")})


def of_a_users_own(name: str, folder: Path) -> Catalog:
    return JsonCatalog(name, {"file": f"{folder}/catalog.json", "warehouse": (folder / "warehouse").as_uri()})


KINDS = {
    "memory": Kind(memory),
    "all-in-memory": Kind(all_in_memory),
    "filesystem": Kind(
        filesystem,
        has_properties=False,
        renames=False,
        views=False,
        replaces_registered=False,
    ),
    "filesystem-in-memory": Kind(
        filesystem_in_memory,
        has_properties=False,
        renames=False,
        views=False,
        replaces_registered=False,
    ),
    "sqlite": Kind(sqlite),
    "sqlite-v0": Kind(sqlite_of_version_0, views=False),
    "of-a-users-own": Kind(of_a_users_own),
    "sqlite-in-memory": Kind(sqlite_in_memory, travels=False),
}

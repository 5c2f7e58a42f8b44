"""How is a catalog of each kind made, empty, with a warehouse of its own?"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from json_catalog import JsonCatalog

from floeberg.catalog import Catalog, FileSystemCatalog, MemoryCatalog
from floeberg.catalog.sql import SqlCatalog

NUMBERS = itertools.count()


@dataclass(frozen=True)
class Kind:
    """How catalogs of a kind are made, and what they can do."""

    make: Callable[[str, Path], Catalog]
    has_properties: bool = True
    renames: bool = True
    travels: bool = True
    views: bool = True
    transactions: bool = True

    def new(self, folder: Path) -> Catalog:
        """One of a name that no other has."""
        return self.make(f"c{next(NUMBERS)}", folder)


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
    "filesystem": Kind(filesystem, has_properties=False, renames=False, views=False, transactions=False),
    "filesystem-in-memory": Kind(
        filesystem_in_memory, has_properties=False, renames=False, views=False, transactions=False
    ),
    "sqlite": Kind(sqlite),
    "sqlite-v0": Kind(sqlite_of_version_0, views=False),
    "of-a-users-own": Kind(of_a_users_own),
    "sqlite-in-memory": Kind(sqlite_in_memory, travels=False),
}

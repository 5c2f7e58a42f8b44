"""How is a catalog of each server made, empty, with a place of its own for tables?"""

from __future__ import annotations

import shutil
from pathlib import Path

from catalog_kinds import Kind
from servers import started

import floeberg as fb
from floeberg.catalog import Catalog, Namespace
from tiers import ALL


def of_database(server: str):
    """How to make a catalog whose rows no other one of the database sees."""

    def make(name: str, folder: Path) -> Catalog:
        known = started(server).properties
        return fb.load_catalog(name, **known, warehouse=(folder / "warehouse").as_uri())

    return make


def seaweedfs(name: str, folder: Path) -> Catalog:
    """One of a warehouse of its own."""
    del folder
    found = started("seaweedfs")
    return fb.load_catalog(name, **found.properties, warehouse=found.warehouse())


def of_server(server: str):
    """How to make the catalog of a server, which is emptied first: it has one."""

    def make(name: str, folder: Path) -> Catalog:
        del folder
        found = started(server)
        catalog = fb.load_catalog(name, **found.properties)
        for namespace in catalog.list_namespaces():
            remove(catalog, namespace)
        assert catalog.list_namespaces() == []
        shutil.rmtree(found.folder / "warehouse", ignore_errors=True)
        return catalog

    return make


def remove(catalog: Catalog, namespace: Namespace) -> None:
    """Drop a namespace, and all that is in it."""
    for inner in catalog.list_namespaces(namespace):
        remove(catalog, inner)
    for view in catalog._views_in(namespace):
        catalog.drop_view(view)
    for table in catalog.list_tables(namespace):
        catalog.drop_table(table)
    catalog.drop_namespace(namespace)


ICEBERG = {
    "compares_metadata": False,
    "places_namespaces": True,
    "takes_patterns": False,
    "tells_capitals": False,
    "checks_names": False,
    "replaces_registered": False,
    "adds_properties": frozenset({"write.parquet.compression-codec"}),
    "keeps_dropped_views": False,
    "keeps_summaries": False,
}
"""What Iceberg's server does differently: it looks at requirements, its Jetty refuses `%25` in a path, and its
SQLite compares outer namespaces without regard to case."""

KINDS = {
    "postgresql": Kind(of_database("postgresql")),
    "floeberg-sqlite": Kind(of_server("floeberg-sqlite"), compares_metadata=False, checks_names=False),
    "floeberg-folders": Kind(
        of_server("floeberg-folders"),
        compares_metadata=False,
        checks_names=False,
        has_properties=False,
        renames=False,
        views=False,
        replaces_registered=False,
    ),
    "iceberg-rest": Kind(of_server("iceberg-rest"), **ICEBERG),
    "seaweedfs": Kind(
        seaweedfs,
        compares_metadata=False,
        places_namespaces=True,
        takes_patterns=False,
        takes_capitals=False,
        checks_names=False,
        keeps_dropped=False,
        replaces_registered=False,
        adds_properties=frozenset({"schema.name-mapping.default"}),
        maps_names=True,
        keeps_dropped_views=False,
        moves_views=False,
        names_metadata=False,
        frees_names=False,
    ),
}
if ALL:
    KINDS["mariadb"] = Kind(of_database("mariadb"))
WITH_TOKENS = Kind(of_server("iceberg-rest-oauth2"), **ICEBERG)
"""Iceberg's server where each request needs a token. SeaweedFS wants one, too."""

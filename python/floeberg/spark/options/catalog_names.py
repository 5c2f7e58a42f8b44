"""In which catalog is a table of a name?

A name of three parts or more may begin with the name of a catalog of the configuration, as in Spark's SQL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.catalog import load_catalog
from floeberg.catalog.configuration import configured_name, configured_properties

if TYPE_CHECKING:
    from floeberg.catalog import Catalog

__all__ = ["catalog_and_name", "catalog_to_create"]


def catalog_and_name(name: str) -> tuple[Catalog, str]:
    """The catalog of a name, and the name in it. Where both have the table, the catalog that is named counts.

    Raises:
        FloebergError: No catalog is configured, or it cannot be reached.
    """
    first, _, rest = name.partition(".")
    if "." not in rest or not configured_properties(first):
        return load_catalog(), name
    named = load_catalog(first)
    default = configured_name()
    if default == first or not configured_properties(default) or named.table_exists(rest):
        return named, rest
    other = load_catalog(default)
    return (other, name) if other.table_exists(name) else (named, rest)


def catalog_to_create(name: str) -> tuple[Catalog, str]:
    """The catalog in which a table of a name would be made, and the name in it.

    Raises:
        FloebergError: No catalog is configured, or it cannot be reached.
    """
    first, _, rest = name.partition(".")
    if "." in rest and configured_properties(first):
        return load_catalog(first), rest
    return load_catalog(), name

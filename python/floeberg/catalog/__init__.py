"""Tables by name: catalogs in files, in SQL databases, in memory, and of your own.

`SqlCatalog` is in `floeberg.catalog.sql`, which imports SQLAlchemy.

Examples:
    >>> catalog.list_tables("db")
    [('db', 'refs')]
"""

from floeberg.catalog.backup import ExportResult, RestoreResult
from floeberg.catalog.base import Catalog
from floeberg.catalog.check import CatalogCheck, CatalogCheckStep
from floeberg.catalog.filesystem import FileSystemCatalog
from floeberg.catalog.loading import check_catalog, load_catalog
from floeberg.catalog.memory import MemoryCatalog
from floeberg.catalog.metastore import MetadataSwap, MetastoreCatalog
from floeberg.catalog.names import Identifier, Namespace
from floeberg.catalog.namespaces import PropertiesUpdateSummary
from floeberg.catalog.transactions import CatalogTransaction
from floeberg.commit.several import TableCommit

__all__ = [
    "Catalog",
    "CatalogCheck",
    "CatalogCheckStep",
    "CatalogTransaction",
    "ExportResult",
    "FileSystemCatalog",
    "Identifier",
    "MemoryCatalog",
    "MetadataSwap",
    "MetastoreCatalog",
    "Namespace",
    "PropertiesUpdateSummary",
    "RestoreResult",
    "TableCommit",
    "check_catalog",
    "load_catalog",
]

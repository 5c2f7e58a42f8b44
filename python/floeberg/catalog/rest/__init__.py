"""Tables behind a server of the Iceberg REST catalog specification."""

from floeberg.catalog.rest.auth_manager import AuthManager, SignedRequest
from floeberg.catalog.rest.catalog import RestCatalog
from floeberg.udf.function import CatalogFunction

__all__ = ["AuthManager", "CatalogFunction", "RestCatalog", "SignedRequest"]

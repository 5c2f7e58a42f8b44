"""Tables behind a server of the Iceberg REST catalog specification."""

from floeberg.catalog.rest.auth_manager import AuthManager, SignedRequest
from floeberg.catalog.rest.catalog import RestCatalog

__all__ = ["AuthManager", "RestCatalog", "SignedRequest"]

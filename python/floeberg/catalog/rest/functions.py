"""Which functions does a server have?

Spec: REST catalog specification, `ListFunctionsResponse`, `LoadFunctionResult`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidDataError
from floeberg.udf.function import CatalogFunction

if TYPE_CHECKING:
    from floeberg.catalog.names import Identifier

__all__ = ["FUNCTION", "FUNCTIONS", "function_of", "identifier_of_levels"]

FUNCTIONS = "/v1/{prefix}/namespaces/{namespace}/functions"
FUNCTION = FUNCTIONS + "/{function}"


def function_of(identifier: Identifier, answer: dict[str, Any]) -> CatalogFunction:
    """The function of a `LoadFunctionResult`.

    Raises:
        InvalidDataError: The answer has no such form.
    """
    metadata, location = answer.get("metadata"), answer.get("metadata-location")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("definitions"), list):
        raise InvalidDataError("expected an object 'metadata' with 'definitions' in the answer of the server")
    return CatalogFunction(identifier, metadata, location if isinstance(location, str) else None)


def identifier_of_levels(found: object) -> Identifier:
    """The identifier of a `CatalogObjectIdentifier`: a list of levels, the name last.

    Raises:
        InvalidDataError: It is none.
    """
    if not isinstance(found, list) or not found or not all(isinstance(each, str) for each in found):
        raise InvalidDataError("expected identifiers as lists of names")
    return tuple(found)

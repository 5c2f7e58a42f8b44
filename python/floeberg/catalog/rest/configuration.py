"""Which properties does a REST catalog have, and which of them do files need?

Spec: REST catalog specification, `CatalogConfig`, and `LoadTableResult`: `config` and `storage-credentials`.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from floeberg.encryption.choosing import without_keys
from floeberg.errors import InvalidDataError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "UNPLACED",
    "SnapshotMode",
    "credentials_of",
    "object_in",
    "of_files",
    "table_options",
    "texts",
    "without_keys",
]

_MODE = "snapshot-loading-mode"
UNPLACED = "rest://the-server-decides"
"""The location of a new table or view until the server says where it is."""


class SnapshotMode(Enum):
    """Which snapshots a table is loaded with: all, or those of branches and tags."""

    ALL = "all"
    REFS = "refs"

    @classmethod
    def of(cls, properties: Mapping[str, str]) -> SnapshotMode:
        """What the property `snapshot-loading-mode` says.

        Raises:
            InvalidInputError: It is neither `all` nor `refs`.
        """
        text = properties.get(_MODE, cls.ALL.value)
        try:
            return cls(text.lower())
        except ValueError:
            raise InvalidInputError(f"{_MODE}: expected 'all' or 'refs', found {text!r}") from None


_OWN = frozenset(
    {
        *("type", "uri", "warehouse", "prefix", "credential", "token", "scope", "audience", "resource"),
        *("oauth2-server-uri", "token-refresh-enabled", "token-exchange-enabled", "token-expires-in-ms"),
        "namespace-separator",
        *("view-endpoints-supported", "scan-planning-mode", "py-catalog-impl", "py-io-impl", "io-impl"),
        *("clients", "snapshot-loading-mode", "rest-metrics-reporting-enabled", "rest-page-size"),
    }
)
_OWN_PREFIXES = (
    "urn:ietf:params:oauth:",
    "gcp.auth.",
    "azure.auth.",
    "rest.",
    "header.",
    "ssl.",
    "auth.",
    "oauth2.",
    "nessie.",
    "signer.",
    "table-default.",
)


def of_files(properties: Mapping[str, str]) -> dict[str, str]:
    """The properties that are storage options. Those of the catalog itself, and its secrets, are not."""
    return {
        key: value
        for key, value in properties.items()
        if key not in _OWN and not key.startswith(_OWN_PREFIXES)
    }


def table_options(base: Mapping[str, str], answer: Mapping[str, Any], location: str) -> dict[str, str]:
    """The storage options of a table.

    Args:
        base: Those of the catalog.
        answer: A `LoadTableResult`.
        location: The location of the table.

    Raises:
        InvalidDataError: The answer has no such form.
    """
    return dict(base) | of_files(without_keys(texts(answer, "config"))) | credentials_of(answer, location)


def credentials_of(answer: Mapping[str, Any], location: str) -> dict[str, str]:
    """The `storage-credentials` of an answer whose prefix is the longest of a location.

    Raises:
        InvalidDataError: The answer has no such form.
    """
    best = ""
    found: Mapping[str, str] = {}
    given: object = answer.get("storage-credentials") or ()
    if not isinstance(given, list | tuple):
        raise InvalidDataError("expected a list of storage credentials")
    for each in given:
        if not isinstance(each, dict) or not isinstance(each.get("prefix"), str):
            raise InvalidDataError("expected storage credentials with a 'prefix' and a 'config'")
        prefix: str = each["prefix"]
        if location.startswith(prefix) and len(prefix) >= len(best):
            best, found = prefix, texts(each, "config")
    return of_files(without_keys(found))


def object_in(answer: Mapping[str, Any], name: str) -> dict[str, Any]:
    """An object in an answer.

    Raises:
        InvalidDataError: It is not there, or something else is.
    """
    found: object = answer.get(name)
    if not isinstance(found, dict):
        raise InvalidDataError(f"expected an object {name!r} in the answer of the server")
    return found


def texts(answer: Mapping[str, Any], name: str) -> dict[str, str]:
    """An object of strings in an answer; empty where it is not there."""
    found = object_in(answer, name) if answer.get(name) else {}
    return {str(key): str(value) for key, value in found.items() if value is not None}

"""Where did each property of a catalog come from, and which of them may be shown?

Invariant: a value is shown only where its key is known to hold no secret.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg._secrets import without_secrets
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["GIVEN", "origin_of", "shown_properties"]

GIVEN = "argument"
"""Where a property comes from that no configuration has."""
DEFAULT = "default"
"""Where a property comes from that nobody gave."""

_ADDRESSES = frozenset(
    {"uri", "oauth2-server-uri", "s3.endpoint", "gcs.endpoint", "adls.endpoint", "rest.proxy"}
)
_PLAIN = frozenset(
    {
        *(
            "type",
            "warehouse",
            "prefix",
            "scope",
            "audience",
            "resource",
            "py-catalog-impl",
            "schema-version",
        ),
        *("init-catalog-tables", "view-endpoints-supported", "namespace-separator", "rest-page-size"),
        *("rest.auth.type", "rest.signing-region", "rest.signing-name", "rest.sigv4-enabled", "auth.type"),
        *("client.region", "client.profile-name", "s3.region", "s3.path-style-access", "s3.anonymous"),
        *("s3.force-virtual-addressing", "s3.role-arn", "s3.remote-signing-enabled", "aws_region"),
        *("ssl.cabundle", "ssl.client.cert", "gcp.auth.credentials-path", "gcp.auth.scopes"),
        *("gcs.anonymous", "gcs.project-id", "gcs.service-account-path", "azure.auth.scopes"),
        *("adls.account-name", "adls.anonymous", "adls.tenant-id", "wap.branch", "wap.id"),
        *("io-impl", "storage-options.provider", "storage-options.expires-at-ms"),
    }
)
_PLAIN_PREFIXES = ("io.", "rest.client.", "rest-metrics-", "nessie.")


def origin_of(key: str, origins: Mapping[str, str]) -> str:
    """Where a property came from."""
    return origins.get(key, DEFAULT if origins else GIVEN)


def shown_properties(properties: Mapping[str, str], origins: Mapping[str, str]) -> str:
    """The properties, a line each, with where they came from. Secrets are masked.

    Raises:
        InvalidInputError: There are none.
    """
    if not properties:
        raise InvalidInputError("the catalog has no properties")
    return "\n".join(
        f"{key} = {_shown(key, properties[key])} ({origin_of(key, origins)})" for key in sorted(properties)
    )


def _shown(key: str, value: str) -> str:
    if key in _ADDRESSES:
        address, mark, _ = without_secrets(value).partition("?")
        return f"{address}?***" if mark else address
    if key in _PLAIN or key.startswith(_PLAIN_PREFIXES):
        return without_secrets(value)
    return "***"

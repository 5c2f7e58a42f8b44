"""Which options are storage options?"""

from __future__ import annotations

from floeberg.encryption.choosing import KEY_OPTIONS

__all__ = ["STORE_OPTIONS", "is_storage_option"]

STORE_OPTIONS = (
    *("adls.account-key", "adls.account-name", "adls.anonymous", "adls.client-id", "adls.client-secret"),
    *("adls.connection-string", "adls.endpoint", "adls.sas-token", "adls.tenant-id", "adls.token"),
    *(
        "client.access-key-id",
        "client.profile-name",
        "client.region",
        "client.secret-access-key",
        "client.session-token",
    ),
    *("gcs.anonymous", "gcs.endpoint", "gcs.no-auth", "gcs.oauth2.token", "gcs.oauth2.token-expires-at"),
    *("gcs.project-id", "gcs.service-account-key", "gcs.service-account-path", "gcs.service.host"),
    *("io.connect-timeout", "io.hedge-after", "io.read-timeout", "io.request-timeout", "io.retries"),
    *("s3.access-key-id", "s3.anonymous", "s3.connect-timeout", "s3.endpoint", "s3.force-virtual-addressing"),
    *("s3.path-style-access", "s3.proxy-uri", "s3.region", "s3.remote-signing-enabled", "s3.request-timeout"),
    *("s3.role-arn", "s3.role-session-name", "s3.secret-access-key", "s3.session-token", "s3.signer"),
    *("s3.signer.headers", "s3.signer.properties", "s3.signer.token", "s3.signer.uri"),
    *("s3.session-token-expires-at-ms", "storage-options.expires-at-ms", "storage-options.provider"),
)

_PREFIXES = ("aws_", "azure_", "google_", *KEY_OPTIONS)
"""Prefixes of the object store library's own options, and of those of the key management."""


def is_storage_option(key: str) -> bool:
    """Whether an option is a storage option."""
    return key in STORE_OPTIONS or key.startswith(_PREFIXES)

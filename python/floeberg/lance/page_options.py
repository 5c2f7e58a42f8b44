"""Which options of a storage does pylance need, so that it reaches the files that Floeberg reaches?

In: storage options of a table. Out: the same for pylance, and texts without what they keep secret.

Invariant: what is secret stands in no error.
"""

from __future__ import annotations

import os
import re
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["BUDGET", "page_options", "without_secrets"]

_NAMES = {
    "adls.account-key": "azure_storage_account_key",
    "adls.account-name": "azure_storage_account_name",
    "adls.client-id": "azure_storage_client_id",
    "adls.client-secret": "azure_storage_client_secret",
    "adls.endpoint": "azure_storage_endpoint",
    "adls.sas-token": "azure_storage_sas_key",
    "adls.tenant-id": "azure_storage_tenant_id",
    "adls.token": "azure_storage_token",
    "client.access-key-id": "aws_access_key_id",
    "client.region": "aws_region",
    "client.secret-access-key": "aws_secret_access_key",
    "client.session-token": "aws_session_token",
    "gcs.endpoint": "google_base_url",
    "gcs.oauth2.token": "google_storage_token",
    "gcs.service-account-key": "google_service_account_key",
    "gcs.service-account-path": "google_service_account",
    "gcs.service.host": "google_base_url",
    "s3.access-key-id": "aws_access_key_id",
    "s3.endpoint": "aws_endpoint",
    "s3.proxy-uri": "proxy_url",
    "s3.region": "aws_region",
    "s3.secret-access-key": "aws_secret_access_key",
    "s3.session-token": "aws_session_token",
    # One setting has one name, since pylance takes what is missing from the environment.
    "aws_endpoint_url": "aws_endpoint",
    "aws_token": "aws_session_token",
}
"""Storage options, and how pylance names them."""

_FLAGS = {
    "adls.anonymous": ("azure_skip_signature", True),
    "gcs.anonymous": ("google_skip_signature", True),
    "gcs.no-auth": ("google_skip_signature", True),
    "s3.anonymous": ("aws_skip_signature", True),
    "s3.path-style-access": ("aws_virtual_hosted_style_request", False),
    "s3.force-virtual-addressing": ("aws_virtual_hosted_style_request", True),
}
"""Flags, how pylance names them, and whether it means the same by them. Later ones win."""

_TIMES = {
    "s3.connect-timeout": "connect_timeout",
    "s3.request-timeout": "timeout",
    "io.connect-timeout": "connect_timeout",
    "io.request-timeout": "timeout",
    "io.read-timeout": "read_timeout",
}
"""Times in seconds, and how pylance names them. Later ones win."""

_REQUESTS = "LANCE_IO_THREADS"
"""The variable of pylance for how many requests it makes at once: 64 without it, 8 for local files."""

_LONGEST = 86_400
"""No time is longer, in seconds."""

_ITS_OWN = ("aws_", "google_", "azure_")
_ENDPOINTS = ("aws_endpoint", "google_base_url", "azure_storage_endpoint", "azure_endpoint")
_QUERY = re.compile(r"(?<=://)[^/\s@]*@|(?<=[^\s?])\?[^\s'\")>`]*=[^\s'\")>`]*")
"""Users and queries of URLs."""
_SHORTEST_SECRET = 4
"""Shorter values are in every text."""


def page_options(options: Mapping[str, str]) -> dict[str, str] | None:
    """The options for pylance; `None` where it needs none."""
    known: dict[str, str] = {}
    for key, value in options.items():
        name = key.lower()
        if name in _NAMES:
            known[_NAMES[name]] = value
        elif name.startswith(_ITS_OWN):
            known[name] = value
    for key, (name, is_same) in _FLAGS.items():
        if key in options:
            is_on = options[key].strip().lower() in ("true", "1")
            known[name] = "true" if is_on == is_same else "false"
    for key, name in _TIMES.items():
        if key in options:
            known[name] = f"{max(int(_number(options, key) * 1000), 1)}ms"
    if "io.retries" in options:
        known["client_max_retries"] = str(int(_number(options, "io.retries")))
        # pylance would ask that often again and again.
        known["lance_aimd_max_retries"] = "0"
    if any(known.get(name, "").startswith("http://") for name in _ENDPOINTS):
        known["allow_http"] = "true"
    return known or None


def _number(options: Mapping[str, str], key: str) -> float:
    """A number that our own client takes, too."""
    try:
        return min(max(float(options[key]), 0), _LONGEST)
    except ValueError as error:
        raise InvalidInputError(f"expected a number of at least 0 for the option `{key}`") from error


class _Budget:
    """How many requests pylance makes at once, while a store is opened: it reads a variable then.

    What this process has set is neither left to later ones nor to child processes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self.is_task = False

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Lets pylance make as many as Floeberg would, unless the user has set its variable."""
        wanted = str(_native.request_budget(self.is_task))
        with self._lock:
            if not self._users and _REQUESTS in os.environ:
                is_own = False
            else:
                is_own = True
                self._users += 1
                os.environ[_REQUESTS] = wanted
        try:
            yield
        finally:
            with self._lock:
                self._users -= is_own
                if is_own and not self._users:
                    os.environ.pop(_REQUESTS, None)


BUDGET = _Budget()
"""That of this process."""


def without_secrets(text: str, options: Mapping[str, str]) -> str:
    """A text of pylance without users and queries of URLs, and without the values of options that are secret."""
    text = _QUERY.sub("", text)
    for key, value in sorted(options.items(), key=lambda option: -len(option[1])):
        if len(value) >= _SHORTEST_SECRET and _is_secret(key.lower()):
            text = text.replace(value, "***")
    return text


def _is_secret(key: str) -> bool:
    return any(
        word in key for word in ("secret", "token", "key", "password", "credential", "sas", "signature")
    )

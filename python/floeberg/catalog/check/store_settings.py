"""Which region and which credentials does a store take, and where do these come from?

The rule is that of the stores: options before the environment, and where an option is a credential, none of the
environment is taken.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from floeberg.catalog.check.origins import origin_of
from floeberg.storage_options import PROVIDER

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["credentials_of", "has_own_credentials", "kind_of", "region_of"]

_KINDS = {
    **dict.fromkeys(("s3", "s3a", "s3n"), "s3"),
    **dict.fromkeys(("gs", "gcs"), "gcs"),
    **dict.fromkeys(("abfs", "abfss", "wasb", "wasbs", "az", "azure", "adl"), "azure"),
    **dict.fromkeys(("http", "https"), "http"),
    "memory": "memory",
}
_REGIONS = ("s3.region", "client.region", "aws_region", "aws_default_region")
_CREDENTIALS = {
    "s3": (
        *("s3.access-key-id", "s3.secret-access-key", "s3.session-token", "s3.role-arn"),
        *("client.access-key-id", "client.secret-access-key", "client.session-token"),
        *("aws_access_key_id", "aws_secret_access_key", "aws_session_token"),
        *("aws_web_identity_token_file", "aws_container_credentials_relative_uri"),
    ),
    "gcs": (
        *("gcs.oauth2.token", "gcs.service-account-key", "gcs.service-account-path"),
        *("google_bearer_token", "google_service_account", "google_service_account_path"),
        *("google_service_account_key", "google_application_credentials"),
    ),
    "azure": (
        *("adls.account-key", "adls.sas-token", "adls.token", "adls.client-id", "adls.client-secret"),
        *("azure_storage_account_key", "azure_storage_sas_token", "azure_storage_token"),
        *("azure_client_id", "azure_client_secret", "azure_federated_token_file"),
    ),
}
_ANONYMOUS = {
    "s3": ("s3.anonymous",),
    "gcs": ("gcs.anonymous", "gcs.no-auth"),
    "azure": ("adls.anonymous",),
}
_MACHINES = {
    "s3": "the machine, if it is one of AWS: no option and no AWS_* variable has keys",
    "gcs": "the machine, if it is one of Google Cloud, or the user's application default credentials",
    "azure": "the machine, if it is one of Azure: no option and no AZURE_* variable has any",
}


def kind_of(location: str) -> str:
    """`s3`, `gcs`, `azure`, `http`, `memory` or `local`."""
    scheme, colon, _ = location.partition("://")
    return _KINDS.get(scheme.lower(), "local") if colon else "local"


def region_of(options: Mapping[str, str], origins: Mapping[str, str]) -> str | None:
    """The region of S3, with where it came from; `None` where nothing says one."""
    found = _of_options(_REGIONS, options) or _of_environment(_REGIONS)
    if found is None:
        return None
    key, value, is_option = found
    return f"{value} ({key}: {origin_of(key, origins) if is_option else 'the environment'})"


def credentials_of(kind: str, options: Mapping[str, str], origins: Mapping[str, str]) -> str:
    """What shows a store who asks, and where it came from, without its value."""
    if PROVIDER in options:
        return f"the provider {options[PROVIDER]!r} gives them"
    if any(options.get(each, "").lower() == "true" for each in _ANONYMOUS[kind]):
        return "none: access is anonymous"
    given = [each for each in _CREDENTIALS[kind] if _of_options((each,), options)]
    if kind == "azure":
        given += [each for each in options if each.startswith("adls.sas-token.")]
    if given:
        return "\n".join(f"{each} ({origin_of(each, origins)})" for each in given)
    inherited = [each for each in _CREDENTIALS[kind] if _of_environment((each,))]
    if inherited:
        return "\n".join(f"{each.upper()} (the environment)" for each in inherited)
    files = " (~/.aws/credentials is not read)" if kind == "s3" and _has_profiles() else ""
    return _MACHINES[kind] + files


def has_own_credentials(options: Mapping[str, str], of_catalog: Mapping[str, str]) -> bool:
    """Whether options of a table have other credentials than those of its catalog."""
    secret = {PROVIDER, *(key for keys in _CREDENTIALS.values() for key in keys)}
    return any(
        (key in secret or key.startswith("adls.sas-token.")) and of_catalog.get(key) != value
        for key, value in options.items()
    )


def _of_options(keys: tuple[str, ...], options: Mapping[str, str]) -> tuple[str, str, bool] | None:
    known = {key.lower() if "." not in key else key: value for key, value in options.items()}
    return next(((key, known[key], True) for key in keys if known.get(key)), None)


def _of_environment(keys: tuple[str, ...]) -> tuple[str, str, bool] | None:
    names = [key.upper() for key in keys if "." not in key]
    return next(((name, os.environ[name], False) for name in names if os.environ.get(name)), None)


def _has_profiles() -> bool:
    try:
        return Path("~/.aws/credentials").expanduser().is_file()
    except (OSError, RuntimeError):
        return False

"""How does a client show a cloud who it is: by a signature of AWS, or a token of Google or Azure?

The libraries of the clouds find credentials where their users have them: in the environment, in profiles, on machines.
Spec: AWS, Signature Version 4; REST catalog specification, `BearerAuth`.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from floeberg.catalog.rest.auth_manager import AuthManager, SignedRequest
from floeberg.errors import InvalidInputError, NotInstalledError, PermissionDeniedError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["cloud_auth"]

_SIGNING = ("access-key-id", "secret-access-key", "session-token")
_GOOGLE = "https://www.googleapis.com/auth/cloud-platform"
_EARLY = 60
"""Seconds before its end in which a token is not used any more."""


def cloud_auth(kind: str, properties: Mapping[str, str]) -> AuthManager:
    """The manager of a cloud: `sigv4`, `google`, `azure` or `entra`.

    Raises:
        NotInstalledError: The library of the cloud is not installed.
        InvalidInputError: A property is missing.
    """
    if kind == "sigv4":
        return _SigV4(properties)
    return _Google(properties) if kind == "google" else _Azure(properties)


class _SigV4(AuthManager):
    """Signs each request, by credentials of `botocore`."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        try:
            from botocore.session import Session  # noqa: PLC0415
        except ImportError as error:
            raise NotInstalledError(
                "signatures of AWS need botocore: install it by pip install 'floeberg[aws]'"
            ) from error
        session: Any = Session(profile=properties.get("client.profile-name"))
        region = properties.get("rest.signing-region") or properties.get("client.region")
        self._region = region or session.get_config_variable("region")
        if not self._region:
            raise InvalidInputError(
                "signatures of AWS need the property 'rest.signing-region', or a region of a profile"
            )
        self._service = properties.get("rest.signing-name", "execute-api")
        own = [properties.get(f"rest.{each}") or properties.get(f"client.{each}") for each in _SIGNING]
        if own[0] and own[1]:
            from botocore.credentials import Credentials  # noqa: PLC0415

            self._credentials: Any = Credentials(*own)
        else:
            self._credentials = session.get_credentials()
        if self._credentials is None:
            raise PermissionDeniedError(
                "AWS has no credentials here: give 'rest.access-key-id' and 'rest.secret-access-key', a profile, or "
                "those of the environment"
            )

    def headers(self) -> Mapping[str, str]:
        return {}

    def credentials_shown(self) -> list[str]:
        method = getattr(self._credentials, "method", None) or "explicit"
        found = (
            "rest.access-key-id or client.access-key-id" if method == "explicit" else f"botocore: {method}"
        )
        return [f"keys of AWS ({found})", f"signed for {self._service!r} in {self._region!r}"]

    def headers_of(self, request: SignedRequest) -> Mapping[str, str]:
        from botocore.auth import SigV4Auth  # noqa: PLC0415
        from botocore.awsrequest import AWSRequest  # noqa: PLC0415

        kept = {
            key: value for key, value in request.headers.items() if key.lower() in ("host", "content-type")
        }
        signed: Any = AWSRequest(method=request.method, url=request.url, data=request.content, headers=kept)
        SigV4Auth(self._credentials.get_frozen_credentials(), self._service, self._region).add_auth(signed)
        return {key: value for key, value in signed.headers.items() if key not in kept}


class _Google(AuthManager):
    """A token of Google, by `google-auth`, which renews it."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        try:
            import google.auth  # noqa: PLC0415
            from google.auth.transport.requests import Request  # noqa: PLC0415
            from google.oauth2.service_account import Credentials  # noqa: PLC0415
        except ImportError as error:
            raise NotInstalledError(
                "tokens of Google need google-auth: install it by pip install 'floeberg[gcp]'"
            ) from error
        scopes = properties.get("gcp.auth.scopes", _GOOGLE).split(",")
        path = properties.get("gcp.auth.credentials-path")
        account: Any = Credentials
        try:
            if path is None:
                self._credentials: Any = google.auth.default(scopes=scopes)[0]
            else:
                self._credentials = account.from_service_account_file(path, scopes=scopes)
        except (google.auth.exceptions.GoogleAuthError, OSError, ValueError) as failure:
            raise PermissionDeniedError(f"Google has no credentials here: {failure}") from failure
        self._failures = google.auth.exceptions.GoogleAuthError
        self._request: Any = Request()
        self._lock = threading.Lock()

    def headers(self) -> Mapping[str, str]:
        with self._lock:
            try:
                if not self._credentials.valid:
                    self._credentials.refresh(self._request)
            except self._failures as failure:
                raise PermissionDeniedError(f"Google gave no token: {type(failure).__name__}") from failure
            return {"Authorization": f"Bearer {self._credentials.token}"}


class _Azure(AuthManager):
    """A token of Microsoft Entra, by `azure-identity`, which finds credentials."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        try:
            from azure.core.exceptions import AzureError  # noqa: PLC0415
            from azure.identity import DefaultAzureCredential  # noqa: PLC0415
        except ImportError as error:
            raise NotInstalledError(
                "tokens of Azure need azure-identity: install it by pip install 'floeberg[azure]'"
            ) from error
        self._scopes = properties.get("azure.auth.scopes", "https://storage.azure.com/.default").split(",")
        self._credential: Any = DefaultAzureCredential()
        self._failures = AzureError
        self._token, self._ends = "", 0.0
        self._lock = threading.Lock()

    def headers(self) -> Mapping[str, str]:
        with self._lock:
            if time.time() >= self._ends - _EARLY:
                try:
                    found = self._credential.get_token(*self._scopes)
                except self._failures as failure:
                    raise PermissionDeniedError(f"Azure gave no token: {type(failure).__name__}") from failure
                self._token, self._ends = found.token, float(found.expires_on)
            return {"Authorization": f"Bearer {self._token}"}

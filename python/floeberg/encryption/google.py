"""How are keys wrapped by Google Cloud Key Management Service?

In: a key, and the resource name of a key of Google (`projects/P/locations/L/keyRings/R/cryptoKeys/K`). Out: Google's
ciphertext, which says which version of the key wrapped it. The same as Iceberg Java's `GcpKeyManagementClient` writes.

Not tried against Google's service: written after its documentation, and tested against a server of the tests.

Spec: Cloud KMS API v1, `cryptoKeys.encrypt` and `cryptoKeys.decrypt`.
"""

from __future__ import annotations

import base64
import re
from typing import Any, ClassVar, Final
from urllib.parse import quote

from floeberg.encryption._http import bytes_in, checked_address, posted
from floeberg.encryption._provider import Provider, checked_id, checked_key
from floeberg.errors import InvalidInputError, NotInstalledError, PermissionDeniedError

__all__ = ["GoogleKms"]

CREDENTIALS: Final = "encryption.gcp.credentials-path"
TOKEN: Final = "gcs.oauth2.token"  # noqa: S105 - the name of an option
ENDPOINT: Final = "encryption.gcp.endpoint"
_SERVICE: Final = "Google Cloud KMS"
_SCOPE: Final = "https://www.googleapis.com/auth/cloudkms"
_ADDRESS: Final = "https://cloudkms.googleapis.com"
_NAME: Final = re.compile(r"projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+")


class GoogleKms(Provider):
    """Keys of Google Cloud KMS. Not tried against Google's service.

    Credentials are those that Google's tools find, or those of a file. The property `encryption.key-id` of a table is
    the resource name of a symmetric key.

    Args:
        credentials_path: A file with the key of a service account.
        endpoint: Another address of the service.

    Examples:
        >>> GoogleKms(credentials_path="account.json")
        GoogleKms(encryption.gcp.credentials-path='account.json')
    """

    kind: ClassVar[str] = "gcp"
    shown: ClassVar[tuple[str, ...]] = (CREDENTIALS, ENDPOINT)

    def __init__(self, *, credentials_path: str | None = None, endpoint: str | None = None) -> None:
        super().__init__({CREDENTIALS: credentials_path, ENDPOINT: endpoint})
        self._check()

    def _check(self) -> None:
        if endpoint := self._option(ENDPOINT):
            checked_address(ENDPOINT, endpoint)

    def wrap_key(self, key: bytes, wrapping_key_id: str) -> bytes:
        """Encrypts a key by a key of Google.

        Raises:
            NotFoundError: There is no such key.
            PermissionDeniedError: Google has no credentials here, or they do not allow this.
            StorageError: The service cannot be reached, or is busy.
        """
        plain = base64.b64encode(checked_key("key", key)).decode()
        return self._asked("encrypt", wrapping_key_id, {"plaintext": plain}, "ciphertext")

    def unwrap_key(self, wrapped_key: bytes, wrapping_key_id: str) -> bytes:
        """Decrypts a key by the key of Google that wrapped it.

        Raises:
            InvalidDataError: Another key wrapped it, or it is damaged.
            NotFoundError: There is no such key.
            PermissionDeniedError: Google has no credentials here, or they do not allow this.
            StorageError: The service cannot be reached, or is busy.
        """
        wrapped = base64.b64encode(bytes(wrapped_key)).decode()
        return self._asked("decrypt", wrapping_key_id, {"ciphertext": wrapped}, "plaintext")

    def _asked(self, what: str, wrapping_key_id: str, body: dict[str, object], answered: str) -> bytes:
        known = checked_id(wrapping_key_id)
        if not _NAME.fullmatch(known):
            raise InvalidInputError(
                "a key of Google is named as 'projects/P/locations/L/keyRings/R/cryptoKeys/K'",
                context={"key": known, "service": _SERVICE},
            )
        address = checked_address(ENDPOINT, self._option(ENDPOINT) or _ADDRESS)
        answer = posted(
            f"{address}/v1/{quote(known)}:{what}",
            body,
            headers={"Authorization": f"Bearer {self._token()}"},
            service=_SERVICE,
            key_id=known,
        )
        return bytes_in(answer, answered, service=_SERVICE, key_id=known)

    def _token(self) -> str:
        if given := self._option(TOKEN):
            return given
        try:
            import google.auth  # noqa: PLC0415 - importing floeberg imports nothing large
            from google.auth.transport.requests import Request  # noqa: PLC0415
            from google.oauth2.service_account import Credentials  # noqa: PLC0415
        except ImportError:
            raise NotInstalledError(f"{_SERVICE} needs google-auth: pip install 'floeberg[gcp]'") from None
        path = self._option(CREDENTIALS)
        account: Any = Credentials
        try:
            found: Any = (
                google.auth.default(scopes=[_SCOPE])[0]
                if path is None
                else account.from_service_account_file(path, scopes=[_SCOPE])
            )
            found.refresh(Request())
        except (google.auth.exceptions.GoogleAuthError, OSError, ValueError) as failure:
            raise PermissionDeniedError(f"Google gave no token: {type(failure).__name__}") from None
        return str(found.token)

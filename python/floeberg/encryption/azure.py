"""How are keys wrapped by Azure Key Vault?

In: a key, and the name of a key of the vault, or its whole address with a version. Out: the wrapped key, as Iceberg
Java's `AzureKeyManagementClient` writes it.

Not tried against Azure: written after its documentation, and tested against a server of the tests. Azure's answer to
`wrapkey` names the version of the key, and the wrapped bytes do not. So after a rotation in Azure, the property
`encryption.key-id` must have named the version, or the old one must stay the current one.

Spec: Azure Key Vault REST API 7.4, wrap key and unwrap key.
"""

from __future__ import annotations

import base64
from typing import ClassVar, Final
from urllib.parse import quote

from floeberg.encryption._http import bytes_in, checked_address, posted
from floeberg.encryption._provider import Provider, checked_id, checked_key
from floeberg.errors import InvalidInputError, NotInstalledError, PermissionDeniedError

__all__ = ["AzureKeyVault"]

VAULT: Final = "azure.keyvault.url"
ALGORITHM: Final = "azure.keyvault.key-wrap-algorithm"
TOKEN: Final = "encryption.azure.token"  # noqa: S105 - the name of an option
_SERVICE: Final = "Azure Key Vault"
_VERSION: Final = "7.4"
_SCOPE: Final = "https://vault.azure.net/.default"


class AzureKeyVault(Provider):
    """Keys of Azure Key Vault. Not tried against Azure.

    Credentials are those that `azure-identity` finds. The property `encryption.key-id` of a table is the name of a key,
    or `name/version`.

    Args:
        vault_url: The address of the vault.
        algorithm: By default, `RSA-OAEP-256`.

    Examples:
        >>> AzureKeyVault(vault_url="https://lake.vault.azure.net")
        AzureKeyVault(azure.keyvault.url='https://lake.vault.azure.net')
    """

    kind: ClassVar[str] = "azure"
    shown: ClassVar[tuple[str, ...]] = (VAULT, ALGORITHM)

    def __init__(self, *, vault_url: str, algorithm: str | None = None) -> None:
        super().__init__({VAULT: vault_url, ALGORITHM: algorithm})
        self._check()

    def _check(self) -> None:
        vault = self._option(VAULT)
        if vault is None:
            raise InvalidInputError(
                f"the option 'encryption.kms-type' is 'azure', and {VAULT!r} is missing: give the address of the vault"
            )
        checked_address(VAULT, vault)

    def wrap_key(self, key: bytes, wrapping_key_id: str) -> bytes:
        """Encrypts a key by a key of the vault.

        Raises:
            NotFoundError: The vault has no such key.
            PermissionDeniedError: Azure has no credentials here, or they do not allow this.
            StorageError: The vault cannot be reached, or is busy.
        """
        return self._asked("wrapkey", wrapping_key_id, checked_key("key", key))

    def unwrap_key(self, wrapped_key: bytes, wrapping_key_id: str) -> bytes:
        """Decrypts a key by the key of the vault that wrapped it.

        Raises:
            InvalidDataError: Another key wrapped it, or it is damaged.
            NotFoundError: The vault has no such key.
            PermissionDeniedError: Azure has no credentials here, or they do not allow this.
            StorageError: The vault cannot be reached, or is busy.
        """
        return self._asked("unwrapkey", wrapping_key_id, bytes(wrapped_key))

    def _asked(self, what: str, wrapping_key_id: str, value: bytes) -> bytes:
        known = checked_id(wrapping_key_id)
        vault = self._options[VAULT].rstrip("/")
        if known.startswith(f"{vault}/keys/"):
            known = known[len(vault) + len("/keys/") :]
        name, _, version = known.partition("/")
        answer = posted(
            # Without a version, Azure's own libraries leave the part of the path empty.
            f"{vault}/keys/{quote(name, safe='')}/{quote(version, safe='')}/{what}?api-version={_VERSION}",
            {"alg": self._option(ALGORITHM) or "RSA-OAEP-256", "value": _encoded(value)},
            headers={"Authorization": f"Bearer {self._token()}"},
            service=_SERVICE,
            key_id=known,
        )
        return bytes_in(answer, "value", service=_SERVICE, key_id=known)

    def _token(self) -> str:
        if given := self._option(TOKEN):
            return given
        try:
            from azure.core.exceptions import AzureError  # noqa: PLC0415 - importing floeberg imports nothing large
            from azure.identity import DefaultAzureCredential  # noqa: PLC0415
        except ImportError:
            raise NotInstalledError(
                f"{_SERVICE} needs azure-identity: pip install 'floeberg[azure]'"
            ) from None
        try:
            return str(DefaultAzureCredential().get_token(_SCOPE).token)
        except AzureError as failure:
            raise PermissionDeniedError(f"Azure gave no token: {type(failure).__name__}") from None


def _encoded(value: bytes) -> str:
    """Base64 for addresses, without padding, as JSON Web Keys have it."""
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()

"""How are keys wrapped by the transit engine of HashiCorp Vault, or of OpenBao?

In: a key, and the name of a key of the engine. Out: Vault's own text of a wrapped key (`vault:v3:...`), as bytes: it
says which version of the key wrapped it, so that a key which was rotated there opens old tables.

Spec: Vault, transit secrets engine (API): encrypt data, decrypt data, generate data key.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import quote

from floeberg.encryption._http import bytes_in, checked_address, posted, text_in
from floeberg.encryption._provider import Provider, checked_id, checked_key, option_or_variable
from floeberg.errors import InvalidDataError, InvalidInputError, NotFoundError, PermissionDeniedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.errors import FloebergError

__all__ = ["VaultTransit"]

ADDRESS: Final = "encryption.vault.address"
TOKEN: Final = "encryption.vault.token"  # noqa: S105 - the name of an option
TOKEN_FILE: Final = "encryption.vault.token-file"  # noqa: S105 - the same
MOUNT: Final = "encryption.vault.mount"
NAMESPACE: Final = "encryption.vault.namespace"
CA_FILE: Final = "encryption.vault.ca-file"
_SERVICE: Final = "Vault"
_BITS: Final = 256
_BAD_REQUEST: Final = 400


class VaultTransit(Provider):
    """Keys of the transit engine of HashiCorp Vault. OpenBao has the same interface.

    What is not given is taken from the environment of the process that asks, as Vault's own tools do: `VAULT_ADDR`,
    `VAULT_TOKEN` (or the file `~/.vault-token`), `VAULT_NAMESPACE`, `VAULT_CACERT`. A token that is not given stays out
    of pickles.

    Args:
        address: The address of the server.
        token: The token. Better: `token_file`, or the environment.
        token_file: A file with the token, which is read at each request.
        mount: Where the engine is mounted.
        namespace: The namespace, of the editions that have these.
        ca_file: Certificates to trust, in place of those of the machine.

    Examples:
        >>> VaultTransit(address="https://vault.example.org:8200", mount="keys")
        VaultTransit(encryption.vault.address='https://vault.example.org:8200', encryption.vault.mount='keys')
    """

    kind: ClassVar[str] = "vault"
    shown: ClassVar[tuple[str, ...]] = (ADDRESS, MOUNT, NAMESPACE)
    supports_key_generation = True

    def __init__(  # noqa: PLR0913 - keywords
        self,
        *,
        address: str | None = None,
        token: str | None = None,
        token_file: str | None = None,
        mount: str | None = None,
        namespace: str | None = None,
        ca_file: str | None = None,
    ) -> None:
        super().__init__(
            {
                ADDRESS: address,
                TOKEN: token,
                TOKEN_FILE: token_file,
                MOUNT: mount,
                NAMESPACE: namespace,
                CA_FILE: ca_file,
            }
        )
        self._check()

    def _check(self) -> None:
        if address := self._option(ADDRESS):
            checked_address(ADDRESS, address)

    def wrap_key(self, key: bytes, wrapping_key_id: str) -> bytes:
        """Encrypts a key by a key of the engine.

        Raises:
            NotFoundError: The engine has no such key.
            PermissionDeniedError: There is no token, or it does not allow this.
            StorageError: Vault cannot be reached, is sealed, or is busy.
        """
        plain = base64.b64encode(checked_key("key", key)).decode()
        data = self._asked("encrypt", wrapping_key_id, {"plaintext": plain})
        return text_in(data, "ciphertext", service=_SERVICE, key_id=wrapping_key_id).encode()

    def unwrap_key(self, wrapped_key: bytes, wrapping_key_id: str) -> bytes:
        """Decrypts a key by the key of the engine that wrapped it.

        Raises:
            InvalidDataError: Another key wrapped it, or it is damaged.
            NotFoundError: The engine has no such key.
            PermissionDeniedError: There is no token, or it does not allow this.
            StorageError: Vault cannot be reached, is sealed, or is busy.
        """
        try:
            text = bytes(wrapped_key).decode("ascii")
        except UnicodeDecodeError:
            text = ""
        if not text.startswith("vault:v"):
            raise InvalidDataError(
                f"a wrapped key of the key {wrapping_key_id!r} was not wrapped by Vault: which key management "
                "wrote the table?",
                context={"key": wrapping_key_id, "service": _SERVICE},
            )
        data = self._asked("decrypt", wrapping_key_id, {"ciphertext": text})
        return bytes_in(data, "plaintext", service=_SERVICE, key_id=wrapping_key_id)

    def generate_key(self, wrapping_key_id: str) -> tuple[bytes, bytes]:
        """Lets Vault make a key of 32 bytes.

        Returns:
            The key, and the same key wrapped.

        Raises:
            NotFoundError: The engine has no such key.
            PermissionDeniedError: There is no token, or it does not allow this.
            StorageError: Vault cannot be reached, is sealed, or is busy.
        """
        data = self._asked("datakey/plaintext", wrapping_key_id, {"bits": _BITS})
        return bytes_in(data, "plaintext", service=_SERVICE, key_id=wrapping_key_id), text_in(
            data, "ciphertext", service=_SERVICE, key_id=wrapping_key_id
        ).encode()

    def _asked(self, what: str, wrapping_key_id: str, body: Mapping[str, object]) -> Mapping[str, Any]:
        known = checked_id(wrapping_key_id)
        given = option_or_variable(self._options, ADDRESS, "VAULT_ADDR")
        if given is None:
            raise InvalidInputError(
                f"Vault has no address: give the option {ADDRESS!r}, or the variable VAULT_ADDR"
            )
        address = checked_address(ADDRESS, given)
        mount = quote((self._option(MOUNT) or "transit").strip("/"))
        headers = {"X-Vault-Token": self._token(), "X-Vault-Request": "true"}
        if namespace := option_or_variable(self._options, NAMESPACE, "VAULT_NAMESPACE"):
            headers["X-Vault-Namespace"] = namespace
        answer = posted(
            f"{address}/v1/{mount}/{what}/{quote(known, safe='')}",
            body,
            headers=headers,
            service=_SERVICE,
            key_id=known,
            ca_file=option_or_variable(self._options, CA_FILE, "VAULT_CACERT"),
            judge=lambda status, text: _judged(status, text, known),
        )
        data = answer.get("data")
        return data if isinstance(data, dict) else {}

    def _token(self) -> str:
        given = option_or_variable(self._options, TOKEN, "VAULT_TOKEN")
        file = self._option(TOKEN_FILE)
        if file is None and given is None:
            file = str(Path.home() / ".vault-token")
            if not Path(file).is_file():
                raise PermissionDeniedError(
                    f"Vault has no token here: give the option {TOKEN_FILE!r}, the variable VAULT_TOKEN, or log "
                    "in by `vault "
                    "login`"
                )
        if file is not None and self._option(TOKEN) is None:
            try:
                given = Path(file).read_text(encoding="ascii").strip()
            except (OSError, ValueError) as failure:
                raise PermissionDeniedError(
                    f"the file with the token of Vault cannot be read: {type(failure).__name__}",
                    context={"path": file},
                ) from None
        if not given or not given.isascii() or not given.isprintable():
            raise PermissionDeniedError("the token of Vault is empty, or has signs that no token has")
        return given


def _judged(status: int, text: str, key_id: str) -> FloebergError | None:
    """Vault says by its text that a key is missing."""
    if status == _BAD_REQUEST and "encryption key not found" in text:
        return NotFoundError(
            f"Vault has no key {key_id!r}: `vault write -f transit/keys/{key_id}` makes one, which opens no "
            "table that was "
            "written before",
            context={"key": key_id, "service": _SERVICE},
        )
    return None

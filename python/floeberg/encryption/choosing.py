"""Which key management do options name?

In: storage options, or properties of a catalog; then variables of the environment, by the rule of catalogs: `__` is a
dot and `_` a hyphen, so that `FLOEBERG_ENCRYPTION__KMS_TYPE` is `encryption.kms-type`. Out: a `KeyManagement`, or
`None`.

An object that a user gives becomes options, which travel as all others do: those of the object, or the name by which
this process alone knows it.
"""

from __future__ import annotations

import importlib
import os
import uuid
from collections import OrderedDict
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from floeberg.encryption._provider import KMS_IMPL, KMS_TYPE, Provider, checked_id, checked_key
from floeberg.encryption.aws import AwsKms
from floeberg.encryption.azure import AzureKeyVault
from floeberg.encryption.google import GoogleKms
from floeberg.encryption.key_file import KeyFile
from floeberg.encryption.key_management import KeyManagement
from floeberg.encryption.vault import VaultTransit
from floeberg.errors import FloebergError, InvalidInputError, NotInstalledError, StorageError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["KEY_OPTIONS", "key_management_of", "options_with", "without_keys"]

KEY_OPTIONS: Final = ("encryption.", "kms.", "azure.keyvault.")
"""What options of the key management begin with."""

_REGISTERED_AS: Final = "encryption.kms-registered"
_PREFIX: Final = "FLOEBERG_ENCRYPTION__"
_TYPES: Final[Mapping[str, type[Provider]]] = {
    each.kind: each for each in (KeyFile, AwsKms, VaultTransit, GoogleKms, AzureKeyVault)
}
_MOST_KEPT: Final = 64

_registered: dict[str, KeyManagement] = {}
_kept: OrderedDict[tuple[int, tuple[tuple[str, str], ...]], KeyManagement] = OrderedDict()
"""What was made in this process: a provider may hold a client, whose connections a forked process must not share."""


def key_management_of(options: Mapping[str, str]) -> KeyManagement | None:
    """The key management that options or the environment name.

    Args:
        options: Storage options, or properties of a catalog.

    Returns:
        The key management; `None` where neither names one.

    Raises:
        InvalidInputError: The options are wrong, or name an object of another process.
        NotInstalledError: The module of `encryption.kms-impl` cannot be imported.

    Examples:
        >>> key_management_of({"encryption.kms-type": "vault", "encryption.vault.address": "https://vault.example.org"})
        VaultTransit(encryption.vault.address='https://vault.example.org')
        >>> key_management_of({"s3.region": "eu-central-1"}) is None
        True
    """
    own = {key: value for key, value in options.items() if value}
    # Who names a key management means this one, with its own options. The environment may fill in others.
    named = {KMS_TYPE, KMS_IMPL, _REGISTERED_AS} & set(own)
    outer = {
        key: value for key, value in _of_environment().items() if not named or key not in (KMS_TYPE, KMS_IMPL)
    }
    merged = outer | own
    if not {KMS_TYPE, KMS_IMPL, _REGISTERED_AS} & set(merged):
        return None
    known = os.getpid(), tuple(sorted(merged.items()))
    found = _kept.get(known)
    if found is None:
        found = _kept[known] = _made(merged)
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return found


def options_with(options: Mapping[str, str], key_management: object) -> dict[str, str]:
    """Options that name a key management which was given as an object.

    Args:
        options: The other options.
        key_management: An object with `wrap_key` and `unwrap_key`, or `None`.

    Raises:
        InvalidInputError: The object lacks a method, or the options name a key management too.
    """
    if key_management is None:
        return dict(options)
    if isinstance(key_management, type) or not isinstance(key_management, KeyManagement):
        shown = key_management.__name__ if isinstance(key_management, type) else type(key_management).__name__
        raise InvalidInputError(
            "key_management: expected an object with the methods 'wrap_key' and 'unwrap_key', such as "
            "fb.encryption.KeyFile(path), found "
            f"{'the class' if isinstance(key_management, type) else 'an object of type'} {shown}"
        )
    if twice := sorted({KMS_TYPE, KMS_IMPL} & set(options)):
        raise InvalidInputError(f"give either key_management or the option {twice[0]!r}, not both")
    if isinstance(key_management, Provider):
        return {**options, **key_management.options}
    name = (
        next((name for name, each in _registered.items() if each is key_management), None) or uuid.uuid4().hex
    )
    _registered[name] = key_management
    return {**options, _REGISTERED_AS: name}


def without_keys(options: Mapping[str, str]) -> dict[str, str]:
    """Options without those of the key management, which do not cross between a server and its clients.

    A server must not choose who has keys, nor which class or address is asked; and it keeps its own tokens.
    """
    return {key: value for key, value in options.items() if not key.startswith(KEY_OPTIONS)}


def _of_environment() -> dict[str, str]:
    return {
        "encryption." + key[len(_PREFIX) :].lower().replace("__", ".").replace("_", "-"): value
        for key, value in os.environ.items()
        if key.upper().startswith(_PREFIX) and value
    }


def _made(options: Mapping[str, str]) -> KeyManagement:
    kind, own = options.get(KMS_TYPE), options.get(KMS_IMPL)
    if kind is not None and own is not None:
        raise InvalidInputError(f"give either {KMS_TYPE!r} or {KMS_IMPL!r}, not both")
    if (name := options.get(_REGISTERED_AS)) is not None:
        if name not in _registered:
            raise InvalidInputError(
                "the key management was given as an object of another process, which cannot travel: name its "
                "class by the "
                f"option {KMS_IMPL!r}, as 'package.module.Class', or give an object of floeberg.encryption"
            )
        return _Guarded(_registered[name])
    if own is not None:
        return _Guarded(_imported(own, options))
    provider = _TYPES.get((kind or "").lower())
    if provider is None:
        near = get_close_matches((kind or "").lower(), _TYPES, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise InvalidInputError(
            f"{KMS_TYPE}: {hint}expected {', '.join(map(repr, _TYPES))}, found {kind!r}. A class of your own is "
            "named by "
            f"{KMS_IMPL!r}"
        )
    return provider.from_options(options)


def _imported(path: str, options: Mapping[str, str]) -> KeyManagement:
    module, _, name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, ValueError) as error:
        hint = ": that is the name of a class of Java" if path.startswith("org.") else ""
        raise NotInstalledError(
            f"the module of the key management {path!r} cannot be imported{hint}"
        ) from error
    except AttributeError as error:
        raise InvalidInputError(f"the module {module!r} has no class {name!r}") from error
    try:
        made: object = found(dict(options))
    except FloebergError:
        raise
    except Exception as failure:  # noqa: BLE001 - a class of a user may raise anything, and its text may have a secret
        raise InvalidInputError(
            f"the key management {path!r} raised {type(failure).__name__} when it was made of the options: "
            "expected a class "
            "that is called with one mapping"
        ) from None
    if not isinstance(made, KeyManagement):
        raise InvalidInputError(
            f"{path!r} has no methods 'wrap_key' and 'unwrap_key': expected a KeyManagement"
        )
    return made


class _Guarded:
    """A key management of a user: what it returns is checked, and what it raises becomes an error without a secret."""

    def __init__(self, inner: Any) -> None:  # noqa: ANN401 - of a user
        self._inner = inner
        self.supports_key_generation = bool(getattr(inner, "supports_key_generation", False)) and callable(
            getattr(inner, "generate_key", None)
        )

    def wrap_key(self, key: bytes, wrapping_key_id: str) -> bytes:
        return self._bytes(
            "wrap_key", self._asked("wrap_key", key, checked_id(wrapping_key_id)), wrapping_key_id
        )

    def unwrap_key(self, wrapped_key: bytes, wrapping_key_id: str) -> bytes:
        found = self._asked("unwrap_key", wrapped_key, checked_id(wrapping_key_id))
        return checked_key(f"unwrap_key of {self!r}", found)

    def generate_key(self, wrapping_key_id: str) -> tuple[bytes, bytes]:
        found = self._asked("generate_key", checked_id(wrapping_key_id))
        if not isinstance(found, tuple) or len(found) != 2:  # noqa: PLR2004 - a key and the same wrapped
            raise InvalidInputError(
                f"generate_key of {self!r}: expected a tuple of a key and the wrapped key"
            )
        return checked_key(f"generate_key of {self!r}", found[0]), self._bytes(
            "generate_key", found[1], wrapping_key_id
        )

    def _asked(self, method: str, *arguments: object) -> object:
        try:
            return getattr(self._inner, method)(*arguments)
        except FloebergError:
            raise
        except Exception as failure:  # noqa: BLE001 - a user's class may raise anything, and its text may have a key
            raise StorageError(
                f"{method} of {self!r} raised {type(failure).__name__} for the key {arguments[-1]!r}",
                context={"key": str(arguments[-1])},
            ) from None

    def _bytes(self, method: str, found: object, key_id: str) -> bytes:
        if not isinstance(found, (bytes, bytearray, memoryview)) or not found:
            raise InvalidInputError(
                f"{method} of {self!r}: expected bytes, found an object of type {type(found).__name__}",
                context={"key": key_id},
            )
        return bytes(found)

    def __repr__(self) -> str:
        # Its own text may have a secret.
        return f"the key management {type(self._inner).__module__}.{type(self._inner).__qualname__}"

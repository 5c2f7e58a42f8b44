"""What have all providers of Floeberg in common?

In: options, by their names. Out: objects that show their options without secrets, and pickle as these options alone.

Invariant: a provider holds no key. What it needs to ask for one (a path, an address, a region) is in its options, so
that a worker makes the same provider of them.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final

from floeberg._arguments import checked_text
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["KMS_IMPL", "KMS_TYPE", "Provider", "option_or_variable"]

KMS_TYPE: Final = "encryption.kms-type"
"""The option that names one of Floeberg's providers."""

KMS_IMPL: Final = "encryption.kms-impl"
"""The option that names a class."""

WHOLE_KEYS: Final = (16, 24, 32)
"""How many bytes a key of AES may have."""


class Provider(ABC):
    """A keeper of keys that is made of options.

    Attributes:
        supports_key_generation: Whether it makes keys itself.
    """

    kind: ClassVar[str]
    """What `encryption.kms-type` says."""
    shown: ClassVar[tuple[str, ...]] = ()
    """Options that are no secrets."""
    supports_key_generation: bool = False

    def __init__(self, options: Mapping[str, str | None]) -> None:
        given = {key: value for key, value in options.items() if value is not None}
        self._options = {KMS_TYPE: self.kind} | given

    @property
    def options(self) -> Mapping[str, str]:
        """The options that make this provider again. They may have secrets, such as a token."""
        return MappingProxyType(self._options)

    @classmethod
    def from_options(cls, options: Mapping[str, str]) -> Provider:
        """The provider that options describe. Options of others are left alone."""
        made = cls.__new__(cls)
        Provider.__init__(made, {**options, KMS_TYPE: cls.kind})
        made._check()  # noqa: SLF001 - its own class
        return made

    @abstractmethod
    def wrap_key(self, key: bytes, wrapping_key_id: str) -> bytes:
        """Encrypts a key."""

    @abstractmethod
    def unwrap_key(self, wrapped_key: bytes, wrapping_key_id: str) -> bytes:
        """Decrypts what `wrap_key` returned."""

    def _check(self) -> None:  # noqa: B027 - some need nothing
        """Options that are missing or wrong are errors."""

    def _option(self, name: str, default: str | None = None) -> str | None:
        return self._options.get(name) or default

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._options == self._options

    def __hash__(self) -> int:
        return hash((self.kind, *sorted(self._options.items())))

    def __repr__(self) -> str:
        known = [f"{key}={self._options[key]!r}" for key in self.shown if key in self._options]
        return f"{type(self).__name__}({', '.join(known)})"

    def __reduce__(self) -> tuple[Callable[[Mapping[str, str]], Provider], tuple[dict[str, str]]]:
        """Pickles the options. A worker asks for keys itself."""
        return type(self).from_options, (dict(self._options),)


def option_or_variable(options: Mapping[str, str], name: str, variable: str) -> str | None:
    """An option, or what a variable of the environment says in this process."""
    return options.get(name) or os.environ.get(variable) or None


def checked_key(what: str, key: object) -> bytes:
    """A plain key. Errors say its length, never the key.

    Raises:
        InvalidInputError: It is not bytes, or has another length.
    """
    if not isinstance(key, (bytes, bytearray, memoryview)):
        raise InvalidInputError(f"{what}: expected bytes, found an object of type {type(key).__name__}")
    if len(key) not in WHOLE_KEYS:
        raise InvalidInputError(f"{what}: expected a key of 16, 24 or 32 bytes, found {len(key)} bytes")
    return bytes(key)


def checked_id(wrapping_key_id: object) -> str:
    """The id of a key."""
    known = checked_text("wrapping_key_id", wrapping_key_id)
    if not known:
        raise InvalidInputError("wrapping_key_id: expected the id of a key, found an empty text")
    return known

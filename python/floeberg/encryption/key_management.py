"""Who keeps the keys that encrypt the keys of a table?

In: a plain key and the id of a wrapping key, which never leaves its keeper. Out: the wrapped key, and back again.
Everything else about encryption (which keys a table has, which file has which) is decided in Rust.

Spec: Table Metadata, Encryption Keys; names as Iceberg Java's `KeyManagementClient`.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

__all__ = ["KeyManagement"]


@runtime_checkable
class KeyManagement(Protocol):
    """Wraps and unwraps keys: the key service of a company, a cloud or a file.

    A class of your own needs these two methods, and is made of one argument: the options, as a mapping. Where the
    service makes keys itself, the class may also have an attribute `supports_key_generation` that is true, and a method
    `generate_key(wrapping_key_id)` that returns a key and the same key wrapped.

    Examples:
        >>> class Backwards:
        ...     def __init__(self, options):
        ...         pass
        ...     def wrap_key(self, key, wrapping_key_id):
        ...         return key[::-1]
        ...     def unwrap_key(self, wrapped_key, wrapping_key_id):
        ...         return wrapped_key[::-1]
        >>> isinstance(Backwards({}), KeyManagement)
        True
    """

    def wrap_key(self, key: bytes, wrapping_key_id: str) -> bytes:
        """Encrypts a key.

        Args:
            key: The plain key, of 16, 24 or 32 bytes.
            wrapping_key_id: The id of the key that encrypts it, which the keeper has.

        Returns:
            The wrapped key, which only the keeper can open. It is written to the metadata of the table.
        """
        ...

    def unwrap_key(self, wrapped_key: bytes, wrapping_key_id: str) -> bytes:
        """Decrypts what `wrap_key` returned.

        Args:
            wrapped_key: The wrapped key.
            wrapping_key_id: The id of the key that it was wrapped by.

        Returns:
            The plain key.
        """
        ...

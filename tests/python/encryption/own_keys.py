"""Key management of a user, which tests name by `encryption.kms-impl`."""

from __future__ import annotations

from collections.abc import Mapping


class Backwards:
    """Wraps a key by turning it around. It keeps no secret, and shows that it was asked."""

    supports_key_generation = True

    def __init__(self, options: Mapping[str, str]) -> None:
        self.mark = options.get("encryption.mark", "-").encode()
        self.fails = options.get("encryption.fails")

    def wrap_key(self, key: bytes, wrapping_key_id: str) -> bytes:  # noqa: ARG002 - the contract
        if self.fails == "wrap":
            raise RuntimeError(f"cannot wrap {key!r}")
        return self.mark + key[::-1]

    def unwrap_key(self, wrapped_key: bytes, wrapping_key_id: str) -> bytes:  # noqa: ARG002 - the contract
        if self.fails == "type":
            return "text"  # type: ignore[return-value]
        if self.fails == "length":
            return b"short"
        return wrapped_key[len(self.mark) :][::-1]

    def generate_key(self, wrapping_key_id: str) -> tuple[bytes, bytes]:
        if self.fails == "generate":
            return b"x"  # type: ignore[return-value]
        return bytes(16), self.wrap_key(bytes(16), wrapping_key_id)

    def __repr__(self) -> str:
        return "SECRET"


class Unmade:
    """It needs more than options."""

    def __init__(self) -> None:
        raise AssertionError


class Failing:
    """It cannot be made."""

    def __init__(self, options: Mapping[str, str]) -> None:
        raise RuntimeError(f"SECRET {options}")


class Half:
    """It can wrap alone."""

    def __init__(self, options: Mapping[str, str]) -> None:
        pass

    def wrap_key(self, key: bytes, wrapping_key_id: str) -> bytes:  # noqa: ARG002 - the contract
        return key


VALUE = 7

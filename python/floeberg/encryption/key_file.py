"""How are keys kept in a file of this machine?

In: a file of JSON that only its owner may read. Out: keys, wrapped and unwrapped by those of the file.

    {"format-version": 1, "keys": {"customers": ["<the oldest key, base64>", "<the newest key, base64>"]}}

A key has versions: the last one wraps, and each of them unwraps, so that a key can be replaced and old tables stay
readable. A wrapped key is a nonce of 12 bytes, the encrypted key, and the tag of 16 bytes of AES GCM.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import secrets
import stat
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from floeberg._arguments import checked_path
from floeberg.encryption._provider import WHOLE_KEYS, Provider, checked_id, checked_key
from floeberg.errors import (
    AlreadyExistsError,
    InvalidDataError,
    InvalidInputError,
    NotFoundError,
    NotInstalledError,
    PermissionDeniedError,
    StorageError,
)

try:
    import fcntl
except ImportError:
    # Windows has no such locks.
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

__all__ = ["KEY_FILE", "KeyFile", "create_key", "key_ids", "rotate_key"]

KEY_FILE: Final = "encryption.key-file"
"""The option with the path of the file."""

_VERSION: Final = 1
_NONCE: Final = 12
_TAG: Final = 16
_MOST_BYTES: Final = 16 << 20
_OF_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO

Keys = dict[str, list[bytes]]


class KeyFile(Provider):
    """Keys in a file of this machine: for one machine, for tests, and for workers that share a folder.

    Whoever reads the file reads the tables: keep the file apart from the tables, and keep a copy of it in a safe. A
    table whose key is lost cannot be read again.

    Args:
        path: The file, which `create_key` makes. Only its owner may have rights to it.

    Examples:
        >>> create_key(folder / "keys.json", "customers")
        >>> keys = KeyFile(folder / "keys.json")
        >>> keys.unwrap_key(keys.wrap_key(b"16 bytes of key.", "customers"), "customers")
        b'16 bytes of key.'
    """

    kind: ClassVar[str] = "file"
    shown: ClassVar[tuple[str, ...]] = (KEY_FILE,)

    def __init__(self, path: str | os.PathLike[str]) -> None:
        # A worker may run in another folder.
        super().__init__({KEY_FILE: os.path.abspath(_local(checked_path("path", path)))})  # noqa: PTH100 - a text

    def _check(self) -> None:
        if not self._option(KEY_FILE):
            raise InvalidInputError(
                f"the option 'encryption.kms-type' is 'file', and {KEY_FILE!r} is missing: give the path of the "
                "key file"
            )

    @property
    def _path(self) -> Path:
        return Path(_local(self._options[KEY_FILE]))

    def wrap_key(self, key: bytes, wrapping_key_id: str) -> bytes:
        """Encrypts a key by the newest version of a key of the file.

        Raises:
            NotFoundError: The file, or a key of this id, does not exist.
            PermissionDeniedError: Others than the owner have rights to the file.
            InvalidDataError: The file is damaged.
            InvalidInputError: The key has a length that AES does not have.
            NotInstalledError: The package cryptography is not installed.
        """
        plain = checked_key("key", key)
        nonce = secrets.token_bytes(_NONCE)
        return nonce + _cipher(self._versions(wrapping_key_id)[-1]).encrypt(nonce, plain, None)

    def unwrap_key(self, wrapped_key: bytes, wrapping_key_id: str) -> bytes:
        """Decrypts a key by the version of the key of the file that it was wrapped by.

        Raises:
            InvalidDataError: Another key wrapped it, or it is damaged; or the file is.
            NotFoundError: The file, or a key of this id, does not exist.
            PermissionDeniedError: Others than the owner have rights to the file.
            NotInstalledError: The package cryptography is not installed.
        """
        versions = self._versions(wrapping_key_id)
        wrapped = bytes(wrapped_key)
        if len(wrapped) - _NONCE - _TAG in WHOLE_KEYS:
            from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - importing floeberg imports nothing large

            for version in reversed(versions):
                with contextlib.suppress(InvalidTag):
                    return _cipher(version).decrypt(wrapped[:_NONCE], wrapped[_NONCE:], None)
        tried = "the key" if len(versions) == 1 else f"each of the {len(versions)} versions of the key"
        raise InvalidDataError(
            f"a wrapped key of {len(wrapped)} bytes cannot be opened by {tried} {wrapping_key_id!r} of the key "
            "file: another "
            "key wrapped it, or it is damaged. Use the key file that the table was written with",
            context={"path": str(self._path)},
        )

    def _versions(self, wrapping_key_id: str) -> list[bytes]:
        known = checked_id(wrapping_key_id)
        keys = _read(self._path)
        if known not in keys:
            raise _missing(known, keys, self._path)
        _installed()
        return keys[known]


def create_key(path: str | os.PathLike[str], key_id: str, *, length: int = 32) -> None:
    """Makes a new random key in a key file. The file is made where it does not exist, for its owner alone.

    Args:
        path: The file.
        key_id: The id of the key: what the property `encryption.key-id` of tables says.
        length: Its bytes: 16, 24 or 32.

    Raises:
        AlreadyExistsError: The file has a key of this id. `rotate_key` adds a version to it.
        InvalidInputError: AES does not have this length.
        PermissionDeniedError: Others than the owner have rights to the file.

    Examples:
        >>> create_key(folder / "created.json", "orders", length=16)
        >>> key_ids(folder / "created.json")
        {'orders': 1}
    """
    file, known = Path(_local(checked_path("path", path))), checked_id(key_id)
    if length not in WHOLE_KEYS or isinstance(length, bool):
        raise InvalidInputError(f"length: expected 16, 24 or 32 bytes, found {length!r}")
    with _locked(file):
        keys = _read(file) if os.path.lexists(file) else {}
        if known in keys:
            raise AlreadyExistsError(
                f"the key file has a key {known!r} already: `floeberg keys rotate` adds a version to it",
                context={"path": str(file)},
            )
        _write(file, {**keys, known: [secrets.token_bytes(length)]})


def rotate_key(path: str | os.PathLike[str], key_id: str) -> int:
    """Adds a version to a key of a key file. It wraps keys from now on; the old versions still unwrap.

    Args:
        path: The file.
        key_id: The id of the key.

    Returns:
        How many versions the key has now.

    Raises:
        NotFoundError: The file, or a key of this id, does not exist.

    Examples:
        >>> create_key(folder / "rotated.json", "orders")
        >>> rotate_key(folder / "rotated.json", "orders")
        2
    """
    file, known = Path(_local(checked_path("path", path))), checked_id(key_id)
    with _locked(file):
        keys = _read(file)
        if known not in keys:
            raise _missing(known, keys, file)
        versions = [*keys[known], secrets.token_bytes(len(keys[known][-1]))]
        _write(file, {**keys, known: versions})
    return len(versions)


def key_ids(path: str | os.PathLike[str]) -> dict[str, int]:
    """The ids of the keys of a key file, and how many versions each has.

    Raises:
        NotFoundError: The file does not exist.
        PermissionDeniedError: Others than the owner have rights to it.
        InvalidDataError: It is damaged.

    Examples:
        >>> create_key(folder / "listed.json", "orders")
        >>> key_ids(folder / "listed.json")
        {'orders': 1}
    """
    return {key: len(versions) for key, versions in _read(Path(_local(checked_path("path", path)))).items()}


def _local(path: str) -> str:
    """A path of this machine, which may be written as a URI."""
    scheme, colon, rest = path.partition(":")
    # One letter is a drive of Windows.
    if not colon or len(scheme) <= 1 or "/" in scheme:
        return path
    if scheme.lower() == "file" and rest.startswith("/") and (rest.startswith("///") or rest[1:2] != "/"):
        return rest.removeprefix("//")
    raise InvalidInputError(f"a key file is a file of this machine: expected a path, found {path!r}")


def _missing(key_id: str, keys: Keys, file: Path) -> NotFoundError:
    near = get_close_matches(key_id, keys, n=1)
    hint = f"did you mean {near[0]!r}? It" if near else "it"
    has = ", ".join(map(repr, sorted(keys)[:10])) or "no key"
    return NotFoundError(
        f"the key file has no key {key_id!r}: {hint} has {has}. `floeberg keys create FILE {key_id}` makes a new "
        "key, which "
        "opens no table that was written before",
        context={"path": str(file)},
    )


def _read(file: Path) -> Keys:
    where = {"path": str(file)}
    try:
        with file.open("rb") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            content = opened.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        raise NotFoundError(
            "the key file does not exist: `floeberg keys create FILE KEY_ID` makes one", context=where
        ) from None
    except PermissionError:
        raise PermissionDeniedError("the key file cannot be read by this user", context=where) from None
    except (OSError, ValueError) as error:
        raise StorageError(
            f"the key file cannot be read: {getattr(error, 'strerror', None) or type(error).__name__}",
            context=where,
        ) from None
    if os.name == "posix" and mode & _OF_OTHERS:
        raise PermissionDeniedError(
            f"others than the owner have rights to the key file (mode {stat.S_IMODE(mode):04o}): expected mode "
            "0600, by "
            "`chmod 600`",
            context=where,
        )
    keys = _parsed(content) if len(content) <= _MOST_BYTES else None
    if keys is None:
        raise InvalidDataError(
            "the key file is damaged: expected JSON as "
            '{"format-version": 1, "keys": {id: [keys of 16, 24 or 32 bytes, in '
            "base64]}}",
            context=where,
        )
    return keys


def _parsed(content: bytes) -> Keys | None:
    """The keys, or `None` for anything else. No error may show a part of the file."""
    try:
        found: Any = json.loads(content)
        named: Any = found["keys"] if found["format-version"] == _VERSION else None
        keys: Keys = {
            key_id: [base64.b64decode(version, validate=True) for version in versions]
            for key_id, versions in named.items()
        }
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return None
    is_right = all(
        versions and all(len(each) in WHOLE_KEYS for each in versions) for versions in keys.values()
    )
    return keys if is_right else None


def _write(file: Path, keys: Keys) -> None:
    """Replaces the file, in one step. Its bytes are on the disk before it has its name."""
    named = {
        key: [base64.b64encode(version).decode() for version in versions] for key, versions in keys.items()
    }
    text = json.dumps({"format-version": _VERSION, "keys": named}, indent=1) + "\n"
    new = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
        new.replace(file)
        _synced(file.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            new.unlink()
        raise StorageError(
            f"the key file cannot be written: {error.strerror}", context={"path": str(file)}
        ) from None


def _synced(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Two commands at once would lose a key: they take turns, by a lock on the folder."""
    if fcntl is None:
        yield
        return
    try:
        handle = os.open(file.parent, os.O_RDONLY)
    except OSError as error:
        raise StorageError(
            f"the folder of the key file cannot be opened: {error.strerror}", context={"path": str(file)}
        ) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _installed() -> None:
    try:
        import cryptography  # noqa: F401, PLC0415 - importing floeberg imports nothing large
    except ImportError:
        raise NotInstalledError("a key file needs cryptography: pip install 'floeberg[encryption]'") from None


def _cipher(key: bytes) -> AESGCM:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - importing floeberg imports nothing large

    return AESGCM(key)

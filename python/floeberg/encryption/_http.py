"""How is a key service asked that speaks HTTP?

In: an address, headers and JSON. Out: the JSON of the answer, or an error that says which key and which service.
Wrapping and unwrapping change nothing, so that a request is sent again where the service is busy.

Invariant: no error shows a header, a body or the text of an answer, which may have a token or a key.
"""

from __future__ import annotations

import base64
import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from floeberg.commit.retries import Retries
from floeberg.errors import (
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    NotFoundError,
    NotInstalledError,
    PermissionDeniedError,
    StorageError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["bytes_in", "checked_address", "posted", "text_in"]

_RETRIES: Final = Retries(number=3, least_wait=0.2, most_wait=2.0, total=60.0)
_SECONDS: Final = 20.0
_OK, _REFUSED, _UNAUTHORIZED, _FORBIDDEN, _MISSING, _BUSY, _SERVER = 200, 400, 401, 403, 404, 429, 500

_TO_PLAIN: Final = str.maketrans("-_", "+/")


def posted(  # noqa: PLR0913 - keywords
    url: str,
    body: Mapping[str, object],
    *,
    headers: Mapping[str, str],
    service: str,
    key_id: str,
    ca_file: str | None = None,
    judge: Callable[[int, str], FloebergError | None] | None = None,
) -> Mapping[str, Any]:
    """Posts JSON.

    Args:
        url: The address.
        body: What is sent.
        headers: Of the request.
        service: The name of the service, for errors.
        key_id: The id of the key that is asked for, for errors.
        ca_file: Certificates to trust, in place of those of the machine.
        judge: What an answer means that only this service gives, by its status and its text.

    Raises:
        NotInstalledError: httpx is not installed.
        FloebergError: What the service, or the network, answered.
    """
    try:
        import httpx  # noqa: PLC0415 - importing floeberg imports nothing large
    except ImportError:
        raise NotInstalledError(f"{service} needs httpx: pip install 'floeberg[encryption]'") from None
    where = {"key": key_id, "service": service, "address": url}
    verify = True if ca_file is None else _trusting(ca_file)
    for attempt in range(1, _RETRIES.number + 2):
        try:
            answer = httpx.post(url, json=body, headers=dict(headers), timeout=_SECONDS, verify=verify)
        except (httpx.InvalidURL, UnicodeError) as failure:
            raise InvalidInputError(f"the address of {service} is wrong: {failure}", context=where) from None
        except httpx.HTTPError as failure:
            error: FloebergError = StorageError(
                f"{service} cannot be reached: {type(failure).__name__}. Is the address right, and is the "
                "service running?",
                context=where,
                retryable=True,
            )
        else:
            if answer.status_code == _OK:
                return _json(answer, service, where)
            error = (judge and judge(answer.status_code, answer.text)) or _judged(
                answer.status_code, service, key_id, where
            )
        if not error.retryable or attempt > _RETRIES.number:
            raise error
        time.sleep(_RETRIES.wait(attempt))
    raise AssertionError


def checked_address(option: str, address: str) -> str:
    """An address of a service, without the slash at its end.

    Raises:
        InvalidInputError: It is not an address of http or https. The error shows no password.
    """
    try:
        parts = urlsplit(address)
        is_right = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:
        is_right = False
    if not is_right:
        raise InvalidInputError(
            f"{option}: expected an address of https without a user, as in 'https://keys.example.org'"
        )
    return address.rstrip("/")


def text_in(answer: Mapping[str, Any], name: str, *, service: str, key_id: str) -> str:
    """A text of an answer.

    Raises:
        InvalidDataError: It is not there, or something else is.
    """
    found = answer.get(name)
    if not isinstance(found, str) or not found:
        raise InvalidDataError(
            f"{service} answered without {name!r}: is the address that of the key service?",
            context={"key": key_id, "service": service},
        )
    return found


def bytes_in(answer: Mapping[str, Any], name: str, *, service: str, key_id: str) -> bytes:
    """The bytes that a text of an answer has in base64, of either alphabet, with or without padding.

    Raises:
        InvalidDataError: It is not there, or something else is.
    """
    text = text_in(answer, name, service=service, key_id=key_id).translate(_TO_PLAIN).rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        raise InvalidDataError(
            f"{service} answered {name!r} that is not base64", context={"key": key_id, "service": service}
        ) from None


def _trusting(ca_file: str) -> Any:  # noqa: ANN401 - a class that is imported here
    import ssl  # noqa: PLC0415 - only such a service needs it

    try:
        return ssl.create_default_context(cafile=ca_file)
    except (OSError, ValueError) as failure:
        raise InvalidInputError(
            f"the certificates of a key service cannot be read: {type(failure).__name__}",
            context={"path": ca_file},
        ) from None


def _json(answer: Any, service: str, where: Mapping[str, str]) -> Mapping[str, Any]:  # noqa: ANN401 - of httpx
    try:
        found = answer.json()
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InvalidDataError(
            f"{service} answered something else than JSON: is the address right?", context=where
        )
    return found


def _judged(status: int, service: str, key_id: str, where: Mapping[str, str]) -> FloebergError:
    if status in (_UNAUTHORIZED, _FORBIDDEN):
        return PermissionDeniedError(
            f"{service} refuses the key {key_id!r} (status {status}): does the token allow to encrypt and "
            "decrypt by it?",
            context=where,
        )
    if status == _MISSING:
        return NotFoundError(
            f"{service} has no key {key_id!r}: make it there, or name another by the property 'encryption.key-id' of a "
            "new table",
            context=where,
        )
    if status == _REFUSED:
        return InvalidDataError(
            f"{service} cannot use the key {key_id!r} for this (status {status}): another key wrapped what is "
            "there, it is "
            "damaged, or the key is of another kind",
            context=where,
        )
    is_busy = status == _BUSY or status >= _SERVER
    return StorageError(f"{service} answered with status {status}", context=where, retryable=is_busy)

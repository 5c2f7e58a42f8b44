"""How does a client show a server who it is?

Spec: REST catalog specification, security schemes `OAuth2` and `BearerAuth`, `/v1/oauth/tokens`, and `LoadTableResult`.
"""

from __future__ import annotations

import base64
import importlib
import time
from typing import TYPE_CHECKING, TypeAlias, cast

from floeberg.catalog.rest.auth_manager import AuthManager
from floeberg.catalog.rest.process_lock import ProcessLock
from floeberg.catalog.rest.tokens import SUBJECT_TYPES, Token, TokenServer, given_token
from floeberg.errors import (
    FloebergError,
    InvalidInputError,
    NotInstalledError,
    PermissionDeniedError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["auth_of", "auth_of_table", "credentials_shown"]

_Ask: TypeAlias = "Callable[[str, Mapping[str, str], Mapping[str, str]], Mapping[str, object]]"
_OF_OAUTH2 = ("credential", "token", *SUBJECT_TYPES)


class _Fixed(AuthManager):
    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers

    def headers(self) -> Mapping[str, str]:
        return self._headers


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


class _OAuth2(AuthManager):
    """A token that is asked for, or given, and renewed before it ends.

    A given token is exchanged for another one, as it may be of another user than the credential. Without it, the
    credential gets each token. Where none can be had, the old one is used until it ends, and each request tries again.
    """

    def __init__(self, properties: Mapping[str, str], ask: _Ask) -> None:
        self._server = TokenServer(properties, ask)
        self._subject = next(
            (Token(properties[kind].strip(), kind) for kind in SUBJECT_TYPES if properties.get(kind)), None
        )
        self._renews = properties.get("token-refresh-enabled", "true").lower() != "false"
        self._exchanges = properties.get("token-exchange-enabled", "true").lower() != "false"
        self._given = given_token(properties)
        self._token = None if self._subject is not None else self._given
        self._try_at = 0.0
        self._lock = ProcessLock()

    def headers(self) -> Mapping[str, str]:
        with self._lock:
            now = time.monotonic()
            if self._token is None or now >= self._token.ends:
                self._token = self._new()
            elif self._renews and now >= max(self._token.renew_at, self._try_at):
                try:
                    self._token = self._new()
                except FloebergError:
                    # The token is still good for a while.
                    self._try_at = now + min(5.0, (self._token.ends - now) / 2)
            return _bearer(self._token.value)

    def renew(self) -> bool:
        with self._lock:
            if not self._server.has_credential and self._subject is None:
                return False
            self._token = self._new()
            return True

    def seconds_left(self) -> float | None:
        with self._lock:
            ends = None if self._token is None else self._token.ends
        return None if ends is None or ends == float("inf") else max(ends - time.monotonic(), 0.0)

    def _new(self) -> Token:
        if self._subject is not None:
            actor = self._given
            if actor is None and self._server.has_credential:
                actor = self._server.by_credential()
            return self._server.by_exchange(self._subject, actor)
        has_credential = self._server.has_credential
        if self._given is not None and self._token is not None and self._exchanges:
            try:
                return self._server.by_exchange(self._token)
            except FloebergError:
                if not has_credential:
                    raise
        if not has_credential:
            raise PermissionDeniedError(
                "the token has ended, and there is no 'credential' to ask for another one: give a new 'token'"
            )
        return self._server.by_credential()


class _OfTable(AuthManager):
    """A token that a server gave for one table. Where it is of no use any more, that of the catalog serves."""

    def __init__(self, own: AuthManager, parent: AuthManager) -> None:
        self._own: AuthManager | None = own
        self._parent = parent

    def headers(self) -> Mapping[str, str]:
        own = self._own
        if own is not None:
            try:
                return own.headers()
            except FloebergError:
                self._own = None
        return self._parent.headers()

    def seconds_left(self) -> float | None:
        return (self._parent if self._own is None else self._own).seconds_left()

    def renew(self) -> bool:
        own = self._own
        if own is None:
            return self._parent.renew()
        try:
            if own.renew():
                return True
        except FloebergError:
            pass
        self._own = None
        return True


def auth_of_table(
    config: Mapping[str, str], properties: Mapping[str, str], parent: AuthManager, ask: _Ask
) -> AuthManager | None:
    """The manager of a table whose server gave it a token of its own; `None` where it gave none.

    Args:
        config: The `config` of the answer that loaded the table: `token`, or a token to exchange.
        properties: Those of the catalog.
        parent: The manager of the catalog.
        ask: As for `auth_of`.
    """
    if not isinstance(parent, _OAuth2):
        return None
    names = ("token", *SUBJECT_TYPES)
    given = {name: config[name] for name in names if config.get(name)}
    if not given:
        return None
    kept = {name: value for name, value in properties.items() if name not in names}
    if "token" not in given:
        # Whoever acts for the user of the token is the catalog.
        kept["token"] = parent.headers()["Authorization"].partition(" ")[2]
    return _OfTable(_OAuth2(kept | given, ask), parent)


def auth_of(
    properties: Mapping[str, str],
    ask: _Ask,
) -> AuthManager:
    """The manager that properties ask for.

    Args:
        properties: Those of the catalog.
        ask: Posts a form with headers to the server that gives tokens, and returns the object of its answer.

    Raises:
        InvalidInputError: Properties contradict each other, or one is missing.
        UnsupportedError: The type is not there.
    """
    kind = _kind(properties)
    if kind == "none":
        return _Fixed({})
    if kind == "basic":
        try:
            user, password = (properties[f"rest.auth.basic.{each}"] for each in ("username", "password"))
        except KeyError as missing:
            raise InvalidInputError(f"basic authentication needs the property {missing.args[0]!r}") from None
        word = base64.b64encode(f"{user}:{password}".encode()).decode()
        return _Fixed({"Authorization": f"Basic {word}"})
    if kind == "oauth2":
        if not any(name in properties for name in _OF_OAUTH2):
            raise InvalidInputError("OAuth2 needs the property 'credential' or 'token'")
        return _OAuth2(properties, ask)
    if kind in ("sigv4", "google", "azure", "entra"):
        # They import the libraries of the clouds.
        from floeberg.catalog.rest.cloud_auth import cloud_auth  # noqa: PLC0415

        return cloud_auth(kind, properties)
    own = properties.get("rest.auth.type", "")
    if "." in own:
        return _imported(own, properties)
    raise UnsupportedError(
        f"unknown 'rest.auth.type' {kind!r}: expected 'none', 'basic', 'oauth2', 'sigv4', 'google', 'azure', or a "
        "class of yours as 'package.module.Class'"
    )


def _kind(properties: Mapping[str, str]) -> str:
    """The type of authentication that properties mean."""
    kind = properties.get("rest.auth.type", "").lower()
    if properties.get("rest.sigv4-enabled", "false").lower() == "true":
        kind = kind or "sigv4"
    if not kind:
        kind = "oauth2" if any(name in properties for name in _OF_OAUTH2) else "none"
    return kind


_SHOWN = {
    "basic": ("rest.auth.basic.username", "rest.auth.basic.password"),
    "oauth2": (*_OF_OAUTH2, "oauth2-server-uri", "scope", "audience", "resource"),
}


def credentials_shown(properties: Mapping[str, str], origin: Callable[[str], str]) -> str:
    """Which credentials properties mean, and where these come from, without any of them.

    Args:
        properties: Those of the catalog.
        origin: Where a property comes from.

    Raises:
        FloebergError: There are none, or they cannot be used.
    """
    kind = _kind(properties)
    manager = auth_of(properties, lambda _uri, _form, _headers: {})
    found = [f"{key} ({origin(key)})" for key in _SHOWN.get(kind, ()) if key in properties]
    found += manager.credentials_shown()
    return "\n".join([f"rest.auth.type = {kind}", *found])


def _imported(path: str, properties: Mapping[str, str]) -> AuthManager:
    module, _, name = path.rpartition(".")
    try:
        found: object = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise NotInstalledError(f"the class {path!r} of 'rest.auth.type' cannot be imported") from error
    if not isinstance(found, type) or not issubclass(found, AuthManager):
        raise InvalidInputError(f"{path!r} does not derive from floeberg.catalog.rest.AuthManager")
    return cast("Callable[[Mapping[str, str]], AuthManager]", found)(properties)

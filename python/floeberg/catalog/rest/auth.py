"""How does a client show a server who it is?

Spec: REST catalog specification, security schemes `OAuth2` and `BearerAuth`, and `/v1/oauth/tokens`; RFC 6749.
"""

from __future__ import annotations

import base64
import importlib
import threading
import time
from typing import TYPE_CHECKING, cast

from floeberg.catalog.rest.auth_manager import AuthManager
from floeberg.errors import (
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    NotInstalledError,
    PermissionDeniedError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["auth_of", "credentials_shown"]

_EARLY = 60.0
"""Seconds before its end in which a token is renewed, at most a tenth of its life."""
_TOKENS = "v1/oauth/tokens"


class _Fixed(AuthManager):
    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers

    def headers(self) -> Mapping[str, str]:
        return self._headers


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


class _OAuth2(AuthManager):
    """A token that is asked for, and renewed before it ends.

    Where a token cannot be renewed, the old one is used until it ends, and each request tries again.
    """

    def __init__(
        self,
        properties: Mapping[str, str],
        ask: Callable[[str, Mapping[str, str]], Mapping[str, object]],
    ) -> None:
        self._ask = ask
        self._uri = properties.get("oauth2-server-uri", _TOKENS)
        # Files with secrets end with a line break.
        user, colon, secret = properties.get("credential", "").strip().partition(":")
        self._client, self._secret = (user, secret) if colon else ("", user)
        self._extra = {
            key: properties[key] for key in ("audience", "resource") if properties.get(key) is not None
        }
        self._scope = properties.get("scope", "catalog")
        self._first = properties["token"].strip() if "token" in properties else None
        self._renews = properties.get("token-refresh-enabled", "true") != "false"
        self._token: str | None = self._first
        self._ends = float("inf")
        self._renew_at = float("inf")
        self._lock = threading.Lock()

    def headers(self) -> Mapping[str, str]:
        with self._lock:
            now = time.monotonic()
            if self._token is None or now >= self._ends:
                self._fetch()
            elif self._renews and now >= self._renew_at:
                try:
                    self._fetch()
                except FloebergError:
                    # The token is still good for a while.
                    self._renew_at = now + min(5.0, (self._ends - now) / 2)
            return _bearer(cast("str", self._token))

    def renew(self) -> bool:
        with self._lock:
            if not self._secret:
                return False
            self._fetch()
            return True

    def _fetch(self) -> None:
        if not self._secret:
            raise PermissionDeniedError(
                "the token has ended, and there is no 'credential' to ask for another one: give a new 'token'"
            )
        form = {"grant_type": "client_credentials", **self._extra}
        if self._scope:
            form["scope"] = self._scope
        if self._client:
            form["client_id"] = self._client
        form["client_secret"] = self._secret
        began = time.monotonic()
        answer = self._ask(self._uri, form)
        token, life = answer.get("access_token"), answer.get("expires_in")
        if not isinstance(token, str) or not token:
            raise InvalidDataError("the answer of the server that gives tokens has no 'access_token'")
        self._token = token
        self._ends = self._renew_at = float("inf")
        if isinstance(life, int | float) and not isinstance(life, bool) and life > 0:
            self._ends = began + life
            self._renew_at = self._ends - min(_EARLY, life / 10)


def auth_of(
    properties: Mapping[str, str],
    ask: Callable[[str, Mapping[str, str]], Mapping[str, object]],
) -> AuthManager:
    """The manager that properties ask for.

    Args:
        properties: Those of the catalog.
        ask: Posts a form to the server that gives tokens, and returns the object of its answer.

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
        if "credential" not in properties and "token" not in properties:
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
        kind = "oauth2" if "credential" in properties or "token" in properties else "none"
    return kind


_SHOWN = {
    "basic": ("rest.auth.basic.username", "rest.auth.basic.password"),
    "oauth2": ("credential", "token", "oauth2-server-uri", "scope", "audience", "resource"),
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
    manager = auth_of(properties, lambda _uri, _form: {})
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

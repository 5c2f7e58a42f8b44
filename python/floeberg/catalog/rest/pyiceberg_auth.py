"""Which properties does `auth` of a configuration of PyIceberg mean?

There it is a mapping: `{type: basic, basic: {username: .., password: ..}}`, which the configuration joins by dots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["with_pyiceberg_auth"]

_TYPES = {
    "noop": "none",
    "basic": "basic",
    "oauth2": "oauth2",
    "legacyoauth2": "oauth2",
    "google": "google",
    "entra": "entra",
}
_STARTS = tuple(f"auth.{each}." for each in _TYPES)
_KEYS = {
    "auth.basic.username": "rest.auth.basic.username",
    "auth.basic.password": "rest.auth.basic.password",
    "auth.oauth2.token_url": "oauth2-server-uri",
    "auth.oauth2.scope": "scope",
    "auth.google.credentials_path": "gcp.auth.credentials-path",
    "auth.google.scopes": "gcp.auth.scopes",
    "auth.entra.scopes": "azure.auth.scopes",
}
_CLIENT = ("auth.oauth2.client_id", "auth.oauth2.client_secret")
_IGNORED = frozenset({"auth.oauth2.refresh_margin", "auth.oauth2.expires_in"})
"""When a token is renewed: Floeberg goes by what the server says."""


def with_pyiceberg_auth(properties: Mapping[str, str]) -> dict[str, str]:
    """The properties, with those that `auth.*` of PyIceberg means. Floeberg's own come first.

    Raises:
        InvalidInputError: The type is missing, or a part of the credentials of a client.
        UnsupportedError: The type is not there, or a key of it.
    """
    given = {
        # In variables of the environment a hyphen is what stands for the underscore.
        key.replace("-", "_"): value
        for key, value in properties.items()
        if key.startswith("auth.")
    }
    if not any(key == "auth.type" or key.startswith(_STARTS) for key in given):
        return dict(properties)
    rest = {key: value for key, value in properties.items() if not key.startswith("auth.")}
    kind = given.pop("auth.type", "").lower()
    if not kind:
        raise InvalidInputError("auth: expected a 'type', such as 'oauth2' or 'basic'")
    if kind not in _TYPES or "auth.impl" in given:
        raise UnsupportedError(
            f"the class of auth.type {kind!r} is one of PyIceberg's: give 'rest.auth.type', as "
            "'package.module.Class', with a class that derives from floeberg.catalog.rest.AuthManager"
        )
    meant = {"rest.auth.type": _TYPES[kind]}
    if kind == "oauth2":
        missing = [key for key in (*_CLIENT, "auth.oauth2.token_url") if key not in given]
        if missing:
            raise InvalidInputError(f"OAuth2 needs the property {missing[0]!r}")
        # Without a scope PyIceberg asks for none, and not for the specification's default.
        meant |= {"credential": ":".join(given.pop(key) for key in _CLIENT), "scope": ""}
    for key, value in given.items():
        if key in _IGNORED or not key.startswith(f"auth.{kind}."):
            continue
        if key not in _KEYS:
            raise UnsupportedError(f"the property {key!r} of PyIceberg is not supported")
        meant[_KEYS[key]] = value
    return meant | rest

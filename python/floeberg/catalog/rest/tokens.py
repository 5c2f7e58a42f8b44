"""How is a server asked for a token?

By a credential (RFC 6749, client credentials), or in exchange for another token (RFC 8693).
"""

from __future__ import annotations

import base64
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from floeberg.errors import InvalidDataError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["ACCESS_TOKEN", "SUBJECT_TYPES", "Token", "TokenServer", "given_token"]

_TYPES: Final = "urn:ietf:params:oauth:token-type:"
ACCESS_TOKEN: Final = _TYPES + "access_token"
SUBJECT_TYPES: Final = tuple(_TYPES + each for each in ("id_token", "access_token", "jwt", "saml2", "saml1"))
"""Properties that hold a token to exchange, the most preferred first, as in Iceberg Java."""
_EXCHANGE: Final = "urn:ietf:params:oauth:grant-type:token-exchange"
_TOKENS: Final = "v1/oauth/tokens"
_EARLY: Final = 60.0
"""Seconds before its end in which a token is renewed, at most a tenth of its life."""
_PARTS_OF_JWT: Final = 3


@dataclass(frozen=True, repr=False)
class Token:
    """A token.

    Args:
        value: The token.
        kind: Its type, as RFC 8693 names it.
        ends: When it ends, on the clock of `time.monotonic`.
        renew_at: When another one is asked for.
    """

    value: str
    kind: str = ACCESS_TOKEN
    ends: float = float("inf")
    renew_at: float = float("inf")

    @classmethod
    def living(cls, value: str, seconds: float | None, kind: str = ACCESS_TOKEN) -> Token:
        """A token that lives so many seconds from now on; `None` where that is not known."""
        if seconds is None:
            return cls(value, kind)
        now = time.monotonic()
        return cls(value, kind, now + seconds, now + seconds - min(_EARLY, max(seconds, 0.0) / 10))


def given_token(properties: Mapping[str, str]) -> Token | None:
    """The `token` of properties. It ends as it says itself, where it is a JWT, or after `token-expires-in-ms`.

    Raises:
        InvalidInputError: `token-expires-in-ms` is not a whole number above 0.
    """
    if "token" not in properties:
        return None
    value = properties["token"].strip()
    if (ends := _end_of(value)) is not None:
        return Token.living(value, ends - time.time())
    text = properties.get("token-expires-in-ms")
    if text is None:
        return Token(value)
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise InvalidInputError(
            f"token-expires-in-ms: expected milliseconds, a whole number above 0, found {text!r}"
        )
    return Token.living(value, int(text) / 1000)


def _end_of(token: str) -> float | None:
    """When a JWT ends, in seconds from 1970; `None` of another token. Its signature is for the server to check."""
    parts = token.split(".")
    if len(parts) != _PARTS_OF_JWT:
        return None
    try:
        claims: Any = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
        ends = claims.get("exp")
    except (ValueError, AttributeError, RecursionError):
        return None
    return float(ends) if isinstance(ends, int | float) and not isinstance(ends, bool) else None


class TokenServer:
    """A server that gives tokens.

    Args:
        properties: Those of the catalog: `oauth2-server-uri`, `credential`, `scope`, `audience` and `resource`.
        ask: Posts a form with headers, and returns the object of the answer.
    """

    def __init__(
        self,
        properties: Mapping[str, str],
        ask: Callable[[str, Mapping[str, str], Mapping[str, str]], Mapping[str, object]],
    ) -> None:
        self._ask = ask
        self._uri = properties.get("oauth2-server-uri", _TOKENS)
        # Files with secrets end with a line break.
        user, colon, secret = properties.get("credential", "").strip().partition(":")
        self._client, self._secret = (user, secret) if colon else ("", user)
        scope = properties.get("scope", "catalog")
        self._shared = {"scope": scope} if scope else {}
        self._shared |= {key: properties[key] for key in ("audience", "resource") if key in properties}

    @property
    def has_credential(self) -> bool:
        """Whether there is a credential to ask with."""
        return bool(self._secret)

    def by_credential(self) -> Token:
        """A token for the credential.

        Raises:
            FloebergError: The server gave none.
        """
        form = {"grant_type": "client_credentials", **self._shared}
        if self._client:
            form["client_id"] = self._client
        return self._answered({**form, "client_secret": self._secret}, {})

    def by_exchange(self, subject: Token, actor: Token | None = None) -> Token:
        """A token in exchange for another one.

        The client shows its credential, where it has one with an id; else the token itself.

        Args:
            subject: The token of whom the new one is for.
            actor: The token of who acts for them.

        Raises:
            FloebergError: The server gave none.
        """
        form = {"grant_type": _EXCHANGE, **self._shared}
        form |= {"subject_token": subject.value, "subject_token_type": subject.kind}
        if actor is not None:
            form |= {"actor_token": actor.value, "actor_token_type": actor.kind}
        if self._client:
            word = base64.b64encode(f"{self._client}:{self._secret}".encode()).decode()
            return self._answered(form, {"Authorization": f"Basic {word}"})
        return self._answered(form, {"Authorization": f"Bearer {(actor or subject).value}"})

    def _answered(self, form: Mapping[str, str], headers: Mapping[str, str]) -> Token:
        began = time.monotonic()
        answer = self._ask(self._uri, form, headers)
        token, life, kind = (answer.get(each) for each in ("access_token", "expires_in", "issued_token_type"))
        if not isinstance(token, str) or not token:
            raise InvalidDataError("the answer of the server that gives tokens has no 'access_token'")
        named = kind if isinstance(kind, str) and kind else ACCESS_TOKEN
        if not isinstance(life, int | float) or isinstance(life, bool) or life <= 0:
            return Token(token, named)
        return Token(token, named, began + life, began + life - min(_EARLY, life / 10))

"""How is a server asked, and what comes back?

A request that changes nothing is sent again after a failure of the network or the server. One that changes something is
sent again only where it certainly was not carried out: after 429, where no connection was made, and after 503 where the
server takes idempotency keys. After any other failure its outcome is unknown.

Spec: REST catalog specification, `CatalogConfig`, `Idempotency-Key`, and the responses of each path.
"""

from __future__ import annotations

import itertools
import json
import os
import ssl
import time
import uuid
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import SplitResult, quote_plus, urlencode, urljoin, urlsplit

from floeberg import __version__, _native
from floeberg.catalog.rest.answers import AUTH_ENDED, NOT_MODIFIED, UNAUTHORIZED, Refusal
from floeberg.catalog.rest.auth import auth_of
from floeberg.catalog.rest.auth_manager import SignedRequest
from floeberg.catalog.rest.process_lock import ProcessLock
from floeberg.catalog.rest.tokens import SUBJECT_TYPES
from floeberg.commit.retries import Retries
from floeberg.errors import (
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    NotInstalledError,
    StorageError,
)

try:
    import httpx
except ImportError as error:
    raise NotInstalledError("REST catalogs need httpx: install it by pip install 'floeberg[rest]'") from error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from floeberg.catalog.rest.auth_manager import AuthManager

__all__ = ["Answer", "Request", "RestClient", "UnknownOutcome", "connect_seconds", "tls_context"]

_RETRIES = Retries(number=5, least_wait=0.1, most_wait=10.0, total=90.0)
_REDIRECTS, _TOO_MANY, _UNAVAILABLE, _GATEWAYS = 300, 429, 503, frozenset({502, 504})
_MOST_WAIT = 60.0
"""The most seconds that a server may ask to wait."""
_MOST_BYTES = 1 << 30
"""The most bytes of an answer, after decompression."""
_LONGEST = 600.0
"""The most seconds that an answer may take."""
_SAFE = frozenset({"GET", "HEAD"})
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)
"""Failures before anything was sent."""


class UnknownOutcome(Exception):  # noqa: N818 - it is not known whether it is an error
    """A request that changes something was sent, and nobody knows whether it was carried out."""


class _EndlessError(Exception):
    """An answer that is too long."""


@dataclass(frozen=True)
class Answer:
    """An answer.

    Args:
        status: Its status: that of a success, or 304.
        body: The object of its JSON; empty without content.
        headers: Its headers, by lower case names.
        text: The member that the request wants as text. In the body it has no lists and no objects.
    """

    status: int
    body: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    text: str | None = None


@dataclass(frozen=True)
class Request:
    """What a server is asked.

    Args:
        method: The method.
        path: The path below the address of the server.
        query: Parameters.
        body: What is sent, as JSON; `None` is no content.
        headers: Headers besides those of the client.
        refused: The error of an answer that is no success; `None` is the error by its status.
        is_sent_again: Whether a request that changes something is sent again after any failure, where the server takes
            idempotency keys. Otherwise whoever asks finds out by other means.
        changes_nothing: Whether a request that is not `GET` changes nothing: it is sent again after any failure.
        is_tried_once: Whether it is sent once, whatever it fails by: nothing depends on it.
        auth: What says who the client is; `None` is that of the catalog.
        member_as_text: A large object in the answer, which is wanted as text; empty for none.
    """

    method: str
    path: str
    query: Mapping[str, str] | None = None
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    refused: Callable[[Refusal], FloebergError | None] = lambda _: None
    is_sent_again: bool = False
    changes_nothing: bool = False
    is_tried_once: bool = False
    auth: AuthManager | None = None
    member_as_text: str = ""


@dataclass(frozen=True)
class _Sent:
    """A request as it is sent, each time with the same idempotency key."""

    url: str
    request: Request
    content: bytes | None
    headers: dict[str, str]
    is_repeatable: bool
    hidden: frozenset[str] = frozenset()
    """What no error may show, of what is sent."""

    @property
    def what(self) -> str:
        # A query may have a secret.
        return f"{self.request.method} {self.url.partition('?')[0]}"


@dataclass(frozen=True)
class _Failed:
    """What a try failed by, and whether there may be another one, after so many seconds."""

    error: BaseException
    is_worth_a_retry: bool = False
    wait: float = 0.0
    is_of_auth: bool = False


class RestClient:
    """Asks a server. Its connections are opened when they are needed, and again in a forked process.

    Args:
        properties: Those of the catalog. Of these are used: `uri`; `header.<name>`; `rest.client.connection-timeout-ms`
            and `rest.client.socket-timeout-ms`; `ssl.cabundle`, `ssl.client.cert` and `ssl.client.key`; `rest.proxy`;
            and those of `floeberg.catalog.rest.auth`.
    """

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._properties = dict(properties)
        uri = self._properties.get("uri", "")
        place = urlsplit(uri)
        if place.scheme not in ("http", "https") or not place.hostname or not _has_port(place):
            raise InvalidInputError(
                "uri: expected the address of a server, as 'https://catalog.example.com/api', found "
                f"{uri.rpartition('@')[2]!r}"
            )
        if place.username or place.password:
            raise InvalidInputError("uri: a REST catalog takes no user in its address: give 'credential'")
        self._base = uri.rstrip("/") + "/"
        self._secrets = frozenset(_secrets(self._properties))
        self.takes_keys = False
        """Whether the server takes idempotency keys."""
        self._lock = ProcessLock()
        self._opened: tuple[int, httpx.Client] | None = None
        self._auth: AuthManager | None = None

    def close(self) -> None:
        """Closes the connections. The next request opens them again."""
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is not None and opened[0] == os.getpid():
            opened[1].close()

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()

    def ask(self, request: Request) -> Answer:
        """Asks, and reads the answer.

        Raises:
            UnknownOutcome: A request that changes something may have been carried out.
            FloebergError: Nothing was changed.
        """
        own = dict(request.headers)
        content = None
        if request.body is not None:
            content = json.dumps(request.body, separators=(",", ":")).encode()
            own["Content-Type"] = "application/json"
        if self.takes_keys and request.method not in _SAFE and not request.is_tried_once:
            own["Idempotency-Key"] = _time_ordered()
        is_safe = request.method in _SAFE or request.changes_nothing
        is_repeatable = is_safe or (request.is_sent_again and self.takes_keys)
        return self._sent(
            _Sent(self._url(request.path), request, content, own, is_repeatable),
            self.authorization if request.auth is None else request.auth,
        )

    def post_form(
        self, path: str, form: Mapping[str, str], headers: Mapping[str, str] = MappingProxyType({})
    ) -> Mapping[str, object]:
        """Posts a form, as servers that give tokens take it, and returns the object of the answer."""
        sent_headers = {"Content-Type": "application/x-www-form-urlencoded", **_checked(headers)}
        request = Request("POST", path)
        hidden = {value for key, value in form.items() if key.endswith(("_token", "_secret"))}
        # A token may be asked for twice.
        sent = _Sent(
            self._url(path),
            request,
            urlencode(form).encode(),
            sent_headers,
            is_repeatable=True,
            hidden=frozenset({*hidden, *headers.values()}),
        )
        return self._sent(sent, None).body

    def _url(self, path: str) -> str:
        return urljoin(self._base, path.lstrip("/"))

    @property
    def authorization(self) -> AuthManager:
        """What says who the client is."""
        with self._lock:
            if self._auth is None:
                self._auth = auth_of(self._properties, self.post_form)
            return self._auth

    def _sent(self, sent: _Sent, auth: AuthManager | None) -> Answer:
        ends = time.monotonic() + _RETRIES.total
        renewed = False
        for done in itertools.count(1):
            result = self._tried(sent, auth)
            if isinstance(result, Answer):
                return result
            if result.is_of_auth and auth is not None and not renewed:
                renewed = True
                if auth.renew():
                    continue
            wait = max(result.wait, _RETRIES.wait(done))
            worth = result.is_worth_a_retry and not sent.request.is_tried_once
            if not worth or done > _RETRIES.number or time.monotonic() + wait > ends:
                raise result.error
            time.sleep(wait)
        raise AssertionError

    def _tried(self, sent: _Sent, auth: AuthManager | None) -> Answer | _Failed:
        """One try: the answer, or what it failed by."""
        what = sent.what
        given: dict[str, str] = {}
        try:
            status, headers, content = self._once(sent, auth, given)
        except _NOT_SENT as error:
            text = f"the server cannot be reached: {error}"
            failure = StorageError(text, context={"request": what}, retryable=True)
            # A certificate is as wrong the next time.
            return _Failed(failure, is_worth_a_retry="certificate" not in text.lower())
        except httpx.LocalProtocolError:
            # Its message may have the value of a header.
            raise InvalidInputError("the request cannot be sent", context={"request": what}) from None
        except (httpx.HTTPError, httpx.StreamError, _EndlessError) as error:
            text = f"no whole answer came: {error or type(error).__name__}"
            if not sent.is_repeatable:
                return _Failed(UnknownOutcome(f"{what}: {text}"))
            may_be_whole = not isinstance(error, _EndlessError)
            failure = StorageError(text, context={"request": what}, retryable=may_be_whole)
            return _Failed(failure, is_worth_a_retry=may_be_whole)
        if status < _REDIRECTS or status == NOT_MODIFIED:
            return _answer(status, headers, content, sent)
        refusal = Refusal.of(status, headers, content, what)
        refusal = replace(
            refusal, message=_without(refusal.message, {*self._secrets, *sent.hidden, *given.values()})
        )
        is_safe = sent.is_repeatable
        again = (
            status == _TOO_MANY
            or (status == _UNAVAILABLE and (is_safe or self.takes_keys))
            or (status in _GATEWAYS and is_safe)
        )
        found: BaseException = sent.request.refused(refusal) or refusal.error
        if refusal.is_unknown and not is_safe:
            found = UnknownOutcome(f"{what}: the server answered {status}: {refusal.message}")
        is_of_auth = status in (UNAUTHORIZED, AUTH_ENDED)
        return _Failed(found, is_worth_a_retry=again, wait=_retry_after(headers), is_of_auth=is_of_auth)

    def _once(
        self, sent: _Sent, auth: AuthManager | None, given: dict[str, str]
    ) -> tuple[int, dict[str, str], bytes]:
        """Sends a request. The headers that say who the client is go into `given`, too."""
        client, query = self._client(), sent.request.query
        request = client.build_request(
            sent.request.method,
            sent.url,
            params=dict(query) if query else None,
            content=sent.content,
            headers=sent.headers,
        )
        if auth is not None:
            known = SignedRequest(
                request.method, str(request.url), dict(request.headers), sent.content or b""
            )
            given.update(auth.headers_of(known))
            request.headers.update(_checked(given))
        answer = client.send(request, stream=True)
        with closing(answer):
            parts, size, ends = [], 0, time.monotonic() + _LONGEST
            for part in answer.iter_bytes():
                size += len(part)
                if size > _MOST_BYTES or time.monotonic() > ends:
                    raise _EndlessError(
                        f"it has more than {_MOST_BYTES} bytes, or takes more than {_LONGEST} s"
                    )
                parts.append(part)
            return (
                answer.status_code,
                {key.lower(): value for key, value in answer.headers.items()},
                b"".join(parts),
            )

    def _client(self) -> httpx.Client:
        with self._lock:
            if self._opened is None or self._opened[0] != os.getpid():
                # The connections of a parent are not closed: it uses them still.
                self._opened = os.getpid(), self._open()
            return self._opened[1]

    def _open(self) -> httpx.Client:
        known = self._properties
        given = {
            key.removeprefix("header."): value for key, value in known.items() if key.startswith("header.")
        }
        own = _checked(given)
        delegation = {"X-Iceberg-Access-Delegation": "vended-credentials"}
        fixed = {"Accept": "application/json", "User-Agent": f"floeberg/{__version__}"}
        if not any(key.lower() == "x-iceberg-access-delegation" for key in own):
            fixed |= delegation
        timeout = httpx.Timeout(
            _seconds(known, "rest.client.socket-timeout-ms", 60.0),
            connect=connect_seconds(known),
        )
        tls = tls_context(known)
        try:
            return httpx.Client(
                headers={**fixed, **own},
                timeout=timeout,
                verify=tls,
                proxy=known.get("rest.proxy"),
                follow_redirects=False,
            )
        except (ValueError, httpx.InvalidURL):
            # The message has the address, which may have a password.
            raise InvalidInputError("rest.proxy: expected an address such as 'http://proxy:8080'") from None


def _has_port(place: SplitResult) -> bool:
    """Whether the port is a number, or not given."""
    try:
        return place.port is None or place.port > 0
    except ValueError:
        return False


def _answer(status: int, headers: dict[str, str], content: bytes, sent: _Sent) -> Answer | _Failed:
    if not content.strip():
        return Answer(status, {}, headers)
    name = sent.request.member_as_text
    split = _native.split_json(content, name) if name else None
    try:
        found: object = json.loads(content if split is None else split[0])
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        text = None if split is None else split[1]
        return Answer(status, cast("dict[str, Any]", found), headers, text)
    kind = headers.get("content-type", "no content type")
    text = f"expected a JSON object of a REST catalog, found {kind!r}: is the 'uri' that of its API?"
    if not sent.is_repeatable:
        return _Failed(UnknownOutcome(f"{sent.what}: {text}"))
    return _Failed(InvalidDataError(text, context={"request": sent.what}))


@lru_cache(maxsize=1)
def _usual_tls(_file: str | None, _folder: str | None) -> ssl.SSLContext:
    """Trusts whom httpx trusts. Its certificates are read once for an environment: that takes longer than a request."""
    return httpx.create_ssl_context()


def connect_seconds(properties: Mapping[str, str]) -> float:
    """How long a connection may take."""
    return _seconds(properties, "rest.client.connection-timeout-ms", 10.0)


def tls_context(properties: Mapping[str, str]) -> ssl.SSLContext:
    """The certificates that are trusted, and that of the client.

    Raises:
        InvalidInputError: Those of the properties cannot be used.
    """
    bundle, certificate = properties.get("ssl.cabundle"), properties.get("ssl.client.cert")
    if bundle is None and certificate is None:
        return _usual_tls(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    try:
        context = ssl.create_default_context(cafile=bundle)
        if certificate is not None:
            context.load_cert_chain(certificate, properties.get("ssl.client.key"))
    except (OSError, ssl.SSLError) as failure:
        raise InvalidInputError(f"the certificates of 'ssl.*' cannot be used: {failure}") from failure
    return context


def _seconds(properties: Mapping[str, str], name: str, default: float) -> float:
    text = properties.get(name)
    if text is None:
        return default
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise InvalidInputError(f"{name}: expected milliseconds, a whole number above 0, found {text!r}")
    return int(text) / 1000


def _retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that a server asks to wait, at most a minute."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text), _MOST_WAIT)
    try:
        return min(max(0.0, parsedate_to_datetime(text).timestamp() - time.time()), _MOST_WAIT)
    except (ValueError, TypeError):
        return 0.0


_LEAST_SECRET = 4
"""A shorter value is a part of ordinary words."""
_OF_SECRETS = ("credential", "token", "password", "secret", "key")


def _secrets(properties: Mapping[str, str]) -> Iterator[str]:
    """The values of properties that no error may show, and their parts."""
    for name, value in properties.items():
        own = name in ("credential", "token", *SUBJECT_TYPES) or name.startswith(
            ("rest.", "client.", "gcp.", "azure.")
        )
        if own and any(each in name for each in _OF_SECRETS):
            yield from (value, value.partition(":")[2])
        elif name.startswith("header."):
            yield value


def _without(text: str, secrets: Iterable[str]) -> str:
    """A text without secrets, however a server repeats them."""
    for secret in sorted(map(str.strip, secrets), key=len, reverse=True):
        for each in (secret, secret.rpartition(" ")[2], quote_plus(secret)):
            if len(each) >= _LEAST_SECRET:
                text = text.replace(each, "***")
    return text


def _checked(headers: Mapping[str, str]) -> Mapping[str, str]:
    """The headers, if they can be sent. The error does not show their values."""
    for name, value in headers.items():
        if not value.isascii() or not value.isprintable():
            raise InvalidInputError(
                f"the header {name!r} has a line break, or a character beyond ASCII: it cannot be sent"
            )
    return headers


def _time_ordered() -> str:
    """A UUID of version 7, as the specification asks of idempotency keys."""
    milliseconds = time.time_ns() // 1_000_000
    random = uuid.uuid4().int
    value = (milliseconds & ((1 << 48) - 1)) << 80 | 7 << 76 | (random & ((1 << 76) - 1))
    value = value & ~(3 << 62) | 2 << 62
    return str(uuid.UUID(int=value))

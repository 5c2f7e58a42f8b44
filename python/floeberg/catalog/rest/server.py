"""What does a server say of itself, and how is it asked?

Spec: REST catalog specification, `CatalogConfig`.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from floeberg.catalog.names import dotted
from floeberg.catalog.rest.auth import auth_of_table
from floeberg.catalog.rest.client import Request, RestClient, UnknownOutcome
from floeberg.catalog.rest.configuration import of_files, texts
from floeberg.catalog.rest.endpoints import Endpoints
from floeberg.encryption.choosing import without_keys
from floeberg.errors import InvalidDataError, NoSuchNamespaceError, StorageError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from floeberg.catalog.names import Identifier, Namespace
    from floeberg.catalog.rest.answers import Refusal
    from floeberg.catalog.rest.auth_manager import AuthManager
    from floeberg.catalog.rest.client import Answer
    from floeberg.errors import FloebergError

__all__ = ["Server"]


class Server:
    """A server, as it configures its clients.

    Args:
        name: The name of the catalog.
        properties: Those that the user gave.

    Attributes:
        properties: The defaults of the server, replaced by those of the user, and these by the overrides of the server.
        endpoints: Its paths.
        id: What no other server of this process has.
    """

    def __init__(self, name: str, properties: Mapping[str, str]) -> None:
        self._name, self._given = name, dict(properties)
        self.id = uuid.uuid4().hex
        client = RestClient(self._given)
        found = client.ask(self._request())
        self.properties = (
            without_keys(texts(found.body, "defaults"))
            | self._given
            | without_keys(texts(found.body, "overrides"))
        )
        listed = found.body.get("endpoints")
        if listed is not None and not isinstance(listed, list):
            raise InvalidDataError("expected a list 'endpoints' in the configuration of the server")
        self.endpoints = Endpoints.of(self.properties, None if listed is None else map(str, listed))
        if self.properties != self._given:
            client.close()
            client = RestClient(self.properties)
        client.takes_keys = bool(found.body.get("idempotency-key-lifetime"))
        self._client = client

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._name, self._given)

    def close(self) -> None:
        """Closes the connections. A later request opens them again."""
        self._client.close()

    def _request(self) -> Request:
        """The request for the configuration."""
        warehouse = self._given.get("warehouse")
        return Request("GET", "v1/config", None if warehouse is None else {"warehouse": warehouse})

    def ask_again(self) -> str:
        """Asks for the configuration; what it says.

        Raises:
            FloebergError: The server cannot be reached, or does not know who asks.
        """
        found = self._client.ask(self._request())
        listed = found.body.get("endpoints")
        count = "no list of endpoints" if listed is None else f"{len(self.endpoints.offered)} endpoints"
        prefix = f", prefix {self.endpoints.prefix!r}" if self.endpoints.prefix else ""
        return f"the server gives its configuration: {count}{prefix}"

    @property
    def address(self) -> str:
        """The address that paths are below."""
        return self.properties["uri"]

    @property
    def authorization(self) -> AuthManager:
        """What says who the client is."""
        return self._client.authorization

    @property
    def storage_options(self) -> dict[str, str]:
        """Those of the catalog, for files."""
        return of_files(self.properties)

    def ask(
        self,
        endpoint: str,
        *,
        namespace: Namespace = (),
        of: Identifier = (),
        in_path: Mapping[str, str] | None = None,
        **what: Any,  # noqa: ANN401 - those of a request
    ) -> Answer:
        """Asks by one of the endpoints.

        Args:
            endpoint: The endpoint, as the server lists it.
            namespace: The namespace in its path.
            of: The table or view in its path.
            in_path: Other parts of its path, by their names with `_` for `-`.
            **what: Fields of `floeberg.catalog.rest.client.Request`.

        Raises:
            UnsupportedError: The server does not offer it.
            UnknownOutcome: It may have changed something.
            FloebergError: That of `refused`, or by the status of the answer.
        """
        self.endpoints.check(endpoint)
        method, path = self.endpoints.path(endpoint, namespace=namespace, of=of, **(in_path or {}))
        own: Callable[[Refusal], FloebergError | None] = what.pop("refused", lambda _: None)

        def refused(refusal: Refusal) -> FloebergError | None:
            found = own(refusal)
            if found is None and refusal.is_not_offered:
                said = f": {refusal.message}" if refusal.message else ""
                text = f"the server does not offer {endpoint}: it answered {refusal.status}{said}"
                return UnsupportedError(text, context={"request": refusal.what})
            return found

        return self._client.ask(Request(method, path, refused=refused, **what))

    def auth_of_table(self, answer: Mapping[str, Any]) -> AuthManager | None:
        """What says who the client is in requests of a table that an answer has a token for; else `None`."""
        client = self._client
        return auth_of_table(texts(answer, "config"), self.properties, client.authorization, client.post_form)

    def change(
        self,
        endpoint: str,
        *,
        is_done: Callable[[], bool],
        **what: Any,  # noqa: ANN401 - those of `ask`
    ) -> None:
        """Asks for a change. Where its outcome is unknown, `is_done` finds out.

        Raises:
            StorageError: The outcome is still unknown, as `outcome_unknown` says.
            FloebergError: Nothing was changed.
        """
        try:
            self.ask(endpoint, is_sent_again=True, **what)
        except UnknownOutcome as outcome:
            if not is_done():
                raise self.unknown(outcome) from outcome

    def unknown(self, outcome: UnknownOutcome) -> StorageError:
        """The error of a request whose outcome is unknown."""
        error = StorageError(f"no answer says whether it was done: {outcome}", retryable=True)
        error.outcome_unknown = True
        return error

    def no_such_namespace(self, namespace: Namespace) -> NoSuchNamespaceError:
        """The error for a namespace that does not exist."""
        return NoSuchNamespaceError(f"the catalog {self._name!r} has no namespace {dotted(namespace)!r}")

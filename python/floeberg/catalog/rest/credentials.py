"""How are the options renewed that a server vends for the files of a table?

They are valid for about an hour. Before they end, the server is asked for others: by its endpoint for credentials, or
by loading the table again. Processes that have no catalog, such as workers of Spark, use those that they were sent
until these end.

Spec: REST catalog specification, `LoadCredentialsResponse`.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from floeberg.catalog.names import dotted
from floeberg.catalog.rest.configuration import credentials_of, table_options
from floeberg.catalog.rest.endpoints import TABLE
from floeberg.catalog.rest.signing import is_signed_by_server, signer_options
from floeberg.errors import StorageError
from floeberg.storage_options import PROVIDER, register_storage_options_provider, says_an_end

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.catalog.names import Identifier
    from floeberg.catalog.rest.auth_manager import AuthManager
    from floeberg.catalog.rest.server import Server

__all__ = ["renewable"]

_CREDENTIALS = f"GET {TABLE}/credentials"


def renewable(
    options: dict[str, str],
    server: Server,
    identifier: Identifier,
    location: str,
    auth: AuthManager | None = None,
) -> dict[str, str]:
    """The options, with a provider of new ones where they end and the user gave none.

    Args:
        options: The options.
        server: The server.
        identifier: The table.
        location: Its location.
        auth: What says who the client is, where the table has a token of its own.
    """
    if PROVIDER in options or not any(map(says_an_end, options)):
        return options
    is_signed = is_signed_by_server(options)
    known = weakref.ref(server)
    of_table = None if auth is None else weakref.ref(auth)

    def renewed(old: Mapping[str, str]) -> dict[str, str]:
        asked = known()
        if asked is None:
            raise StorageError(f"the catalog of the table {dotted(identifier)!r} is gone")
        own = None if of_table is None else of_table()
        if asked.endpoints.offers(_CREDENTIALS) and not is_signed:
            return credentials_of(asked.ask(_CREDENTIALS, of=identifier, auth=own).body, location)
        answer = asked.ask(f"GET {TABLE}", of=identifier, query={"snapshots": "refs"}, auth=own).body
        found = table_options(asked.storage_options, answer, location)
        if is_signed:
            found |= signer_options(answer, asked, identifier, own)
        return {key: value for key, value in found.items() if old.get(key) != value}

    name = f"rest {server.id} {dotted(identifier)}".replace(":", " ")
    register_storage_options_provider(name, renewed)
    return options | {PROVIDER: name}

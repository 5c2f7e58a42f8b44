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
from floeberg.errors import StorageError
from floeberg.storage_options import EXPIRES_AT_MS, PROVIDER, register_storage_options_provider

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.catalog.names import Identifier
    from floeberg.catalog.rest.server import Server

__all__ = ["renewable"]

_TABLE = "/v1/{prefix}/namespaces/{namespace}/tables/{table}"
_ENDS = (
    EXPIRES_AT_MS,
    "s3.session-token-expires-at-ms",
    "gcs.oauth2.token-expires-at",
    "adls.sas-token-expires-at-ms",
)


def renewable(
    options: dict[str, str], server: Server, identifier: Identifier, location: str
) -> dict[str, str]:
    """The options, with a provider of new ones where they end and the user gave none."""
    ends = any(key == end or key.startswith(f"{end}.") for key in options for end in _ENDS)
    if not ends or PROVIDER in options:
        return options
    known = weakref.ref(server)

    def renewed(old: Mapping[str, str]) -> dict[str, str]:
        asked = known()
        if asked is None:
            raise StorageError(f"the catalog of the table {dotted(identifier)!r} is gone")
        credentials = f"GET {_TABLE}/credentials"
        if asked.endpoints.offers(credentials):
            return credentials_of(asked.ask(credentials, of=identifier).body, location)
        answer = asked.ask(f"GET {_TABLE}", of=identifier, query={"snapshots": "refs"}).body
        found = table_options(asked.storage_options, answer, location)
        return {key: value for key, value in found.items() if old.get(key) != value}

    name = f"rest {server.id} {dotted(identifier)}"
    register_storage_options_provider(name.replace(":", " "), renewed)
    return options | {PROVIDER: name.replace(":", " ")}

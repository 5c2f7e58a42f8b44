"""How does a server commit to several tables at once?

A refusal may be of this very commit, if something on the way sent it before. So who asked looks for the commit in all
tables first.

Spec: REST catalog specification, `CommitTransactionRequest`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.catalog.names import dotted
from floeberg.catalog.rest.answers import CONFLICT, NOT_FOUND
from floeberg.catalog.rest.client import UnknownOutcome
from floeberg.catalog.rest.updates import commit_request
from floeberg.commit.several import CommitRefusedError
from floeberg.errors import CommitStateUnknownError, FloebergError, NoSuchTableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.catalog.base import Catalog
    from floeberg.catalog.rest.answers import Refusal
    from floeberg.catalog.rest.server import Server
    from floeberg.commit.operations import OpenedTable
    from floeberg.commit.several import TableCommit

__all__ = ["COMMIT_ALL", "commit_to_server"]

COMMIT_ALL = "POST /v1/{prefix}/transactions/commit"
"""The endpoint, as servers list it."""


def commit_to_server(catalog: Catalog, server: Server, commits: Sequence[TableCommit]) -> list[OpenedTable]:
    """Sends the requirements and the updates of all tables, and loads the tables.

    Raises:
        CommitRefusedError: The server refused it, or something on the way sent it twice.
        CommitStateUnknownError: The outcome is unknown, or the tables could not be loaded after it.
        NoSuchTableError: The server knows no such table.
        FloebergError: Nothing was changed.
    """
    names = ", ".join(repr(dotted(each.identifier)) for each in commits)
    creates = any(each.base is None for each in commits)

    def refused(refusal: Refusal) -> FloebergError | None:
        if refusal.status == NOT_FOUND and "NoSuch" in refusal.kind and "Route" not in refusal.kind:
            if creates:
                return NoSuchTableError(
                    f"the server misses a table of a commit to {names}: {refusal.message}. The commit creates one, "
                    "which some servers do not do in a commit to several tables"
                )
            return CommitRefusedError(f"a table of a commit to {names} was dropped: {refusal.message}")
        if refusal.status == CONFLICT:
            return CommitRefusedError(
                f"another writer changed or dropped one of the tables {names}: {refusal.message}"
            )
        return None

    changes = [commit_request(each.identifier, each.base, each.attempt) for each in commits]
    try:
        server.ask(COMMIT_ALL, body={"table-changes": changes}, refused=refused)
    except UnknownOutcome as unknown:
        raise CommitStateUnknownError(
            f"no answer says whether a commit to {names} was made: {unknown}"
        ) from unknown
    try:
        return [catalog.table_operations(each.identifier).load(each.base) for each in commits]
    except FloebergError as failure:
        raise CommitStateUnknownError(
            f"a commit to {names} was made, and its tables cannot be loaded: {failure.message}"
        ) from failure

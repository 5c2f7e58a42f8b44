"""How is a view of a server loaded, made and committed?

Spec: REST catalog specification, `LoadViewResult`, `CreateViewRequest`, `CommitViewRequest`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg.catalog.names import dotted
from floeberg.catalog.rest.answers import CONFLICT, NOT_FOUND, by_status
from floeberg.catalog.rest.client import UnknownOutcome
from floeberg.catalog.rest.configuration import UNPLACED, table_options
from floeberg.catalog.rest.endpoints import NAMESPACE, VIEW
from floeberg.catalog.rest.updates import named
from floeberg.errors import CommitStateUnknownError, InvalidDataError
from floeberg.view.operations import ViewOperations, view_from_metadata

if TYPE_CHECKING:
    from floeberg.catalog.base import Catalog
    from floeberg.catalog.names import Identifier
    from floeberg.catalog.rest.client import Answer
    from floeberg.catalog.rest.server import Server
    from floeberg.view.operations import OpenedView, ViewAttempt

__all__ = ["RestViewOperations"]

_LOAD = f"GET {VIEW}"
_COMMIT = f"POST {VIEW}"
_CREATE = f"POST {NAMESPACE}/views"


@dataclass(frozen=True)
class RestViewOperations(ViewOperations):
    """A view of a server.

    Args:
        catalog: The catalog.
        server: Its server.
        identifier: The view in it.
    """

    catalog: Catalog
    server: Server
    identifier: Identifier

    @property
    def storage_options(self) -> dict[str, str]:
        """Those of the catalog."""
        return self.server.storage_options

    def load(self, known: OpenedView | None) -> OpenedView:
        """Asks for the view. A server may name its metadata file as it named that of a dropped one."""
        del known

        refused = by_status({NOT_FOUND: lambda _: self.catalog.no_such_view(self.identifier)})
        return self._opened(self.server.ask(_LOAD, of=self.identifier, refused=refused))

    def commit(self, base: OpenedView | None, attempt: ViewAttempt) -> OpenedView:
        """Creates the view, or sends the requirements and the updates of an attempt."""
        made = {
            CONFLICT: lambda _: self.catalog.view_already_exists(self.identifier),
            NOT_FOUND: lambda _: self.server.no_such_namespace(self.identifier[:-1]),
        }
        changed = {
            CONFLICT: lambda _: self.catalog.view_conflict(self.identifier),
            NOT_FOUND: lambda _: self.catalog.no_such_view(self.identifier),
        }
        refused = by_status(made if base is None else changed)
        try:
            if base is None:
                body = _new_view(self.identifier[-1], json.loads(attempt.metadata_json))
                answer = self.server.ask(
                    _CREATE, namespace=self.identifier[:-1], body=body, refused=refused, is_sent_again=True
                )
            else:
                body = {
                    "identifier": named(self.identifier),
                    "requirements": json.loads(attempt.requirements_json),
                    "updates": json.loads(attempt.updates_json),
                }
                answer = self.server.ask(_COMMIT, of=self.identifier, body=body, refused=refused)
        except UnknownOutcome as unknown:
            raise CommitStateUnknownError(
                f"no answer says whether the view {dotted(self.identifier)!r} was changed: {unknown}"
            ) from unknown
        return self._opened(answer)

    def _opened(self, answer: Answer) -> OpenedView:
        location, metadata = answer.body.get("metadata-location"), answer.body.get("metadata")
        if not isinstance(location, str) or not isinstance(metadata, dict):
            raise InvalidDataError("the answer of the server has no metadata of a view, or no location of it")
        options = table_options(self.server.storage_options, answer.body, str(metadata.get("location", "")))
        return view_from_metadata(json.dumps(metadata), location, storage_options=options)


def _new_view(name: str, metadata: dict[str, object]) -> dict[str, object]:
    """The request that creates a view like a draft."""
    versions, schemas = metadata["versions"], metadata["schemas"]
    assert isinstance(versions, list)  # noqa: S101 - our own metadata
    assert isinstance(schemas, list)  # noqa: S101
    version = next(each for each in versions if each["version-id"] == metadata["current-version-id"])
    schema = next(each for each in schemas if each["schema-id"] == version["schema-id"])
    body = {
        "name": name,
        "schema": schema,
        "view-version": version,
        "properties": metadata.get("properties", {}),
    }
    if metadata["location"] != UNPLACED:
        body["location"] = metadata["location"]
    return body

"""How does a server answer about views?

In: requests. Out: answers. Spec: REST catalog specification, `LoadViewResult`, `CreateViewRequest`,
`CommitViewRequest`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from floeberg import _native
from floeberg.commit.retries import Retries, RetryBudget
from floeberg.errors import CommitConflictError, InvalidInputError, NoSuchViewError
from floeberg.serving.answers import done, named, page, text_answer
from floeberg.serving.commits import TableChange
from floeberg.serving.names import identifier_in, namespace_in, new_name_in, table_in
from floeberg.serving.view_updates import ServedViewAttempt
from floeberg.view.committing import commit_view as commit_operation

if TYPE_CHECKING:
    from starlette.responses import Response

    from floeberg.catalog.names import Identifier
    from floeberg.serving.served import Asked
    from floeberg.view.operations import OpenedView, ViewOperations

__all__ = [
    "commit_view",
    "create_view",
    "drop_view",
    "list_views",
    "load_view",
    "register_view",
    "rename_view",
    "view_exists",
]

_METADATA: Final = "metadata"


def list_views(asked: Asked) -> Response:
    """The views in a namespace."""
    return page(asked.catalog.list_views(namespace_in(asked.path)), asked.query, "identifiers", named)


def load_view(asked: Asked) -> Response:
    """A view."""
    identifier = _view_in(asked)
    try:
        return _answer(asked.catalog.view_operations(identifier).load(None))
    except NoSuchViewError as error:
        raise asked.catalog._instead_of_view(identifier, error) from error  # noqa: SLF001 - its own


def view_exists(asked: Asked) -> Response:
    """Whether a view exists."""
    identifier = _view_in(asked)
    if not asked.catalog.view_exists(identifier):
        raise asked.catalog.no_such_view(identifier)
    return done()


def create_view(asked: Asked) -> Response:
    """Creates a view."""
    catalog, body = asked.catalog, asked.body
    identifier = catalog._new_view_identifier("name", new_name_in(asked.path, body))  # noqa: SLF001 - its own
    location = body.get("location")
    if location is not None:
        asked.served.places.check(location, "the location of the view")
    properties = body.get("properties") or {}
    if not isinstance(properties, dict) or not all(isinstance(each, str) for each in properties.values()):
        raise InvalidInputError("expected an object of texts as 'properties'")
    place = catalog._place(identifier, location)  # noqa: SLF001 - its own
    asked.served.places.check_properties(properties, [place])
    operation = _native.ViewOperation.create(
        schema_json=_object(asked, "schema"),
        version_json=_object(asked, "view-version"),
        location=place,
        properties=properties,
    )
    return _answer(commit_operation(catalog.view_operations(identifier), operation, starting=None))


def commit_view(asked: Asked) -> Response:
    """Commits to a view."""
    identifier, body = _view_in(asked), asked.body
    if "identifier" in body and identifier_in(body, "identifier") != identifier:
        raise InvalidInputError("the identifier in the body is not that of the path")
    change = TableChange.of(identifier, {"requirements": [], **body})
    requirements, updates = change.requirements, change.updates
    operations = asked.catalog.view_operations(identifier)
    budget = RetryBudget(lambda: Retries.of({}))
    while True:
        base = operations.load(None)
        asked.served.places.check_updates(updates, [json.loads(base.metadata_json())["location"]])
        try:
            return _answer(_commit_once(operations, base, ServedViewAttempt(base, requirements, updates)))
        except CommitConflictError as failure:
            if not failure.retryable or not budget.allows_retry(failure):
                raise
        budget.wait()


def _commit_once(operations: ViewOperations, base: OpenedView, attempt: ServedViewAttempt) -> OpenedView:
    return operations.commit(base, attempt) if attempt.changes else base


def register_view(asked: Asked) -> Response:
    """Adds a view by its metadata file."""
    catalog, places = asked.catalog, asked.served.places
    identifier = catalog._new_view_identifier("name", new_name_in(asked.path, asked.body))  # noqa: SLF001 - its own
    location = places.check(asked.body.get("metadata-location"), "the metadata file")
    known = _native.View.open_metadata(location, storage_options=catalog.storage_options)
    places.check_metadata(json.loads(known.metadata_json()))
    catalog.register_view(identifier, location)
    return _answer(catalog.view_operations(identifier).load(None))


def drop_view(asked: Asked) -> Response:
    """Drops a view. Its metadata files stay."""
    asked.catalog.drop_view(_view_in(asked))
    return done()


def rename_view(asked: Asked) -> Response:
    """Renames a view."""
    asked.catalog.rename_view(identifier_in(asked.body, "source"), identifier_in(asked.body, "destination"))
    return done()


def _view_in(asked: Asked) -> Identifier:
    return table_in(asked.path, "view")


def _answer(opened: OpenedView) -> Response:
    members = {"metadata-location": opened.metadata_location, "config": {}}
    return text_answer(members, _METADATA, opened.metadata_json())


def _object(asked: Asked, name: str) -> str:
    found = asked.body.get(name)
    if not isinstance(found, dict):
        raise InvalidInputError(f"expected an object as {name!r}")
    return json.dumps(found)

"""How does a server answer about namespaces?

In: requests. Out: answers. Spec: REST catalog specification, paths below `/v1/{prefix}/namespaces`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from floeberg.catalog.names import checked_namespace, dotted
from floeberg.errors import InvalidInputError, NoSuchNamespaceError, UnsupportedError
from floeberg.serving.answers import done, json_answer, page
from floeberg.serving.names import levels_in, namespace_in
from floeberg.serving.refusals import RefusedError

if TYPE_CHECKING:
    from starlette.responses import Response

    from floeberg.serving.served import Asked

__all__ = [
    "create_namespace",
    "drop_namespace",
    "list_namespaces",
    "load_namespace",
    "namespace_exists",
    "update_properties",
]

_AUTOMATIC: Final = {"owner"}
"""Properties that Spark adds to each namespace, unasked."""
_UNPROCESSABLE: Final = 422


def list_namespaces(asked: Asked) -> Response:
    """The namespaces in another one, or those of the first level."""
    parent = asked.query.get("parent")
    found = asked.catalog.list_namespaces(levels_in(parent) if parent else ())
    return page(found, asked.query, "namespaces", list)


def create_namespace(asked: Asked) -> Response:
    """Creates a namespace."""
    levels = asked.body.get("namespace")
    if not isinstance(levels, list):
        raise InvalidInputError("expected a list of names as 'namespace'")
    namespace = checked_namespace("namespace", levels)
    properties = _texts(asked.body, "properties")
    if "location" in properties:
        asked.served.places.check(properties["location"], "the location of the namespace")
    try:
        asked.catalog.create_namespace(namespace, properties)
    except UnsupportedError:
        if not properties or not _AUTOMATIC.issuperset(properties):
            raise
        asked.catalog.create_namespace(namespace)
    return _described(asked, namespace)


def load_namespace(asked: Asked) -> Response:
    """A namespace with its properties."""
    return _described(asked, namespace_in(asked.path))


def namespace_exists(asked: Asked) -> Response:
    """Whether a namespace exists."""
    namespace = namespace_in(asked.path)
    if not asked.catalog.namespace_exists(namespace):
        raise NoSuchNamespaceError(f"there is no namespace {dotted(namespace)!r}")
    return done()


def drop_namespace(asked: Asked) -> Response:
    """Drops an empty namespace."""
    asked.catalog.drop_namespace(namespace_in(asked.path))
    return done()


def update_properties(asked: Asked) -> Response:
    """Sets and removes properties of a namespace."""
    namespace, updates = namespace_in(asked.path), _texts(asked.body, "updates")
    removals = asked.body.get("removals") or []
    if not isinstance(removals, list) or not all(isinstance(each, str) for each in removals):
        raise InvalidInputError("expected a list of texts as 'removals'")
    if both := sorted(set(removals) & set(updates)):
        raise RefusedError(
            _UNPROCESSABLE,
            "UnprocessableEntityException",
            f"properties cannot be removed and set in one update: {', '.join(both)[:500]}",
        )
    if "location" in updates:
        asked.served.places.check(updates["location"], "the location of the namespace")
    made = asked.catalog.update_namespace_properties(namespace, removals, updates)
    return json_answer(
        {"updated": list(made.updated), "removed": list(made.removed), "missing": list(made.missing)}
    )


def _described(asked: Asked, namespace: tuple[str, ...]) -> Response:
    properties = asked.catalog.load_namespace_properties(namespace)
    return json_answer({"namespace": list(namespace), "properties": properties})


def _texts(body: dict[str, Any], name: str) -> dict[str, str]:
    found = body.get(name) or {}
    if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
        raise InvalidInputError(f"expected an object of texts as {name!r}")
    return found

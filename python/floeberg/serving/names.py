"""Which table or namespace does the path of a request name?

In: parts of a path, as they were sent. Out: levels of names, or an error.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote_plus

from floeberg.catalog.names import checked_identifier, checked_namespace
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from floeberg.catalog.names import Identifier, Namespace

__all__ = [
    "SEPARATOR",
    "decoded",
    "identifier_in",
    "levels_in",
    "named_in",
    "namespace_in",
    "new_name_in",
    "table_in",
]

SEPARATOR: Final = "\x1f"
"""What stands between the levels of a namespace in a path: the unit separator."""


def decoded(part: str) -> str:
    """A part of a path, decoded once. A slash in a name is `%2F`; Iceberg Java sends a blank as `+`.

    Raises:
        InvalidInputError: The part is not UTF-8.
    """
    try:
        return unquote_plus(part, errors="strict")
    except UnicodeDecodeError as error:
        raise InvalidInputError("a name in the path is not UTF-8") from error


def levels_in(text: str) -> Namespace:
    """The levels of a namespace that stand in one text."""
    return checked_namespace("namespace", text.split(SEPARATOR))


def namespace_in(path: dict[str, str]) -> Namespace:
    """The namespace in a path."""
    return levels_in(decoded(path["namespace"]))


def table_in(path: dict[str, str], name: str = "table") -> Identifier:
    """The table or view in a path."""
    return checked_identifier("identifier", (*namespace_in(path), decoded(path[name])))


def new_name_in(path: dict[str, str], body: dict[str, Any]) -> Identifier:
    """The identifier of what a body makes in the namespace of a path.

    Raises:
        InvalidInputError: The body has no name.
    """
    name = body.get("name")
    if not isinstance(name, str):
        raise InvalidInputError("expected a text as 'name'")
    return checked_identifier("name", (*namespace_in(path), name))


def identifier_in(body: Any, member: str) -> Identifier:  # noqa: ANN401 - JSON
    """The identifier that is a member of a body.

    Raises:
        InvalidInputError: The member is missing, or is not an identifier.
    """
    found = body.get(member) if isinstance(body, dict) else None
    if (
        isinstance(found, dict)
        and isinstance(found.get("namespace"), list)
        and isinstance(found.get("name"), str)
    ):
        return checked_identifier(member, (*found["namespace"], found["name"]))
    raise InvalidInputError(
        f"expected an identifier as {member!r}: an object with 'namespace', a list, and 'name'"
    )


def named_in(path: dict[str, str], body: dict[str, Any]) -> list[tuple[str, ...]]:
    """All namespaces, tables and views that a request names, as far as they have the form of names."""
    found: list[tuple[str, ...]] = []
    if "namespace" in path:
        namespace = namespace_in(path)
        own = path.get("table") or path.get("view")
        names = [decoded(own)] if own is not None else []
        found += [
            namespace,
            *((*namespace, each) for each in (*names, body.get("name")) if isinstance(each, str)),
        ]
    elif isinstance(levels := body.get("namespace"), list) and all(isinstance(each, str) for each in levels):
        found.append(tuple(levels))
    changes = body.get("table-changes")
    for each in changes if isinstance(changes, list) else ():
        with suppress(InvalidInputError):
            found.append(identifier_in(each, "identifier"))
    return found

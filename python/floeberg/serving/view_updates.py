"""What is a view after the updates of a client?

In: the view before, and the updates of a `CommitViewRequest`. Out: an attempt, as the commits of Floeberg are. Each
update becomes an operation of the library, which is tried on what the one before made.
Spec: REST catalog specification, `ViewUpdate`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.errors import CommitConflictError, InvalidInputError, UnsupportedError

if TYPE_CHECKING:
    from floeberg.view.operations import OpenedView

__all__ = ["ServedViewAttempt"]

_LAST_ADDED = -1


class ServedViewAttempt:
    """The commit of a client to a view.

    Args:
        base: The view that it is tried on.
        requirements: The requirements.
        updates: The updates.

    Raises:
        CommitConflictError: A requirement does not hold.
        InvalidInputError: An update is wrong.
        UnsupportedError: A requirement or an update is unknown.
    """

    def __init__(
        self, base: OpenedView, requirements: list[dict[str, Any]], updates: list[dict[str, Any]]
    ) -> None:
        self._requirements, self._updates = requirements, updates
        metadata = json.loads(base.metadata_json())
        _check(requirements, metadata)
        options = dict(base.storage_options)
        # Nothing is set: it is the attempt of a commit that has nothing to do.
        self._made = _native.ViewOperation.update_properties(updates={}, removals=[]).attempt(
            base, storage_options=options
        )
        self.changes = False
        """Whether the metadata differs from the base."""
        for operation in _operations(metadata, updates):
            on = self._made.view(base.metadata_location)
            self._made = operation.attempt(on, storage_options=options)
            self.changes = self.changes or self._made.changes

    @property
    def requirements_json(self) -> str:
        """The requirements."""
        return json.dumps(self._requirements)

    @property
    def updates_json(self) -> str:
        """The updates."""
        return json.dumps(self._updates)

    @property
    def metadata_json(self) -> str:
        """The new metadata."""
        return self._made.metadata_json

    def new_metadata_location(self) -> str:
        """A new name for its metadata file."""
        return self._made.new_metadata_location()

    def write_metadata(self, location: str) -> None:
        """Writes the new metadata durably."""
        self._made.write_metadata(location)

    def view(self, metadata_location: str) -> OpenedView:
        """The view with the new metadata, after it was written to this location."""
        return self._made.view(metadata_location)


def _check(requirements: list[dict[str, Any]], metadata: dict[str, Any]) -> None:
    for each in requirements:
        if each.get("type") != "assert-view-uuid":
            raise UnsupportedError(
                f"the requirement {str(each.get('type'))[:100]!r} is unknown: nothing was changed"
            )
        if str(each.get("uuid")).lower() != str(metadata.get("view-uuid")).lower():
            raise CommitConflictError("another view has the name now: its uuid is another one")


def _operations(metadata: dict[str, Any], updates: list[dict[str, Any]]) -> list[_native.ViewOperation]:
    """The operations that updates mean, in their order."""
    schemas = {each["schema-id"]: each for each in metadata["schemas"]}
    versions = {each["version-id"]: each for each in metadata["versions"]}
    operations = []
    for update in updates:
        action = update.get("action")
        if action == "assign-uuid":
            _check([{"type": "assert-view-uuid", "uuid": update.get("uuid")}], metadata)
        elif action == "upgrade-format-version":
            if update.get("format-version") != 1:
                raise UnsupportedError("views have the format version 1 alone")
        elif action == "add-schema":
            schema = _object(update, "schema")
            schemas |= {_number(schema, "schema-id"): schema, _LAST_ADDED: schema}
        elif action == "add-view-version":
            version = _object(update, "view-version")
            versions |= {_number(version, "version-id"): version, _LAST_ADDED: version}
        elif action == "set-current-view-version":
            version = _known(versions, update.get("view-version-id"), "version")
            operations.append(_replacement(_known(schemas, version.get("schema-id"), "schema"), version))
        else:
            operations.append(_simple(update))
    return operations


def _simple(update: dict[str, Any]) -> _native.ViewOperation:
    """The operation of an update that stands alone."""
    action = update.get("action")
    if action == "set-location":
        return _native.ViewOperation.set_location(_text(update.get("location"), "the location"))
    if action == "set-properties":
        found = _object(update, "updates")
        wanted = {key: _text(value, f"the property {key!r}") for key, value in found.items()}
        return _native.ViewOperation.update_properties(updates=wanted, removals=[])
    if action == "remove-properties":
        names = update.get("removals")
        if not isinstance(names, list):
            raise InvalidInputError("remove-properties: expected a list of texts as 'removals'")
        return _native.ViewOperation.update_properties(
            updates={}, removals=[_text(each, "a removal") for each in names]
        )
    raise UnsupportedError(f"the update {str(action)[:100]!r} is unknown: nothing was changed")


def _replacement(schema: dict[str, Any], version: dict[str, Any]) -> _native.ViewOperation:
    return _native.ViewOperation.replace(
        schema_json=json.dumps(schema),
        version_json=json.dumps(version),
        expected_version_id=None,
        properties={},
        location=None,
    )


def _known(there: dict[int, dict[str, Any]], number: object, what: str) -> dict[str, Any]:
    if not isinstance(number, int) or number not in there:
        raise InvalidInputError(
            f"the updates name the {what} {str(number)[:100]}, which the view does not have"
        )
    return there[number]


def _number(found: dict[str, Any], name: str) -> int:
    number = found.get(name, 0)
    if not isinstance(number, int):
        raise InvalidInputError(f"expected a whole number as {name!r}")
    return number


def _object(update: dict[str, Any], name: str) -> dict[str, Any]:
    found = update.get(name)
    if not isinstance(found, dict):
        raise InvalidInputError(f"{update.get('action')}: expected an object as {name!r}")
    return found


def _text(found: object, what: str) -> str:
    if not isinstance(found, str):
        raise InvalidInputError(f"expected a text as {what}")
    return found

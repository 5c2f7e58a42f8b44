"""Which updates does a server understand, of those that an attempt makes?

An attempt adds a schema, a spec or a sort order, and makes "the last added one" (-1) current. Where the table has an
equal one already, a server adds none, and Iceberg's refuses the -1. So such an update names the one that is there.

Spec: REST catalog specification, `SetCurrentSchemaUpdate`, `SetDefaultSpecUpdate`, `SetDefaultSortOrderUpdate`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from floeberg.catalog.names import Identifier
    from floeberg.commit.attempt import Attempt
    from floeberg.commit.operations import OpenedTable

__all__ = ["commit_request", "named"]

_LAST_ADDED: Final = -1


@dataclass(frozen=True)
class _Kind:
    """Schemas, specs or sort orders: the updates that add one and make one current, and the names in metadata."""

    adds: str
    sets: str
    one: str
    id: str
    all_of_them: str
    current: str


_KINDS: Final = (
    _Kind("add-schema", "set-current-schema", "schema", "schema-id", "schemas", "current-schema-id"),
    _Kind("add-spec", "set-default-spec", "spec", "spec-id", "partition-specs", "default-spec-id"),
    _Kind(
        "add-sort-order",
        "set-default-sort-order",
        "sort-order",
        "order-id",
        "sort-orders",
        "default-sort-order-id",
    ),
)
_IDS: Final = {
    "set-current-schema": "schema-id",
    "set-default-spec": "spec-id",
    "set-default-sort-order": "sort-order-id",
}


def named(identifier: Identifier) -> dict[str, object]:
    """An identifier, as requests have it."""
    return {"namespace": list(identifier[:-1]), "name": identifier[-1]}


def commit_request(identifier: Identifier, base: OpenedTable | None, attempt: Attempt) -> dict[str, object]:
    """A `CommitTableRequest`: the requirements and the updates of an attempt."""
    base_json = None if base is None else base.metadata_json
    return {
        "identifier": named(identifier),
        "requirements": json.loads(attempt.requirements_json),
        "updates": _updates(attempt.updates_json, base_json, lambda: attempt.metadata_json),
    }


def _updates(
    updates_json: str, base_json: Callable[[], str] | None, made_json: Callable[[], str]
) -> list[dict[str, Any]]:
    """The updates of an attempt, as a server takes them.

    Args:
        updates_json: The updates of the attempt.
        base_json: Gives the metadata that it was made on; `None` where it creates the table.
        made_json: Gives the metadata that it made.
    """
    updates: list[dict[str, Any]] = json.loads(updates_json)
    if base_json is None or not any(
        each.get(_IDS.get(each.get("action", ""), "")) == _LAST_ADDED for each in updates
    ):
        return updates
    base, made = json.loads(base_json()), json.loads(made_json())
    for kind in _KINDS:
        there = {each[kind.id]: each for each in base.get(kind.all_of_them, ())}
        sets = [place for place, each in enumerate(updates) if each.get("action") == kind.sets]
        for place in sets:
            if updates[place].get(_IDS[kind.sets]) != _LAST_ADDED:
                continue
            is_last = place == sets[-1]
            found = made.get(kind.current) if is_last else _equal_one(updates[:place], kind, there)
            if found in there:
                updates[place] = {**updates[place], _IDS[kind.sets]: found}
    return updates


def _equal_one(before: list[dict[str, Any]], kind: _Kind, there: dict[int, dict[str, Any]]) -> int | None:
    """The id of what is in the table and equals what was added last."""
    added = next((each[kind.one] for each in reversed(before) if each.get("action") == kind.adds), None)
    if added is None:
        return None
    wanted = _compared(added, kind)
    return next((number for number, each in there.items() if _compared(each, kind) == wanted), None)


def _compared(found: dict[str, Any], kind: _Kind) -> dict[str, Any]:
    """What is compared: all but the id, and what is empty."""
    return {key: value for key, value in found.items() if key != kind.id and value not in (None, [])}

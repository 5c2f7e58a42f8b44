"""Does what a commit requires of a table hold?

In: the requirements of a `CommitTableRequest`, and the current metadata. Out: nothing, or the conflict.
Spec: REST catalog specification, `TableRequirement`.
"""

from __future__ import annotations

from typing import Any, Final

from floeberg.errors import CommitConflictError, InvalidInputError, UnsupportedError

__all__ = ["check_requirements", "creates_table"]

_MEMBERS: Final = {
    "assert-current-schema-id": ("current-schema-id", "the current schema"),
    "assert-last-assigned-field-id": ("last-assigned-field-id", "the highest column id"),
    "assert-last-assigned-partition-id": ("last-assigned-partition-id", "the highest partition field id"),
    "assert-default-spec-id": ("default-spec-id", "the default partition spec"),
    "assert-default-sort-order-id": ("default-sort-order-id", "the default sort order"),
}
_IN_METADATA: Final = {
    "last-assigned-field-id": "last-column-id",
    "last-assigned-partition-id": "last-partition-id",
}


def creates_table(requirements: list[dict[str, Any]]) -> bool:
    """Whether a commit requires that the table does not exist."""
    return any(each.get("type") == "assert-create" for each in requirements)


def check_requirements(requirements: list[dict[str, Any]], metadata: dict[str, Any] | None) -> None:
    """Checks requirements.

    Args:
        requirements: Those of the request.
        metadata: The current metadata; `None` where the table does not exist.

    Raises:
        CommitConflictError: One does not hold.
        InvalidInputError: One lacks a member.
        UnsupportedError: One is unknown, and so cannot be checked.
    """
    for each in requirements:
        kind = each.get("type")
        if kind == "assert-create":
            if metadata is not None:
                raise CommitConflictError("the commit creates the table, and it exists")
            continue
        wanted, found, what = _compared(each, metadata or {})
        if metadata is None:
            raise CommitConflictError("the commit changes the table, and it does not exist")
        if wanted != found:
            raise CommitConflictError(
                f"another commit was faster: expected {what} {_shown(wanted)}, found {_shown(found)}"
            )


def _compared(requirement: dict[str, Any], metadata: dict[str, Any]) -> tuple[object, object, str]:
    """What a requirement expects, what is there, and the name of it."""
    kind = requirement.get("type")
    if kind == "assert-table-uuid":
        wanted = _member(requirement, "uuid", str)
        found = metadata.get("table-uuid")
        return wanted.lower(), found.lower() if isinstance(found, str) else found, "the table uuid"
    if kind == "assert-ref-snapshot-id":
        name = _member(requirement, "ref", str)
        known = metadata.get("refs", {}).get(name, {}).get("snapshot-id")
        wanted = requirement.get("snapshot-id")
        if wanted is not None:
            wanted = _member(requirement, "snapshot-id", int)
        return wanted, known, f"the snapshot of the ref {name!r} to be"
    if not isinstance(kind, str) or kind not in _MEMBERS:
        raise UnsupportedError(f"the requirement {str(kind)[:100]!r} is unknown: nothing was changed")
    member, what = _MEMBERS[kind]
    return _member(requirement, member, int), metadata.get(_IN_METADATA.get(member, member)), what


def _member(requirement: dict[str, Any], name: str, of: type) -> Any:  # noqa: ANN401 - of that type
    found = requirement.get(name)
    if not isinstance(found, of) or isinstance(found, bool):
        raise InvalidInputError(
            f"the requirement {requirement.get('type')!r} needs a member {name!r} of type {of.__name__}"
        )
    return found


def _shown(value: object) -> str:
    return "none" if value is None else str(value)[:100]

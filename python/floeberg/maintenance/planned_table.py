"""For which state of a table was a plan made, and does it still fit?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.errors import CommitConflictError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["check_not_moved", "head_of", "planned_table"]

_LAYOUT = {
    "current-schema-id": "the columns",
    "default-spec-id": "the partition spec",
    "default-sort-order-id": "the sort order",
    "format-version": "the format version",
}


def planned_table(metadata: Mapping[str, Any], branch: str) -> dict[str, Any]:
    """What a plan says of its table."""
    return {
        "table-uuid": metadata.get("table-uuid"),
        "location": metadata["location"],
        "branch": branch,
        "snapshot-id": head_of(metadata, branch),
        **{name: metadata.get(name) for name in _LAYOUT},
    }


def check_not_moved(metadata: Mapping[str, Any], planned: Mapping[str, Any]) -> None:
    """Checks that only commits that follow were made since a plan.

    Raises:
        InvalidInputError: The plan is of another table.
        CommitConflictError: The branch was moved back, or the layout of the table changed.
    """
    uuid = metadata.get("table-uuid")
    if uuid != planned.get("table-uuid") or (
        uuid is None and metadata["location"] != planned.get("location")
    ):
        raise InvalidInputError(
            "the plan is of another table",
            context={"planned": str(planned.get("location")), "table": metadata["location"]},
        )
    for name, words in _LAYOUT.items():
        if metadata.get(name) != planned.get(name):
            raise CommitConflictError(f"{words} of the table changed since the plan was made: plan again")
    before, head = planned.get("snapshot-id"), head_of(metadata, planned["branch"])
    parents = {each["snapshot-id"]: each.get("parent-snapshot-id") for each in metadata["snapshots"]}
    while head is not None and head != before:
        head = parents.get(head)
    if head != before:
        raise CommitConflictError(
            "the branch was moved since the plan was made, or the snapshots since then expired: plan again",
            context={"branch": planned["branch"]},
        )


def head_of(metadata: Mapping[str, Any], branch: str) -> int | None:
    """The snapshot that a branch is at."""
    ref = metadata["refs"].get(branch)
    return None if ref is None else int(ref["snapshot-id"])

"""Does what a commit requires of a table hold?

In: the requirements of a `CommitTableRequest`, and the current table. Out: nothing, or the conflict.
Spec: REST catalog specification, `TableRequirement`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.errors import CommitConflictError

if TYPE_CHECKING:
    from floeberg.commit.operations import OpenedTable

__all__ = ["check_requirements", "creates_table"]


def creates_table(requirements: list[dict[str, Any]]) -> bool:
    """Whether a commit requires that the table does not exist."""
    return any(each.get("type") == "assert-create" for each in requirements)


def check_requirements(requirements: list[dict[str, Any]], table: OpenedTable | None) -> None:
    """Checks requirements.

    Args:
        requirements: Those of the request.
        table: The current table; `None` where it does not exist.

    Raises:
        CommitConflictError: One does not hold. Only its client can try again.
        InvalidInputError: One is malformed.
        UnsupportedError: One is unknown, and so cannot be checked.
    """
    try:
        _native.check_requirements(table, json.dumps(requirements))
    except CommitConflictError as failure:
        raise CommitConflictError(failure.message, context=failure.context) from failure

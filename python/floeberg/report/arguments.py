"""Which two states are compared?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["two_states"]

_PAIR = 2


def two_states(snapshots: Sequence[Any] | None) -> tuple[Any, Any] | None:
    """The two, as `diff` takes them.

    Raises:
        InvalidInputError: There are not two.
    """
    if snapshots is None:
        return None
    if not isinstance(snapshots, (tuple, list)) or len(snapshots) != _PAIR:
        raise InvalidInputError(
            f"snapshots: expected two, such as (first, 'main'), each an id, a branch, a tag or a datetime, "
            f"found {snapshots!r}"
        )
    return snapshots[0], snapshots[1]

"""What does the last part of a name choose of a table: a branch, a tag, a snapshot or a moment?

In: `branch_audit`, `tag_x`, `snapshot_id_1` or `at_timestamp_1`, as Iceberg's integration with Spark spells them. Out:
what it chooses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Selector", "selector_of"]

_SELECTOR = re.compile(r"(branch|tag)_(.+)|(snapshot_id|at_timestamp)_([0-9]+)", re.DOTALL)


@dataclass(frozen=True)
class Selector:
    """What is chosen of a table: one of these."""

    ref: tuple[str, str] | None = None
    """`branch` or `tag`, and its name."""
    snapshot_id: int | None = None
    timestamp_ms: int | None = None


def selector_of(part: str) -> Selector | None:
    """What the last part of a name chooses; `None` where it is spelled otherwise."""
    found = _SELECTOR.fullmatch(part)
    if found is None:
        return None
    kind, name, other, number = found.groups()
    if kind is not None:
        return Selector(ref=(kind, name))
    return Selector(snapshot_id=int(number)) if other == "snapshot_id" else Selector(timestamp_ms=int(number))

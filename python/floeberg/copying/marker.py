"""Up to which state of its source has a target been copied?

The marker is a property of an Iceberg table, or a setting of a Lance table, and is committed together with the rows.

Invariant: there is one marker for each source, and whoever commits rows has compared it with what it began with.
"""

from __future__ import annotations

import hashlib
import json
import operator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from floeberg.errors import InvalidDataError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PREFIX", "Marker", "marker_of", "name_of"]

PREFIX = "floeberg.copy."
"""What the names of all markers begin with."""


@dataclass(frozen=True)
class Marker:
    """The state of a source that was copied last.

    Args:
        source: Who the source is: the UUID of an Iceberg table, or the folder of a Lance table.
        at: The snapshot id or the version; `None` for a table without snapshots.
        state: What tells this state from one with the same number: the id of its schema, or what made the version.
        copy: The id of the copy.
        columns: The columns that were chosen; `None` for all.
    """

    source: str
    at: int | None
    state: str
    copy: str
    columns: tuple[str, ...] | None = None

    def as_text(self) -> str:
        """It as the value of a property."""
        return json.dumps(asdict(self), sort_keys=True)


def name_of(source: str) -> str:
    """The name of the marker of a source."""
    return PREFIX + hashlib.sha256(source.encode()).hexdigest()[:16]


def marker_of(properties: Mapping[str, str], source: str) -> Marker | None:
    """The marker of a source; `None` without one.

    Raises:
        InvalidDataError: It is damaged.
    """
    name = name_of(source)
    text = properties.get(name)
    if text is None:
        return None
    try:
        found = json.loads(text)
        at = None if found["at"] is None else operator.index(found["at"])
        columns = found.get("columns")
        chosen = None if columns is None else tuple(map(str, columns))
        marker = Marker(str(found["source"]), at, str(found["state"]), str(found["copy"]), chosen)
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidDataError(f"the marker of a copy, {name!r}, is damaged: {text!r}") from error
    if marker.source != source:
        raise InvalidDataError(
            f"the marker of a copy, {name!r}, is that of another source, {marker.source!r}"
        )
    return marker

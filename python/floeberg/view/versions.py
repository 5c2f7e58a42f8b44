"""What is a version of a view?

Spec: View Spec, Versions, Representations, Version log.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg import _native

__all__ = ["SQLViewRepresentation", "ViewHistoryEntry", "ViewVersion", "properties_of", "read_version"]


@dataclass(frozen=True)
class SQLViewRepresentation:
    """The definition of a view as a SELECT statement.

    Args:
        sql: The statement.
        dialect: Its dialect: `spark`, `trino` and others.
    """

    sql: str
    dialect: str

    @property
    def type(self) -> str:
        """`sql`."""
        return "sql"


@dataclass(frozen=True)
class ViewVersion:
    """A version of a view, which never changes.

    Args:
        version_id: The id.
        schema_id: The schema of its rows.
        timestamp_ms: When it was created, in milliseconds from 1970-01-01 UTC. It may have become current later.
        summary: The engine that created it, and other facts.
        representations: The same definition in several dialects. Unknown types are omitted.
        default_catalog: The catalog for names without one; `None` is the view's own catalog.
        default_namespace: The namespace for names without one.
    """

    version_id: int
    schema_id: int
    timestamp_ms: int
    summary: Mapping[str, str] = field(hash=False)
    representations: tuple[SQLViewRepresentation, ...]
    default_catalog: str | None
    default_namespace: tuple[str, ...]


@dataclass(frozen=True)
class ViewHistoryEntry:
    """An entry of the version log.

    Args:
        timestamp_ms: When the version became current: milliseconds from 1970-01-01 UTC.
        version_id: The version. It may have been removed.
    """

    timestamp_ms: int
    version_id: int


def read_version(written: dict[str, Any]) -> ViewVersion:
    """A version from its JSON."""
    known = (each for each in written["representations"] if each.get("type") == "sql")
    return ViewVersion(
        version_id=written["version-id"],
        schema_id=written["schema-id"],
        timestamp_ms=written["timestamp-ms"],
        summary=written["summary"],
        representations=tuple(SQLViewRepresentation(each["sql"], each["dialect"]) for each in known),
        default_catalog=written.get("default-catalog"),
        default_namespace=tuple(written["default-namespace"]),
    )


def properties_of(view: _native.View) -> dict[str, str]:
    """The properties of a view in its metadata."""
    return cast("dict[str, str]", json.loads(view.metadata_json())["properties"])

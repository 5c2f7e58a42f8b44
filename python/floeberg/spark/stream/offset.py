"""How far has a stream read a table?

An offset is an object of JSON in Spark's checkpoint, which outlives every process. It names the table by its UUID, the
last snapshot that was read, and how many of its files were read, in the order of the plan.

Invariant: two offsets name the same files, whenever they are asked. So the first offset of a stream says where the
stream began: Spark keeps only ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["StreamOffset"]

_VERSION = 1
_NONE = -1
"""No snapshot: the ids of snapshots are not negative."""


@dataclass(frozen=True)
class StreamOffset:
    """A place in the history of a table.

    Args:
        table: The UUID of the table; empty where it has none.
        snapshot_id: The last snapshot that was read from; `None` before the first one.
        position: How many of its files were read; 0 where it is complete.
        is_complete: Whether all of them were.
        is_whole: Whether all rows of the snapshot are read, and not only those that it added.
        ordinal: How many snapshots were read before it.
        first: In the first offset, the snapshot where the stream began, and whether all of its rows are read.
    """

    table: str
    snapshot_id: int | None = None
    position: int = 0
    is_complete: bool = False
    is_whole: bool = False
    ordinal: int = 0
    first: tuple[int, bool] | None = None

    def as_json(self) -> dict[str, Any]:
        """The object in the checkpoint."""
        first, first_is_whole = (_NONE, False) if self.first is None else self.first
        return {
            "version": _VERSION,
            "table_uuid": self.table,
            "snapshot_id": _NONE if self.snapshot_id is None else self.snapshot_id,
            "position": self.position,
            "complete": self.is_complete,
            "scan_all_files": self.is_whole,
            "ordinal": self.ordinal,
            "first_snapshot_id": first,
            "first_scan_all_files": first_is_whole,
        }

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> StreamOffset:
        """The offset of an object in a checkpoint.

        Raises:
            InvalidInputError: Floeberg did not write it, or a newer version did.
        """
        try:
            version = found["version"]
            if version != _VERSION:
                raise InvalidInputError(
                    f"the checkpoint has an offset of version {version!r}, and this Floeberg knows version {_VERSION}"
                )
            snapshot_id, first = _integer(found, "snapshot_id"), _integer(found, "first_snapshot_id")
            return cls(
                table=_text(found, "table_uuid"),
                snapshot_id=None if snapshot_id == _NONE else snapshot_id,
                position=_integer(found, "position", least=0),
                is_complete=_flag(found, "complete"),
                is_whole=_flag(found, "scan_all_files"),
                ordinal=_integer(found, "ordinal", least=0),
                first=None if first == _NONE else (first, _flag(found, "first_scan_all_files")),
            )
        except (KeyError, TypeError) as error:
            raise InvalidInputError(
                f"the checkpoint has an offset that Floeberg did not write: {found!r}. Give the query a checkpoint of "
                "its own"
            ) from error


def _integer(found: Mapping[str, Any], key: str, least: int = _NONE) -> int:
    value = found[key]
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise TypeError(key)
    return value


def _text(found: Mapping[str, Any], key: str) -> str:
    value = found[key]
    if not isinstance(value, str):
        raise TypeError(key)
    return value


def _flag(found: Mapping[str, Any], key: str) -> bool:
    value = found[key]
    if not isinstance(value, bool):
        raise TypeError(key)
    return value

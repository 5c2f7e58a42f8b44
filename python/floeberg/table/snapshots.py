"""Snapshots of `floeberg.types`, in the module where PyIceberg has them."""

from enum import Enum

from floeberg.types import Snapshot, Summary

__all__ = ["Operation", "Snapshot", "Summary"]


class Operation(str, Enum):
    """The operation of a snapshot. Its members are the strings of `Snapshot.operation`.

    Examples:
        >>> table.snapshots()[0].operation == Operation.APPEND
        True
    """

    APPEND = "append"
    REPLACE = "replace"
    OVERWRITE = "overwrite"
    DELETE = "delete"

    def __repr__(self) -> str:
        return f"Operation.{self.name}"

"""Branches and tags of `floeberg.types`, in the module where PyIceberg has them."""

from enum import Enum

from floeberg.types import SnapshotRef

__all__ = ["MAIN_BRANCH", "SnapshotRef", "SnapshotRefType"]

MAIN_BRANCH = "main"


class SnapshotRefType(str, Enum):
    """The type of a ref. Its members are the strings of `SnapshotRef.snapshot_ref_type`.

    Examples:
        >>> table.refs()["main"].snapshot_ref_type == SnapshotRefType.BRANCH
        True
    """

    BRANCH = "branch"
    TAG = "tag"

    def __repr__(self) -> str:
        return f"SnapshotRefType.{self.name}"

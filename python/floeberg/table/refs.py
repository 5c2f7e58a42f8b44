"""Branches and tags of `floeberg.types`, in the module where PyIceberg has them."""

from floeberg.types import SnapshotRef

__all__ = ["MAIN_BRANCH", "SnapshotRef"]

MAIN_BRANCH = "main"

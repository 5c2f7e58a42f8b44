"""What are branches and tags? The names of `floeberg.types`, where PyIceberg has them."""

from floeberg.types import SnapshotRef

__all__ = ["MAIN_BRANCH", "SnapshotRef"]

MAIN_BRANCH = "main"

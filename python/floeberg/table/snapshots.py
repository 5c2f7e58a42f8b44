"""What was a table at some moment? The names of `floeberg.types`, where PyIceberg has them."""

from enum import Enum

from floeberg.types import Snapshot

__all__ = ["Operation", "Snapshot"]


class Operation(str, Enum):
    """What a commit did. Its members are the texts that `Snapshot.operation` gives.

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

"""How do changes of one kind collect until they are committed together?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

__all__ = ["TableChanges"]


class TableChanges:
    """Changes of a table that are committed together.

    As a context manager it commits them at the end of the block, and drops them where the block raises.
    """

    def commit(self) -> None:
        """Commits the changes. Without any, nothing happens."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        """Returns these changes."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Commits the changes, unless the block raised."""
        if kind is None:
            self.commit()

"""How do changes of one kind collect until they are committed together?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg._arguments import checked_text
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

__all__ = ["TableChanges", "transform_text"]


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

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError(f"{type(self).__name__} cannot be pickled: make the changes where they are committed")


def transform_text(transform: object) -> str:
    """A transform as the specification writes it. PyIceberg's are models that print it."""
    if not isinstance(transform, str) and not hasattr(transform, "can_transform"):
        raise InvalidInputError(
            f"transform: expected a str or a transform, found an object of type {type(transform).__name__}"
        )
    return checked_text("transform", str(transform))

"""How are the rows of a file sorted?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from floeberg.types._frozen import called, id_of, ids_of, set_frozen

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, init=False, repr=False)
class SortField:
    """A column, or a transform of columns, that rows are sorted by.

    Args:
        source_id: The column, or several for a transform of several columns.
        transform: As the specification writes it.
        direction: Smallest first or last.
        null_order: Nulls first or last; unless given, first where the smallest come first, else last.

    Examples:
        >>> SortField(1, direction="desc").null_order
        'nulls-last'
    """

    source_ids: tuple[int, ...]
    transform: str
    direction: Literal["asc", "desc"]
    null_order: Literal["nulls-first", "nulls-last"]

    def __init__(
        self,
        source_id: int | Iterable[int],
        transform: str = "identity",
        direction: Literal["asc", "desc"] = "asc",
        null_order: Literal["nulls-first", "nulls-last"] | None = None,
    ) -> None:
        usual = "nulls-first" if direction == "asc" else "nulls-last"
        set_frozen(
            self,
            source_ids=ids_of(source_id),
            transform=str(transform),
            direction=direction,
            null_order=null_order or usual,
        )

    @property
    def source_id(self) -> int:
        """The column, or the first of them."""
        return self.source_ids[0]

    def __repr__(self) -> str:
        return called(
            self,
            source_id=id_of(self.source_ids),
            transform=self.transform,
            direction=self.direction,
            null_order=self.null_order,
        )


@dataclass(frozen=True, init=False, repr=False)
class SortOrder:
    """How the rows of a file are sorted.

    Args:
        fields: The sort fields, most significant first.
        order_id: The id; 0 is unsorted, and a new table gives its own.

    Examples:
        >>> SortOrder(SortField(1)).order_id, SortOrder().is_unsorted
        (1, True)
    """

    order_id: int
    fields: tuple[SortField, ...]

    def __init__(self, *fields: SortField, order_id: int | None = None) -> None:
        known = int(bool(fields)) if order_id is None else order_id
        set_frozen(self, order_id=known, fields=fields)

    @property
    def is_unsorted(self) -> bool:
        """Whether it has no fields."""
        return not self.fields

    def __repr__(self) -> str:
        return called(self, *self.fields, order_id=self.order_id)

"""How are the rows of a file sorted?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Literal, TypeVar

from floeberg._display import facts_html, rows_html
from floeberg.transforms import IdentityTransform, Transform, parse_transform
from floeberg.types._frozen import called, id_of, ids_of, set_frozen

if TYPE_CHECKING:
    from collections.abc import Iterable


class SortDirection(str, Enum):
    """The direction of a sort field. Its members are strings."""

    ASC = "asc"
    DESC = "desc"

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"SortDirection.{self.name}"


class NullOrder(str, Enum):
    """The order of nulls in a sort field. Its members are strings."""

    NULLS_FIRST = "nulls-first"
    NULLS_LAST = "nulls-last"

    def __str__(self) -> str:
        return self.name.replace("_", " ")

    def __repr__(self) -> str:
        return f"NullOrder.{self.name}"


@dataclass(frozen=True, init=False, repr=False)
class SortField:
    """A field of a sort order: a column, or a transform of columns.

    Args:
        source_id: The column, or several for a transform of several columns.
        transform: The transform, as the specification writes it.
        direction: `asc` or `desc`.
        null_order: `nulls-first` or `nulls-last`. By default, nulls are first for `asc` and last for `desc`.

    Examples:
        >>> SortField(1, direction="desc").null_order
        NullOrder.NULLS_LAST
    """

    source_ids: tuple[int, ...]
    transform: Transform
    direction: SortDirection
    null_order: NullOrder

    def __init__(
        self,
        source_id: int | Iterable[int],
        transform: str | Transform = "identity",
        direction: SortDirection | Literal["asc", "desc"] = "asc",
        null_order: NullOrder | Literal["nulls-first", "nulls-last"] | None = None,
    ) -> None:
        usual: Literal["nulls-first", "nulls-last"] = (
            "nulls-first" if getattr(direction, "value", direction) == "asc" else "nulls-last"
        )
        set_frozen(
            self,
            source_ids=ids_of(source_id),
            transform=parse_transform(transform),
            direction=_member(SortDirection, direction),
            null_order=_member(NullOrder, null_order or usual),
        )

    @property
    def source_id(self) -> int:
        """The column, or the first of them."""
        return self.source_ids[0]

    def __repr__(self) -> str:
        return called(
            self,
            source_id=id_of(self.source_ids),
            transform=str(self.transform),
            direction=str.__str__(self.direction),
            null_order=str.__str__(self.null_order),
        )

    def __str__(self) -> str:
        columns = ", ".join(map(str, self.source_ids))
        sorted_by = (
            columns if isinstance(self.transform, IdentityTransform) else f"{self.transform}({columns})"
        )
        return f"{sorted_by} {self.direction} {self.null_order}"


_Member = TypeVar("_Member", SortDirection, NullOrder)


def _member(kind: type[_Member], given: str) -> _Member:
    """The member for a string, or for a member of PyIceberg's enum. Tables refuse other values."""
    text = getattr(given, "value", given)
    return next((each for each in kind if each == text), given)  # type: ignore[return-value]


@dataclass(frozen=True, init=False, repr=False)
class SortOrder:
    """How the rows of a file are sorted.

    Args:
        fields: The sort fields, most significant first.
        order_id: The id; 0 is unsorted. A new table assigns its own.

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

    def __str__(self) -> str:
        lines = "".join(f"\n  {each}" for each in self.fields)
        return f"[{lines}\n]" if lines else "[]"

    def _repr_html_(self) -> str:
        rows = [
            (", ".join(map(str, each.source_ids)), each.transform, each.direction, each.null_order)
            for each in self.fields
        ]
        title = f"SortOrder {self.order_id}"
        if not rows:
            return facts_html(f"{title}: unsorted", {})
        return facts_html(title, {}, rows_html(("source ids", "transform", "direction", "nulls"), rows))

    def __repr__(self) -> str:
        return called(self, *self.fields, order_id=self.order_id)


UNSORTED_SORT_ORDER_ID = 0
INITIAL_SORT_ORDER_ID = 1
UNSORTED_SORT_ORDER = SortOrder(order_id=UNSORTED_SORT_ORDER_ID)

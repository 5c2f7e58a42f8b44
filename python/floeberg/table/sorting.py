"""Sort orders of `floeberg.types`, in the module where PyIceberg has them."""

from floeberg.types._sorting import (
    INITIAL_SORT_ORDER_ID,
    UNSORTED_SORT_ORDER,
    UNSORTED_SORT_ORDER_ID,
    NullOrder,
    SortDirection,
    SortField,
    SortOrder,
)

__all__ = [
    "INITIAL_SORT_ORDER_ID",
    "UNSORTED_SORT_ORDER",
    "UNSORTED_SORT_ORDER_ID",
    "NullOrder",
    "SortDirection",
    "SortField",
    "SortOrder",
]

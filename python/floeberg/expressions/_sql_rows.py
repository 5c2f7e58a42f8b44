"""Which rows does a part of a SQL expression see, and how do values of some rows become values of all?

Invariant: rows keep their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

__all__ = ["SeenRows", "all_numbers", "each_row", "in_order"]

Values: TypeAlias = Any
"""An Arrow array or scalar."""
Array: TypeAlias = Any


class SeenRows:
    """Some rows, with columns by name."""

    def __init__(self, find: Callable[[str], Array], number: int) -> None:
        """With a function that finds columns, each of so many rows."""
        self.number = number
        self._find = find
        self._found: dict[str, Array] = {}

    def column(self, name: str) -> Array:
        """The column of a name."""
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def take(self, numbers: Array) -> SeenRows:
        """Rows by their numbers, in ascending order. Columns are taken when they are needed."""
        if len(numbers) == self.number:
            return self
        return SeenRows(lambda name: self.column(name).take(numbers), len(numbers))


def all_numbers(number: int) -> Array:
    """The numbers of so many rows."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large
    import pyarrow.compute as pc  # noqa: PLC0415

    return pc.indices_nonzero(pa.repeat(pa.scalar(True), number))


def each_row(values: Values, number: int) -> Array:
    """A value for each of so many rows; a scalar is that of all."""
    import pyarrow as pa  # noqa: PLC0415

    return pa.repeat(values, number) if isinstance(values, pa.Scalar) else values


def in_order(parts: Sequence[tuple[Array, Values]], kind: pa.DataType) -> Array:
    """The values of all rows.

    Args:
        parts: The numbers of some rows, and their values. Each row is in one part.
        kind: The type of the values, of which parts may be null instead.
    """
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    arrays = []
    for numbers, values in parts:
        is_null = pa.types.is_null(values.type) and not pa.types.is_null(kind)
        arrays.append(pa.nulls(len(numbers), kind) if is_null else each_row(values, len(numbers)))
    order = pa.concat_arrays([numbers for numbers, _ in parts])
    return pa.concat_arrays(arrays).take(pc.array_sort_indices(order))

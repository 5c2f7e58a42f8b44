"""How do rows become a pandas frame in which no value is another one?

In: a `pyarrow.Table`, and arguments of its `to_pandas`. Out: a frame.

A column of numpy has no nulls: pyarrow makes doubles of whole numbers where one is null, and a double does not hold all
that have more than 53 bits. Only where that would change a value, the column has another form: pandas' own `Int64` or
`UInt64`, and within lists, structs and maps Python's integers.

Invariant: where nothing would change, the frame is the one that pyarrow makes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["exact_frame"]

Array: TypeAlias = Any
_EXACT = 2**53
"""Doubles hold every whole number up to this one."""
_DECIDES = ("integer_object_nulls", "zero_copy_only")
"""Arguments by which a caller decides on such columns."""


def exact_frame(rows: pa.Table, how: dict[str, Any]) -> pd.DataFrame:
    """A frame of all rows.

    Args:
        rows: The rows. Their columns have different names.
        how: Arguments of `pyarrow.Table.to_pandas`. What they say of a column stands.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    apart: dict[str, Any] = {}
    if not any(how.get(name) for name in _DECIDES):
        apart = _rounded(rows, how)
    if not apart:
        return cast("pd.DataFrame", rows.to_pandas(**how))
    for name in apart:
        instead = pa.repeat(pa.scalar(0, pa.int8()), rows.num_rows)
        rows = rows.set_column(rows.schema.get_field_index(name), name, instead)
    frame = cast("Any", rows.to_pandas(**how))
    of_column = {name: value for name, value in how.items() if name not in ("categories", "self_destruct")}
    for name, column in apart.items():
        if name in frame.columns:
            frame[name] = _exact(column, of_column).array
    return cast("pd.DataFrame", frame)


def _rounded(rows: pa.Table, how: dict[str, Any]) -> dict[str, Array]:
    """The columns of which a value would change."""
    import pyarrow as pa  # noqa: PLC0415

    types_mapper, categories = how.get("types_mapper"), how.get("categories") or ()
    found = {}
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        kind = column.type
        is_asked_for = name in categories or (types_mapper is not None and types_mapper(kind) is not None)
        if is_asked_for or pa.types.is_dictionary(kind) or not _has_large_numbers(kind):
            continue
        may_change = pa.types.is_nested(kind) or column.null_count > 0
        if may_change and any(_changes(chunk) for chunk in column.chunks):
            found[name] = column
    return found


def _exact(column: Array, how: dict[str, Any]) -> Any:  # noqa: ANN401 - a series
    """A column with all of its values."""
    import pandas as pd  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_nested(column.type):
        return column.to_pandas(**{**how, "integer_object_nulls": True})
    dtype = pd.UInt64Dtype() if pa.types.is_uint64(column.type) else pd.Int64Dtype()
    return column.to_pandas(**{**how, "types_mapper": lambda _: dtype})


def _has_large_numbers(kind: Any) -> bool:  # noqa: ANN401 - a type
    """Whether whole numbers of 64 bits are in a type, at any depth."""
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(kind, pa.BaseExtensionType):
        return _has_large_numbers(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return _has_large_numbers(kind.value_type)
    if pa.types.is_nested(kind):
        return any(_has_large_numbers(kind.field(number).type) for number in range(kind.num_fields))
    return pa.types.is_int64(kind) or pa.types.is_uint64(kind)


def _changes(values: Array) -> bool:  # noqa: PLR0911 - one return a form
    """Whether a double would be another number than one of these."""
    import pyarrow as pa  # noqa: PLC0415

    kind = values.type
    if not len(values) or not _has_large_numbers(kind):
        return False
    if isinstance(kind, pa.BaseExtensionType):
        return _changes(values.storage)
    if pa.types.is_dictionary(kind):
        return _changes(values.dictionary)
    if pa.types.is_struct(kind):
        return any(map(_changes, values.flatten()))
    if pa.types.is_map(kind):
        return _changes(values.keys) or _changes(values.items)
    if pa.types.is_nested(kind):
        return _changes(values.flatten())
    return _is_rounded(values)


def _is_rounded(numbers: Array) -> bool:
    import numpy as np  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    extremes = pc.min_max(numbers).as_py()
    if extremes["max"] is None or (extremes["max"] <= _EXACT and extremes["min"] >= -_EXACT):
        return False
    whole = pc.drop_null(numbers).to_numpy(zero_copy_only=False)
    doubles = whole.astype(np.float64)
    # The largest numbers become one that their type does not hold.
    is_held = doubles < (2.0**64 if pa.types.is_uint64(numbers.type) else 2.0**63)
    return bool((~is_held).any() or (doubles[is_held].astype(whole.dtype) != whole[is_held]).any())

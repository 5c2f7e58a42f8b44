"""What does CAST do in SQL?

Invariant: a cast of numbers to decimals and floats rounds, half away from zero. What does not fit is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg.errors import InvalidInputError, UnsupportedError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["cast_in_sql", "type_of"]

Values: TypeAlias = Any
"""An Arrow array or scalar."""
_DECIMAL = (10, 0)
"""The precision and the scale of DECIMAL."""
_MOST_DIGITS = 38


def cast_in_sql(values: Values, kind: pa.DataType) -> Values:
    """The values in another type.

    Raises:
        InvalidInputError: A number is cast to a date or a time, or the reverse.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large
    import pyarrow.compute as pc  # noqa: PLC0415

    found = values.type
    if (_is_number(found) and pa.types.is_temporal(kind)) or (
        pa.types.is_temporal(found) and _is_number(kind)
    ):
        # Days, seconds or microseconds? Engines do not agree.
        raise InvalidInputError(
            f"a value of type {found} cannot be cast to {kind}: use a pyarrow.compute expression"
        )
    if pa.types.is_decimal(kind):
        scale = cast("Any", kind).scale
        if pa.types.is_integer(found):
            # The cast wants room for every integer of the type, not for those that are there.
            values = pc.cast(values, pa.decimal128(38, scale))
        elif pa.types.is_floating(found):
            values = pc.round(values, scale, round_mode="half_towards_infinity")
        elif pa.types.is_decimal(found) and found.scale > scale:
            wide = pc.cast(values, pa.decimal256(76, found.scale))
            values = pc.round(wide, scale, round_mode="half_towards_infinity")
    if pa.types.is_floating(kind):
        if pa.types.is_decimal(found):
            # A cast from decimals to doubles is not to the nearest one, and that of text is.
            values = pc.cast(values, pa.string())
        elif pa.types.is_integer(found):
            return pc.cast(values, kind, safe=False)
    return pc.cast(values, kind)


def _is_number(kind: pa.DataType) -> bool:
    from pyarrow import types  # noqa: PLC0415

    return (
        types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    )


def type_of(kind: Any, shown: str) -> Any:  # noqa: ANN401 - of sqlglot, and of Arrow
    """The Arrow type of a type of SQL.

    Args:
        kind: The type.
        shown: The expression, for errors.

    Raises:
        UnsupportedError: The type is not supported.
    """
    import pyarrow as pa  # noqa: PLC0415

    name = kind.this.name
    sizes = [each.name for each in kind.expressions]
    if name == "DECIMAL" and len(sizes) <= len(_DECIMAL) and all(map(str.isdecimal, sizes)):
        precision, scale = [*map(int, sizes), *_DECIMAL[len(sizes) :]]
        if not 0 <= scale <= precision or not 1 <= precision <= _MOST_DIGITS:
            raise UnsupportedError(
                f"the SQL expression {shown}: {kind.sql()} is not supported: a decimal has 1 to {_MOST_DIGITS} "
                "digits, of which all or some are behind the point"
            )
        return pa.decimal128(precision, scale)
    made = {
        "BOOLEAN": pa.bool_(),
        "INT": pa.int32(),
        "BIGINT": pa.int64(),
        "FLOAT": pa.float32(),
        "DOUBLE": pa.float64(),
        "TEXT": pa.string(),
        "VARCHAR": pa.string(),
        "BINARY": pa.binary(),
        "UUID": pa.binary(16),
        "DATE": pa.date32(),
        "TIME": pa.time64("us"),
        "TIMESTAMP": pa.timestamp("us"),
        "TIMESTAMPTZ": pa.timestamp("us", "UTC"),
        "TIMESTAMPLTZ": pa.timestamp("us", "UTC"),
        "TIMESTAMPNTZ": pa.timestamp("us"),
    }.get(name)
    if made is None or sizes:
        raise UnsupportedError(f"the SQL expression {shown}: CAST to {kind.sql()} is not supported")
    return made

"""How do values become those of a column's type?

Invariant: values are converted only where none changes: numbers to numbers that hold them, times to another unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg.errors import InvalidInputError
from floeberg.write.dict_rows import not_uuid, uuid_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

__all__ = ["converted"]

Array: TypeAlias = Any


def converted(name: str, values: Array, kind: pa.DataType) -> Array:
    """An array in another type.

    Raises:
        InvalidInputError: The type has another meaning, or a value would change.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    if values.type == kind:
        return values
    if pa.types.is_null(values.type) and not isinstance(kind, pa.BaseExtensionType):
        return pa.nulls(len(values), kind)
    plain = values
    if pa.types.is_dictionary(values.type) or isinstance(values.type, pa.RunEndEncodedType):
        plain = values.cast(values.type.value_type)
    if pa.types.is_dictionary(kind):
        return converted(name, plain, cast("Any", kind).value_type).dictionary_encode().cast(kind)
    extended = _extended(name, plain, kind) if isinstance(kind, pa.BaseExtensionType) else None
    if extended is not None:
        return extended
    if not _holds(plain.type, kind):
        raise InvalidInputError(
            f"the new values of {name!r} are of type {values.type}, expected {kind}: convert them first, "
            "with a cast of the library that they come from, or in SQL text with CAST"
        )
    try:
        if pa.types.is_integer(plain.type) and pa.types.is_decimal(kind):
            # The cast wants room for every integer of the type, not for those that are there.
            plain = plain.cast(pa.decimal128(38, cast("Any", kind).scale))
        made = _cast(plain, kind)
        _check_same(name, plain, made)
    except pa.ArrowException as error:
        raise InvalidInputError(f"a new value of {name!r} does not fit its type, {kind}: {error}") from error
    return made


def _extended(name: str, values: Array, kind: Any) -> Array | None:  # noqa: ANN401 - a type of extension
    """Values of an extension type; `None` where nothing says how they become that."""
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_null(values.type):
        values = pa.nulls(len(values), kind.storage_type)
    if values.type == kind.storage_type:
        return pa.ExtensionArray.from_storage(kind, values)
    if str(kind) == "extension<arrow.uuid>" and _is_text_or_bytes(values.type):
        return _uuids(name, values, kind)
    return None


def _is_text_or_bytes(kind: pa.DataType) -> bool:
    return str(kind) in {
        f"{width}{of}{view}"
        for width in ("", "large_")
        for of in ("string", "binary")
        for view in ("", "_view")
    }


def _uuids(name: str, values: Array, kind: Any) -> Array:  # noqa: ANN401 - a type of extension
    """Texts or bytes as uuids."""
    import pyarrow as pa  # noqa: PLC0415

    found = values.to_pylist()
    why = next((why for each in found if each is not None and (why := not_uuid(each)) is not None), None)
    if why is not None:
        raise InvalidInputError(f"a new value of {name!r} does not fit its type, uuid: {why}")
    made = [None if each is None else uuid_bytes(each) for each in found]
    return pa.ExtensionArray.from_storage(kind, pa.array(made, kind.storage_type))


def _cast(values: Array, kind: pa.DataType) -> Array:
    """A cast to the nearest value."""
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_decimal(values.type) and pa.types.is_floating(kind):
        # A cast from decimals to doubles is not to the nearest one, and that of text is.
        values = values.cast(pa.string())
    if pa.types.is_fixed_size_list(kind) and not pa.types.is_fixed_size_list(values.type):
        return _as_fixed_size(values, kind)
    return values.cast(kind, safe=True)


def _as_fixed_size(values: Array, kind: pa.DataType) -> Array:
    """Lists in a type of lists of one length. The cast of pyarrow crashes where lists are null."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    size = cast("Any", kind).list_size
    lengths = pc.unique(pc.drop_null(pc.list_value_length(values))).to_pylist()
    if any(length != size for length in lengths):
        raise pa.ArrowInvalid(f"expected lists of {size} elements, found one of {max(lengths)}")
    elements = values.flatten().cast(cast("Any", kind).value_type, safe=True)
    dense = pa.FixedSizeListArray.from_arrays(elements, type=kind)
    if not values.null_count:
        return dense
    valid = values.is_valid()
    places = pc.subtract(pc.cumulative_sum(valid.cast(pa.int64())), pa.scalar(1, pa.int64()))
    return dense.take(pc.if_else(valid, places, pa.scalar(None, pa.int64())))


def _check_same(name: str, values: Array, made: Array) -> None:
    """Casts that round without an error go there and back."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    rounds = (pa.types.is_floating(values.type), pa.types.is_floating(made.type))
    if not any(rounds) or not all(
        pa.types.is_floating(each) or pa.types.is_decimal(each) for each in (values.type, made.type)
    ):
        return
    try:
        same = pc.equal(values, _cast(made, values.type))
    except pa.ArrowInvalid:
        # What does not come back at all is too large.
        same = pa.repeat(pa.scalar(False), len(values))
    if rounds[0]:
        same = pc.or_(same, pc.is_nan(values))
    changed = pc.invert(pc.fill_null(same, True))
    if pc.any(changed).as_py():
        first = values.filter(changed)[0].as_py()
        raise InvalidInputError(
            f"a new value of {name!r} would be rounded: {made.type} cannot hold {first}. Round it yourself: in "
            "rows with a cast of their library, in SQL text with CAST(... AS ...)"
        )


def _holds(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether values of a type that fit have the same meaning in another type."""
    import pyarrow.types as kinds  # noqa: PLC0415

    def is_number(kind: pa.DataType) -> bool:
        return kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind)

    def is_text(kind: pa.DataType) -> bool:
        return kinds.is_string(kind) or kinds.is_large_string(kind) or str(kind) == "string_view"

    def is_bytes(kind: pa.DataType) -> bool:
        return kinds.is_binary(kind) or kinds.is_large_binary(kind) or kinds.is_fixed_size_binary(kind)

    alike: tuple[Callable[[pa.DataType], bool], ...] = (
        is_number,
        is_text,
        is_bytes,
        kinds.is_date,
        kinds.is_time,
        kinds.is_duration,
    )
    if any(each(found) and each(wanted) for each in alike):
        return True
    if kinds.is_timestamp(found) and kinds.is_timestamp(wanted):
        return (cast("Any", found).tz is None) == (cast("Any", wanted).tz is None)
    if kinds.is_nested(found) and kinds.is_nested(wanted):
        return _shape(found) == _shape(wanted) and not _get_one_length(found, wanted)
    return False


def _get_one_length(found: Any, wanted: Any) -> bool:  # noqa: ANN401 - types of one shape
    """Whether lists below a type become lists of one length, which is not done."""
    import pyarrow.types as kinds  # noqa: PLC0415

    if kinds.is_struct(wanted):
        pairs = [(found.field(each.name).type, each.type) for each in wanted]
    elif kinds.is_map(wanted):
        pairs = [(found.key_type, wanted.key_type), (found.item_type, wanted.item_type)]
    else:
        pairs = [(found.value_type, wanted.value_type)]
    return any(
        (kinds.is_fixed_size_list(other) and not kinds.is_fixed_size_list(one))
        or (kinds.is_nested(other) and not kinds.is_dictionary(other) and _get_one_length(one, other))
        for one, other in pairs
    )


def _shape(kind: Any) -> object:  # noqa: ANN401 - a type
    """A nested type without the names of its elements and the width of its offsets."""
    import pyarrow.types as kinds  # noqa: PLC0415

    if kinds.is_map(kind):
        return "map", _shape(kind.key_type), _shape(kind.item_type)
    if kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind):
        return "list", _shape(kind.value_type)
    if kinds.is_struct(kind):
        # Fields are found by their names, in any order.
        return "struct", sorted((each.name, str(_shape(each.type))) for each in kind)
    if kinds.is_large_string(kind):
        return "string"
    return str(kind)

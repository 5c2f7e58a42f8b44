"""How do values become those of a column's type?

In: an array of any form that Arrow has. Out: the same values in the type of a column, at every depth.

Invariant: values are converted only where none changes: numbers to numbers that hold them, times to another unit,
dictionaries, runs and views to what they stand for. Fields of structs are found by their names, and those that are
missing are null. Of what is null, nothing below is looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg.commit.exact_types import is_list_like, is_written_uuid, mismatches
from floeberg.errors import InvalidInputError
from floeberg.write.dict_rows import not_uuid, uuid_bytes

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["converted"]

Array: TypeAlias = Any


def converted(name: str, values: Array, kind: pa.DataType) -> Array:
    """An array in another type.

    Raises:
        InvalidInputError: The type has another meaning, or a value would change. The error has the full name of the
            column.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    if values.type == kind:
        return values
    wrong = mismatches(name, values.type, kind)
    if wrong:
        parts = [each.removesuffix(": convert them first") for each in wrong]
        below = "" if wrong[0].startswith(f"column {name!r} ") else f" ({'; '.join(parts)})"
        raise InvalidInputError(
            f"the new values of {name!r} are of type {values.type}, expected {kind}{below}: convert them first, "
            "with a cast of the library that they come from, or in SQL text with CAST"
        )
    try:
        return _made(name, _without_runs(values), kind)
    except pa.ArrowException as error:
        raise InvalidInputError(f"a new value of {name!r} does not fit its type, {kind}: {error}") from error


def _made(path: str, values: Array, kind: Any) -> Array:  # noqa: ANN401, C901, PLR0911 - one return a form
    """The values in a type that fits."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import types  # noqa: PLC0415

    if values.type == kind:
        return values
    if types.is_null(values.type) or not len(values):
        # Arrays without values may lack their buffers.
        return _nulls(len(values), kind)
    if isinstance(kind, pa.BaseExtensionType):
        if is_written_uuid(values.type, kind):
            return _uuids(path, values, kind)
        return pa.ExtensionArray.from_storage(kind, _made(path, values, kind.storage_type))
    if isinstance(values.type, pa.BaseExtensionType):
        return _made(path, values.storage, kind)
    if types.is_dictionary(values.type):
        return _made(path, _taken(values.dictionary, values.indices), kind)
    if types.is_dictionary(kind):
        return _encoded(_made(path, values, kind.value_type), kind)
    if types.is_struct(kind):
        return _structs(path, values, kind)
    if types.is_map(kind):
        return _maps(path, values, kind)
    if is_list_like(kind):
        return _lists(path, values, kind)
    return _single(path, values, kind)


def _nulls(rows: int, kind: Any) -> Array:  # noqa: ANN401 - a type
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, _nulls(rows, kind.storage_type))
    return pa.nulls(rows, kind)


def _taken(stored: Array, places: Array) -> Array:
    """Values by their places."""
    import pyarrow as pa  # noqa: PLC0415

    # Not every pyarrow takes views.
    plain = {"string_view": pa.large_string(), "binary_view": pa.large_binary()}.get(str(stored.type))
    return (stored if plain is None else stored.cast(plain)).take(places)


def _without_runs(values: Array) -> Array:
    """The same values without runs at any depth. Those that pyarrow flattens or joins may be wrong."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415
    from pyarrow import types  # noqa: PLC0415

    kind = values.type
    if "run_end_encoded<" not in str(kind):
        return values
    if isinstance(kind, pa.BaseExtensionType):
        return _without_runs(values.storage)
    if isinstance(kind, pa.RunEndEncodedType):
        numbers = pa.array(range(len(values.values)), pa.int32())
        runs = pa.RunEndEncodedArray.from_arrays(values.run_ends, numbers)
        places = pc.run_end_decode(runs.slice(values.offset, len(values)))
        return _taken(_without_runs(values.values), places)
    if types.is_dictionary(kind):
        return _taken(_without_runs(values.dictionary), values.indices)
    if types.is_struct(kind):
        children = [_without_runs(values.field(number)) for number in range(kind.num_fields)]
        fields = [field.with_type(child.type) for field, child in zip(kind, children, strict=True)]
        mask = values.is_null() if values.null_count else None
        return pa.StructArray.from_arrays(children, fields=fields, mask=mask)
    below = _without_runs(values.values)
    if types.is_map(kind):
        made, own = pa.map_(*below.type), 2
    elif types.is_fixed_size_list(kind):
        made, own = pa.list_(kind.value_field.with_type(below.type), kind.list_size), 1
    else:
        # list, large_list, list_view, large_list_view
        name = str(kind).partition("<")[0]
        maker = getattr(pa, "list_" if name == "list" else name)
        made, own = maker(kind.value_field.with_type(below.type)), 3 if name.endswith("view") else 2
    buffers = values.buffers()[:own]
    return pa.Array.from_buffers(made, len(values), buffers, values.null_count, values.offset, [below])


def _encoded(values: Array, kind: Any) -> Array:  # noqa: ANN401 - a dictionary type
    """The values in a dictionary of their own."""
    import pyarrow as pa  # noqa: PLC0415

    made = values.dictionary_encode()
    places = made.indices.cast(kind.index_type)
    return pa.DictionaryArray.from_arrays(places, made.dictionary, ordered=kind.ordered, safe=False)


def _structs(path: str, values: Array, kind: Any) -> Array:  # noqa: ANN401 - a struct type
    import pyarrow as pa  # noqa: PLC0415

    # With the nulls of the structs.
    given = dict(zip((each.name for each in values.type), values.flatten(), strict=True))
    children = []
    for field in kind:
        full = f"{path}.{field.name}"
        made = (
            _made(full, given[field.name], field.type)
            if field.name in given
            else _nulls(len(values), field.type)
        )
        if not field.nullable and made.null_count > values.null_count:
            raise InvalidInputError(f"the column {full!r} is required, and a new value is null")
        children.append(made)
    mask = values.is_null() if values.null_count else None
    return pa.StructArray.from_arrays(children, fields=list(kind), mask=mask)


def _lists(path: str, values: Array, kind: Any) -> Array:  # noqa: ANN401 - a type of lists
    import pyarrow as pa  # noqa: PLC0415

    elements = _made(f"{path}.element", values.flatten(), kind.value_type)
    _check_required(f"{path}.element", elements, kind.value_field)
    if pa.types.is_fixed_size_list(kind):
        return _as_fixed_size(path, values, elements, kind)
    offsets = _offsets(values, pa.int64() if pa.types.is_large_list(kind) else pa.int32())
    buffers = [_validity(values), offsets.buffers()[1]]
    return pa.Array.from_buffers(kind, len(values), buffers, values.null_count, 0, [elements])


def _maps(path: str, values: Array, kind: Any) -> Array:  # noqa: ANN401 - a type of maps
    import pyarrow as pa  # noqa: PLC0415

    every = values.values
    like_lists = pa.Array.from_buffers(
        pa.list_(every.type), len(values), values.buffers()[:2], values.null_count, values.offset, [every]
    )
    pairs = like_lists.flatten()
    parts = []
    for number, (name, field) in enumerate((("key", kind.key_field), ("value", kind.item_field))):
        made = _made(f"{path}.{name}", pairs.field(number), field.type)
        _check_required(f"{path}.{name}", made, field)
        parts.append(made)
    entries = pa.StructArray.from_arrays(parts, fields=[kind.key_field, kind.item_field])
    buffers = [_validity(values), _offsets(like_lists, pa.int32()).buffers()[1]]
    return pa.Array.from_buffers(kind, len(values), buffers, values.null_count, 0, [entries])


def _check_required(path: str, values: Array, field: pa.Field[Any]) -> None:
    if not field.nullable and values.null_count:
        raise InvalidInputError(f"the column {path!r} is required, and a new value is null")


def _offsets(lists: Array, kind: pa.DataType) -> Array:
    """Where lists begin in their flattened elements, and where the last one ends."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    lengths = pc.fill_null(pc.list_value_length(lists), 0).cast(pa.int64())
    offsets = pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(lengths)])
    return offsets.cast(kind)


def _validity(values: Array) -> pa.Buffer | None:
    """A bitmap that begins at the first value; `None` where no value is null."""
    import pyarrow as pa  # noqa: PLC0415

    if not values.null_count:
        return None
    valid = values.is_valid()
    if valid.offset:
        valid = pa.concat_arrays([valid])
    return cast("pa.Buffer", valid.buffers()[1])


def _as_fixed_size(path: str, values: Array, elements: Array, kind: Any) -> Array:  # noqa: ANN401 - a type
    """Lists of one length, of all elements. The cast of pyarrow crashes where lists are null."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    size = kind.list_size
    lengths = pc.unique(pc.drop_null(pc.list_value_length(values))).to_pylist()
    if any(length != size for length in lengths):
        other = next(length for length in lengths if length != size)
        raise InvalidInputError(
            f"a new value of {path!r} does not fit its type, {kind}: expected lists of {size} elements, found one of "
            f"{other}"
        )
    if not size:
        empty = _nulls(0, kind.value_type)
        return pa.Array.from_buffers(kind, len(values), [_validity(values)], values.null_count, 0, [empty])
    dense = pa.FixedSizeListArray.from_arrays(elements, type=kind)
    if not values.null_count:
        return dense
    valid = values.is_valid()
    places = pc.subtract(pc.cumulative_sum(valid.cast(pa.int64())), pa.scalar(1, pa.int64()))
    return dense.take(pc.if_else(valid, places, pa.scalar(None, pa.int64())))


def _single(path: str, values: Array, kind: Any) -> Array:  # noqa: ANN401 - a type
    """Values that are not nested."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import types  # noqa: PLC0415

    if types.is_float16(values.type):
        # Not every kernel knows them.
        values = values.cast(pa.float32())
        if values.type == kind:
            return values
    if types.is_integer(values.type) and types.is_decimal(kind):
        # The cast wants room for every integer of the type, not for those that are there.
        widest = pa.decimal256(76, kind.scale) if types.is_decimal256(kind) else pa.decimal128(38, kind.scale)
        values = values.cast(widest)
    try:
        made = _cast(values, kind)
    except pa.ArrowException as error:
        raise InvalidInputError(f"a new value of {path!r} does not fit its type, {kind}: {error}") from error
    _check_same(path, values, made)
    return made


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
    return values.cast(kind, safe=True)


def _check_same(path: str, values: Array, made: Array) -> None:
    """Casts that round without an error go there and back."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    is_float = pa.types.is_floating(values.type)
    if pa.types.is_floating(made.type):
        # pyarrow looks at the digits of integers in floats of 32 and 64 bits alone.
        is_short = pa.types.is_integer(values.type) and pa.types.is_float16(made.type)
        rounds = is_float or pa.types.is_decimal(values.type) or is_short
    else:
        rounds = is_float and pa.types.is_decimal(made.type)
    if not rounds:
        return
    try:
        same = pc.equal(values, _cast(made, values.type))
    except pa.ArrowInvalid:
        # What does not come back at all is too large.
        same = pa.repeat(pa.scalar(False), len(values))
    if is_float:
        same = pc.or_(same, pc.is_nan(values))
    changed = pc.invert(pc.fill_null(same, True))
    if pc.any(changed).as_py():
        first = values.filter(changed)[0].as_py()
        raise InvalidInputError(
            f"a new value of {path!r} would be rounded: {made.type} cannot hold {first}. Round it yourself: in "
            "rows with a cast of their library, in SQL text with CAST(... AS ...)"
        )

"""How do batches get the types of a schema, without any other value?

In: batches, and a schema with as many columns. Out: batches of this schema.

Invariant: no value changes. A value that does not fit is an error that names the column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from floeberg.errors import InvalidDataError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

__all__ = ["mapped"]

DataType: TypeAlias = Any
Array: TypeAlias = Any


def mapped(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Batches in the types of a schema.

    Raises:
        InvalidDataError: A value does not fit. The error names the column.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    for batch in batches:
        columns = [_column(batch.column(at), field) for at, field in enumerate(schema)]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _column(array: Array, field: Any) -> Array:  # noqa: ANN401 - a field
    import pyarrow as pa  # noqa: PLC0415

    if array.type == field.type:
        return array
    if isinstance(field.type, pa.BaseExtensionType):
        stored = _column(array, pa.field(field.name, field.type.storage_type))
        return pa.ExtensionArray.from_storage(field.type, stored)
    plain = _stored(array)
    if plain.type == field.type:
        return plain
    try:
        made = plain.cast(field.type, safe=True)
        # Casts of days and of nanoseconds may cut.
        is_same = not _may_cut(plain.type) or made.cast(plain.type).equals(plain)
    except pa.ArrowInvalid as error:
        raise InvalidDataError(
            f"a value of column {field.name!r} does not fit the type {field.type}: {error}"
        ) from error
    except pa.ArrowNotImplementedError as error:
        raise UnsupportedError(
            f"column {field.name!r} of the type {array.type} cannot be cast to {field.type}: {error}"
        ) from error
    if not is_same:
        raise InvalidDataError(
            f"a value of column {field.name!r} of the type {plain.type} does not fit the type {field.type}"
        )
    return made


def _stored(array: Array) -> Array:
    """Values without extension types, at any depth."""
    import pyarrow as pa  # noqa: PLC0415

    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return _stored(array.storage)
    if not _has_extension(kind):
        return array
    # The same buffers under types without extensions.
    return array.cast(_storage(kind))


def _has_extension(kind: DataType) -> bool:
    return _storage(kind) != kind


def _storage(kind: DataType) -> DataType:
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(kind, pa.BaseExtensionType):
        return _storage(kind.storage_type)
    if pa.types.is_struct(kind):
        return pa.struct([each.with_type(_storage(each.type)) for each in kind])
    if pa.types.is_map(kind):
        key, item = kind.key_field, kind.item_field
        return pa.map_(key.with_type(_storage(key.type)), item.with_type(_storage(item.type)))
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_storage(kind.value_type)))
    return kind


def _may_cut(kind: DataType) -> bool:
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_date64(kind) or (pa.types.is_time(kind) and kind.unit == "ns"):
        return True
    return any(_may_cut(kind.field(at).type) for at in range(kind.num_fields))

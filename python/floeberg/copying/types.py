"""Which type does a column get in the other format?

In: Arrow schemas of one format. Out: those of the other.

Invariant: a type that the other format lacks is an error that names the column, before any row is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from floeberg.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

__all__ = ["as_iceberg", "as_lance", "by_names"]

DataType: TypeAlias = Any
_EXTENSION = b"ARROW:extension:name"
_FIELD_ID = b"PARQUET:field_id"
_MOST_DIGITS = 38


def as_iceberg(schema: pa.Schema) -> pa.Schema:
    """The columns of a Lance table in types of Iceberg.

    Raises:
        UnsupportedError: Iceberg has no type for a column.
    """
    return _schema(schema, _iceberg_leaf, ("arrow.uuid",))


def as_lance(schema: pa.Schema) -> pa.Schema:
    """The columns of an Iceberg table in types of Lance.

    Raises:
        UnsupportedError: Lance has no type for a column.
    """
    return _schema(schema, lambda kind, _: kind, ("arrow.uuid", "geoarrow.wkb"))


def by_names(schema: pa.Schema) -> pa.Schema:
    """The columns of an Iceberg table without its field ids, which mean other columns in another table."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    def field(each: Any) -> Any:  # noqa: ANN401 - fields
        kept = {key: value for key, value in (each.metadata or {}).items() if key != _FIELD_ID}
        return pa.field(each.name, of(each.type), each.nullable, kept or None)

    def of(kind: DataType) -> DataType:
        if pa.types.is_struct(kind):
            return pa.struct([field(each) for each in kind])
        if pa.types.is_map(kind):
            return pa.map_(field(kind.key_field), field(kind.item_field))
        if pa.types.is_list(kind) or pa.types.is_large_list(kind):
            make = pa.list_ if pa.types.is_list(kind) else pa.large_list
            return make(field(kind.value_field))
        return kind

    return pa.schema([field(each) for each in schema])


def _schema(
    schema: pa.Schema, leaf: Callable[[DataType, str], DataType], stored: tuple[str, ...]
) -> pa.Schema:
    import pyarrow as pa  # noqa: PLC0415

    def field(each: Any, path: str) -> Any:  # noqa: ANN401 - fields
        kind = each.type
        name = (each.metadata or {}).get(_EXTENSION, b"").decode()
        if isinstance(kind, pa.BaseExtensionType):
            name, kind = kind.extension_name, kind.storage_type
        if name and name not in stored:
            raise _refused(path, f"the extension type {name}")
        return pa.field(each.name, of(kind, path), each.nullable)

    def of(kind: DataType, path: str) -> DataType:
        if pa.types.is_struct(kind):
            return pa.struct([field(each, f"{path}.{each.name}") for each in kind])
        if pa.types.is_map(kind):
            return pa.map_(field(kind.key_field, f"{path}.key"), field(kind.item_field, f"{path}.value"))
        if pa.types.is_list(kind) or pa.types.is_large_list(kind):
            make = pa.list_ if pa.types.is_list(kind) else pa.large_list
            return make(field(kind.value_field, f"{path}.element"))
        return leaf(kind, path)

    return pa.schema([field(each, each.name) for each in schema])


def _iceberg_leaf(kind: DataType, path: str) -> DataType:  # noqa: PLR0911 - one return a type
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import types  # noqa: PLC0415

    other = {
        pa.int8(): pa.int32(),
        pa.int16(): pa.int32(),
        pa.uint8(): pa.int32(),
        pa.uint16(): pa.int32(),
        pa.uint32(): pa.int64(),
        pa.uint64(): pa.decimal128(20, 0),
        pa.float16(): pa.float32(),
        pa.date64(): pa.date32(),
    }
    if kind in other:
        return other[kind]
    if types.is_dictionary(kind):
        return _iceberg_leaf(kind.value_type, path)
    if types.is_fixed_size_list(kind):
        item = kind.value_field
        return pa.list_(pa.field(item.name, _iceberg_leaf(item.type, f"{path}.element"), item.nullable))
    if types.is_time(kind):
        return pa.time64("us")
    if types.is_timestamp(kind):
        return pa.timestamp("ns" if kind.unit == "ns" else "us", None if kind.tz is None else "UTC")
    if types.is_decimal(kind):
        if kind.precision > _MOST_DIGITS or not 0 <= kind.scale <= kind.precision:
            raise _refused(path, f"the type {kind}")
        return pa.decimal128(kind.precision, kind.scale)
    plain = (
        *(types.is_boolean, types.is_int32, types.is_int64, types.is_float32, types.is_float64),
        *(types.is_string, types.is_large_string, types.is_binary, types.is_large_binary),
        *(types.is_date32, types.is_fixed_size_binary, types.is_null),
    )
    if any(each(kind) for each in plain):
        return kind
    raise _refused(path, f"the type {kind}")


def _refused(path: str, what: str) -> UnsupportedError:
    return UnsupportedError(
        f"column {path!r} cannot be copied to a table of the other format: it has {what}. Leave it out: copy with "
        "`columns`"
    )

"""Which Arrow schema do columns have?

It is the schema that a scan returns, with field ids as metadata, as in Parquet files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.errors import UnsupportedError
from floeberg.types._fields import IcebergType, ListType, MapType, NestedField, StructType
from floeberg.types._primitives import DecimalType, FixedType

if TYPE_CHECKING:
    import pyarrow as pa

_FIELD_ID = b"PARQUET:field_id"


def arrow_schema(fields: tuple[NestedField, ...]) -> pa.Schema:
    """The Arrow schema of columns. Raises `UnsupportedError` for a type without an Arrow type."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    return pa.schema([_field(pa, each) for each in fields])


def _field(pa: Any, field: NestedField) -> pa.Field[Any]:  # noqa: ANN401 - the module
    metadata = {_FIELD_ID: str(field.field_id)}
    if field.doc:
        metadata[b"doc"] = field.doc
    return pa.field(field.name, _type(pa, field.field_type), nullable=field.optional, metadata=metadata)


def _type(pa: Any, kind: IcebergType) -> pa.DataType:  # noqa: ANN401 - the module
    if isinstance(kind, StructType):
        return pa.struct([_field(pa, each) for each in kind.fields])
    if isinstance(kind, ListType):
        return pa.list_(_field(pa, kind.element_field))
    if isinstance(kind, MapType):
        return pa.map_(_field(pa, kind.key_field), _field(pa, kind.value_field))
    if isinstance(kind, DecimalType):
        return pa.decimal128(kind.precision, kind.scale)
    if isinstance(kind, FixedType):
        return pa.binary(len(kind))
    made = {
        "boolean": pa.bool_,
        "int": pa.int32,
        "long": pa.int64,
        "float": pa.float32,
        "double": pa.float64,
        "date": pa.date32,
        "time": lambda: pa.time64("us"),
        "timestamp": lambda: pa.timestamp("us"),
        "timestamptz": lambda: pa.timestamp("us", "UTC"),
        "timestamp_ns": lambda: pa.timestamp("ns"),
        "timestamptz_ns": lambda: pa.timestamp("ns", "UTC"),
        "string": pa.string,
        "binary": pa.binary,
        "uuid": lambda: pa.uuid() if hasattr(pa, "uuid") else pa.binary(16),
        "unknown": pa.null,
    }.get(kind.name)
    if made is None:
        raise UnsupportedError(
            f"the Arrow type of {kind.name!r} depends on the table: use table.scan(limit=0).to_arrow().schema"
        )
    return made()

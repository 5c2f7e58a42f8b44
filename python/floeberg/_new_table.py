"""How are the schema, partition spec and sort order of a new table written as JSON?

In: Arrow schemas, `floeberg.types`, objects of PyIceberg, and for specs and orders also strings. Out: JSON as in the
specification, which Rust checks.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast, runtime_checkable

from floeberg import _native
from floeberg._arguments import checked_text
from floeberg.errors import InvalidInputError
from floeberg.types import (
    IcebergType,
    ListType,
    NestedField,
    PartitionField,
    PartitionSpec,
    PrimitiveType,
    Schema,
    SortField,
    SortOrder,
    StructType,
)
from floeberg.write.input_rows import schema_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "AnyPartitionSpec",
    "AnySchema",
    "AnySortOrder",
    "partition_spec_json",
    "schema_json",
    "sort_order_json",
]

Json = Any


@runtime_checkable
class ArrowSchemaExportable(Protocol):
    """An Arrow schema of any library, through the Arrow PyCapsule interface."""

    def __arrow_c_schema__(self) -> object:
        """The capsule of the schema."""


@runtime_checkable
class ArrowStreamExportable(Protocol):
    """Rows of any library, through the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The capsule of the stream."""


@runtime_checkable
class JsonModel(Protocol):
    """A schema, spec or order of PyIceberg: a model that can write the specification's JSON."""

    def model_dump_json(self) -> str:
        """The JSON text."""


AnySchema: TypeAlias = "Schema | pa.Schema | ArrowSchemaExportable | ArrowStreamExportable | JsonModel"
AnyPartitionSpec: TypeAlias = "PartitionSpec | Iterable[str | PartitionField] | JsonModel | None"
AnySortOrder: TypeAlias = "SortOrder | Iterable[str | SortField] | JsonModel | None"


def schema_json(schema: AnySchema, *, format_version: int) -> str:
    """The JSON of a schema. An Arrow schema gets fresh field ids, others keep theirs."""
    if isinstance(schema, Schema):
        try:
            written: Json = {
                "type": "struct",
                "schema-id": schema.schema_id,
                "identifier-field-ids": list(schema.identifier_field_ids),
                "fields": [_field(each) for each in schema.fields],
            }
            return _dumped("schema", written)
        except RecursionError:
            raise InvalidInputError("schema: nested too deep") from None
    if isinstance(schema, JsonModel):
        return schema.model_dump_json()
    return _native.schema_from_arrow(schema_of(schema), format_version)


def partition_spec_json(spec: AnyPartitionSpec) -> str:
    """The JSON of the fields of a partition spec; an empty list for `None`."""
    return _fields("partition_spec", spec, PartitionSpec, PartitionField)


def sort_order_json(order: AnySortOrder) -> str:
    """The JSON of the fields of a sort order; an empty list for `None`."""
    return _fields("sort_order", order, SortOrder, SortField)


def _fields(
    name: str, given: object, whole: type[PartitionSpec | SortOrder], part: type[PartitionField | SortField]
) -> str:
    if isinstance(given, JsonModel):
        return given.model_dump_json()
    fields: object = () if given is None else given
    if isinstance(fields, (PartitionSpec, SortOrder)) and isinstance(fields, whole):
        fields = fields.fields
    if isinstance(fields, (str, bytes, Mapping)) or not isinstance(fields, Iterable):
        raise InvalidInputError(
            f"{name}: expected a {whole.__name__} or a list of strings, such as ['day(ts)'], found an object of type "
            f"{type(given).__name__}"
        )
    return _dumped(name, [_part(name, each, part) for each in cast("Iterable[object]", fields)])


def _part(name: str, given: object, part: type[PartitionField | SortField]) -> Json:
    if isinstance(given, PartitionField) and isinstance(given, part):
        return {
            "source-ids": list(given.source_ids),
            "field-id": given.field_id,
            "transform": given.transform,
            "name": given.name,
        }
    if isinstance(given, SortField) and isinstance(given, part):
        return {
            "source-ids": list(given.source_ids),
            "transform": given.transform,
            "direction": given.direction,
            "null-order": given.null_order,
        }
    return checked_text(name, given)


def _field(field: NestedField) -> Json:
    written: Json = {
        "id": field.field_id,
        "name": field.name,
        "required": field.required,
        "type": type_json(field.field_type),
    }
    optional = {
        "doc": field.doc,
        "initial-default": field.initial_default,
        "write-default": field.write_default,
    }
    return written | {key: value for key, value in optional.items() if value is not None}


def type_json(field_type: IcebergType) -> Json:
    """The JSON of a type, as the specification writes it."""
    if isinstance(field_type, PrimitiveType):
        return field_type.name
    if isinstance(field_type, StructType):
        return {"type": "struct", "fields": [_field(each) for each in field_type.fields]}
    if isinstance(field_type, ListType):
        return {
            "type": "list",
            "element-id": field_type.element_id,
            "element": type_json(field_type.element_type),
            "element-required": field_type.element_required,
        }
    return {
        "type": "map",
        "key-id": field_type.key_id,
        "key": type_json(field_type.key_type),
        "value-id": field_type.value_id,
        "value": type_json(field_type.value_type),
        "value-required": field_type.value_required,
    }


def _dumped(name: str, written: Json) -> str:
    try:
        return json.dumps(written, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name}: cannot be written as JSON: {error}") from error

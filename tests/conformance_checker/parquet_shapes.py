"""Which columns have Parquet files, and are they those of the table? Spec: Appendix A, Parquet; Column Projection."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from conformance_checker.avro_schemas import minimal_size
from conformance_checker.faults import Faults
from conformance_checker.types import Type, decimal_of, is_nested, kind_of, length_of

Json = dict[str, Any]
Shape = tuple[Any, ...]
"""Id, whether it is required, and the word of a primitive type or the shapes below."""

PRIMITIVES = {
    pa.bool_(): "boolean",
    pa.int32(): "int",
    pa.int64(): "long",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.date32(): "date",
    pa.time64("us"): "time",
    pa.timestamp("us"): "timestamp",
    pa.timestamp("us", "UTC"): "timestamptz",
    pa.timestamp("ns"): "timestamp_ns",
    pa.timestamp("ns", "UTC"): "timestamptz_ns",
    pa.string(): "string",
    pa.binary(): "binary",
}


LINEAGE = [
    {"id": 2_147_483_540, "name": "_row_id", "required": False, "type": "long"},
    {"id": 2_147_483_539, "name": "_last_updated_sequence_number", "required": False, "type": "long"},
]
"""What a file of rows that were in the table before has after its columns. Spec: Row Lineage."""


def number_of(field: pa.Field) -> int | None:
    """The id of a field in a file."""
    written = (field.metadata or {}).get(b"PARQUET:field_id")
    return None if written is None else int(written)


def storage(type_: pa.DataType) -> pa.DataType:
    """A type without what a library makes of it."""
    return type_.storage_type if isinstance(type_, pa.BaseExtensionType) else type_


def of_file(field: pa.Field) -> Shape:
    """The shape of a column of a file."""
    type_ = storage(field.type)
    return number_of(field), not field.nullable, _below(type_)


def _below(type_: pa.DataType) -> Any:
    if pa.types.is_struct(type_):
        names = {each.name for each in type_}
        # The two columns of a variant have no ids, nor those of a shredded one.
        if {"metadata"} <= names and all(number_of(each) is None for each in type_):
            return "variant"
        return ("struct", *(of_file(each) for each in type_))
    if pa.types.is_map(type_):
        return ("map", of_file(type_.key_field), of_file(type_.item_field))
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        return ("list", of_file(type_.value_field))
    if pa.types.is_decimal(type_):
        return f"decimal({type_.precision}, {type_.scale})"
    if pa.types.is_fixed_size_binary(type_):
        return f"fixed[{type_.byte_width}]"
    return PRIMITIVES.get(type_, str(type_))


def of_table(field: Json) -> Shape:
    """The shape that a file gives to a column of a table."""
    return field["id"], bool(field["required"]), _stored(field["type"])


def of_fields(fields: list[Json]) -> tuple[Shape, ...]:
    """Those of columns; what is of no known type is not stored."""
    return tuple(of_table(field) for field in fields if field["type"] != "unknown")


def _stored(type_: Type) -> Any:
    if is_nested(type_):
        if type_["type"] == "struct":
            return ("struct", *of_fields(type_["fields"]))
        if type_["type"] == "list":
            return ("list", (type_["element-id"], bool(type_["element-required"]), _stored(type_["element"])))
        key = (type_["key-id"], True, _stored(type_["key"]))
        return ("map", key, (type_["value-id"], bool(type_["value-required"]), _stored(type_["value"])))
    if (decimal := decimal_of(type_)) is not None:
        return f"decimal({decimal[0]}, {decimal[1]})"
    if (length := length_of(type_)) is not None:
        return f"fixed[{length}]"
    kind = kind_of(type_)
    return {"uuid": "fixed[16]", "geometry": "binary", "geography": "binary"}.get(kind, kind)


def numbers(shape: Any) -> list[int | None]:
    """The ids in a shape, in order."""
    found: list[int | None] = []
    if isinstance(shape, tuple):
        for each in shape:
            if isinstance(each, tuple) and each and (each[0] is None or isinstance(each[0], int)):
                found.append(each[0])
                found += numbers(each[2])
            elif isinstance(each, tuple):
                found += numbers(each)
    return found


def schema_of_file(file: pq.ParquetFile, metadata: Json, latest: int | None) -> Json | None:
    """The schema of the table that a file was written with, the given one first; `None` where there is none."""
    found = tuple(of_file(each) for each in file.schema_arrow)
    schemas = metadata.get("schemas") or [metadata["schema"]]
    for schema in sorted(schemas, key=lambda each: each.get("schema-id") != latest):
        if of_fields(schema["fields"]) == found:
            return schema
        if metadata["format-version"] >= 3 and of_fields(schema["fields"] + LINEAGE) == found:
            return {**schema, "fields": schema["fields"] + LINEAGE}
    return None


def is_mapped(file: pq.ParquetFile, metadata: Json) -> bool:
    """Whether a file has no field ids, and the name mapping of the table has all of its columns."""
    written = metadata.get("properties", {}).get("schema.name-mapping.default")
    if written is None or any(
        number is not None for number in numbers(tuple(map(of_file, file.schema_arrow)))
    ):
        return False
    names = {name for each in json.loads(written) for name in each["names"]}
    return set(file.schema_arrow.names) <= names


def check_shape(file: pq.ParquetFile, metadata: Json, latest: int | None, place: str, faults: Faults) -> None:
    """Say why a file was written with none of the table's schemas."""
    found = tuple(of_file(each) for each in file.schema_arrow)
    schemas = metadata.get("schemas") or [metadata["schema"]]
    expected = next((each for each in schemas if each.get("schema-id") == latest), schemas[-1])
    shapes = of_fields(expected["fields"])
    if numbers(found) not in [numbers(of_fields(each["fields"])) for each in schemas]:
        faults.say("parquet-field-ids", place, f"found {numbers(found)}, expected {numbers(shapes)}")
    else:
        faults.say("parquet-types", place, f"found {found}, expected {shapes}")


def check_physical(file: pq.ParquetFile, place: str, faults: Faults) -> None:
    """Check how values are stored, as far as Arrow does not tell."""
    for number in range(len(file.schema)):
        column = file.schema.column(number)
        logical = column.logical_type.type
        stored = (
            column.physical_type,
            column.length if column.physical_type == "FIXED_LEN_BYTE_ARRAY" else 0,
        )
        if logical == "DECIMAL":
            precision = column.precision
            expected = (
                ("INT32", 0)
                if precision <= 9
                else ("INT64", 0)
                if precision <= 18
                else ("FIXED_LEN_BYTE_ARRAY", minimal_size(precision))
            )
            # In shredded variants decimals are stored by the precision of their variant type.
            if stored != expected and ".typed_value" not in column.path:
                faults.say("parquet-storage", place, f"{column.path}: found {stored}, expected {expected}")
        if "INT96" in stored or (logical == "TIME" and stored[0] != "INT64"):
            faults.say("parquet-storage", place, f"{column.path}: found {stored}")

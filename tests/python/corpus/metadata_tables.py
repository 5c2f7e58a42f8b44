"""What do Iceberg Java's metadata tables say of a case, and how is the same said of a `pyarrow.Table`?

A row is a list of values in the order of the columns: structs are lists, maps are lists of pairs sorted by key, dates,
times and timestamps are integers in their column's unit, decimals texts with all digits, uuids texts, bytes lower-case
hex. A column is its field id, its name, whether it is required, and its type; types are Arrow's.
"""

from __future__ import annotations

import gzip
import json
import math
import re
import uuid
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import types

if TYPE_CHECKING:
    from corpus.cases import Case

_ARROW = {
    "boolean": "bool",
    "int": "int32",
    "long": "int64",
    "float": "float",
    "double": "double",
    "date": "date32[day]",
    "time": "time64[us]",
    "timestamp": "timestamp[us]",
    "timestamptz": "timestamp[us, tz=UTC]",
    "timestamp_ns": "timestamp[ns]",
    "timestamptz_ns": "timestamp[ns, tz=UTC]",
    "string": "string",
    "binary": "binary",
    "uuid": "fixed_size_binary[16]",
    "unknown": "null",
    "variant": "variant",
}


def truth(case: Case) -> dict[str, Any] | None:
    """The metadata tables as Java shows them, by name, if they were asked for."""
    file = case.folder / "metadata_tables.json.gz"
    return json.loads(gzip.decompress(file.read_bytes())) if file.is_file() else None


def java_columns(schema: dict[str, Any]) -> list[Any]:
    """The columns of the JSON of an Iceberg schema."""
    return [_column(each["id"], each["name"], each["required"], each["type"]) for each in schema["fields"]]


def _column(field_id: int, name: str, required: bool, kind: Any) -> list[Any]:  # noqa: FBT001
    # A column of nulls is always nullable in Arrow.
    return [field_id, name, required and kind != "unknown", _java_type(kind)]


def _java_type(kind: Any) -> Any:
    if isinstance(kind, str):
        if known := _ARROW.get(kind):
            return known
        if kind.startswith("geo"):
            return "binary"
        if fixed := re.fullmatch(r"fixed\[(\d+)\]", kind):
            return f"fixed_size_binary[{fixed[1]}]"
        digits = re.fullmatch(r"decimal\((\d+), ?(\d+)\)", kind)
        assert digits, kind
        return f"decimal128({digits[1]}, {digits[2]})"
    if kind["type"] == "struct":
        return java_columns(kind)
    if kind["type"] == "list":
        return [
            "list",
            _column(kind["element-id"], "element", kind["element-required"], kind["element"]),
        ]
    return [
        "map",
        _column(kind["key-id"], "key", True, kind["key"]),
        _column(kind["value-id"], "value", kind["value-required"], kind["value"]),
    ]


def columns(schema: Any) -> list[Any]:
    """The columns of an Arrow schema, or of a struct."""
    return [_arrow_column(field) for field in schema]


def _extension(field: pa.Field) -> bytes:
    known = {"extension<arrow.uuid>": b"arrow.uuid"}
    return known.get(str(field.type), (field.metadata or {}).get(b"ARROW:extension:name", b""))


def _arrow_column(field: pa.Field) -> list[Any]:
    metadata = field.metadata or {}
    kind = "variant" if _extension(field) == b"arrow.parquet.variant" else _arrow_type(field.type)
    return [int(metadata[b"PARQUET:field_id"]), field.name, not field.nullable, kind]


def _arrow_type(kind: pa.DataType) -> Any:
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if types.is_struct(kind):
        return columns(kind)
    if types.is_map(kind):
        return ["map", _arrow_column(kind.key_field), _arrow_column(kind.item_field)]
    if types.is_list(kind):
        return ["list", _arrow_column(kind.value_field)]
    return str(kind)


def rows(table: pa.Table) -> list[list[Any]]:
    """The rows of a table."""
    return [
        list(row)
        for batch in table.to_batches()
        for row in zip(*map(_of_field, batch.columns, batch.schema), strict=True)
    ]


def _of_field(values: pa.Array, field: pa.Field) -> list[Any]:
    found = _values(values)
    if _extension(field) == b"arrow.uuid":
        return [None if each is None else str(uuid.UUID(each)) for each in found]
    return found


def _values(values: pa.Array) -> list[Any]:
    if isinstance(values.type, pa.BaseExtensionType):
        values = values.storage
    kind = values.type
    if types.is_struct(kind):
        children = [_of_field(values.field(number), kind.field(number)) for number in range(kind.num_fields)]
        held = zip(*children, strict=True) if children else ([] for _ in values)
        return [list(each) if valid else None for each, valid in zip(held, _valid(values), strict=True)]
    if types.is_map(kind):
        pairs = list(map(list, zip(_values(values.keys), _values(values.items), strict=True)))
        return [None if each is None else sorted(each) for each in _slices(values, pairs)]
    if types.is_list(kind):
        return _slices(values, _values(values.values))
    if types.is_date32(kind):
        return values.cast(pa.int32()).to_pylist()
    if types.is_time(kind) or types.is_timestamp(kind):
        return values.cast(pa.int64()).to_pylist()
    if types.is_decimal(kind):
        return [None if each is None else format(each, "f") for each in values.to_pylist()]
    if types.is_floating(kind):
        return [each if each is None or math.isfinite(each) else _word(each) for each in values.to_pylist()]
    if types.is_binary(kind) or types.is_fixed_size_binary(kind):
        return [None if each is None else each.hex() for each in values.to_pylist()]
    return values.to_pylist()


def _valid(values: pa.Array) -> list[bool]:
    return values.is_valid().to_pylist()


def _slices(values: pa.Array, items: list[Any]) -> list[Any]:
    ends = values.offsets.to_pylist()
    return [
        items[start:end] if valid else None
        for start, end, valid in zip(ends, ends[1:], _valid(values), strict=False)
    ]


def _word(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"

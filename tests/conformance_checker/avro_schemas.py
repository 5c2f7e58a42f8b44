"""Are the fields of manifests and manifest lists those of the specification?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conformance_checker.faults import Faults
from conformance_checker.types import decimal_of, kind_of, length_of

Json = Any


@dataclass(frozen=True)
class Field:
    """A field, and whether versions 1, 2 and 3 require it (`r`), allow it (`o`) or have it not (`-`); `?` is free."""

    number: int
    name: str
    type: Json
    versions: str


def pairs(key: int, kind: str) -> Json:
    """A map of numbers to values, as a list of pairs."""
    fields = [
        {"name": "key", "type": "int", "field-id": key},
        {"name": "value", "type": kind, "field-id": key + 1},
    ]
    return {"type": "array", "logicalType": "map", "items": {"type": "record", "fields": fields}}


def array(number: int, items: Json) -> Json:
    """A list."""
    return {"type": "array", "element-id": number, "items": items}


MANIFEST_LIST = (
    Field(500, "manifest_path", "string", "rrr"),
    Field(501, "manifest_length", "long", "rrr"),
    Field(502, "partition_spec_id", "int", "rrr"),
    Field(517, "content", "int", "-rr"),
    Field(515, "sequence_number", "long", "-rr"),
    Field(516, "min_sequence_number", "long", "-rr"),
    Field(503, "added_snapshot_id", "long", "rrr"),
    Field(504, "added_files_count", "int", "orr"),
    Field(505, "existing_files_count", "int", "orr"),
    Field(506, "deleted_files_count", "int", "orr"),
    Field(512, "added_rows_count", "long", "orr"),
    Field(513, "existing_rows_count", "long", "orr"),
    Field(514, "deleted_rows_count", "long", "orr"),
    Field(507, "partitions", None, "ooo"),
    Field(519, "key_metadata", "bytes", "ooo"),
    Field(520, "first_row_id", "long", "--o"),
)
SUMMARY = (
    Field(509, "contains_null", "boolean", "rrr"),
    Field(518, "contains_nan", "boolean", "ooo"),
    Field(510, "lower_bound", "bytes", "ooo"),
    Field(511, "upper_bound", "bytes", "ooo"),
)
ENTRY = (
    Field(0, "status", "int", "rrr"),
    # Iceberg Java declares it optional in version 1 too; it is never null there.
    Field(1, "snapshot_id", "long", "?oo"),
    Field(3, "sequence_number", "long", "-oo"),
    Field(4, "file_sequence_number", "long", "-oo"),
    Field(2, "data_file", None, "rrr"),
)
DATA_FILE = (
    Field(134, "content", "int", "-rr"),
    Field(100, "file_path", "string", "rrr"),
    Field(101, "file_format", "string", "rrr"),
    Field(102, "partition", None, "rrr"),
    Field(103, "record_count", "long", "rrr"),
    Field(104, "file_size_in_bytes", "long", "rrr"),
    Field(105, "block_size_in_bytes", "long", "r--"),
    Field(108, "column_sizes", pairs(117, "long"), "ooo"),
    Field(109, "value_counts", pairs(119, "long"), "ooo"),
    Field(110, "null_value_counts", pairs(121, "long"), "ooo"),
    Field(137, "nan_value_counts", pairs(138, "long"), "ooo"),
    Field(125, "lower_bounds", pairs(126, "bytes"), "ooo"),
    Field(128, "upper_bounds", pairs(129, "bytes"), "ooo"),
    Field(131, "key_metadata", "bytes", "ooo"),
    Field(132, "split_offsets", array(133, "long"), "ooo"),
    Field(135, "equality_ids", array(136, "int"), "-oo"),
    Field(140, "sort_order_id", "int", "ooo"),
    Field(142, "first_row_id", "long", "--o"),
    Field(143, "referenced_data_file", "string", "-oo"),
    Field(144, "content_offset", "long", "--o"),
    Field(145, "content_size_in_bytes", "long", "--o"),
)


def check_list_schema(schema: Json, version: int, place: str, faults: Faults) -> None:
    """Check the schema of a manifest list."""
    found = _fields(schema, MANIFEST_LIST, version, place, faults)
    if (partitions := found.get(507)) is not None:
        if not isinstance(partitions, dict) or partitions.get("element-id") != 508:
            faults.say("avro-fields", place, f"partitions are {partitions}")
        else:
            _fields(partitions["items"], SUMMARY, version, f"{place}, partitions", faults)


def avro_name(name: str, *, ascii_only: bool) -> str:
    """A name as Avro allows it, spelled as Iceberg Java does: what is not allowed in hexadecimal.

    Java keeps letters of other alphabets, which Avro's specification does not.
    """

    def spelled(place: int, letter: str) -> str:
        is_allowed = letter.isascii() or not ascii_only
        if letter == "_" or (is_allowed and letter.isalpha()):
            return letter
        if is_allowed and letter.isdigit():
            return letter if place else f"_{letter}"
        units = letter.encode("utf-16-be")
        return "".join(f"_x{int.from_bytes(units[at : at + 2], 'big'):X}" for at in range(0, len(units), 2))

    return "".join(spelled(place, letter) for place, letter in enumerate(name))


def check_manifest_schema(
    schema: Json, version: int, partition: list[tuple[int, str, list[Json]]], place: str, faults: Faults
) -> None:
    """Check the schema of a manifest.

    Args:
        schema: The schema.
        version: The format version that it was written in.
        partition: Ids and names of the partition fields, and the types that each may have.
        place: The file.
        faults: What is found.
    """
    entry = _fields(schema, ENTRY, version, place, faults)
    data_file = _fields(entry.get(2, {}), DATA_FILE, version, place, faults)
    record = data_file.get(102, {})
    found = [(each.get("field-id"), each["name"]) for each in record.get("fields", [])]
    strict, loose = (
        [(number, avro_name(name, ascii_only=ascii_only)) for number, name, _ in partition]
        for ascii_only in (True, False)
    )
    faults.equal("partition-struct", place, "ids and names", found, loose if found == loose else strict)
    for each, (_, name, types) in zip(record.get("fields", []), partition, strict=False):
        inner, optional = _inner(each["type"])
        allowed = [avro_type(type_) for type_ in types]
        if not optional or not any(_same(inner, one) for one in allowed):
            faults.say(
                "partition-struct", place, f"{name} is {each['type']}, expected an optional of {allowed}"
            )


def _fields(
    schema: Json, expected: tuple[Field, ...], version: int, place: str, faults: Faults
) -> dict[int, Json]:
    """The types of a record's fields by id, checked."""
    known = {field.number: field for field in expected}
    found: dict[int, Json] = {}
    for each in schema.get("fields", []):
        field = known.get(each.get("field-id"))
        allowed = "-" if field is None else field.versions[version - 1]
        if field is None or allowed == "-" or field.name != each["name"] or field.number in found:
            faults.say("avro-fields", place, f"version {version} has no field {each}")
            continue
        inner, optional = _inner(each["type"])
        found[field.number] = inner
        if allowed != "?" and optional != (allowed == "o"):
            faults.say("avro-fields", place, f"{field.name} is {each['type']} in version {version}")
        if optional and each.get("default", 0) is not None:
            faults.say("avro-defaults", place, f"{field.name} is optional and its default is not null")
        if field.type is not None and not _same(inner, field.type):
            faults.say("avro-fields", place, f"{field.name} is {inner}, expected {field.type}")
    for field in expected:
        if field.versions[version - 1] in "r?" and field.number not in found:
            faults.say("avro-fields", place, f"{field.name} is not there")
    return found


def _inner(type_: Json) -> tuple[Json, bool]:
    """A type without the union with null, and whether there was one."""
    if isinstance(type_, list):
        others = [each for each in type_ if each != "null"]
        return (others[0] if len(others) == 1 and len(type_) == 2 else type_), True
    return type_, False


def _same(found: Json, expected: Json) -> bool:
    """Is a type the expected one, in all that this says? Names of records and their docs are free."""
    if isinstance(found, dict) and not isinstance(expected, dict):
        found = found["type"] if set(found) == {"type"} else found
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            _same(found.get(key, False if key == "adjust-to-utc" else None), value)
            for key, value in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(_same, found, expected))
    return bool(found == expected)


def avro_type(type_: Json) -> Json:
    """The Avro type of a primitive type of a table."""
    kind = kind_of(type_)
    if (decimal := decimal_of(type_)) is not None:
        precision, scale = decimal
        size = minimal_size(precision)
        return {
            "type": "fixed",
            "size": size,
            "logicalType": "decimal",
            "precision": precision,
            "scale": scale,
        }
    if kind == "fixed":
        return {"type": "fixed", "size": length_of(type_)}
    if kind.startswith("timestamp"):
        logical = "timestamp-nanos" if kind.endswith("_ns") else "timestamp-micros"
        return {"type": "long", "logicalType": logical, "adjust-to-utc": kind.startswith("timestamptz")}
    return {
        "date": {"type": "int", "logicalType": "date"},
        "time": {"type": "long", "logicalType": "time-micros"},
        "uuid": {"type": "fixed", "size": 16, "logicalType": "uuid"},
        "binary": "bytes",
        "unknown": "null",
    }.get(kind, kind)


def minimal_size(precision: int) -> int:
    """The bytes that hold every decimal of a precision."""
    return ((10**precision - 1).bit_length() + 8) // 8

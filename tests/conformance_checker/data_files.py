"""Data files that Floeberg wrote, and what their entries say of them. Spec: Data File Fields."""

from __future__ import annotations

import struct
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import orc

from conformance_checker.faults import Faults
from conformance_checker.leaves import Leaf, leaves
from conformance_checker.parquet_shapes import check_physical, check_shape, is_mapped, schema_of_file
from conformance_checker.partition_types import source_of
from conformance_checker.single_values import from_avro, from_bytes, is_below, is_nan
from conformance_checker.sorting import check_order
from conformance_checker.states import Entry, State, Storage
from conformance_checker.transforms import apply
from conformance_checker.types import columns, kind_of, transformed

Json = dict[str, Any]
GEO = ("geometry", "geography")
COUNTS = {
    "value_counts": "value-counts",
    "null_value_counts": "null-counts",
    "nan_value_counts": "nan-counts",
}


def check_data_file(entry: Entry, state: State, metadata: Json, storage: Storage, faults: Faults) -> None:
    """Check a data file that a snapshot added."""
    place = entry.file["file_path"]
    try:
        content = storage.open(place)
    except OSError as error:
        faults.say("data-files-are-there", place, f"{type(error).__name__}: {error}")
        return
    faults.equal("file-size", place, "file_size_in_bytes", entry.file["file_size_in_bytes"], len(content))
    if entry.file["file_format"].lower() == "orc":
        _check_orc(entry, content, place, faults)
    if entry.file["file_format"].lower() != "parquet":
        return
    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        table = file.read()
    except (OSError, pa.ArrowException) as error:
        faults.say("data-files-are-there", place, f"{type(error).__name__}: {error}")
        return
    faults.equal("record-count", place, "record_count", entry.file["record_count"], table.num_rows)
    latest = state.snapshot.get("schema-id")
    schema = schema_of_file(file, metadata, latest)
    if schema is None and is_mapped(file, metadata):
        # What other programs wrote is as they write it.
        _check_groups(entry, file, place, faults)
        return
    if schema is None:
        check_shape(file, metadata, latest, place, faults)
        return
    check_physical(file, place, faults)
    _check_groups(entry, file, place, faults)
    found = {leaf.number: leaf for leaf in leaves(table, schema["fields"])}
    _check_required(found, metadata, latest, place, faults)
    _check_counts(entry, found, place, faults)
    _check_bounds(entry, found, place, faults)
    _check_partition(entry, found, metadata, place, faults)
    order = entry.file.get("sort_order_id")
    for each in metadata.get("sort-orders", []):
        if order and each["order-id"] == order:
            check_order(each, found, table.num_rows, place, faults)


def _check_groups(entry: Entry, file: pq.ParquetFile, place: str, faults: Faults) -> None:
    """Row groups and the bytes of columns."""
    groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
    if (offsets := entry.file.get("split_offsets")) is not None:
        starts = [
            column.dictionary_page_offset or column.data_page_offset
            for column in (group.column(0) for group in groups if group.num_columns)
        ]
        if offsets != starts:
            faults.say("split-offsets", place, f"found {offsets}, row groups start at {starts}")
    sizes = pairs_of(entry.file.get("column_sizes"))
    if sum(sizes.values()) > entry.file["file_size_in_bytes"] or any(size < 0 for size in sizes.values()):
        faults.say("column-sizes", place, f"found {sizes} of {entry.file['file_size_in_bytes']} bytes")
    flat = {number_in(field): place_in for place_in, field in enumerate(file.schema_arrow)}
    if len(file.schema) != len(flat):
        return
    for number, at in flat.items():
        size = sum(group.column(at).total_compressed_size for group in groups)
        if number in sizes and sizes[number] != size:
            faults.say("column-sizes", place, f"column {number}: found {sizes[number]}, stored {size}")


def number_in(field: pa.Field) -> int:
    """The id of a field of a file that has ids."""
    return int((field.metadata or {}).get(b"PARQUET:field_id", b"-1"))


def pairs_of(written: list[Json] | None) -> dict[int, Any]:
    """A map as a manifest writes it."""
    return {each["key"]: each["value"] for each in written or []}


def _check_required(
    found: dict[int, Leaf], metadata: Json, latest: int | None, place: str, faults: Faults
) -> None:
    """Columns that were required when the file came hold no null."""
    for schema in metadata.get("schemas", []):
        if schema["schema-id"] != latest:
            continue
        declared = {column.number: column for column in columns(schema["fields"])}
        for number, leaf in found.items():
            column = declared.get(number)
            above = column is not None and all(declared[each].required for each in column.above)
            if column is not None and column.required and above and leaf.values.null_count:
                faults.say("no-nulls-where-required", place, f"column {number} has {leaf.values.null_count}")


def _check_counts(entry: Entry, found: dict[int, Leaf], place: str, faults: Faults) -> None:
    for name, rule in COUNTS.items():
        for number, count in pairs_of(entry.file.get(name)).items():
            if (leaf := found.get(number)) is None or leaf.repeated:
                continue
            values = leaf.values
            actual = {"value_counts": len(values), "null_value_counts": values.null_count}.get(name)
            if name == "nan_value_counts":
                if not pa.types.is_floating(values.type):
                    faults.say("nan-counts", place, f"column {number} is of type {leaf.type}")
                    continue
                actual = pc.sum(pc.is_nan(values)).as_py() or 0
            faults.equal(rule, place, f"column {number}", count, actual)


def _check_bounds(entry: Entry, found: dict[int, Leaf], place: str, faults: Faults) -> None:
    for name, above in (("lower_bounds", False), ("upper_bounds", True)):
        for number, data in pairs_of(entry.file.get(name)).items():
            if (leaf := found.get(number)) is None:
                continue
            if kind_of(leaf.type) in GEO:
                _check_point(data, name, number, place, faults)
                continue
            try:
                bound = from_bytes(leaf.type, data)
            except ValueError as error:
                faults.say("bounds-are-values", place, f"{name} of column {number}: {error}")
                continue
            if is_nan(bound):
                faults.say("bounds-are-values", place, f"{name} of column {number} is NaN")
                continue
            extremes = leaf.extremes()
            if extremes is None:
                faults.say("bounds-contain", place, f"{name} of column {number}, which has no values")
            elif is_below(bound, extremes[1]) if above else is_below(extremes[0], bound):
                faults.say(
                    "bounds-contain", place, f"{name} of column {number}: {bound!r}, the values {extremes!r}"
                )


def _check_point(data: bytes, name: str, number: int, place: str, faults: Faults) -> None:
    """A bound of geometries: two to four coordinates, the first two of them numbers."""
    whole = len(data) in (16, 24, 32)
    if not whole or any(is_nan(each) for each in struct.unpack(f"<{len(data) // 8}d", data)[:2]):
        faults.say("bounds-are-values", place, f"{name} of column {number}: {data.hex()} is no point")


def _check_partition(
    entry: Entry, found: dict[int, Leaf], metadata: Json, place: str, faults: Faults
) -> None:
    """The partition values are those of every row."""
    specs = {each["spec-id"]: each for each in metadata["partition-specs"]}
    for field in specs.get(entry.spec_id, {"fields": []})["fields"]:
        value = entry.partition.get(field["field-id"])
        if field["transform"] == "void":
            if value is not None:
                faults.say("partition-values", place, f"{field['name']} is {value!r}, and void")
            continue
        leaf = found.get(source_of(field) or -1)
        type_ = None if leaf is None else transformed(field["transform"], leaf.type)
        if leaf is None or type_ is None:
            continue
        stored = from_avro(type_, value)
        actual = {repr(apply(field["transform"], leaf.type, each)) for each in leaf.distinct()}
        if actual and actual != {repr(stored)}:
            faults.say(
                "partition-values", place, f"{field['name']} is {stored!r}, of rows {sorted(actual)[:4]}"
            )


def _check_orc(entry: Entry, content: bytes, place: str, faults: Faults) -> None:
    """Check how many rows and stripes a file of ORC has."""
    try:
        file = orc.ORCFile(pa.BufferReader(content))
    except (OSError, pa.ArrowException) as error:
        faults.say("data-files-are-there", place, f"{type(error).__name__}: {error}")
        return
    faults.equal("record-count", place, "record_count", entry.file["record_count"], file.nrows)
    offsets = entry.file["split_offsets"]
    if offsets is not None:
        faults.equal("split-offsets", place, "split_offsets", len(offsets), file.nstripes)

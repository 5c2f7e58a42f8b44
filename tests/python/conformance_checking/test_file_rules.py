"""Violations that are planted in data files, and in what is said of them, are found, each by its own rule."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from conformance_checker import Checked, shared_files
from conformance_checker.faults import RULES
from conformance_checking import test_delete_rules, test_manifest_rules, test_metadata_rules
from conformance_checking.planting import Planted
from conformance_checking.sound import ID, NAME, F

Json = dict[str, Any]
Change = Callable[[Planted], object]


def in_first(change: Callable[[Json], object]) -> Change:
    """A change of what the manifest of the first append says of its files."""

    def changed(table: Planted) -> None:
        at = table.manifests(0)[0]
        table.change_path(at, lambda file: [change(entry["data_file"]) for entry in file["rows"]])

    return changed


def told(name: str, number: int, value: object) -> Change:
    """What is told of a column."""

    def change(file: Json) -> None:
        for pair in file[name]:
            if pair["key"] == number:
                pair["value"] = value

    return in_first(change)


def also_told(name: str, number: int, value: object) -> Change:
    """Something is told of a column of which nothing was."""
    return in_first(lambda file: file[name].append({"key": number, "value": value}))


def in_metadata(name: str, change: Callable[[Any], object]) -> Change:
    """A change of a part of the metadata."""
    return lambda table: table.change_metadata(lambda metadata: change(metadata[name]))


def without_sizes(rows: pa.Table) -> pa.Table:
    """Partition statistics that say that files have no bytes."""
    at = rows.schema.get_field_index("total_data_file_size_in_bytes")
    return rows.set_column(at, rows.schema.field(at), pa.array([0] * rows.num_rows))


def written_again(change: Callable[[pa.Table], pa.Table]) -> Change:
    """The files of the first append are written again, by another writer."""
    return lambda table: table.change_parquet(change)


def with_field(name: str, change: Callable[[pa.Field], pa.Field]) -> Callable[[pa.Table], pa.Table]:
    """A table with another declaration of a column."""

    def changed(table: pa.Table) -> pa.Table:
        at = table.schema.get_field_index(name)
        field = change(table.schema.field(at))
        return table.set_column(at, field, table.column(at).cast(field.type))

    return changed


def removed(table: Planted) -> None:
    """A data file is gone."""
    for path in table.data_files():
        path.unlink()


def damaged(table: Planted) -> None:
    """A data file is cut."""
    for path in table.data_files():
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])


def named_otherwise(table: pa.Table) -> pa.Table:
    """Partition values of other rows."""
    at = table.schema.get_field_index("part")
    return table.set_column(at, table.schema.field(at), pa.array(["zz"] * table.num_rows))


def reversed_rows(table: pa.Table) -> pa.Table:
    """Rows in the opposite order."""
    return table.take(list(reversed(range(table.num_rows))))


def with_nulls(table: pa.Table) -> pa.Table:
    """A column as it was before it became required, and nulls in it."""
    at = table.schema.get_field_index("name")
    return table.set_column(at, table.schema.field(at), pa.nulls(table.num_rows, pa.string()))


def required_name(table: Planted) -> None:
    """The name became required in all that the metadata says."""

    def change(metadata: Json) -> None:
        older = metadata["schemas"][0]
        newer = {"type": "struct", "schema-id": 9, "fields": [dict(each) for each in older["fields"]]}
        newer["fields"][1]["required"] = True
        metadata["schemas"].append(newer)
        metadata["snapshots"][0]["schema-id"] = 9

    table.change_parquet(with_nulls)
    table.change_metadata(change)


NAN = struct.pack("<d", float("nan"))
PLANTS: dict[str, list[tuple[int, Change]]] = {
    "data-files-are-there": [(2, removed), (2, damaged)],
    "file-size": [(2, in_first(lambda file: file.update(file_size_in_bytes=7777)))],
    "record-count": [(2, in_first(lambda file: file.update(record_count=17)))],
    "split-offsets": [(2, in_first(lambda file: file.update(split_offsets=[5])))],
    "column-sizes": [(2, told("column_sizes", ID, 1 << 40)), (2, told("column_sizes", ID, -1))],
    "value-counts": [(2, told("value_counts", ID, 17))],
    "null-counts": [(2, told("null_value_counts", NAME, 17))],
    "nan-counts": [(2, told("nan_value_counts", F, 17)), (2, also_told("nan_value_counts", ID, 0))],
    "bounds-are-values": [
        (2, told("lower_bounds", ID, b"\x01")),
        (2, told("lower_bounds", F, NAN)),
        (2, told("upper_bounds", NAME, b"\xff")),
        (2, also_told("upper_bounds", 6, b"\x00\x01")),
    ],
    "bounds-contain": [
        (2, told("lower_bounds", ID, struct.pack("<q", 100))),
        (2, told("upper_bounds", NAME, b"name")),
        (2, told("upper_bounds", F, struct.pack("<d", -1))),
        (2, also_told("upper_bounds", 6, b"\x00")),
    ],
    "partition-values": [(2, written_again(named_otherwise))],
    "rows-are-sorted": [(2, written_again(reversed_rows))],
    "no-nulls-where-required": [(2, required_name)],
    "parquet-field-ids": [
        (2, written_again(lambda table: table.drop_columns(["name"]))),
        (3, written_again(with_field("name", lambda field: field.remove_metadata()))),
        (2, written_again(with_field("tags", lambda _: pa.field("tags", pa.list_(pa.int32()))))),
    ],
    "parquet-types": [
        (2, written_again(with_field("id", lambda field: field.with_nullable(True)))),
        (2, written_again(with_field("id", lambda field: field.with_type(pa.int32())))),
        (3, written_again(with_field("price", lambda field: field.with_type(pa.decimal128(10, 2))))),
    ],
    "statistics-of-snapshots": [
        (2, in_metadata("statistics", lambda files: files[0].update({"snapshot-id": 7}))),
        (3, in_metadata("partition-statistics", lambda files: files.append(files[0]))),
    ],
    "statistics-files": [
        (1, in_metadata("statistics", lambda files: files[0].update({"file-size-in-bytes": 7}))),
        (2, in_metadata("statistics", lambda files: files[0].update({"file-footer-size-in-bytes": 7}))),
        (2, in_metadata("statistics", lambda files: files[0]["blob-metadata"][0].update({"fields": [9]}))),
        (3, in_metadata("partition-statistics", lambda files: files[0].update({"file-size-in-bytes": 7}))),
    ],
    "partition-statistics-columns": [
        (2, lambda table: table.change_counts(with_field("data_file_count", pa.Field.remove_metadata))),
    ],
    "partition-statistics-order": [
        (2, lambda table: table.change_counts(lambda rows: rows.take([*range(rows.num_rows)][::-1]))),
    ],
    "partition-statistics-counts": [
        (1, lambda table: table.change_counts(lambda rows: rows.slice(1))),
        (3, lambda table: table.change_counts(without_sizes)),
    ],
    "parquet-storage": [(2, lambda table: table.change_parquet(lambda rows: rows, as_integers=False))],
}
CASES = [
    pytest.param(rule, version, change, id=f"{rule}-{number}")
    for rule, plants in PLANTS.items()
    for number, (version, change) in enumerate(plants)
]


@pytest.mark.parametrize(("rule", "version", "change"), CASES)
def test_a_violation_in_files_is_found(sound, rule, version, change):
    with sound(version) as table:
        change(table)
        assert rule in table.rules()


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_table_without_a_violation_has_none(sound, version):
    with sound(version) as table:
        assert table.checked().faults == []
        assert table.checked().files


def test_files_of_two_tables_are_found():
    one, other = Checked("one", "1", files={"a", "b"}), Checked("other", "2", files={"b"})
    assert [fault.rule for fault in shared_files([one, other])] == ["files-of-two-tables"]
    assert shared_files([one, Checked("copy", "1", files={"b"})]) == []


def test_every_rule_is_broken_by_a_test():
    others = (test_delete_rules, test_manifest_rules, test_metadata_rules)
    planted = {*PLANTS, *(rule for each in others for rule in each.PLANTS), "files-of-two-tables"}
    assert planted == RULES

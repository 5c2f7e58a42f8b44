"""Violations that are planted in manifest lists and manifests are found, each by its own rule."""

from __future__ import annotations

import copy
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance_checking.planting import Planted, path_of

Json = dict[str, Any]
Change = Callable[[Planted], object]

FILTERED, APPENDED = "the manifest of the delete", "the manifest of the last append"
EXISTING, ADDED, DELETED = 0, 1, 2


def in_list(change: Callable[[Json], object]) -> Change:
    """A change of every row of the newest list."""
    return lambda table: table.change_list(lambda file: [change(row) for row in file["rows"]])


def in_header(change: Callable[[Json], object]) -> Change:
    """A change of the header of the newest list."""
    return lambda table: table.change_list(lambda file: change(file["header"]))


def in_list_schema(change: Callable[[Json], object]) -> Change:
    """A change of the fields of the newest list."""
    return lambda table: table.change_list(lambda file: change(file["schema"]["fields"]))


def in_summary(**values: object) -> Change:
    """What the newest list says of the first partition field."""
    return in_list(lambda row: row["partitions"][0].update(values))


def in_manifest(change: Callable[[Json], object]) -> Change:
    """A change of all manifests of the newest list."""

    def changed(table: Planted) -> None:
        for at in range(len(table.manifests())):
            table.change_manifest(change, at)

    return changed


def in_entries(change: Callable[[Json], object], *statuses: int) -> Change:
    """A change of the entries of some statuses; all unless given."""
    wanted = statuses or (EXISTING, ADDED, DELETED)
    return in_manifest(lambda file: [change(each) for each in file["rows"] if each["status"] in wanted])


def in_files(change: Callable[[Json], object], *statuses: int) -> Change:
    """A change of the files of such entries."""
    return in_entries(lambda entry: change(entry["data_file"]), *statuses)


def setting(**values: object) -> Callable[[Json], object]:
    """Sets keys."""
    return lambda target: target.update(values)


def fields_of_files(file: Json) -> list[Json]:
    """The fields of a manifest's data files."""
    return next(each for each in file["schema"]["fields"] if each["name"] == "data_file")["type"]["fields"]


def in_file_fields(name: str, change: Callable[[Json], object]) -> Change:
    """A change of one of these fields."""
    return in_manifest(lambda file: [change(each) for each in fields_of_files(file) if each["name"] == name])


def without(fields: list[Json], name: str) -> None:
    """A required field is gone."""
    fields[:] = [each for each in fields if each["name"] != name]


def repeated_path(table: Planted) -> None:
    """All files of a manifest stand in it twice."""
    table.change_manifest(lambda file: file["rows"].extend(copy.deepcopy(file["rows"])))


def repeated_manifest(table: Planted) -> None:
    """A manifest is listed twice."""
    table.change_list(lambda file: file["rows"].append(copy.deepcopy(file["rows"][0])))


def lost_manifest(table: Planted) -> None:
    """A manifest with live files is listed no more."""
    table.change_list(lambda file: file["rows"].pop())


def unreadable(table: Planted) -> None:
    """A manifest is cut."""
    path = table.manifests()[0]
    path.write_bytes(path.read_bytes()[:-20])


def renamed_manifest(table: Planted) -> None:
    """A manifest of an earlier snapshot that its list did not have."""

    def renamed(file: Json) -> None:
        for row in file["rows"]:
            if row["added_snapshot_id"] != newest(table)["snapshot-id"]:
                path = path_of(row["manifest_path"])
                row["manifest_path"] = str(path.with_name("other.avro"))
                Path(row["manifest_path"]).write_bytes(path.read_bytes())

    table.change_list(renamed)


def newest(table: Planted) -> Json:
    """The current snapshot."""
    metadata = table.metadata
    return next(
        each for each in metadata["snapshots"] if each["snapshot-id"] == metadata["current-snapshot-id"]
    )


def header(key: str, value: str | None) -> Change:
    """A key of the headers of manifests."""

    def change(file: Json) -> None:
        if value is None:
            del file["header"][key]
        else:
            file["header"][key] = value

    return in_manifest(change)


def with_moved_row_ids(table: Planted) -> None:
    """Rows of a manifest that is kept get other ids."""
    table.change_list(
        lambda file: [
            row.update(first_row_id=row["first_row_id"] + 1000)
            for row in file["rows"]
            if row["added_snapshot_id"] != newest(table)["snapshot-id"]
        ]
    )


def with_shared_row_ids(table: Planted) -> None:
    """Rows of the last append have the ids of the first."""
    for number in (-2, -1):
        table.change_list(
            lambda file: [row.update(first_row_id=0) for row in file["rows"] if row["added_rows_count"]],
            number,
        )


NAN = struct.pack("<d", float("nan"))

PLANTS: dict[str, list[tuple[int, Change]]] = {
    "list-header": [
        (3, in_header(setting(**{"snapshot-id": "1"}))),
        (2, in_header(setting(**{"parent-snapshot-id": "1"}))),
        (2, in_header(setting(**{"sequence-number": "1"}))),
        (3, in_header(setting(**{"first-row-id": "1"}))),
        (3, in_header(setting(**{"format-version": "7"}))),
        (2, in_header(setting(**{"format-version": "3"}))),
    ],
    "avro-fields": [
        (2, in_list_schema(lambda fields: fields[0].update({"field-id": 999}))),
        (3, in_list_schema(lambda fields: fields[1].update({"type": "int"}))),
        (3, lambda table: table.change_list(lambda file: without(file["schema"]["fields"], "content"))),
        (2, in_file_fields("record_count", lambda field: field.update({"field-id": 105}))),
        (2, in_file_fields("record_count", lambda field: field.update({"type": ["null", "long"]}))),
        (3, in_file_fields("sort_order_id", lambda field: field.update({"type": ["null", "long"]}))),
        (3, in_file_fields("value_counts", lambda field: field["type"][1].pop("logicalType"))),
        (1, in_manifest(lambda file: without(fields_of_files(file), "block_size_in_bytes"))),
    ],
    "avro-defaults": [(3, in_file_fields("sort_order_id", lambda field: field.pop("default")))],
    "partition-struct": [
        (2, in_file_fields("partition", lambda field: field["type"]["fields"][0].update({"field-id": 7}))),
        (
            2,
            in_file_fields(
                "partition", lambda field: field["type"]["fields"][1].update({"type": ["null", "float"]})
            ),
        ),
        (2, in_file_fields("partition", lambda field: field["type"]["fields"].reverse())),
    ],
    "a-manifest-is-listed-once": [(2, repeated_manifest)],
    "new-manifests": [(2, renamed_manifest)],
    "manifest-length": [(1, in_list(setting(manifest_length=1))), (3, in_list(setting(manifest_length=1)))],
    "manifest-spec": [(2, in_list(setting(partition_spec_id=99)))],
    "file-counts": [
        (3, in_list(setting(**{f"{word}_files_count": 9}))) for word in ("added", "existing", "deleted")
    ],
    "row-counts": [
        (2, in_list(setting(**{f"{word}_rows_count": 9}))) for word in ("added", "existing", "deleted")
    ],
    "manifest-sequence": [
        (3, in_list(setting(sequence_number=99))),
        (2, in_list(setting(sequence_number=1))),
    ],
    "min-sequence": [(2, in_list(setting(min_sequence_number=0)))],
    "kept-manifests": [(2, in_list(setting(added_rows_count=77)))],
    "kept-first-row-id": [(3, with_moved_row_ids)],
    "summaries": [(2, in_list(lambda row: row["partitions"].pop()))],
    "summary-nulls": [
        (
            2,
            in_list(
                lambda row: row["partitions"][0].update(
                    contains_null=not row["partitions"][0]["contains_null"]
                )
            ),
        )
    ],
    "summary-nans": [
        (
            2,
            in_list(
                lambda row: row["partitions"][1].update(contains_nan=not row["partitions"][1]["contains_nan"])
            ),
        )
    ],
    "summary-bounds": [
        (2, in_summary(lower_bound=b"b")),
        (2, in_summary(upper_bound=b"A")),
        (2, in_summary(upper_bound=None)),
        (3, in_list(lambda row: row["partitions"][1].update(lower_bound=NAN))),
        (3, in_list(lambda row: row["partitions"][1].update(lower_bound=b"x"))),
    ],
    "manifest-row-ids": [(3, in_list(setting(first_row_id=None))), (3, in_list(setting(first_row_id=0)))],
    "files-can-be-read": [(2, unreadable)],
    "a-path-is-live-once": [(2, repeated_path), (2, repeated_manifest)],
    "files-come-and-go": [(2, lost_manifest), (2, in_entries(setting(status=ADDED), EXISTING, DELETED))],
    "manifest-header": [
        (2, header("schema", None)),
        (2, header("schema", json.dumps({"type": "struct", "schema-id": 0, "fields": []}))),
        (2, header("schema-id", None)),
        (3, header("schema-id", "99")),
        (2, header("partition-spec", "[]")),
        (1, header("partition-spec", None)),
        (2, header("partition-spec-id", "99")),
        (2, header("format-version", "1")),
        (2, header("content", "deletes")),
        (3, header("content", None)),
    ],
    "status": [(2, in_entries(setting(status=4)))],
    "content": [(2, in_files(setting(content=2)))],
    "file-format": [(2, in_files(setting(file_format="csv"))), (2, in_files(setting(record_count=-1)))],
    "split-offsets": [(2, in_files(setting(split_offsets=[9, 4])))],
    "sort-order-id": [(2, in_files(setting(sort_order_id=99)))],
    "data-files-delete-nothing": [(2, in_files(setting(equality_ids=[1])))],
    "deletes-have-no-row-ids": [
        (3, in_list(setting(content=1))),
        (3, in_files(setting(content=1, first_row_id=1))),
    ],
    "entry-snapshot": [
        (2, in_entries(setting(snapshot_id=1), ADDED, DELETED)),
        (1, in_entries(setting(snapshot_id=None))),
    ],
    "added-inherit": [
        (2, lambda table: first_append(table, setting(file_sequence_number=1))),
        (2, lambda table: first_append(table, setting(sequence_number=99))),
        (3, lambda table: first_append(table, lambda entry: entry["data_file"].update(first_row_id=0))),
    ],
    "others-are-explicit": [
        (2, in_entries(setting(sequence_number=None), EXISTING)),
        (2, in_entries(setting(file_sequence_number=None), DELETED)),
    ],
    "carried-entries": [
        (2, in_entries(setting(sequence_number=1), EXISTING)),
        (2, in_entries(setting(file_sequence_number=1), DELETED)),
        (2, in_entries(setting(snapshot_id=1), EXISTING)),
        (2, in_files(setting(record_count=17), EXISTING)),
    ],
    "row-ids-are-carried": [
        (3, in_files(setting(first_row_id=None), EXISTING)),
        (3, in_files(setting(first_row_id=None), DELETED)),
    ],
    "row-ids-stay": [(3, in_files(setting(first_row_id=5), EXISTING)), (3, with_moved_row_ids)],
    "row-ids-are-unique": [(3, with_shared_row_ids)],
}
CASES = [
    pytest.param(rule, version, change, id=f"{rule}-{number}")
    for rule, plants in PLANTS.items()
    for number, (version, change) in enumerate(plants)
]


def first_append(table: Planted, change: Callable[[Json], object]) -> None:
    """A change of the entries of the first append, in its own snapshot."""
    at = table.manifests(0)[0]

    def changed(file: Json) -> None:
        for entry in file["rows"]:
            change(entry)

    table.change_path(at, changed)


@pytest.mark.parametrize(("rule", "version", "change"), CASES)
def test_a_violation_in_manifests_is_found(sound, rule, version, change):
    with sound(version) as table:
        change(table)
        assert rule in table.rules()

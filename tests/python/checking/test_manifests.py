"""Violations that are planted in manifest lists and manifests are found, each by its own rule and no other."""

from __future__ import annotations

import copy
import json
import struct
from typing import Any

import pytest

from checking.found import hold, plant
from conformance_checking.planting import Planted
from conformance_checking.sound import ID, F
from conformance_checking.test_file_rules import also_told, told
from conformance_checking.test_manifest_rules import (
    ADDED,
    DELETED,
    EXISTING,
    NAN,
    first_append,
    header,
    in_entries,
    in_files,
    in_header,
    in_list,
    in_list_schema,
    in_manifest,
    in_summary,
    repeated_manifest,
    repeated_path,
    setting,
    unreadable,
    with_shared_row_ids,
    without,
)

Json = dict[str, Any]


def gone(table: Planted) -> None:
    """A manifest list is not there."""
    table.lists()[-1].unlink()


def twice_in_metrics(table: Planted) -> None:
    """A count of a column stands in a map twice."""
    first_append(
        table,
        lambda entry: entry["data_file"]["value_counts"].append(
            copy.deepcopy(entry["data_file"]["value_counts"][0])
        ),
    )


def without_field(file: Json) -> None:
    """Entries have no size."""
    fields = next(each for each in file["schema"]["fields"] if each["name"] == "data_file")["type"]["fields"]
    without(fields, "file_size_in_bytes")


def in_summary_of_snapshot(name: str) -> Any:
    """A count of the newest snapshot."""

    def change(table: Planted) -> None:
        def counted(metadata: Json) -> None:
            for each in metadata["snapshots"]:
                if each["snapshot-id"] == metadata["current-snapshot-id"]:
                    each["summary"][name] = "17"

        table.change_metadata(counted)

    return change


COUNTS = ("manifest-file-counts", "manifest-row-counts")
MANIFESTS = [
    plant("manifest-list-readable", ".avro", 2, gone),
    plant("manifest-list-header", "snapshot-id", 3, in_header(setting(**{"snapshot-id": "1"}))),
    plant("manifest-list-header", "parent-snapshot-id", 2, in_header(setting(**{"parent-snapshot-id": "1"}))),
    plant("manifest-list-header", "sequence-number", 2, in_header(setting(**{"sequence-number": "1"}))),
    plant("manifest-list-header", "format-version", 3, in_header(setting(**{"format-version": "7"}))),
    plant(
        "manifest-list-fields",
        "field 500",
        2,
        in_list_schema(lambda fields: fields[0].update({"field-id": 999})),
    ),
    plant(
        "manifest-list-fields",
        "field 517",
        3,
        lambda table: table.change_list(lambda file: without(file["schema"]["fields"], "content")),
    ),
    plant("manifest-once", "row 2", 2, repeated_manifest, "summary-totals"),
    plant("manifest-readable", ".avro", 2, unreadable, "manifest-length"),
    plant("manifest-length", ".avro", 3, in_list(setting(manifest_length=1))),
    plant("manifest-partition-spec", "row 0", 2, in_list(setting(partition_spec_id=99))),
    plant(
        "manifest-sequence",
        "row 0",
        3,
        in_list(setting(sequence_number=99)),
        "delete-sequence",
        "manifest-min-sequence",
    ),
    plant(
        "manifest-sequence",
        "row 0",
        2,
        in_list(setting(sequence_number=1)),
        "manifest-min-sequence",
        "entry-sequence",
        "entry-file-sequence",
    ),
    plant("manifest-min-sequence", "min_sequence_number", 2, in_list(setting(min_sequence_number=0))),
    *(
        plant(
            "manifest-file-counts", f"{word}_files_count", 3, in_list(setting(**{f"{word}_files_count": 9}))
        )
        for word in ("added", "existing", "deleted")
    ),
    *(
        plant("manifest-row-counts", f"{word}_rows_count", 2, in_list(setting(**{f"{word}_rows_count": 9})))
        for word in ("added", "existing", "deleted")
    ),
    plant("partition-summary-fields", "partitions", 2, in_list(lambda row: row["partitions"].pop())),
    plant("partition-summary-nulls", "part", 2, in_summary(contains_null=False)),
    plant(
        "partition-summary-nans",
        "f",
        2,
        lambda table: table.change_list(
            lambda file: [row["partitions"][1].update(contains_nan=False) for row in file["rows"]], 0
        ),
    ),
    plant("partition-summary-bounds", "part", 2, in_summary(lower_bound=b"b")),
    plant("partition-summary-bounds", "part", 2, in_summary(upper_bound=b"A")),
    plant("partition-summary-bounds", "part", 2, in_summary(upper_bound=None)),
    plant(
        "partition-summary-bounds", "f", 3, in_list(lambda row: row["partitions"][1].update(lower_bound=NAN))
    ),
    plant(
        "partition-summary-bounds", "f", 3, in_list(lambda row: row["partitions"][1].update(lower_bound=b"x"))
    ),
    plant("manifest-row-ids", "row 0", 3, in_list(setting(first_row_id=None))),
    plant("manifest-header", "schema", 2, header("schema", None)),
    plant("manifest-header", "schema", 2, header("schema", json.dumps({"type": "struct", "schema-id": 0}))),
    plant("manifest-header", "partition-spec", 2, header("partition-spec", "[]")),
    plant("manifest-header", "partition-spec", 1, header("partition-spec", None)),
    plant("manifest-header", "partition-spec-id", 2, header("partition-spec-id", "99")),
    plant("manifest-header", "format-version", 2, header("format-version", "3")),
    plant("manifest-content", "content", 2, header("content", "deletes")),
    plant("manifest-fields", "field 104", 2, in_manifest(without_field)),
    plant("entry-status", "entry 0", 2, in_entries(setting(status=4))),
    plant(
        "entry-content",
        "entry 0",
        2,
        in_files(setting(content=2, equality_ids=[ID])),
        "summary-totals",
        "summary-changes",
    ),
    plant(
        "file-path",
        "entry 0",
        2,
        lambda table: first_append(table, lambda entry: entry["data_file"].update(file_path="")),
        "file-live-once",
        "file-there",
        "file-readable",
    ),
    plant("file-format", "entry 0", 2, in_files(setting(file_format="csv"))),
    plant(
        "file-numbers",
        "entry 0",
        2,
        in_files(setting(record_count=-1)),
        "manifest-row-counts",
        "metrics-counts",
        "summary-totals",
        "summary-changes",
        "record-count",
    ),
    plant("split-offsets", "entry 0", 2, in_files(setting(split_offsets=[9, 4])), "split-offsets-row-groups"),
    plant("file-sort-order", "entry 0", 2, in_files(setting(sort_order_id=99))),
    plant("equality-ids", "entry 0", 2, in_files(setting(equality_ids=[1]))),
    plant("vector-fields", "entry 0", 3, in_files(setting(content_offset=4))),
    plant("data-file-fields", "entry 0", 3, in_files(setting(referenced_data_file="a"))),
    plant(
        "deletes-have-no-row-ids",
        "row 0",
        3,
        in_list(setting(content=1)),
        "manifest-content",
        "entry-content",
        "row-ids-overlap",
    ),
    plant(
        "entry-snapshot", "entry 0", 2, in_entries(setting(snapshot_id=1), ADDED, DELETED), "summary-changes"
    ),
    plant("entry-snapshot", "entry 0", 1, in_entries(setting(snapshot_id=None)), "summary-changes"),
    plant(
        "entry-sequence",
        "entry 0",
        2,
        lambda table: first_append(table, setting(sequence_number=99)),
        "manifest-min-sequence",
    ),
    plant(
        "entry-sequence",
        "entry ",
        2,
        in_entries(setting(sequence_number=None), EXISTING),
        "manifest-min-sequence",
    ),
    plant("entry-file-sequence", "entry ", 2, in_entries(setting(file_sequence_number=None), DELETED)),
    plant(
        "entry-file-sequence",
        "entry 0",
        2,
        lambda table: first_append(table, setting(file_sequence_number=99)),
    ),
    plant("file-live-once", "entry ", 2, repeated_path, *COUNTS, "summary-totals", "summary-changes"),
    plant("summary-totals", "total-records", 3, in_summary_of_snapshot("total-records"), "history-unchanged"),
    plant(
        "summary-changes",
        "deleted-records",
        2,
        in_summary_of_snapshot("deleted-records"),
        "history-unchanged",
    ),
    plant("row-ids-overlap", "entry 0", 3, with_shared_row_ids),
    plant(
        "added-rows",
        "added-rows",
        3,
        lambda table: table.change_metadata(
            lambda metadata: metadata["snapshots"][0].update({"added-rows": 2})
        ),
        "history-unchanged",
    ),
    plant("metrics-negative", f"column {ID}", 2, told("column_sizes", ID, -1)),
    plant("metrics-negative", f"column {F}", 2, told("nan_value_counts", F, -1), "nan-counts"),
    plant("metrics-once", "entry 0", 2, twice_in_metrics),
    plant("metrics-counts", f"column {ID}", 2, told("value_counts", ID, 17), "value-counts"),
    plant("metrics-counts", f"column {F}", 2, told("nan_value_counts", F, 17), "nan-counts"),
    plant("metrics-nans", f"column {ID}", 2, also_told("nan_value_counts", ID, 1)),
    plant("bound-value", f"column {ID}", 2, told("lower_bounds", ID, b"\x01")),
    plant("bound-value", f"column {F}", 2, told("lower_bounds", F, NAN)),
    plant("bound-value", "column 2", 2, told("upper_bounds", 2, b"\xff")),
    plant("bound-order", f"column {ID}", 2, told("lower_bounds", ID, struct.pack("<q", 100)), "lower-bounds"),
]


@pytest.mark.parametrize("planted", MANIFESTS)
def test_a_violation_in_manifests_is_found(sound, planted):
    with sound(planted.version) as table:
        planted.change(table)
        hold(table, planted)

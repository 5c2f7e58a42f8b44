"""Violations that are planted in files, and in what is said of them, are found, each by its own rule and no other."""

from __future__ import annotations

import struct
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from checking.found import hold, plant
from conformance_checking.planting import path_of
from conformance_checking.sound import ID, NAME, F
from conformance_checking.test_delete_rules import (
    added_to,
    content,
    entries,
    files,
    of_another_file,
    only,
    replaced,
)
from conformance_checking.test_delete_rules import (
    reversed_rows as reversed_deletes,
)
from conformance_checking.test_file_rules import (
    damaged,
    in_first,
    in_metadata,
    named_otherwise,
    removed,
    reversed_rows,
    told,
    with_nulls,
    written_again,
)

TOTALS = ("summary-totals", "summary-changes")


def of_another_type(table: pa.Table) -> pa.Table:
    """A column of texts where the table has numbers."""
    at = table.schema.get_field_index("id")
    field = table.schema.field(at)
    return table.set_column(at, field.with_type(pa.string()), table.column(at).cast(pa.string()))


def without_ids(table: pa.Table) -> pa.Table:
    """No column has a field id."""
    plain = pa.schema([pa.field(each.name, each.type) for each in table.schema if each.name != "tags"])
    return table.drop_columns(["tags"]).cast(plain)


def no_parquet(path: Any, _: Any) -> None:
    """A file of another format."""
    path.write_bytes(b"id,name\n1,one\n")


def other_columns(path: Any, _: Any) -> None:
    """A delete file without positions."""
    pq.write_table(pq.ParquetFile(path).read().drop_columns(["pos"]), path, store_schema=False)


def foreign(table: Any) -> None:
    """A data file is replaced by one that is no Parquet."""
    in_first(
        lambda file: (path_of(file["file_path"]).write_bytes(b"a" * 99), file.update(file_size_in_bytes=99))
    )(table)


def required(table: Any) -> None:
    """A column of nulls is required in every schema."""
    table.change_parquet(with_nulls)
    table.change_metadata(
        lambda metadata: [each["fields"][1].update(required=True) for each in metadata["schemas"]]
    )


def other_statistics(table: Any) -> None:
    """A statistics file is cut."""
    [file] = table.metadata["statistics"]
    path = path_of(file["statistics-path"])
    path.write_bytes(path.read_bytes()[:-3] + b"xyz")


FILES = [
    plant("file-there", "parquet", 2, removed),
    plant("file-readable", "parquet", 2, damaged, "file-size"),
    plant("file-readable", "parquet", 3, foreign, *TOTALS),
    plant("file-size", "parquet", 2, in_first(lambda file: file.update(file_size_in_bytes=77777)), *TOTALS),
    plant(
        "record-count",
        "parquet",
        2,
        in_first(lambda file: file.update(record_count=17)),
        "metrics-counts",
        "manifest-row-counts",
        *TOTALS,
    ),
    plant("split-offsets-row-groups", "parquet", 2, in_first(lambda file: file.update(split_offsets=[5]))),
    plant("column-type", "parquet", 2, written_again(of_another_type), *TOTALS),
    plant("file-field-ids", "parquet", 2, written_again(without_ids), *TOTALS),
    plant("statistics-file", ".stats", 2, other_statistics),
    plant(
        "statistics-file",
        "file-size-in-bytes",
        1,
        in_metadata("statistics", lambda files: files[0].update({"file-size-in-bytes": 7})),
    ),
    plant(
        "statistics-file",
        "file-footer-size-in-bytes",
        2,
        in_metadata("statistics", lambda files: files[0].update({"file-footer-size-in-bytes": 7})),
    ),
    plant(
        "statistics-file",
        "file-size-in-bytes",
        3,
        in_metadata("partition-statistics", lambda files: files[0].update({"file-size-in-bytes": 7})),
    ),
    plant(
        "statistics-blobs",
        "blob-metadata",
        2,
        in_metadata("statistics", lambda files: files[0]["blob-metadata"][0].update({"fields": [9]})),
    ),
    plant("null-counts", f"column {NAME}", 2, told("null_value_counts", NAME, 1)),
    plant("nan-counts", f"column {F}", 2, told("nan_value_counts", F, 1)),
    plant("value-counts", f"column {ID}", 2, told("value_counts", ID, 0), "metrics-counts"),
    plant("lower-bounds", f"column {ID}", 2, told("lower_bounds", ID, struct.pack("<q", 3)), "bound-order"),
    plant("upper-bounds", f"column {NAME}", 2, told("upper_bounds", NAME, b"name"), "bound-order"),
    plant("upper-bounds", f"column {F}", 2, told("upper_bounds", F, struct.pack("<d", 0.4)), "bound-order"),
    plant(
        "partition-values", "part", 2, written_again(named_otherwise), "lower-bounds", "upper-bounds", *TOTALS
    ),
    plant("rows-sorted", "parquet", 2, written_again(reversed_rows), *TOTALS),
    plant("required-values", f"column {NAME}", 2, required, "null-counts", "history-unchanged", *TOTALS),
]


@pytest.mark.parametrize("planted", FILES)
def test_a_violation_in_files_is_found(sound, planted):
    with sound(planted.version) as table:
        planted.change(table)
        hold(table, planted)


DELETES = [
    plant(
        "one-vector-of-a-file",
        "entry ",
        3,
        of_another_file,
        "manifest-file-counts",
        "manifest-row-counts",
        "vector-blob",
        "vector-readable",
        *TOTALS,
    ),
    plant("vector-without-data-file", "entry ", 3, files(referenced_data_file="gone.parquet"), "vector-blob"),
    plant("deletes-of-version", "entry ", 2, files(file_format="PUFFIN"), "vector-fields", *TOTALS),
    plant("vector-fields", "entry ", 3, files(content_offset=None)),
    plant("vector-fields", "entry ", 3, files(referenced_data_file=None), "vector-blob"),
    plant("equality-ids", "entry ", 3, files(equality_ids=[ID])),
    plant("equality-ids", "entry ", 2, files(content=2, equality_ids=[99]), "delete-columns", *TOTALS),
    plant("equality-columns", "entry ", 2, files(content=2, equality_ids=[F]), "delete-columns", *TOTALS),
    plant("delete-partition", "entry ", 3, files(partition={"part": "b"}), "partition-summary-bounds"),
    plant(
        "delete-sequence",
        "entry ",
        3,
        entries(lambda entry: entry.update(sequence_number=0)),
        "manifest-min-sequence",
    ),
    plant("file-size", "parquet", 2, files(file_size_in_bytes=7), "split-offsets", *TOTALS),
    plant(
        "record-count", "parquet", 2, files(record_count=7), "manifest-row-counts", "metrics-counts", *TOTALS
    ),
    plant(
        "vector-count",
        "puffin",
        3,
        added_to("record_count", -1),
        "manifest-row-counts",
        "vector-blob",
        *TOTALS,
    ),
    plant("file-there", "parquet", 2, content(lambda path, _: path.unlink()), "split-offsets", *TOTALS),
    plant("vector-readable", "puffin", 3, added_to("content_size_in_bytes", -1), "vector-blob", *TOTALS),
    plant("vector-readable", "puffin", 3, replaced(b"\xd1\xd3\x39\x64", b"\xd1\xd3\x39\x65")),
    plant("vector-blob", "cardinality", 3, replaced(b'"cardinality":"4"', b'"cardinality":"5"')),
    plant("vector-positions", "puffin", 3, only(1, 2, 77), "manifest-row-counts", *TOTALS),
    plant("file-readable", "parquet", 2, content(no_parquet), *TOTALS),
    plant("delete-columns", "parquet", 2, content(other_columns), *TOTALS),
    plant("positions-sorted", "parquet", 2, content(reversed_deletes), *TOTALS),
    plant("positions-of-file", "parquet", 2, files(referenced_data_file="one")),
]


@pytest.mark.unchecked_tables("violations are planted")
@pytest.mark.parametrize("planted", DELETES)
def test_a_violation_in_delete_files_is_found(deleted, planted):
    table = deleted(planted.version)
    planted.change(table)
    hold(table, planted)


@pytest.mark.parametrize("version", [2, 3])
def test_sound_delete_files_have_no_finding(deleted, version):
    from checking.found import findings

    assert findings(deleted(version)) == []


def rows_damaged(path: Any) -> None:
    """Pages of a file are overwritten, and its footer stays."""
    data = bytearray(path.read_bytes())
    data[4:40] = b"\xff" * 36
    path.write_bytes(data)


def test_rows_that_cannot_be_read_are_found(sound):
    with sound(2) as table:
        for path in table.data_files():
            rows_damaged(path)
        from checking.found import findings

        found = {each.rule.id for each in findings(table)}
        assert "rows-readable" in found
        assert findings(table, "files") == []

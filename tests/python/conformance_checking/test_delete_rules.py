"""Violations that are planted in delete files, and in what is said of them, are found, each by its own rule."""

from __future__ import annotations

import struct
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest

import floeberg as fb
from conformance_checker import avro
from conformance_checking.planting import Planted, path_of
from conformance_checking.sound import ID, rows
from properties.vectors import blob

Json = dict[str, Any]
Change = Callable[[Planted], object]
MODE = "merge-on-read"
PATH = 2_147_483_546


@pytest.fixture
def deleted(tmp_path) -> Callable[[int], Planted]:
    """Makes a table of a version of which rows were deleted twice.

    In version 3 the older vector holds the position deletes of version 2, and the newer vector those of the older one.
    """

    def make(version: int) -> Planted:
        catalog = fb.load_catalog("planting", type="filesystem", warehouse=str(tmp_path))
        catalog.create_namespace_if_not_exists("ns")
        table = catalog.create_table(
            "ns.deleted",
            rows("a", 1).schema,
            partition_spec=["part"],
            properties={"write.delete.granularity": "partition"},
        )
        for first in (1, 11):
            table.append(rows("a", *range(first, first + 5)))
        table.append(rows("b", 21, 22))
        table.delete("id IN (1, 12)", mode=MODE)
        if version == 3:
            table.upgrade_table_version(3)
            table.delete("id = 2", mode=MODE)
        table.delete("id IN (3, 4)", mode=MODE)
        return Planted(path_of(table.metadata_location))

    return make


def newest_deletes(table: Planted, number: int = -1) -> Any:
    """The manifest of the delete files that a snapshot added."""
    return next(path for path in table.manifests(number) if is_newest(path))


def is_newest(path: Any) -> bool:
    """Does it list added delete files?"""
    file = avro.read(path.read_bytes())
    is_added = any(entry["status"] == 1 for entry in file.rows)
    return file.metadata.get("content") == "deletes" and is_added


def entries(change: Callable[[Json], object], number: int = -1) -> Change:
    """A change of the entries of the delete files that a snapshot added; the newest unless given."""

    def changed(table: Planted) -> None:
        table.change_path(
            newest_deletes(table, number),
            lambda file: [change(each) for each in file["rows"] if each["status"] == 1],
        )

    return changed


def files(**values: object) -> Change:
    """What is said of the newest delete files."""
    return entries(lambda entry: entry["data_file"].update(values))


def added_to(name: str, more: int) -> Change:
    """A number that is said of them is another."""
    return entries(lambda entry: entry["data_file"].update({name: entry["data_file"][name] + more}))


def content(change: Callable[[Any, Json], object], number: int = -1) -> Change:
    """Another content of delete files; what is said of them is changed with it."""

    def changed(entry: Json) -> None:
        file = entry["data_file"]
        path = path_of(file["file_path"])
        change(path, file)
        file["file_size_in_bytes"] = path.stat().st_size if path.exists() else 1

    return entries(changed, number)


def of_another_file(table: Planted) -> None:
    """A second vector of a data file."""

    def repeated(file: Json) -> None:
        (entry,) = [each for each in file["rows"] if each["status"] == 1]
        again = entry["data_file"] | {"content_offset": entry["data_file"]["content_offset"] + 1}
        file["rows"].append(entry | {"data_file": again})

    table.change_path(newest_deletes(table), repeated)


def replaced(before: bytes, after: bytes) -> Change:
    """Other bytes in the file."""

    def changed(path: Any, _: Json) -> None:
        found = path.read_bytes()
        assert before in found
        path.write_bytes(found.replace(before, after))

    return content(changed)


def only(*positions: int, number: int = -1) -> Change:
    """A vector of other positions."""

    def changed(path: Any, file: Json) -> None:
        vector = blob(SimpleNamespace(positions=[(None, each) for each in positions], runs=False))
        said = f'"cardinality":"{len(positions)}","referenced-data-file":"{file["referenced_data_file"]}"'
        footer = (
            '{"blobs":[{"type":"deletion-vector-v1","fields":[2147483645],"snapshot-id":-1,"sequence-number":-1,'
            f'"offset":4,"length":{len(vector)},"properties":{{{said}}}}}]}}'
        ).encode()
        end = struct.pack("<i", len(footer)) + bytes(4) + b"PFA1"
        path.write_bytes(b"PFA1" + vector + b"PFA1" + footer + end)
        file.update(content_offset=4, content_size_in_bytes=len(vector), record_count=len(positions))

    return content(changed, number)


def reversed_rows(path: Any, _: Json) -> None:
    """Rows in the opposite order."""
    table = pq.ParquetFile(path).read()
    pq.write_table(table.take(list(reversed(range(table.num_rows)))), path, store_schema=False)


PLANTS: dict[str, list[tuple[int, Change]]] = {
    "one-vector-of-a-file": [(3, of_another_file)],
    "vectors-have-their-file": [(3, files(referenced_data_file="gone.parquet"))],
    "deletes-of-the-version": [
        (3, files(file_format="PARQUET")),
        (2, files(file_format="PUFFIN")),
        (3, files(content_offset=None)),
    ],
    "equality-ids": [(3, files(equality_ids=[ID])), (2, files(content=2))],
    "referenced-data-file": [(3, files(referenced_data_file=None)), (2, files(referenced_data_file="one"))],
    "deletes-of-the-partition": [(3, files(partition={"part": "b"}))],
    "deletes-come-after": [(3, entries(lambda entry: entry.update(sequence_number=0)))],
    "delete-file-size": [(2, files(file_size_in_bytes=7)), (3, added_to("file_size_in_bytes", 1))],
    "delete-counts": [(2, files(record_count=7)), (3, added_to("record_count", -1))],
    "delete-files-can-be-read": [
        (2, content(lambda path, _: path.unlink())),
        (3, added_to("content_size_in_bytes", -1)),
        (3, replaced(b"\xd1\xd3\x39\x64", b"\xd1\xd3\x39\x65")),
    ],
    "vectors-are-blobs": [
        (3, replaced(b'"cardinality":"4"', b'"cardinality":"5"')),
        (3, replaced(b"[2147483645]", b"[2147483546]")),
    ],
    "vectors-hold-what-was-deleted": [(3, only(1, 2, 3)), (3, only(0, 2, 3)), (3, only(1, number=-2))],
    "positions-are-sorted": [(2, content(reversed_rows))],
    "bounds-of-paths": [
        (2, files(lower_bounds=[{"key": PATH, "value": b"file"}])),
        (2, files(upper_bounds=None)),
    ],
}
CASES = [
    pytest.param(rule, version, change, id=f"{rule}-{number}")
    for rule, plants in PLANTS.items()
    for number, (version, change) in enumerate(plants)
]


@pytest.mark.unchecked_tables("violations are planted")
@pytest.mark.parametrize(("rule", "version", "change"), CASES)
def test_a_violation_in_delete_files_is_found(deleted, rule, version, change):
    table = deleted(version)
    change(table)
    assert rule in table.rules()


@pytest.mark.parametrize("version", [2, 3])
def test_delete_files_without_a_violation_have_none(deleted, version):
    assert deleted(version).checked().faults == []

"""Iceberg Java and PyIceberg read tables of which Floeberg mended several faults."""

from __future__ import annotations

import struct
from pathlib import Path

import pyarrow as pa
import pytest
from tables import arrow_file

import floeberg as fb
from conformance_checking.planting import Planted, path_of
from corpus import encode

pytestmark = [pytest.mark.timeout(1800), pytest.mark.unchecked_tables("violations are planted")]

SCHEMA = pa.schema([("id", pa.int64()), ("part", pa.string())])


def rows(first: int, count: int, part: str) -> pa.Table:
    return pa.table({"id": range(first, first + count), "part": [part] * count}, SCHEMA)


def plant(planted: Planted, gone: Path) -> None:
    """Breaks bounds, counts, a length, a total, the snapshot log and the hint, and removes a data file."""

    def entry(row: dict) -> None:
        for pair in row["data_file"]["lower_bounds"]:
            if pair["key"] == 1:
                pair["value"] = struct.pack("<q", 5000)
        row["data_file"]["split_offsets"] = [9, 4]

    newest = planted.manifests()[0]
    planted.change_path(newest, lambda file: [entry(each) for each in file["rows"]])

    def listed(file: dict) -> None:
        file["rows"][-1]["manifest_length"] += 7
        file["rows"][0]["added_rows_count"] = 77

    planted.change_list(listed)

    def metadata(document: dict) -> None:
        document["snapshot-log"][0]["snapshot-id"] = 7
        for snapshot in document["snapshots"]:
            if snapshot["snapshot-id"] == document["current-snapshot-id"]:
                snapshot["summary"]["total-records"] = "1"

    planted.change_metadata(metadata)
    (planted.place.parent / "version-hint.text").write_text("0")
    gone.unlink()


@pytest.mark.parametrize("version", [2, 3])
def test_iceberg_and_pyiceberg_read_what_was_mended(tmp_path: Path, java, pyiceberg, version):
    catalog = fb.load_catalog("broken", type="filesystem", warehouse=str(tmp_path / "lake"))
    catalog.create_namespace("ns")
    table = catalog.create_table(
        "ns.t",
        SCHEMA,
        partition_spec=["part"],
        format_version=version,
        properties={"commit.manifest-merge.enabled": "false"},
    )
    for number in range(4):
        table.append(rows(10 * number, 7, "ab"[number % 2]))
    table.delete("id in (3, 14)", mode="merge-on-read")
    table.append(rows(90, 3, "b"))
    expected = sorted(table.scan().to_arrow()["id"].to_pylist())
    gone = path_of(
        next(each for each in table.inspect.data_files()["file_path"].to_pylist() if "part=a" in each)
    )
    plant(Planted(path_of(table.metadata_location)), gone)
    table = fb.open_table(str(tmp_path / "lake" / "ns" / "t"))
    found = list(table.check("rows", all_snapshots=False))
    done = table.repair(found, drop_missing_data_files=True)
    mended = {finding.rule.id for finding, _ in done.repaired}
    assert mended >= {
        "bound-order",
        "split-offsets",
        "manifest-length",
        "manifest-row-counts",
        "snapshot-log-names",
        "summary-totals",
        "version-hint",
        "file-there",
    }
    left = {finding.rule.id for finding in table.check("rows")}
    assert left <= {finding.rule.id for finding, _ in done.skipped} - mended
    [lost] = [each for each in done.lost if each.content == "data"]
    assert lost.lost_rows == 7
    ids = sorted(table.scan().to_arrow()["id"].to_pylist())
    assert set(expected) - set(ids) <= set(range(7)) | set(range(20, 27))
    location = table.metadata_location
    assert sorted(java("read", metadata_location=location)) == sorted(encode(table.scan().to_arrow()))
    if version == 2:
        into = tmp_path / "rows.arrow"
        pyiceberg("read", metadata_location=location, into=str(into), row_filter="id < 5000")
        assert sorted(arrow_file(into)["id"].to_pylist()) == ids

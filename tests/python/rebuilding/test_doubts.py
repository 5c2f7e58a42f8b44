"""What manifests say against the files that a caller chose is named, and equality deletes are no data."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

import floeberg as fb
from maintenance.disk import path_of, rows
from maintenance.moved_tables import drop_keys
from rebuilding.lost import data_paths, delete_paths, lists, only_data, without_lists

pytestmark = pytest.mark.unchecked_tables("tables are destroyed")


@pytest.fixture(params=[2, 3])
def table(request, tmp_path: Path) -> fb.Table:
    catalog = fb.load_catalog("doubts", type="filesystem", warehouse=str(tmp_path / "lake"))
    catalog.create_namespace("db")
    made = catalog.create_table("db.t", rows().schema, format_version=request.param)
    made.append(rows(1, 2, 3))
    return made


def ids(table: fb.Table) -> list[int]:
    return sorted(table.scan().to_arrow()["id"].to_pylist())


def new(table: fb.Table) -> str:
    return f"{table.location()}-new"


def contents(table: fb.Table) -> dict[str, str]:
    found = fb.rebuild_candidates(table.location()).to_pylist()
    return {path_of(each["file_path"]): each["content"] for each in found}


def test_deletes_that_manifests_list_and_the_caller_does_not_are_named(table):
    table.delete("id = 2", mode="merge-on-read")
    data, [deletes] = data_paths(table), delete_paths(table)
    without_lists(table)
    done = fb.rebuild(table.location(), to=new(table), files=data)
    assert (ids(done.table), done.source) == ([1, 2, 3], "manifests")
    [left] = done.unproven
    assert (left.location, left.content, left.rows) == (deletes, "position deletes", 1)
    assert "files= does not" in left.reason
    again = fb.rebuild(table.location(), to=f"{new(table)}er", files=[*data, deletes])
    assert (ids(again.table), again.unproven) == ([1, 3], ())


def test_files_that_the_metadata_removed_are_named(table):
    [replaced] = data_paths(table)
    table.maintenance.rewrite_data_files(options={"rewrite-all": "true"})
    by, [live] = table.current_snapshot().snapshot_id, data_paths(table)
    done = fb.rebuild(table.location(), to=new(table), files=[replaced, live])
    # The caller decides.
    assert (ids(done.table), done.source) == ([1, 1, 2, 2, 3, 3], "metadata")
    [left] = done.unproven
    assert left.location == replaced and f"removed by snapshot {by}" in left.reason
    assert "twice" in left.reason


def test_files_that_an_earlier_snapshot_removed_are_named(table):
    [removed] = data_paths(table)
    table.overwrite(rows(7))
    table.append(rows(8))
    done = fb.rebuild(table.location(), to=new(table), files=[removed, *data_paths(table)])
    assert ids(done.table) == [1, 2, 3, 7, 8]
    [left] = done.unproven
    assert left.location == removed and "the metadata" in left.reason


def test_files_of_another_branch_are_named(table):
    table.manage_snapshots().create_branch(table.current_snapshot().snapshot_id, "dev").commit()
    table.append(rows(4), branch="dev")
    table.append(rows(5))
    found = [path for path in contents(table) if path not in {path_of(each) for each in data_paths(table)}]
    done = fb.rebuild(table.location(), to=new(table), files=[*data_paths(table), *found])
    assert ids(done.table) == [1, 2, 3, 4, 5]
    [left] = done.unproven
    assert path_of(left.location) == found[0] and "another snapshot" in left.reason


def test_files_that_only_manifests_remove_are_named(table):
    [replaced] = data_paths(table)
    table.maintenance.rewrite_data_files(options={"rewrite-all": "true"})
    [live] = data_paths(table)
    without_lists(table)
    done = fb.rebuild(table.location(), to=new(table), files=[replaced, live])
    assert done.source == "manifests"
    [left] = done.unproven
    assert left.location == replaced and "says that it was removed" in left.reason


@pytest.mark.parametrize("file_format", ["parquet", "avro"])
def test_equality_deletes_are_known_by_manifests_and_by_footers(table, file_format):
    with table.transaction() as transaction:
        transaction.set_properties({"write.delete.format.default": file_format})
    drop_keys(table, 2)
    [deletes] = [path_of(path) for path in delete_paths(table)]
    expected = dict.fromkeys((path_of(path) for path in data_paths(table)), "data")
    assert deletes.endswith(file_format)
    expected[deletes] = "equality deletes"
    assert contents(table) == expected
    only_data(table)
    assert contents(table) == expected
    with pytest.raises(
        fb.errors.InvalidInputError, match="expected a data file, found one of equality deletes"
    ):
        fb.rebuild(table.location(), to=new(table), files=list(expected))
    kept = [path for path, content in expected.items() if content == "data"]
    assert ids(fb.rebuild(table.location(), to=new(table), files=kept).table) == [1, 2, 3]


def test_manifests_know_equality_deletes_whose_footers_say_nothing(table):
    drop_keys(table, 2)
    [deletes] = [path_of(path) for path in delete_paths(table)]
    plain = pq.read_table(deletes)
    pq.write_table(plain.replace_schema_metadata(None), deletes)
    for path in lists(table):
        path.unlink()
    assert contents(table)[deletes] == "equality deletes"
    only_data(table)
    # Nothing is left that says it.
    assert contents(table)[deletes] == "data"


def test_footers_of_delete_files_are_those_of_iceberg_java(tmp_path):
    catalog = fb.load_catalog("doubts", type="filesystem", warehouse=str(tmp_path / "lake"))
    catalog.create_namespace("db")
    table = catalog.create_table("db.t", rows().schema, format_version=2)
    table.append(rows(1, 2, 3))
    drop_keys(table, 2)
    table.delete("id = 1", mode="merge-on-read")
    found = {}
    for each in table.inspect.delete_files().to_pylist():
        entries = pq.read_metadata(path_of(each["file_path"])).metadata
        found[each["content"]] = {key.decode(): value.decode() for key, value in entries.items()}
    assert found[2]["delete-type"] == "equality" and found[2]["delete-field-ids"] == "1, 2"
    assert found[1]["delete-type"] == "position" and "delete-field-ids" not in found[1]
    for path in data_paths(table):
        assert b"delete-type" not in pq.read_metadata(path_of(path)).metadata


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def with_entry(orc: bytes, key: bytes, value: bytes) -> bytes:
    """An ORC file, not compressed, with one more entry of its writer in the footer."""
    end = len(orc) - 1 - orc[-1]
    postscript = orc[end:-1]
    assert postscript[0] == 0x08
    length, used = 0, 1
    for shift in range(0, 63, 7):
        byte = postscript[used]
        length |= (byte & 0x7F) << shift
        used += 1
        if byte < 0x80:
            break
    pair = b"\x0a" + varint(len(key)) + key + b"\x12" + varint(len(value)) + value
    entry = b"\x2a" + varint(len(pair)) + pair
    said = b"\x08" + varint(length + len(entry)) + postscript[used:]
    return orc[:end] + entry + said + bytes([len(said)])


def test_footers_of_orc_files_say_their_deletes(table):
    from pyarrow import orc

    path = Path(path_of(table.location()), "data", "deletes.orc")
    orc.write_table(rows(2), str(path), compression="uncompressed")
    plain = path.read_bytes()
    assert contents(table)[str(path)] == "data"
    path.write_bytes(with_entry(plain, b"delete-type", b"equality"))
    assert orc.read_table(str(path)).num_rows == 1
    assert contents(table)[str(path)] == "equality deletes"
    # Other entries, and bytes that are no text, are no deletes.
    for key, value in ((b"other", b"equality"), (b"delete-type", b"\xff\xfe"), (b"\xff", b"x")):
        path.write_bytes(with_entry(plain, key, value))
        assert contents(table)[str(path)] == "data"

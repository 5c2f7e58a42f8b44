"""Metadata tables: which snapshot they look at, how their rows come, and what happens where files are damaged."""

from __future__ import annotations

import json
import pickle
import shutil

import pyarrow as pa
import pytest

import floeberg as fb
from corpus import lent
from floeberg import errors
from floeberg.table.inspect import InspectTable

NAMES = [name for name in vars(InspectTable) if not name.startswith(("_", "to_"))]
OF_A_SNAPSHOT = {
    "manifests",
    "entries",
    "files",
    "data_files",
    "delete_files",
    "partitions",
    "position_deletes",
}


def test_there_is_a_method_for_every_metadata_table(refs):
    with pytest.raises(errors.InvalidInputError) as raised:
        refs.open().inspect.to_arrow_batch_reader("tables")
    assert sorted(NAMES) == sorted(str(raised.value).split("only ")[1].split(" (")[0].split(", "))


@pytest.mark.parametrize("name", NAMES)
def test_a_table_and_a_reader_have_the_same_rows(name, deletes):
    inspect = deletes.open().inspect
    table = getattr(inspect, name)()
    assert isinstance(table, pa.Table)
    assert table.num_rows > 0
    assert inspect.to_arrow_batch_reader(name).read_all() == table


@pytest.mark.parametrize("name", sorted(OF_A_SNAPSHOT))
def test_a_snapshot_is_that_of_the_table_or_the_one_that_is_asked_for(name, refs):
    first = refs.open().refs()["first"].snapshot_id
    wanted = getattr(refs.open().inspect, name)(snapshot_id=first)
    assert getattr(refs.open(ref="first").inspect, name)() == wanted
    assert getattr(refs.open(ref="dev").inspect, name)(first) == wanted
    assert wanted.schema == getattr(refs.open().inspect, name)().schema
    if name in {"files", "entries", "manifests", "data_files"}:
        assert wanted.num_rows == 1
        assert getattr(refs.open().inspect, name)().num_rows == 3
    with pytest.raises(errors.NotFoundError, match="snapshot"):
        getattr(refs.open().inspect, name)(snapshot_id=12)


@pytest.mark.parametrize("name", sorted(set(NAMES) - OF_A_SNAPSHOT))
def test_tables_about_all_snapshots_take_none_and_stay_as_they_are(name, refs):
    with pytest.raises(errors.InvalidInputError, match="covers all snapshots"):
        refs.open().inspect.to_arrow_batch_reader(name, snapshot_id=12)
    assert getattr(refs.open(ref="first").inspect, name)() == getattr(refs.open().inspect, name)()


@pytest.mark.parametrize("name", NAMES)
def test_a_table_that_was_never_written_to_has_columns_and_no_rows(name):
    table = getattr(lent("empty").open().inspect, name)()
    assert table.num_rows == (1 if name == "metadata_log_entries" else 0)
    assert table.num_columns > 0


def test_manifests_that_the_metadata_names_itself_are_counted_by_their_entries():
    case = lent("inline")
    table = case.open()
    assert all(snapshot.manifest_list is None for snapshot in table.snapshots())
    by_path = {each["path"]: each for each in case.expected["manifests"]}
    for manifest in table.inspect.manifests().to_pylist():
        known = by_path.pop(manifest["path"])
        statuses = [entry["status"] for entry in known["entries"]]
        assert manifest["length"] == known["length"]
        assert manifest["partition_spec_id"] == known["spec_id"]
        assert manifest["added_snapshot_id"] == known["entries"][0]["snapshot_id"]
        assert manifest["added_data_files_count"] == statuses.count("added")
        assert manifest["existing_data_files_count"] == statuses.count("existing")
        assert manifest["deleted_data_files_count"] == statuses.count("deleted")
        assert manifest["partition_summaries"] == []
    assert by_path == {}
    assert table.inspect.partitions()["record_count"].to_pylist() == [case.expected["row_count"]]
    entries = table.inspect.entries().to_pylist()
    known = [entry for manifest in case.expected["manifests"] for entry in manifest["entries"]]
    assert [entry["data_file"]["file_path"] for entry in entries] == [entry["path"] for entry in known]


def test_batches_come_by_manifest(many):
    inspect = many.open().inspect
    batches = list(inspect.to_arrow_batch_reader("all_entries"))
    counts = ("added_data_files_count", "existing_data_files_count", "deleted_data_files_count")
    distinct = {
        each["path"]: sum(each[name] for name in counts) for each in inspect.all_manifests().to_pylist()
    }
    assert [batch.num_rows for batch in batches] == list(distinct.values())
    assert len(batches) > 1


def test_an_inspection_travels_with_its_table(refs):
    inspect = refs.open(ref="first").inspect
    again = pickle.loads(pickle.dumps(inspect))
    assert repr(again) == repr(inspect)
    assert again.files() == inspect.files()


@pytest.fixture
def broken(refs, tmp_path):
    """A copy of a table, to be damaged, and how it is opened."""
    folder = tmp_path / "table"
    shutil.copytree(refs.folder / "table", folder)
    return folder, lambda: fb.open_table(
        folder / refs.expected["metadata_file"], relocate=dict.fromkeys(refs.relocate, str(folder))
    )


MANIFESTS_ARE_READ = sorted(set(NAMES) - {"snapshots", "history", "refs", "metadata_log_entries"})


@pytest.mark.parametrize("name", [*MANIFESTS_ARE_READ])
def test_a_damaged_or_missing_file_is_named(name, broken):
    folder, opened = broken
    lists = name in {"manifests", "all_manifests", "delete_files", "all_delete_files", "position_deletes"}
    damaged = sorted(folder.glob("metadata/snap-*.avro" if lists else "metadata/*-m*.avro"))
    assert damaged
    for file in damaged:
        file.write_bytes(file.read_bytes()[:40])
    with pytest.raises(errors.InvalidDataError, match=r"path: .*\.avro"):
        getattr(opened().inspect, name)()
    for file in damaged:
        file.unlink()
    with pytest.raises(errors.NotFoundError, match=r"\.avro"):
        getattr(opened().inspect, name)()


@pytest.mark.parametrize("name", MANIFESTS_ARE_READ)
def test_an_encrypted_manifest_list_is_refused(name, broken, refs):
    folder, opened = broken
    file = folder / refs.expected["metadata_file"]
    metadata = json.loads(file.read_text())
    for snapshot in metadata["snapshots"]:
        snapshot["key-id"] = "a-key"
    file.write_text(json.dumps(metadata))
    with pytest.raises(errors.UnsupportedError, match="the manifest list is encrypted"):
        getattr(opened().inspect, name)()


def test_a_reader_that_failed_is_spent(broken):
    folder, opened = broken
    reader = opened()._inner.inspect("files", None, None)
    for file in folder.glob("metadata/*-m*.avro"):
        file.unlink()
    with pytest.raises(errors.NotFoundError):
        reader.next_batch()
    with pytest.raises(errors.InvalidInputError, match="it ended with an error or an interrupt"):
        reader.next_batch()


@pytest.mark.parametrize("name", sorted(OF_A_SNAPSHOT))
def test_a_branch_or_tag_is_named_as_in_scans(name, refs):
    table = refs.open()
    read = getattr(table.inspect, name)
    for ref in ("first", "dev", "main"):
        expected = read(snapshot_id=table.refs()[ref].snapshot_id)
        assert read(branch=ref) == expected
        assert table.inspect.to_arrow_batch_reader(name, branch=ref).read_all() == expected
        # It is that of the table, whatever the table was opened at.
        assert getattr(refs.open(ref="first").inspect, name)(branch=ref) == expected
    with pytest.raises(errors.NotFoundError) as of_scan:
        table.scan(branch="none")
    with pytest.raises(errors.NotFoundError) as raised:
        read(branch="none")
    assert raised.value.message == of_scan.value.message
    with pytest.raises(errors.InvalidInputError, match="snapshot_id and branch exclude each other"):
        read(table.refs()["first"].snapshot_id, branch="first")
    with pytest.raises(errors.InvalidInputError, match="branch: expected a str"):
        read(branch=7)


@pytest.mark.parametrize("name", sorted(set(NAMES) - OF_A_SNAPSHOT))
def test_tables_about_all_snapshots_take_no_branch(name, refs):
    with pytest.raises(errors.InvalidInputError, match="covers all snapshots: remove branch"):
        refs.open().inspect.to_arrow_batch_reader(name, branch="main")

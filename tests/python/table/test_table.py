"""What a table says of itself, as its writer says it."""

from __future__ import annotations

import json
import pickle
import shutil
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import floeberg as fb
from floeberg import errors


def test_a_table_says_what_its_writer_says(refs):
    table, expected = refs.open(), refs.expected
    assert table.format_version == expected["format_version"]
    assert table.location() == expected["location"]
    assert table.metadata_location.endswith(expected["metadata_file"])
    assert table.properties == expected["properties"]
    assert {each.snapshot_id for each in table.snapshots()} == {
        each["snapshot_id"] for each in expected["snapshots"]
    }
    assert table.current_snapshot().snapshot_id == expected["current_snapshot_id"]
    assert [(each.timestamp_ms, each.snapshot_id) for each in table.history()] == [
        tuple(entry) for entry in expected["snapshot_log"]
    ]
    assert {name: (each.snapshot_ref_type, each.snapshot_id) for name, each in table.refs().items()} == {
        name: (each["type"], each["snapshot_id"]) for name, each in expected["refs"].items()
    }


def test_every_schema_spec_and_sort_order_is_told(evolved):
    table, expected = evolved.open(), evolved.expected
    assert table.schema().schema_id == expected["current_schema_id"]
    for schema in expected["schemas"]:
        ours = table.schemas()[schema["schema_id"]]
        for field in schema["fields"]:
            found = ours.find_field(field["id"])
            assert ours.find_column_name(field["id"]) == field["name"]
            assert ours.find_field(field["name"]) == found
            assert str(found.field_type).split("<")[0] == field["type"].replace(", ", ",")
            assert found.required == field["required"]
    assert table.spec().spec_id == expected["default_spec_id"]
    assert len(table.specs()) == len(expected["partition_specs"])
    assert table.sort_order().order_id == expected["default_sort_order_id"]


def test_a_rolled_back_snapshot_is_no_ancestor(refs):
    table = refs.open()
    current = table.current_snapshot().snapshot_id
    entries = {each.snapshot_id: each.is_current_ancestor for each in table.history()}
    assert entries[current]
    assert entries.keys() >= {current}


def test_an_unknown_field_is_an_error_that_names_near_ones(refs):
    with pytest.raises(errors.InvalidInputError, match="near matches: 'cat'"):
        refs.open().schema().find_field("cta")


def test_a_metadata_file_opens_as_the_directory_does(refs):
    file = refs.folder / "table" / refs.expected["metadata_file"]
    table = fb.open_table(str(file), relocate=refs.relocate)
    assert table.scan().to_arrow() == refs.open().scan().to_arrow()


@pytest.mark.parametrize("choice", ["dev", "first"])
def test_a_table_is_opened_at_a_ref(refs, choice):
    table = refs.open(ref=choice)
    assert table.current_snapshot().snapshot_id == refs.expected["refs"][choice]["snapshot_id"]
    assert table.scan().count() == refs.expected["ref_reads"][choice]["row_count"]


def test_a_table_is_opened_at_a_snapshot_and_at_a_moment(refs):
    timestamp_ms, snapshot_id = refs.expected["snapshot_log"][0]
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=timestamp_ms)
    by_id = refs.open(snapshot_id=snapshot_id)
    assert by_id.current_snapshot().timestamp_ms == timestamp_ms
    for as_of in (timestamp_ms, moment, moment.isoformat()):
        assert refs.open(as_of=as_of).current_snapshot() == by_id.current_snapshot()


def test_two_choices_of_a_snapshot_are_a_mistake(refs):
    with pytest.raises(errors.InvalidInputError, match="ref and as_of"):
        refs.open(ref="dev", as_of=0)


@pytest.mark.parametrize(
    ("options", "error", "reason"),
    [
        ({"snapshot_id": 5}, errors.NotFoundError, "5"),
        ({"ref": "nope"}, errors.NotFoundError, "nope"),
        ({"as_of": 0}, errors.NotFoundError, "at 0 ms"),
        ({"as_of": datetime(2026, 1, 1)}, errors.InvalidInputError, "no time zone"),  # noqa: DTZ001
        ({"as_of": "2026-01-01"}, errors.InvalidInputError, "is not a moment: write 2026-01-01T00:00:00"),
        ({"as_of": "yesterday"}, errors.InvalidInputError, "yesterday"),
        ({"as_of": True}, errors.InvalidInputError, "bool"),
        ({"version": 3}, errors.UnsupportedError, "snapshot_id"),
        ({"format": "lance"}, errors.NoSuchTableError, "no Lance table"),
        ({"format": "delta"}, errors.UnsupportedError, "delta"),
        ({"tag": "x", "branch": "y"}, errors.InvalidInputError, "branch and tag exclude"),
    ],
)
def test_what_cannot_be_opened_says_why(refs, options, error, reason):
    with pytest.raises(error, match=reason):
        refs.open(**options)


def test_no_table_is_a_file_that_is_not_found(tmp_path):
    with pytest.raises(errors.NoSuchTableError) as caught:
        fb.open_table(tmp_path / "nowhere")
    assert isinstance(caught.value, FileNotFoundError)
    assert "nowhere" in str(caught.value)


def test_relative_places_stay_the_same_in_another_directory(refs, tmp_path, monkeypatch):
    monkeypatch.chdir(refs.folder)
    original = refs.expected["original_dir"]
    table = fb.open_table("table", relocate={original: "table"})
    sent = [pickle.dumps(each) for each in (table.scan(), *table.scan().plan_files().split())]
    monkeypatch.chdir(tmp_path)
    assert table.scan().count() == 9
    assert [pickle.loads(each).to_arrow().num_rows for each in sent] == [9, 9]
    assert Path(table.metadata_location).is_absolute()


def test_the_path_of_a_file_uri_is_percent_decoded_and_a_plain_path_is_not(refs, tmp_path):
    original = refs.expected["original_dir"]
    for name in ("a b", "a%20b"):
        shutil.copytree(refs.folder / "table", tmp_path / name)
    for written, name in ((f"file://{tmp_path}/a%20b", "a b"), (f"{tmp_path}/a%20b", "a%20b")):
        table = fb.open_table(written, relocate={original: written})
        assert f"/{name}/" in table.metadata_location
        assert all(f"/{name}/" in task.file.location for task in table.scan().plan_files())


def test_damaged_metadata_names_the_file(tmp_path):
    file = tmp_path / "v1.metadata.json"
    file.write_text('{"format-version": 2')
    with pytest.raises(errors.InvalidDataError, match="v1.metadata.json"):
        fb.open_table(file)


def test_a_damaged_name_mapping_names_the_table(refs, tmp_path):
    metadata = json.loads((refs.folder / "table" / refs.expected["metadata_file"]).read_text())
    metadata["properties"]["schema.name-mapping.default"] = "[{"
    path = tmp_path / "v1.metadata.json"
    path.write_text(json.dumps(metadata))
    with pytest.raises(errors.InvalidDataError, match="v1.metadata.json"):
        fb.open_table(path).scan().to_arrow()


def test_an_unknown_scheme_is_unsupported():
    with pytest.raises(errors.UnsupportedError, match="gopher"):
        fb.open_table("gopher://somewhere/table")


def test_secrets_are_in_no_repr_and_no_error(refs):
    secret = "do-not-tell"
    table = refs.open(storage_options={"s3.secret-access-key": secret})
    scan = table.scan(row_filter="id = 1")
    told = [repr(each) for each in (table, scan, scan.plan_files(), *scan.plan_files().split())]
    with pytest.raises(errors.FloebergError) as caught:
        table.scan(row_filter="nope = 1")
    told += [str(caught.value), repr(caught.value), str(scan.explain())]
    assert not any(secret in each for each in told)

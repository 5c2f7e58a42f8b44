"""Reading: tables that Iceberg Java encrypted, and files of them that were changed."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path

import pytest

import floeberg as fb
from encryption.by_specification import Opened
from encryption.java_tables import NAMES, JavaTable, java_table
from floeberg.errors import FloebergError, InvalidDataError, UnsupportedError


@pytest.fixture(params=NAMES)
def java(request, tmp_path) -> JavaTable:
    return java_table(request.param, tmp_path)


def opened(java: JavaTable, location: Path | None = None, **options: str) -> fb.Table:
    return fb.open_table(
        str(location or java.folder), relocate=java.relocate, storage_options=java.options | options
    )


def rows(table: fb.Table) -> list[tuple]:
    return sorted(tuple(row.values()) for row in table.scan().to_arrow().to_pylist())


def test_rows_of_every_state_are_those_that_java_reads(java):
    for metadata_file, expected in java.states():
        assert rows(opened(java, metadata_file)) == expected


def test_filters_and_counts_are_right(java):
    table = opened(java)
    everything = rows(table)
    name = table.schema().fields[0].name
    for row in everything:
        found = table.scan(row_filter=f"{name} = {row[0]!r}").to_arrow().to_pylist()
        assert sorted(tuple(each.values()) for each in found) == [
            each for each in everything if each[0] == row[0]
        ]
    assert table.scan().count() == len(everything)


def test_groups_are_read_in_another_process_and_hold_no_key(java):
    table = opened(java)
    keys = plain_keys(java)
    assert keys
    read = []
    for group in table.scan().plan_files().split():
        sent = pickle.dumps(group)
        assert not [key for key in keys if key in sent]
        read += [tuple(row.values()) for row in pickle.loads(sent).to_arrow().to_pylist()]
    assert sorted(read) == rows(table)
    for sent in (table, table.scan()):
        data = pickle.dumps(sent)
        assert not [key for key in keys if key in data]
    assert rows(pickle.loads(pickle.dumps(table))) == rows(table)


def plain_keys(java: JavaTable) -> list[bytes]:
    """The keys of all files, by an implementation of its own."""
    newest = java.states()[-1][0]
    return [key.key for key in Opened(newest, java.key_file, java.relocate).keys.values()]


def test_key_metadata_is_not_shown(java):
    table = opened(java)
    assert set(table.inspect.files()["key_metadata"].to_pylist()) == {None}
    assert set(table.inspect.entries()["data_file"].to_pylist()[0]) >= {"key_metadata"}
    assert set(table.inspect.all_manifests()["key_metadata"].to_pylist()) == {None}


def test_without_key_management_the_error_says_what_to_pass(java):
    table = fb.open_table(str(java.folder), relocate=java.relocate)
    with pytest.raises(UnsupportedError, match="key_management"):
        table.scan().to_arrow()
    assert table.schema().fields


def test_another_key_reads_nothing(java):
    text = Path(java.options["encryption.key-file"]).read_text()
    keys = json.loads(text)
    other = json.loads(json.dumps(keys).replace(first_key(keys), "A" * len(first_key(keys))))
    Path(java.options["encryption.key-file"]).write_text(json.dumps(other))
    with pytest.raises(FloebergError) as caught:
        rows(opened(java))
    assert first_key(keys) not in str(caught.value)


def first_key(keys) -> str:
    """The longest text of a key file is a key."""
    texts: list[str] = []

    def walk(value) -> None:
        if isinstance(value, dict):
            [walk(each) for each in value.values()]
        elif isinstance(value, list):
            [walk(each) for each in value]
        elif isinstance(value, str):
            texts.append(value)

    walk(keys)
    return max(texts, key=len)


def copied(java: JavaTable, tmp_path: Path) -> JavaTable:
    folder = tmp_path / "copy"
    shutil.copytree(java.folder, folder)
    return JavaTable(folder, java.expected, java.key_file)


def test_a_file_that_was_changed_is_an_error_that_names_it(java, tmp_path):
    own = copied(java, tmp_path)
    expected = rows(opened(own))
    seen = set()
    for path in sorted(own.folder.rglob("*")):
        if not path.is_file() or path.name.endswith((".json", ".text", ".crc")):
            continue
        original = path.read_bytes()
        for changed in (original[:-1], flipped(original)):
            path.write_bytes(changed)
            error = error_of(own)
            if error is None:
                # A file of an older state, or a part that is not read.
                assert rows(opened(own)) == expected
            else:
                seen.add(path.suffix)
                assert path.name in f"{error} {error.context}"
        path.write_bytes(original)
    assert ".avro" in seen


def error_of(java: JavaTable) -> FloebergError | None:
    """Why the rows cannot be read."""
    try:
        rows(opened(java))
    except FloebergError as error:
        return error
    return None


def flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def test_files_that_swap_their_places_are_errors(java, tmp_path):
    own = copied(java, tmp_path)
    expected = rows(opened(own))
    table = opened(own)
    files = [
        Path(own.folder, "data", Path(path).name) for path in table.inspect.files()["file_path"].to_pylist()
    ]
    files = [next(own.folder.rglob(path.name)) for path in files]
    pairs = [(one, two) for one in files for two in files if one < two and one.suffix == two.suffix]
    for one, two in pairs[:3]:
        first, second = one.read_bytes(), two.read_bytes()
        one.write_bytes(second)
        two.write_bytes(first)
        with pytest.raises(InvalidDataError):
            rows(opened(own))
        one.write_bytes(first)
        two.write_bytes(second)
    assert rows(opened(own)) == expected


def test_keys_of_24_bytes_are_refused_by_name(tmp_path):
    table = opened(java_table("middle_keys", tmp_path))
    assert table.properties["encryption.data-key-length"] == "24"
    with pytest.raises(UnsupportedError, match="24 bytes"):
        table.scan().to_arrow()

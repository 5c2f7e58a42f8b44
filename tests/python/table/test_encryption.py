"""Encrypted tables: their metadata is shown, what is encrypted in them is refused by name, and what is plain is read.

Manifests and manifest lists with keys are tested in Rust, beside the planner.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from corpus import Case
from floeberg import errors

KEYS = [{"key-id": "k1", "encrypted-key-metadata": "YQ=="}]


def copied(case: Case, tmp_path, change) -> Case:
    shutil.copytree(case.folder / "table", tmp_path / "table")
    copy = Case(case.name, tmp_path, case.expected)
    copy.metadata_file.write_text(json.dumps(change(json.loads(copy.metadata_file.read_text()))))
    return copy


def encrypted(document):
    return document | {
        "encryption-keys": KEYS,
        "properties": document["properties"] | {"encryption.key-id": "master"},
    }


def test_a_plain_snapshot_of_a_table_with_keys_is_read(vectors, tmp_path):
    table = copied(vectors, tmp_path, encrypted).open()
    assert table.scan().to_arrow().num_rows == vectors.expected["row_count"]


def test_an_encrypted_snapshot_is_refused_and_its_metadata_shown(vectors, tmp_path):
    def change(document):
        document["snapshots"][-1]["key-id"] = "k1"
        return encrypted(document)

    table = copied(vectors, tmp_path, change).open()
    assert table.properties["encryption.key-id"] == "master"
    assert table.schema().column_names == vectors.expected["columns"]
    with pytest.raises(errors.UnsupportedError, match="encrypted") as caught:
        table.scan().plan_files()
    assert caught.value.context["snapshot"] == str(vectors.expected["current_snapshot_id"])
    for snapshot in vectors.expected["snapshots"][:-1]:
        assert table.scan(snapshot_id=snapshot["snapshot_id"]).count() >= 0


@pytest.mark.parametrize("magic", [b"PARE", b"AGS1"])
def test_an_encrypted_data_file_is_refused_by_name(refs, tmp_path, magic):
    copy = copied(refs, tmp_path, lambda document: document)
    table = copy.open()
    file = table.scan().plan_files()[0].file.location
    # An encrypted footer has its magic at both ends, an encrypted stream at its start alone.
    end = magic if magic == b"PARE" else b"\x07\x07\x07\x07"
    Path(file).write_bytes(magic + Path(file).read_bytes()[4:-4] + end)
    with pytest.raises(errors.UnsupportedError, match="encrypted") as caught:
        table.scan().to_arrow()
    assert caught.value.context["path"] == file


def test_encrypted_metadata_is_told_as_such(refs, tmp_path):
    copy = copied(refs, tmp_path, lambda document: document)
    copy.metadata_file.write_bytes(b"AGS1" + bytes(100))
    with pytest.raises(errors.UnsupportedError, match="encrypted"):
        copy.open()

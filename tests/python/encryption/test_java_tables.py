"""Does Floeberg read what Iceberg Java encrypted, and nothing without the keys?"""

from __future__ import annotations

import base64
import json
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import floeberg as fb
from encryption.by_specification import Opened
from encryption.java_tables import NAMES, JavaTable, java_table
from floeberg.encryption import KeyFile, create_key
from floeberg.errors import FloebergError, InvalidDataError, NotFoundError, UnsupportedError


@pytest.fixture(params=NAMES)
def table(request, tmp_path) -> JavaTable:
    return java_table(request.param, tmp_path)


@pytest.fixture
def copied(tmp_path) -> JavaTable:
    """A table whose files a test may break."""
    made = java_table("parquet", tmp_path)
    shutil.copytree(made.folder, tmp_path / "table")
    return JavaTable(tmp_path / "table", made.expected, made.key_file)


def rows(table: fb.Table, **options: object) -> list[tuple[object, ...]]:
    return sorted(tuple(row.values()) for row in table.scan(**options).to_arrow().to_pylist())


def test_each_state_has_the_rows_that_java_reads(table):
    for metadata_file, wanted in table.states():
        by_options = fb.open_table(metadata_file, relocate=table.relocate, storage_options=table.options)
        assert rows(by_options) == wanted
        assert by_options.scan().count() == len(wanted)
        by_object = fb.open_table(
            metadata_file, relocate=table.relocate, key_management=KeyFile(table.key_file)
        )
        assert rows(by_object) == wanted


def test_filters_and_time_travel(table):
    states = table.states()
    opened = fb.open_table(states[-1][0], relocate=table.relocate, storage_options=table.options)
    wanted = [row for row in states[-1][1] if row[0] >= 22]
    assert rows(opened, row_filter="id >= 22") == wanted
    assert rows(opened, row_filter="secret_name = 'person 9'") == [
        row for row in states[-1][1] if row[1] == "person 9"
    ]
    for snapshot, (_, of_state) in zip(opened.snapshots(), states, strict=True):
        assert rows(opened, snapshot_id=snapshot.snapshot_id) == of_state


def test_a_table_travels_without_keys(table):
    opened = fb.open_table(table.folder, relocate=table.relocate, storage_options=table.options)
    scan = opened.scan()
    groups = scan.plan_files().split(1 << 20)
    dumped = [pickle.dumps(each) for each in (opened, scan, *groups)]
    keys = secrets_of(table)
    for each in dumped:
        assert not [key for key in keys if key in each or base64.b64encode(key) in each]
    found = [row for each in dumped[2:] for row in pickle.loads(each).to_arrow().to_pylist()]
    assert sorted(tuple(row.values()) for row in found) == table.states()[-1][1]


def test_another_process_asks_for_the_keys_itself(table, tmp_path):
    opened = fb.open_table(table.folder, relocate=table.relocate, storage_options=table.options)
    (tmp_path / "groups").write_bytes(pickle.dumps(opened.scan().plan_files().split(1 << 20)))
    program = (
        "import pickle, sys; groups = pickle.load(open(sys.argv[1], 'rb')); "
        "print(sum(each.to_arrow().num_rows for each in groups))"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "groups")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == str(len(table.states()[-1][1])), done.stderr
    # Without the key file it reads nothing.
    table.key_file.unlink()
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "keys.json" in refused.stderr


def secrets_of(table: JavaTable) -> list[bytes]:
    """The plain keys of all files, and the wrapping keys."""
    found = Opened(table.states()[-1][0], table.key_file, table.relocate)
    outer = json.loads(table.key_file.read_text())["keys"]
    wrapping = [base64.b64decode(each) for versions in outer.values() for each in versions]
    return [each.key for each in found.keys.values()] + wrapping


def test_nothing_that_is_shown_has_a_key(table, caplog):
    caplog.set_level(0)
    opened = fb.open_table(table.folder, relocate=table.relocate, storage_options=table.options)
    scan = opened.scan(row_filter="id > 3")
    plan = scan.plan_files()
    shown = [repr(opened), repr(scan), repr(plan), str(scan.explain()), str(list(plan)[:1])]
    shown += [str(plan.to_arrow().to_pylist()), str(plan.to_arrow())]
    inspect = opened.inspect
    for name in ("files", "entries", "manifests", "snapshots", "all_files", "metadata_log_entries"):
        shown.append(str(getattr(inspect, name)().to_pylist()))
    shown += [record.getMessage() for record in caplog.records]
    for key in secrets_of(table):
        for form in (repr(key)[2:-1], key.hex(), base64.b64encode(key).decode(), str(list(key))[1:-1]):
            assert not [text[:200] for text in shown if form in text]


def test_without_keys_an_error_names_the_option(table):
    with pytest.raises(UnsupportedError, match=r"encryption\.kms-(type|impl)") as caught:
        fb.open_table(table.folder, relocate=table.relocate).scan().to_arrow()
    assert "key_management" in str(caught.value)


def test_another_key_is_an_error(table, tmp_path):
    create_key(tmp_path / "others.json", table.expected["key_id"])
    with pytest.raises(FloebergError, match="another key wrapped it"):
        fb.open_table(
            table.folder, relocate=table.relocate, key_management=KeyFile(tmp_path / "others.json")
        ).scan().to_arrow()
    create_key(tmp_path / "none.json", "unrelated")
    with pytest.raises(FloebergError, match=f"no key '{table.expected['key_id']}'"):
        fb.open_table(
            table.folder, relocate=table.relocate, key_management=KeyFile(tmp_path / "none.json")
        ).scan().to_arrow()


def files_of(table: JavaTable) -> list[Path]:
    """Every file of the table that is encrypted."""
    return sorted(path for path in table.folder.rglob("*") if path.suffix in (".parquet", ".avro", ".puffin"))


def opened_again(table: JavaTable) -> fb.Table:
    return fb.open_table(table.folder, relocate=table.relocate, storage_options=table.options)


def error_of(table: JavaTable, *, all_states: bool = False) -> str | None:
    """The error that reading ends with; `None` where there is none."""
    try:
        opened = opened_again(table)
        states = [each.snapshot_id for each in opened.snapshots()] if all_states else [None]
        for state in states:
            opened.scan(snapshot_id=state).to_arrow()
    except FloebergError as error:
        return str(error)
    return None


def test_a_broken_file_is_an_error_that_names_it(copied):
    """Each file of the newest state, cut, longer, with one bit changed at many places, and swapped."""
    wanted = rows(opened_again(copied))
    noticed = 0
    for path in files_of(copied):
        content = path.read_bytes()
        flipped = range(0, len(content), max(1, len(content) // 12))
        broken = [content[:-1], content[: len(content) // 2], b"", content + b"\0"]
        broken += [content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :] for at in flipped]
        for each in broken:
            path.write_bytes(each)
            said = error_of(copied)
            if said is not None:
                assert path.name in said, f"{path.name} is not named: {said}"
                noticed += 1
            else:
                # What was changed is not read: a file of an old state, or a part that no reader needs.
                assert rows(opened_again(copied)) == wanted, path.name
        path.write_bytes(content)
    assert noticed > len(files_of(copied)) * 8


def test_files_that_were_swapped_are_errors(copied):
    """Each is whole, with a key that is right for the other."""
    for suffix in (".parquet", ".puffin", ".avro"):
        of_kind = [path for path in files_of(copied) if path.suffix == suffix]
        one, other = of_kind[0], of_kind[1]
        content = one.read_bytes(), other.read_bytes()
        one.write_bytes(content[1])
        other.write_bytes(content[0])
        said = error_of(copied, all_states=True)
        assert said is not None
        assert one.name in said or other.name in said
        one.write_bytes(content[0])
        other.write_bytes(content[1])


def outer(keys: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The keys that the wrapping key wraps."""
    return [each for each in keys if "properties" in each]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda keys: keys.clear(), InvalidDataError),
        (lambda keys: [each.update({"encrypted-by-id": "nobody"}) for each in keys], FloebergError),
        (
            lambda keys: [each["properties"].update({"KEY_TIMESTAMP": "1"}) for each in outer(keys)],
            InvalidDataError,
        ),
        (
            lambda keys: [each.update({"encrypted-key-metadata": "AAAA"}) for each in outer(keys)],
            FloebergError,
        ),
        (
            lambda keys: [each.update({"encrypted-key-metadata": "not base64 !"}) for each in keys],
            FloebergError,
        ),
        (
            lambda keys: [
                each.update({"encrypted-key-metadata": keys[1]["encrypted-key-metadata"]})
                for each in keys[1:]
            ],
            FloebergError,
        ),
    ],
    ids=["no keys", "by nobody", "another time", "cut", "no base64", "one for all"],
)
def test_keys_of_metadata_that_were_changed_are_errors(copied, change, error):
    path = max(
        copied.folder.glob("metadata/v*.metadata.json"), key=lambda each: int(each.name[1:].split(".")[0])
    )
    metadata = json.loads(path.read_text())
    change(metadata["encryption-keys"])
    path.write_text(json.dumps(metadata))
    with pytest.raises(error):
        fb.open_table(path, relocate=copied.relocate, storage_options=copied.options).scan().to_arrow()


def test_a_missing_file_is_an_error_that_names_it(copied):
    for path in files_of(copied):
        if path.suffix == ".parquet":
            path.unlink()
    with pytest.raises(NotFoundError, match=r"\.parquet"):
        rows(fb.open_table(copied.folder, relocate=copied.relocate, storage_options=copied.options))


def test_keys_of_24_bytes_are_refused_by_name(tmp_path):
    table = java_table("middle_keys", tmp_path)
    with pytest.raises(UnsupportedError, match="24 bytes"):
        fb.open_table(table.folder, relocate=table.relocate, storage_options=table.options).scan().to_arrow()

"""Fields of manifests and manifest lists that this version does not know stay where entries are written again."""

from __future__ import annotations

import json
from pathlib import Path

import fastavro
import pytest

from maintenance.disk import path_of, rows

pytestmark = pytest.mark.unchecked_tables("fields that no version of the specification has")

ENTRY = {"name": "batch", "type": ["null", "string"], "default": None, "field-id": 7001}
FILE = {
    "name": "origin",
    "field-id": 7002,
    "type": {
        "type": "record",
        "name": "r7002",
        "fields": [
            {"name": "engine", "type": "string", "field-id": 7003},
            {"name": "digest", "type": {"type": "fixed", "name": "four", "size": 4}, "field-id": 7004},
        ],
    },
}
OTHER = {"name": "batch", "type": ["null", "long"], "default": None, "field-id": 7001}
LISTED = {"name": "seen", "type": ["null", "long"], "default": None, "field-id": 7005}
MERGING = {"commit.manifest-merge.enabled": "true", "commit.manifest.min-count-to-merge": "2"}
ALONE = {"commit.manifest-merge.enabled": "false"}


def read(path):
    with Path(path).open("rb") as opened:
        reader = fastavro.reader(opened)
        return reader.writer_schema, dict(reader.metadata), list(reader)


def change(path, fields, values):
    """Adds fields to the records of a file, as a writer of a newer version has them."""
    schema, metadata, records = read(path)
    schema = {key: value for key, value in schema.items() if not key.startswith("__")}
    for field in fields:
        holder = schema
        if field is FILE:
            holder = next(each["type"] for each in schema["fields"] if each["name"] == "data_file")
        holder["fields"].append(field)
    for record in records:
        values(record)
    header = {key: value for key, value in metadata.items() if not key.startswith("avro.")}
    with Path(path).open("wb") as opened:
        fastavro.writer(opened, fastavro.parse_schema(schema), records, metadata=header, codec="deflate")


def mark(record):
    name = Path(record["data_file"]["file_path"]).name
    record["batch"] = f"of {name}"
    record["data_file"]["origin"] = {"engine": name, "digest": b"\x00\x01\x02\x03"}


def manifests(table):
    return [path_of(each) for each in table.inspect.manifests()["path"].to_pylist()]


def manifest_list(table):
    metadata = json.loads(table._inner.metadata_json())
    current = metadata["current-snapshot-id"]
    snapshot = next(each for each in metadata["snapshots"] if each["snapshot-id"] == current)
    return path_of(snapshot["manifest-list"])


def entries(table):
    """What each entry of the current manifests says: the name of its file, its status, and the fields of others."""
    found = []
    for path in manifests(table):
        for record in read(path)[2]:
            name = Path(record["data_file"]["file_path"]).name
            origin = record["data_file"].get("origin")
            found.append((name, record["status"], record.get("batch"), origin))
    return sorted(found, key=lambda each: (each[0], each[1]))


def expected(name, status):
    return name, status, f"of {name}", {"engine": name, "digest": b"\x00\x01\x02\x03"}


@pytest.fixture(params=[2, 3])
def marked(request, make, catalog):
    """A table of three manifests whose entries have fields of others, and one without such fields."""

    def made(**properties):
        table = make(request.param, **{**ALONE, **properties})
        for number, part in enumerate("abc"):
            table.append(rows(number, number + 10, part=part))
        for path in manifests(table):
            change(path, [ENTRY, FILE], mark)
        known = [each[0] for each in entries(table)]
        # Loaded anew, since what was read before is kept.
        table = catalog.load_table("db.t")
        return table, known

    return made


def merge(table):
    """Has the next append merge manifests."""
    with table.transaction() as transaction:
        transaction.set_properties(MERGING)


def ids(table):
    return sorted(table.scan().to_arrow()["id"].to_pylist())


def check(table, known, statuses):
    """All known files have their fields; others have none."""
    found = {each[0]: each for each in entries(table)}
    for name in known:
        assert found[name] == expected(name, statuses.get(name, 0)), name
    assert all(each[2:] == (None, None) for name, each in found.items() if name not in known)


def test_manifests_that_are_written_again_keep_them(marked):
    table, known = marked()
    table.append(rows(99))
    before = ids(table)
    done = table.maintenance.rewrite_manifests()
    assert (done.rewritten_manifests_count, done.added_manifests_count) == (4, 1)
    assert len(entries(table)) == 4
    check(table, known, {})
    assert ids(table) == before
    # Again, from what was written: with all types under names of their own.
    table.append(rows(100))
    table.maintenance.rewrite_manifests()
    check(table, known, {})
    assert len(ids(table)) == len(before) + 1


def test_merged_manifests_keep_them(marked):
    table, known = marked()
    merge(table)
    table.append(rows(99))
    assert len(manifests(table)) == 1
    check(table, known, {})
    assert len(ids(table)) == 7


def test_repaired_manifests_keep_them(marked, catalog):
    table, known = marked()
    table.append(rows(99))
    before = ids(table)
    for path in manifests(table)[-2:]:

        def wrong(record):
            record["data_file"]["file_size_in_bytes"] += 1

        change(path, [], wrong)
    table = catalog.load_table("db.t")
    done = table.repair(table.check("files"))
    assert {each.rule.id for each, _ in done.repaired} >= {"file-size", "manifest-length"}
    check(table, known, dict.fromkeys(known, 1) | {each[0]: each[1] for each in entries(table)})
    assert ids(table) == before
    assert table.check("rows").is_sound()


def test_entries_of_removed_files_keep_them(marked):
    """The one that was deleted, and its neighbours."""
    table, known = marked()
    table.maintenance.rewrite_manifests()
    gone = [each.file.file_path for each in table.scan(row_filter="part = 'b'").plan_files()]
    table.delete("part = 'b'")
    check(table, known, {Path(gone[0]).name: 2})
    assert ids(table) == [0, 2, 10, 12]
    # The rows of the others are in a new file, and the old one is deleted.
    table.delete("id = 10")
    [path] = [name for name, status, _, _ in entries(table) if status == 2]
    assert path in known
    check(table, set(known) - {Path(gone[0]).name}, {path: 2})


def test_fields_of_one_id_and_two_types_are_not_put_together(marked, catalog):
    table, known = marked()
    table.append(rows(99, part="d"))
    change(manifests(table)[0], [OTHER], lambda record: record.update(batch=5))
    table = catalog.load_table("db.t")
    before = manifests(table)
    assert table.maintenance.rewrite_manifests().snapshot_ids == ()
    assert manifests(table) == before
    merge(table)
    table.append(rows(100))
    assert len(manifests(table)) == 5
    marks = {each[0]: each[2] for each in entries(table)}
    assert sorted(map(str, marks.values())) == sorted(["5", "None", *(f"of {name}" for name in known)])
    assert len(ids(table)) == 8


@pytest.mark.parametrize("version", [1, 2, 3])
def test_rows_of_manifest_lists_keep_them(make, catalog, version):
    table = make(version, **ALONE)
    table.append(rows(1))
    table.append(rows(2))

    def see(record):
        record["seen"] = record["manifest_length"] + 1

    change(manifest_list(table), [LISTED], see)
    seen = {each["manifest_path"]: each["seen"] for each in read(manifest_list(table))[2]}
    table = catalog.load_table("db.t")
    assert ids(table) == [1, 2]
    for number in (3, 4):
        table.append(rows(number))
        found = {each["manifest_path"]: each["seen"] for each in read(manifest_list(table))[2]}
        assert found.items() >= seen.items()
        assert [found[path] for path in found if path not in seen] == [None] * (number - 2)
    table.maintenance.rewrite_manifests()
    # A manifest that was replaced is gone with its row, and no row has the field.
    assert not any("seen" in each for each in read(manifest_list(table))[2])
    assert ids(table) == [1, 2, 3, 4]

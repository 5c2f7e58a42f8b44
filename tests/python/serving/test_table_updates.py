"""The updates of a client make the metadata that Rust makes of them, and wrong ones are refused."""

from __future__ import annotations

import datetime as dt
import json

import pyarrow as pa
import pytest

from every_write import WRITES
from floeberg.catalog import MemoryCatalog
from floeberg.catalog.metastore import MetastoreTableOperations
from floeberg.commit import table_from_metadata
from floeberg.errors import CommitConflictError, InvalidInputError, UnsupportedError
from floeberg.serving import attempts
from floeberg.serving.requirements import check_requirements

SCHEMA = pa.schema({"id": pa.int64(), "city": pa.string()})


@pytest.fixture
def compared(monkeypatch):
    """Each commit to a table is made of its updates too, and is the same; how many were compared."""
    known, seen = MetastoreTableOperations.commit, []

    def commit(self, base, attempt):
        wanted = json.loads(attempt.metadata_json)
        requirements, updates = json.loads(attempt.requirements_json), json.loads(attempt.updates_json)
        check_requirements(requirements, base)
        with monkeypatch.context() as at_the_same_time:
            at_the_same_time.setattr(attempts.time, "time_ns", lambda: wanted["last-updated-ms"] * 1_000_000)
            made = attempts.ServedAttempt(base, requirements, updates, self.storage_options)
        assert json.loads(made.metadata_json) == wanted
        assert made.properties == attempt.properties
        assert made.metadata_folder == attempt.metadata_folder
        assert made.snapshot_id == attempt.snapshot_id
        seen.append([each["action"] for each in updates])
        return known(self, base, made)

    monkeypatch.setattr(MetastoreTableOperations, "commit", commit)
    return seen


@pytest.fixture
def catalog(tmp_path):
    made = MemoryCatalog(f"updates {tmp_path}", {"warehouse": str(tmp_path)})
    made.create_namespace("ns")
    return made


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("write", WRITES)
def test_each_write_is_what_its_updates_say(compared, catalog, write, version):
    if version == 1 and write == "commit_row_delta":
        pytest.skip("v1 has no row deltas")
    table = catalog.create_table("ns.t", SCHEMA, format_version=version)
    table.append(pa.table({"id": [1, 2], "city": ["Oslo", "Riga"]}))
    change, ids = WRITES[write]
    if version == 1 and write in {"update", "upsert", "merge"}:
        table.set_properties({"write.update.mode": "copy-on-write", "write.merge.mode": "copy-on-write"})
    change(table)
    assert sorted(catalog.load_table("ns.t").scan().to_arrow()["id"].to_pylist()) == ids
    assert len(compared) >= 3


@pytest.mark.parametrize("version", [1, 2])
def test_each_change_of_a_table_is_what_its_updates_say(compared, catalog, version):
    table = catalog.create_table(
        "ns.t", SCHEMA, format_version=version, sort_order=["id desc"], properties={"a": "1", "b": "2"}
    )
    for number in range(4):
        table.append(pa.table({"id": [number], "city": ["Oslo"]}))
    first, second, *_ = table.snapshots()
    with table.update_schema() as schema:
        schema.add_column("more", "int")
        schema.rename_column("city", "town")
    with table.update_schema() as schema:
        schema.delete_column("more")
    with table.update_spec() as spec:
        spec.add_field("id", "bucket[4]")
    with table.update_spec() as spec:
        spec.remove_field("id_bucket_4")
    table.update_sort_order().asc("town").commit()
    table.set_properties({"a": "3", "write.metadata.previous-versions-max": "4"})
    table.remove_properties("b")
    with table.manage_snapshots() as refs:
        refs.create_branch(first.snapshot_id, "dev").create_tag(second.snapshot_id, "old")
    with table.manage_snapshots() as refs:
        refs.remove_tag("old")
    with table.manage_snapshots() as refs:
        refs.set_current_snapshot(second.snapshot_id)
    table.append(pa.table({"id": [9], "town": ["Bonn"]}))
    table.maintenance.compute_partition_stats()
    table.upgrade_table_version(version + 1)
    table.maintenance.expire_snapshots(retain_last=1, older_than=dt.datetime.now(dt.timezone.utc))
    catalog.replace_table("ns.t", SCHEMA)
    seen = {action for each in compared for action in each}
    assert seen >= {
        "assign-uuid", "upgrade-format-version", "add-schema", "set-current-schema", "add-spec", "set-default-spec",
        "add-sort-order", "set-default-sort-order", "add-snapshot", "set-snapshot-ref", "remove-snapshot-ref",
        "remove-snapshots", "set-properties", "remove-properties", "set-partition-statistics", "set-location",
    }  # fmt: skip


BASE = {
    "format-version": 2,
    "table-uuid": "5C0BD9A8-56fb-4d9a-92ac-0a0ac5f6fd5a",
    "location": "s3://b/t",
    "last-sequence-number": 7,
    "last-updated-ms": 5,
    "last-column-id": 1,
    "current-schema-id": 0,
    "schemas": [
        {
            "type": "struct",
            "schema-id": 0,
            "fields": [{"id": 1, "name": "id", "required": False, "type": "long"}],
        }
    ],
    "default-spec-id": 0,
    "partition-specs": [{"spec-id": 0, "fields": []}],
    "last-partition-id": 999,
    "default-sort-order-id": 0,
    "sort-orders": [{"order-id": 0, "fields": []}],
    "properties": {},
    "refs": {"main": {"snapshot-id": 1, "type": "branch"}},
    "current-snapshot-id": 1,
    "snapshots": [{"snapshot-id": 1, "sequence-number": 7, "timestamp-ms": 5, "manifest-list": "s3://b/t/m"}],
    "statistics": [],
    "partition-statistics": [],
    "snapshot-log": [],
    "metadata-log": [],
    "of-a-later-version": {"kept": 1},
}


def opened(base=BASE):
    return table_from_metadata(json.dumps(base), "s3://b/t/v1.json", storage_options={})


def after(*updates, base=BASE):
    return json.loads(attempts.ServedAttempt(opened(base), [], list(updates), {}).metadata_json)


def snapshot(**members):
    found = {
        "snapshot-id": 2,
        "parent-snapshot-id": 1,
        "sequence-number": 8,
        "timestamp-ms": 6,
        "manifest-list": "s3://b/t/n",
        "summary": {"operation": "append"},
    }
    return {"action": "add-snapshot", "snapshot": {**found, **members}}


def test_what_is_not_understood_stays():
    assert after({"action": "set-properties", "updates": {"a": "1"}})["of-a-later-version"] == {"kept": 1}


def test_a_location_that_stays_is_no_change():
    same = attempts.ServedAttempt(opened(), [], [{"action": "set-location", "location": "s3://b/t"}], {})
    assert not same.changes
    assert attempts.ServedAttempt(opened(), [], [{"action": "remove-properties", "removals": []}], {}).changes


def test_partition_fields_without_ids_get_some():
    fields = [
        {"name": "a", "transform": "identity", "source-id": 1},
        {"name": "b", "transform": "void", "source-id": 1},
    ]
    made = after({"action": "add-spec", "spec": {"spec-id": 5, "fields": fields}})
    assert [each["field-id"] for each in made["partition-specs"][1]["fields"]] == [1000, 1001]
    assert made["last-partition-id"] == 1001


@pytest.mark.parametrize(
    ("update", "error", "message"),
    [
        ({"action": "explode"}, UnsupportedError, "unknown action of a table update"),
        ({}, InvalidInputError, "the required key .action. is missing"),
        ({"action": ["set-location"]}, InvalidInputError, "action: expected a string"),
        ({"action": "assign-uuid", "uuid": "other"}, InvalidInputError, "a uuid cannot change"),
        (
            {"action": "upgrade-format-version", "format-version": 1},
            InvalidInputError,
            "cannot be downgraded to 1",
        ),
        ({"action": "upgrade-format-version", "format-version": 9}, UnsupportedError, "1, 2 or 3, found 9"),
        (
            {"action": "upgrade-format-version", "format-version": True},
            InvalidInputError,
            "a 32-bit integer, found true",
        ),
        ({"action": "add-schema", "schema": 7}, InvalidInputError, "an object for a schema, found 7"),
        ({"action": "set-current-schema", "schema-id": -1}, InvalidInputError, "the commit added none"),
        ({"action": "set-current-schema", "schema-id": 4}, InvalidInputError, "has no schema 4"),
        ({"action": "remove-schemas", "schema-ids": [0]}, InvalidInputError, "cannot be removed"),
        ({"action": "remove-schemas", "schema-ids": ["0"]}, InvalidInputError, "found the string"),
        ({"action": "remove-partition-specs", "spec-ids": [0]}, InvalidInputError, "cannot be removed"),
        (
            {"action": "add-spec", "spec": {"fields": [4]}},
            InvalidInputError,
            "expected an object, found the number 4",
        ),
        (snapshot(**{"snapshot-id": 1}), InvalidInputError, "already has a snapshot with this id"),
        (snapshot(**{"sequence-number": 7}), CommitConflictError, "a sequence number after 7, found 7"),
        (
            {"action": "set-snapshot-ref", "ref-name": "main", "snapshot-id": 5, "type": "branch"},
            InvalidInputError,
            "names a snapshot that the table does not have",
        ),
        (
            {"action": "set-snapshot-ref", "ref-name": "main", "snapshot-id": 1, "type": "tag"},
            InvalidInputError,
            "cannot be a tag",
        ),
        ({"action": "set-location", "location": ""}, InvalidInputError, "cannot be empty"),
        (
            {"action": "set-properties", "updates": {"a": 1}},
            InvalidInputError,
            "updates.a: expected a string, found the number 1",
        ),
        (
            {"action": "remove-properties", "removals": "a"},
            InvalidInputError,
            "removals: expected a list, found the string",
        ),
    ],
)
def test_wrong_updates_are_refused(update, error, message):
    with pytest.raises(error, match=message):
        after(update)


def test_row_ids_of_v3_are_taken_once():
    base = {**BASE, "format-version": 3, "next-row-id": 10}
    made = after(snapshot(**{"first-row-id": 10, "added-rows": 5}), base=base)
    assert made["next-row-id"] == 15
    with pytest.raises(CommitConflictError, match="row ids from 10 on, found them from 4 on"):
        after(snapshot(**{"first-row-id": 4, "added-rows": 5}), base=base)
    with pytest.raises(InvalidInputError, match="row ids from 10 on, found -1"):
        after(snapshot(**{"first-row-id": 10, "added-rows": -1}), base=base)


@pytest.mark.parametrize(
    ("requirement", "message"),
    [
        ({"type": "assert-create"}, "another writer created the table"),
        ({"type": "assert-table-uuid", "uuid": "other"}, "the table uuid other"),
        (
            {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 2},
            "the snapshot of the ref 2, found 1",
        ),
        (
            {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None},
            "the snapshot of the ref none, found 1",
        ),
        (
            {"type": "assert-ref-snapshot-id", "ref": "dev", "snapshot-id": 1},
            "the snapshot of the ref 1, found none",
        ),
        (
            {"type": "assert-last-assigned-field-id", "last-assigned-field-id": 2},
            "highest column id 2, found 1",
        ),
        ({"type": "assert-current-schema-id", "current-schema-id": 2}, "current schema 2, found 0"),
        (
            {"type": "assert-last-assigned-partition-id", "last-assigned-partition-id": 2},
            "field id 2, found 999",
        ),
        ({"type": "assert-default-spec-id", "default-spec-id": 2}, "default partition spec 2, found 0"),
        (
            {"type": "assert-default-sort-order-id", "default-sort-order-id": 2},
            "default sort order 2, found 0",
        ),
    ],
)
def test_requirements_that_do_not_hold_are_conflicts(requirement, message):
    with pytest.raises(CommitConflictError, match=message):
        check_requirements([requirement], opened())
    if requirement["type"] != "assert-create":
        with pytest.raises(CommitConflictError, match="does not exist"):
            check_requirements([requirement], None)


def test_requirements_that_hold():
    uuid = BASE["table-uuid"]
    check_requirements(
        [
            {"type": "assert-table-uuid", "uuid": uuid.upper()},
            {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 1},
            {"type": "assert-ref-snapshot-id", "ref": "dev", "snapshot-id": None},
            {"type": "assert-default-spec-id", "default-spec-id": 0},
        ],
        opened(),
    )
    check_requirements([{"type": "assert-create"}], None)


def test_unknown_requirements_are_refused():
    with pytest.raises(UnsupportedError, match="unknown type of a table requirement"):
        check_requirements([{"type": "assert-weather"}], opened())
    for malformed in ({}, {"type": 3}):
        with pytest.raises(InvalidInputError, match="type"):
            check_requirements([malformed], opened())


def test_requirements_without_their_member_are_refused():
    with pytest.raises(InvalidInputError, match="the required key .uuid. is missing"):
        check_requirements([{"type": "assert-table-uuid"}], opened())

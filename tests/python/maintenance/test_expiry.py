"""Snapshots expire, and the files go that only they need."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import floeberg as fb
from floeberg import errors
from maintenance.disk import EVER, content, named, on_disk, path_of, rows

DAY = 24 * 60 * 60 * 1000
NAMES = '[{"field-id": 1, "names": ["id"]}, {"field-id": 2, "names": ["part"]}]'


# Which snapshots expire: the rules of the specification, "Snapshot Retention Policy", on metadata alone.


@dataclass
class Made:
    """Metadata: each snapshot has an id, a parent and an age in days; each ref a snapshot and its retention."""

    snapshots: list[tuple[int, int | None, float]]
    refs: dict[str, dict[str, Any]]
    properties: dict[str, str] = field(default_factory=dict)


LINE = [(1, None, 9.0), (2, 1, 7.0), (3, 2, 6.0), (4, 3, 1.0), (5, 4, 0.5)]
MAIN = {"main": {"snapshot-id": 5, "type": "branch"}}


def branch(snapshot_id: int, **retention: int) -> dict[str, Any]:
    return {"snapshot-id": snapshot_id, "type": "branch"} | {
        key.replace("_", "-"): value for key, value in retention.items()
    }


def tag(snapshot_id: int, **retention: int) -> dict[str, Any]:
    return branch(snapshot_id, **retention) | {"type": "tag"}


RETENTION = {
    "five days are the default": (Made(LINE, MAIN), {}, [4, 5], ["main"]),
    "a property says the age": (
        Made(LINE, MAIN, {"history.expire.max-snapshot-age-ms": str(int(6.5 * DAY))}),
        {},
        [3, 4, 5],
        ["main"],
    ),
    "a property says how many stay": (
        Made(LINE, MAIN, {"history.expire.min-snapshots-to-keep": "4"}),
        {},
        [2, 3, 4, 5],
        ["main"],
    ),
    "arguments win over properties": (
        Made(
            LINE,
            MAIN,
            {"history.expire.max-snapshot-age-ms": "1", "history.expire.min-snapshots-to-keep": "4"},
        ),
        {"older_than": 6.5, "retain_last": 1},
        [3, 4, 5],
        ["main"],
    ),
    "the newest stays, however old": (Made(LINE, MAIN), {"older_than": 0}, [5], ["main"]),
    "as many as are wanted stay": (
        Made(LINE, MAIN),
        {"older_than": 0, "retain_last": 3},
        [3, 4, 5],
        ["main"],
    ),
    "more than there are": (
        Made(LINE, MAIN),
        {"older_than": 0, "retain_last": 99},
        [1, 2, 3, 4, 5],
        ["main"],
    ),
    "a branch has an age of its own": (
        Made(LINE, MAIN | {"main": branch(5, max_snapshot_age_ms=8 * DAY)}),
        {"older_than": 0},
        [2, 3, 4, 5],
        ["main"],
    ),
    "a branch says how many stay": (
        Made(LINE, {"main": branch(5, min_snapshots_to_keep=2)}),
        {"older_than": 0, "retain_last": 4},
        [4, 5],
        ["main"],
    ),
    "another branch keeps its line": (
        Made(LINE, MAIN | {"dev": branch(3, min_snapshots_to_keep=2)}),
        {"older_than": 0},
        [2, 3, 5],
        ["dev", "main"],
    ),
    "a tag keeps its snapshot alone": (
        Made(LINE, MAIN | {"first": tag(2)}),
        {"older_than": 0},
        [2, 5],
        ["first", "main"],
    ),
    "an old tag goes": (
        Made(
            LINE, MAIN | {"first": tag(2, max_ref_age_ms=5 * DAY), "second": tag(3, max_ref_age_ms=8 * DAY)}
        ),
        {"older_than": 0},
        [3, 5],
        ["main", "second"],
    ),
    "refs go by the age of the table": (
        Made(
            LINE,
            MAIN | {"first": tag(2), "dev": branch(4), "kept": tag(1, max_ref_age_ms=99 * DAY)},
            {"history.expire.max-ref-age-ms": str(2 * DAY)},
        ),
        {"older_than": 0},
        [1, 4, 5],
        ["dev", "kept", "main"],
    ),
    "main never goes": (
        Made(LINE[:3], {"main": branch(3, max_ref_age_ms=1)}),
        {"older_than": 0},
        [3],
        ["main"],
    ),
    "snapshots without a ref stay while they are young": (
        Made([*LINE, (6, 3, 2.0), (7, 6, 0.1)], MAIN),
        {"older_than": 1},
        [4, 5, 7],
        ["main"],
    ),
    "a young one behind an old one of its branch goes": (
        Made([(1, None, 0.1), (2, 1, 8.0), (3, 2, 0.1)], {"main": branch(3)}),
        {"older_than": 1},
        [3],
        ["main"],
    ),
    "one by its id": (Made(LINE, MAIN), {"older_than": 99, "snapshot_ids": [3]}, [1, 2, 4, 5], ["main"]),
    "what an old ref named goes by its id": (
        Made(LINE, MAIN | {"first": tag(2, max_ref_age_ms=1)}),
        {"older_than": 99, "snapshot_ids": [2]},
        [1, 3, 4, 5],
        ["main"],
    ),
}


def fabricated(folder: Path, made: Made, now: int) -> fb.Table:
    """A table whose snapshots have no manifests, and the ages that are wanted."""
    snapshots = []
    for number, (snapshot_id, parent, age) in enumerate(made.snapshots, start=1):
        snapshots.append(
            {
                "snapshot-id": snapshot_id,
                "sequence-number": number,
                "timestamp-ms": int(now - age * DAY),
                "manifest-list": f"{folder}/metadata/snap-{snapshot_id}.avro",
                "summary": {"operation": "append"},
                "schema-id": 0,
            }
            | ({} if parent is None else {"parent-snapshot-id": parent})
        )
    metadata = {
        "format-version": 2,
        "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": str(folder),
        "last-sequence-number": len(snapshots),
        "last-updated-ms": max(each["timestamp-ms"] for each in snapshots),
        "last-column-id": 1,
        "schemas": [
            {
                "type": "struct",
                "schema-id": 0,
                "fields": [{"id": 1, "name": "id", "required": False, "type": "long"}],
            }
        ],
        "current-schema-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "default-spec-id": 0,
        "last-partition-id": 999,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "default-sort-order-id": 0,
        "properties": made.properties,
        "current-snapshot-id": made.refs["main"]["snapshot-id"],
        "refs": made.refs,
        "snapshots": snapshots,
    }
    (folder / "metadata").mkdir(parents=True)
    (folder / "metadata" / "v1.metadata.json").write_text(json.dumps(metadata))
    (folder / "metadata" / "version-hint.text").write_text("1")
    return fb.open_table(str(folder))


@pytest.mark.unchecked_tables("their snapshots have no manifests")
@pytest.mark.parametrize("name", RETENTION)
def test_what_stays_is_what_the_specification_says(tmp_path, name):
    import time

    made, arguments, snapshots, refs = RETENTION[name]
    now = time.time_ns() // 1_000_000
    table = fabricated(tmp_path / "t", made, now)
    arguments = dict(arguments)
    if "older_than" in arguments:
        arguments["older_than"] = int(now - arguments["older_than"] * DAY)
    planned = table.maintenance.expire_snapshots(**arguments, dry_run=True, delete_files=False)
    assert planned.dry_run
    assert {each for each, _, _ in made.snapshots}.difference(planned.snapshot_ids) == set(snapshots)
    done = table.maintenance.expire_snapshots(**arguments, delete_files=False)
    assert (done.snapshot_ids, done.refs) == (planned.snapshot_ids, planned.refs)
    assert [each.snapshot_id for each in table.snapshots()] == snapshots
    assert sorted(table.refs()) == refs
    assert (
        fb.open_table(str(tmp_path / "t")).current_snapshot().snapshot_id == made.refs["main"]["snapshot-id"]
    )


@pytest.mark.unchecked_tables("their snapshots have no manifests")
@pytest.mark.parametrize(
    ("made", "snapshot_id", "error", "match"),
    [
        (Made(LINE, MAIN), 5, errors.InvalidInputError, "'main' names it|\"main\" names it"),
        (Made(LINE, MAIN | {"first": tag(2)}), 2, errors.InvalidInputError, "tag first"),
        (Made(LINE, MAIN), 99, errors.NotFoundError, "99"),
        (Made(LINE, MAIN, {"gc.enabled": "false"}), 2, errors.InvalidInputError, "gc.enabled"),
        (
            Made(LINE, MAIN, {"history.expire.min-snapshots-to-keep": "x"}),
            2,
            errors.InvalidInputError,
            "min-snapshots-to-keep",
        ),
    ],
)
def test_what_cannot_expire_is_refused(tmp_path, made, snapshot_id, error, match):
    import time

    table = fabricated(tmp_path / "t", made, time.time_ns() // 1_000_000)
    before = on_disk(tmp_path)
    for dry_run in (True, False):
        with pytest.raises(error, match=match):
            table.maintenance.expire_snapshots(snapshot_ids=[snapshot_id], older_than=1, dry_run=dry_run)
    assert on_disk(tmp_path) == before


# Files.


@pytest.mark.parametrize("version", [1, 2, 3])
def test_files_go_that_only_expired_snapshots_need(make, version):
    table = make(version)
    table.append(rows(1, 2))
    table.append(rows(3, part="b"))
    table.overwrite(rows(4), overwrite_filter="part = 'a'")
    table.delete("id = 3")
    table.append(rows(5, 6))
    before, needed = on_disk(table.location()), content(table)
    done = table.maintenance.expire_snapshots(older_than=EVER)
    assert len(done.snapshot_ids) == len(needed) - 1
    assert done.deleted_data_files_count == 2
    assert content(table) == {table.current_snapshot().snapshot_id: [4, 5, 6]}
    assert on_disk(table.location()) == named(table)
    assert {*done.deleted_files} == before - on_disk(table.location())
    assert not done.kept_files
    assert not done.failed_files


def test_deletes_go_with_their_data(make):
    table = make(3)
    table.append(rows(1, 2, 3))
    table.delete("id = 1", mode="merge-on-read")
    table.delete("id = 2", mode="merge-on-read")
    done = table.maintenance.expire_snapshots(older_than=EVER)
    assert (done.deleted_position_delete_files_count, done.deleted_data_files_count) == (1, 0)
    table.overwrite(rows(7))
    done = table.maintenance.expire_snapshots(older_than=EVER)
    assert (done.deleted_position_delete_files_count, done.deleted_data_files_count) == (1, 1)
    assert on_disk(table.location()) == named(table)


def test_a_dry_run_says_what_would_be_done_and_does_nothing(make):
    table = make()
    table.append(rows(1))
    table.overwrite(rows(2))
    before = on_disk(table.location())
    planned = table.maintenance.expire_snapshots(older_than=EVER, dry_run=True)
    assert on_disk(table.location()) == before
    assert len(table.snapshots()) == 2
    done = table.maintenance.expire_snapshots(older_than=EVER)
    assert done != planned
    assert {*done.deleted_files} == {*planned.deleted_files} == before - on_disk(table.location())


def test_a_branch_and_a_tag_keep_their_files(make):
    table = make()
    first = table.append(rows(1)).snapshot_id
    with table.manage_snapshots() as snapshots:
        snapshots.create_tag(first, "first").create_branch(first, "dev")
    table.append(rows(2), branch="dev")
    table.overwrite(rows(3))
    table.maintenance.expire_snapshots(older_than=EVER)
    assert sorted(map(tuple, content(table).values())) == [(1,), (1, 2), (3,)]
    assert on_disk(table.location()) == named(table)


def test_a_file_that_came_back_under_its_old_path_stays(make):
    import pyarrow.parquet as pq

    table = make(**{"schema.name-mapping.default": NAMES})
    path = str(Path(path_of(table.location())) / "data" / "part=a" / "own.parquet")
    Path(path).parent.mkdir(parents=True)
    pq.write_table(rows(2, 3), path)
    table.add_files([path])
    table.delete("id > 0")
    table.add_files([path])
    done = table.maintenance.expire_snapshots(older_than=EVER)
    assert (len(done.snapshot_ids), done.deleted_data_files_count) == (2, 0)
    assert content(table) == {table.current_snapshot().snapshot_id: [2, 3]}
    table.delete("id > 0")
    assert table.maintenance.expire_snapshots(older_than=EVER).deleted_data_files_count == 1
    assert not Path(path).exists()


def test_a_snapshot_that_came_back_keeps_its_files(make):
    table = make()
    first = table.append(rows(1, 2)).snapshot_id
    table.overwrite(rows(3))
    table.manage_snapshots().set_current_snapshot(first).commit()
    table.maintenance.expire_snapshots(older_than=EVER)
    assert content(table) == {first: [1, 2]}
    assert on_disk(table.location()) == named(table)


def test_unused_schemas_and_specs_go_on_request(make):
    table = make()
    table.append(rows(1))
    with table.update_schema() as update:
        update.add_column("more", "long")
    with table.update_spec() as update:
        update.add_field("id", "bucket[4]")
    table.overwrite(table.scan().to_arrow())
    table.maintenance.expire_snapshots(older_than=EVER)
    assert (len(table.schemas()), len(table.specs())) == (2, 2)
    table.maintenance.expire_snapshots(older_than=EVER, clean_expired_metadata=True)
    # The deleted entries of the old spec are in a manifest that the snapshot still has.
    assert (len(table.schemas()), len(table.specs())) == (1, 2)
    table.append(table.scan().to_arrow())
    assert table.scan().count() == 2


def test_files_outside_of_the_table_are_kept_and_named(make, tmp_path):
    table = make(**{"write.data.path": str(tmp_path / "elsewhere")})
    table.append(rows(1))
    with table.transaction() as transaction:
        transaction.remove_properties("write.data.path")
    table.overwrite(rows(2))
    done = table.maintenance.expire_snapshots(older_than=EVER)
    assert len(done.kept_files) == 1
    assert done.deleted_data_files_count == 0
    assert len(on_disk(tmp_path / "elsewhere")) == 1


def test_each_removal_is_logged(make, caplog):
    table = make()
    table.append(rows(1))
    table.overwrite(rows(2))
    with caplog.at_level(logging.INFO, "floeberg.maintenance"):
        done = table.maintenance.expire_snapshots(older_than=EVER)
    lines = [each.getMessage() for each in caplog.records if each.name == "floeberg.maintenance"]
    assert sorted(lines) == sorted(f"removed {each}" for each in done.deleted_files)


@pytest.mark.unchecked_tables("a manifest is damaged")
def test_a_manifest_that_cannot_be_read_stops_the_removal(make):
    table = make()
    table.append(rows(1))
    table.overwrite(rows(2))
    table.append(rows(3))
    kept = table.inspect.manifests()["path"].to_pylist()
    Path(kept[0].removeprefix("file://")).write_bytes(b"damaged")
    before = on_disk(table.location())
    with pytest.raises(errors.InvalidDataError):
        table.maintenance.expire_snapshots(older_than=EVER)
    assert before <= on_disk(table.location())


def test_what_others_commit_meanwhile_stays(make, catalog):
    table = make()
    table.append(rows(1))
    table.append(rows(2))
    stale = catalog.load_table("db.t")
    with table.manage_snapshots() as snapshots:
        snapshots.create_tag(table.snapshots()[0].snapshot_id, "kept")
    table.overwrite(rows(3))
    stale.maintenance.expire_snapshots(older_than=EVER)
    assert sorted(map(tuple, content(table.refresh()).values())) == [(1,), (3,)]


# As PyIceberg and Iceberg Java write it.


def test_the_calls_of_other_libraries_do_the_same(make):
    from datetime import datetime, timedelta, timezone

    table = make()
    ids = [table.append(rows(each)).snapshot_id for each in range(5)]
    changes = table.maintenance.expire_snapshots()
    assert "not committed yet" in repr(changes)
    assert len(table.snapshots()) == 5
    changes.by_id(ids[0]).by_ids([ids[1]]).commit()
    assert [each.snapshot_id for each in table.snapshots()] == ids[2:]
    with table.maintenance.expire_snapshots() as expiry:
        expiry.older_than(datetime.now(timezone.utc) + timedelta(days=3)).retain_last(2)
    assert [each.snapshot_id for each in table.snapshots()] == ids[3:]
    assert content(table)[ids[4]] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "wrong",
    [
        {"older_than": "yesterday"},
        {"older_than": 1.5},
        {"retain_last": 0},
        {"retain_last": True},
        {"snapshot_ids": 5},
        {"snapshot_ids": ["5"]},
        {"dry_run": "yes"},
    ],
)
def test_arguments_that_mean_nothing_are_refused(make, wrong):
    table = make()
    table.append(rows(1))
    with pytest.raises(errors.InvalidInputError, match=next(iter(wrong))):
        table.maintenance.expire_snapshots(**wrong)


def test_a_table_that_cannot_be_written_does_not_expire(make):
    table = make()
    table.append(rows(1))
    fixed = fb.open_table(table.metadata_location)
    with pytest.raises(errors.UnsupportedError):
        fixed.maintenance.expire_snapshots(older_than=EVER)

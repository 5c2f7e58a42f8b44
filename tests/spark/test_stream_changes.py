"""What a stream tells of changed rows: the same as the changelog of the table."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from floeberg.errors import InvalidInputError
from lifecycle import loaded
from streaming import FIELDS, Stream, append, expire, files, rename_operation, rows, table_in

CHANGES = ("_change_type", "_change_ordinal", "_commit_snapshot_id")


def told(found):
    """Changes without their order in a snapshot."""
    return sorted(found, key=lambda row: (row["_change_ordinal"], row["_change_type"], row["id"]))


@pytest.mark.parametrize("version", ["2", "3"])
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_changes_are_those_of_the_changelog(tmp_path, version, mode):
    modes = {f"write.{command}.mode": mode for command in ("delete", "update", "merge")}
    table = table_in(tmp_path, properties={"format-version": version, **modes})
    stream = Stream(table, changelog="true", identifier_columns="id")
    assert stream.schema.names == ["id", "part", *CHANGES]
    assert stream.batch() is None
    chance, found = random.Random(7), []
    for number in range(12):
        done = chance.choice(("append", "append", "update", "delete", "overwrite"))
        if done == "append":
            append(table, *range(10 * number, 10 * number + 4))
        elif done == "update":
            table.update({"part": f"new {number}"}, f"id < {chance.randrange(60)}")
        elif done == "delete":
            table.delete(f"id = {10 * chance.randrange(number + 1)}")
        else:
            table.overwrite(rows(number), overwrite_filter=f"id = {10 * chance.randrange(number + 1) + 1}")
        if chance.random() < 0.5:
            found += stream.restart().batch() or []
    found += stream.batch() or []
    expected = table.changelog_scan(identifier_columns=["id"]).to_arrow().to_pylist()
    assert told(found) == told(expected)
    for start, end, batch in stream.log:
        assert stream.restart().between(start, end) == batch


def test_changes_make_a_copy_of_the_table(tmp_path):
    table = table_in(tmp_path / "one", properties={"format-version": "3"})
    copy = table_in(tmp_path / "two")
    stream = Stream(table, changelog="true", identifier_columns="id")
    append(table, 1, 2, 3)
    for number in range(4):
        table.update({"part": str(number)}, "id = 2")
        append(table, 10 + number)
        table.delete(f"id = {number}")
        found = pa.Table.from_pylist(stream.batch()).drop_columns(["_commit_snapshot_id"])
        copy.apply_changes(found, keys=["id"], operation="_change_type", order_by="_change_ordinal")
    now, then = (each.refresh().scan().to_arrow().sort_by("id") for each in (table, copy))
    assert now.to_pylist() == then.to_pylist()


@pytest.mark.unchecked_tables("snapshots are expired or changed by hand")
def test_the_rows_of_the_oldest_snapshot_are_inserts(tmp_path):
    table = table_in(tmp_path, properties={"format-version": "3", "write.delete.mode": "merge-on-read"})
    first = append(table, 1, 2, 3)
    table.delete("id = 2")
    second = table.current_snapshot().snapshot_id
    append(table, 4)
    expire(table, first)
    found = told(Stream(table, changelog="true").batch())
    assert [(row["id"], row["_change_type"], row["_change_ordinal"]) for row in found] == [
        (1, "INSERT", 0),
        (3, "INSERT", 0),
        (4, "INSERT", 1),
    ]
    assert found[0]["_commit_snapshot_id"] == second


@pytest.mark.unchecked_tables("snapshots are expired or changed by hand")
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_changes_of_rows_of_a_snapshot_that_has_expired_are_an_error_and_appends_are_not(tmp_path, mode):
    table = table_in(tmp_path, properties={"format-version": "2", "write.update.mode": mode})
    first = append(table, 1, 2)
    stream = Stream(table, changelog="true", identifier_columns="id")
    assert len(stream.batch()) == 2
    second = append(table, 3)
    expire(table, first)
    assert len(stream.batch()) == 1
    table.update({"part": "x"}, "id = 2")
    start, end = stream.start, stream.reader.latestOffset(stream.start, None)
    expire(table, second)
    message = f"changed rows of snapshot {second}, which has expired.*a checkpoint of its own"
    # Spark has noted no end that it could not read.
    with pytest.raises(InvalidInputError, match=message):
        stream.restart().batch()
    with pytest.raises(InvalidInputError, match=message):
        stream.between(start, end)
    since = str(table.current_snapshot().timestamp_ms)
    with pytest.raises(InvalidInputError, match=message):
        Stream(table, changelog="true", stream_from_timestamp=since).batch()


def test_a_compaction_is_no_change(tmp_path):
    table = table_in(tmp_path)
    append(table, 1)
    done = table.overwrite(rows(1))
    rename_operation(table, done.snapshot_id, "replace")
    append(table, 2)
    assert [(row["id"], row["_change_ordinal"]) for row in told(Stream(table, changelog="true").batch())] == [
        (1, 0),
        (2, 1),
    ]


def test_limits_keep_the_changes_of_a_snapshot_together(tmp_path):
    table = table_in(tmp_path)
    files(table, [1], [2], [3])
    table.update({"part": "x"}, "true")
    append(table, 4)
    stream = Stream(table, changelog="true", streaming_max_files_per_micro_batch="2")
    assert [len(found) for found in iter(stream.batch, None)] == [2, 7, 1]
    for _, end, _ in stream.log[1:]:
        assert end["complete"]


def test_columns_and_filters_narrow_changes(tmp_path):
    table = table_in(tmp_path)
    append(table, 1, 2)
    table.update({"part": "x"}, "id = 2")
    found = Stream(table, changelog="true", columns="part", filter="part = 'x'").batch()
    assert [(row["part"], row["_change_type"]) for row in found] == [("x", "INSERT")]
    assert list(found[0]) == ["part", *CHANGES]


def test_types_have_sparks_forms_in_changes(tmp_path):
    schema = pa.schema([*FIELDS, pa.field("u", pa.uuid()), pa.field("f", pa.binary(3))])
    table = table_in(tmp_path, schema)
    for number in range(2):
        row = {"id": number, "part": "a", "u": bytes([number]) * 16, "f": b"abc"}
        table.append(pa.Table.from_pylist([row], schema))
    table.delete("id = 0")
    found = told(Stream(table, changelog="true").batch())
    assert [(row["u"][:2], row["f"], row["_change_type"]) for row in found] == [
        ("00", b"abc", "INSERT"),
        ("01", b"abc", "INSERT"),
        ("00", b"abc", "DELETE"),
    ]


def test_options_that_contradict_each_other_are_errors(tmp_path):
    table = table_in(tmp_path)
    for options, message in (
        ({"changelog": "true", "streaming-skip-delete-snapshots": "true"}, "reads deleted"),
        ({"identifier-columns": "id"}, "needs 'changelog'"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            Stream(table, **options)
    source, schema = loaded({"path": table.location(), "changelog": "true"})
    with pytest.raises(InvalidInputError, match="use spark.readStream"):
        source.reader(schema=schema)

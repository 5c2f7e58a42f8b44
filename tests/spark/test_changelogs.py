"""What Spark tells of changed rows: the same as `changelog_scan` in one process."""

from __future__ import annotations

import base64
import random
import zlib
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException, PySparkException

import floeberg as fb
import floeberg.spark
from floeberg.errors import InvalidInputError, NotFoundError, UnsupportedError
from reading import forms, load, ours, rows_of
from streaming import FIELDS, append, expire, files, rename_operation, rows, table_in

ADDED = ["_change_type", "_change_ordinal", "_commit_snapshot_id"]


def told(found):
    """Changes without their order."""
    return sorted(tuple(str(value) for value in row.values()) for row in found)


def of_spark(frame):
    return told(row.asDict(recursive=True) for row in frame.collect())


def of_arrow(changes):
    return told(changes.to_arrow().to_pylist())


def changed_table(folder, version, mode, seed):
    """A table that a random history made."""
    modes = {f"write.{command}.mode": mode for command in ("delete", "update", "merge")}
    table = table_in(folder, properties={"format-version": version, **modes})
    chance = random.Random(seed)
    for number in range(14):
        done = chance.choice(("append", "files", "update", "delete", "overwrite", "rename"))
        if done == "append" or not number:
            append(table, *range(10 * number, 10 * number + 4))
        elif done == "files":
            files(table, [10 * number], [10 * number + 1, 10 * number + 2])
        elif done == "update":
            table.update({"part": f"new {number}"}, f"id < {chance.randrange(60)}")
        elif done == "delete":
            table.delete(f"id = {10 * chance.randrange(number + 1)}")
        elif done == "overwrite":
            table.overwrite(rows(number), overwrite_filter=f"id = {10 * chance.randrange(number + 1) + 1}")
        else:
            with table.update_schema() as schema:
                schema.add_column(f"more_{number}", "int")
    return table


@pytest.mark.parametrize("version", ["2", "3"])
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_changes_are_those_of_the_changelog(spark, tmp_path, version, mode):
    table = changed_table(tmp_path, version, mode, 11)
    ids = [each.snapshot_id for each in table.snapshots()]
    assert {each.operation for each in table.snapshots()} > {"append"}
    asked = [
        {},
        {"identifier_columns": ["id"]},
        {"net": True},
        {"net": True, "identifier_columns": ["id"], "selected_fields": ("id",)},
        {"row_filter": "id >= 10 AND part <> '1'"},
        # The columns are those of the snapshot, and not those of today.
        {
            "from_snapshot_id_exclusive": ids[2],
            "to_snapshot_id_inclusive": ids[-3],
            "selected_fields": ("*",),
        },
        {"from_snapshot_id_exclusive": ids[-1]},
    ]
    for arguments in asked:
        changes = table.changelog_scan(**arguments)
        frame = changes.to_spark(spark)
        assert frame.columns == changes.to_arrow().column_names, arguments
        assert of_spark(frame) == of_arrow(changes), arguments


def test_types_and_nulls_are_those_of_a_scan(spark, types, tmp_path):
    table = fb.open_table(types.metadata_file, relocate=types.relocate)
    frame = table.changelog_scan().to_spark(spark)
    assert frame.columns[-3:] == ADDED
    plain = load(spark, types, {})
    assert forms(frame)[:-3] == forms(plain)
    assert [nullable for *_, nullable in forms(frame)[-3:]] == [False, False, False]
    assert sorted(rows_of(frame.where("_change_type = 'INSERT'").drop(*ADDED))) == sorted(rows_of(plain))
    moments = table_in(tmp_path, pa.schema({"at": pa.timestamp("ns")}), properties={"format-version": "3"})
    moments.append(pa.table({"at": pa.array([1_999], pa.timestamp("ns"))}))
    with pytest.raises(UnsupportedError, match="nanoseconds"):
        moments.changelog_scan().to_spark(spark)
    kept = moments.changelog_scan().to_spark(spark, truncate_nanoseconds=True).first()
    assert kept.at.microsecond == 1
    moments.delete("at IS NOT NULL")
    assert moments.changelog_scan().to_spark(spark, truncate_nanoseconds=True).count() == 2


def test_files_of_an_append_are_read_by_many_tasks(spark, tmp_path):
    table = table_in(tmp_path)
    files(table, *([number] for number in range(12)))
    changes = table.changelog_scan()
    frame = changes.to_spark(spark, partitions=4)
    assert frame.selectExpr("spark_partition_id()").distinct().count() == 4
    assert of_spark(frame) == of_arrow(changes)
    one = changes.to_spark(spark, partitions=1)
    assert one.selectExpr("spark_partition_id()").distinct().count() == 1


def test_a_table_without_changes_has_none(spark, tmp_path):
    table = table_in(tmp_path)
    assert table.changelog_scan().to_spark(spark).collect() == []
    append(table, 1)
    same = table.current_snapshot().snapshot_id
    assert table.changelog_scan(same).to_spark(spark).collect() == []


@pytest.mark.unchecked_tables("an append that deletes")
@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_an_append_that_is_none_is_compared(spark, tmp_path, mode, counted):
    """Some writers call a snapshot that also deletes an append. Its summary may not count the deletes."""
    table = table_in(tmp_path, properties={"write.delete.mode": mode, "format-version": "2"})
    append(table, 1, 2, 3)
    table.delete("id = 2")
    rename_operation(table, table.current_snapshot().snapshot_id, "append", keeps_counts=counted)
    append(table, 4)
    found = table.refresh().changelog_scan()
    assert of_spark(found.to_spark(spark)) == of_arrow(found)
    assert found.to_spark(spark).where("_change_type = 'DELETE'").count() == 1
    batches = []
    stream = spark.readStream.format("floeberg").option("changelog", "true")
    first = str(table.snapshots()[0].timestamp_ms)
    query = (
        stream.option("stream-from-timestamp", first)
        .load(table.location())
        .writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
        .foreachBatch(lambda batch, _: batches.extend(batch.collect()))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    seen = sorted((row._change_ordinal, row._change_type, row.id) for row in batches)
    assert seen == [(0, "INSERT", 1), (0, "INSERT", 2), (0, "INSERT", 3), (1, "DELETE", 2), (2, "INSERT", 4)]


def test_a_frame_stays_at_its_snapshots(spark, tmp_path):
    table = table_in(tmp_path)
    append(table, 1)
    frame = table.changelog_scan().to_spark(spark)
    append(table, 2)
    assert [row.id for row in frame.collect()] == [1]


def test_a_wrong_token_is_an_error(spark):
    for junk in (
        b"ChangelogScan\0junk",
        b"ChangelogScan\0[1]\0junk",
        b'ChangelogScan\0[null, null, false]\0{"x',
    ):
        token = base64.b64encode(zlib.compress(junk)).decode()
        with pytest.raises(PySparkException) as raised:
            spark.read.format("floeberg").option("scan-token", token).load()
        assert isinstance(ours(raised.value), fb.errors.FloebergError)


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    table = catalog.create_table("db.t", FIELDS, properties={"format-version": "3"})
    append(table, 1, 2, 3)
    table.update({"part": "x"}, "id = 2")
    table.delete("id = 3")
    return catalog


def asked(spark, lake, text):
    return [tuple(row) for row in floeberg.spark.sql(spark, text, catalog=lake).collect()]


def test_changes_are_queried_by_the_name_of_their_table(spark, lake):
    assert sorted(asked(spark, lake, "SELECT _change_ordinal, _change_type, id, part FROM db.t.changes")) == [
        (0, "INSERT", 1, "1"),
        (0, "INSERT", 2, "2"),
        (0, "INSERT", 3, "0"),
        (1, "DELETE", 2, "2"),
        (1, "INSERT", 2, "x"),
        (2, "DELETE", 3, "0"),
    ]
    star = floeberg.spark.sql(spark, "SELECT * FROM lake.db.t.changes", catalog=lake)
    assert star.columns == ["id", "part", *ADDED]
    count = "SELECT count(*) FROM db.t.changes c JOIN db.t USING (id) WHERE c.id > 1 AND c._change_type = 'INSERT'"
    assert asked(spark, lake, count) == [(2,)]
    first = lake.load_table("db.t").snapshots()[0].snapshot_id
    assert asked(spark, lake, f"SELECT count(*) FROM db.t.changes VERSION AS OF {first}") == [(3,)]
    assert asked(spark, lake, "SELECT sum(id) FROM (SELECT id FROM db.t.changes WHERE part = 'x')") == [(2,)]


def test_a_query_of_changes_reads_the_columns_that_it_names(spark, lake):
    moments = pa.schema({"id": pa.int64(), "at": pa.timestamp("ns")})
    table = lake.create_table("db.moments", moments, properties={"format-version": "3"})
    table.append(pa.table({"id": [1], "at": pa.array([1], pa.timestamp("ns"))}))
    table.delete("id = 1")
    assert sorted(asked(spark, lake, "SELECT _change_type, id FROM db.moments.changes")) == [
        ("DELETE", 1),
        ("INSERT", 1),
    ]
    with pytest.raises(UnsupportedError, match="nanoseconds"):
        asked(spark, lake, "SELECT * FROM db.moments.changes")


@pytest.mark.unchecked_tables("a file is gone")
def test_conditions_leave_out_files_of_changes(spark, lake):
    table = lake.load_table("db.t")
    Path(table.scan("id = 1").plan_files().to_arrow()["file_path"][0].as_py()).unlink()
    append(table, 20, 21)
    assert asked(spark, lake, "SELECT id FROM db.t.changes WHERE id > 20 AND _change_ordinal = 3") == [(21,)]
    with pytest.raises(PySparkException, match="does not exist"):
        asked(spark, lake, "SELECT id FROM db.t.changes WHERE id + 0 > 20")


def test_changes_cannot_be_changed(spark, lake):
    for text in ("DELETE FROM db.t.changes", "INSERT INTO db.t.changes VALUES (1, 'x')"):
        with pytest.raises(InvalidInputError, match="cannot be changed: name the table"):
            asked(spark, lake, text)


@pytest.mark.unchecked_tables("a snapshot expired")
def test_changes_of_expired_snapshots_are_an_error_that_names_the_earliest_start(spark, tmp_path):
    table = table_in(tmp_path)
    append(table, 1)
    append(table, 2)
    expire(table, table.snapshots()[0].snapshot_id)
    lake = fb.load_catalog("streams", type="filesystem", warehouse=str(tmp_path))
    with pytest.raises(InvalidInputError, match="earliest start is snapshot"):
        asked(spark, lake, "SELECT * FROM db.t.changes")


def call(spark, lake, arguments):
    text = f"CALL lake.system.create_changelog_view(table => 'db.t'{arguments})"
    ((view,),) = asked(spark, lake, text)
    return view


def changes_in(spark, view):
    return sorted(
        tuple(row) for row in spark.sql(f"SELECT _change_ordinal, _change_type, id FROM {view}").collect()
    )


def test_a_view_of_changes(spark, lake):
    table = lake.load_table("db.t")
    first, second, third = (each.snapshot_id for each in table.snapshots())
    times = [each.timestamp_ms for each in table.snapshots()]
    assert call(spark, lake, "") == "t_changes"
    later = [(1, "DELETE", 2), (1, "INSERT", 2), (2, "DELETE", 3)]
    assert changes_in(spark, "t_changes") == [*((0, "INSERT", number) for number in (1, 2, 3)), *later]
    assert call(
        spark, lake, f", options => map('start-snapshot-id', '{first}', 'end-snapshot-id', '{second}')"
    )
    assert changes_in(spark, "t_changes") == [(0, "DELETE", 2), (0, "INSERT", 2)]
    assert (
        call(spark, lake, f", changelog_view => 'v', options => map('Start-Timestamp', '{times[0]}')") == "v"
    )
    assert changes_in(spark, "v") == [(0, "DELETE", 2), (0, "INSERT", 2), (1, "DELETE", 3)]
    spark.catalog.dropTempView("v")
    call(spark, lake, f", options => map('end-timestamp', '{times[0]}')")
    assert [row[1] for row in changes_in(spark, "t_changes")] == ["INSERT"] * 3
    call(spark, lake, f", options => map('end-timestamp', '{times[0] - 1}')")
    assert changes_in(spark, "t_changes") == []
    call(spark, lake, f", options => map('start-timestamp', '{times[-1]}')")
    assert changes_in(spark, "t_changes") == []
    call(spark, lake, f", options => map('end-snapshot-id', '{third}'), net_changes => true")
    assert [row[1:] for row in changes_in(spark, "t_changes")] == [("INSERT", 1), ("INSERT", 2)]


def test_a_view_of_changes_computes_updates(spark, lake):
    updates = [(1, "UPDATE_AFTER", 2), (1, "UPDATE_BEFORE", 2), (2, "DELETE", 3)]
    for arguments in (", identifier_columns => array('id')", ", compute_updates => true"):
        call(spark, lake, arguments)
        assert changes_in(spark, "t_changes")[3:] == updates
    call(spark, lake, ", identifier_columns => array('ID'), compute_updates => false")
    assert changes_in(spark, "t_changes")[3:5] == [(1, "DELETE", 2), (1, "INSERT", 2)]


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        (", options => map('start-snapshot', '1')", InvalidInputError, "unknown option 'start-snapshot'"),
        (", options => map('end-snapshot-id', 'x')", InvalidInputError, "expected a snapshot id, found 'x'"),
        (
            ", options => map('start-timestamp', 'x')",
            InvalidInputError,
            "expected milliseconds .*, found 'x'",
        ),
        (", options => map('start-snapshot-id', '5')", InvalidInputError, "snapshot 5 was not found"),
        (", options => map('end-snapshot-id', '5')", NotFoundError, "snapshot 5"),
        (
            ", options => map('end-snapshot-id', '5', 'end-timestamp', '7')",
            InvalidInputError,
            "'end-snapshot-id' and 'end-timestamp' exclude each other",
        ),
        (
            ", options => map('start-timestamp', '9', 'end-timestamp', '7')",
            InvalidInputError,
            "'start-timestamp' is later than 'end-timestamp'",
        ),
        (", identifier_columns => array('no')", InvalidInputError, "no"),
        (
            ", options => map('end-snapshot-id', NULL)",
            InvalidInputError,
            "expected a snapshot id, found None",
        ),
        (
            ", options => map('end-snapshot-id', '1_0')",
            InvalidInputError,
            "expected a snapshot id, found '1_0'",
        ),
        (
            ", options => map('end-timestamp', '7', 'End-Timestamp', '8')",
            InvalidInputError,
            "'end-timestamp' is there twice",
        ),
        (
            ", net_changes => true, identifier_columns => array('id')",
            InvalidInputError,
            "net_changes has no updates",
        ),
        (", net_changes => true, compute_updates => true", InvalidInputError, "net_changes has no updates"),
        (", identifier_columns => array()", InvalidInputError, "expected at least one column"),
        (", changelog_view => 'a b'", AnalysisException, "a b"),
    ],
)
def test_wrong_arguments_are_errors(spark, lake, arguments, error, match):
    with pytest.raises(error, match=match):
        call(spark, lake, arguments)


def test_updates_need_what_tells_rows_apart(spark, lake):
    lake.create_table("db.plain", FIELDS, properties={"format-version": "2"})
    with pytest.raises(InvalidInputError, match="compute_updates needs identifier_columns"):
        asked(
            spark,
            lake,
            "CALL lake.system.create_changelog_view(table => 'db.plain', compute_updates => true)",
        )


def test_a_view_of_a_table_with_an_odd_name(spark, lake):
    table = lake.create_table("db.a b", pa.schema({"n": pa.decimal128(9, 2)}))
    table.append(pa.table({"n": pa.array([Decimal("1.50")], pa.decimal128(9, 2))}))
    ((view,),) = asked(spark, lake, "CALL lake.system.create_changelog_view('db.`a b`')")
    assert view == "`a b_changes`"
    assert [tuple(row)[:2] for row in spark.sql(f"SELECT * FROM {view}").collect()] == [
        (Decimal("1.50"), "INSERT")
    ]


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_an_update_to_the_same_values_is_a_change_only_where_updates_are_asked_for(spark, lake, mode):
    table = lake.load_table("db.t")
    table.set_properties({"write.update.mode": mode})
    start = table.current_snapshot().snapshot_id
    for part in ("x", "y", "x"):
        # A changed row, whatever its old value: Spark does not look.
        floeberg.spark.sql(
            spark, f"UPDATE db.t SET part = concat('{part}', '') WHERE id + 0 = 2", catalog=lake
        )
    changed = [("DELETE", "x"), ("INSERT", "y"), ("DELETE", "y"), ("INSERT", "x")]
    query = "SELECT _change_type, part FROM db.t.changes WHERE id = 2 AND _change_ordinal > 2"
    assert sorted(asked(spark, lake, query)) == sorted(changed)
    options = f", options => map('start-snapshot-id', '{start}')"
    assert call(spark, lake, f"{options}, net_changes => true") == "t_changes"
    assert changes_in(spark, "t_changes") == []
    call(spark, lake, f"{options}, compute_updates => true")
    assert [kind for _, kind, _ in changes_in(spark, "t_changes")] == ["UPDATE_AFTER", "UPDATE_BEFORE"] * 3
    call(
        spark,
        lake,
        f"{options}, net_changes => true, identifier_columns => array('id'), compute_updates => false",
    )
    assert changes_in(spark, "t_changes") == []


def test_a_column_that_differs_in_case_alone_is_an_error_unless_case_counts(spark, lake):
    table = lake.create_table("db.cased", pa.schema({"id": pa.int64(), "_CHANGE_TYPE": pa.string()}))
    table.append(pa.table({"id": [1], "_CHANGE_TYPE": ["own"]}))
    query = "SELECT `_change_type`, `_CHANGE_TYPE` FROM db.cased.changes"
    for text in (
        query,
        "SELECT * FROM db.cased.changes",
        "CALL lake.system.create_changelog_view('db.cased')",
    ):
        with pytest.raises(InvalidInputError, match="which is the same for Spark"):
            asked(spark, lake, text)
    assert asked(spark, lake, "SELECT id FROM db.cased.changes") == [(1,)]
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        assert asked(spark, lake, query) == [("INSERT", "own")]
    finally:
        spark.conf.unset("spark.sql.caseSensitive")

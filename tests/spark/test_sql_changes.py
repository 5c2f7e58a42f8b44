"""DELETE, UPDATE, MERGE INTO and INSERT: the rows that they leave are those of the table's own methods."""

from __future__ import annotations

import datetime
import pickle
import uuid

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import functions as F  # noqa: N812

import floeberg as fb
import floeberg.spark
from floeberg.errors import (
    CommitConflictError,
    InvalidInputError,
    NoSuchTableError,
    NotFoundError,
    UnsupportedError,
)
from floeberg.spark.sql.dml.merge_source import MergeSource
from floeberg.spark.sql.pushdown.strict import exact_filter
from floeberg.spark.sql.text.grammar import Target
from floeberg.spark.sql.text.known_tables import KnownTables
from floeberg.spark.sql.text.statement import read_statement
from floeberg.spark.sql.text.targets import ChangedTable
from floeberg.spark.write import row_changes
from floeberg.spark.write.input_columns import InputColumns
from floeberg.spark.write.tasks import PLACES, ChangeTask

KINDS = [(3, "merge-on-read"), (3, "copy-on-write"), (2, "merge-on-read"), (1, "copy-on-write")]
SCHEMA = pa.schema({"id": pa.int64(), "v": pa.int32(), "s": pa.string(), "d": pa.date32(), "x": pa.float64()})
DAY = datetime.date(2026, 1, 1)


def rows_of(numbers):
    return pa.table(
        {
            "id": list(numbers),
            "v": [None if number % 4 == 3 else number * 10 for number in numbers],
            "s": [f"s{number % 3}" for number in numbers],
            "d": [DAY + datetime.timedelta(days=number % 2) for number in numbers],
            "x": [float("nan") if number == 5 else number / 2 for number in numbers],
        },
        SCHEMA,
    )


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    return catalog


@pytest.fixture
def sql(spark, lake):
    return lambda text, **options: floeberg.spark.sql(spark, text, catalog=lake, **options)


def make(lake, name, version=2, mode="copy-on-write", **options):
    modes = {f"write.{command}.mode": mode for command in ("delete", "update", "merge")}
    table = lake.create_table(f"db.{name}", SCHEMA, format_version=version, properties=modes, **options)
    table.append(rows_of(range(6)))
    table.append(rows_of(range(6, 12)))
    return table


def content(table, *columns):
    scan = table.refresh().scan(selected_fields=columns or ("id", "v", "s", "d"))
    return sorted((tuple(row.values()) for row in scan.to_arrow().to_pylist()), key=lambda row: row[0])


def counts(frame):
    (row,) = frame.collect()
    return row["updated_rows"], row["deleted_rows"], row["inserted_rows"]


@pytest.mark.parametrize(("version", "mode"), KINDS)
def test_changes_leave_the_rows_that_the_methods_of_the_table_leave(spark, sql, lake, version, mode):
    own, other = make(lake, "own", version, mode), make(lake, "other", version, mode)
    ids = dict(content(own, "id", "_row_id")) if version == 3 else {}
    feed = pa.table(
        {"id": [1, 2, 30, 31], "v": [5, 0, 7, None]}, pa.schema({"id": pa.int64(), "v": pa.int32()})
    )
    spark.createDataFrame(feed.to_pylist(), "id bigint, v int").createOrReplaceTempView("feed")

    assert counts(sql("DELETE FROM db.own WHERE upper(s) = 'S0' AND id > 5")) == (0, 2, 0)
    other.delete("s = 's0' AND id > 5")
    assert content(own) == content(other)

    assert counts(
        sql(
            "UPDATE db.own AS o SET v = o.id % 3 + 1, s = concat(s, '!') WHERE id IN (SELECT id + 1 FROM feed)"
        )
    )
    other.update(
        {"v": fb.sql_expr("CASE id WHEN 2 THEN 3 ELSE 1 END"), "s": fb.sql_expr("concat(s, '!')")},
        "id IN (2, 3)",
    )
    assert content(own) == content(other)

    merged = sql(
        """MERGE INTO db.own t USING feed AS f ON t.id = f.id
           WHEN MATCHED AND f.v = 0 THEN DELETE
           WHEN MATCHED THEN UPDATE SET t.v = t.v + f.v
           WHEN NOT MATCHED AND v IS NOT NULL THEN INSERT (id, v, s) VALUES (id, CAST(v AS BIGINT), 'new')
           WHEN NOT MATCHED BY SOURCE AND s = 's2' THEN UPDATE SET s = 'stale'"""
    )
    assert counts(merged) == (1 + 3, 1, 1)
    (
        other.merge(feed, on=["id"])
        .when_matched_delete("source.v = 0")
        .when_matched_update({"v": fb.sql_expr("target.v + source.v")})
        .when_not_matched_insert(
            {"id": fb.col("source.id"), "v": fb.col("source.v"), "s": "new"}, "source.v IS NOT NULL"
        )
        .when_not_matched_by_source_update({"s": "stale"}, "s = 's2'")
        .execute()
    )
    assert content(own) == content(other)
    for number, row_id in content(own, "id", "_row_id") if ids else ():
        assert ids.get(number, row_id) == row_id


CONDITIONS = [
    ("id = 3", True),
    ("3 < id AND id <= 9", True),
    ("NOT (id BETWEEN 3 AND 5)", True),
    ("v <> 20", True),
    ("NOT (v > 20 OR s = 's1')", True),
    ("v IS NULL OR v IN (10, NULL)", True),
    ("v NOT IN (10, 20)", True),
    ("s LIKE 's1%' AND d = DATE '2026-01-02'", True),
    ("d > '2026-01-01'", True),
    ("id > 5000000000", True),
    ("x > 2", False),
    ("x = 2.5", False),
    ("id = '3'", False),
    ("v + 1 = 11", False),
    ("id = 3 AND upper(s) = 'S0'", False),
    ("id BETWEEN 3 AND v", False),
    ("s = 's\\\\1'", False),
    ("id = (SELECT max(id) FROM db.t)", False),
]


def test_conditions_are_evaluated_here_only_where_they_keep_the_rows_that_spark_keeps(spark, sql, lake):
    table = make(lake, "t")
    listed = ", ".join(f"({text}) IS TRUE" for text, _ in CONDITIONS)
    by_spark = list(zip(*sql(f"SELECT id, {listed} FROM db.t").collect(), strict=True))
    for (text, is_exact), chosen in zip(CONDITIONS, by_spark[1:], strict=True):
        known = KnownTables(spark, lake)
        changed = ChangedTable.of(spark, known, Target(("db", "t"), "db.t"))
        found = exact_filter(spark, changed, read_statement(text))
        assert (found is not None) is is_exact, text
        if found is not None:
            kept = {number for number, keeps in zip(by_spark[0], chosen, strict=True) if keeps}
            assert {number for (number,) in content_of(table, found)} == kept, text


def content_of(table, row_filter):
    return [
        tuple(row.values()) for row in table.scan(row_filter, selected_fields=("id",)).to_arrow().to_pylist()
    ]


def test_simple_statements_run_no_task(sql, lake, monkeypatch):
    table = make(lake, "t")
    monkeypatch.setattr(row_changes, "run_tasks", None)
    assert counts(sql("DELETE FROM db.t WHERE id < 2")) == (0, 2, 0)
    assert counts(sql("UPDATE db.t SET v = NULL, s = 'set', d = DATE '2026-05-05' WHERE id = 4")) == (1, 0, 0)
    assert content(table)[2] == (4, None, "set", datetime.date(2026, 5, 5))
    table.manage_snapshots().create_branch(None, "audit").commit()
    assert counts(sql("TRUNCATE TABLE db.t.branch_audit")) == (0, 10, 0)
    assert (table.refresh().scan().count(), table.scan().use_ref("audit").count()) == (10, 0)


def test_the_source_of_a_merge_is_evaluated_once_and_may_read_the_target(spark, sql, lake, tmp_path):
    table = make(lake, "t", 3, "merge-on-read")
    folder = tmp_path / "calls"
    folder.mkdir()

    def seen(number: int) -> int:
        (folder / uuid.uuid4().hex).touch()
        return number

    number = F.udf(seen, "bigint", useArrow=False).asNondeterministic()
    spark.range(8, 14).select(number("id").alias("id"), F.rand().alias("r")).createOrReplaceTempView("drawn")
    done = sql(
        """MERGE INTO db.t t USING drawn s ON t.id = s.id
           WHEN MATCHED THEN UPDATE SET x = r, s = CAST(r AS STRING)
           WHEN NOT MATCHED THEN INSERT (id, x, s) VALUES (id, r, CAST(r AS STRING))"""
    )
    assert counts(done) == (4, 0, 2)
    assert len(list(folder.iterdir())) == 6
    for number, text, x in content(table, "id", "s", "x"):
        assert number < 8 or float(text) == x
    sql(
        """MERGE INTO db.t USING (SELECT max(id) + 1 AS id, count(*) AS n FROM db.t) s ON t.id = s.id
           WHEN NOT MATCHED THEN INSERT (id, v) VALUES (id, n)"""
    )
    assert content(table, "id", "v")[-1] == (14, 14)


def test_a_star_stands_for_all_columns_by_their_names(spark, sql, lake):
    table = make(lake, "t", 2, "merge-on-read")
    spark.sql(
        "SELECT DATE '2026-09-09' AS d, 2.5D AS X, id AS ID, 'star' AS s, CAST(id AS BIGINT) AS v FROM range(11, 13)"
    ).createOrReplaceTempView("starred")
    done = sql(
        """MERGE INTO db.t USING starred ON t.id = starred.id
           WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"""
    )
    assert counts(done) == (1, 0, 1)
    day = datetime.date(2026, 9, 9)
    assert content(table, "*")[11:] == [(11, 11, "star", day, 2.5), (12, 12, "star", day, 2.5)]


@pytest.mark.parametrize("mode", ["merge-on-read", "copy-on-write"])
def test_a_row_that_two_rows_of_the_source_match_is_an_error_and_leaves_no_file(sql, lake, tmp_path, mode):
    table = make(lake, "t", 2, mode)
    before = set(tmp_path.rglob("*.parquet")), table.metadata_location
    with pytest.raises(
        InvalidInputError, match="more than one row of the source matches a row of the table: id = 3"
    ):
        sql(
            "MERGE INTO db.t t USING VALUES (3), (3), (40) AS s(id) ON t.id = s.id "
            "WHEN MATCHED AND t.v > 1000 THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"
        )
    assert (set(tmp_path.rglob("*.parquet")), table.refresh().metadata_location) == before


TWICE = [
    # Clauses for a source with the keys 3, 3 and 40, and the rows that go of 0 to 10; None is an error.
    ("WHEN MATCHED THEN DELETE", {3}),
    ("WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)", {3}),
    ("WHEN MATCHED THEN DELETE WHEN NOT MATCHED BY SOURCE AND t.id < 2 THEN DELETE", {0, 1, 3}),
    ("WHEN NOT MATCHED BY SOURCE AND t.id < 2 THEN DELETE", {0, 1}),
    ("WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)", set()),
    ("WHEN MATCHED AND t.id = 3 THEN DELETE", None),
    ("WHEN MATCHED AND t.id = 4 THEN DELETE WHEN MATCHED THEN DELETE", None),
    ("WHEN MATCHED AND t.id = 4 THEN UPDATE SET v = 1", None),
]


@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize("mode", ["merge-on-read", "copy-on-write"])
def test_only_a_delete_of_all_matched_rows_may_match_a_row_twice(sql, lake, mode, small, monkeypatch):
    # As in Spark and Iceberg Java: a row that goes whatever its row of the source is goes once.
    monkeypatch.setattr(MergeSource, "is_small", small)
    for number, (clauses, gone) in enumerate(TWICE):
        table = make(lake, f"t{number}", 2, mode)
        before = {row[0] for row in content(table, "id")}
        text = f"MERGE INTO db.t{number} t USING VALUES (3), (3), (40) AS s(id) ON t.id = s.id {clauses}"
        if gone is None:
            with pytest.raises(InvalidInputError, match="more than one row of the source matches"):
                sql(text)
            continue
        inserts = "INSERT" in clauses
        assert counts(sql(text)) == (0, len(gone), int(inserts)), clauses
        assert {row[0] for row in content(table, "id")} == before - gone | ({40} if inserts else set())


def test_a_change_is_validated_from_the_snapshot_that_it_read(sql, lake, monkeypatch, tmp_path):
    table = make(lake, "t", 2, "merge-on-read")
    run = row_changes.run_tasks

    def slow(*arguments, **named):
        done = run(*arguments, **named)
        lake.load_table("db.t").append(rows_of([50]))
        return done

    monkeypatch.setattr(row_changes, "run_tasks", slow)
    table.set_properties({"commit.retry.num-retries": "0"})
    before = set(tmp_path.rglob("*.parquet"))
    with pytest.raises(CommitConflictError):
        sql("UPDATE db.t SET v = length(s)")
    assert (table.refresh().scan().count(), len(set(tmp_path.rglob("*.parquet")) - before)) == (13, 1)


def test_a_task_that_ran_twice_changes_rows_once(lake):
    table = make(lake, "t", 3, "merge-on-read")
    recipe, snapshot = table.row_delta_recipe(), table.current_snapshot().snapshot_id
    places = table.scan("id < 3", selected_fields=("*", "_file", "_pos", "_row_id")).to_arrow()
    columns = dict(
        zip(
            PLACES,
            [pa.array([2] * 3, pa.int32()), *(places[name] for name in ("_file", "_pos", "_row_id"))],
            strict=True,
        )
    )
    batch = (
        pa.table({**columns, **{name: places[name] for name in SCHEMA.names}})
        .combine_chunks()
        .to_batches()[0]
    )
    own = InputColumns(tuple(SCHEMA.names), (None,) * len(SCHEMA))
    task = pickle.loads(pickle.dumps(ChangeTask(recipe, own, has_lineage=True)))
    done = [task(iter([batch])) for _ in range(2)]
    table.commit_row_delta([done[1].written, done[1].places], read_snapshot_id=snapshot)
    assert (table.scan().count(), done[1].updated, done[1].deleted) == (12, 3, 0)
    twice = task(iter([batch, batch.slice(0, 1)]))
    assert twice.twice == (places["_file"][0].as_py(), places["_pos"][0].as_py())


def test_inserts_follow_columns_names_and_the_overwrite_mode(spark, sql, lake):
    table = make(lake, "t", partition_spec=["d"])
    sql("INSERT INTO db.t (s, id) SELECT 'part', 100L")
    sql("INSERT INTO db.t BY NAME SELECT 'named' AS s, 101 AS id")
    sql("INSERT INTO db.t PARTITION (d = '2026-03-01') SELECT 102, 1L, 'static', 0.5")
    assert content(table, "id", "v", "s", "d")[12:] == [
        (100, None, "part", None),
        (101, None, "named", None),
        (102, 1, "static", datetime.date(2026, 3, 1)),
    ]
    sql("INSERT OVERWRITE db.t PARTITION (d = '2026-01-01') SELECT 200, v, s, x FROM db.t WHERE id = 1")
    kept = content(table, "id", "d")
    assert [number for number, day in kept if day == DAY] == [200]
    assert len(kept) == 10
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try:
        sql("INSERT OVERWRITE TABLE db.t VALUES (300, 1, 'dynamic', DATE '2026-01-02', 0D)")
    finally:
        spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    assert [number for (number, *_) in content(table)] == [100, 101, 102, 200, 300]
    sql("INSERT INTO db.t REPLACE WHERE id < 200 SELECT * FROM db.t WHERE id = 101")
    assert [number for (number, *_) in content(table)] == [101, 200, 300]
    assert counts(sql("INSERT OVERWRITE db.t SELECT * FROM db.t WHERE id = 200")) == (0, 3, 1)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("DELETE db.t", UnsupportedError, "expected FROM, found 'db'"),
        ("DELETE FROM db.t USING db.t WHERE id = 1", UnsupportedError, "found 'USING'"),
        ("UPDATE db.t SET id + 1", UnsupportedError, r"expected ==, found '\+'"),
        ("UPDATE db.t SET id.x = 1", InvalidInputError, "'id' has no field 'x'"),
        ("UPDATE db.t SET d = named_struct('a', 1) WHERE id > v", InvalidInputError, "write CAST"),
        ("UPDATE db.t SET nothing = 1", InvalidInputError, "no column 'nothing'"),
        ("UPDATE db.t SET v = 1, v = 2", InvalidInputError, "'v' is set twice"),
        ("UPDATE db.t SET v = 'text' WHERE id > v", InvalidInputError, "write CAST"),
        ("INSERT INTO db.t SELECT 1", InvalidInputError, "1 columns, and 5 are expected"),
        ("INSERT INTO db.t (id) VALUES ('x')", InvalidInputError, "write CAST"),
        ("INSERT INTO db.t PARTITION (v = 1) SELECT 1", InvalidInputError, "not partitioned by"),
        (
            "INSERT INTO db.t REPLACE WHERE upper(s) = 'A' SELECT * FROM db.t",
            UnsupportedError,
            "REPLACE WHERE",
        ),
        ("DELETE FROM db.t.files WHERE content = 0", InvalidInputError, "cannot be changed"),
        ("INSERT INTO db.t.branch_nothing VALUES (1)", NotFoundError, "nothing"),
        ("MERGE INTO db.t USING db.t AS s ON t.id = s.id", UnsupportedError, "expected WHEN, found the end"),
        ("DELETE WITH SCHEMA EVOLUTION FROM db.t", UnsupportedError, "expected FROM, found 'WITH'"),
        (
            "MERGE INTO db.t USING (SELECT 1 AS Floeberg_row) s ON id = s.floeberg_row WHEN MATCHED THEN DELETE",
            InvalidInputError,
            "the source has a column 'floeberg_row'",
        ),
        (
            "MERGE INTO db.t USING (SELECT 1 AS k) s ON id = k WHEN MATCHED THEN DELETE WHEN MATCHED THEN DELETE",
            InvalidInputError,
            "never reached",
        ),
        (
            "MERGE INTO db.t USING (SELECT 1 AS k) s ON id = k WHEN NOT MATCHED THEN INSERT (id) VALUES (v)",
            InvalidInputError,
            "there is no column 'v'",
        ),
        (
            "MERGE INTO db.t USING (SELECT 1 AS k) ON v = k WHEN NOT MATCHED AND db.t.v = 1 THEN INSERT (v) VALUES (k)",
            InvalidInputError,
            "of the other side",
        ),
        (
            "MERGE INTO db.t USING (SELECT 1 AS k) s ON id = k WHEN NOT MATCHED THEN INSERT *",
            InvalidInputError,
            "the source has no column 'id'",
        ),
        (
            "MERGE INTO db.t USING (SELECT 1 AS k) s ON id = k WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = s.k",
            InvalidInputError,
            "of the other side",
        ),
    ],
)
@pytest.mark.usefixtures("empty_table")
def test_what_is_not_understood_is_an_error_that_shows_it(sql, text, error, words):
    with pytest.raises(error, match=words):
        sql(text)


@pytest.fixture
def empty_table(lake):
    return lake.create_table("db.t", SCHEMA)


def test_settings_that_change_values_or_places_are_refused(spark, sql, lake):
    table = make(lake, "t")
    for key, value, text in (
        ("spark.sql.ansi.enabled", "false", "UPDATE db.t SET v = id + 1"),
        ("spark.sql.storeAssignmentPolicy", "LEGACY", "UPDATE db.t SET v = id + 1"),
    ):
        spark.conf.set(key, value)
        try:
            with pytest.raises(UnsupportedError, match=key):
                sql(text)
        finally:
            spark.conf.unset(key)
    with pytest.raises(InvalidInputError, match="by their names"):
        sql("DELETE FROM db.t WHERE id = ?", args=[1])
    assert counts(sql("DELETE FROM db.t WHERE id = :one", args={"one": 1})) == (0, 1, 0)
    with pytest.raises(Exception, match="CAST_OVERFLOW|overflow"):
        sql("UPDATE db.t SET v = id + 5000000000")
    assert table.refresh().scan().count() == 11


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM db.t WHERE id > 0 LIMIT 1",
        "DELETE FROM db.t WHERE id > 0 ORDER BY id",
        "DELETE FROM db.t WHERE id > 0 GROUP BY id HAVING false",
        "DELETE FROM db.t WHERE id > 0 UNION SELECT 1",
        "UPDATE db.t SET v = 1 WHERE id > 0 LIMIT 1",
        "UPDATE db.t SET v = 1 FROM db.t AS o WHERE id > 0",
        "INSERT INTO db.t REPLACE WHERE id > 0 LIMIT 1 SELECT * FROM db.t",
    ],
)
def test_what_follows_a_condition_or_a_value_is_not_left_out(sql, lake, text):
    table = make(lake, "t")
    with pytest.raises((ParseException, UnsupportedError)):
        sql(text)
    assert len(table.refresh().snapshots()) == 2


def test_common_table_expressions_stand_before_changes(spark, sql, lake):
    """Spark's grammar has `ctes? dmlStatementNoWith`: what is defined is seen by every query of the statement."""
    table = make(lake, "t", 3, "merge-on-read")
    spark.createDataFrame([(1,), (2,)], "id bigint").createOrReplaceTempView("listed")
    assert counts(
        sql("WITH x AS (SELECT id FROM listed) DELETE FROM db.t WHERE id IN (SELECT id FROM x)")
    ) == (
        0,
        2,
        0,
    )
    most = "WITH top(m) AS (SELECT max(id) FROM db.t), other AS (SELECT 1)"
    assert counts(sql(f"{most} UPDATE db.t AS t SET v = 7 WHERE t.id = (SELECT m FROM `TOP`)")) == (1, 0, 0)
    assert counts(
        sql("WITH delete AS (SELECT 3L AS id) DELETE FROM db.t WHERE id IN (SELECT id FROM delete)")
    ) == (0, 1, 0)
    merged = sql("""
        WITH s AS (SELECT id, 1 AS v, 's' AS s FROM listed UNION ALL SELECT id, 2, 's' FROM db.t WHERE id = 4)
        MERGE INTO db.t USING s ON t.id = s.id AND s.id < (SELECT count(*) + 100 FROM s)
        WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)
    """)
    assert counts(merged) == (1, 0, 2)
    assert [row[:2] for row in content(table)][:4] == [(0, 0), (1, 1), (2, 1), (4, 2)]
    for text in (
        "WITH x AS (SELECT 60L AS id) INSERT INTO db.t (id) SELECT id FROM x",
        "WITH x AS (SELECT 60L AS id) INSERT INTO db.t (id) WITH y AS (SELECT * FROM x) SELECT id FROM y",
        "WITH x AS (SELECT 60L AS id) INSERT INTO db.t (id, v) VALUES (60L, DEFAULT)",
    ):
        assert counts(sql(text)) == (0, 0, 1), text
    assert content(table, "id", "v")[-3:] == [(60, None)] * 3
    assert sql("WITH update AS (SELECT id FROM db.t) SELECT count(*) FROM update").first()[0] == 14
    with pytest.raises(UnsupportedError, match="DELETE: expected FROM, found 'db'"):
        sql("WITH x AS (SELECT 1) DELETE db.t")


@pytest.mark.parametrize("name", ["_pos", "_FILE"])
def test_rows_of_tables_with_columns_named_like_places_stay(sql, lake, name):
    schema = pa.schema({"id": pa.int64(), name: pa.int64()})
    table = lake.create_table("db.t", schema, format_version=3)
    table.append([{"id": 1, name: 10}, {"id": 2, name: 20}])
    merged = (
        "MERGE INTO db.t USING (SELECT 1L AS k) s ON id = k "
        "WHEN MATCHED THEN UPDATE SET id = 5 WHEN NOT MATCHED THEN INSERT (id) VALUES (k)"
    )
    for text in ("UPDATE db.t SET id = id + 1", "DELETE FROM db.t WHERE id % 2 = 0", merged):
        with pytest.raises(InvalidInputError, match=f"the table has a column '{name}'"):
            sql(text)
    assert content(table, "id", name) == [(1, 10), (2, 20)]


def test_names_of_columns_may_have_dots(spark, sql, lake):
    table = lake.create_table("db.dots", pa.schema({"id": pa.int64(), "a.b": pa.int64()}), format_version=3)
    floeberg.spark.write(spark.createDataFrame([(1, 1), (2, 2)], "id long, `a.b` long"), table)
    sql("INSERT INTO db.dots VALUES (3, 3)")
    sql("UPDATE db.dots SET `a.b` = `a.b` * 10 WHERE id % 2 = 1")
    sql(
        "MERGE INTO db.dots t USING (SELECT 2L AS id UNION ALL SELECT 4L) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET `a.b` = t.`a.b` + 5 WHEN NOT MATCHED THEN INSERT (id, `a.b`) VALUES (s.id, 4)"
    )
    table.refresh()
    found = table.scan().to_arrow().sort_by("id").to_pydict()
    assert found == {"id": [1, 2, 3, 4], "a.b": [10, 7, 30, 4]}


def test_subqueries_stand_in_every_part_of_a_merge(spark, sql, lake):
    table = make(lake, "t", 2, "merge-on-read")
    lake.create_table("db.other", as_select=pa.table({"id": pa.array([4, 40], pa.int64()), "x": ["a", "b"]}))
    spark.createDataFrame([(1, 5), (40, 6), (50, 7)], "id bigint, v int").createOrReplaceTempView("feed")
    merged = sql("""
        MERGE INTO db.t USING feed AS s ON t.id = s.id AND s.id IN (SELECT id FROM db.other UNION ALL SELECT 1L)
        WHEN MATCHED AND EXISTS (SELECT 1 FROM db.other o WHERE o.id > t.id) THEN UPDATE
            SET v = s.v + (SELECT CAST(count(*) AS INT) FROM db.other)
        WHEN NOT MATCHED AND s.id = (SELECT max(id) FROM db.other) THEN INSERT (id, v, s)
            VALUES (id, s.v, (SELECT max(x) FROM db.other WHERE id = s.id))
        WHEN NOT MATCHED BY SOURCE AND t.id = (SELECT min(id) FROM db.other) THEN DELETE
        WHEN NOT MATCHED BY SOURCE AND id > (SELECT count(*) + 8 FROM db.other t WHERE t.x = 'a') THEN UPDATE
            SET s = (SELECT min(t.x) FROM db.other t)
    """)
    assert counts(merged) == (3, 1, 1)
    found = {row[0]: row[1:3] for row in content(table)}
    assert found[1] == (7, "s1") and found[40] == (6, "b")
    assert 4 not in found
    assert [found[number][1] for number in (9, 10, 11)] == ["s0", "a", "a"]
    for clause in (
        "WHEN NOT MATCHED AND 1 = (SELECT max(x) FROM db.other WHERE d IS NULL) THEN INSERT (id) VALUES (s.id)",
        "WHEN NOT MATCHED BY SOURCE AND EXISTS (SELECT 1 FROM db.other o WHERE o.id = s.v) THEN DELETE",
    ):
        with pytest.raises(AnalysisException, match="UNRESOLVED_COLUMN|cannot be resolved"):
            sql(f"MERGE INTO db.t USING feed AS s ON t.id = s.id {clause}")


@pytest.mark.parametrize("namespace", ["lake.db", "db"])
def test_a_target_that_is_missing_is_named(sql, lake, namespace):
    make(lake, "t")
    for text in (
        "DELETE FROM {} WHERE id = 1",
        "UPDATE {} SET v = 1",
        "INSERT INTO {} VALUES (1)",
        "INSERT INTO {} SELECT * FROM db.t",
        "MERGE INTO {} t USING db.t AS s ON t.id = s.id WHEN MATCHED THEN DELETE",
        "WITH x AS (SELECT 1) INSERT INTO {} SELECT * FROM x",
        "ALTER TABLE {} ADD COLUMN x INT",
        "DESCRIBE {}",
        "SHOW TBLPROPERTIES {}",
        "SHOW CREATE TABLE {}",
    ):
        with pytest.raises(NoSuchTableError, match="'db.u'.*near matches: 'db.t'"):
            sql(text.format(f"{namespace}.u"))


def test_a_column_may_have_the_name_of_a_place(sql, lake):
    columns = pa.schema({"k": pa.int32(), "FLOEBERG_file": pa.string(), "floeberg_pos": pa.int64()})
    for version, mode in KINDS:
        modes = {f"write.{command}.mode": mode for command in ("delete", "update", "merge")}
        table = lake.create_table(
            f"db.t{version}{mode[0]}", columns, format_version=version, properties=modes
        )
        table.append(
            pa.table({"k": [1, 2, 3], "FLOEBERG_file": ["a", "b", "c"], "floeberg_pos": [7, 8, 9]}, columns)
        )
        name = f"db.t{version}{mode[0]}"
        sql(f"UPDATE {name} SET FLOEBERG_file = upper(FLOEBERG_file), k = k + 10 WHERE k rlike '[12]'")
        sql(f"DELETE FROM {name} WHERE FLOEBERG_file rlike 'A'")
        assert content(table, "k", "FLOEBERG_file", "floeberg_pos") == [(3, "c", 9), (12, "B", 8)]


@pytest.mark.parametrize("limit", ["0", "-1"])
def test_changes_run_without_a_limit_of_rows_in_a_batch(spark, sql, lake, limit):
    table = make(lake, "t", 3, "merge-on-read")
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", limit)
    try:
        assert counts(sql("DELETE FROM db.t WHERE id rlike '^1'")) == (0, 3, 0)
        assert counts(sql("UPDATE db.t SET v = id % 7")) == (9, 0, 0)
        assert sql("SELECT count(*), max(_row_id) FROM db.t").first()[:] == (9, 9)
        assert sql("SELECT count(*) FROM db.t.files").first()[0] == table.refresh().inspect.files().num_rows
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")

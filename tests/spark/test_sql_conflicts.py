"""What others commit while a statement runs: which of it conflicts, when the statement runs again, and what is read."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.errors import CommitConflictError
from floeberg.scan import Scan
from floeberg.spark.sql.dml import merge_source
from floeberg.spark.write import row_changes

SCHEMA = pa.schema({"id": pa.int64(), "v": pa.int64(), "s": pa.string()})


def rows_of(numbers):
    numbers = list(numbers)
    return pa.table(
        {"id": numbers, "v": [each * 10 for each in numbers], "s": [f"s{each}" for each in numbers]}, SCHEMA
    )


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    return catalog


@pytest.fixture
def sql(spark, lake):
    return lambda text: floeberg.spark.sql(spark, text, catalog=lake)


@pytest.fixture
def table(lake):
    modes = {f"write.{command}.mode": "merge-on-read" for command in ("delete", "update", "merge")}
    made = lake.create_table(
        "db.t", SCHEMA, format_version=3, properties={**modes, "commit.retry.min-wait-ms": "1"}
    )
    made.append(rows_of(range(5)))
    made.append(rows_of(range(100, 105)))
    return made


@pytest.fixture
def meanwhile(lake, monkeypatch):
    """What is committed once between the tasks of a statement and its commit; and how often tasks ran."""
    told = {"ran": 0, "done": None}
    run = row_changes.run_tasks

    def slow(*arguments, **named):
        done = run(*arguments, **named)
        told["ran"] += 1
        if told["done"] is not None:
            told["done"], change = None, told["done"]
            change(lake.load_table("db.t"))
        return done

    monkeypatch.setattr(row_changes, "run_tasks", slow)
    return told


def content(table):
    return sorted((row["id"], row["v"], row["s"]) for row in table.refresh().scan().to_arrow().to_pylist())


FEED = "(SELECT * FROM VALUES (3L, 7L), (50L, 8L) AS f(id, v))"
MERGE = (
    f"MERGE INTO db.t t USING {FEED} s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v "
    "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)"
)
STATEMENTS = [
    "DELETE FROM db.t WHERE id BETWEEN 3 AND 50 AND upper(s) <> ''",
    "UPDATE db.t SET v = length(s) WHERE id >= 3 AND id <= 50 AND s IS NOT NULL",
    MERGE,
    "MERGE INTO db.t t USING (SELECT 3L AS id) s ON t.id = s.id AND t.v < 60 WHEN MATCHED THEN UPDATE SET v = t.v + 1",
]


@pytest.mark.parametrize("text", STATEMENTS)
def test_rows_that_a_statement_does_not_reach_do_not_conflict(sql, table, meanwhile, text):
    meanwhile["done"] = lambda other: other.append(rows_of([70, -1]))
    sql(text)
    assert meanwhile == {"ran": 1, "done": None}
    assert [row for row in content(table) if row[0] in {70, -1}] == [(-1, -10, "s-1"), (70, 700, "s70")]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (STATEMENTS[0], [0, 1, 2, 100, 101, 102, 103, 104]),
        (MERGE, [0, 1, 2, 3, 4, 50, 100, 101, 102, 103, 104]),
    ],
)
def test_a_statement_runs_again_where_it_reaches_new_rows(sql, table, meanwhile, text, left):
    meanwhile["done"] = lambda other: other.append(rows_of([50]))
    sql(text)
    assert meanwhile["ran"] == 2
    found = content(table)
    assert [number for number, _, _ in found] == left
    if 50 in left:
        assert (50, 8, "s50") in found


def test_the_source_is_evaluated_again_only_where_it_reads_the_table(spark, sql, table, meanwhile):
    meanwhile["done"] = lambda other: other.append(rows_of([200]))
    sql(
        "MERGE INTO db.t t USING (SELECT max(id) + 1 AS id FROM db.t) s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"
    )
    assert (meanwhile["ran"], content_ids(table)[-2:]) == (2, [200, 201])
    spark.range(3, 4).createOrReplaceTempView("own")
    meanwhile["done"] = lambda other: other.append(rows_of([3]))
    drawn = "(SELECT id, rand() AS r FROM own)"
    sql(
        f"MERGE INTO db.t t USING {drawn} s ON t.id = s.id WHEN MATCHED THEN UPDATE SET s = CAST(s.r AS STRING)"
    )
    changed = [text for number, _, text in content(table) if number == 3]
    assert (meanwhile["ran"], len(changed), len(set(changed))) == (4, 2, 1)


def content_ids(table):
    return [number for number, _, _ in content(table)]


@pytest.mark.parametrize(
    "text",
    [
        "UPDATE db.t SET v = length(s) WHERE id IN (SELECT id FROM own)",
        """MERGE INTO db.t t USING (SELECT own.id FROM own JOIN db.t USING (id)) s ON t.id = s.id
           WHEN MATCHED THEN DELETE""",
    ],
)
def test_a_statement_does_not_run_again_where_its_source_may_be_another(  # noqa: PLR0913, PLR0917
    spark, sql, table, meanwhile, tmp_path, text
):
    spark.range(3, 5).createOrReplaceTempView("own")
    meanwhile["done"] = lambda other: other.append(rows_of([4]))
    files = set(tmp_path.rglob("*.parquet"))
    with pytest.raises(CommitConflictError) as caught:
        sql(text)
    assert "reads `own`, which may have changed" in caught.value.__notes__[0]
    assert (meanwhile["ran"], len(set(tmp_path.rglob("*.parquet")) - files)) == (1, 1)
    assert content_ids(table) == [0, 1, 2, 3, 4, 4, 100, 101, 102, 103, 104]


def test_a_view_of_the_table_counts_as_the_table(spark, sql, lake, table, meanwhile):
    floeberg.spark.create_view(spark, "seen", "db.t", catalog=lake)
    spark.sql("SELECT max(id) AS top FROM seen").createOrReplaceTempView("top_of_it")
    meanwhile["done"] = lambda other: other.append(rows_of([300]))
    with pytest.raises(CommitConflictError):
        sql("UPDATE db.t SET v = -1 WHERE id = 3 AND id < (SELECT top FROM top_of_it)")
    assert (3, 30, "s3") in content(table)


@pytest.mark.parametrize("reader", ["create_view", "arrow", "distributed", "format", "changelog", "metadata"])
def test_a_view_that_tasks_read_counts_as_the_table(  # noqa: PLR0913, PLR0917
    spark, sql, lake, table, meanwhile, reader
):
    """Spark knows no files of what tasks of Floeberg read. The options of its relations name the table."""
    if reader == "create_view":
        floeberg.spark.create_view(spark, "seen", "db.t", catalog=lake)
    elif reader == "format":
        spark.read.format("floeberg").load(table.location()).createOrReplaceTempView("seen")
    elif reader == "changelog":
        table.changelog_scan().to_spark(spark).createOrReplaceTempView("seen")
    elif reader == "metadata":
        spark.read.format("floeberg").load(table.metadata_location).createOrReplaceTempView("seen")
    else:
        planning = "distributed" if reader == "distributed" else "local"
        frame = floeberg.spark.table(spark, table, reader="arrow", planning=planning)
        frame.createOrReplaceTempView("seen")
    for text in (
        "MERGE INTO db.t USING (SELECT id, v + 1 AS v FROM seen) z ON t.id = z.id WHEN MATCHED THEN UPDATE SET v = z.v",
        "UPDATE db.t SET v = (SELECT max(v) FROM seen) WHERE id = 3",
        "WITH seen AS (SELECT id FROM seen) DELETE FROM db.t WHERE id NOT IN (SELECT id FROM seen WHERE id > 1)",
        "DELETE FROM db.t WHERE id NOT IN (WITH seen AS (SELECT id FROM seen) SELECT id FROM seen WHERE id > 1)",
    ):
        meanwhile["done"] = lambda other: other.update({"v": 5000}, "id IN (0, 3)")
        # The other writer changes a row that the statement changes, or adds one that it would delete.
        if "DELETE" in text:
            meanwhile["done"] = lambda other: other.append(rows_of([300]))
        before = meanwhile["ran"]
        with pytest.raises(CommitConflictError) as caught:
            sql(text)
        assert "`seen`" in "".join(caught.value.__notes__), text
        assert meanwhile["ran"] == before + 1
    assert {row[1] for row in content(table) if row[0] in {0, 3}} == {5000}
    assert content_ids(table) == [*range(5), *range(100, 105), 300, 300]


def test_a_view_of_another_table_that_tasks_read_does_not_count(spark, sql, lake, table, meanwhile):
    other = lake.create_table("db.other", SCHEMA)
    other.append(rows_of([3, 50]))
    spark.read.format("floeberg").load(other.location()).createOrReplaceTempView("seen")
    meanwhile["done"] = lambda other: other.append(rows_of([300]))
    sql("MERGE INTO db.t USING seen z ON t.id = z.id WHEN MATCHED THEN UPDATE SET v = -1")
    assert [row for row in content(table) if row[0] in {3, 300}] == [(3, -1, "s3"), (300, 3000, "s300")]


def test_names_that_spark_puts_together_are_those_that_a_statement_defines(spark, lake, table):
    spark.sql("SELECT 5L AS id, 55L AS v").createOrReplaceTempView("named")
    text = "WITH named AS (SELECT 7L AS id, 77L AS v) INSERT INTO db.t (id, v) SELECT id, v FROM IDENTIFIER(:name)"
    floeberg.spark.sql(spark, text, {"name": "named"}, catalog=lake)
    assert (7, 77, None) in content(table)
    assert content_ids(table) == [*range(5), 7, *range(100, 105)]


def test_statements_end_when_others_are_always_faster(sql, table, meanwhile):
    with table.transaction() as transaction:
        transaction.set_properties({"commit.retry.num-retries": "2"})

    def again(other):
        meanwhile["done"] = again
        other.append(rows_of([50]))

    meanwhile["done"] = again
    with pytest.raises(CommitConflictError) as caught:
        sql(STATEMENTS[0])
    assert (meanwhile["ran"], caught.value.__notes__) == (3, ["the statement ran 3 times"])


@pytest.fixture
def planned(monkeypatch):
    """How many files each frame of a table reads."""
    counts, to_spark = [], Scan.to_spark

    def seen(scan, *arguments, **options):
        counts.append(len(scan.plan_files()))
        return to_spark(scan, *arguments, **options)

    monkeypatch.setattr(Scan, "to_spark", seen)
    return counts


@pytest.mark.parametrize("listed", [1000, 0])
def test_keys_of_the_source_leave_files_out(sql, table, planned, monkeypatch, listed):
    monkeypatch.setattr(merge_source, "_LISTED", listed)
    sql(MERGE)
    sql(f"MERGE INTO db.t USING {FEED} s ON s.id = db.t.id WHEN MATCHED THEN DELETE")
    sql(
        "MERGE INTO db.t USING (SELECT CAST(NULL AS BIGINT) AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE "
        "WHEN NOT MATCHED THEN INSERT (v) VALUES (-5)"
    )
    # The files of the table are 0 to 4, 100 to 104, and later 3 and 50.
    assert planned == [1, 2, 0]
    sql(f"MERGE INTO db.t USING {FEED} s ON t.id = s.id WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = 0")
    assert planned[-1] > 2
    assert table.refresh().scan().to_arrow()["v"].unique().to_pylist() == [0]


KEYS = {
    "int": ([1, None, 2**31 - 1], "bigint", [1, 5_000_000_000, None]),
    "bigint": ([-(2**63), 0, 7], "int", [0, 8]),
    "decimal(9,2)": ([Decimal("1.50"), Decimal("-2.00"), None], "decimal(9,2)", [Decimal("1.50")]),
    "string": (["", "a", "ä", "z" * 2000], "string", ["", "ä", "z" * 2000]),
    "date": ([datetime.date(1969, 1, 1), datetime.date(9999, 12, 31)], "date", [datetime.date(1969, 1, 1)]),
    "timestamp_ntz": (
        [
            datetime.datetime.fromisoformat("0001-01-01"),
            datetime.datetime.fromisoformat("2026-01-01T01:01:01.000001"),
        ],
        "timestamp_ntz",
        [datetime.datetime.fromisoformat("2026-01-01T01:01:01.000001")],
    ),
    "double": ([float("nan"), -0.0, 1.5, None], "double", [float("nan"), 0.0]),
}


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize(("sign", "listed"), [("=", 1000), ("<=>", 0)])
def test_filters_of_keys_keep_the_rows_that_spark_joins(  # noqa: PLR0913, PLR0917
    spark, sql, lake, monkeypatch, kind, sign, listed
):
    monkeypatch.setattr(merge_source, "_LISTED", listed)
    own, source_kind, keys = KEYS[kind]
    part = "truncate(3, k)" if kind == "string" else "k"
    sql(f"CREATE TABLE lake.db.k (k {kind}, n INT) USING iceberg PARTITIONED BY ({part})")
    frame = spark.createDataFrame([(key, at) for at, key in enumerate(own)], f"k {kind}, n int")
    floeberg.spark.write(frame, "db.k", catalog=lake)
    spark.createDataFrame([(key,) for key in keys], f"k {source_kind}").createOrReplaceTempView("keys")
    frame.createOrReplaceTempView("own")
    kept = spark.sql(f"SELECT n FROM own t WHERE NOT EXISTS (SELECT 1 FROM keys s WHERE t.k {sign} s.k)")
    expected = sorted(row.n for row in kept.collect())
    sql(f"MERGE INTO db.k t USING keys s ON t.k {sign} s.k WHEN MATCHED THEN DELETE")
    assert sorted(lake.load_table("db.k").scan().to_arrow()["n"].to_pylist()) == expected

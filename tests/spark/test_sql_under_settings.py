"""Statements under settings that change what a text means: the rows are those of Spark alone, or there is an error.

Spark reads the same rows from views. What a change leaves is asked of it by SELECT, under the same setting.
"""

from __future__ import annotations

import datetime
import os
from contextlib import contextmanager
from decimal import Decimal

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

import floeberg as fb
import floeberg.spark
from floeberg.errors import FloebergError, InvalidInputError, UnsupportedError

UTC = datetime.timezone.utc
SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "note": pa.string(),
        "a.b": pa.string(),
        "axb": pa.string(),
        "price": pa.decimal128(9, 2),
        "day": pa.date32(),
        "at": pa.timestamp("us", "UTC"),
        "level": pa.int32(),
    }
)
ROWS = [
    {
        "id": number,
        "note": None if number == 3 else f"n{number % 3}",
        "a.b": f"n{number % 2}",
        "axb": "id" if number == 2 else "note",
        "price": Decimal(number * 25) / 100,
        "day": datetime.date(2026, 1, 1) + datetime.timedelta(days=number),
        "at": datetime.datetime(2026, 1, 1, 6, tzinfo=UTC) + datetime.timedelta(hours=6 * number),
        "level": number % 2,
    }
    for number in range(6)
]
SETTINGS = [
    ("ansi.enabled", "false"),
    ("ansi.doubleQuotedIdentifiers", "true"),
    ("ansi.enforceReservedKeywords", "true"),
    ("ansi.relationPrecedence", "true"),
    ("caseSensitive", "true"),
    ("crossJoin.enabled", "false"),
    ("decimalOperations.allowPrecisionLoss", "false"),
    ("groupByAliases", "false"),
    ("groupByOrdinal", "false"),
    ("lateralColumnAlias.enableImplicitResolution", "false"),
    ("legacy.charVarcharAsString", "true"),
    ("legacy.consecutiveStringLiterals.enabled", "true"),
    ("legacy.ctePrecedencePolicy", "LEGACY"),
    ("legacy.exponentLiteralAsDecimal.enabled", "true"),
    ("legacy.interval.enabled", "true"),
    ("legacy.literal.pickMinimumPrecision", "false"),
    ("legacy.parser.havingWithoutGroupByAsWhere", "true"),
    ("legacy.setopsPrecedence.enabled", "true"),
    ("legacy.typeCoercion.datetimeToString.enabled", "true"),
    ("mapKeyDedupPolicy", "LAST_WIN"),
    ("orderByOrdinal", "false"),
    ("parser.escapedStringLiterals", "true"),
    ("parser.quotedRegexColumnNames", "true"),
    ("preserveCharVarcharTypeInfo", "true"),
    ("session.timeZone", "America/Los_Angeles"),
    ("storeAssignmentPolicy", "LEGACY"),
    ("storeAssignmentPolicy", "STRICT"),
    ("timestampType", "TIMESTAMP_NTZ"),
    ("variable.substitute", "false"),
]
"""Those of Spark's settings that change what a text means, as far as a query over these rows can show it."""

MOST_TELLING = {
    "ansi.doubleQuotedIdentifiers",
    "ansi.enabled",
    "caseSensitive",
    "parser.escapedStringLiterals",
    "parser.quotedRegexColumnNames",
    "session.timeZone",
    "timestampType",
    "variable.substitute",
}
if os.environ.get("FLOEBERG_SETTINGS") != "all":
    SETTINGS = [each for each in SETTINGS if each[0] in MOST_TELLING]
"""Each setting is two dozen statements in both: `make long` tries all of them."""

QUERIES = [
    # Each has several of the things that a setting changes.
    """SELECT id, "note" AS n FROM {t} WHERE note = "axb" OR note = 'n1'""",
    """SELECT `a.b`, `id` FROM {t} WHERE `a.b` = 'n1' AND ID > 1""",
    """SELECT note, count(*) AS c FROM {t} WHERE note LIKE 'n\\\\1' OR note >= 'n' GROUP BY 1 ORDER BY 1""",
    """SELECT ID AS k, k + 1 AS l FROM {t} WHERE price > 1e-1 AND day < '2026-1-5' AND id BETWEEN '1' AND 4.0""",
    """SELECT id FROM {t} WHERE at >= TIMESTAMP '2026-01-01 12:00:00' AND day <= DATE '2026-01-03' + INTERVAL 1 DAY""",
    """SELECT id FROM {t} WHERE at < '2026-01-02' UNION SELECT 7 INTERSECT SELECT id FROM {t} WHERE level = 0""",
    """SELECT x.id, y.id FROM {t} AS x, {t} AS y LEFT JOIN {t} AS z ON y.id = z.id AND z.price > 0.5 WHERE x.level = 1
       AND y.id = x.id""",
    """SELECT id, '${{nothing}}' || 'a''b' || 'c\\td' AS s FROM {t} WHERE note = 'n''1' OR note = '${{nothing}}n1'""",
    """SELECT level + 1 AS note, sum(price) AS p FROM {t} GROUP BY note HAVING p > 0.1 AND count(*) > 1BD""",
    """SELECT CAST(id AS CHAR(3)) AS c, size(map_from_arrays(array(level, level), array(id, id)))
       FROM {t} WHERE id IN (1, '2')""",
    """WITH c AS (SELECT id FROM {t} WHERE id < 2), d AS (WITH c AS (SELECT id FROM {t} WHERE id > 3) SELECT * FROM c)
       SELECT * FROM d""",
    """SELECT max(id) AS m FROM {t} HAVING m > 1 OR 1 > 2""",
    """SELECT user.id AS both FROM {t} AS user WHERE user.LEVEL = 1 AND NOT user.note = 'n0'""",
]
CHANGES = [
    # Statements, and what they leave as Spark alone has it.
    (
        """DELETE FROM {t} WHERE note = "axb" OR note = 'n\\\\1' OR at < TIMESTAMP '2026-01-01 12:00:00'""",
        """SELECT * FROM {t} WHERE NOT coalesce(note = "axb" OR note = 'n\\\\1' OR at < TIMESTAMP '2026-01-01 12:00:00',
           false)""",
    ),
    (
        """UPDATE {t} SET note = "axb" || '\\\\' || 'a''b', level = 5 WHERE `a.b` = 'n1' AND day > '2026-01-03'""",
        """SELECT id, IF(hit, "axb" || '\\\\' || 'a''b', note), ab, axb, price, day, at, IF(hit, 5, level)
           FROM (SELECT *, coalesce(ab = 'n1' AND day > '2026-01-03', false) AS hit FROM {renamed})""",
    ),
    (
        """MERGE INTO {t} AS x USING (SELECT id + 4 AS id, '\\\\' AS w FROM {t} WHERE at < '2026-01-02') AS s
           ON x.id = s.id AND x.level = 0 WHEN MATCHED THEN UPDATE SET `a.b` = s.w
           WHEN NOT MATCHED THEN INSERT (id, note) VALUES (s.id + 1e2, 'a''b')""",
        """SELECT x.id, note, coalesce(w, ab), axb, price, day, at, level FROM {renamed} AS x LEFT JOIN
           (SELECT id + 4 AS id, '\\\\' AS w FROM {t} WHERE at < '2026-01-02') AS s ON x.id = s.id AND x.level = 0
           UNION ALL SELECT CAST(id + 4 + 1e2 AS BIGINT), 'a''b', NULL, NULL, NULL, NULL, NULL, NULL FROM {t}
           WHERE at < '2026-01-02' AND id + 4 NOT IN (SELECT id FROM {t} WHERE level = 0)""",
    ),
    (
        """INSERT INTO {t} (note, id) SELECT note || 'a''b' || '\\\\', id + 10 FROM {t} WHERE at < '2026-01-02'""",
        """SELECT * FROM {t} UNION ALL SELECT id + 10, note || 'a''b' || '\\\\', NULL, NULL, NULL, NULL, NULL, NULL
           FROM {t} WHERE at < '2026-01-02'""",
    ),
]
CHANGING = [
    "ansi.enabled",
    "ansi.doubleQuotedIdentifiers",
    "ansi.enforceReservedKeywords",
    "caseSensitive",
    "legacy.consecutiveStringLiterals.enabled",
    "legacy.exponentLiteralAsDecimal.enabled",
    "parser.escapedStringLiterals",
    "parser.quotedRegexColumnNames",
    "session.timeZone",
    "storeAssignmentPolicy",
    "timestampType",
]


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    return catalog


@pytest.fixture(name="plain")
def plain_rows(spark):
    spark.createDataFrame(pa.Table.from_pylist(ROWS, SCHEMA)).createOrReplaceTempView("plain_rows")
    renamed = spark.table("plain_rows").toDF(*(name.replace(".", "") for name in SCHEMA.names))
    renamed.createOrReplaceTempView("renamed_rows")
    yield "plain_rows"
    for name in ("plain_rows", "renamed_rows"):
        spark.catalog.dropTempView(name)


def make(lake, name="t"):
    table = lake.create_table(f"db.{name}", SCHEMA)
    for part in (ROWS[:3], ROWS[3:]):
        table.append(pa.Table.from_pylist(part, SCHEMA))
    return table


@contextmanager
def set_in(spark, **settings):
    changed = {f"spark.sql.{name.replace('__', '.')}": value for name, value in settings.items()}
    before = {name: spark.conf.get(name) for name in changed}
    try:
        for name, value in changed.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def outcome(run):
    """The columns and the rows, or that there is an error."""
    try:
        frame = run()
        return frame.columns, sorted(map(repr, frame.collect()))
    except (PySparkException, FloebergError) as error:
        return type(error)


def is_error(told):
    return isinstance(told, type)


@pytest.mark.parametrize(("name", "value"), SETTINGS)
def test_queries_give_the_rows_of_spark(spark, lake, plain, name, value):
    make(lake)
    with set_in(spark, **{name.replace(".", "__"): value}):
        for text in QUERIES:
            expected = outcome(lambda text=text: spark.sql(text.format(t=plain)))
            found = outcome(lambda text=text: floeberg.spark.sql(spark, text.format(t="db.t"), catalog=lake))
            assert (found == expected) or (is_error(found) and is_error(expected)), text


@pytest.mark.parametrize(("name", "value"), [each for each in SETTINGS if each[0] in CHANGING])
def test_changes_leave_the_rows_of_spark(spark, lake, plain, name, value):
    with set_in(spark, **{name.replace(".", "__"): value}):
        for number, (text, left) in enumerate(CHANGES):
            table = make(lake, f"t{number}")
            asked = left.format(t=plain, renamed="renamed_rows")
            expected = outcome(lambda asked=asked: spark.sql(asked))
            done = outcome(
                lambda text=text, number=number: floeberg.spark.sql(
                    spark, text.format(t=f"db.t{number}"), catalog=lake
                )
            )
            if is_error(expected) or is_error(done):
                # Where Spark has rows, a setting is named that the statement cannot follow.
                assert is_error(done), text
                assert is_error(expected) or done is UnsupportedError, text
                assert len(table.refresh().scan().to_arrow()) == len(ROWS)
                continue
            rows = spark.createDataFrame(table.refresh().scan().to_arrow()).collect()
            assert sorted(repr(tuple(row)) for row in rows) == sorted(
                repr(tuple(row)) for row in spark.sql(asked).collect()
            ), text


@pytest.mark.usefixtures("plain")
def test_patterns_in_backticks_mean_all_columns_that_match(spark, lake):
    make(lake)

    def ours(text):
        return floeberg.spark.sql(spark, text, catalog=lake)

    with set_in(spark, parser__quotedRegexColumnNames="true"):
        assert ours("SELECT `a.*`, db.t.id FROM db.t").columns == ["a.b", "axb", "at", "id"]
        assert ours("SELECT count(*) FROM (SELECT `(id)?+.+` FROM db.t WHERE `a.b` = 'n1')").first()[0] == 3
        lake.create_table("db.odd name", pa.schema({"id": pa.int64()}))
        with pytest.raises(
            UnsupportedError, match=r"quotedRegexColumnNames.*'odd name': give the table an alias"
        ):
            ours("SELECT db.`odd name`.id FROM db.`odd name`")
        ours("UPDATE db.t SET `a.b` = upper(`a.b`) WHERE `axb` = 'id' AND id % 2 = 0")
        for text in (
            "UPDATE db.t SET `a.b` = (SELECT max(`a.b`) FROM db.t)",
            "MERGE INTO db.t USING (SELECT `i.*` FROM plain_rows) s ON t.id = s.id WHEN MATCHED THEN DELETE",
        ):
            with pytest.raises(UnsupportedError, match="quotedRegexColumnNames makes patterns"):
                ours(text)
        assert spark.conf.get("spark.sql.parser.quotedRegexColumnNames") == "true"
    found = lake.load_table("db.t").scan("axb = 'id'", selected_fields=("a.b", "axb")).to_arrow().to_pylist()
    assert found == [{"a.b": "N0", "axb": "id"}]


def test_names_in_double_quotes(spark, lake):
    make(lake)

    def ours(text):
        return floeberg.spark.sql(spark, text, catalog=lake)

    with set_in(spark, ansi__doubleQuotedIdentifiers="true"):
        found = ours('SELECT "t"."id" AS "the ""id""" FROM "db"."t" WHERE "note" = "a.b" AND \'n1\' = "note"')
        assert (found.columns, [tuple(row) for row in found.collect()]) == (['the "id"'], [(1,)])
        ours('UPDATE "db"."t" AS "x" SET "note" = "axb" WHERE "x"."id" = 1')
        ours(
            'MERGE INTO "db"."t" "x" USING (SELECT 77L AS "id", \'w\' AS "w") "s" ON "x"."id" = "s"."id" '
            'WHEN NOT MATCHED THEN INSERT ("id", "note") VALUES ("id", "w")'
        )
        ours('CREATE TABLE "db"."a table" ("a column" INT) TBLPROPERTIES (\'k\' = \'v\')')
        ours('INSERT INTO "db"."a table" ("a column") VALUES (1)')
        with pytest.raises(FloebergError, match="expected a string"):
            ours('ALTER TABLE db.t SET TBLPROPERTIES (k = "v")')
    assert lake.load_table("db.a table").scan().to_arrow().to_pylist() == [{"a column": 1}]
    rows = (
        lake.load_table("db.t").scan("id IN (1, 77)", selected_fields=("id", "note")).to_arrow().to_pylist()
    )
    assert sorted(map(tuple, map(dict.values, rows))) == [(1, "note"), (77, "w")]


def test_settings_are_put_into_a_text_as_spark_does(spark, lake):
    make(lake)

    def ours(text):
        return floeberg.spark.sql(spark, text, catalog=lake)

    for name, value in {
        "own.db": "db",
        "own.table": "${own.db}.t",
        "own.key": "1",
        "own.self": "${own.self}",
    }.items():
        spark.conf.set(name, value)
    try:
        assert ours("SELECT note FROM ${own.table} WHERE id = ${hiveconf:own.key}").first()[0] == "n1"
        ours("CREATE TABLE ${own.db}.made (a INT) TBLPROPERTIES ('k' = '<${own.key}${own.nothing}>')")
        assert lake.load_table("db.made").properties["k"] == "<1>"
        assert ours("DELETE FROM ${own.table} WHERE id = ${own.key}").first().deleted_rows == 1
        assert ours("SELECT '${system:file.separator}', '${x:own.key}' FROM db.t").first() == (
            "/",
            "${x:own.key}",
        )
        with pytest.raises(InvalidInputError, match="has \\$\\{own.self\\} in its own value"):
            ours("SELECT ${own.self} FROM db.t")
        with pytest.raises(UnsupportedError, match=r"without backslashes, quotes and \$\{"):
            ours("ALTER TABLE db.t SET TBLPROPERTIES ('k' = '${env:HOME}')")
        with set_in(spark, variable__substitute="false"):
            assert ours("SELECT '${own.key}' FROM db.t").first()[0] == "${own.key}"
    finally:
        for name in ("own.db", "own.table", "own.key", "own.self"):
            spark.conf.unset(name)


@pytest.mark.parametrize(
    ("settings", "values", "expected"),
    [
        ({}, "n = null, k = null", (None, None)),
        ({}, "n = 05, k = '7'", ("5", 7)),
        ({}, "n = 1.50, k = 1.7", None),
        ({}, "n = 'x', k = true", None),
        ({"ansi__enabled": "false"}, "n = 'x', k = 3000000000", None),
        ({"ansi__enabled": "false"}, "n = 'x', k = 'zz'", None),
        ({"legacy__parseNullPartitionSpecAsStringLiteral": "true"}, "n = null, k = 1", ("null", 1)),
        ({"legacy__keepPartitionSpecAsStringLiteral": "true"}, "n = 05, k = 05", ("05", 5)),
        ({"legacy__keepPartitionSpecAsStringLiteral": "true"}, "n = 'x', k = 1", ("x", 1)),
    ],
)
def test_values_of_partition_are_those_of_spark(spark, lake, settings, values, expected):
    kinds = pa.schema({"v": pa.int32(), "n": pa.string(), "k": pa.int32()})
    table = lake.create_table("db.p", kinds, partition_spec=["identity(n)", "identity(k)"])
    text = f"INSERT INTO {{}} PARTITION ({values}) SELECT 1"
    spark.sql("CREATE TABLE plain_p (v INT, n STRING, k INT) USING parquet PARTITIONED BY (n, k)")
    try:
        with set_in(spark, **settings):
            if expected is None:
                with pytest.raises((PySparkException, FloebergError)):
                    floeberg.spark.sql(spark, text.format("db.p"), catalog=lake)
                with pytest.raises(PySparkException):
                    spark.sql(text.format("plain_p"))
                return
            floeberg.spark.sql(spark, text.format("db.p"), catalog=lake)
            spark.sql(text.format("plain_p"))
        assert tuple(spark.table("plain_p").first()) == (1, *expected)
    finally:
        spark.sql("DROP TABLE plain_p")
    assert tuple(table.refresh().scan().to_arrow().to_pylist()[0].values()) == (1, *expected)


def test_other_settings_are_followed_or_named(spark, lake):
    table = make(lake)

    def ours(text, session=spark):
        return floeberg.spark.sql(session, text, catalog=lake)

    with (
        set_in(spark, defaultColumn__useNullsForMissingDefaultValues="false"),
        pytest.raises(InvalidInputError, match="'note' is given no value, and spark.sql.defaultColumn"),
    ):
        ours("INSERT INTO db.t (id) VALUES (1)")
    with set_in(spark, defaultColumn__enabled="false"), pytest.raises(PySparkException, match="DEFAULT"):
        ours("UPDATE db.t SET note = DEFAULT")
    with set_in(spark, legacy__bangEqualsNot="true"):
        ours("CREATE TABLE IF ! EXISTS db.t (id INT)")
    with set_in(spark, parser__escapedStringLiterals="true"):
        ours("CREATE TABLE db.names (id INT, s STRUCT<`o'k`: INT, `b\\c`: INT>)")
        ours("INSERT INTO db.names (id) VALUES (1)")
        ours("UPDATE db.names SET s.`o'k` = 3, s.`b\\c` = id")
    assert lake.load_table("db.names").scan().to_arrow().to_pylist() == [
        {"id": 1, "s": {"o'k": 3, "b\\c": 1}}
    ]
    with pytest.raises(UnsupportedError, match="write VERSION AS OF or TIMESTAMP AS OF"):
        ours("SELECT * FROM db.t@v1")
    # The session of the statement counts, and not another one that is active.
    other = spark.newSession()
    other.conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ")
    ours("CREATE TABLE db.moments (at TIMESTAMP)", other)
    ours("ALTER TABLE db.moments ADD COLUMN more TIMESTAMP")
    kinds = lake.load_table("db.moments").schema()
    assert [str(each.field_type) for each in kinds.fields] == ["timestamp", "timestamptz"]
    assert table.refresh().scan().count() == len(ROWS)

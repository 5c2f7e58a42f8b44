# ruff: noqa: DTZ001 - timestamps without a zone are what is compared.
"""What conditions of a statement say of a table's files: never too much, and enough to leave files out."""

from __future__ import annotations

import contextlib
import datetime
import random
from decimal import Decimal

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.spark.sql.pushdown.literals import SessionTimestamps
from floeberg.spark.sql.pushdown.row_filters import conditions, pushed
from floeberg.spark.sql.query.table_frames import _scan_of
from floeberg.spark.sql.text.known_tables import KnownTables
from floeberg.spark.sql.text.references import references
from floeberg.spark.sql.text.statement import read_statement
from lake import make_lake, rows

UTC = datetime.timezone.utc
KINDS = pa.schema(
    {
        "id": pa.int64(),
        "i": pa.int32(),
        "f": pa.float32(),
        "d": pa.float64(),
        "n": pa.decimal128(9, 2),
        "wide": pa.decimal128(38, 10),
        "s": pa.string(),
        "b": pa.binary(),
        "flag": pa.bool_(),
        "day": pa.date32(),
        "ts": pa.timestamp("us"),
        "tz": pa.timestamp("us", "UTC"),
    }
)
FLOATS = [0.0, -0.0, 0.1, 0.5, 1.0, 2.0, 16777216.0, float("nan"), float("inf"), float("-inf"), -3.5, None]
TEXTS = ["", "a", "ab", "abc", "b", "B", "a%", "a_", "é", "z", "5", "10", None]
CONSTANTS = {
    "i": [
        "0",
        "1",
        "-1",
        "5",
        "10",
        "2147483647",
        "3000000000",
        "1L",
        "5S",
        "2.5",
        "1.0",
        "NULL",
        "(5)",
        "CAST(5 AS INT)",
    ],
    "f": ["0", "1", "-0.0", "0.1", "0.5", "2", "16777217", "1e0", "0.1F", "-3.5", "2.5D", "NULL"],
    "d": [
        "0",
        "1",
        "-0.0",
        "0.1",
        "0.5",
        "2",
        "16777217",
        "1e0",
        "0.1F",
        "-3.5",
        "2.5D",
        "0.1000000000000000055511151231257827",
    ],
    "n": ["0", "1.5", "1.50", "1.505", "-2", "100", "0.0", "5L", "12345678901.5", "1.5D", "NULL"],
    "wide": ["0", "1.5", "1.50505050505", "-2", "5L"],
    "s": ["''", "'a'", "'ab'", '"a"', "'a' 'b'", "r'a'", "'a\\u0062'", "'é'", "'b'", "NULL", "'a%'"],
    "b": ["X''", "X'61'", "X'6162'", "X'FF'"],
    "flag": ["TRUE", "false", "NULL"],
    "day": [
        "DATE '2026-01-05'",
        "date'2026-03-01' - INTERVAL '1' MONTH",
        "DATE '2026-01-31' + interval 1 month",
        "'2026-01-05'",
        "DATE '2024-02-29' + INTERVAL 2 YEARS",
        "DATE '2026-01-01' + INTERVAL 3 DAYS",
        "'2026-1-5'",
        "TIMESTAMP '2026-01-05 01:00:00'",
    ],
    "ts": [
        "TIMESTAMP_NTZ '2026-01-05 10:00:00'",
        "'2026-01-05'",
        "TIMESTAMP '2026-01-05 10:00:00'",
        "'2026-01-05 10:00:00.5'",
    ],
    "tz": [
        "TIMESTAMP '2026-01-05 10:00:00'",
        "'2026-01-05'",
        "TIMESTAMP_LTZ '2026-03-08 02:30:00'",
        "DATE '2026-01-05'",
        "TIMESTAMP '2026-01-05 10:00:00+01:00'",
        "'2026-01-05 10:00'",
        "'2026-01-05T10:00:00.25Z'",
    ],
}
PATTERNS = ["'a%'", "'%'", "'ab%'", "'a_%'", "'a'", "'%b'", "'a\\%%'", "'é%'", "''"]


def row(number: int, chance: random.Random) -> dict[str, object]:
    moment = datetime.datetime(2026, 1, 1) + datetime.timedelta(hours=13 * number)
    return {
        "id": number,
        "i": chance.choice([None, number % 12 - 1, 2147483647]),
        "f": chance.choice(FLOATS),
        "d": chance.choice(FLOATS),
        "n": chance.choice([None, Decimal(number - 50) / 4, Decimal("1.50")]),
        "wide": chance.choice([None, Decimal(number - 50) / 4, Decimal("1.5050505050")]),
        "s": chance.choice(TEXTS),
        "b": chance.choice([None, b"", b"a", b"ab", b"\xff"]),
        "flag": chance.choice([None, True, False]),
        "day": chance.choice([None, moment.date(), datetime.date(2026, 1, 5)]),
        "ts": chance.choice([None, moment, datetime.datetime(2026, 1, 5, 10)]),
        "tz": chance.choice(
            [None, moment.replace(tzinfo=UTC), datetime.datetime(2026, 3, 8, 7, 30, tzinfo=UTC)]
        ),
    }


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    """A table of many small files, so that their bounds tell something."""
    chance = random.Random(16)
    catalog = fb.load_catalog("kinds", type="filesystem", warehouse=str(tmp_path_factory.mktemp("kinds")))
    catalog.create_namespace("k")
    table = catalog.create_table("k.t", KINDS, partition_spec=["truncate(2, s)"])
    for begin in range(0, 120, 12):
        table.append(
            pa.Table.from_pylist([row(number, chance) for number in range(begin, begin + 12)], KINDS)
        )
    return catalog


def predicate(chance: random.Random, depth: int = 0) -> str:
    kind = chance.random()
    if depth < 3 and kind < 0.45:
        left, right = predicate(chance, depth + 1), predicate(chance, depth + 1)
        return f"({left} {chance.choice(['AND', 'OR'])} {right})"
    if depth < 3 and kind < 0.55:
        return (
            f"NOT {predicate(chance, depth + 1)}"
            if chance.random() < 0.7
            else f"NOT ({predicate(chance, depth + 1)})"
        )
    column = chance.choice([*CONSTANTS, "s", "s"])
    constants = CONSTANTS[column]
    name = chance.choice([column, column.upper(), f"t.{column}", f"`{column}`", f"k.t.{column}"])
    shape = chance.randrange(9) if column != "s" else chance.choice([0, 1, 2, 3, 3, 3, 4, 5, 6])
    if shape == 0:
        return f"{name} IS {chance.choice(['', 'NOT '])}NULL"
    if shape == 1:
        low, high = chance.choices(constants, k=2)
        return f"{name} {chance.choice(['', 'NOT '])}BETWEEN {low} AND {high}"
    if shape == 2:
        listed = ", ".join(chance.choices(constants, k=chance.randint(1, 3)))
        return f"{name} {chance.choice(['', 'NOT '])}IN ({listed})"
    if shape == 3 and column == "s":
        return f"{name} {chance.choice(['', 'NOT '])}LIKE {chance.choice(PATTERNS)}"
    if shape == 3 and column == "flag":
        return name
    if shape == 4:
        return f"{name} = {chance.choice(list(CONSTANTS[column]))} IS {chance.choice(['TRUE', 'NOT NULL'])}"
    operator = chance.choice(["=", "==", "!=", "<>", "<", "<=", ">", ">=", "<=>"])
    constant = chance.choice(constants)
    return f"{constant} {operator} {name}" if shape == 5 else f"{name} {operator} {constant}"


def scans_of(spark, catalog, text):
    """What the tables of a statement are planned with."""
    statement = read_statement(text)
    uses = references(statement, statement.tree, KnownTables(spark, catalog))
    scans = [_scan_of(spark, use, case_sensitive=False) for use in uses]
    found = [
        conditions(use, scan, statement, case_sensitive=False) for use, scan in zip(uses, scans, strict=True)
    ]
    moments = SessionTimestamps(spark)
    moments.ask(moment for group in found for condition in group for moment in condition.moments())
    return [pushed(group, scan, moments) for group, scan in zip(found, scans, strict=True)]


def filters_of(spark, catalog, text):
    return [scan.plan_files().explain().filter for scan in scans_of(spark, catalog, text)]


@contextlib.contextmanager
def settings(spark, **values):
    named = {f"spark.sql.{name.replace('_', '.')}": value for name, value in values.items()}
    before = {name: spark.conf.get(name, None) for name in named}
    for name, value in named.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.unset(name) if value is None else spark.conf.set(name, value)


@pytest.mark.parametrize(("ansi", "zone"), [("true", "UTC"), ("false", "America/New_York")])
def test_no_row_is_lost_that_spark_would_keep(spark, kinds, ansi, zone):
    chance = random.Random(f"{ansi} {zone}")
    predicates = [predicate(chance) for _ in range(100)]
    table = kinds.load_table("k.t")
    with settings(spark, ansi_enabled=ansi, session_timeZone=zone):
        whole = spark.createDataFrame(table.scan().to_arrow())
        kept = {}
        # Spark says of all rows which of them each predicate keeps, a few columns of bools at a time.
        known = []
        for text in predicates:
            plain = text.replace("k.t.", "t.")
            with contextlib.suppress(Exception):
                whole.alias("t").selectExpr(plain)
                known.append((text, plain))
        assert len(known) > 60
        for begin in range(0, len(known), 60):
            part = known[begin : begin + 60]
            selected = [f"coalesce({plain}, false) AS p{at}" for at, (_, plain) in enumerate(part)]
            found = whole.alias("t").selectExpr("id", *selected).collect()
            for at, (text, _) in enumerate(part):
                kept[text] = {row["id"] for row in found if row[f"p{at}"]}
        # One statement, so that Spark is asked for moments once.
        whole_text = " UNION ALL ".join(f"SELECT id FROM k.t WHERE {text}" for text in kept)
        narrowed = 0
        for (text, expected), scan in zip(kept.items(), scans_of(spark, kinds, whole_text), strict=True):
            planned = set(scan.select("id").to_arrow()["id"].to_pylist())
            assert expected <= planned, (text, scan)
            narrowed += len(planned) < 120
        assert narrowed > len(kept) // 4


@pytest.mark.parametrize("seed", range(2))
def test_a_statement_gives_the_rows_that_spark_gives(spark, kinds, seed):
    chance = random.Random(seed)
    whole = spark.createDataFrame(kinds.load_table("k.t").scan().to_arrow())
    whole.createOrReplaceTempView("all_kinds")
    try:
        texts = [predicate(chance).replace("k.t.", "t.") for _ in range(8)]
        parts = []
        for at, text in enumerate(texts):
            with contextlib.suppress(Exception):
                spark.sql(f"SELECT id FROM all_kinds t WHERE {text}")
                parts.append(f"SELECT {at}, id FROM {{}} t WHERE {text}")
        whole = " UNION ALL ".join(parts)
        ours = floeberg.spark.sql(spark, whole.replace("{}", "k.t"), catalog=kinds)
        assert rows(ours) == rows(spark.sql(whole.replace("{}", "all_kinds")))
    finally:
        spark.catalog.dropTempView("all_kinds")


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    return make_lake(tmp_path_factory.mktemp("lake"))


NONE = "TRUE"
A, B = "sales.orders a", "sales.lines b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FROM {A} WHERE a.id = 3 AND a.note LIKE 'pl%'", ["id = 3 AND note STARTS WITH 'pl'"]),
        ("FROM {A} WHERE a.note NOT LIKE 'pl%'", ["note NOT STARTS WITH 'pl' AND note IS NOT NULL"]),
        ("FROM {A} WHERE NOT a.note NOT LIKE 'pl%'", ["note STARTS WITH 'pl'"]),
        (
            "FROM {A} WHERE a.note LIKE 'pl!%' ESCAPE '!' AND a.note LIKE ANY ('a%') AND a.note ILIKE 'a%'",
            [NONE],
        ),
        ("FROM sales.orders WHERE sales.orders.id = 1 OR lake.sales.orders.id = 2", ["id = 1 OR id = 2"]),
        ("FROM sales.orders, other WHERE other.orders.id = 1", [NONE]),
        ("FROM {A} WHERE 3 < a.id AND length(a.note) > 3", ["id > 3"]),
        ("FROM {A} WHERE a.id = 3 OR a.customer = 1", ["id = 3 OR customer = 1"]),
        ("FROM {A} WHERE a.id = 3 OR length(a.note) = 1", [NONE]),
        ("FROM {A} WHERE a.id = '3'", [NONE]),
        ("FROM {A} WHERE a.day >= '2026-01-05'", ["day >= DATE '2026-01-05'"]),
        ("FROM {A} WHERE a.day <= DATE '1998-12-01' - INTERVAL '90' DAY", ["day <= DATE '1998-09-02'"]),
        ("FROM {A} WHERE a.price BETWEEN 1.5 AND 2", ["price >= 1.50 AND price <= 2.00"]),
        ("FROM {B} WHERE b.amount > 2", ["amount > 2.0 OR amount IS NAN"]),
        ("FROM {B} WHERE b.amount < 2", ["amount < 2.0"]),
        ("FROM {A}, {B} WHERE id = `order` AND id < 3 AND line = 1", ["id < 3", "line = 1"]),
        ("FROM {A} JOIN {B} ON a.id = b.order AND a.id < 3 AND b.line = 1", ["id < 3", "line = 1"]),
        ("FROM {A} LEFT JOIN {B} ON a.id = b.order AND a.id < 3 AND b.line = 1", [NONE, "line = 1"]),
        ("FROM {A} LEFT JOIN {B} ON a.id = b.order WHERE a.id < 3 AND b.line = 1", ["id < 3", NONE]),
        ("FROM {A} LEFT JOIN {B} ON a.id = b.order WHERE b.line IS NULL", [NONE, NONE]),
        ("FROM {A} RIGHT JOIN {B} ON a.id = b.order WHERE a.id < 3 AND b.line = 1", [NONE, NONE]),
        ("FROM {A} FULL JOIN {B} ON a.id = b.order AND a.id < 3 WHERE a.id < 3 AND b.line = 1", [NONE, NONE]),
        (
            "FROM {A} LEFT SEMI JOIN {B} ON a.id = b.order AND b.line = 1 WHERE a.id < 3",
            ["id < 3", "line = 1"],
        ),
        (
            "FROM {A} LEFT ANTI JOIN {B} ON a.id = b.order AND b.line = 1 AND a.id > 5 WHERE a.id < 3",
            ["id < 3", "line = 1"],
        ),
        ("FROM {A} JOIN range(9) USING (id) WHERE id < 3", [NONE]),
        ("FROM {A} TABLESAMPLE (3 ROWS) WHERE a.id < 3", [NONE]),
        ("FROM sales.orders TABLESAMPLE (3 ROWS) AS a WHERE a.id < 3", [NONE]),
        ("FROM sales.orders AS a(customer, id, x, y, z) WHERE a.id < 3", [NONE]),
        ("FROM (SELECT * FROM {A} LIMIT 3) WHERE id < 3", [NONE]),
        ("FROM {A} GROUP BY a.customer HAVING a.customer < 3", [NONE]),
        (
            "FROM {A} WHERE EXISTS (SELECT 1 FROM {B} WHERE b.order = a.id AND b.line = 1 AND a.id < 3)",
            [NONE, "line = 1"],
        ),
        ("FROM {A} WHERE a.id IN (SELECT id FROM {A} WHERE id < 3)", [NONE, "id < 3"]),
        ("FROM {A} WHERE a.note COLLATE UTF8_LCASE = 'x'", [NONE]),
        ("FROM {A} WHERE ! a.id < 3", [NONE]),
        ("FROM {A} |> LIMIT 3 |> WHERE id < 3", [NONE]),
        ("FROM {A} WHERE a.id = ${x} AND a.id < 3", [NONE]),
        ("FROM {A} WHERE a.id BETWEEN SYMMETRIC 3 AND 1", [NONE]),
        ("FROM {A} WHERE a.id = 99999999999999999999", [NONE]),
    ],
)
def test_conditions_go_where_they_decide(spark, lake, text, expected):
    found = filters_of(
        spark, lake, ("" if "|>" in text else "SELECT 1 ") + text.replace("{A}", A).replace("{B}", B)
    )
    assert [each or NONE for each in found] == expected

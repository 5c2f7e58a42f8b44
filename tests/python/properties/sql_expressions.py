"""Draws SQL expressions and rows for them.

Each expression is drawn three times: as we read it, and as DuckDB and Spark have to read it to mean the same. They
differ in these:

- NaN equals nothing here, as in the filters of Iceberg. DuckDB's NaN equals NaN and is larger than every number.
- CONCAT with a null is null here, as in Spark and in the SQL standard. DuckDB's leaves nulls out.

- Functions of dates have the names that Spark gives them. DuckDB has others for some, counts the days of the week
  from 0, and makes a timestamp of a date and an interval. Spark makes timestamps with a zone where it truncates.

These are not drawn, since they are errors here by choice: a division by zero, overflows, a cast that rounds a number to
an integer.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
from hypothesis import strategies as st

NAN = float("nan")


def moment(*parts):
    return dt.datetime(*parts)  # noqa: DTZ001 - without a zone


SCHEMA = pa.schema(
    [
        ("row", pa.int64()),
        ("i", pa.int32()),
        ("l", pa.int64()),
        ("f", pa.float32()),
        ("d", pa.float64()),
        ("c", pa.decimal128(9, 2)),
        ("s", pa.string()),
        ("b", pa.bool_()),
        ("day", pa.date32()),
        ("ts", pa.timestamp("us")),
    ]
)
TEXT = "aAbé %_"
DAYS = [
    dt.date(2024, 1, 1),
    dt.date(2024, 2, 29),
    dt.date(2023, 1, 31),
    dt.date(2021, 1, 3),
    dt.date(1969, 12, 31),
    dt.date(1900, 3, 1),
    dt.date(1582, 10, 10),
]
MOMENTS = [
    moment(2024, 1, 1),
    moment(2024, 1, 1, 10, 30),
    moment(1969, 12, 31, 23, 59, 59, 999999),
    moment(2020, 12, 31, 23, 59),
    moment(1900, 2, 28, 0, 0, 1, 1),
]
VALUES = {
    "i": st.integers(-20, 20),
    "l": st.integers(-20, 20),
    "f": st.sampled_from([0.1, 0.2, -0.0, 1.5, 3.0, NAN]),
    "d": st.one_of(st.integers(-200, 200).map(lambda each: each / 8), st.sampled_from([0.1, -0.0, NAN])),
    "c": st.integers(-2000, 2000).map(lambda each: Decimal(each).scaleb(-2)),
    "s": st.text(TEXT, max_size=4),
    "b": st.booleans(),
    "day": st.sampled_from(DAYS),
    "ts": st.sampled_from(MOMENTS),
}


@st.composite
def tables(draw):
    """Rows with nulls, maybe none."""
    rows = draw(st.integers(0, 12))
    columns = {
        name: draw(st.lists(st.one_of(st.none(), values), min_size=rows, max_size=rows))
        for name, values in VALUES.items()
    }
    return pa.table({"row": list(range(rows)), **columns}, SCHEMA)


def alike(text):
    return text, text, text


def joined(pattern, *parts):
    """The three texts, of three of each part."""
    return spelled((pattern, pattern, pattern), *parts)


def spelled(patterns, *parts):
    """The three texts of three patterns."""
    return tuple(pattern.format(*(part[side] for part in parts)) for side, pattern in enumerate(patterns))


@st.composite
def expressions(draw, kind, depth):
    """An expression of a kind: `integer`, `double`, `decimal`, `text`, `day`, `moment` or `bool`."""
    if depth <= 0 or draw(st.integers(0, 5)) == 0:
        leaf = draw(LEAVES[kind])
        return leaf if isinstance(leaf, tuple) else alike(leaf)
    below = lambda which=kind: draw(expressions(which, depth - 1))  # noqa: E731 - it draws
    shapes = [*SHAPES[kind], *ANY]
    return draw(st.sampled_from(shapes))(draw, below)


def case(_draw, below):
    return joined(
        "CASE WHEN {} THEN {} WHEN {} THEN {} ELSE {} END",
        below("bool"),
        below(),
        below("bool"),
        below(),
        below(),
    )


def case_without_else(_draw, below):
    return joined("CASE WHEN {} THEN {} END", below("bool"), below())


def case_of_value(draw, below):
    which = draw(st.sampled_from(["integer", "text", "day"]))
    return joined("CASE {} WHEN {} THEN {} ELSE {} END", below(which), below(which), below(), below())


def if_(_draw, below):
    return joined("IF({}, {}, {})", below("bool"), below(), below())


def coalesce(_draw, below):
    return joined("COALESCE({}, {}, {})", below(), below(), below())


ANY = [case, case_without_else, case_of_value, if_, coalesce]


def shape(pattern, *kinds):
    return lambda _draw, below: joined(pattern, *(below(kind) if kind else below() for kind in kinds))


def compared(draw, below):
    """A comparison; of doubles with what DuckDB does not do."""
    operator = draw(st.sampled_from(["=", "<>", "<", "<=", ">", ">="]))
    one, other = draw(st.sampled_from(ALIKE))
    left, right = below(one), below(other)
    if "double" not in (one, other):
        return joined("({} " + operator + " {})", left, right)
    holds = "TRUE" if operator == "<>" else "FALSE"
    theirs = (
        "(CASE WHEN isnan(({0})::DOUBLE) AND ({1}) IS NOT NULL OR isnan(({1})::DOUBLE) AND "
        f"({{0}}) IS NOT NULL THEN {holds} ELSE {{0}} {operator} {{1}} END)"
    )
    return spelled((f"({{}} {operator} {{}})", theirs, theirs), left, right)


def concat(_draw, below):
    theirs = "(({}) || CAST({} AS VARCHAR))"
    return spelled(("CONCAT({}, {})", theirs, theirs), below("text"), below("integer"))


def of_dates(ours, duckdb=None, spark=None, *, kinds=("day",)):
    """A function of dates, as each of the three has it; that of Spark is ours unless given."""
    patterns = (ours, duckdb or ours, spark or ours)
    return lambda _draw, below: spelled(patterns, *(below(kind) for kind in kinds))


def part(draw, below):
    """A part of a date or a timestamp, as a number."""
    name = draw(st.sampled_from(["YEAR", "QUARTER", "MONTH", "DAY", "DAYOFYEAR", "WEEKOFYEAR", "DAYOFWEEK"]))
    ours = f"CAST({name}({{}}) AS BIGINT)"
    duckdb = "(dayofweek({}) + 1)" if name == "DAYOFWEEK" else ours
    return spelled((ours, duckdb, ours), below(draw(st.sampled_from(["day", "moment"]))))


def extracted(draw, below):
    name = draw(st.sampled_from(["YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DOY", "ISODOW", "ISOYEAR"]))
    in_spark = {"ISODOW": "DAYOFWEEK_ISO", "ISOYEAR": "YEAROFWEEK"}.get(name, name)
    ours, spark = (f"CAST(EXTRACT({each} FROM {{}}) AS BIGINT)" for each in (name, in_spark))
    return spelled((ours, ours, spark), below(draw(st.sampled_from(["day", "moment"]))))


def time_part(draw, below):
    return joined(
        f"CAST({draw(st.sampled_from(['HOUR', 'MINUTE', 'SECOND']))}({{}}) AS BIGINT)", below("moment")
    )


def days_later(draw, below):
    count = draw(st.sampled_from(["i", "30", "-1"]))
    name, sign = draw(st.sampled_from([("DATE_ADD", "+"), ("DATE_SUB", "-")]))
    ours = f"{name}({{}}, {count})"
    return spelled((ours, f"(({{}}) {sign} CAST({count} AS INT))", ours), below())


def months_later(draw, below):
    count = draw(st.sampled_from(["i", "1", "-13"]))
    ours = f"ADD_MONTHS({{}}, {count})"
    return spelled((ours, f"CAST(({{}}) + to_months(CAST({count} AS INT)) AS DATE)", ours), below())


def interval(units):
    """An interval of a unit, added or subtracted."""
    number = st.sampled_from(["1", "-1", "3", "31", "100"])
    return st.tuples(st.sampled_from("+-"), number, st.sampled_from(units)).map(
        lambda drawn: f"{drawn[0]} INTERVAL '{drawn[1]}' {drawn[2]}"
    )


def date_and_interval(draw, below):
    ours = f"(({{}}) {draw(interval(['DAY', 'MONTH', 'YEAR']))})"
    return spelled((ours, f"CAST({ours} AS DATE)", ours), below("day"))


def moment_and_interval(draw, below):
    ours = f"(({{}}) {draw(interval(['MINUTE', 'SECOND', 'HOUR', 'DAY', 'MONTH']))})"
    return joined(ours, below("moment"))


def hours_of_day(draw, below):
    ours = f"(({{}}) {draw(interval(['HOUR', 'MINUTE']))})"
    return spelled((ours, ours, f"CAST({ours} AS TIMESTAMP_NTZ)"), below("day"))


def truncated(draw, below):
    unit = draw(st.sampled_from(["year", "quarter", "month", "week", "day", "hour", "minute", "second"]))
    ours = f"DATE_TRUNC('{unit}', {{}})"
    kind = draw(st.sampled_from(["day", "moment"]))
    return spelled((ours, ours, f"CAST({ours} AS TIMESTAMP_NTZ)"), below(kind))


def truncated_day(draw, below):
    unit = draw(st.sampled_from(["year", "quarter", "month", "week"]))
    ours = f"TRUNC({{}}, '{unit}')"
    return spelled((ours, f"CAST(date_trunc('{unit}', {{}}) AS DATE)", ours), below("day"))


def like(draw, below):
    pattern = draw(st.text(TEXT, max_size=3))
    return joined("(({}) " + draw(st.sampled_from(["LIKE", "NOT LIKE"])) + f" '{pattern}')", below("text"))


def in_list(draw, below):
    which = draw(st.sampled_from(["integer", "decimal", "text", "day", "moment"]))
    word = draw(st.sampled_from(["IN", "NOT IN"]))
    return joined("(({}) " + word + " ({}, {}, {}))", below(which), below(which), below(which), below(which))


def between(draw, below):
    which = draw(st.sampled_from(["integer", "decimal", "text", "day", "moment"]))
    word = draw(st.sampled_from(["BETWEEN", "NOT BETWEEN"]))
    return joined("(({}) " + word + " ({}) AND ({}))", below(which), below(which), below(which))


ALIKE = [
    *(("integer", other) for other in ("integer", "decimal", "double")),
    *(("decimal", other) for other in ("decimal", "double")),
    *((which, which) for which in ("double", "text", "day", "moment")),
    ("day", "moment"),
]
NUMBERS = st.integers(-9, 9)
LEAVES = {
    "integer": st.one_of(st.sampled_from(["i", "l"]), NUMBERS.map(lambda each: f"CAST({each} AS BIGINT)")),
    "double": st.sampled_from(["f", "d", "d", "CAST(0.1 AS DOUBLE)", "1e0", "-2.5e0"]),
    "decimal": st.sampled_from(["c", "c", "0.10", "-1.5", "CAST(2 AS DECIMAL(5, 1))"]),
    "text": st.one_of(st.just("s"), st.text(TEXT, max_size=2).map(lambda each: f"'{each}'")),
    "day": st.sampled_from(["day", "day", "DATE '2024-01-01'", "CAST(ts AS DATE)"]),
    "moment": st.sampled_from(["ts", "ts", "TIMESTAMP '2024-01-01 10:30:00'", "CAST(day AS TIMESTAMP)"]),
    "bool": st.sampled_from(
        ["b", "TRUE", "FALSE", "NULL", "f = 0.1", "f <= 1.5", ("d > 0.1", *["(d > 0.1 AND NOT isnan(d))"] * 2),
         "i < 2.5", "c = 0.1", "l <> 3000000000",
         "day >= '2024-01-01'", "ts < '2024-01-01 10:30:00'", "s = 'a'", "'a' < s", "c >= -1.055", "f IN (0.1, 0.2)"]
    ),
}  # fmt: skip
SHAPES = {
    "integer": [
        shape("({} + {})", None, None),
        shape("({} - {})", None, None),
        shape("(i * {})", None),
        shape("({} % NULLIF({}, 0))", None, None),
        shape("(-({}))", None),
        shape("ABS({})", None),
        shape("CAST(LENGTH({}) AS BIGINT)", "text"),
        part,
        extracted,
        time_part,
        of_dates("DATEDIFF({0}, {1})", "date_diff('day', {1}, {0})", kinds=("day", "day")),
        of_dates("CAST(UNIX_DATE({}) AS BIGINT)", "date_diff('day', DATE '1970-01-01', {})"),
        shape("CAST(CAST({} AS VARCHAR) AS BIGINT)", None),
        shape("NULLIF({}, {})", None, None),
    ],
    "double": [
        shape("({} + {})", None, "integer"),
        shape("({} * CAST({} AS DOUBLE))", None, "decimal"),
        shape("({} / NULLIF({}, 0))", "integer", "integer"),
        shape("({} / NULLIF({}, 0))", "decimal", "integer"),
        shape("({} / NULLIF(c, 0))", "decimal"),
        shape("CASE WHEN l <> 0 THEN {} / l ELSE 0e0 END", "integer"),
        shape("FLOOR({})", None),
        shape("CEIL({})", None),
        shape("ROUND(d, 1)"),
        shape("ABS({})", None),
    ],
    "decimal": [
        shape("(c + {})", None),
        shape("(c - i)"),
        shape("(c * 2)"),
        shape("(-({}))", None),
        shape("CAST({} AS DECIMAL(12, 1))", "integer"),
        shape("CAST(c AS DECIMAL(9, 1))"),
        shape("ABS({})", None),
        shape("NULLIF({}, {})", None, None),
    ],
    "text": [
        concat,
        shape("({} || {})", None, None),
        shape("UPPER({})", None),
        shape("LOWER({})", None),
        shape("TRIM({})", None),
        shape("LTRIM({})", None),
        shape("RTRIM({})", None),
        shape("SUBSTRING({}, 2)", None),
        shape("SUBSTRING({}, 1, 2)", None),
        shape("CAST({} AS VARCHAR)", "integer"),
        shape("CAST({} AS VARCHAR)", "day"),
        shape("NULLIF({}, {})", None, None),
    ],
    "day": [
        shape("NULLIF({}, {})", None, None),
        days_later,
        months_later,
        date_and_interval,
        truncated_day,
        of_dates("LAST_DAY({})"),
        of_dates("MAKE_DATE(YEAR({}), MONTH({}), 28)", kinds=("day", "moment")),
        of_dates("TO_DATE(CAST({} AS VARCHAR))", "CAST(CAST({} AS VARCHAR) AS DATE)"),
    ],
    "moment": [shape("NULLIF({}, {})", None, None), moment_and_interval, hours_of_day, truncated],
    "bool": [
        compared,
        compared,
        like,
        in_list,
        between,
        shape("({} AND {})", None, None),
        shape("({} OR {})", None, None),
        shape("(NOT {})", None),
        shape("(({}) IS NULL)", "integer"),
        shape("(({}) IS NOT NULL)", "text"),
        shape("(({}) IS TRUE)", None),
        shape("(({}) IS NOT FALSE)", None),
        shape("(({}) IS DISTINCT FROM ({}))", "integer", "decimal"),
        shape("(({}) IS NOT DISTINCT FROM ({}))", "text", "text"),
    ],
}  # fmt: skip

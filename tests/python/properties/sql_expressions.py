"""Draws SQL expressions and rows for them.

Each expression is drawn twice: as we read it, and as DuckDB has to read it to mean the same. They differ in these:

- NaN equals nothing here, as in the filters of Iceberg. DuckDB's NaN equals NaN and is larger than every number.
- CONCAT with a null is null here, as in Spark and in the SQL standard. DuckDB's leaves nulls out.

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
DAYS = [dt.date(2024, 1, 1), dt.date(2024, 2, 29), dt.date(1969, 12, 31)]
MOMENTS = [
    moment(2024, 1, 1),
    moment(2024, 1, 1, 10, 30),
    moment(1969, 12, 31, 23, 59, 59, 999999),
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


def both(text):
    return text, text


def joined(pattern, *parts):
    """A pair of texts, of pairs."""
    return tuple(pattern.format(*(part[side] for part in parts)) for side in (0, 1))


@st.composite
def expressions(draw, kind, depth):
    """An expression of a kind: `integer`, `double`, `decimal`, `text`, `day`, `moment` or `bool`."""
    if depth <= 0 or draw(st.integers(0, 5)) == 0:
        leaf = draw(LEAVES[kind])
        return leaf if isinstance(leaf, tuple) else both(leaf)
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
    ours = f"({left[0]} {operator} {right[0]})"
    theirs = (
        f"(CASE WHEN isnan(({left[1]})::DOUBLE) AND ({right[1]}) IS NOT NULL OR isnan(({right[1]})::DOUBLE) AND "
        f"({left[1]}) IS NOT NULL THEN {holds} ELSE {left[1]} {operator} {right[1]} END)"
    )
    return ours, theirs


def concat(_draw, below):
    left, right = below("text"), below("integer")
    return f"CONCAT({left[0]}, {right[0]})", f"(({left[1]}) || CAST({right[1]} AS VARCHAR))"


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
        ["b", "TRUE", "FALSE", "NULL", "f = 0.1", "f <= 1.5", ("d > 0.1", "(d > 0.1 AND NOT isnan(d))"), "i < 2.5",
         "c = 0.1", "l <> 3000000000",
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
    "day": [shape("NULLIF({}, {})", None, None)],
    "moment": [shape("NULLIF({}, {})", None, None)],
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

"""What DuckDB finds in a scan is what DuckDB finds in its own table of the same rows.

DuckDB pushes filters into a scan and does not evaluate them again, so each has to have DuckDB's meaning here: NaN
equals NaN and is the largest number, -0.0 equals 0.0, and null is unknown.

`FLOEBERG_PROPERTIES=5000` tries so many tables, others each time; without it they are the same every time.
"""

from __future__ import annotations

import datetime as dt
import math
import os
from decimal import Decimal
from uuid import UUID, uuid4

import duckdb
import pyarrow as pa
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import floeberg as fb

EXAMPLES = int(os.environ.get("FLOEBERG_PROPERTIES", "0"))
PLUS_TWO = dt.timezone(dt.timedelta(hours=2))
DAY = dt.datetime(2020, 2, 29)  # noqa: DTZ001 - a column without a zone

# The values of each column, which its literals are too. They stand close to one another, so that they meet.
VALUES = {
    "i4": (pa.int32(), [-(2**31), -1, 0, 1, 2, 2**31 - 1]),
    "i8": (pa.int64(), [-(2**63), -1, 0, 1, 2**53, 2**53 + 1, 2**63 - 1]),
    "f4": (pa.float32(), [-math.inf, -1.5, -0.0, 0.0, 1.5, 16777216.0, math.inf, math.nan]),
    "f8": (pa.float64(), [-math.inf, -1.1, -0.0, 0.0, 1.1, 2.0**53, math.inf, math.nan]),
    "de": (pa.decimal128(9, 2), [Decimal(each) for each in ("-1.10", "0.00", "1.10", "1.11", "9999999.99")]),
    "da": (pa.date32(), [DAY.date() + dt.timedelta(days=each) for each in (-20000, -1, 0, 1)]),
    "ts": (pa.timestamp("us"), [DAY + dt.timedelta(microseconds=each) for each in (-1, 0, 1, 86400000000)]),
    "tz": (
        pa.timestamp("us", "UTC"),
        [(DAY + dt.timedelta(hours=each)).replace(tzinfo=PLUS_TWO) for each in (-2, 0, 2, 3)],
    ),
    "ns": (pa.timestamp("ns"), [DAY + dt.timedelta(microseconds=each) for each in (-1, 0, 1)]),
    "ti": (pa.time64("us"), [dt.time(0), dt.time(1, 2, 3, 4), dt.time(23, 59, 59, 999999)]),
    "te": (pa.string(), ["", "a", "a'b", "ab", "b", 'c"d', "ä", "\U0001f600", "\uffff"]),
    "bi": (pa.binary(), [b"", b"\x00", b"a", b"a\xff", b"\xff"]),
    "bo": (pa.bool_(), [False, True]),
    "uu": (pa.uuid(), [UUID(int=each) for each in (0, 1, 2**127, 2**128 - 1)]),
}
SCHEMA = pa.schema(
    {
        **{name: kind for name, (kind, _) in VALUES.items()},
        "st": pa.struct({"i8": VALUES["i8"][0], "f8": VALUES["f8"][0]}),
        "no": pa.int64(),
    }
)
PATHS = [*VALUES, "st.i8", "st.f8"]


def literal(column: str, value: object) -> str:
    """A value as SQL of DuckDB."""
    text = {
        "f4": lambda: f"'{value}'::FLOAT",
        "f8": lambda: f"'{value}'::DOUBLE",
        "bi": lambda: "'" + "".join(f"\\x{each:02X}" for each in value) + "'::BLOB",
        "da": lambda: f"'{value}'::DATE",
        "ts": lambda: f"'{value}'::TIMESTAMP",
        "tz": lambda: f"'{value}'::TIMESTAMPTZ",
        "ns": lambda: f"'{value}'::TIMESTAMP_NS",
        "ti": lambda: f"'{value}'::TIME",
        "uu": lambda: f"'{value}'::UUID",
        "te": lambda: "'" + value.replace("'", "''") + "'",
    }
    return text.get(column, lambda: str(value))()


@st.composite
def single_tests(draw: st.DrawFn) -> str:
    """A test of one column."""
    path = draw(st.sampled_from(PATHS))
    column = path.rpartition(".")[2]
    values = st.sampled_from(VALUES[column][1]).map(lambda value: literal(column, value))
    form = draw(
        st.sampled_from(["compare", "compare", "compare", "in", "between", "null", "distinct", "own"])
    )
    if form == "compare":
        return f"{path} {draw(st.sampled_from(['=', '<>', '<', '<=', '>', '>=']))} {draw(values)}"
    if form == "in":
        listed = draw(st.lists(st.one_of(values, values, values, st.just("NULL")), min_size=1, max_size=4))
        return f"{path} {draw(st.sampled_from(['IN', 'NOT IN']))} ({', '.join(listed)})"
    if form == "between":
        return f"{path} BETWEEN {draw(values)} AND {draw(values)}"
    if form == "null":
        return f"{path} IS {draw(st.sampled_from(['NULL', 'NOT NULL']))}"
    if form == "distinct":
        return f"{path} IS {draw(st.sampled_from(['', 'NOT ']))}DISTINCT FROM {draw(values)}"
    return draw(
        st.sampled_from(
            ["bo", "NOT bo", "te LIKE 'a%'", "te LIKE '%b'", "isnan(f8)", "f8 > i8", "i4 + 1 > 1"]
        )
    )


conditions = st.recursive(
    single_tests(),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda each: f"({' AND '.join(each)})"),
        st.lists(inner, min_size=2, max_size=3).map(lambda each: f"({' OR '.join(each)})"),
        inner.map(lambda each: f"NOT ({each})"),
    ),
    max_leaves=5,
)


@st.composite
def files(draw: st.DrawFn) -> list[list[dict[str, object]]]:
    """The rows of each file."""

    def value(column: str) -> object:
        return draw(st.sampled_from([*VALUES[column][1], None]))

    def row() -> dict[str, object]:
        inner = draw(st.booleans()) or None
        flat = {column: value(column) for column in VALUES}
        return {**flat, "st": inner and {"i8": value("i8"), "f8": value("f8")}}

    return [[row() for _ in range(draw(st.integers(1, 3)))] for _ in range(draw(st.integers(1, 4)))]


@settings(
    max_examples=EXAMPLES or 60,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)
@given(files(), st.lists(conditions, min_size=8, max_size=8))
def test_a_query_of_a_scan_is_one_of_the_same_rows(
    drawn: list[list[dict[str, object]]], asked: list[str]
) -> None:
    catalog = fb.load_catalog(f"duckdb-{uuid4()}", type="memory")
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", SCHEMA, format_version=3)
    number = 0
    for rows in drawn:
        table.append(arrow(rows, number))
        number += len(rows)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'America/New_York'")
        connection.register("given", table.scan().to_arrow())
        connection.execute("CREATE TABLE own AS SELECT * FROM given")
        table.scan().to_duckdb("scanned", connection)
        for condition in asked:
            query = f"SELECT no FROM {{}} WHERE {condition} ORDER BY no"
            expected = connection.sql(query.format("own")).fetchall()
            assert connection.sql(query.format("scanned")).fetchall() == expected, condition


def arrow(rows: list[dict[str, object]], number: int) -> pa.Table:
    columns = []
    for field in SCHEMA:
        values = [row.get(field.name) for row in rows]
        if field.name == "no":
            values = list(range(number, number + len(rows)))
        if field.name == "uu":
            stored = pa.array([each and each.bytes for each in values], pa.binary(16))
            columns.append(pa.ExtensionArray.from_storage(pa.uuid(), stored))
        else:
            columns.append(pa.array(values, field.type))
    return pa.Table.from_arrays(columns, schema=SCHEMA)

"""Filters of PyIceberg, pyarrow and polars keep the rows that they keep there, or are refused by name."""

from __future__ import annotations

import datetime as dt
import decimal
import sys
import uuid

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyiceberg import expressions as theirs

import floeberg as fb
from floeberg import expressions as fx
from floeberg.errors import LimitExceededError, UnsupportedError

NAN = float("nan")
DAY = dt.date(2024, 2, 29)
MOMENT = dt.datetime(2024, 2, 29, 12, 30, 0, 5)  # noqa: DTZ001 - without a zone
ROWS = pa.table(
    {
        "i": pa.array([1, 2, 3, None, 5], pa.int64()),
        "x": pa.array([1.5, NAN, None, -2.0, 7.0]),
        "s": pa.array(["ab", "abc", None, "b", ""]),
        "b": pa.array([True, False, None, True, False]),
        "d": pa.array([DAY, None, dt.date(1969, 12, 31), DAY, DAY]),
        "t": pa.array([MOMENT, None, MOMENT, MOMENT, None], pa.timestamp("us")),
        "p": pa.array([{"q": 1}, {"q": 2}, {"q": None}, None, {"q": 5}], pa.struct({"q": pa.int64()})),
    }
)


@pytest.fixture(scope="module")
def table():
    catalog = fb.load_catalog("foreign", type="memory")
    catalog.create_namespace_if_not_exists("n")
    made = catalog.create_table("n.rows", ROWS.schema)
    made.append(ROWS)
    return made


def kept(rows: pa.Table) -> list[tuple[object, ...]]:
    """Rows by what tells them apart: `i` and `s`."""
    return list(zip(rows["i"].to_pylist(), rows["s"].to_pylist(), strict=True))


field = pc.field
OF_PYARROW = [
    field("i") > 2,
    field("i") <= 3,
    field("i") != 2,
    ~(field("i") == 2),
    ~~(field("i") == 2),
    ~((field("i") == 2) & (field("s") == "abc")),
    (field("i") == 1) | (field("s") == "b"),
    ~((field("i") == 1) | (field("s") == "b")),
    field("i").is_null(),
    field("i").is_valid() & (field("x") < 5),
    ~field("x").is_nan(),
    field("x").is_nan(),
    ~(field("x") > 1),
    field("x") != 1.5,
    field("i").isin([1, 5]),
    ~field("i").isin([1, 5]),
    field("i").isin([1, None]),
    ~field("i").isin([1, None]),
    pc.starts_with(field("s"), "ab"),
    ~pc.starts_with(field("s"), "ab"),
    field("b"),
    ~field("b"),
    field("b") & True,
    field("d") == DAY,
    field("t") >= pa.scalar(MOMENT, pa.timestamp("us")),
    field("p", "q") > 1,
    pc.scalar(True),
    pc.scalar(False),
    field("s") == pa.scalar(None, pa.string()),
]


@pytest.mark.parametrize("given", OF_PYARROW, ids=str)
def test_a_filter_of_pyarrow_keeps_the_rows_that_pyarrow_keeps(table, given):
    assert kept(table.scan(row_filter=given).to_arrow()) == kept(ROWS.filter(given))


column = pl.col
OF_POLARS = [
    column("i") > 2,
    pl.lit(3) >= column("i"),
    column("i") != 2,
    ~(column("i") == 2),
    ~((column("i") == 2) & (column("s") == "abc")),
    (column("i") == 1) | (column("s") == "b"),
    column("i").is_null(),
    column("i").is_not_null() & (column("s") != "b"),
    column("x").is_nan(),
    column("x").is_not_nan(),
    column("i").is_in([1, 5]),
    ~column("i").is_in([1, 5]),
    column("i").is_in([1, None]),
    ~column("i").is_in([1, None]),
    column("i").is_in([1, None], nulls_equal=True),
    ~column("i").is_in([1, None], nulls_equal=True),
    column("s").is_in(["ab", ""]),
    column("i").is_between(2, 3),
    ~column("i").is_between(2, 3, closed="left"),
    column("s").str.starts_with("ab"),
    column("b"),
    ~column("b"),
    column("d") == DAY,
    column("t") >= MOMENT,
    column("p").struct.field("q") > 1,
    pl.lit(True),
]


@pytest.mark.parametrize("given", OF_POLARS, ids=str)
def test_a_filter_of_polars_keeps_the_rows_that_polars_keeps(table, given):
    expected = pl.from_arrow(ROWS).filter(given).to_arrow()
    assert kept(table.scan(row_filter=given).to_arrow()) == kept(expected)


OF_PYICEBERG = [
    (theirs.EqualTo("i", 2), fx.EqualTo("i", 2)),
    (theirs.NotEqualTo("s", "b"), fx.NotEqualTo("s", "b")),
    (theirs.LessThan("x", 1.5), fx.LessThan("x", 1.5)),
    (theirs.LessThanOrEqual("d", DAY), fx.LessThanOrEqual("d", DAY)),
    (theirs.GreaterThan("t", MOMENT), fx.GreaterThan("t", MOMENT)),
    (theirs.EqualTo("u", uuid.UUID(int=7)), fx.EqualTo("u", uuid.UUID(int=7))),
    (theirs.EqualTo("m", decimal.Decimal("1.50")), fx.EqualTo("m", decimal.Decimal("1.50"))),
    (theirs.EqualTo("y", b"\x00"), fx.EqualTo("y", b"\x00")),
    (theirs.EqualTo("c", dt.time(1, 2, 3)), fx.EqualTo("c", dt.time(1, 2, 3))),
    (theirs.In("i", [1, 2]), fx.In("i", [1, 2])),
    (theirs.NotIn("s", ["a", "b"]), fx.NotIn("s", ["a", "b"])),
    (theirs.IsNull("a.b"), fx.IsNull("a.b")),
    (theirs.NotNull("a"), fx.NotNull("a")),
    (theirs.IsNaN("x"), fx.IsNaN("x")),
    (theirs.NotNaN("x"), fx.NotNaN("x")),
    (theirs.StartsWith("s", "a"), fx.StartsWith("s", "a")),
    (theirs.NotStartsWith("s", "a"), fx.NotStartsWith("s", "a")),
    (theirs.AlwaysTrue(), fx.AlwaysTrue()),
    (theirs.AlwaysFalse(), fx.AlwaysFalse()),
    (
        theirs.And(theirs.EqualTo("i", 1), theirs.Or(theirs.IsNull("s"), theirs.NotNull("x"))),
        fx.And(fx.EqualTo("i", 1), fx.Or(fx.IsNull("s"), fx.NotNull("x"))),
    ),
]


@pytest.mark.parametrize(("given", "expected"), OF_PYICEBERG, ids=lambda each: type(each).__name__)
def test_a_filter_of_pyiceberg_is_ours_of_the_same_name(given, expected):
    assert fx.as_expression(given) == expected


def test_a_filter_of_pyiceberg_filters_rows(table):
    assert table.scan(theirs.GreaterThan("i", 2)).count() == 2
    assert table.scan().filter(theirs.IsNull("i")).count() == 1


@pytest.mark.parametrize(
    "given",
    [
        field("i") + field("x") > 3,
        field("i") == field("x"),
        field("i").cast(pa.int32()) == 3,
        pc.match_like(field("s"), "a%"),
        pc.starts_with(field("s"), "AB", ignore_case=True),
        pc.scalar(3),
        field("i").is_null(nan_is_null=True),
        field("x").isin([0.0, 1.5]),
        column("x") < float("inf"),
        column("x").is_between(0, float("inf")),
        ~(column("x") > pl.lit(float("inf"))),
        column("x") != NAN,
        column("i") + 1 > 3,
        column("i") == column("x"),
        column("s").str.ends_with("a"),
        column("i").sum() > 3,
        pl.when(column("i") > 1).then(pl.lit(1)).otherwise(pl.lit(2)) > 1,
        pl.all(),
        theirs.Reference("i"),
    ],
    ids=str,
)
def test_what_no_filter_of_ours_says_is_refused_by_the_name_of_the_library(given):
    with pytest.raises(UnsupportedError, match="pyarrow|polars|PyIceberg"):
        fx.as_expression(given)


def test_a_filter_that_is_nested_too_deep_is_refused():
    deep = theirs.EqualTo("i", 1)
    for _ in range(400):
        deep = theirs.Not(theirs.And(deep, theirs.IsNull("s")))
    with pytest.raises(LimitExceededError, match="nested"):
        fx.as_expression(deep)


def test_the_other_libraries_are_not_imported_for_a_filter():
    # What is imported by whom is told by a process of its own.
    import subprocess

    code = (
        "import sys, floeberg.expressions as fx; fx.as_expression('a = 1'); "
        "print([m for m in ('pyarrow', 'polars', 'pyiceberg') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n"

"""Expressions that cannot be read or computed are errors of ours, which name the expression."""

from __future__ import annotations

import pyarrow as pa
import pytest

from computed_values import computed
from floeberg.errors import FloebergError, InvalidInputError

COLUMNS = {
    "i": pa.array([1, 2, None]),
    "s": pa.array(["a", "1", None]),
    "d": pa.array([1.5, 1e300, None]),
    "day": pa.array([0, 1, None], pa.date32()),
    "huge": pa.array([10**37, -(10**37), None], pa.decimal128(38, 0)),
    "b": pa.array([True, False, None]),
    "long": pa.array([2**53 + 1, 0, None]),
    "st": pa.array([{"k": 1}, {"k": 2}, None]),
}


def values(text):
    return computed(text, column, 3)


def column(name):
    if name not in COLUMNS:
        raise InvalidInputError(f"column {name!r} is unknown")
    return COLUMNS[name]


@pytest.mark.parametrize(
    "text",
    [
        "CASE WHEN b THEN long ELSE d END",
        "long + d",
        "1" * 80,
        "1" * 5000,
        "1." + "1" * 80,
        "1e400",
        "1e99999999999999999999999",
        "i + " + "9" * 30 + " * " + "9" * 60,
        "i + 9223372036854775807",
        "-CAST(-9223372036854775808 AS BIGINT)",
        "i * 'x'",
        "s + 1",
        "day + 1.5",
        "CAST(s AS INT)",
        "CAST(s AS DATE)",
        "CAST(d AS INT)",
        "CAST(i AS DECIMAL(1, 1))",
        "CAST(huge AS DECIMAL(38, 10))",
        "CAST('x' AS TIME)",
        "CAST(1 AS DATE)",
        "CAST(i AS DATE)",
        "CAST(i AS TIMESTAMP)",
        "CAST(day AS BIGINT)",
        "CAST(st AS INT)",
        "DATE '2024-13-01'",
        "TIMESTAMP 'now'",
        "UUID 'x'",
        "huge * huge * huge",
        "i / 0",
        "i % 0",
        "UPPER(i)",
        "LENGTH(i)",
        "ABS(s)",
        "ROUND(s, 1)",
        "ROUND(d, 400000000000)",
        "SUBSTRING(i, 1, 2)",
        "i LIKE 'a'",
        "i || st",
        "st = 1",
        "st = st",
        "b + 1",
        "b = 'x'",
        "'a' < 1",
        "i IN (1, 'x')",
        "(i",
        "i i",
        "",
        "   ",
        "\x00",
        "i = \ud800",
        "'" + "a" * 100_000,
    ],
    ids=lambda text: repr(text[:40]),
)
def test_every_mistake_is_an_error_of_ours(text):
    with pytest.raises(FloebergError) as found:
        values(text)
    assert len(str(found.value)) < 3000


@pytest.mark.parametrize(
    "text",
    [
        "(" * 3000 + "i" + ")" * 3000,
        "NOT " * 3000 + "b",
        "-" * 3 + "(-" * 3000 + "i" + ")" * 3000,
        "COALESCE(i, " * 1000 + "1" + ")" * 1000,
    ],
    ids=lambda text: repr(text[:20]),
)
def test_deep_expressions_are_errors(text):
    with pytest.raises(InvalidInputError, match="nested too deeply|cannot be parsed"):
        values(text)


def test_a_long_chain_of_operators_is_computed():
    assert values("i" + " / 1" * 5000).to_pylist() == [1.0, 2.0, None]
    assert values("i" + " - 1 + 1" * 5000).to_pylist() == [1, 2, None]


@pytest.mark.parametrize("word", ["OR", "AND"])
def test_a_long_chain_is_computed(word):
    other = "AND" if word == "OR" else "OR"
    text = f" {word} ".join(f"(i = {each} {other} i = {each})" for each in range(500))
    assert values(text).to_pylist() == ([True, True, None] if word == "OR" else [False, False, None])


def test_the_error_names_the_expression():
    with pytest.raises(
        InvalidInputError, match='the SQL expression "i / 0" cannot be computed: divide by zero'
    ):
        values("i / 0")
    with pytest.raises(InvalidInputError, match=r"xxx\.\.\."):
        values("i + '" + "x" * 1000 + "'")


def test_products_of_long_decimals_keep_all_digits():
    found = values("huge * 10")
    assert pa.types.is_decimal(found.type) and found.to_pylist() == [10**38, -(10**38), None]

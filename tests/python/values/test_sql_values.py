"""SQL expressions have the values that SQL says, or are errors."""

from __future__ import annotations

import datetime as dt
import operator as op
from decimal import Decimal

import pyarrow as pa
import pytest

from computed_values import computed
from floeberg.errors import InvalidInputError, UnsupportedError

COLUMNS = {
    "i": pa.array([1, 2, 3, None]),
    "d": pa.array([1.55, -2.5, 0.0, None]),
    "c": pa.array([Decimal("10.00"), Decimal("-10.00"), Decimal("0.05"), None], pa.decimal128(9, 2)),
    "s": pa.array(["apple", " xbx ", "Avocado", None]),
    "b": pa.array([True, False, True, None]),
    "day": pa.array([dt.date(2024, 1, 2)] * 4),
    "f": pa.array([0.1, 0.2, 1.0, None], pa.float32()),
}


def values(text):
    found = computed(text, COLUMNS.__getitem__, 4)
    return [found.as_py()] * 4 if isinstance(found, pa.Scalar) else found.to_pylist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s LIKE 'a%'", [True, False, False, None]),
        ("s NOT LIKE 'a%'", [False, True, True, None]),
        ("NOT s NOT LIKE 'a%'", [True, False, False, None]),
        ("s NOT IN ('apple')", [False, True, True, None]),
        ("s NOT BETWEEN 'a' AND 'b'", [False, True, True, None]),
        ("i IS DISTINCT FROM 1", [False, True, True, True]),
        ("i IS NOT DISTINCT FROM 1", [True, False, False, False]),
        ("b IS NOT TRUE", [False, True, False, True]),
        ("TRIM(s)", ["apple", "xbx", "Avocado", None]),
        ("LTRIM(s)", ["apple", "xbx ", "Avocado", None]),
        ("RTRIM(s)", ["apple", " xbx", "Avocado", None]),
        ("CAST(i AS DECIMAL(25))", [Decimal(1), Decimal(2), Decimal(3), None]),
        ("i = 1;", [True, False, False, None]),
        ("s ILIKE 'A%'", [True, False, True, None]),
        ("s NOT ILIKE 'A%'", [False, True, False, None]),
        ("s LIKE 'a!%' ESCAPE '!'", [False, False, False, None]),
        ("TRY_CAST(s AS INT)", [None] * 4),
        ("TRY_CAST(i AS VARCHAR)", ["1", "2", "3", None]),
        ("TRY_CAST(d AS INT)", [None, None, 0, None]),
        ("i <=> NULL", [False, False, False, True]),
        ("i::DOUBLE / 2", [0.5, 1.0, 1.5, None]),
        ("MOD(i, 2)", [1, 0, 1, None]),
        ("d % 1 = -0.5", [False, True, False, None]),
        ("d IS NAN", [False, False, False, None]),
        ("SUBSTRING(s FROM 2 FOR 2)", ["pp", "xb", "vo", None]),
        ("TRIM(LEADING FROM s)", ["apple", "xbx ", "Avocado", None]),
        ("CAST(day AS STRING)", ["2024-01-02"] * 4),
        ("CAST(f AS VARCHAR)", ["0.1", "0.2", "1.0", None]),
    ],
)
def test_every_word_of_an_expression_counts(text, expected):
    assert values(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "TRIM('x' FROM s)",
        "TRIM(BOTH 'x' FROM s)",
        "TRIM(LEADING 'x' FROM s)",
        "TRIM(s, 'x')",
        "LTRIM(s, 'x')",
        "RTRIM(s, 'x')",
        "i BETWEEN SYMMETRIC 3 AND 1",
        "i NOT BETWEEN SYMMETRIC 3 AND 1",
        "FLOOR(d, 1)",
        "FLOOR(day TO DAY)",
        "CEIL(d, 1)",
        "CEIL(day TO DAY)",
        "ROUND(d, 1, 1)",
        "LENGTH(s, 2)",
        "CAST(s AS VARCHAR(2))",
        "CAST(s AS VARCHAR(MAX))",
        "CAST(day AS STRING FORMAT 'YYYY')",
        "CAST(i AS DECIMAL(MAX))",
        "CAST(i AS DECIMAL(9, 2, 1))",
        "CAST(i AS DECIMAL(39, 2))",
        "CAST(i AS DECIMAL(2, 3))",
        "SUBSTRING(s, 0, 2)",
        "SUBSTRING(s, -2)",
        "SUBSTRING(s, 1, -1)",
        "SUBSTRING(s, 1.5)",
        "ROUND(d, i)",
        "ROUND(d, 0.5)",
        "CAST(day AS TIMESTAMP(3))",
        "CAST(i AS INT[])",
        "i(+) = 1",
        "t.i(+) = 1",
        "s LIKE ANY ('a', 'b')",
        "s LIKE ALL ('a', 'b')",
        "s NOT LIKE ANY ('a', 'b')",
        "i = ANY(i)",
        "i = ALL (1)",
        "s SIMILAR TO 'a%'",
        "i IN (SELECT 1)",
        "i IN UNNEST(i)",
        "UPPER(DISTINCT s)",
        "COALESCE(i IGNORE NULLS, 1)",
        "s = 'a' COLLATE binary",
        "LOWER(s COLLATE binary)",
        "SUM(i) OVER (ORDER BY i)",
        "SUBSTRING(s, i)",
        "i DIV 2",
        "CONCAT_WS('-', s, s)",
    ],
)
def test_what_is_not_understood_is_an_error(text):
    with pytest.raises((UnsupportedError, InvalidInputError), match="not supported|needs|cannot be parsed"):
        values(text)


def test_a_pattern_and_a_trim_see_ends_of_lines():
    column = pa.array(["a\nb", "\ta\n "])
    assert computed("s LIKE 'a_b'", lambda _: column, 2).to_pylist() == [True, False]
    assert computed("s LIKE '%b'", lambda _: column, 2).to_pylist() == [True, False]
    assert computed("TRIM(s)", lambda _: column, 2).to_pylist() == ["a\nb", "\ta\n"]


def test_there_is_one_expression():
    with pytest.raises(InvalidInputError, match="there is one expression"):
        values("i = 1; i = 2")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CAST(c / 3 AS DECIMAL(9, 2))", [Decimal("3.33"), Decimal("-3.33"), Decimal("0.02"), None]),
        ("CAST(c AS DECIMAL(9, 1))", [Decimal("10.0"), Decimal("-10.0"), Decimal("0.1"), None]),
        ("CAST(d AS DECIMAL(9, 0))", [Decimal(2), Decimal(-3), Decimal(0), None]),
        ("CAST(c AS DOUBLE)", [10.0, -10.0, 0.05, None]),
        ("CAST(16777217 AS FLOAT)", [16777216.0] * 4),
        ("CAST(d / 3 AS FLOAT) = 0.0", [False, False, True, None]),
    ],
)
def test_casts_round(text, expected):
    assert values(text) == expected


WIDE = {
    "p": pa.array([Decimal("0.99"), Decimal("-0.99"), Decimal("0.05"), None], pa.decimal128(2, 2)),
    "q": pa.array([Decimal("9.99"), Decimal("-9.99"), Decimal("0.50"), None], pa.decimal128(3, 2)),
    "w": pa.array([Decimal("0." + "9" * 38), Decimal(0), Decimal("-0.5"), None], pa.decimal128(38, 38)),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FLOOR(p)", [0, -1, 0, None]),
        ("CEIL(p)", [1, 0, 1, None]),
        ("ROUND(p)", [1, -1, 0, None]),
        ("ROUND(p, 1)", [Decimal("1.0"), Decimal("-1.0"), Decimal("0.1"), None]),
        ("ROUND(p, 2)", [Decimal("0.99"), Decimal("-0.99"), Decimal("0.05"), None]),
        ("ROUND(p, -3)", [0, 0, 0, None]),
        ("FLOOR(q)", [9, -10, 0, None]),
        ("CEIL(q)", [10, -9, 1, None]),
        ("ROUND(q, 1)", [10, -10, Decimal("0.5"), None]),
        ("ROUND(q, -1)", [10, -10, 0, None]),
        ("FLOOR(w)", [0, 0, -1, None]),
        ("CEIL(w)", [1, 0, 0, None]),
        ("ROUND(w)", [1, 0, -1, None]),
    ],
)
def test_decimals_are_rounded_to_numbers_of_more_digits(text, expected):
    assert computed(text, WIDE.__getitem__, 4).to_pylist() == expected


def test_a_decimal_that_no_type_has_room_for_is_an_error():
    with pytest.raises(UnsupportedError, match="rounded to -90"):
        computed("ROUND(p, -90)", WIDE.__getitem__, 4)


@pytest.mark.parametrize(
    "text",
    ["LOWER(NULL)", "UPPER(NULL)", "LENGTH(NULL)", "TRIM(NULL)", "SUBSTRING(NULL, 1, 2)", "NULL LIKE 'a%'"],
)
def test_functions_of_null_are_null(text):
    assert values(text) == [None] * 4
    assert values(f"{text} IS NULL") == [True] * 4


EDGE = 2**53
NUMBERS = {
    "n": pa.array([EDGE, EDGE + 1, -EDGE - 1, 2**63 - 1, -(2**63), 5, None], pa.int64()),
    "x": pa.array([2.0**53, 2.0**53, -(2.0**53), 2.0**63, -(2.0**63), float("nan"), 1.0]),
}


@pytest.mark.parametrize("sides", [("n", "x"), ("x", "n")])
@pytest.mark.parametrize("operator", ["=", "<>", "<", "<=", ">", ">="])
def test_long_integers_and_doubles_are_compared_exactly(operator, sides):
    # Python compares integers and floats exactly.
    python = {"=": op.eq, "<>": op.ne, "<": op.lt, "<=": op.le, ">": op.gt, ">=": op.ge}
    columns = [NUMBERS[each].to_pylist() for each in sides]
    expected = [
        None if one is None or other is None else python[operator](one, other)
        for one, other in zip(*columns, strict=True)
    ]
    found = computed(f" {operator} ".join(sides), NUMBERS.__getitem__, 7)
    assert found.to_pylist() == expected
    # A value that is computed for all rows, and is no literal.
    found = computed(f"n {operator} CAST(9007199254740992.0 AS DOUBLE)", NUMBERS.__getitem__, 7)
    assert found.to_pylist() == [
        None if one is None else python[operator](one, 2.0**53) for one in NUMBERS["n"].to_pylist()
    ]

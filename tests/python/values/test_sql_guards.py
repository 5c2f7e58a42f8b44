"""A part of a SQL expression is computed only for the rows that need it: what could fail elsewhere does not."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

from computed_values import computed
from floeberg.errors import InvalidInputError

COLUMNS = {
    "a": pa.array([8, 8, 8, 8, None]),
    "b": pa.array([4, 0, None, 2, 0]),
    "s": pa.array(["1", "x", None, "4", "y"]),
    "st": pa.array([{"k": 1}, {"k": 2}, None, {"k": 4}, {"k": 5}]),
    "dec": pa.array([Decimal("1.50"), None, None, None, None], pa.decimal128(38, 2)),
    "w": pa.array(["one", "two", None, "four", "five"]),
}


def values(text, columns=COLUMNS, rows=5):
    found = computed(text, columns.__getitem__, rows)
    return [found.as_py()] * rows if isinstance(found, pa.Scalar) else found.to_pylist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CASE WHEN b = 0 THEN 0 ELSE a / b END", [2.0, 0.0, None, 4.0, 0.0]),
        ("CASE WHEN b <> 0 THEN a / b END", [2.0, None, None, 4.0, None]),
        ("CASE b WHEN 0 THEN -1 WHEN 4 THEN a / b ELSE a / (b + 2) END", [2.0, -1.0, None, 2.0, -1.0]),
        ("CASE WHEN b = 0 THEN 0 WHEN 8 / b > 3 THEN 1 ELSE 2 END", [2, 0, 2, 1, 0]),
        ("IF(b = 0, NULL, a / b)", [2.0, None, None, 4.0, None]),
        ("b <> 0 AND a / b > 2", [False, False, None, True, False]),
        ("b = 0 OR a / b > 2", [False, True, None, True, True]),
        ("NOT (b = 0 OR a / b > 2)", [True, False, None, False, False]),
        ("COALESCE(a, 7 / (b + 1))", [8.0, 8.0, 8.0, 8.0, 7.0]),
        ("COALESCE(b, 1 / (b - 0), 9)", [4.0, 0.0, 9.0, 2.0, 0.0]),
        ("s IN ('1', '4') AND CAST(s AS INT) > 1", [False, False, None, True, False]),
        ("CASE WHEN s IN ('1', '4') THEN CAST(s AS BIGINT) ELSE 0 END", [1, 0, 0, 4, 0]),
        ("CASE WHEN FALSE THEN 1 / 0 ELSE 3 END", [3.0] * 5),
        (
            "CASE WHEN b = 0 THEN 0 ELSE CASE WHEN b = 2 THEN 1 / (b - 4) ELSE a / b END END",
            [2.0, 0.0, None, -0.5, 0.0],
        ),
        ("b <> 0 AND (a / b > 2 OR 8 / (b + 4) > 1)", [False, False, None, True, False]),
        ("FALSE AND 1 / 0 > 1", [False] * 5),
        ("TRUE OR 1 / 0 > 1", [True] * 5),
        ("COALESCE(1, 1 / 0)", [1.0] * 5),
        ("IF(TRUE, 1, 1 / 0)", [1.0] * 5),
        ("CASE WHEN b = 0 THEN w ELSE 'other' END", ["other", "two", "other", "other", "five"]),
        ("CASE WHEN b = 0 THEN st END", [None, {"k": 2}, None, None, {"k": 5}]),
        ("CASE WHEN b = 0 THEN NULL ELSE NULL END", [None] * 5),
        ("CASE WHEN b = 0 THEN 3 ELSE dec END", [Decimal("1.50"), Decimal(3), None, None, Decimal(3)]),
        ("NULLIF(b, 0)", [4, None, None, 2, None]),
        ("NULLIF(b, NULL)", [4, 0, None, 2, 0]),
    ],
)
def test_operands_are_computed_where_they_count(text, expected):
    assert values(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "COALESCE(a, 1 / b)",
        "COALESCE(b, a / 0)",
        "NULL AND 1 / 0 > 1",
        "b <> 0 AND 8 / (b - 4) < 0",
        "CASE WHEN b = 0 THEN 0 ELSE CASE WHEN b = 2 THEN 1 / (b - 2) ELSE a / b END END",
    ],
)
def test_what_fails_where_it_counts_is_an_error(text):
    with pytest.raises(InvalidInputError, match="cannot be computed: divide by zero"):
        values(text)


def test_the_rows_of_a_guard_are_those_of_the_batch_also_when_there_are_none():
    none = {name: column.slice(0, 0) for name, column in COLUMNS.items()}
    assert values("CASE WHEN b = 0 THEN 1 / 0 ELSE a / b END", none, 0) == []
    assert values("1 / 0 > b", none, 0) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("CASE WHEN b = 0 THEN 'x' ELSE 1 END", "no type in common"),
        ("CASE WHEN b THEN 1 END", 'expected a condition, found "b" of type long'),
        ("b AND TRUE", "expected a condition"),
        ("FALSE AND s", "expected a condition"),
        ("FALSE AND s + 1 > 2", "cannot be computed"),
        ("NOT s", "expected a condition"),
        ("COALESCE(a, s)", "no type in common"),
    ],
)
def test_types_are_checked_where_no_row_counts_too(text, said):
    with pytest.raises(InvalidInputError, match=said):
        values(text)


def test_a_guard_is_taken_for_many_rows():
    rows = 100_000
    columns = {"n": pa.array(range(rows))}
    found = values("CASE WHEN n % 3 = 0 THEN 1 / (n % 3 + 1) ELSE 2 / (n % 3) END", columns, rows)
    assert found == [1.0 if n % 3 == 0 else 2 / (n % 3) for n in range(rows)]

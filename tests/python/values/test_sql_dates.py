"""Functions of dates in new values, in conditions of merges and in filters."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions import Condition, EqualTo, Transformed, parse

UTC = dt.timezone.utc
ROWS = pa.table(
    {
        "id": pa.array([1, 2, 3, 4]),
        "day": pa.array([dt.date(2024, 2, 29), dt.date(1969, 12, 31), dt.date(2023, 1, 31), None]),
        "ts": pa.array(
            [
                dt.datetime(2024, 2, 29, 23, 59, 59, 999999, tzinfo=UTC),
                dt.datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
                dt.datetime(2023, 1, 31, 0, 30, tzinfo=UTC),
                None,
            ],
            pa.timestamp("us", "UTC"),
        ),
        "n": pa.array([0, 0, 0, 0], pa.int32()),
    }
)


@pytest.fixture(params=["iceberg", "lance"])
def table(request, tmp_path):
    if request.param == "lance":
        return fb.lance.create_table(str(tmp_path / "t.lance"), ROWS)
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", ROWS.schema)
    table.append(ROWS)
    return table


def column(table, name):
    return table.refresh().scan().to_arrow().sort_by("id").column(name).to_pylist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("year(day) * 100 + month(day)", [202402, 196912, 202301, None]),
        ("EXTRACT(YEAR FROM ts) * 100 + EXTRACT(HOUR FROM ts)", [202423, 196923, 202300, None]),
        ("dayofweek(ts)", [5, 4, 3, None]),
        ("CASE WHEN year(ts) = 2024 THEN 1 ELSE 2 END", [1, 2, 2, 2]),
        ("DATEDIFF(LAST_DAY(day), day)", [0, 0, 0, None]),
        ("UNIX_DATE(CAST(ts AS DATE))", [19782, -1, 19388, None]),
    ],
)
def test_new_values_have_parts_of_dates(table, text, expected):
    table.update({"n": fb.sql_expr(text)})
    assert column(table, "n") == expected


def test_new_values_are_dates_and_timestamps(table):
    table.update(
        {"day": fb.sql_expr("day + INTERVAL '1' MONTH"), "ts": fb.sql_expr("DATE_TRUNC('hour', ts)")}
    )
    assert column(table, "day") == [dt.date(2024, 3, 29), dt.date(1970, 1, 31), dt.date(2023, 2, 28), None]
    assert column(table, "ts")[:2] == [
        dt.datetime(2024, 2, 29, 23, tzinfo=UTC),
        dt.datetime(1969, 12, 31, 23, tzinfo=UTC),
    ]
    table.update({"day": fb.sql_expr("CAST(DATE_TRUNC('year', ts) AS DATE)")}, "id = 1")
    assert column(table, "day")[0] == dt.date(2024, 1, 1)


def test_conditions_of_merges_have_functions_of_dates(table):
    source = pa.table({"id": [1, 2], "day": [dt.date(2024, 1, 1), dt.date(2024, 1, 1)]})
    done = (
        table.merge(source, predicate="target.id = source.id AND year(target.day) = year(source.day)")
        .when_matched_update({"n": fb.sql_expr("DATEDIFF(target.day, source.day)")}, "month(target.ts) = 2")
        .execute()
    )
    assert done.updated_rows == 1
    assert column(table, "n") == [59, 0, 0, 0]


def test_filters_compute_with_dates_and_keep_transforms(table):
    def found(text):
        return sorted(table.scan(text).to_arrow().column("id").to_pylist())

    assert found("EXTRACT(YEAR FROM ts) = 2024") == [1]
    assert found("EXTRACT(YEAR FROM day) < 2024 AND QUARTER(ts) = 4") == [2]
    assert found("ts >= DATE_TRUNC('day', TIMESTAMP '2023-01-31 10:00:00+00:00')") == [1, 3]
    assert found("day + INTERVAL '1' DAY = DATE '1970-01-01'") == [2]
    assert found(fb.sql_expr("LAST_DAY(day) = day")) == [1, 2, 3]
    # The partition transform counts from 1970, in every text of a filter.
    assert found(fb.sql_expr("year(day) = 54")) == found("year(day) = 54") == [1]
    assert parse("year(day) = 54") == EqualTo(Transformed("year", "day"), 54)


@pytest.mark.parametrize(
    "text", ["year(day) + 1 = 2025", "month(day) = id", "CASE WHEN day(day) = 1 THEN TRUE END"]
)
def test_a_transform_is_no_function_in_a_filter(table, text):
    with pytest.raises(InvalidInputError, match=r"write EXTRACT\(YEAR FROM x\)"):
        table.scan(text)
    for make in (Condition, lambda text: table.scan(fb.sql_expr(text))):
        with pytest.raises(InvalidInputError, match=r"write EXTRACT\(YEAR FROM x\)"):
            make(text)
    with pytest.raises(InvalidInputError, match=r"write EXTRACT\(YEAR FROM x\)"):
        table.delete(fb.sql_expr("year(day)") == 2024)


def test_what_is_not_there_is_an_error(table):
    for text, error, said in [
        ("CURRENT_DATE", InvalidInputError, "CURRENT_DATE"),
        ("MONTHS_BETWEEN(day, day)", UnsupportedError, "there is no such function"),
        ("EXTRACT(DOW FROM day)", UnsupportedError, r"DAYOFWEEK \(1 is Sunday\)"),
        ("year(n)", InvalidInputError, "YEAR needs dates or timestamps, found int"),
        ("day + INTERVAL '1-2' YEAR TO MONTH", UnsupportedError, "an interval is a whole number"),
        ("UNIX_DATE(day + INTERVAL '9999999' YEAR)", InvalidInputError, "overflow"),
    ]:
        with pytest.raises(error, match=said):
            table.update({"n": fb.sql_expr(text)})
    assert column(table, "n") == [0] * 4

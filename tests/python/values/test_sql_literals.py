"""A literal of a SQL expression means what it means in the filter of a scan: both find the same rows."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal

import pyarrow as pa
import pytest

import floeberg as fb
from computed_values import computed
from floeberg.errors import FloebergError, InvalidInputError

UTC = dt.timezone.utc
MOMENT = dt.datetime(2024, 1, 2)  # noqa: DTZ001 - without a zone
NAN, INF = float("nan"), float("inf")
IDS = [uuid.UUID(int=1), uuid.UUID("12345678-1234-5678-1234-567812345678")]
COLUMNS = {
    "i": pa.array([-(2**31), -1, 0, 1, 2**31 - 1, None], pa.int32()),
    "l": pa.array([-(2**63), 2**53 + 1, 0, 3, 2**63 - 1, None]),
    "f": pa.array([0.1, -0.0, 3.4028234663852886e38, INF, NAN, None], pa.float32()),
    "d": pa.array([0.1, -0.0, 1.7976931348623157e308, -INF, NAN, None]),
    "c": pa.array(
        [Decimal("0.10"), Decimal("-1.05"), Decimal("9999999.99"), Decimal(0), Decimal("-9999999.99"), None],
        pa.decimal128(9, 2),
    ),
    "s": pa.array(["", "a", "1", "Ω", "zz", None]),
    "x": pa.array([b"", b"\x00", b"\xff", b"ab", b"\x00\xff", None]),
    "y": pa.array([b"\x00\x01", b"\xff\xff", b"ab", b"\x00\x00", b"zz", None], pa.binary(2)),
    "day": pa.array([dt.date(2024, 1, 2), dt.date(1969, 12, 31), dt.date(1, 1, 1), None, None, None]),
    "t": pa.array([dt.time(10), dt.time(0), dt.time(23, 59, 59, 999999), None, None, None]),
    "ts": pa.array(
        [MOMENT, MOMENT + dt.timedelta(microseconds=1), None, None, None, None],
        pa.timestamp("us"),
    ),
    "tz": pa.array(
        [dt.datetime(2024, 1, 2, tzinfo=UTC), dt.datetime(1969, 1, 1, tzinfo=UTC), None, None, None, None],
        pa.timestamp("us", "UTC"),
    ),
    "u": pa.array([IDS[0].bytes, IDS[1].bytes, None, None, None, None], pa.uuid()),
    "b": pa.array([True, False, None, None, None, None]),
}
NUMBERS = [
    "0", "-0.0", "0.1", "0.10", "1", "-1.05", "-1.055", "1.5", "2147483647", "2147483648", "-2147483649",
    "9007199254740993",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "9999999.99",
    "9999999.995",
    "1e-1", "1E5", "3.4028234663852886e38", "1e39", "-1e39", "1e308", "1e309", "-1e400", "1e-30", "-1e-30",
    "123456789012345678901234567890123456789012345678901234567890", "'1'", "' 1.5 '", "'Infinity'", "'-Infinity'",
]  # fmt: skip
MOMENTS = [
    "'2024-01-02'", "'2024-01-02 00:00:00'", "'2024-01-02T00:00:00.000001'", "'2024-01-01T23:59:59.9999999'",
    "DATE '2024-01-02'", "TIMESTAMP '2024-01-02 00:00:00'", "'0001-01-01'",
]  # fmt: skip
ZONED = [
    "'2024-01-02T00:00:00Z'", "'2024-01-02T01:00:00+01:00'", "'2024-01-02 00:00:00.000001+00:00'",
    "TIMESTAMP '2024-01-02 00:00:00Z'", "TIMESTAMPTZ '2024-01-02 02:00:00+02:00'",
]  # fmt: skip
TIMES = ["'10:00:00'", "TIME '10:00:00'", "'23:59:59.999999'", "'00:00:00'"]
CASES = [
    *((column, literal) for column in ("i", "l", "f", "d", "c") for literal in NUMBERS),
    *((column, literal) for column in ("day", "ts") for literal in MOMENTS),
    *(("tz", literal) for literal in ZONED),
    *(("t", literal) for literal in TIMES),
    *(("s", literal) for literal in ("'a'", "''", "'1'", "'Ω'")),
    *(("x", literal) for literal in ("'00'", "'00ff'", "''", "'FF'")),
    *(("y", literal) for literal in ("'0001'", "'ffff'")),
    *(("u", literal) for literal in (f"'{IDS[1]}'", f"UUID '{IDS[0]}'")),
]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path_factory.mktemp("literals")))
    catalog.create_namespace("ns")
    data = pa.table({"row": range(6), **COLUMNS})
    table = catalog.create_table("ns.t", data.schema)
    table.append(data)
    return table


def found(text):
    values = computed(text, COLUMNS.__getitem__, 6)
    holds = [values.as_py()] * 6 if isinstance(values, pa.Scalar) else values.to_pylist()
    return [row for row, each in enumerate(holds) if each]


def scanned(table, text):
    return sorted(table.scan(text, selected_fields=("row",)).to_arrow()["row"].to_pylist())


@pytest.mark.parametrize(("column", "literal"), CASES, ids=str)
def test_a_comparison_finds_the_rows_of_a_filter(table, column, literal):
    for operator in ("=", "<>", "<", "<=", ">", ">="):
        text = f"{column} {operator} {literal}"
        assert found(text) == scanned(table, text), text
    text = f"NOT ({column} > {literal})"
    assert found(text) == scanned(table, text)
    turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}
    for operator, other in turned.items():
        assert found(f"{literal} {operator} {column}") == found(f"{column} {other} {literal}")
    text = f"{column} IN ({literal}, {literal})"
    assert found(text) == scanned(table, text)
    text = f"{column} BETWEEN {literal} AND {literal}"
    assert found(text) == scanned(table, text)


@pytest.mark.parametrize(
    "text",
    [
        "i = 'one'",
        "i = 'NaN'",
        "s = 1",
        "day = 1.5",
        "day = 'yesterday'",
        "ts = '2024-01-02T00:00:00Z'",
        "tz = '2024-01-02'",
        "tz = '2024-01-02 00:00:00'",
        "tz = DATE '2024-01-02'",
        "tz = TIMESTAMP '2024-01-02 00:00:00'",
        "ts = TIMESTAMP '2024-01-02 00:00:00Z'",
        "t = '2024-01-02'",
        "y = '00'",
        "x = 'not hex'",
        "u = 'not a uuid'",
        "b = 1",
        "b = 'true'",
    ],
)
def test_a_literal_of_another_kind_is_an_error_in_both(table, text):
    with pytest.raises(InvalidInputError):
        found(text)
    with pytest.raises(FloebergError):
        scanned(table, text)


def test_times_with_and_without_a_zone_are_not_mixed():
    with pytest.raises(InvalidInputError, match="has a zone.*CAST"):
        found("ts = tz")
    with pytest.raises(InvalidInputError, match="has a zone"):
        found("COALESCE(tz, ts) IS NULL")
    assert found("CAST(ts AS TIMESTAMPTZ) = tz") == [0]
    assert found("ts = CAST(tz AS TIMESTAMP)") == [0]
    assert found("ts >= day") == [0, 1]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("DATE '2024-01-02'", pa.date32()),
        ("TIME '10:00:00'", pa.time64("us")),
        ("TIMESTAMP '2024-01-02 00:00:00'", pa.timestamp("us")),
        ("TIMESTAMP '2024-01-02 00:00:00+01:00'", pa.timestamp("us", "UTC")),
        ("TIMESTAMP '2024-01-02 00:00:00.000000001'", pa.timestamp("ns")),
        ("CAST('2024-01-02' AS TIMESTAMP)", pa.timestamp("us")),
        ("CAST(s AS TIMESTAMP)", pa.timestamp("us")),
        ("CAST(s AS TIMESTAMPTZ)", pa.timestamp("us", "UTC")),
        ("COALESCE(day, '2024-01-02')", pa.date32()),
        ("CASE WHEN b THEN ts ELSE '2024-01-02' END", pa.timestamp("us")),
        ("COALESCE(f, 0.1)", pa.float32()),
        ("f * 0.5", pa.float32()),
        ("c * 2", pa.decimal128(11, 2)),
        ("COALESCE(c, 0)", pa.decimal128(9, 2)),
        ("COALESCE(c, d)", pa.float64()),
        ("COALESCE(i, l)", pa.int64()),
        ("COALESCE(f, i)", pa.float64()),
        ("f + i", pa.float64()),
        ("f + 1", pa.float32()),
        ("COALESCE(f, d)", pa.float64()),
        ("1e2", pa.float64()),
        ("1.50", pa.decimal128(3, 2)),
        ("9223372036854775808", pa.decimal128(19, 0)),
        ("-9223372036854775808", pa.int64()),
    ],
)
def test_what_type_an_expression_has(text, kind):
    columns = {**COLUMNS, "s": pa.nulls(6, pa.string())}
    assert computed(text, columns.__getitem__, 6).type == kind
    none = {name: column.slice(0, 0) for name, column in columns.items()}
    assert computed(text, none.__getitem__, 0).type == kind


def test_an_update_with_the_text_of_a_scan_changes_the_same_rows(table):
    done = table.update({"s": fb.sql_expr("CASE WHEN f = 0.1 THEN 'tenth' ELSE s END")}, "f = 0.1")
    assert done.updated_rows == 1
    assert scanned(table, "s = 'tenth'") == [0]

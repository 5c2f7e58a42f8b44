"""Rows of a z-order are near each other in several columns, so that filters on each of them skip files."""

from __future__ import annotations

import datetime
import decimal
import math
import uuid
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import errors
from maintenance.sorted_files import lineage, order_ids, rows_of_files

SIZES = {"target-file-size-bytes": "8000", "rewrite-all": "true"}


def grid(catalog, version: int = 2, **more: Any) -> fb.Table:
    """A table of 65,536 points, scattered over its files."""
    schema = pa.schema([("x", pa.int32()), ("y", pa.int64()), ("p", pa.string())])
    table = catalog.create_table("db.grid", schema, format_version=version, **more)
    for some in np.array_split(np.random.default_rng(5).permutation(65_536), 5):
        parts = np.where(some % 2 == 0, "a", "b")
        table.append(
            pa.table({"x": (some % 256).astype("int32"), "y": some // 256, "p": pa.array(parts)}, schema)
        )
    return table


def planned(table: fb.Table, where: str) -> float:
    """The share of files that a filter reads."""
    return len(table.scan(where).plan_files()) / len(table.scan().plan_files())


@pytest.mark.parametrize("version", [2, 3])
def test_filters_on_either_column_skip_most_files(catalog, version):
    table = grid(catalog, version)
    before = lineage(table, "x", "y", "p")
    table.maintenance.rewrite_data_files(sort_order="x", options=SIZES)
    files = len(table.scan().plan_files())
    assert files >= 16
    # A sort is good for one column, and for no other.
    assert planned(table, "x = 77") <= 2 / files
    assert planned(table, "y = 77") == 1
    table.maintenance.rewrite_data_files(sort_order="zorder(x, y)", options=SIZES)
    assert len(table.scan().plan_files()) >= 16
    for where in ("x = 77", "y = 77", "x = 200", "y = 3"):
        assert planned(table, where) <= 0.45
    assert planned(table, "x = 77 AND y = 130") <= 0.2
    assert order_ids(table) == {0}
    assert lineage(table, "x", "y", "p") == before


@pytest.mark.parametrize("memory", ["256M", "300K"])
def test_files_are_like_squares(catalog, monkeypatch, memory):
    monkeypatch.setenv("FLOEBERG_MEMORY", memory)
    table = grid(catalog)
    table.maintenance.rewrite_data_files(
        strategy="sort", sort_order="zorder(x, y)", options={"rewrite-all": "true"}
    )
    ((*rows,),) = rows_of_files(table, "x", "y")
    for first in range(0, 65_536, 4096):
        block = rows[first : first + 4096]
        assert {len({row[column] for row in block}) for column in (0, 1)} == {64}


def test_partition_columns_are_left_out(catalog):
    table = grid(catalog, partition_spec=["p", "bucket(2, y)"])
    before = lineage(table, "x", "y", "p")
    done = table.maintenance.rewrite_data_files(sort_order="zorder(p, x)")
    assert done.added_data_files_count == len(table.scan().plan_files())
    for rows in rows_of_files(table, "x"):
        assert rows == sorted(rows)
    assert lineage(table, "x", "y", "p") == before
    with pytest.raises(errors.InvalidInputError, match="no partition column"):
        table.maintenance.rewrite_data_files(sort_order="zorder(p)")
    # Values of other transforms differ in a partition.
    assert table.maintenance.rewrite_data_files(
        sort_order="zorder(y)", options={"rewrite-all": "true"}
    ).added_data_files_count


MOMENTS = [datetime.datetime(year, 1, 1, tzinfo=datetime.timezone.utc) for year in (1960, 2026)]
VALUES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "boolean": (pa.bool_(), [None, True]),
    "int": (pa.int32(), [None, -5, 0, 7]),
    "long": (pa.int64(), [None, -(2**60), -1, 0, 2**60]),
    "float": (pa.float32(), [None, -math.inf, -1.5, 0.0, math.inf, math.nan]),
    "double": (pa.float64(), [None, -math.inf, -1e300, 0.0, 1e-300, math.nan]),
    "small decimals": (pa.decimal128(9, 2), [None, *map(decimal.Decimal, ("-5.25", "0.00", "7.50"))]),
    "large decimals": (pa.decimal128(38, 0), [None, *map(decimal.Decimal, (-(10**30), -1, 10**30))]),
    "string": (pa.string(), [None, "a", "ab", "b", "\u20ac"]),
    "binary": (pa.binary(), [None, b"\x00\x01", b"\x01", b"\xff"]),
    "fixed": (pa.binary(3), [None, b"\x00\x00\x01", b"abc", b"abd"]),
    "uuid": (pa.uuid(), [None, *(uuid.UUID(int=each << 64).bytes for each in (1, 2, 2**60))]),
    "date": (pa.date32(), [None, datetime.date(1950, 1, 1), datetime.date(2026, 1, 1)]),
    "time": (pa.time64("us"), [None, datetime.time(1), datetime.time(23, 59)]),
    "timestamp": (pa.timestamp("us"), [None, *(each.replace(tzinfo=None) for each in MOMENTS)]),
    "timestamptz": (
        pa.timestamp("us", tz="UTC"),
        [None, *MOMENTS],
    ),
}


@pytest.mark.parametrize("kind", VALUES)
def test_values_of_each_type_are_in_their_order_and_nulls_come_first(catalog, kind):
    """In a z-order of one column; a constant beside it changes nothing."""
    of_type, values = VALUES[kind]
    for name, order in (("db.one", "zorder(v)"), ("db.two", "zorder(c, v)")):
        table = catalog.create_table(name, pa.schema([("v", of_type), ("c", pa.int32()), ("n", pa.int32())]))
        for number, value in reversed(list(enumerate(values))):
            rows = {
                "v": pa.array([value], of_type),
                "c": pa.array([3], pa.int32()),
                "n": pa.array([number], pa.int32()),
            }
            table.append(pa.table(rows))
        table.maintenance.rewrite_data_files(sort_order=order, options={"min-input-files": "2"})
        assert rows_of_files(table, "n") == [[(number,) for number in range(len(values))]]


def test_texts_give_as_many_bytes_as_is_said(catalog):
    table = catalog.create_table("db.t", pa.schema({"s": pa.string()}))
    for text in ("abcdefghZ", "abcdefghY", "abc"):
        table.append(pa.table({"s": [text]}))
    options = {"min-input-files": "2", "rewrite-all": "true"}
    cases = [
        ({}, ["abc", "abcdefghZ", "abcdefghY"]),
        ({"var-length-contribution": "9"}, ["abc", "abcdefghY", "abcdefghZ"]),
        # Rows with equal keys stay as they were.
        ({"max-output-size": "2"}, ["abc", "abcdefghY", "abcdefghZ"]),
        (
            {"var-length-contribution": "2147483647", "max-output-size": "9"},
            ["abc", "abcdefghY", "abcdefghZ"],
        ),
    ]
    for more, expected in cases:
        table.maintenance.rewrite_data_files(sort_order="zorder(s)", options=options | more)
        assert rows_of_files(table, "s") == [[(each,) for each in expected]]


WRONG = [
    ({"sort_order": "zorder()"}, errors.InvalidInputError, "zorder"),
    ({"sort_order": "zorder(x) desc"}, errors.InvalidInputError, "no direction"),
    ({"sort_order": "zorder(x), y"}, errors.InvalidInputError, "mixed"),
    ({"sort_order": "zorder(x, x)"}, errors.InvalidInputError, "twice"),
    ({"sort_order": "zorder(bucket(2, x))"}, errors.InvalidInputError, "of columns"),
    ({"sort_order": "zorder(nowhere)"}, errors.InvalidInputError, "nowhere"),
    ({"sort_order": "zorder(x)", "strategy": "binpack"}, errors.InvalidInputError, "binpack"),
    (
        {"sort_order": "zorder(x)", "options": {"max-output-size": "0"}},
        errors.InvalidInputError,
        "at least 1",
    ),
    (
        {"sort_order": "zorder(p)", "options": {"var-length-contribution": "5000"}},
        errors.InvalidInputError,
        "at most 4096 bytes",
    ),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_is_no_z_order_is_refused(catalog, number):
    given, error, words = WRONG[number]
    table = grid(catalog)
    for dry_run in (True, False):
        with pytest.raises(error, match=words):
            table.maintenance.rewrite_data_files(**given, dry_run=dry_run)


def test_columns_in_structs_and_columns_without_an_order(catalog):
    schema = pa.schema([("s", pa.struct([("a", pa.int32())])), ("l", pa.list_(pa.int32()))])
    table = catalog.create_table("db.nested", schema)
    for number in (3, 1, 2):
        table.append(pa.table({"s": [{"a": number}], "l": [[1]]}, schema))
    for wrong in ("zorder(s)", "zorder(l)", "zorder(l.element)"):
        with pytest.raises(errors.InvalidInputError, match="cannot be a source"):
            table.maintenance.rewrite_data_files(sort_order=wrong)
    table.maintenance.rewrite_data_files(sort_order="zorder(s.a)", options={"min-input-files": "2"})
    assert [row["s"]["a"] for row in table.scan().to_arrow().to_pylist()] == [1, 2, 3]

"""Transforms of Arrow arrays: those of the format's own examples, of every kind of array."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid

import pyarrow as pa
import pytest

import floeberg.transforms as ft
from floeberg.errors import InvalidInputError

HASHES = {
    "int": (pa.array([34], pa.int32()), 2017239379),
    "short": (pa.array([34], pa.int16()), 2017239379),
    "long": (pa.array([34], pa.int64()), 2017239379),
    "decimal": (pa.array([decimal.Decimal("14.20")], pa.decimal128(9, 2)), -500754589),
    "date": (pa.array([dt.date(2017, 11, 16)]), -653330422),
    "time": (pa.array([dt.time(22, 31, 8)], pa.time64("us")), -662762989),
    "timestamp": (pa.array([1510871468000000]).cast(pa.timestamp("us")), -2047944441),
    "timestamptz": (pa.array([1510871468000000]).cast(pa.timestamp("us", "Europe/Berlin")), -2047944441),
    "timestamp_ns": (pa.array([1510871468000001001], pa.int64()).cast(pa.timestamp("ns")), -1207196810),
    "string": (pa.array(["iceberg"]), 1210000089),
    "large_string": (pa.array(["iceberg"], pa.large_string()), 1210000089),
    "dictionary": (pa.array(["iceberg"]).dictionary_encode(), 1210000089),
    "fixed": (pa.array([b"\x00\x01\x02\x03"], pa.binary(4)), -188683207),
    "uuid": (pa.array([uuid.UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7").bytes], pa.binary(16)), 1488055340),
    "binary": (pa.array([b"\x00\x01\x02\x03"]), -188683207),
}


@pytest.mark.parametrize("name", HASHES)
def test_values_fall_into_the_buckets_of_the_specification(name):
    array, hashed = HASHES[name]
    found = ft.bucket(array, 2**31 - 1)
    assert found.type == pa.int32()
    assert found.to_pylist() == [(hashed & 0x7FFFFFFF) % (2**31 - 1)]
    nulls = pa.concat_arrays([pa.nulls(2, array.type), array]).slice(1)
    assert ft.bucket(nulls, 2**31 - 1).to_pylist() == [None, *found.to_pylist()]


def test_truncation_keeps_the_type():
    cases = {
        pa.int32(): ([1, -1, None], [0, -10, None]),
        pa.int64(): ([-(2**40) - 1, 19], [-1099511627780, 10]),
        pa.decimal128(9, 2): ([decimal.Decimal("10.65"), decimal.Decimal("-0.01")],
                              [decimal.Decimal("10.60"), decimal.Decimal("-0.10")]),
        pa.string(): (["iceberg-and-more", "\u00e9" * 11], ["iceberg-an", "\u00e9" * 10]),
        pa.binary(): ([bytes(12), None], [bytes(10), None]),
    }  # fmt: skip
    for kind, (values, expected) in cases.items():
        cut = ft.truncate(pa.array(values, kind), 10)
        assert (cut.type, cut.to_pylist()) == (kind, expected)


def test_moments_before_1970_floor_and_zones_do_not_matter():
    moments = pa.array([-1, 0, None], pa.int64())
    for kind in (pa.timestamp("us"), pa.timestamp("us", "UTC"), pa.timestamp("us", "America/New_York")):
        array = moments.cast(kind)
        assert ft.years(array).to_pylist() == [-1, 0, None]
        assert ft.months(array).to_pylist() == [-1, 0, None]
        assert ft.days(array).to_pylist() == [dt.date(1969, 12, 31), dt.date(1970, 1, 1), None]
        assert ft.hours(array).to_pylist() == [-1, 0, None]


def test_chunks_stay_chunks_and_capsules_are_taken():
    chunked = pa.chunked_array([[34], [], [None]], pa.int64())
    assert ft.bucket(chunked, 16).equals(pa.chunked_array([[3], [], [None]], pa.int32()))
    empty = ft.bucket(pa.chunked_array([], pa.string()), 4)
    assert (empty.type, len(empty)) == (pa.int32(), 0)

    class OfOthers:
        def __init__(self, array):
            self.array = array

        def __arrow_c_array__(self, requested_schema=None):
            return self.array.__arrow_c_array__(requested_schema)

    assert ft.bucket(OfOthers(pa.array([34])), 16).to_pylist() == [3]


def test_nothing_but_nulls_gives_nulls():
    for transform in (ft.years, ft.months, ft.days, ft.hours, lambda array: ft.bucket(array, 3)):
        assert transform(pa.nulls(2)).to_pylist() == [None, None]


def test_other_types_are_told_with_those_that_there_are():
    for transform, named in (
        (lambda array: ft.bucket(array, 4), "int, long, decimal, date"),
        (lambda array: ft.truncate(array, 4), "int, long, decimal, string, binary"),
        (ft.years, "it takes date, timestamp, timestamptz"),
        (ft.hours, "it takes timestamp, timestamptz"),
    ):
        for array in (pa.array([1.5]), pa.array([True]), pa.array([[1]])):
            with pytest.raises(InvalidInputError, match=named):
                transform(array)


@pytest.mark.parametrize("number", [0, -1, 2**31, "4", 1.5, None, True])
def test_parameters_are_checked(number):
    with pytest.raises(InvalidInputError, match="n: expected an integer"):
        ft.bucket(pa.array([1]), number)
    with pytest.raises(InvalidInputError, match="width: expected an integer"):
        ft.truncate(pa.array([1]), number)


def test_what_is_no_arrow_data_is_refused():
    class Damaged:
        def __arrow_c_array__(self, requested_schema=None):
            return "no", "capsules"

    for data in ([1, 2], 5, None, "text", Damaged()):
        with pytest.raises(InvalidInputError, match="array: "):
            ft.bucket(data, 4)


def test_the_number_may_come_first_as_in_specs():
    for values in (pa.array([34, None]), pa.chunked_array([[34], [None]])):
        assert ft.bucket(16, values).equals(ft.bucket(values, 16))
        assert ft.truncate(10, values).equals(ft.truncate(values, 10))
    assert ft.bucket(n=16, array=pa.array([34])).to_pylist() == [3]
    for wrong in ((16, 16), (pa.array([1]), pa.array([1]))):
        with pytest.raises(InvalidInputError):
            ft.bucket(*wrong)

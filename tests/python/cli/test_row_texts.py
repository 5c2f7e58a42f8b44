"""Rows as JSON and CSV are what Python's own readers and writers say, whatever the type, the nulls and the slices."""

from __future__ import annotations

import csv
import io
import json
import math
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from floeberg.cli.json_text import json_lines, json_of
from floeberg.cli.separated_text import separated_lines

TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
VALUES = {
    "whole": (st.integers(-(2**63), 2**63 - 1), pa.int64()),
    "float": (st.floats(), pa.float64()),
    "text": (TEXTS, pa.string()),
    "bool": (st.booleans(), pa.bool_()),
    "binary": (st.binary(max_size=5), pa.binary()),
    "list": (st.lists(st.none() | TEXTS, max_size=3), pa.list_(pa.string())),
    "large_list": (st.lists(st.none() | st.integers(0, 9), max_size=3), pa.large_list(pa.int8())),
    "fixed": (st.lists(st.integers(0, 9), min_size=2, max_size=2), pa.list_(pa.int8(), 2)),
    "struct": (
        st.fixed_dictionaries({"x y": st.none() | st.integers(0, 9), 'q"': st.none() | TEXTS}),
        pa.struct([("x y", pa.int8()), ('q"', pa.string())]),
    ),
    "map": (
        st.dictionaries(TEXTS, st.none() | st.integers(0, 9), max_size=3),
        pa.map_(pa.string(), pa.int8()),
    ),
}


def plain(value):
    """What JSON gives back of a value."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value.hex() if isinstance(value, bytes) else value


@pytest.mark.parametrize("name", VALUES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_json_reads_back(name, data):
    values, kind = VALUES[name]
    drawn = data.draw(st.lists(st.none() | values, max_size=6))
    given_values = [list(each.items()) if name == "map" and each is not None else each for each in drawn]
    begin = data.draw(st.integers(0, len(drawn)))
    array = pa.array(given_values, kind).slice(begin)
    assert [json.loads(each) for each in json_of(array).to_pylist()] == [
        plain(each) for each in drawn[begin:]
    ]
    (lines,) = (json_lines(pa.record_batch({name: array})).to_pylist(),)
    assert [json.loads(each)[name] for each in lines] == [plain(each) for each in drawn[begin:]]


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.tuples(st.none() | TEXTS, st.none() | st.integers(-9, 9)), max_size=5))
def test_csv_reads_back(rows):
    batch = pa.record_batch(
        {
            "text": pa.array([each[0] for each in rows], pa.string()),
            "n": pa.array([each[1] for each in rows], pa.int8()),
        }
    )
    text = "".join(f"{line}\n" for line in separated_lines(batch, ",", is_text=False).to_pylist())
    found = list(csv.reader(io.StringIO(text, newline="")))
    assert found == [[text or "", "" if n is None else str(n)] for text, n in rows]
    # Null is nothing, and an empty text is quoted.
    lines = separated_lines(batch, ",", is_text=False).to_pylist()
    assert all(line.startswith(",") == (row[0] is None) for line, row in zip(lines, rows, strict=True))


def test_times_and_other_types_have_the_form_of_the_specification():
    batch = pa.record_batch(
        {
            "day": pa.array([19_000], pa.int32()).cast(pa.date32()),
            "time": pa.array([1_000_001], pa.int64()).cast(pa.time64("us")),
            "at": pa.array([1_000_001], pa.int64()).cast(pa.timestamp("us")),
            "zoned": pa.array([1_000_001], pa.int64()).cast(pa.timestamp("us", "UTC")),
            "cost": pa.array([Decimal("1.50")], pa.decimal128(20, 2)),
            "id": pa.array([bytes(range(16))], pa.binary(16)).cast(pa.uuid()),
            "codes": pa.array(["a"]).dictionary_encode(),
            "pairs": pa.array([[(1, "x")]], pa.map_(pa.int8(), pa.string())),
            "nothing": pa.nulls(1),
        }
    )
    assert json.loads(json_lines(batch).to_pylist()[0]) == {
        "day": "2022-01-08",
        "time": "00:00:01.000001",
        "at": "1970-01-01T00:00:01.000001",
        "zoned": "1970-01-01T00:00:01.000001+00:00",
        "cost": "1.50",
        "id": "00010203-0405-0607-0809-0a0b0c0d0e0f",
        "codes": "a",
        "pairs": [{"key": 1, "value": "x"}],
        "nothing": None,
    }
    assert separated_lines(batch, ",", is_text=False).to_pylist()[0] == (
        "2022-01-08,00:00:01.000001,1970-01-01T00:00:01.000001,1970-01-01T00:00:01.000001+00:00,1.50,"
        '00010203-0405-0607-0809-0a0b0c0d0e0f,a,"[{""key"": 1, ""value"": ""x""}]",'
    )


def test_rows_without_columns_are_empty_objects():
    batch = pa.RecordBatch.from_struct_array(pa.array([{}, {}], pa.struct([])))
    assert json_lines(batch).to_pylist() == ["{}", "{}"]
    assert separated_lines(batch, ",", is_text=False).to_pylist() == ["", ""]

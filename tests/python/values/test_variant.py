"""What `floeberg.variant` makes of variants, and what other libraries see of a column of them."""

from __future__ import annotations

import contextlib
import datetime
import json
import math
import struct
import uuid
from decimal import Decimal

import duckdb
import polars
import pyarrow as pa
import pytest

from floeberg import variant
from floeberg.errors import InvalidDataError, InvalidInputError, LimitExceededError, UnsupportedError
from floeberg.types import PrimitiveType

EMPTY = b"\x01\x00\x00"
UTC = datetime.timezone.utc


def names(*texts: str) -> bytes:
    data = "".join(texts).encode()
    ends = [sum(len(text.encode()) for text in texts[:count]) for count in range(len(texts) + 1)]
    return bytes([1, len(texts), *ends]) + data


def primitive(number: int, data: bytes = b"") -> bytes:
    return bytes([number << 2]) + data


def signed(value: int, length: int) -> bytes:
    return value.to_bytes(length, "little", signed=True)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (primitive(0), None),
        (primitive(1), True),
        (primitive(2), False),
        (primitive(3, signed(-5, 1)), -5),
        (primitive(4, signed(-300, 2)), -300),
        (primitive(5, signed(-(2**31), 4)), -(2**31)),
        (primitive(6, signed(2**63 - 1, 8)), 2**63 - 1),
        (primitive(7, struct.pack("<d", -0.1)), -0.1),
        (primitive(8, b"\x02" + signed(-1234, 4)), Decimal("-12.34")),
        (primitive(9, b"\x03" + signed(10**17, 8)), Decimal("100000000000000.000")),
        (
            primitive(10, b"\x26" + signed(-(10**37), 16)),
            Decimal("-0.10000000000000000000000000000000000000"),
        ),
        (primitive(11, signed(-1, 4)), datetime.date(1969, 12, 31)),
        (primitive(11, signed(2**31 - 1, 4)), 2**31 - 1),
        (primitive(12, signed(-1, 8)), datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC)),
        (primitive(13, signed(-1, 8)), datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999)),  # noqa: DTZ001
        (primitive(13, signed(2**62, 8)), 2**62),
        (primitive(14, struct.pack("<f", 1.5)), 1.5),
        (primitive(15, b"\x02\x00\x00\x00\x00\xff"), b"\x00\xff"),
        (primitive(16, b"\x02\x00\x00\x00" + "é".encode()), "é"),
        (primitive(17, signed(5, 8)), datetime.time(0, 0, 0, 5)),
        (primitive(18, signed(-1, 8)), datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC)),
        (primitive(19, signed(1_001, 8)), datetime.datetime(1970, 1, 1, 0, 0, 0, 1)),  # noqa: DTZ001
        (primitive(20, bytes(range(16))), uuid.UUID(bytes=bytes(range(16)))),
        (b"\x01", ""),
        (bytes([5 << 2 | 1]) + b"hello", "hello"),
        (b"\x03\x00\x00", []),
        (b"\x03\x02\x00\x01\x03\x00" + primitive(3, b"\x07"), [None, 7]),
        (b"\x13\x01\x00\x00\x00\x00\x01\x00", [None]),
        (b"\x02\x00\x00", {}),
    ],
)
def test_every_type_becomes_its_python_type(value, expected):
    found = variant.to_python(EMPTY, value)
    assert found == expected
    assert type(found) is type(expected)


def test_floats_may_be_no_numbers():
    assert math.isnan(variant.to_python(EMPTY, primitive(7, struct.pack("<d", math.nan))))
    assert variant.to_python(EMPTY, primitive(14, struct.pack("<f", -math.inf))) == -math.inf


def test_fields_have_the_names_of_their_ids_whatever_the_order_of_their_values():
    value = bytes([2, 2, 1, 0, 1, 0, 3]) + primitive(1) + primitive(3, b"\x07")
    assert variant.to_python(names("b", "a"), value) == {"a": 7, "b": True}


def test_damaged_bytes_are_an_error_of_data():
    metadata = names("a", "b")
    value = bytes([2, 2, 0, 1, 0, 3, 9]) + b"\x03\x00\x00" + bytes([5 << 2 | 1]) + b"hello"
    assert variant.to_python(metadata, value) == {"a": [], "b": "hello"}
    for length in range(len(value)):
        with pytest.raises(InvalidDataError, match="a variant is damaged"):
            variant.to_python(metadata, value[:length])
    for length in range(len(metadata)):
        with pytest.raises(InvalidDataError, match="a variant is damaged"):
            variant.to_python(metadata[:length], value)
    for position in range(len(value)):
        for flip in (0xFF, 0x01, 0x80, 0x40):
            changed = bytearray(value)
            changed[position] ^= flip
            with contextlib.suppress(InvalidDataError, UnsupportedError):
                variant.to_python(metadata, bytes(changed))


def test_what_is_not_known_is_unsupported():
    with pytest.raises(UnsupportedError, match="unknown type 40"):
        variant.to_python(EMPTY, primitive(40))
    with pytest.raises(UnsupportedError, match="version 2"):
        variant.to_python(b"\x02\x00\x00", primitive(0))


def test_nesting_is_bounded():
    value = primitive(0)
    for _ in range(1_000):
        length = len(value).to_bytes(4, "little")
        value = bytes([3 << 2 | 3, 1]) + bytes(4) + length + value
    with pytest.raises(LimitExceededError, match="deeper than 200"):
        variant.to_python(EMPTY, value)


def test_values_that_lie_upon_each_other_are_refused():
    # Sixty arrays, each of the next one 200 times.
    value = primitive(0)
    for _ in range(60):
        length = len(value).to_bytes(4, "little")
        value = bytes([3 << 2 | 3, 200]) + bytes(800) + length + value
    with pytest.raises(InvalidDataError, match="its values overlap"):
        variant.to_python(EMPTY, value)


def test_a_column_is_a_list_of_values(variants):
    table = variants.open().scan().to_arrow()
    field = table.schema.field("v")
    assert field.metadata[b"ARROW:extension:name"] == b"arrow.parquet.variant"
    assert field.type == pa.struct(
        [pa.field(name, pa.binary(), nullable=False) for name in ("metadata", "value")]
    )
    values = dict(zip(table["id"].to_pylist(), variant.to_pylist(table["v"]), strict=True))

    def plain(encoded):
        value = encoded["value"]
        if encoded["type"] == "array":
            return [plain(each) for each in value]
        return {name: plain(each) for name, each in value.items()} if encoded["type"] == "object" else value

    rows = [json.loads(row) for row in variants.rows()]
    alike = {"null", "boolean_true", "int64", "double", "string", "array", "object"}
    checked = [row for row in rows if row[1] is None or row[1]["type"] in alike]
    assert len(checked) > 10
    for key, encoded in checked:
        assert values[key] == (None if encoded is None else plain(encoded)), key


def test_other_libraries_see_a_struct_of_bytes(variants):
    scan = variants.open().scan(row_filter="id = 16")
    expected = {"metadata": b"\x01\x00\x00", "value": b"\x15short"}
    assert scan.to_pandas()["v"].tolist() == [expected]
    assert polars.DataFrame(scan.to_arrow())["v"].to_list() == [expected]


def test_duckdb_takes_them_as_its_variants(variants):
    scan = variants.open().scan(row_filter="id IN (16, 22, 25)")  # noqa: F841 - DuckDB finds it by its name
    found = duckdb.sql("SELECT id, v::VARCHAR FROM scan ORDER BY id").fetchall()
    nested = "{'event': click, 'n': 7, 'nested': {'x': 0.5, 'y': NULL}}"
    assert found == [(16, "short"), (22, "[]"), (25, nested)]


def test_a_filter_asks_a_variant_for_null_and_nothing_else(variants):
    table = variants.open()
    empty = [json.loads(row)[0] for row in variants.rows() if json.loads(row)[1] is None]
    assert sorted(table.scan(row_filter="v IS NULL").to_arrow()["id"].to_pylist()) == empty
    assert table.scan(row_filter="v IS NOT NULL").count() == 28 - len(empty)
    with pytest.raises(ValueError, match="can only be filtered by IS NULL and IS NOT NULL"):
        table.scan(row_filter="v = 1").to_arrow()


def test_the_schema_names_the_type(variants):
    assert variants.open().schema().find_field("v").field_type == PrimitiveType("variant")


EVERY_VALUE = [
    None,
    True,
    False,
    0,
    -128,
    128,
    -32769,
    2**31,
    -(2**63),
    2**63,
    10**38 - 1,
    0.1,
    math.inf,
    "",
    "\u00fc" * 40,
    b"",
    b"\xff" * 70,
    Decimal("-12.340"),
    Decimal("1E+3"),
    Decimal("0E-38"),
    Decimal(-99999999999999999999999999999999999999),
    datetime.date(1, 1, 1),
    datetime.date(9999, 12, 31),
    datetime.time(23, 59, 59, 999_999),
    datetime.datetime(1, 1, 1),  # noqa: DTZ001
    datetime.datetime(2020, 1, 2, 3, 4, 5, 6, UTC),
    uuid.UUID(int=2**127),
    [],
    {},
    [1, [2, [3, {"a": None}]]],
    {"b": 1, "a": {"b": [True, {"\U00010000": 1, "\ue000": 2}]}},
    {str(number): number for number in range(300)},
    list(range(300)),
]


@pytest.mark.parametrize("value", EVERY_VALUE, ids=str)
def test_values_become_variants_and_these_the_same_values(value):
    assert variant.to_python(*variant.from_python(value)) == value
    assert type(variant.to_python(*variant.from_python(value))) is type(value) or isinstance(
        value, (int, dict)
    )


def test_columns_of_variants_are_made_and_written():
    import floeberg as fb

    catalog = fb.load_catalog(f"variants-{uuid.uuid4()}", type="memory")
    catalog.create_namespace("n")
    kind = fb.types.PrimitiveType("variant")
    nested = fb.types.ListType(element_id=4, element_type=kind, element_required=False)
    schema = fb.types.Schema(
        fb.types.NestedField(1, "id", fb.types.PrimitiveType("long"), required=False),
        fb.types.NestedField(2, "v", kind, required=False),
        fb.types.NestedField(3, "l", nested, required=False),
    )
    table = catalog.create_table("n.t", schema, format_version=3)
    rows = [{"id": number, "v": value, "l": [value, None]} for number, value in enumerate(EVERY_VALUE)]
    table.append(rows)
    table.append(
        pa.table({"id": pa.array(range(100, 100 + len(EVERY_VALUE))), "v": variant.from_pylist(EVERY_VALUE)})
    )
    for options in ({}, {"write.parquet.shred-variants": "true"}):
        table.overwrite(rows, options=options)
        found = table.scan().to_arrow().sort_by("id")
        assert variant.to_pylist(found["v"]) == EVERY_VALUE
        assert [variant.to_pylist(each.values)[0] for each in found["l"]] == EVERY_VALUE
        assert found["v"].null_count == 1


def test_moments_of_other_zones_numbers_of_numpy_and_moments_of_pandas_are_taken():
    import numpy as np
    import pandas as pd

    east = datetime.timezone(datetime.timedelta(hours=2))
    moment = datetime.datetime(2020, 1, 2, 3, tzinfo=east)
    (value,) = variant.to_pylist(variant.from_pylist([moment]))
    assert (value, value.tzinfo) == (moment, UTC)
    made = variant.from_pylist([np.int8(-5), np.uint64(2**64 - 1), np.float32(0.5), np.bool_(True), (1, 2)])
    assert variant.to_pylist(made) == [-5, 2**64 - 1, 0.5, True, [1, 2]]
    of_nanoseconds = variant.from_python(pd.Timestamp("2020-01-02T03:04:05.000000006"))[1]
    assert of_nanoseconds == primitive(19, signed(1_577_934_245_000_000_006, 8))
    assert variant.from_python(pd.Timestamp("2020-01-02"))[1][0] == 13 << 2
    with pytest.raises(InvalidInputError, match="not a point in time"):
        variant.from_python(pd.NaT)


@pytest.mark.parametrize(
    ("value", "why", "path"),
    [
        ({1, 2}, "an object of type set", None),
        ({"a": [0, {"b": object()}]}, "an object of type object", ".a[1].b"),
        ({"a": {5: 1}}, "not a str", ".a"),
        ([10**38], "38 digits", "[0]"),
        (Decimal("NaN"), "is not a number", None),
        (Decimal("1E-39"), "38 digits", None),
        (Decimal("1E+99999"), "38 digits", None),
        (datetime.time(1, tzinfo=UTC), "zone", None),
        (datetime.timedelta(1), "timedelta", None),
        ("\udcff", "UTF-8", None),
        ({"\udcff": 1}, "UTF-8", None),
    ],
)
def test_what_no_variant_is_names_its_place(value, why, path):
    with pytest.raises(InvalidInputError, match=why) as caught:
        variant.from_pylist([1, None, value])
    assert caught.value.context == {"row": "2"} | ({} if path is None else {"path": path})


def test_values_that_nest_without_end_are_refused():
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(InvalidInputError, match="deeper than 200"):
        variant.from_python(endless)
    deep: object = 1
    for _ in range(200):
        deep = [deep]
    assert variant.to_python(*variant.from_python(deep)) == deep

"""Are the columns of Avro files those that their readers see, whatever the header claims?"""

from __future__ import annotations

import datetime as dt
import io
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import floeberg as fb
from floeberg.errors import InvalidDataError, UnsupportedError
from floeberg.takeover.avro_columns import avro_columns

UTC = dt.timezone.utc


def logical(kind: str, logical_type: str, /, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": logical_type, **more}


TYPES: list[tuple[Any, pa.DataType, Any]] = [
    ("boolean", pa.bool_(), True),
    ("int", pa.int32(), 1),
    ("long", pa.int64(), 2),
    ("float", pa.float32(), 1.5),
    ("double", pa.float64(), 2.5),
    ("string", pa.string(), "x"),
    ("bytes", pa.binary(), b"x"),
    (logical("int", "date"), pa.date32(), dt.date(2020, 1, 1)),
    (logical("int", "time-millis"), pa.time64("us"), dt.time(1)),
    (logical("long", "time-micros"), pa.time64("us"), dt.time(1)),
    (
        logical("long", "timestamp-micros", **{"adjust-to-utc": True}),
        pa.timestamp("us", "UTC"),
        dt.datetime(2020, 1, 1, tzinfo=UTC),
    ),
    (logical("long", "local-timestamp-millis"), pa.timestamp("us"), dt.datetime(2020, 1, 1)),  # noqa: DTZ001
    (logical("bytes", "decimal", precision=9, scale=2), pa.decimal128(9, 2), Decimal("1.50")),
    ({"type": "fixed", "name": "F", "size": 4}, pa.binary(4), b"1234"),
    ({"type": "enum", "name": "E", "symbols": ["A"]}, pa.string(), "A"),
    ({"type": "array", "items": ["null", "long"]}, pa.list_(pa.field("element", pa.int64())), [1, None]),
    (
        {"type": "record", "name": "R", "fields": [{"name": "a", "type": ["null", "int"]}]},
        pa.struct({"a": pa.int32()}),
        {"a": 1},
    ),
]


def file(*fields: Any, row: Any = None) -> bytes:
    into = io.BytesIO()
    schema = {"type": "record", "name": "Row", "fields": list(fields)}
    fastavro.writer(into, schema, [row] if row is not None else [])
    return into.getvalue()


@pytest.mark.parametrize(("kind", "arrow", "value"), TYPES, ids=[str(each[1]) for each in TYPES])
def test_types_as_they_are_read(tmp_path: Path, kind: Any, arrow: pa.DataType, value: Any) -> None:
    content = file({"name": "c", "type": ["null", kind]}, row={"c": value})
    assert avro_columns(content) == pa.schema([pa.field("c", arrow)])
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "a.avro").write_bytes(content)
    table = fb.snapshot_table(tmp_path / "old", tmp_path / "new").table
    assert table is not None
    assert table.scan().to_arrow()["c"].to_pylist() == [value]


def test_names_of_types_are_used_again() -> None:
    named = {"type": "record", "name": "R", "fields": [{"name": "a", "type": "long"}]}
    found = avro_columns(file({"name": "one", "type": named}, {"name": "two", "type": ["R", "null"]}))
    struct = pa.struct([pa.field("a", pa.int64(), nullable=False)])
    assert found == pa.schema([pa.field("one", struct, nullable=False), pa.field("two", struct)])


@pytest.mark.parametrize(
    ("kind", "match"),
    [
        (["null", "int", "string"], "union of several"),
        ("null", "null"),
        (logical("bytes", "decimal", precision=50, scale=2), "decimal"),
        (logical("fixed", "duration", name="D", size=12), "duration"),
    ],
    ids=str,
)
def test_types_that_tables_do_not_have(kind: Any, match: str) -> None:
    with pytest.raises(UnsupportedError, match=f"'odd' .*{match}"):
        avro_columns(file({"name": "odd", "type": kind}))


WHOLE = file({"name": "id", "type": ["null", "long"]}, row={"id": 1})


@given(st.data())
def test_damaged_headers_are_errors(data: st.DataObject) -> None:
    content = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    for each in (bytes(content), bytes(content[:cut])):
        try:
            found = avro_columns(each)
        except (InvalidDataError, UnsupportedError):
            continue
        assert isinstance(found, pa.Schema)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"Obj\x01",
        b"PAR1....",
        b"Obj\x01" + b"\xff" * 20,
        b"Obj\x01\x02\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        b"Obj\x01\x02\x16avro.schema\x04{}\x00",
        b"Obj\x01\x02\x16avro.schema\x04[]\x00",
        b"Obj\x01\x00",
    ],
)
def test_headers_that_claim_what_is_not_there(content: bytes) -> None:
    with pytest.raises(InvalidDataError):
        avro_columns(content)


def test_a_type_in_itself_is_an_error() -> None:
    node = {"type": "record", "name": "N", "fields": [{"name": "next", "type": ["null", "N"]}]}
    with pytest.raises((InvalidDataError, UnsupportedError)):
        avro_columns(file({"name": "n", "type": node}))

"""Data files of Avro: what another reader finds in them, and what tables say of them."""

from __future__ import annotations

import datetime
import decimal
import uuid
from pathlib import Path

import fastavro
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import errors
from floeberg.types import ListType, MapType, NestedField, PrimitiveType, Schema, StructType

UTC = datetime.timezone.utc
MOMENT = datetime.datetime(2026, 1, 2, 3, 4, 5, 6, UTC)
SCHEMA = Schema(
    NestedField(1, "n", PrimitiveType("long"), required=True),
    NestedField(2, "s", PrimitiveType("string"), required=False),
    NestedField(3, "d", PrimitiveType("decimal(9, 2)"), required=False),
    NestedField(4, "day", PrimitiveType("date"), required=False),
    NestedField(5, "at", PrimitiveType("timestamptz"), required=False),
    NestedField(6, "u", PrimitiveType("uuid"), required=False),
    NestedField(7, "l", ListType(8, PrimitiveType("int"), element_required=True), required=False),
    NestedField(
        9,
        "m",
        MapType(10, PrimitiveType("int"), 11, PrimitiveType("string"), value_required=False),
        required=False,
    ),
    NestedField(
        12,
        "r",
        StructType((NestedField(13, "x", PrimitiveType("double"), required=False),)),
        required=False,
    ),
    NestedField(
        14,
        "t",
        MapType(15, PrimitiveType("string"), 16, PrimitiveType("boolean"), value_required=True),
        required=False,
    ),
)
ROWS = [
    {
        "n": 1,
        "s": "Zürich",
        "d": decimal.Decimal("-1.25"),
        "day": datetime.date(1969, 12, 31),
        "at": MOMENT,
        "u": uuid.UUID(int=7).bytes,
        "l": [1, -2],
        "m": [(1, "one"), (2, None)],
        "r": {"x": 0.5},
        "t": [("yes", True)],
    },
    {"n": 2, **dict.fromkeys(("s", "d", "day", "at", "u", "l", "m", "r", "t"))},
]
ARROW = pa.schema(
    [
        pa.field("n", pa.int64(), nullable=False),
        ("s", pa.string()),
        ("d", pa.decimal128(9, 2)),
        ("day", pa.date32()),
        ("at", pa.timestamp("us", "UTC")),
        ("u", pa.binary(16)),
        ("l", pa.list_(pa.field("element", pa.int32(), nullable=False))),
        ("m", pa.map_(pa.int32(), pa.string())),
        ("r", pa.struct([("x", pa.float64())])),
        ("t", pa.map_(pa.string(), pa.field("value", pa.bool_(), nullable=False))),
    ]
)


@pytest.fixture
def catalog(tmp_path) -> fb.Catalog:
    catalog = fb.load_catalog("avro", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    return catalog


def in_avro(catalog: fb.Catalog, **properties: str) -> fb.Table:
    """A table whose files are of Avro."""
    return catalog.create_table(
        "ns.t", SCHEMA, properties={"write.format.default": "avro", "format-version": "2", **properties}
    )


@pytest.mark.parametrize("codec", ["gzip", "uncompressed"])
def test_fastavro_reads_the_rows_and_their_ids(catalog, codec):
    table = in_avro(catalog, **{"write.avro.compression-codec": codec})
    table.append(pa.Table.from_pylist(ROWS, ARROW))
    (path,) = table.inspect.files()["file_path"].to_pylist()
    assert path.endswith(".avro")
    with Path(path).open("rb") as file:
        reader = fastavro.reader(file)
        assert reader.codec == {"gzip": "deflate", "uncompressed": "null"}[codec]
        fields = {field["name"]: field for field in reader.writer_schema["fields"]}
        found = list(reader)
    # A new table counts its columns first, then what is in them.
    assert [field["field-id"] for field in fields.values()] == list(range(1, 11))
    assert fields["l"]["type"][1]["element-id"] == 11
    assert fields["m"]["type"][1]["logicalType"] == "map"
    assert (fields["t"]["type"][1]["key-id"], fields["t"]["type"][1]["value-id"]) == (15, 16)
    first = ROWS[0] | {
        "m": [{"key": 1, "value": "one"}, {"key": 2, "value": None}],
        "t": {"yes": True},
    }
    assert [row | {"u": _bytes(row["u"])} for row in found] == [first, ROWS[1]]


def _bytes(found: uuid.UUID | bytes | None) -> bytes | None:
    return found.bytes if isinstance(found, uuid.UUID) else found


def test_the_table_says_avro_and_nothing_of_columns(catalog):
    table = in_avro(catalog)
    table.append(pa.Table.from_pylist(ROWS, ARROW))
    (file,) = table.inspect.files().to_pylist()
    assert (file["file_format"], file["record_count"]) == ("AVRO", 2)
    said = ["column_sizes", "value_counts", "null_value_counts", "nan_value_counts"]
    said += ["lower_bounds", "upper_bounds", "split_offsets"]
    assert {name: file[name] for name in said} == dict.fromkeys(said)
    (task,) = table.scan().plan_files()
    assert task.file.file_format == "avro"
    assert table.scan(row_filter="n = 2").to_arrow()["n"].to_pylist() == [2]


def test_files_of_two_formats_are_one_table_and_the_schema_evolves(catalog):
    table = in_avro(catalog)
    rows = pa.Table.from_pylist(ROWS, ARROW)
    table.append(rows)
    table.append(rows, options={"write-format": "parquet"})
    with table.update_schema() as update:
        update.rename_column("s", "text")
        update.delete_column("day")
    table.refresh()
    table.append(rows.drop_columns("day").rename_columns({"s": "text"}))
    found = table.scan().to_arrow()
    assert found["n"].to_pylist() == [1, 2] * 3
    assert found["text"].to_pylist() == ["Zürich", None] * 3
    assert found["m"].to_pylist() == [ROWS[0]["m"], None] * 3
    assert table.scan(row_filter="text = 'Zürich'").count() == 3


def test_what_cannot_be_followed_is_refused_where_it_is_set(catalog):
    with pytest.raises(ValueError, match=r"write\.avro\.compression-codec"):
        in_avro(catalog, **{"write.avro.compression-codec": "lz4"})
    table = in_avro(catalog)
    rows = pa.Table.from_pylist(ROWS, ARROW)
    with pytest.raises(errors.UnsupportedError, match="csv"):
        table.append(rows, options={"write-format": "csv"})
    with pytest.raises(ValueError, match=r"write\.avro\.compression-level"):
        table.append(rows, options={"compression-level": "11"})


@pytest.mark.parametrize("depth", [20, 36])
def test_columns_nested_too_deep_for_a_reader_are_refused_before_a_file_is_there(depth, tmp_path):
    kind, value = pa.int64(), 5
    for _ in range(depth):
        kind, value = pa.struct([("x", kind)]), {"x": value}
    schema = pa.schema([("a", kind)])
    catalog = fb.load_catalog("deep", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", schema, properties={"write.format.default": "avro"})
    rows = pa.Table.from_pylist([{"a": value}], schema=schema)
    if depth == 20:
        table.append(rows)
        assert table.scan().to_arrow().to_pylist() == rows.to_pylist()
        return
    with pytest.raises(errors.UnsupportedError, match="deeply nested columns"):
        table.append(rows)
    assert list(tmp_path.rglob("*.avro")) == []

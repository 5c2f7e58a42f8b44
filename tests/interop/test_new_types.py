"""Types of format version 3 that few peers know: what each makes of them."""

from __future__ import annotations

import json
import struct
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from peers.process import Peer, Refused

import floeberg as fb
from corpus import encode
from corpus.variant_bytes import PARTS, variants
from floeberg.types import NestedField, PrimitiveType, Schema

POINT = struct.pack("<BIdd", 1, 1, 13.4, 52.5)
# An object of one field, `a`, which is the int8 7; and the string `x`.
VARIANTS = [
    {"metadata": b"\x01\x01\x00\x01a", "value": b"\x02\x01\x00\x00\x02\x0c\x07"},
    {"metadata": b"\x01\x00\x00", "value": b"\x05x"},
    None,
]
IS_VARIANT = {"ARROW:extension:name": "arrow.parquet.variant", "ARROW:extension:metadata": ""}


def written(tmp_path, kind: str, rows: pa.Table, **options: str) -> fb.Table:
    """A table with a column `v` of a type."""
    catalog = fb.load_catalog("types", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    fields = [
        NestedField(1, "id", PrimitiveType("long"), required=False),
        NestedField(2, "v", PrimitiveType(kind), required=False),
    ]
    table = catalog.create_table("ns.t", Schema(*fields), properties={"format-version": "3"})
    table.append(rows, options=options)
    return table


def lines(peer: Peer, table: fb.Table) -> list[list]:
    """The rows as Java reads them."""
    found = peer("read", metadata_location=table.metadata_location)
    return sorted(map(json.loads, found), key=lambda row: row[0])


def test_java_reads_variants(tmp_path, java):
    schema = pa.schema([pa.field("id", pa.int64()), pa.field("v", PARTS, metadata=IS_VARIANT)])
    rows = pa.Table.from_pylist([{"id": number, "v": each} for number, each in enumerate(VARIANTS)], schema)
    table = written(tmp_path, "variant", rows)
    assert lines(java, table) == [json.loads(line) for line in encode(table.scan().to_arrow())]
    assert lines(java, table)[0][1] == {"type": "object", "value": {"a": {"type": "int8", "value": 7}}}


def test_java_reads_shredded_variants(tmp_path, java):
    values = [
        {
            "n": number,
            "s": f"text {number}",
            "d": Decimal(number) / 4,
            "l": [number, "x"],
            "o": {"b": number > 1},
        }
        for number in range(20)
    ]
    others = ["text", None, {}, {"n": "no number", "more": 1}, {"l": 5}, 1.5]
    rows = [{"id": number, "v": each} for number, each in enumerate([*values, *others])]
    options = {"write.parquet.shred-variants": "true", "write.parquet.variant-inference-buffer-size": "20"}
    table = written(tmp_path, "variant", variants([*rows, {"id": len(rows)}]), **options)
    (path,) = table.inspect.files()["file_path"].to_pylist()
    columns = pq.ParquetFile(path).schema
    assert "v.typed_value.o.typed_value.b.typed_value" in {
        columns.column(at).path for at in range(len(columns))
    }
    ours = map(json.loads, encode(table.scan().to_arrow()))
    assert lines(java, table) == sorted(ours, key=lambda row: row[0])
    assert len(lines(java, table)) == len(rows) + 1


def test_java_finds_in_footers_the_bounds_of_variants(tmp_path, java):
    rows = [
        {
            "id": number,
            "v": {
                "n": number * 1000,
                "it's": f"text {number}" * 5,
                "d": Decimal(number) / 4,
                "o": {"b": number > 1, "mixed": number if number < 18 else "text"},
                "l": [number],
            }
            | ({"rare": number} if number == 19 else {}),
        }
        for number in range(10, 20)
    ]
    options = {"write.parquet.shred-variants": "true", "write.parquet.variant-inference-buffer-size": "8"}
    table = written(tmp_path, "variant", variants([*rows, {"id": 20}, {"id": 21, "v": None}]), **options)
    (file,) = java("files", metadata_location=table.metadata_location)
    assert file["said"] == file["footer"]
    lower = bytes.fromhex(file["said"]["lowerBounds"]["2"])
    assert [b"$['it\\'s']" in lower, b"$['o']['b']" in lower, b"mixed" in lower, b"['l']" in lower] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("kind", ["geometry", "geography", "geometry(srid:3857)"])
def test_java_knows_the_types_of_places_and_reads_no_values(tmp_path, java, kind):
    rows = pa.table({"id": [0, 1], "v": pa.array([POINT, None], pa.binary())})
    table = written(tmp_path, kind, rows)
    found = table.scan().to_arrow()["v"].to_pylist()
    assert found == [POINT, None]
    theirs = java("metadata", metadata_location=table.metadata_location)
    assert theirs["schemas"][0]["fields"][1]["type"] == kind
    # Java 1.11 takes the annotation of our Parquet file for the type that it is, and has no reader for it yet.
    with pytest.raises(Refused, match=f"Unsupported logical type: {kind.upper().split('(')[0]}"):
        lines(java, table)


def test_all_peers_read_columns_that_are_unknown(tmp_path, java, pyiceberg):
    rows = pa.table({"id": [0, 1], "v": pa.nulls(2)})
    table = written(tmp_path, "unknown", rows)
    assert table.scan().to_arrow()["v"].to_pylist() == [None, None]
    assert lines(java, table) == [[0, None], [1, None]]
    into = tmp_path / "rows.arrow"
    assert pyiceberg("read", metadata_location=table.metadata_location, into=str(into)) == 2

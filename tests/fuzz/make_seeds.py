"""Makes the seeds of the fuzzers out of the corpus.

    .venv/bin/python tests/fuzz/make_seeds.py

Small files of each kind, the smallest of each table; blocks of Avro files are stored plain, since a fuzzer gets nowhere
behind a compression. What is not in the corpus (filters, single values, parts of ORC files) is written down here.
Seeds are named after what they hold, so that running it again changes nothing.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import struct
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import orc
from pyarrow import parquet as pq

import floeberg as fb

ROOT = Path(__file__).parents[2]
SEEDS = ROOT / "tests" / "fuzz" / "seeds"
CORPUS = ROOT / "tests" / "conformance" / "iceberg"
LANCE = ROOT / "tests" / "conformance" / "lance"
LARGEST = 8 << 10
FORMATS = {"parquet": 0, "avro": 1, "orc": 2}


def keep(target: str, content: bytes) -> None:
    """Write a seed."""
    if len(content) <= LARGEST:
        (SEEDS / target).mkdir(parents=True, exist_ok=True)
        (SEEDS / target / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)


def smallest(pattern: str, most: int) -> list[Path]:
    """The smallest file of each table, at most so many, evenly over sizes."""
    found = []
    for table in sorted(CORPUS.glob("*/*/table")):
        files = sorted(table.glob(pattern), key=lambda path: (path.stat().st_size, path.name))
        found += files[:1]
    found.sort(key=lambda path: (path.stat().st_size, str(path)))
    return found[:: max(1, len(found) // most)][:most]


def number(data: bytes, at: int) -> tuple[int, int]:
    """A zigzag number and where it ends."""
    value = shift = 0
    while True:
        byte, at = data[at], at + 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), at


def zigzag(value: int) -> bytes:
    """The bytes of a number."""
    rest, out = (value << 1) ^ (value >> 63), bytearray()
    while rest >= 0x80:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*out, rest])


def plain(data: bytes) -> bytes:
    """An Avro file with its blocks inflated."""
    at, entries = 4, []
    while True:
        count, at = number(data, at)
        if count == 0:
            break
        if count < 0:
            count, (_, at) = -count, number(data, at)
        for _ in range(count * 2):
            length, at = number(data, at)
            entries.append(data[at : at + length])
            at += length
    metadata = dict(zip(entries[::2], entries[1::2], strict=True))
    inflates = metadata.get(b"avro.codec") == b"deflate"
    if inflates:
        metadata[b"avro.codec"] = b"null"
    sync, at = data[at : at + 16], at + 16
    sized = [zigzag(len(part)) + part for pair in metadata.items() for part in pair]
    out = b"Obj\x01" + zigzag(len(metadata)) + b"".join(sized) + b"\0" + sync
    while at < len(data):
        rows, at = number(data, at)
        length, at = number(data, at)
        block = data[at : at + length]
        at += length + 16
        block = zlib.decompress(block, -15) if inflates else block
        out += zigzag(rows) + zigzag(len(block)) + block + sync
    return out


def document_of(path: Path) -> Any:
    """A metadata file, plain or gzip."""
    content = path.read_bytes()
    return json.loads(gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content)


def of_metadata() -> None:
    """Metadata files, and the schemas in them."""
    for path in smallest("metadata/*.metadata.json", 24):
        document = document_of(path)
        kind = "view_metadata" if "view-uuid" in document else "table_metadata"
        keep(kind, json.dumps(document, separators=(",", ":")).encode())
        if "schemas" in document:
            keep("schema", json.dumps(document["schemas"][-1], separators=(",", ":")).encode())
    for path in sorted(CORPUS.glob("*/view*/table/metadata/*.json"))[:3]:
        keep("view_metadata", json.dumps(document_of(path), separators=(",", ":")).encode())
    mapping = [
        {"field-id": 1, "names": ["id", "a"]},
        {"names": ["element"], "fields": [{"field-id": 2, "names": ["key", "value", "element", "a"]}]},
    ]
    keep("name_mapping", json.dumps(mapping).encode())


def of_manifests() -> None:
    """Manifest lists and manifests; they are Avro files of another kind, too."""
    for path in smallest("metadata/snap-*.avro", 16):
        keep("manifest_list", plain(path.read_bytes()))
    for path in smallest("metadata/*-m[0-9]*.avro", 20):
        keep("manifest", plain(path.read_bytes()))
    for path in smallest("metadata/*-m[0-9]*.avro", 2):
        keep("avro_file", path.read_bytes())


def of_files() -> None:
    """Data and delete files of every format."""
    for name, choice in FORMATS.items():
        for path in smallest(f"data/**/*.{name}", 10):
            content = path.read_bytes()
            content = plain(content) if name == "avro" else content
            deletes = path.name.endswith(f"-deletes.{name}")
            keep("delete_file" if deletes else "data_file", bytes([choice]) + content)
            if name in ("avro", "orc"):
                keep(f"{name}_file", content)
    for path in smallest("data/**/*-deletes.*", 16):
        form = FORMATS.get(path.suffix[1:])
        if form is not None:
            content = path.read_bytes()
            keep("delete_file", bytes([form]) + (plain(content) if form == 1 else content))
    for path in [*smallest("data/**/*.puffin", 8), *smallest("metadata/*.stats", 4)]:
        content = path.read_bytes()
        keep("puffin", content)
        if path.suffix == ".puffin":
            length = int.from_bytes(content[4:8], "big") + 8
            keep("deletion_vector", content[4 : 4 + length])
            keep("delete_file", bytes([12]) + content[4 : 4 + length])
    types_of_orc()
    types_of_parquet()
    deletes_of_hundred_rows()


def types_of_orc() -> None:
    """ORC files without compression, of every type and encoding that pyarrow writes."""
    rows = 20
    columns = {
        "id": pa.array(range(rows), pa.int64()),
        "b": pa.array([place % 3 == 0 for place in range(rows)]),
        "i": pa.array([None if place % 5 == 0 else place * place for place in range(rows)], pa.int32()),
        "d": pa.array([place / 7 for place in range(rows)]),
        "s": pa.array([f"text {place % 4}" for place in range(rows)]),
        "bin": pa.array([bytes([place]) for place in range(rows)]),
        "dt": pa.array(range(-10, 10), pa.int32()).cast(pa.date32()),
        "ts": pa.array(range(rows), pa.timestamp("us")),
        "dec9": pa.array(range(rows), pa.int32()).cast(pa.decimal128(10, 0)).cast(pa.decimal128(12, 2)),
        "lst": pa.array([["a"] * (place % 3) for place in range(rows)]),
        "m": pa.array([{"k": place} for place in range(rows)], pa.map_(pa.string(), pa.int32())),
    }
    for name, column in columns.items():
        out = io.BytesIO()
        orc.write_table(
            pa.table({name: column}), out, compression="uncompressed", dictionary_key_size_threshold=0.5
        )
        keep("orc_file", out.getvalue())
        keep("data_file", bytes([2]) + out.getvalue())
    for codec in ("snappy", "zlib", "lz4", "zstd"):
        out = io.BytesIO()
        orc.write_table(pa.table({"id": columns["id"], "s": columns["s"]}), out, compression=codec)
        keep("orc_file", out.getvalue())


def types_of_parquet() -> None:
    """Parquet files of one column with the ids that the fuzzer knows."""
    columns = {
        1: pa.array([1, 2, None, 4]),
        13: pa.array(["a", None, "b", "c"]),
        6: pa.array([1.5, float("nan")]),
    }
    for number_of, column in columns.items():
        field = pa.field("c", column.type, metadata={b"PARQUET:field_id": str(number_of).encode()})
        out = io.BytesIO()
        table = pa.Table.from_arrays([column], schema=pa.schema([field]))
        pq.write_table(table, out, compression="none", write_page_index=True, store_schema=False)
        for choice in (0, 8, 16):
            keep("data_file", bytes([choice]) + out.getvalue())


def deletes_of_hundred_rows() -> None:
    """Delete files for the data file that the fuzzer has, in Parquet."""
    ids = {"file_path": 2_147_483_546, "pos": 2_147_483_545, "n": 3}

    def written(columns: dict[str, pa.Array]) -> bytes:
        fields = [
            pa.field(
                name, array.type, nullable=False, metadata={b"PARQUET:field_id": str(ids[name]).encode()}
            )
            for name, array in columns.items()
        ]
        out = io.BytesIO()
        table = pa.Table.from_arrays(list(columns.values()), schema=pa.schema(fields))
        pq.write_table(table, out, compression="none", store_schema=False)
        return out.getvalue()

    positions = {"file_path": pa.array(["memory://t/data"] * 3), "pos": pa.array([0, 7, 99])}
    keep("delete_file", bytes([0]) + written(positions))
    keep("delete_file", bytes([8]) + written({"n": pa.array([3, 5, 98])}))
    bitmap = struct.pack("<IIHHI2H", 12346, 1, 0, 1, 16, 3, 90)
    body = b"\xd1\xd3\x39\x64" + struct.pack("<QI", 1, 0) + bitmap
    keep(
        "delete_file",
        bytes([0x2C]) + struct.pack(">I", len(body)) + body + struct.pack(">I", zlib.crc32(body)),
    )


def of_filters() -> None:
    """Filters as text and as JSON."""
    texts = [
        "a = 1 AND b != 2 OR NOT (c < 3.5)",
        "k LIKE 'a%' AND k NOT LIKE 'b' ESCAPE '!'",
        "k STARTS WITH 'x' OR k NOT STARTS WITH 'y'",
        "a IN (1, 2, 3) AND b NOT IN (4) AND a BETWEEN 1 AND 2",
        "c IS NAN OR d IS NOT NAN OR a IS NULL",
        "e >= 1.25 AND f < DATE '2020-01-01' AND g = '12:30:00'",
        "h > TIMESTAMP '2020-01-01T00:00:00' OR i <= TIMESTAMPTZ '2020-01-01T00:00:00+00:00'",
        "l = UUID '00000000-0000-0000-0000-000000000001' AND n = X'00ff' AND o",
        'bucket(16, a) = 3 AND truncate(2, k) = \'ab\' AND day(h) = 18000 AND "s"."a" > -5 AND `t x` = 1',
        "NOT NOT (a = 1) AND TRUE OR FALSE AND 3 < b AND 'Infinity' > d",
        "'a' || 1e-3 = -1.5e300",
    ]
    for text in texts:
        keep("expression_sql", text.encode())
        try:
            filter_of = fb.expressions.parse(text)
        except fb.errors.FloebergError:
            continue
        keep("expression_json", json.dumps(filter_of.to_json()).encode())
    applied = {
        "type": "gt",
        "left": {
            "type": "apply",
            "function": "bucket",
            "arguments": [16, {"type": "reference", "name": "a"}],
        },
        "right": {"type": "literal", "value": 5, "data-type": "int"},
    }
    keep("expression_json", json.dumps({"type": "not", "child": applied}).encode())


def of_values() -> None:
    """Single values of every type."""
    for choice, content in enumerate(
        [
            b"\1",
            b"\1\2\3\4",
            b"\1\2\3\4\5\6\7\x88",
            b"\0\0\xc0\x7f",
            b"\0\0\0\0\0\0\xf8\x7f",
            b"\x80" + bytes(15),
            b"\x7f\xff",
            b"\xff\xff\xff\xff",
            bytes(8),
            b"\xff" * 8,
            b"\1" * 8,
            b"\2" * 8,
            b"\3" * 8,
            "aé漢🐢".encode(),
            bytes(range(16)),
            b"abcdef",
            b"\0\xff",
            b"\1\1\0\0\0" + bytes(16),
            b"",
        ]
    ):
        keep("single_value", bytes([choice]) + content)
    values: list[tuple[Any, Any]] = [
        ("int", 5),
        ("double", "NaN"),
        ("decimal(9,2)", "-1.25"),
        ("timestamptz_ns", "2020-01-01T00:00:00.000000001+00:00"),
        ("date", "1969-12-31"),
        ("time", "23:59:59.999999"),
        ("uuid", "00000000-0000-0000-0000-000000000001"),
        ("fixed[2]", "00ff"),
        ("binary", ""),
        ({"type": "list", "element-id": 3, "element": "int", "element-required": False}, [1, None]),
        (
            {
                "type": "map",
                "key-id": 4,
                "key": "string",
                "value-id": 5,
                "value": "float",
                "value-required": False,
            },
            {"keys": ["a"], "values": [1.5]},
        ),
        (
            {"type": "struct", "fields": [{"id": 1, "name": "a", "required": False, "type": "long"}]},
            {"1": -3},
        ),
    ]
    for pair in values:
        keep("single_value_json", json.dumps(pair).encode())


def of_parts() -> None:
    """Runs of ORC of every encoding, and Avro records without a schema's text."""
    runs = [
        b"\x61\x00\x07",
        b"\xfb\x02\x03\x06\x07\x0b",
        b"\x0a\x27\x10",
        b"\x5e\x03\x5c\xa1\xab\x1e\xde\xad\xbe\xef",
        bytes.fromhex("8e132b2107d01e00147028323c46505a646e78828c96a0aab4befce8"),
        b"\xc6\x09\x02\x02\x22\x42\x42\x46",
    ]
    for run in runs:
        for choice in (3, 4, 5, 0x14, 0x15):
            keep("orc_parts", bytes([choice]) + run)
    for path in smallest("data/**/*.orc", 4):
        content = path.read_bytes()
        length = content[-1]
        keep("orc_parts", b"\0" + content[-1 - length : -1])
        keep("orc_parts", b"\x16" + content[-1 - length - 200 : -1 - length])
        keep("orc_parts", b"\x07" + content[-1 - length - 400 : -1 - length - 200])
    for kind in range(29):
        for more in (b"", b"\x20"):
            choice = bytes([2, kind, *more, 7, 18, 0])
            keep("avro_engine", bytes([len(choice)]) + choice + b"\x03" + bytes(range(0, 60, 2)))


def of_lance() -> None:
    """The smallest manifest, transaction and deletion file of each Lance table, indices, row ids of each kind."""
    for case in sorted(LANCE.iterdir()):
        files = {
            kind: sorted((case / "table").glob(pattern), key=lambda path: (path.stat().st_size, path.name))
            for kind, pattern in (
                ("manifest", "_versions/*.manifest"),
                ("transaction", "_transactions/*.txn"),
                ("arrow", "_deletions/*.arrow"),
                ("bin", "_deletions/*.bin"),
            )
        }
        for path in (files["manifest"][0], files["manifest"][-1]):
            content = path.read_bytes()
            (at,) = struct.unpack("<q", content[-16:-8])
            keep("lance_manifest", content[at + 4 : -16])
            (length,) = struct.unpack("<I", content[:4])
            if 4 + length < at:
                keep("lance_manifest", content[4 : 4 + length])
        for path in files["transaction"][:2]:
            keep("lance_transaction", path.read_bytes())
        for choice, kind in enumerate(("arrow", "bin")):
            for path in files[kind][:1]:
                keep("lance_deletes", bytes([choice]) + path.read_bytes())
    for segment in (
        of_bytes(1, b"\x08\x05\x10\x09"),
        of_bytes(
            2, b"\x08\x05\x10\x1a" + of_bytes(3, of_bytes(1, b"\x08\x06" + of_bytes(2, b"\0\0\x02\0\x09\0")))
        ),
        of_bytes(3, b"\x08\x64\x10\x6e" + of_bytes(3, b"\xfb\x03")),
        of_bytes(4, of_bytes(2, b"\x08\x07" + of_bytes(2, bytes(4) + b"\0\0\x01\0"))),
        of_bytes(5, of_bytes(3, of_bytes(2, bytes(range(8)) + bytes(8)))),
    ):
        keep("lance_row_ids", of_bytes(1, segment))
        keep("lance_row_ids", of_bytes(1, of_bytes(1, segment) + b"\x10\x07"))


def of_bytes(number: int, content: bytes) -> bytes:
    """A field of a message, with less than 128 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content


def of_recipes() -> None:
    """The recipes of scans of a few tables, as text: paths in them are the same everywhere."""
    for name in (
        "pyiceberg/v2_refs",
        "duckdb/v3_deletes",
        "spark-iceberg/eqdel_upsert",
        "pyiceberg/v2_evolved",
    ):
        folder = CORPUS / name
        expected = json.loads((folder / "expected.json").read_text())
        table = fb.open_table(
            folder / "table" / expected["metadata_file"],
            relocate={expected["original_dir"]: str(folder / "table")},
        )
        for group in table.scan(row_filter="id > 1").plan_files().split(target_size=1 << 30)[:1]:
            # Pickled: an envelope around one zstandard frame.
            packed = group._inner.__reduce__()[1][0]
            frame = packed[packed.index(b"\x28\xb5\x2f\xfd") :]
            text = pa.input_stream(pa.BufferReader(frame), compression="zstd")
            keep("recipe", text.read().replace(str(ROOT).encode(), b"/t"))


def of_variants() -> None:
    """Variants of the corpus as elements of shredded arrays, and objects with fields that have columns of their own."""
    for metadata_file in sorted(CORPUS.glob("*/*/table/metadata/*.metadata.json")):
        if b'"variant"' not in metadata_file.read_bytes():
            continue
        for path in sorted(metadata_file.parents[1].glob("data/**/*.parquet")):
            for column in pq.read_table(path).columns:
                if pa.types.is_struct(column.type):
                    for row in column.to_pylist():
                        if row and len(row["metadata"]) < 256 and len(row["value"]) < 256:
                            keep(
                                "variant",
                                bytes([len(row["metadata"]), 0, 2]) + row["metadata"] + row["value"],
                            )
    metadata, number, text = b"\x01\x02\x00\x01\x02ab", b"\x0c\x05", b"\x05x"
    rest = b"\x02\x01\x01\x00\x02" + number
    for shape, parts in enumerate((bytes(8), text, number, text)):
        for value in (b"", rest if shape != 2 else b""):
            keep("variant", bytes([len(metadata), len(value), shape]) + metadata + value + parts)


def main() -> None:
    """Make all of them anew."""
    shutil.rmtree(SEEDS, ignore_errors=True)
    for make in (
        of_metadata,
        of_manifests,
        of_files,
        of_filters,
        of_values,
        of_variants,
        of_parts,
        of_recipes,
        of_lance,
    ):
        make()


if __name__ == "__main__":
    main()

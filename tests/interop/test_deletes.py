"""Peers read tables of which Floeberg deleted rows: copies, deletion vectors and position deletes."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from peers.process import Refused
from tables import arrow_file

import floeberg as fb
from corpus import encode

pytestmark = pytest.mark.timeout(900)

CASES = [
    (version, mode, seed)
    for version, mode in [
        (2, "merge-on-read"),
        (3, "merge-on-read"),
        (2, "copy-on-write"),
        (3, "copy-on-write"),
    ]
    for seed in range(3)
]


@pytest.fixture(params=CASES, ids=str)
def deleted(request, tmp_path):
    """A table, and the rows that are left of it."""
    version, mode, seed = request.param
    rng = random.Random(seed)
    catalog = fb.load_catalog("deletes", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    properties = {
        "write.delete.granularity": ["file", "partition"][seed % 2],
        "write.delete.format.default": ["parquet", "avro"][seed == 2],
    }
    schema = pa.schema({"id": pa.int64(), "part": pa.string(), "text": pa.string()})
    spec = ["part"] if seed else []
    table = catalog.create_table(
        "ns.t", schema, partition_spec=spec, format_version=version, properties=properties
    )
    model = {}
    for start in range(0, 4000, 1000):
        new = [
            {"id": id_, "part": rng.choice(["x", "y", None]), "text": f"t{id_}"}
            for id_ in range(start, start + 1000)
        ]
        table.append(new)
        model |= {row["id"]: row for row in new}
        for _ in range(2):
            gone = set(rng.sample(range(start + 1000), 90)) | set(range(start + 100, start + 300))
            table.delete(f"id IN ({', '.join(map(str, gone))})", mode=mode)
            model = {id_: row for id_, row in model.items() if id_ not in gone}
    return table, pa.Table.from_pylist(list(model.values()), schema)


def is_avro(table):
    """Whether its deletes are Avro files, which only Java reads."""
    formats = table.inspect.delete_files()["file_format"].to_pylist()
    return "AVRO" in formats


def test_java_reads_what_is_left(deleted, java):
    table, left = deleted
    assert sorted(java("read", metadata_location=table.metadata_location)) == sorted(encode(left))


def test_pyiceberg_reads_what_is_left(deleted, pyiceberg, tmp_path):
    table, left = deleted
    into = tmp_path / "rows.arrow"
    if is_avro(table):
        with pytest.raises(Refused, match="Delete file format not supported"):
            pyiceberg("read", metadata_location=table.metadata_location, into=str(into))
        return
    pyiceberg("read", metadata_location=table.metadata_location, into=str(into))
    assert sorted(encode(arrow_file(into))) == sorted(encode(left))


def test_duckdb_reads_what_is_left(deleted, duckdb, tmp_path):
    table, left = deleted
    into = tmp_path / "rows.arrow"
    asked = {"metadata_location": table.metadata_location, "columns": left.column_names, "into": str(into)}
    if is_avro(table):
        with pytest.raises(Refused, match="'AVRO' not supported for deletes"):
            duckdb("read", **asked)
        return
    duckdb("read", **asked)
    assert sorted(encode(arrow_file(into))) == sorted(encode(left))

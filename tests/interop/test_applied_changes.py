"""Peers read tables to which feeds of changes were applied by equality deletes. PyIceberg refuses them."""

from __future__ import annotations

import pyarrow as pa
import pytest
from peers.process import Refused
from tables import arrow_file

import floeberg as fb
from corpus import encode

pytestmark = pytest.mark.timeout(900)

SCHEMA = pa.schema({"id": pa.int64(), "part": pa.string(), "text": pa.string()})
CASES = [(version, spec) for version in (2, 3) for spec in ((), ("identity(part)",), ("bucket(4, id)",))]


def feed(*changes):
    words, ids, parts, places = zip(*changes, strict=True)
    columns = {"op": words, "id": ids, "part": parts, "text": [f"t{at}" for at in places], "at": places}
    return pa.table(columns)


@pytest.fixture(params=CASES, ids=str)
def changed(request, tmp_path):
    """A table, and the rows that it has."""
    version, spec = request.param
    catalog = fb.load_catalog("changes", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA, format_version=version, partition_spec=list(spec))
    keys = ["id", "part"] if "identity(part)" in spec else ["id"]

    def apply(*changes):
        table.apply_changes(feed(*changes), keys=keys, operation="op", order_by="at", mode="equality")

    def part(number):
        return "ab"[number % 2]

    apply(*(("insert", number, part(number), number) for number in range(100)))
    apply(*(("update", number, part(number), 100 + number) for number in range(0, 50, 5)))
    table.delete("id IN (5, 6)", mode="merge-on-read")
    apply(
        ("delete", 10, "a", 200), ("insert", 5, "b", 201), ("delete", 999, "a", 202), ("insert", 10, "a", 203)
    )
    apply(
        ("delete", 10, "a", 204), ("update", 7, "b", 205), ("delete", 7, "b", 206), ("insert", 300, "a", 207)
    )
    left = {number: (part(number), number) for number in range(100)}
    left |= {number: (part(number), 100 + number) for number in range(0, 50, 5)}
    left |= {5: ("b", 201), 300: ("a", 207)}
    left = {number: row for number, row in left.items() if number not in (6, 7, 10)}
    rows = [{"id": id_, "part": found, "text": f"t{at}"} for id_, (found, at) in left.items()]
    return table, pa.Table.from_pylist(rows, SCHEMA)


def test_floeberg_reads_what_was_meant(changed):
    table, left = changed
    assert sorted(encode(table.scan().to_arrow())) == sorted(encode(left))


def test_java_reads_what_was_meant(changed, java):
    table, left = changed
    assert sorted(java("read", metadata_location=table.metadata_location)) == sorted(encode(left))


def test_duckdb_reads_what_was_meant(changed, duckdb, tmp_path):
    table, left = changed
    into = tmp_path / "rows.arrow"
    duckdb("read", metadata_location=table.metadata_location, columns=SCHEMA.names, into=str(into))
    assert sorted(encode(arrow_file(into))) == sorted(encode(left))


def test_pyiceberg_refuses_the_table(changed, pyiceberg, tmp_path):
    table, _ = changed
    with pytest.raises(Refused, match="PyIceberg does not yet support equality deletes"):
        pyiceberg("read", metadata_location=table.metadata_location, into=str(tmp_path / "rows.arrow"))

"""Peers read tables whose rows Floeberg replaced, and that workers changed: by places, by copies, by keys."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tables import arrow_file

import floeberg as fb
from corpus import encode

pytestmark = pytest.mark.timeout(900)

SCHEMA = pa.schema({"id": pa.int64(), "text": pa.string()})
PLACES = ("_file", "_pos")
LINEAGE = ("_row_id", "_last_updated_sequence_number")


def rows(*ids, text="t"):
    return pa.table({"id": ids, "text": [f"{text}{id_}" for id_ in ids]}, SCHEMA)


CASES = [(version, mode) for version in (2, 3) for mode in ("merge-on-read", "copy-on-write")]


@pytest.fixture(params=CASES, ids=str)
def changed(request, tmp_path):
    """A table, and the rows that it has."""
    version, mode = request.param
    catalog = fb.load_catalog("changes", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA, format_version=version)
    table.append(rows(*range(100)))
    table.append(rows(*range(100, 200)))
    table.overwrite(rows(5, 500, text="n"), "id IN (5, 105)", mode=mode)
    recipe = table.row_delta_recipe(key_columns=["id"])

    def commit(*receipts):
        table.commit_row_delta(receipts, read_snapshot_id=table.current_snapshot().snapshot_id)

    places = table.scan("id IN (7, 107)", selected_fields=PLACES).to_arrow()
    commit(recipe.delete_rows(places), recipe.write(rows(700, text="n"), task="1"))
    commit(recipe.delete_keys(pa.table({"id": [9, 109, 500]}), task="2"))
    more = LINEAGE if version == 3 else ()
    (path,) = set(table.scan("id = 50", selected_fields=("_file",)).to_arrow()["_file"].to_pylist())
    kept = table.scan(selected_fields=(*SCHEMA.names, *more, "_file")).to_arrow()
    kept = kept.filter(pc.field("_file") == path).filter(pc.field("id") != 50)
    copies = recipe.write(kept.drop_columns(["_file"]), task="3", with_lineage=version == 3)
    commit(recipe.replace_files([path]), copies)
    gone = {5, 7, 9, 50, 105, 107, 109}
    left = [{"id": id_, "text": f"t{id_}"} for id_ in range(200) if id_ not in gone]
    left += [{"id": 5, "text": "n5"}, {"id": 700, "text": "n700"}]
    return table, pa.Table.from_pylist(left, SCHEMA)


def test_floeberg_reads_what_was_meant(changed):
    table, left = changed
    found = table.scan().to_arrow()
    assert sorted(encode(found)) == sorted(encode(left))


def test_java_reads_what_was_meant(changed, java):
    table, left = changed
    assert sorted(java("read", metadata_location=table.metadata_location)) == sorted(encode(left))


def test_duckdb_reads_what_was_meant(changed, duckdb, tmp_path):
    table, left = changed
    into = tmp_path / "rows.arrow"
    asked = {"metadata_location": table.metadata_location, "columns": SCHEMA.names, "into": str(into)}
    duckdb("read", **asked)
    assert sorted(encode(arrow_file(into))) == sorted(encode(left))

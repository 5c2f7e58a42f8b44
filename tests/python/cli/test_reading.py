"""What a table is, and its rows: of either format, in every form."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import floeberg as fb

ROWS = [
    {"id": 1, "country": "de", "price": 2.5},
    {"id": 2, "country": "fr", "price": 3.5},
    {"id": 3, "country": None, "price": None},
]


def by_id(rows):
    return sorted(rows, key=lambda row: row["id"])


def test_show_has_every_part(run, table_name):
    shown = run("show", table_name, "--json").json
    assert list(shown) == ["table", "schema", "spec", "refs", "history", "properties"]
    assert shown["table"]["rows"] == 3
    assert [each["name"] for each in shown["schema"]] == ["id", "country", "price"]
    assert run("show", table_name, "schema", "--json").json == shown["schema"]
    assert run("describe", table_name, "--json").json["table"] == shown["table"]
    text = run("show", table_name).out
    assert all(f"# {part}\n" in text for part in shown)


def test_facts_of_an_iceberg_table(run, lake):
    table = lake.load_table("sales.orders")
    assert run("uuid", "lake.sales.orders").out == f"{table.metadata.table_uuid}\n"
    assert run("location", "lake.sales.orders", "--json").json == {"location": table.location()}
    assert run("spec", "sales.orders", "-c", "lake").lines()[1][:3] == ["country", "identity", "country"]
    assert run("--catalog", "lake", "--output", "json", "schema", "sales.orders").json[0]["type"] == "long"


def test_facts_of_a_lance_table(run, tables):
    assert run("location", "orders.lance").out == f"{tables}/orders.lance\n"
    assert run("schema", "orders.lance").lines()[1] == ["id", "int64", "no"]
    assert "Lance tables have no uuid" in run("uuid", "orders.lance", code=10).err


def test_files_snapshots_history_and_refs(run, table_name):
    files = run("files", table_name, "--json").json
    assert len(files) in (2, 3)
    snapshots = run("snapshots", table_name, "--json").json
    assert len(snapshots) == 2
    assert len(run("history", table_name).lines()) == 3
    refs = run("refs", table_name, "--json").json
    assert [each["name"] for each in refs] == ([] if table_name.endswith(".lance") else ["main"])
    assert run("list-refs", table_name, "--type", "tag", "--json").json == []
    assert "expected branch or tag, found 'tga'" in run("refs", table_name, "--type", "tga", code=2).err


@pytest.mark.usefixtures("lake")
def test_files_of_all_snapshots_and_deletes(run):
    assert len(run("files", "lake.sales.orders", "--history").lines()) == 4
    assert run("files", "lake.sales.orders", "--deletes", "--json").json == []
    assert "Lance tables have no --history" not in run("files", "lake.sales.orders").err


def test_a_scan_gives_the_same_rows_in_every_form(run, table_name):
    assert by_id(run("scan", table_name, "--json").json) == ROWS
    lines = run("scan", table_name, "-o", "jsonl").out.splitlines()
    assert by_id(map(json.loads, lines)) == ROWS
    text = run("scan", table_name, "-o", "csv").raw
    assert by_id(pa.csv.read_csv(io.BytesIO(text)).to_pylist()) == [
        {**row, "country": row["country"] or ""} for row in ROWS
    ]
    parquet = run("scan", table_name, "-o", "parquet").raw
    assert by_id(pa.parquet.read_table(io.BytesIO(parquet)).to_pylist()) == ROWS
    arrow = run("scan", table_name, "-o", "arrow").raw
    assert by_id(pa.ipc.open_stream(arrow).read_all().to_pylist()) == ROWS
    tabs = run("scan", table_name).lines()
    assert tabs[0] == ["id", "country", "price"]
    assert min(tabs[1:]) == ["1", "de", "2.5"]


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.jsonl", "x.parquet", "x.arrow"])
def test_a_scan_writes_a_file_that_reads_back(run, table_name, own_home, name):
    assert "3 rows were written" in run("scan", table_name, "--to", name).err
    assert by_id(fb.read_files(name).read_all().to_pylist()) == ROWS
    before = (own_home / name).read_bytes()
    assert "the file exists already" in run("scan", table_name, "--to", name, code=4).err
    assert (own_home / name).read_bytes() == before


def test_a_scan_to_a_file_without_a_known_end_is_refused_before_it_is_made(run, table_name, own_home):
    assert "does not say the form" in run("scan", table_name, "--to", "x.dat", code=2).err
    assert not (own_home / "x.dat").exists()
    run("scan", table_name, "--to", "x.dat", "--output", "csv")


def test_filter_columns_and_limit(run, table_name):
    found = run("scan", table_name, "--where", "price > 3", "--columns", "id", "--json").json
    assert found == [{"id": 2}]
    assert len(run("scan", table_name, "--limit", 1).lines()) == 2
    assert run("scan", table_name, "--limit", 0, "--json").json == []
    assert run("count", table_name, "--where", "id < 3").out == "2\n"
    assert run("count", table_name, "--json").json == {"rows": 3}


def test_an_earlier_state_is_read(run, table_name):
    key = "version" if table_name.endswith(".lance") else "snapshot_id"
    first = run("snapshots", table_name, "--json").json[0]
    assert run("count", table_name, "--snapshot-id", first[key]).out == "2\n"
    run("tag", "create", table_name, "first", "--snapshot-id", first[key])
    assert run("count", table_name, "--ref", "first").out == "2\n"
    moment = first["timestamp" if key == "version" else "committed_at"]
    assert run("count", table_name, "--as-of", moment).out == "2\n"
    assert run("count", table_name, "--as-of", "0s").out == "3\n"
    assert "exclude each other" in run("count", table_name, "--ref", "x", "--as-of", "1d", code=2).err
    assert run("count", table_name, "--as-of", "9d", code=3).err.startswith("error: ")


def test_plan(run, table_name):
    if table_name.endswith(".lance"):
        assert run("plan", table_name, "--json").json["fragments"] == 2
        assert "fragments: 2" in run("explain", table_name).out
        assert run("plan", table_name, "--analyze", "--json").json["analysis"]["rows"] == 3
        assert "reading took" in run("plan", table_name, "--analyze").out
        return
    found = run("plan", table_name, "--where", "country = 'de'", "--json").json
    assert found["data_files"] == 1
    assert ".parquet" in run("plan", table_name, "--verbose").out
    assert found["analysis"] is None
    analyzed = run("plan", table_name, "--where", "country = 'de'", "--analyze", "--json").json["analysis"]
    assert (
        analyzed["reading"]["rows"]
        == run("count", table_name, "--where", "country = 'de'", "--json").json["rows"]
    )
    assert "planning took" in run("plan", table_name, "--analyze").out


@pytest.mark.usefixtures("lake")
def test_forms_of_rows_are_refused_where_there_are_none(run):
    assert "found csv, which is a form of rows" in run("show", "lake.sales.orders", "-o", "csv", code=2).err


def test_views_and_namespaces_are_shown(run, lake):
    lake.create_view("sales.totals", pa.schema({"n": pa.int64()}), sql={"spark": "SELECT 1 AS n"})
    shown = run("show", "lake.sales.totals", "--json").json
    assert shown["kind"] == "view"
    assert shown["sql"] == {"spark": "SELECT 1 AS n"}
    assert run("show", "lake.sales", "--json").json["kind"] == "namespace"
    assert ["sales.totals", "view"] in run("ls", "lake.sales").lines()


STABLE = {
    ("show", "lake.sales.orders", "table"): (
        "name location format format_version uuid metadata_location snapshot sort_order rows data_files "
        "delete_files bytes"
    ),
    (
        "show",
        "orders.lance",
        "table",
    ): "location format version branch data_storage_version stable_row_ids rows",
    ("schema", "lake.sales.orders"): "id name type required doc",
    ("spec", "lake.sales.orders"): "field transform source id",
    ("files", "lake.sales.orders"): (
        "content file_format record_count file_size_in_bytes spec_id partition file_path"
    ),
    ("snapshots", "lake.sales.orders"): "committed_at snapshot_id parent_id operation manifest_list summary",
    ("snapshots", "orders.lance"): "version timestamp written_by",
    ("history", "lake.sales.orders"): "made_current_at snapshot_id parent_id is_current_ancestor",
    ("cost", "lake.sales.orders"): "what files bytes freed_by",
    ("check", "lake.sales.orders"): "sound failed findings",
    ("maintain", "lake.sales.orders", "--dry-run"): "version table calls",
    ("maintain", "orders.lance", "--dry-run"): "compaction cleanup",
    ("ls", "lake"): "name kind",
    ("catalog", "config"): "catalog default property value",
    ("doctor", "lake", "--read-only"): "catalog kind ok failed steps",
    ("version",): "floeberg python pyarrow",
}


@pytest.mark.usefixtures("tables", "lake")
@pytest.mark.parametrize("words", STABLE, ids=" ".join)
def test_json_keeps_its_names(run, words):
    found = run(*words, "--json").json
    names = list(found[0] if isinstance(found, list) else found)
    assert names == STABLE[words].split()


@pytest.mark.parametrize("option", ["--as-of", "--ref", "--catalog", "--where", "--columns"])
def test_an_empty_text_is_not_taken_for_nothing(run, table_name, option):
    # As of a variable of the shell that is not set: the current state would be another answer.
    assert run("scan", table_name, option, "", code=None).code in (2, 3)


def test_a_snapshot_of_number_0_is_looked_for(run, table_name):
    run("count", table_name, "--snapshot-id", 0, code=3)


@pytest.mark.parametrize("place", ["w/s/t", "made.lance"])
def test_columns_with_commas_are_named_in_quotes(run, place):
    Path("rows.csv").write_text('id,"last, first",price\n1,"Doe, Jo",2.5\n')
    run("append", place, "rows.csv", "--create")
    assert run("scan", place, "--columns", 'id, "last, first"', "--json").json == [
        {"id": 1, "last, first": "Doe, Jo"}
    ]
    run("upsert", place, "rows.csv", "--key", '"last, first"')
    assert run("count", place).out == "1\n"
    wrong = run("scan", place, "--columns", 'id,"last', code=2).err
    assert "--columns: expected names with commas between them" in wrong

"""Rows in: files of every format, new tables, upserts, deletes and copies."""

from __future__ import annotations

import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

import floeberg as fb

MORE = pa.table({"id": [7, 8], "country": ["it", "es"], "price": [1.5, 9.0]})


def written(form: str) -> str:
    """A file with rows of a format, by its name."""
    if form == "csv":
        pa.csv.write_csv(MORE, "more.csv")
    elif form == "parquet":
        pa.parquet.write_table(MORE, "more.parquet")
    elif form == "arrow":
        pa.feather.write_feather(MORE, "more.arrow", compression="uncompressed")
    else:
        lines = '{"id": 7, "country": "it", "price": 1.5}\n{"id": 8, "country": "es", "price": 9}\n'
        Path("more.jsonl").write_text(lines)
    return f"more.{form}"


@pytest.mark.parametrize("form", ["csv", "parquet", "arrow", "jsonl"])
def test_files_are_appended(run, table_name, form):
    done = run("append", table_name, written(form), "--json").json
    assert done["added_rows"] == 2
    found = run("scan", table_name, "--where", "id > 6", "--json").json
    assert sorted(found, key=lambda row: row["id"]) == MORE.to_pylist()


def test_standard_input_is_appended(run, table_name):
    run("append", table_name, "-", "--format", "csv", stdin="id,country,price\n9,pt,\n")
    assert run("scan", table_name, "--where", "id = 9", "--json").json == [
        {"id": 9, "country": "pt", "price": None}
    ]
    assert "standard input has no name" in run("append", table_name, "-", stdin="", code=2).err


def test_texts_get_the_types_of_the_table(run, lake):
    kinds = {
        "day": pa.date32(),
        "code": pa.string(),
        "cost": pa.decimal128(9, 2),
        "at": pa.timestamp("us", "UTC"),
    }
    lake.create_table("sales.typed", pa.schema(kinds))
    Path("typed.csv").write_text("day,code,cost,at\n2026-01-02,007,1.50,2026-01-02T03:04:05Z\n")
    run("append", "lake.sales.typed", "typed.csv")
    Path("typed.jsonl").write_text(
        '{"day": "2026-01-02", "code": "007", "cost": "1.50", "at": "2026-01-02T03:04:05Z"}\n'
    )
    run("append", "lake.sales.typed", "typed.jsonl")
    first, second = lake.load_table("sales.typed").to_arrow().to_pylist()
    assert first == second
    assert first["day"] == datetime.date(2026, 1, 2)
    assert first["code"] == "007"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("new/sales/orders", ()),
        ("new.lance", ()),
        ("lake.fresh.orders", ()),
        ("fresh.orders", ("--option", "warehouse=elsewhere")),
    ],
)
@pytest.mark.usefixtures("lake")
def test_a_table_is_created_with_its_rows_and_its_columns_are_shown_before(run, name, words):
    assert "--create makes the table" in run("append", name, written("csv"), *words, code=3).err
    shown = run("append", name, written("csv"), *words, "--create", "--dry-run")
    assert "  country: string\n" in shown.err
    assert run("append", name, "more.csv", *words, "--create", "--dry-run", "--json").json == {
        "columns": {"id": "int64", "country": "string", "price": "double"},
        "create": True,
        "dry_run": True,
    }
    run("count", name, *words, code=3)
    done = run("append", name, "more.csv", *words, "--create")
    assert "columns of the new table:\n  id: int64\n" in done.err
    assert ["rows", "2"] in done.lines()
    assert run("count", name, *words).out == "2\n"
    run("append", name, "more.csv", *words, "--create")
    assert run("count", name, *words).out == "4\n"


def test_a_new_table_has_partitions_and_properties(run, lake):
    words = ("--create", "--partition-by", "country", "--property", "owner=me")
    run("append", "lake.sales.new", written("csv"), *words)
    table = lake.load_table("sales.new")
    assert [each.name for each in table.spec().fields] == ["country"]
    assert table.properties["owner"] == "me"
    assert "for a new table" in run("append", "lake.sales.new", "more.csv", *words, code=2).err
    assert "have no partitions" in run("append", "x.lance", "more.csv", *words, code=2).err


@pytest.mark.usefixtures("lake")
def test_columns_that_the_table_lacks_are_named_or_added(run):
    pa.parquet.write_table(MORE.append_column("note", pa.array(["a", "b"])), "wide.parquet")
    assert (
        'column "note" is not in the table' in run("append", "lake.sales.orders", "wide.parquet", code=2).err
    )
    run("append", "lake.sales.orders", "wide.parquet", "--merge-schema", "--branch", "main")
    assert "note" in run("schema", "lake.sales.orders").out


def test_an_upsert_updates_and_inserts(run, table_name):
    Path("changes.csv").write_text("id,country,price\n1,de,99\n4,at,4\n")
    would = run("upsert", table_name, "changes.csv", "--key", "id", "--dry-run", "--json").json
    assert run("count", table_name).out == "3\n"
    done = run("upsert", table_name, "changes.csv", "--key", "id", "--json").json
    if table_name.endswith(".lance"):
        assert (would["updated_rows"], done["inserted_rows"]) == (1, 1)
        run("upsert", table_name, "changes.csv", code=2)
    else:
        assert (would["rows_updated"], done["rows_inserted"]) == (1, 1)
    assert run("scan", table_name, "--where", "price = 99", "--columns", "id", "--json").json == [{"id": 1}]
    assert "no key column 'idd'" in run("upsert", table_name, "changes.csv", "--key", "idd", code=2).err


def test_a_delete_says_what_it_would_do_and_is_confirmed(run, table_name):
    words = ("delete", table_name, "--where", "id = 2")
    assert ["deleted rows", "1"] in run(*words, "--dry-run").lines()
    refused = run(*words, code=11)
    assert "Delete 1 rows" in refused.err
    assert "--yes" in refused.err
    assert run("count", table_name).out == "3\n"
    assert run(*words, "--yes", "--json").json["deleted_rows"] == 1
    assert run("count", table_name).out == "2\n"
    # Nothing matches any more, and nothing is asked.
    run(*words)
    assert "either --where FILTER or --all" in run("delete", table_name, code=2).err
    run("delete", table_name, "--all", "--yes")
    assert run("count", table_name).out == "0\n"


def test_a_copy_is_made_and_brought_up_to_date(run, table_name):
    assert run("copy", table_name, "copied.lance", "--dry-run", "--json").json["rows"] == 3
    assert run("copy", table_name, "copied.lance", "--json").json["action"] == "created"
    assert run("copy", table_name, "copied.lance", "--json").json["action"] == "unchanged"
    run("append", table_name, written("csv"))
    done = run("copy", table_name, "copied.lance", "--json").json
    assert (done["action"], done["rows"]) == ("appended", 2)
    assert run("count", "copied.lance").out == "5\n"
    run("copy", table_name, "copied.lance", "--replace", code=11)
    assert (
        run("copy", table_name, "copied.lance", "--replace", "--yes", "--json").json["action"] == "replaced"
    )
    assert run("copy", "copied.lance", "lake.sales.back", "--columns", "id", "--json").json["rows"] == 5
    assert fb.load_catalog("lake").load_table("sales.back").schema().column_names == ["id"]


@pytest.mark.usefixtures("tables")
def test_what_lance_tables_do_not_have_is_said(run):
    written("csv")
    for words in (
        ("append", "more.csv", "--merge-schema"),
        ("upsert", "more.csv", "--key", "id", "--branch", "x"),
    ):
        verb, *others = words
        assert "Lance tables take no --branch" in run(verb, "orders.lance", *others, code=10).err
    run("delete", "orders.lance", "--all", "--branch", "x", "--yes", code=10)
    assert run("count", "orders.lance").out == "3\n"

"""What catalogs have: names, properties, and a back-up of the pointers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SECRET = "hunter2-do-not-show"


@pytest.mark.usefixtures("lake")
def test_catalogs_namespaces_and_tables_are_listed(run):
    assert run("ls").lines() == [["name", "kind"], ["lake", "catalog"]]
    assert run("ls", "lake", "--json").json == [{"name": "sales", "kind": "namespace"}]
    assert run("list", "lake.sales", "--json").json == [{"name": "sales.orders", "kind": "table"}]
    assert run("ls", "--catalog", "lake").lines()[1] == ["sales", "namespace"]
    assert run("ls", "sales", "--catalog", "lake").lines()[1] == ["sales.orders", "table"]


@pytest.mark.usefixtures("lake")
def test_near_matches_are_named(run):
    assert "near matches: 'sales.orders'" in run("show", "lake.sales.order", code=3).err
    assert "did you mean 'sales'?" in run("ls", "lake.sale", code=3).err
    assert "did you mean 'lake'?" in run("ls", "--catalog", "lakes", code=2).err
    assert "did you mean 'lake'?" in run("show", "lak.sales.orders", code=2).err
    assert "did you mean 'lake'?" in run("catalog", "config", "laek", code=3).err
    assert "no column is named" in run("scan", "lake.sales.orders", "--columns", "pric", code=2).err


def test_without_configuration_the_error_says_what_to_write(run):
    refused = run("show", "sales.orders", code=2).err
    assert "~/.floeberg.yaml" in refused
    assert "no catalog is configured" in run("ls").err
    Path("folder").mkdir()
    assert "--option warehouse=folder" in run("ls", "folder", code=10).err


@pytest.mark.usefixtures("lake")
def test_a_configuration_file_is_read(run, own_home):
    content = f"default-catalog: two\ncatalog:\n  two:\n    warehouse: {own_home}/two\n"
    (own_home.parent / "home" / ".floeberg.yaml").write_text(content)
    Path("one.csv").write_text("id\n1\n")
    run("append", "two.db.one", "one.csv", "--create")
    assert run("count", "db.one").out == "1\n"
    assert [row[0] for row in run("ls").lines()[1:]] == ["lake", "two"]


def test_namespaces_and_tables_are_made_renamed_and_dropped(run, lake):
    run("create", "namespace", "lake.fresh", "--property", "owner=me")
    assert run("properties", "get", "namespace", "lake.fresh", "owner").out == "me\n"
    Path("one.csv").write_text("id,at\n1,2026-01-01T00:00:00Z\n")
    words = (
        "--schema-of",
        "one.csv",
        "--partition-by",
        "day(at)",
        "--sort-by",
        "id desc",
        "--format-version",
        3,
    )
    run("create", "table", "lake.fresh.one", *words)
    table = lake.load_table("fresh.one")
    assert (table.format_version, table.spec().fields[0].name, table.scan().count()) == (3, "at_day", 0)
    run("create", "table", "lake.fresh.one", *words, code=4)
    run("rename", "lake.fresh.one", "lake.fresh.two")
    run("drop", "namespace", "lake.fresh", "--yes", code=2)
    assert run("drop", "table", "lake.fresh.two", "--dry-run", "--json").json["dropped"] is False
    run("drop", "table", "lake.fresh.two", code=11)
    run("drop", "table", "lake.fresh.two", "--yes")
    run("register", "lake.fresh.back", table.metadata_location)
    assert Path(table.location()).is_dir()
    run("drop", "table", "lake.fresh.back", "--purge", "--yes")
    assert not list(Path(table.location()).rglob("*.json"))
    assert "near matches" in run("drop", "table", "lake.sales.order", "--yes", code=3).err
    assert "did you mean 'fresh'?" in run("drop", "namespace", "lake.frsh", "--yes", code=3).err
    run("drop", "namespace", "lake.fresh", "--yes")
    assert run("ls", "lake").lines()[1:] == [["sales", "namespace"]]


def test_a_view_is_renamed_and_dropped(run, lake):
    import pyarrow as pa

    lake.create_view("sales.totals", pa.schema({"n": pa.int64()}), sql={"spark": "SELECT 1 AS n"})
    run("rename", "lake.sales.totals", "lake.sales.sums")
    assert "did you mean 'sales.sums'?" in run("drop", "view", "lake.sales.sum", "--yes", code=3).err
    run("drop", "view", "lake.sales.sums", "--yes")
    assert lake.list_views("sales") == []


def test_properties_are_read_set_and_removed(run, table_name):
    run("properties", "set", "table", table_name, "owner", "me")
    assert run("properties", "get", "table", table_name, "owner").out == "me\n"
    assert run("properties", "get", "table", table_name, "--json").json["owner"] == "me"
    assert "did you mean 'owner'?" in run("properties", "get", "table", table_name, "ownr", code=3).err
    run("properties", "remove", "table", table_name, "owner", code=11)
    run("properties", "remove", "table", table_name, "owner", "--dry-run")
    run("properties", "remove", "table", table_name, "owner", "--yes")
    assert "owner" not in run("properties", "get", "table", table_name, "--json").json


def test_properties_of_a_namespace_are_removed(run, lake):
    run("properties", "set", "namespace", "lake.sales", "owner", "me")
    run("properties", "remove", "namespace", "lake.sales", "owner", "--yes")
    assert "owner" not in lake.load_namespace_properties("sales")
    assert "expected the name of a namespace" in run("properties", "get", "namespace", "./x", code=2).err


def test_a_catalog_is_exported_and_restored(run, lake):
    assert run("catalog", "export", "lake.json", "--catalog", "lake", "--json").json["tables"] == [
        ["sales", "orders"]
    ]
    assert json.loads(Path("lake.json").read_text())["format"] == "floeberg-catalog"
    before = lake.load_table("sales.orders").metadata_location
    run("delete", "lake.sales.orders", "--where", "id = 1", "--yes")
    run("drop", "namespace", "lake.sales", "--yes", code=2)
    assert run("catalog", "restore", "lake.json", "--catalog", "lake", "--json").json["newer"] == [
        ["sales", "orders"]
    ]
    words = ("catalog", "restore", "lake.json", "--catalog", "lake", "--overwrite")
    run(*words, "--dry-run")
    run(*words, code=11)
    assert run("count", "lake.sales.orders").out == "2\n"
    run(*words, "--yes")
    assert lake.load_table("sales.orders").metadata_location == before
    assert run("catalog", "restore", "no.json", "--catalog", "lake", code=3).err


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.usefixtures("lake")
def test_secrets_are_never_shown(run, monkeypatch, form):
    monkeypatch.setenv("FLOEBERG_CATALOG__FAR__URI", f"postgresql://me:{SECRET}@127.0.0.1:1/x")
    monkeypatch.setenv("FLOEBERG_CATALOG__FAR__CREDENTIAL", SECRET)
    monkeypatch.setenv("FLOEBERG_CATALOG__FAR__S3__SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("FLOEBERG_CATALOG__FAR__TOKEN", SECRET)
    shown = run("catalog", "config", "--output", form)
    assert "s3.secret-access-key" in shown.out
    tried = [
        shown,
        run("ls", "far", "--output", form, code=8),
        run("show", "far.sales.orders", "--output", form, code=8),
        run(
            "ls",
            "-O",
            f"uri=sqlite:////no/such/{SECRET}?password={SECRET}",
            "-O",
            f"token={SECRET}",
            "-O",
            SECRET,
            code=2,
        ),
        run(
            "count", f"https://me:{SECRET}@127.0.0.1:1/t/metadata/v1.metadata.json", "--output", form, code=8
        ),
    ]
    for each in tried:
        assert SECRET not in each.out + each.err


@pytest.mark.usefixtures("lake")
def test_names_that_are_none_are_refused(run):
    assert "found 'lake..orders'" in run("show", "lake..orders", code=2).err
    assert "expected the name of something in a catalog" in run("drop", "table", "./x", "--yes", code=2).err


@pytest.mark.usefixtures("lake")
def test_the_doctor_does_each_step_and_names_the_one_that_fails(run, own_home, monkeypatch):
    found = run("doctor", "lake", "--json").json
    assert (found["ok"], found["failed"]) == (True, None)
    outcomes = {each["name"]: each["outcome"] for each in found["steps"]}
    assert outcomes["put-if-absent"] == "ok"
    assert list(own_home.joinpath("warehouse").rglob("*check*")) == []
    assert run("doctor", "--catalog", "lake", "--read-only").out.startswith(
        "CatalogCheck('lake', SqlCatalog)"
    )
    monkeypatch.setenv("FLOEBERG_CATALOG__FAR__URI", "http://127.0.0.1:9/api")
    monkeypatch.setenv("FLOEBERG_CATALOG__FAR__TOKEN", SECRET)
    failed = run("doctor", "far", "--json", code=1)
    assert failed.json["failed"] == "tcp"
    (step,) = [each for each in failed.json["steps"] if each["outcome"] == "failed"]
    assert step["error"]["message"]
    assert step["fix"]
    text = run("doctor", "far", code=1)
    assert "failed at 'tcp'" in text.out
    assert SECRET not in failed.out + failed.err + text.out + text.err
    assert "is the catalog already" in run("doctor", "far", "--catalog", "lake", code=2).err

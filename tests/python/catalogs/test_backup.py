"""The pointers of a catalog go to a file, and come back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

from floeberg.errors import InvalidDataError, InvalidInputError, NotFoundError

ROWS = pa.table({"id": [1, 2]})


@pytest.fixture
def filled(catalog, kind):
    catalog.create_namespace("a")
    catalog.create_namespace("b.c", {"owner": "jo"} if kind.has_properties else {})
    catalog.create_table("a.t", as_select=ROWS)
    catalog.create_table("b.c.t", as_select=ROWS)
    if kind.views:
        catalog.create_view("a.v", ROWS.schema, sql="SELECT 1", dialect="spark")
    return catalog


def test_names_go_to_another_catalog(filled, kind, tmp_path):
    file = tmp_path / "pointers.json"
    done = filled.export(file)
    assert done.namespaces == (("a",), ("b",), ("b", "c"))
    assert done.tables == (("a", "t"), ("b", "c", "t"))
    assert done.views == ((("a", "v"),) if kind.views else ())
    assert done.failed == ()
    again = filled.restore(file)
    assert (again.tables, again.views, again.namespaces) == ((), (), ())
    assert again.same == (*done.tables, *done.views)
    if not kind.renames:
        return
    (tmp_path / "other").mkdir()
    other = kind.new(tmp_path / "other")
    said = other.restore(file, dry_run=True)
    assert other.list_namespaces() == []
    restored = other.restore(file)
    assert (said.dry_run, restored.dry_run) == (True, False)
    for each in (said, restored):
        assert (each.namespaces, each.tables, each.views) == (done.namespaces, done.tables, done.views)
        assert (each.same, each.newer, each.failed) == ((), (), ())
    assert other.load_table("b.c.t").scan().to_arrow() == ROWS
    if kind.has_properties:
        assert other.load_namespace_properties("b.c")["owner"] == "jo"
    assert list(tmp_path.glob("*.new")) == []


def test_a_table_that_moved_on_stays_unless_it_is_asked_for(filled, kind, tmp_path):
    file = tmp_path / "pointers.json"
    filled.export(file)
    table = filled.load_table("a.t")
    table.append(ROWS)
    done = filled.restore(file)
    assert (done.newer, done.tables) == ((("a", "t"),), ())
    assert filled.load_table("a.t").scan().count() == 4
    if kind.renames:
        assert filled.restore(file, overwrite=True).tables == (("a", "t"),)
        assert filled.load_table("a.t").scan().count() == 2


def test_one_table_that_is_gone_does_not_stop_the_others(filled, kind, tmp_path):
    file = tmp_path / "pointers.json"
    if not kind.renames:
        pytest.skip("tables are where their folders are")
    filled.export(file)
    content = json.loads(file.read_text())
    content["tables"][0]["metadata-location"] += ".gone"
    file.write_text(json.dumps(content))
    (tmp_path / "other").mkdir()
    done = kind.new(tmp_path / "other").restore(file)
    assert done.tables == (("b", "c", "t"),)
    ((identifier, why),) = done.failed
    assert identifier == ("a", "t")
    assert "gone" in why


def test_a_table_whose_metadata_is_gone_is_named_by_an_export(filled, kind, tmp_path):
    if not kind.renames or not (tmp_path / "warehouse").exists():
        pytest.skip("its metadata is not a file")
    location = filled.load_table("a.t").metadata_location
    shutil.rmtree(Path(location.removeprefix("file://")).parent)
    done = filled.export(tmp_path / "pointers.json")
    assert done.tables == (("b", "c", "t"),)
    assert [identifier for identifier, _ in done.failed] == [("a", "t")]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"[" * 100_000,
        b'{"format": "floeberg-catalog", "version": 2, "namespaces": [], "tables": [], "views": []}',
        b'{"format": "floeberg-catalog", "version": 1, "namespaces": [], "tables": [5], "views": []}',
        b'{"format": "floeberg-catalog", "version": 1, "namespaces": [{"namespace": []}], "tables": [], "views": []}',
        b'{"format": "floeberg-catalog", "version": 1, "namespaces": [], "tables": [{"identifier": []}], "views": 1}',
    ],
)
def test_a_file_that_no_export_wrote_is_an_error(catalog, tmp_path, content):
    file = tmp_path / "pointers.json"
    file.write_bytes(content)
    with pytest.raises(InvalidDataError, match="pointers"):
        catalog.restore(file)
    assert catalog.list_namespaces() == []


def test_a_file_that_is_not_there_is_an_error(catalog, tmp_path):
    with pytest.raises(NotFoundError):
        catalog.restore(tmp_path / "none.json")
    with pytest.raises(InvalidInputError, match="overwrite"):
        catalog.restore(tmp_path / "none.json", overwrite=1)

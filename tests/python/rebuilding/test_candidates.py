"""Data files in a folder are described, so that a user can choose the live ones."""

from __future__ import annotations

from pathlib import Path

import pytest

import floeberg as fb
from maintenance.disk import path_of, rows
from maintenance.moved_tables import drop_keys
from rebuilding.lost import only_data

pytestmark = pytest.mark.unchecked_tables("tables are destroyed")


@pytest.fixture
def catalog(tmp_path: Path) -> fb.Catalog:
    made = fb.load_catalog("candidates", type="filesystem", warehouse=str(tmp_path / "lake"))
    made.create_namespace("db")
    return made


def test_files_before_and_after_a_compaction_name_each_other(catalog):
    table = catalog.create_table("db.t", rows().schema, partition_spec=["part"], format_version=3)
    table.append(rows(1, 2))
    table.append(rows(3, 4))
    table.append(rows(9, part="b"))
    before = {each["file_path"] for each in table.inspect.data_files().to_pylist()}
    table.maintenance.rewrite_data_files(options={"rewrite-all": "true"}, where="part = 'a'")
    after = {each["file_path"] for each in table.inspect.data_files().to_pylist()}
    expected = sorted(table.scan(selected_fields=("id", "_row_id")).to_arrow().to_pylist(), key=str)
    only_data(table)
    found = fb.rebuild_candidates(table.location()).to_pylist()
    by_path = {each["file_path"]: each for each in found}
    assert set(map(path_of, by_path)) == {path_of(each) for each in before | after}
    [new] = [by_path[each] for each in by_path if path_of(each) in {path_of(x) for x in after - before}]
    assert (new["record_count"], new["content"], new["partition"]) == (4, "data", "data/part=a")
    assert (new["first_row_id"], new["last_row_id"]) == (0, 3)
    assert "id=1" in new["lower_bounds"] and "id=4" in new["upper_bounds"]
    assert new["columns"].startswith("1: id, 2: part")
    names = {found[number]["record_count"] for number in new["overlaps"]}
    assert names == {2} and len(new["overlaps"]) == 2
    [alone] = [each for each in found if each["partition"] == "data/part=b"]
    assert alone["overlaps"] == [] and alone["error"] is None
    done = fb.rebuild(table.location(), to=f"{table.location()}-new", files=sorted(after))
    assert done.table.format_version == 3
    got = sorted(done.table.scan(selected_fields=("id", "_row_id")).to_arrow().to_pylist(), key=str)
    assert [each for each in got if each["id"] < 9] == [each for each in expected if each["id"] < 9]
    assert len({each["_row_id"] for each in got}) == 5
    assert list(done.table.check("rows")) == []


def test_deletes_and_damaged_files_are_told_apart(catalog):
    table = catalog.create_table("db.t", rows().schema, format_version=2)
    table.append(rows(1, 2, 3))
    table.delete("id = 1", mode="merge-on-read")
    drop_keys(table, 2)
    Path(path_of(table.location()), "data", "broken.parquet").write_bytes(b"PAR1 no")
    Path(path_of(table.location()), "data", "_SUCCESS").write_bytes(b"")
    found = fb.rebuild_candidates(table.location()).to_pylist()
    contents = sorted(each["content"] for each in found)
    assert contents == ["data", "equality deletes", "position deletes", "unknown"]
    [broken] = [each for each in found if each["content"] == "unknown"]
    assert broken["error"] and broken["record_count"] is None
    vectors = catalog.create_table("db.v", rows().schema, format_version=3)
    vectors.append(rows(1, 2, 3))
    vectors.delete("id = 1", mode="merge-on-read")
    kinds = {each["content"] for each in fb.rebuild_candidates(vectors.location()).to_pylist()}
    assert kinds == {"data", "deletion vectors"}

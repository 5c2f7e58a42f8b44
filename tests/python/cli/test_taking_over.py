"""`floeberg snapshot-table`, `migrate-table`, `export` and `verify`."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floeberg as fb


@pytest.fixture
def old(own_home):
    """A folder of files."""
    for day, ids in {"2026-11-27": [1, 2], "2026-11-28": [3]}.items():
        (own_home / "old" / f"day={day}").mkdir(parents=True)
        pq.write_table(pa.table({"id": ids}), own_home / "old" / f"day={day}" / "a.parquet")
    return own_home / "old"


@pytest.mark.unchecked_tables("two tables refer to the files of one source")
def test_a_table_beside(run, lake, old):
    said = run("snapshot-table", old, "lake.sales.visits", "--dry-run", "--json").json
    assert (said["data_files"], said["rows"], said["dry_run"]) == (2, 3, True)
    assert not lake.table_exists("sales.visits")
    done = run("snapshot-table", old, "lake.sales.visits", "--property", "owner=jo", "--json").json
    assert (done["action"], done["source_format"], done["rows"]) == ("referred", "files", 3)
    table = lake.load_table("sales.visits")
    assert (table.count(), table.properties["owner"]) == (3, "jo")
    run("snapshot-table", old, "lake.sales.visits", code=4)
    assert "data files" in run("snapshot-table", old, "./beside").out


def test_a_table_in_place_asks(run, old):
    assert run("migrate-table", old, "--dry-run", "--json").json["rows"] == 3
    run("migrate-table", old, code=11)
    assert not (old / "metadata").exists()
    run("migrate-table", old, "--yes")
    assert fb.open_table(str(old)).count() == 3
    run("migrate-table", old, "--yes", code=4)


def test_a_table_in_place_of_a_catalog(run, lake, old):
    run("migrate-table", old, "lake.sales.visits", "--yes")
    assert lake.load_table("sales.visits").location() == str(old)


@pytest.mark.unchecked_tables("two tables refer to the files of one source")
def test_versions_of_delta(run, own_home):
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake("delta", pa.table({"id": [1]}))
    deltalake.write_deltalake("delta", pa.table({"id": [2]}), mode="append")
    deltalake.DeltaTable("delta").alter.add_constraint({"positive": "id > 0"})
    done = run("snapshot-table", "delta", "./first", "--version", 0, "--json").json
    assert (done["source_version"], done["rows"], done["not_enforced"]) == (0, 1, [])
    ran = run("snapshot-table", own_home / "delta", "./second")
    assert "not enforced by the new table: constraint 'positive'" in ran.err
    run("snapshot-table", "delta", "./third", "--as-of", "9999d", code=3)
    assert not (own_home / "third").exists()


def test_an_export_and_its_checksums(run, table_name, own_home):
    done = run("export", table_name, "out", "--where", "id > 1", "--columns", "id,country", "--json").json
    assert (done["rows"], done["files"]) == (2, ["part-0.parquet"])
    assert pq.read_table("out/part-0.parquet").column_names == ["id", "country"]
    run("export", table_name, "out", code=4)
    run("export", table_name, "by", "--partition-by", "country", "--compression", "none", "--no-checksums")
    assert (own_home / "by" / "country=__HIVE_DEFAULT_PARTITION__").is_dir()
    run("verify", "by", code=3)
    assert run("verify", "out", "--json").json == {"files": 1, "changed": [], "missing": [], "unlisted": []}
    (own_home / "out" / "part-0.parquet").write_bytes(b"other")
    assert run("verify", "out", "--json", code=1).json["changed"] == ["part-0.parquet"]


def test_an_export_of_an_earlier_state(run, table_name):
    first = run("history", table_name, "--json").json[0]
    state = first.get("snapshot_id", first.get("version"))
    assert run("export", table_name, "out", "--snapshot-id", state, "--json").json["rows"] == 2

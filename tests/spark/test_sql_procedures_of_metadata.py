"""CALLs that write manifests and delete files again: rows stay the same."""

from __future__ import annotations

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.errors import InvalidInputError
from lake import rows


@pytest.fixture
def lake(tmp_path):
    catalog = fb.load_catalog("prod", type="sql", uri=f"sqlite:///{tmp_path}/c.db", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    table = catalog.create_table(
        "db.t",
        pa.schema({"id": pa.int64(), "part": pa.string()}),
        partition_spec=["part"],
        properties={"commit.manifest-merge.enabled": "false"},
    )
    for number in range(6):
        table.append(pa.table({"id": [number, number + 10], "part": ["ab"[number % 2]] * 2}))
    for number in (0, 2, 4):
        table.delete(f"id = {number}", mode="merge-on-read")
    changes = pa.table({"id": pa.array([11, 13], pa.int64()), "part": ["b", "b"]})
    changes = changes.append_column("op", pa.array(["delete"] * 2)).append_column("at", pa.array([1, 1]))
    with table.transaction() as transaction:
        transaction.apply_changes(
            changes, keys=["id", "part"], operation="op", order_by="at", mode="equality"
        )
    return catalog


@pytest.fixture
def sql(spark, lake):
    return lambda text: floeberg.spark.sql(spark, text, catalog=lake)


def test_procedures_have_the_columns_of_iceberg(sql, lake):
    before = sorted(lake.load_table("db.t").scan().to_arrow()["id"].to_pylist())
    called = sql("CALL prod.system.convert_equality_deletes(table => 'db.t')")
    assert called.columns == [
        "converted_equality_delete_files_count",
        "added_position_delete_files_count",
    ]
    assert rows(called) == [(1, 2)]
    called = sql(
        "CALL prod.system.rewrite_position_delete_files(table => 'db.t', where => 'part = \"b\"', "
        "options => map('rewrite-all', 'true'))"
    )
    assert called.columns == [
        "rewritten_delete_files_count",
        "added_delete_files_count",
        "rewritten_bytes_count",
        "added_bytes_count",
    ]
    found = called.collect()[0]
    assert (found[0], found[1]) == (2, 2)
    assert found[2] > 0
    assert found[3] > 0
    called = sql("CALL prod.system.rewrite_manifests('db.t')")
    assert called.columns == ["rewritten_manifests_count", "added_manifests_count"]
    assert called.collect()[0].added_manifests_count == 2
    sql("CALL prod.system.rewrite_data_files(table => 'db.t', where => 'part = \"a\"')")
    called = sql("CALL prod.system.remove_dangling_deletes('db.t')")
    assert called.columns == ["removed_delete_files_count"]
    assert sorted(lake.load_table("db.t").scan().to_arrow()["id"].to_pylist()) == before


def test_arguments_that_do_not_fit_are_errors(sql):
    with pytest.raises(InvalidInputError, match="no partition spec 9"):
        sql("CALL prod.system.rewrite_manifests(table => 'db.t', spec_id => 9)")
    with pytest.raises(InvalidInputError, match="is no partition field"):
        sql("CALL prod.system.rewrite_manifests(table => 'db.t', sort_by => array('id'))")
    with pytest.raises(InvalidInputError, match="unknown option"):
        sql("CALL prod.system.convert_equality_deletes(table => 'db.t', options => map('x', '1'))")

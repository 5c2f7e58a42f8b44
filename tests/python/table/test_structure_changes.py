"""Do partition fields, sort orders and locations change as users expect, and files stay as they are?"""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import CommitConflictError, InvalidInputError, UnsupportedError
from floeberg.table.sorting import NullOrder, SortDirection
from floeberg.transforms import BucketTransform, DayTransform

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "name": ["a", "b", None]})


@pytest.fixture
def catalog(tmp_path):
    catalog = fb.load_catalog(
        "c", type="sql", uri=f"sqlite:///{tmp_path}/c.db", warehouse=str(tmp_path / "w")
    )
    catalog.create_namespace("ns")
    return catalog


def fields(table):
    return [(field.field_id, field.name, str(field.transform)) for field in table.spec().fields]


def rows(table):
    return sorted(table.scan().to_arrow().to_pylist(), key=lambda row: row["id"])


@pytest.mark.parametrize("version", [1, 2, 3])
def test_rows_of_all_specs_are_read_and_filtered(catalog, version):
    table = catalog.create_table("ns.t", ROWS.schema, properties={"format-version": str(version)})
    table.append(ROWS)
    with table.update_spec() as update:
        update.add_field("id", BucketTransform(4)).add_identity("name")
    assert fields(table) == [(1000, "id_bucket_4", "bucket[4]"), (1001, "name", "identity")]
    table.append(ROWS)
    with table.update_spec() as update:
        update.remove_field("bucket(4, id)").rename_field("name", "called").add_field(
            "id", "truncate[2]", "tens"
        )
    kept = [(1001, "called", "identity"), (1002, "tens", "truncate[2]")]
    assert fields(table) == ([(1000, "id_bucket_4", "void"), *kept] if version == 1 else kept)
    table.append(ROWS)
    assert rows(table) == sorted(ROWS.to_pylist() * 3, key=lambda row: row["id"])
    assert table.scan(row_filter="name = 'b'").count() == 3
    assert table.scan(row_filter="id = 3").count() == 3
    assert len(table.specs()) == 3
    assert catalog.load_table("ns.t").spec() == table.spec()


def test_a_spec_change_in_a_transaction_is_followed_by_its_appends(catalog):
    table = catalog.create_table("ns.t", ROWS.schema)
    with table.transaction() as transaction:
        with transaction.update_spec() as update:
            update.add_field("name", "identity")
        transaction.append(ROWS)
        with transaction.update_sort_order() as order:
            order.desc("id")
    paths = [task.file.file_path for task in table.scan().plan_files()]
    assert len(paths) == 3
    assert any("/name=a/" in path for path in paths)
    assert table.sort_order().fields[0].direction == SortDirection.DESC
    assert rows(table) == ROWS.to_pylist()


def test_a_change_that_cannot_be_made_leaves_the_transaction_as_it_was(catalog):
    table = catalog.create_table("ns.t", ROWS.schema)
    with table.transaction() as transaction:
        with pytest.raises(InvalidInputError, match="cannot be a source of day"):
            transaction.update_spec().add_field("name", DayTransform()).commit()
        transaction.update_spec().add_identity("name").commit()
        transaction.append(ROWS)
    assert fields(table) == [(1000, "name", "identity")]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda update: update.add_field("gone", "identity"), "gone"),
        (lambda update: update.remove_field("gone"), 'its fields: "name"'),
        (lambda update: update.add_identity("name"), "partitioned in this way already"),
        (lambda update: update.add_field("id", "bucket[0]"), "bucket"),
        (lambda update: update.add_field("id", 3), "transform"),
        (lambda update: update.add_field(3), "source_column_name"),
    ],
)
def test_wrong_changes_of_specs_are_refused(catalog, change, said):
    table = catalog.create_table("ns.t", ROWS.schema, partition_spec=["name"])
    before = table.metadata_location
    with pytest.raises((InvalidInputError, UnsupportedError), match=said):
        change(table.update_spec()).commit()
    assert table.refresh().metadata_location == before


def test_two_writers_add_different_fields(catalog):
    mine = catalog.create_table("ns.t", ROWS.schema)
    theirs = catalog.load_table("ns.t")
    theirs.update_spec().add_identity("name").commit()
    mine.update_spec().add_field("id", "bucket[2]").commit()
    assert [name for _, name, _ in fields(mine)] == ["name", "id_bucket_2"]
    with pytest.raises(
        CommitConflictError, match="another writer changed the columns or the partition fields"
    ):
        theirs.update_spec().add_field("id", "bucket[2]").commit()


def test_sort_orders_are_replaced(catalog):
    table = catalog.create_table("ns.t", ROWS.schema)
    table.update_sort_order().asc("name", null_order=NullOrder.NULLS_LAST).desc("id", "bucket[4]").commit()
    first, second = table.sort_order().fields
    assert (first.null_order, first.direction) == (NullOrder.NULLS_LAST, SortDirection.ASC)
    assert (second.null_order, str(second.transform)) == (NullOrder.NULLS_LAST, "bucket[4]")
    table.append(pa.table({"id": [1, 2, 3], "name": ["b", None, "a"]}))
    assert table.scan().to_arrow()["name"].to_pylist() == ["a", "b", None]
    table.update_sort_order().commit()
    assert table.sort_order().is_unsorted
    with pytest.raises(InvalidInputError, match="nulls-first or nulls-last"):
        table.update_sort_order().asc("id", null_order="last").commit()
    with pytest.raises(InvalidInputError, match="GONE"):
        table.update_sort_order().asc("GONE").commit()
    table.update_sort_order(case_sensitive=False).asc("NAME").commit()
    assert table.sort_order().fields[0].source_id == 2


def test_new_files_go_to_a_new_location(catalog, tmp_path):
    table = catalog.create_table("ns.t", ROWS.schema)
    table.append(ROWS)
    table.update_location(tmp_path / "elsewhere")
    table.append(ROWS)
    assert table.scan().count() == 6
    assert {path.parent.name for path in (tmp_path / "elsewhere").glob("*/*.parquet")} == {"data"}
    assert catalog.load_table("ns.t").location() == table.location()


def test_a_table_in_a_folder_stays_there(tmp_path):
    catalog = fb.load_catalog("f", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", ROWS.schema)
    with pytest.raises(InvalidInputError, match="stays in its folder"):
        table.update_location(tmp_path / "elsewhere")


def test_statistics_files_are_named_and_forgotten(catalog):
    from floeberg.statistics import BlobMetadata, PartitionStatisticsFile, StatisticsFile

    table = catalog.create_table("ns.t", ROWS.schema)
    snapshot = table.append(ROWS).snapshot_id
    blob = BlobMetadata("apache-datasketches-theta-v1", snapshot, 1, (1,), {"ndv": "3"})
    file = StatisticsFile(snapshot, "file:///nowhere.puffin", 40, 20, (blob,))
    counts = PartitionStatisticsFile(snapshot, "file:///nowhere.parquet", 50)
    with table.update_statistics() as update:
        update.set_statistics(file).set_partition_statistics(counts)
    assert table.statistics() == [file]
    assert table.partition_statistics() == [counts]
    assert catalog.load_table("ns.t").statistics() == [file]
    table.update_statistics().remove_statistics(snapshot).remove_partition_statistics(snapshot).commit()
    assert table.statistics() == table.partition_statistics() == []
    with pytest.raises(fb.errors.NotFoundError, match="no snapshot 5"):
        table.update_statistics().set_statistics(StatisticsFile(5, "x", 1, 1, ())).commit()
    for wrong in ("set_statistics", "set_partition_statistics"):
        with pytest.raises(InvalidInputError, match="found dict"):
            getattr(table.update_statistics(), wrong)({})


def test_metadata_is_what_the_specification_says(catalog):
    table = catalog.create_table("ns.t", ROWS.schema)
    table.update_spec().add_field("id", "bucket[4]").commit()
    table.update_sort_order().desc("id").commit()
    written = json.loads(Path(table.metadata_location.removeprefix("file://")).read_text())
    added = {"name": "id_bucket_4", "transform": "bucket[4]", "source-id": 1, "field-id": 1000}
    assert written["partition-specs"][1] == {"spec-id": 1, "fields": [added]}
    assert (written["default-spec-id"], written["last-partition-id"]) == (1, 1000)
    sorted_by = {"transform": "identity", "source-id": 1, "direction": "desc", "null-order": "nulls-last"}
    assert written["sort-orders"][1] == {"order-id": 1, "fields": [sorted_by]}
    assert written["default-sort-order-id"] == 1


def test_files_are_not_added_to_a_spec_of_another_writer(catalog):
    mine = catalog.create_table("ns.t", ROWS.schema)
    transaction = mine.transaction()
    transaction.update_spec().add_field("id", "bucket[2]").commit()
    transaction.append(ROWS)
    catalog.load_table("ns.t").update_spec().add_identity("name").commit()
    with pytest.raises(CommitConflictError, match="partition spec 1 was changed"):
        transaction.commit_transaction()
    assert mine.refresh().scan().count() == 0


def test_names_are_those_that_the_writer_saw(catalog):
    schema = pa.schema({"id": pa.int64(), "x": pa.int64(), "y": pa.int64()})

    def swapped():
        name = f"ns.{uuid.uuid4().hex}"
        mine = catalog.create_table(name, schema, partition_spec=["id as f", "bucket(2, y) as g"])
        theirs = catalog.load_table(name)
        theirs.update_schema().rename_column("x", "z").commit()
        theirs.update_schema().rename_column("y", "x").commit()
        theirs.update_spec().rename_field("f", "g").rename_field("g", "f").commit()
        return mine

    for change in (
        lambda table: table.update_spec().add_field("x", "bucket[4]"),
        lambda table: table.update_sort_order().asc("x"),
        lambda table: table.update_spec().remove_field("f"),
        lambda table: table.update_spec().rename_field("g", "h"),
    ):
        with pytest.raises(CommitConflictError, match="another (field|column) now"):
            change(swapped()).commit()


def test_names_of_fields_may_be_swapped(catalog):
    table = catalog.create_table("ns.t", ROWS.schema, partition_spec=["id as f", "name as g"])
    with table.update_spec() as update:
        update.rename_field("f", "h").rename_field("g", "f")
    assert [name for _, name, _ in fields(table)] == ["h", "f"]


def test_a_staged_overwrite_of_partitions_is_of_the_spec_that_there_is(catalog):
    table = catalog.create_table("ns.t", ROWS.schema, partition_spec=["name"])
    table.append(ROWS)
    with table.transaction(stage_only=True) as staged:
        staged.dynamic_partition_overwrite(pa.table({"id": [9], "name": ["a"]}))
    table.update_spec().add_field("id", "bucket[2]").commit()
    table.append(pa.table({"id": [7], "name": ["a"]}))
    with pytest.raises(CommitConflictError, match="partition spec was changed"):
        table.manage_snapshots().cherrypick(staged.result.snapshot_id).commit()

"""Partition and sort fields of several columns: declared, kept, and never computed."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floeberg as fb
from floeberg import errors
from floeberg.partitioning import PartitionField, PartitionSpec
from floeberg.table.sorting import SortField, SortOrder

ROWS = pa.table({"id": pa.array([1, 2], pa.int32()), "cat": ["a", "b"]})
BOTH = ("zOrder[4]", [1, 2])


@pytest.fixture
def catalog(tmp_path):
    catalog = fb.load_catalog("several", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    return catalog


def by_another_writer(catalog):
    """A table that another writer partitions and sorts by a transform of two columns."""
    table = catalog.create_table("ns.t", as_select=ROWS, format_version=3)
    path = Path(table.metadata_location)
    metadata = json.loads(path.read_text())
    several = {"transform": BOTH[0], "source-ids": BOTH[1]}
    metadata["partition-specs"].append(
        {"spec-id": 1, "fields": [{"name": "both", "field-id": 1000, **several}]}
    )
    metadata["sort-orders"].append(
        {"order-id": 1, "fields": [{"direction": "asc", "null-order": "nulls-first", **several}]}
    )
    metadata |= {"default-spec-id": 1, "last-partition-id": 1000, "default-sort-order-id": 1}
    path.with_name("v2.metadata.json").write_text(json.dumps(metadata))
    return table.refresh()


def by_changes(catalog):
    """One that is changed to be so."""
    table = catalog.create_table("ns.t", as_select=ROWS, format_version=3)
    with table.update_spec() as update:
        update.add_field(["id", "cat"], "zOrder[4]", "both")
    with table.update_sort_order() as order:
        order.asc(("id", "cat"), "zOrder[4]")
    return table


def by_a_replacement(catalog):
    """One that is made so from the beginning, in the place of another."""
    catalog.create_table("ns.t", ROWS.schema, partition_spec=["cat"])
    catalog.replace_table(
        "ns.t",
        ROWS.schema,
        partition_spec=PartitionSpec(PartitionField((1, 2), 1000, "zOrder[4]", "both")),
        sort_order=SortOrder(SortField((1, 2), "zOrder[4]")),
        format_version=3,
    )
    # Its rows are of the first spec.
    table = catalog.load_table("ns.t")
    with table.transaction() as transaction:
        transaction.update_spec().remove_field("both").commit()
        transaction.append(ROWS)
        transaction.update_spec().add_field(["id", "cat"], "zOrder[4]", "both").commit()
    return table


@pytest.fixture(params=[by_another_writer, by_changes, by_a_replacement])
def of_several(request, catalog):
    return request.param(catalog)


def written(table):
    metadata = json.loads(Path(table.metadata_location).read_text())
    specs = {each["spec-id"]: each["fields"] for each in metadata["partition-specs"]}
    orders = {each["order-id"]: each["fields"] for each in metadata["sort-orders"]}
    fields = specs[metadata["default-spec-id"]] + orders[metadata["default-sort-order-id"]]
    assert not any("source-id" in field for field in fields)
    return [(field["transform"], field["source-ids"]) for field in fields]


def test_a_transform_of_several_columns_is_shown_and_kept(of_several):
    table = of_several
    (field,) = table.spec().fields
    assert str(field) == f"{field.field_id}: both: zOrder[4](1, 2)"
    assert eval(repr(field)) == field
    assert eval(repr(table.sort_order())) == table.sort_order()
    assert str(table.sort_order().fields[0]) == "zOrder[4](1, 2) ASC NULLS FIRST"
    assert "partition by: [zOrder[4](id, cat)]" in str(table)
    assert "sort order: [zOrder[4](id, cat) ASC NULLS FIRST]" in str(table)
    assert written(table) == [BOTH] * 2
    table.set_properties(owner="jo")
    with table.update_schema() as update:
        update.add_column("note", "string").rename_column("cat", "kind")
    table.manage_snapshots().create_branch(None, "other").commit()
    assert written(table) == [BOTH] * 2
    # Old files are of another spec, and none can be of this one: all rows are found.
    for text in ("kind = 'a'", "id = 1 AND kind = 'a'"):
        assert table.scan(text).count() == 1
    assert table.delete("id = 1", mode="merge-on-read").deleted_rows == 1
    assert table.scan().to_arrow()["kind"].to_pylist() == ["b"]
    assert written(table) == [BOTH] * 2


def test_the_metadata_tables_have_its_partition_without_values(of_several):
    inspect = of_several.inspect
    for found in (inspect.files(), inspect.partitions(), inspect.entries(), inspect.all_files()):
        assert found.num_rows == 1
    assert inspect.files()["partition"].type.get_field_index("both") >= 0
    assert [each["both"] for each in inspect.partitions()["partition"].to_pylist()] == [None]


def test_its_columns_stay_as_they_are(of_several):
    with pytest.raises(errors.InvalidInputError, match='"both"'):
        of_several.update_schema().delete_column("cat").commit()
    # Its value of a long may be another one: the specification allows no promotion then.
    with pytest.raises(errors.InvalidInputError, match='"both" of spec . depends on it, and its values may'):
        of_several.update_schema().update_column("id", "long").commit()


def test_its_values_are_not_computed(of_several, tmp_path):
    pq.write_table(ROWS, tmp_path / "more.parquet")
    before = of_several.metadata_location
    for write in (
        lambda: of_several.append(ROWS),
        lambda: of_several.overwrite(ROWS),
        lambda: of_several.dynamic_partition_overwrite(ROWS),
        lambda: of_several.upsert(ROWS, join_cols=["id"]),
        lambda: of_several.update({"cat": "x"}, mode="copy-on-write"),
        lambda: of_several.update({"cat": "x"}, mode="merge-on-read"),
        lambda: of_several.add_files(tmp_path / "more.parquet"),
    ):
        with pytest.raises(errors.UnsupportedError):
            write()
    assert of_several.refresh().metadata_location == before
    assert of_several.scan().count() == 2


def test_rows_are_written_again_once_the_field_is_gone(of_several):
    (field,) = of_several.spec().fields
    with of_several.update_spec() as update:
        update.rename_field("both", "curve")
    assert [each.name for each in of_several.spec().fields] == ["curve"]
    with of_several.transaction() as transaction:
        transaction.update_spec().remove_field("curve").add_identity("cat").commit()
        transaction.append(ROWS)
    # An order that cannot be made is not kept: rows stay as they come, and their files say so.
    assert set(of_several.inspect.files()["sort_order_id"].to_pylist()) <= {0, None}
    assert of_several.scan("cat = 'a'").count() == 2
    with of_several.update_spec() as update:
        update.remove_field("cat").add_field(["id", "cat"], "zOrder[4]", "curve")
    (again,) = of_several.spec().fields
    assert again.field_id == field.field_id
    assert of_several.scan().count() == 4


@pytest.mark.parametrize("version", [1, 2])
def test_before_version_3_there_is_none(version, catalog):
    made = {"format_version": version}
    table = catalog.create_table("ns.t", as_select=ROWS, **made)
    spec = PartitionSpec(PartitionField((1, 2), 1000, "zorder[4]", "both"))
    order = SortOrder(SortField((1, 2), "zorder[4]"))
    for change in (
        lambda: table.update_spec().add_field(["id", "cat"], "zorder").commit(),
        lambda: table.update_sort_order().desc(["id", "cat"], "zorder").commit(),
        lambda: catalog.create_table("ns.other", ROWS.schema, partition_spec=spec, **made),
        lambda: catalog.create_table("ns.other", ROWS.schema, sort_order=order, **made),
    ):
        with pytest.raises(errors.InvalidInputError, match="needs format version 3"):
            change()
    assert catalog.list_tables("ns") == [("ns", "t")]
    with table.transaction() as transaction:
        transaction.upgrade_table_version(3)
        transaction.update_spec().add_field(["id", "cat"], "zorder").commit()
    assert [each.name for each in table.spec().fields] == ["id_cat_zorder"]
    assert table.scan("id = 1").count() == 1


def test_a_field_of_several_columns_that_cannot_be_is_refused(catalog):
    table = catalog.create_table("ns.t", ROWS.schema, format_version=3)
    for columns, transform, said in (
        (["id", "cat"], "bucket[4]", r"bucket\[4\] takes one column, found 2"),
        (("place", "id"), "identity", 'no column is named "place"'),
        (["id", "id"], "zorder", 'names the column "id" twice'),
        ([], "zorder", "expected one column"),
        (["id", 7], "zorder", "expected a str"),
        (["id", "cat"], "z order", "expected a transform as zorder"),
        (7, "zorder", "expected a str"),
    ):
        with pytest.raises(errors.InvalidInputError, match=said):
            table.update_spec().add_field(columns, transform).commit()
    # One column in a list is that column.
    table.update_spec().add_field(["id"], "bucket[4]").commit()
    assert str(table.spec().fields[0]) == "1000: id_bucket_4: bucket[4](1)"
    with pytest.raises(errors.UnsupportedError, match="zorder"):
        table.update_spec().add_field("cat", "zorder").commit()


def test_a_concurrent_rename_of_one_of_its_columns_is_a_conflict(catalog):
    table = catalog.create_table("ns.t", as_select=ROWS, format_version=3)
    late = table.transaction()
    late.update_spec().add_field(["id", "cat"], "zorder").commit()
    other = catalog.load_table("ns.t")
    other.update_schema().rename_column("cat", "kind").commit()
    other.update_schema().add_column("cat", "string").commit()
    with pytest.raises(errors.CommitConflictError, match='"cat" means another column now'):
        late.commit_transaction()
    assert table.refresh().spec().is_unpartitioned()

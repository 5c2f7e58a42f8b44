"""What scripts for PyIceberg do to tables: to create them, and to change columns, layouts and snapshots.

Each runs in a catalog of its own, and leaves what it found in `result`. `PRELUDE` comes before each, and what its area
needs.
"""

from __future__ import annotations

PRELUDE = """
import pyarrow as pa
from pyiceberg.catalog import load_catalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.sorting import NullOrder, SortDirection, SortField, SortOrder
from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform, MonthTransform, TruncateTransform
from pyiceberg.types import (
    DateType, DoubleType, FloatType, IntegerType, ListType, LongType, MapType, NestedField, StringType, StructType,
    TimestampType,
)

catalog = load_catalog("docs", type="sql", uri=uri, warehouse=warehouse)
catalog.create_namespace("docs")


def columns(table):
    return [str(field) for field in table.schema().fields]


def partitions(table):
    return [(field.field_id, field.name, str(field.transform), field.source_id) for field in table.spec().fields]


def sorting(table):
    return [
        (field.source_id, str(field.transform), field.direction.value, field.null_order.value)
        for field in table.sort_order().fields
    ]
"""
BIDS = """
table = catalog.create_table(
    "docs.bids",
    Schema(
        NestedField(1, "id", LongType(), required=True),
        NestedField(2, "symbol", StringType(), required=True),
        NestedField(3, "bid", FloatType(), required=False),
        NestedField(4, "event_ts", TimestampType(), required=False),
        NestedField(
            5, "details", StructType(NestedField(6, "created_by", StringType(), required=False)), required=False
        ),
    ),
)
"""
VISITS = """
from pyiceberg.table.refs import SnapshotRefType
rows = pa.table({"id": pa.array([1, 2], pa.int64()), "city": ["Oslo", "Riga"]})
table = catalog.create_table("docs.visits", rows.schema)
table.append(rows)
first = table.current_snapshot().snapshot_id
table.append(rows)
second = table.current_snapshot().snapshot_id
table.append(rows)
third = table.current_snapshot().snapshot_id
names = {first: "first", second: "second", third: "third", None: None}


def refs(table):
    kinds = {SnapshotRefType.BRANCH: "branch", SnapshotRefType.TAG: "tag"}
    return sorted((name, names[ref.snapshot_id], kinds[ref.snapshot_ref_type]) for name, ref in table.refs().items())


def count(table, **more):
    return table.scan(**more).to_arrow().num_rows
"""
STATISTICS = """
from pyiceberg.table.statistics import BlobMetadata, StatisticsFile


def statistics_of(snapshot_id, name):
    return StatisticsFile(
        snapshot_id=snapshot_id,
        statistics_path=f"{table.location()}/metadata/{name}.puffin",
        file_size_in_bytes=413,
        file_footer_size_in_bytes=42,
        blob_metadata=[
            BlobMetadata(
                type="apache-datasketches-theta-v1", snapshot_id=snapshot_id, sequence_number=1, fields=[1],
                properties={"ndv": "2"},
            )
        ],
    )


def known(table):
    return sorted((names[each.snapshot_id], each.statistics_path[-8:]) for each in table.metadata.statistics)
"""

CREATING = {
    "from a pyarrow schema": """
table = catalog.create_table(
    identifier="docs.bids",
    schema=pa.schema([
        pa.field("foo", pa.string(), nullable=True),
        pa.field("bar", pa.int32(), nullable=False),
        pa.field("baz", pa.bool_(), nullable=True),
    ]),
)
result = columns(table)
""",
    "from a schema": """
table = catalog.create_table(
    "docs.bids",
    Schema(
        NestedField(field_id=10, name="at", field_type=TimestampType(), required=True),
        NestedField(field_id=20, name="tags", field_type=ListType(21, StringType(), False), required=False),
        NestedField(field_id=30, name="seen", field_type=MapType(31, StringType(), 32, LongType()), required=False),
        identifier_field_ids=[],
    ),
)
result = columns(table)
""",
    "with a spec and an order": """
table = catalog.create_table(
    identifier="docs.bids",
    schema=Schema(
        NestedField(1, "datetime", TimestampType(), required=True),
        NestedField(2, "symbol", StringType(), required=True),
    ),
    partition_spec=PartitionSpec(PartitionField(source_id=1, field_id=1000, transform="day", name="datetime_day")),
    sort_order=SortOrder(SortField(source_id=2, transform="identity")),
)
result = (partitions(table), sorting(table))
""",
    "with transforms of classes": """
table = catalog.create_table(
    "docs.bids",
    Schema(NestedField(1, "id", LongType()), NestedField(2, "name", StringType())),
    partition_spec=PartitionSpec(
        PartitionField(1, 1000, BucketTransform(16), "shard"), PartitionField(2, 1001, TruncateTransform(4), "start")
    ),
    sort_order=SortOrder(
        SortField(2, IdentityTransform(), SortDirection.DESC, NullOrder.NULLS_FIRST), SortField(1, BucketTransform(4))
    ),
)
result = (partitions(table), sorting(table))
""",
    "with properties": """
table = catalog.create_table(
    "docs.bids",
    Schema(NestedField(1, "id", LongType())),
    properties={"owner": "jo", "write.metadata.compression-codec": "gzip"},
)
result = table.properties["owner"]
""",
    "with a location": """
table = catalog.create_table("docs.bids", Schema(NestedField(1, "id", LongType())), location=f"{warehouse}/elsewhere")
table.append(pa.table({"id": pa.array([1], pa.int64())}))
result = (table.location().endswith("/elsewhere"), len(table.inspect.files()))
""",
    "if it does not exist": """
schema = Schema(NestedField(1, "id", LongType()))
one = catalog.create_table_if_not_exists("docs.bids", schema)
other = catalog.create_table_if_not_exists("docs.bids", Schema(NestedField(1, "other", LongType())))
result = (columns(other), catalog.table_exists("docs.bids"), catalog.list_tables("docs"))
""",
    "in a transaction": """
schema = Schema(NestedField(1, "symbol", StringType()), NestedField(2, "at", TimestampType()))
with catalog.create_table_transaction(identifier="docs.bids", schema=schema) as txn:
    with txn.update_schema() as update_schema:
        update_schema.add_column(path="new_column", field_type=StringType())
    with txn.update_spec() as update_spec:
        update_spec.add_identity("symbol")
    txn.set_properties(test_a="test_aa", test_b="test_b")
table = catalog.load_table("docs.bids")
result = (columns(table), partitions(table), table.properties["test_a"], table.properties["test_b"])
""",
    "registered": """
made = catalog.create_table("docs.bids", Schema(NestedField(1, "id", LongType())))
made.append(pa.table({"id": pa.array([1, 2], pa.int64())}))
table = catalog.register_table(identifier="docs.copy", metadata_location=made.metadata_location)
result = (table.scan().to_arrow().num_rows, sorted(catalog.list_tables("docs")))
""",
    "static": """
from pyiceberg.table import StaticTable
made = catalog.create_table("docs.bids", Schema(NestedField(1, "id", LongType())))
made.append(pa.table({"id": pa.array([1, 2], pa.int64())}))
static_table = StaticTable.from_metadata(made.metadata_location)
result = (static_table.scan().to_arrow().num_rows, columns(static_table))
""",
    "that exists": """
from pyiceberg.exceptions import NoSuchNamespaceError, TableAlreadyExistsError
schema = Schema(NestedField(1, "id", LongType()))
catalog.create_table("docs.bids", schema)
result = []
for identifier in ("docs.bids", "none.bids"):
    try:
        catalog.create_table(identifier, schema)
    except (NoSuchNamespaceError, TableAlreadyExistsError) as error:
        result.append(type(error).__name__)
""",
}

SCHEMAS = {
    "a column": """
with table.update_schema() as update:
    update.add_column("some_field", IntegerType(), "doc")
result = columns(table)
""",
    "in a transaction": """
with table.transaction() as transaction:
    with transaction.update_schema() as update_schema:
        update_schema.add_column("some_other_field", IntegerType(), "doc")
    transaction.set_properties(changed="yes")
result = (columns(table), table.properties["changed"])
""",
    "a union by name": """
new_schema = Schema(
    NestedField(1, "id", LongType(), required=False),
    NestedField(2, "bid", DoubleType(), required=False),
    NestedField(10, "population", LongType(), required=False),
)
with table.update_schema() as update:
    update.union_by_name(new_schema)
result = columns(table)
""",
    "a union with an arrow schema": """
with table.update_schema() as update:
    update.union_by_name(pa.schema({"symbol": pa.string(), "note": pa.string(), "score": pa.float64()}))
result = columns(table)
""",
    "a struct and a field in it": """
with table.update_schema() as update:
    update.add_column("retries", IntegerType(), "Number of retries to place the bid")
    update.add_column("place", StructType(NestedField(1, "x", LongType())))
with table.update_schema() as update:
    update.add_column(("details", "confirmed_by"), StringType(), "Name of the exchange")
result = columns(table)
""",
    "other names": """
with table.update_schema() as update:
    update.rename_column("bid", "offer")
    update.rename_column(("details", "created_by"), "processed_by")
result = columns(table)
""",
    "another order": """
with table.update_schema() as update:
    update.add_column(("details", "exchange"), StringType())
with table.update_schema() as update:
    update.move_first("symbol")
    update.move_after("bid", "event_ts")
    update.move_before(("details", "exchange"), ("details", "created_by"))
result = columns(table)
""",
    "another type, doc and optional": """
with table.update_schema() as update:
    update.update_column("bid", field_type=DoubleType())
    update.update_column("symbol", required=False)
    update.update_column("symbol", doc="Name of the share on the exchange")
result = columns(table)
""",
    "a required column": """
with table.update_schema(allow_incompatible_changes=True) as update:
    update.update_column("bid", required=True)
result = columns(table)
""",
    "fewer columns": """
with table.update_schema(allow_incompatible_changes=True) as update:
    update.add_column(("details", "other"), StringType())
with table.update_schema(allow_incompatible_changes=True) as update:
    update.delete_column("bid")
    update.delete_column(("details", "created_by"))
result = columns(table)
""",
    "identifier fields": """
with table.update_schema() as update:
    update.set_identifier_fields("id", "symbol")
result = sorted(table.schema().identifier_field_names())
""",
    "what is refused": """
result = []
for change in (
    lambda update: update.add_column("bid", StringType()),
    lambda update: update.rename_column("none", "some"),
    lambda update: update.update_column("bid", required=True),
):
    try:
        with table.update_schema() as update:
            change(update)
    except ValueError:
        result.append("refused")
""",
}

LAYOUTS = {
    "fields": """
with table.update_spec() as update:
    update.add_field("id", BucketTransform(16), "bucketed_id")
    update.add_field("event_ts", DayTransform(), "day_ts")
    update.add_identity("symbol")
result = partitions(table)
""",
    "fields in a transaction": """
with table.transaction() as transaction:
    with transaction.update_spec() as update_spec:
        update_spec.add_field("id", BucketTransform(16), "bucketed_id")
        update_spec.add_field("event_ts", MonthTransform(), "month_ts")
    transaction.set_properties(changed="yes")
result = (partitions(table), table.properties["changed"])
""",
    "fields without names": """
with table.update_spec() as update:
    update.add_field("id", BucketTransform(16))
    update.add_field("event_ts", DayTransform())
    update.add_field("symbol", TruncateTransform(4))
result = partitions(table)
""",
    "fewer fields": """
with table.update_spec() as update:
    update.add_field("id", BucketTransform(16), "bucketed_id")
    update.add_identity("symbol")
with table.update_spec() as update:
    update.remove_field("bucketed_id")
result = (partitions(table), sorted(table.specs()))
""",
    "other names": """
with table.update_spec() as update:
    update.add_field("id", BucketTransform(16), "bucketed_id")
with table.update_spec() as update:
    update.rename_field("bucketed_id", "sharded_id")
result = partitions(table)
""",
    "an order": """
with table.update_sort_order() as update:
    update.desc("event_ts", DayTransform(), NullOrder.NULLS_FIRST)
    update.asc("symbol", IdentityTransform(), NullOrder.NULLS_LAST)
result = sorting(table)
""",
    "an order in a transaction": """
with table.transaction() as transaction:
    with transaction.update_sort_order() as update:
        update.asc("symbol", IdentityTransform(), NullOrder.NULLS_LAST)
result = (sorting(table), sorted(table.sort_orders()))
""",
    "types of partitions": """
with table.update_spec() as update:
    update.add_field("event_ts", DayTransform(), "day_ts")
    update.add_field("id", BucketTransform(16), "bucketed_id")
result = str(table.spec().partition_type(table.schema()))
""",
}

SNAPSHOTS = {
    "a tag": """
table.manage_snapshots().create_tag(snapshot_id=first, tag_name="v1.0.0").commit()
result = refs(table)
""",
    "a tag with an age": """
table.manage_snapshots().create_tag(snapshot_id=first, tag_name="v1.0.0", max_ref_age_ms=604800000).commit()
result = (refs(table), table.refs()["v1.0.0"].max_ref_age_ms)
""",
    "several tags": """
table.manage_snapshots().create_tag(first, "tag123").create_tag(second, "tag456").commit()
result = refs(table)
""",
    "a block": """
with table.manage_snapshots() as ms:
    ms.create_branch(first, "Branch_A").create_tag(second, "tag789")
result = refs(table)
""",
    "no tag": """
table.manage_snapshots().create_tag(first, "v1.0.0").commit()
table.manage_snapshots().remove_tag("v1.0.0").commit()
result = refs(table)
""",
    "a branch": """
table.manage_snapshots().create_branch(snapshot_id=first, branch_name="dev").commit()
result = refs(table)
""",
    "a branch with retention": """
table.manage_snapshots().create_branch(
    snapshot_id=first,
    branch_name="dev",
    max_ref_age_ms=604800000,
    max_snapshot_age_ms=259200000,
    min_snapshots_to_keep=10,
).commit()
ref = table.refs()["dev"]
result = (refs(table), ref.max_ref_age_ms, ref.max_snapshot_age_ms, ref.min_snapshots_to_keep)
""",
    "no branch": """
table.manage_snapshots().create_branch(first, "dev").commit()
table.manage_snapshots().remove_branch("dev").commit()
result = refs(table)
""",
    "rows of a branch": """
table.manage_snapshots().create_branch(first, "dev").commit()
table.append(rows, branch="dev")
result = (count(table), table.scan().use_ref("dev").to_arrow().num_rows)
""",
    "a tag that is read": """
table.manage_snapshots().create_tag(first, "v1").commit()
result = table.scan().use_ref("v1").to_arrow().num_rows
""",
    "rolled back to a snapshot": """
table.manage_snapshots().rollback_to_snapshot(first).commit()
result = (count(table), names[table.current_snapshot().snapshot_id])
""",
    "rolled back to a time": """
table.manage_snapshots().rollback_to_timestamp(table.snapshot_by_id(third).timestamp_ms + 1).commit()
result = count(table)
""",
    "another current snapshot": """
table.manage_snapshots().set_current_snapshot(snapshot_id=first).commit()
result = (count(table), refs(table))
""",
    "the snapshot of a tag": """
table.manage_snapshots().create_tag(second, "good").commit()
table.manage_snapshots().set_current_snapshot(ref_name="good").commit()
result = (count(table), refs(table))
""",
    "properties of an append": """
table.append(rows, snapshot_properties={"abc": "def"})
result = table.metadata.snapshots[-1].summary["abc"]
""",
    "properties of an overwrite": """
table.overwrite(rows, snapshot_properties={"abc": "def"})
result = (table.current_snapshot().summary["abc"], count(table))
""",
    "the operation": """
from pyiceberg.table.snapshots import Operation
snapshot = table.current_snapshot()
result = (snapshot.summary.operation == Operation.APPEND, snapshot.summary["added-records"])
""",
    "by name": """
table.manage_snapshots().create_tag(first, "v1").commit()
result = [names[table.snapshot_by_name(name).snapshot_id] for name in ("main", "v1")]
result.append(table.snapshot_by_name("none"))
""",
    "by time": """
last = table.snapshot_as_of_timestamp(table.current_snapshot().timestamp_ms)
result = (names[last.snapshot_id], table.snapshot_as_of_timestamp(0))
""",
    "history": """
result = [names[entry.snapshot_id] for entry in table.history()]
""",
    "parents": """
result = [names[snapshot.parent_snapshot_id] for snapshot in table.snapshots()]
""",
    "an older snapshot": """
result = [count(table, snapshot_id=each) for each in (first, second, third)]
""",
    "statistics": """
table.update_statistics().set_statistics(statistics_file=statistics_of(first, "a")).commit()
result = known(table)
""",
    "statistics in a block": """
with table.update_statistics() as update:
    update.set_statistics(statistics_of(first, "a"))
    update.set_statistics(statistics_of(second, "b"))
with table.update_statistics() as update:
    update.remove_statistics(first)
result = known(table)
""",
    "expired by id": """
table.maintenance.expire_snapshots().by_id(first).commit()
result = [names[each.snapshot_id] for each in table.snapshots()]
""",
    "expired by age": """
from datetime import datetime, timedelta
table.maintenance.expire_snapshots().older_than(datetime.now() + timedelta(days=3)).commit()
result = [names[each.snapshot_id] for each in table.snapshots()]
""",
}

SNIPPETS = {
    f"{area}: {name}": PRELUDE + needs + code
    for area, needs, snippets in (
        ("creating", "", CREATING),
        ("schema evolution", BIDS, SCHEMAS),
        ("partitions and orders", BIDS, LAYOUTS),
        ("snapshots", VISITS + STATISTICS, SNAPSHOTS),
    )
    for name, code in snippets.items()
}

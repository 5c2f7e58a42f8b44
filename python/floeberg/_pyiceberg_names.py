"""What do names of PyIceberg and other libraries that are missing here say?

They raise an `AttributeError`, so that `hasattr` is false, and the error says what to write instead.
`floeberg.migrate` finds them in scripts, with what is imported by another name here, and what means something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.errors import MissingAttributeError

__all__ = [
    "ARGUMENTS",
    "IMPORTED",
    "MEANING",
    "PROPERTIES",
    "UNMISTAKABLE",
    "SpelledLikePyIceberg",
    "spelled",
]

_PLANNED = "it is planned, and not supported yet"
_OF_TABLES = {
    "insert": "table.append(rows)",
    "insert_into": "table.append(rows)",
    "write": "table.append(rows) or table.overwrite(rows)",
    "read": "table.scan(...).to_arrow()",
    "select": "table.scan(selected_fields=(...))",
    "filter": "table.scan(row_filter=...)",
    "where": "table.scan(row_filter=...)",
    "limit": "table.scan(limit=...)",
    "take_rows": "table.head(n)",
    "show": "print(table.head())",
    "tail": "table.scan(...).to_arrow(), whose order is that of the plan",
    "collect": "table.to_arrow()",
    "columns": "table.schema()",
    "dtypes": "table.schema()",
    "truncate": "table.delete(delete_all=True)",
    "merge_insert": "table.upsert(rows, join_cols=[...]) or table.merge(rows, on=[...])",
    "count_rows": "table.count()",
    "num_rows": "table.count()",
    "to_table": "table.scan(...).to_arrow()",
    "to_pyarrow_table": "table.to_arrow()",
    "to_pyarrow_dataset": "table.scan(...).to_arrow_batch_reader()",
    "to_batches": "table.scan(...).to_arrow_batch_reader()",
    "to_list": "table.to_arrow().to_pylist()",
    "lazy": "table.to_polars_lazy()",
    "drop": "catalog.drop_table(name)",
    "alter": "table.update_schema()",
}
"""Names of Polars, PySpark, DuckDB, delta-rs and pylance."""

_SAID: dict[str, dict[str, str]] = {
    "Table": {
        **_OF_TABLES,
        "compact": "table.maintenance.rewrite_data_files(...)",
        "optimize": "table.maintenance.rewrite_data_files(...)",
        "vacuum": "table.maintenance.expire_snapshots(...) and remove_orphan_files(...)",
        "rewrite_data_files": "table.maintenance.rewrite_data_files(...)",
        "rewrite_manifests": _PLANNED,
        "rewrite_position_delete_files": _PLANNED,
        "expire_snapshots": "table.maintenance.expire_snapshots(...)",
        "remove_orphan_files": "table.maintenance.remove_orphan_files(...)",
        "rollback": "table.manage_snapshots().rollback_to_snapshot(...).commit()",
        "restore": "table.manage_snapshots().set_current_snapshot(...).commit()",
        "create_branch": "table.manage_snapshots().create_branch(...).commit()",
        "create_tag": "table.manage_snapshots().create_tag(...).commit()",
        "set_properties": "with table.transaction() as transaction: transaction.set_properties(...)",
        "add_column": "with table.update_schema() as update: update.add_column(...)",
        "rename": "catalog.rename_table(...)",
        "branches": "table.refs()",
        "tags": "table.refs()",
        "io": "the table reads and writes files itself: give storage_options to open_table or the catalog",
        "identifier": "table.name()",
        "to_daft": "pass table.scan(...) to any reader of Arrow streams",
        "to_bodo": "pass table.scan(...) to any reader of Arrow streams",
        "name_mapping": 'table.properties["schema.name-mapping.default"]',
        "location_provider": 'set the property "write.data.path"',
        "last_sequence_number": "table.current_snapshot().sequence_number",
        "last_partition_id": "max(spec.last_assigned_field_id for spec in table.specs().values())",
    },
    "LanceTable": {
        **_OF_TABLES,
        "compact": "table.maintenance.compact()",
        "optimize": "table.maintenance.compact()",
        "vacuum": "table.maintenance.cleanup()",
        "cleanup_old_versions": "table.maintenance.cleanup()",
        "compact_files": "table.maintenance.compact()",
        "rewrite_data_files": "table.maintenance.compact()",
        "expire_snapshots": "table.maintenance.cleanup()",
        "create_index": "indices are written by pylance",
        "to_lance": "lance.dataset(table.location)",
        "checkout": "fb.open_table(table.location, version=...)",
        "checkout_version": "fb.open_table(table.location, version=...)",
        "snapshots": "table.versions()",
        "history": "table.versions()",
        "current_snapshot": "table.version",
        "transaction": "each method of a Lance table is a version of its own",
        "update_schema": "add_columns, drop_columns, alter_columns",
    },
    "Scan": {
        "where": "scan.filter(...)",
        "limit": "table.scan(limit=...)",
        "collect": "scan.to_arrow()",
        "head": "table.scan(..., limit=n).to_arrow()",
        "show": "print(scan.to_arrow())",
        "to_batches": "scan.to_arrow_batch_reader()",
        "to_table": "scan.to_arrow()",
        "to_list": "scan.to_arrow().to_pylist()",
        "lazy": "scan.to_polars_lazy()",
        "to_ray": "pass the scan to any reader of Arrow streams",
        "update": "scan.filter(...), scan.select(...), or another table.scan(...)",
        "use_snapshot": "table.scan(..., snapshot_id=...)",
        "partition_filters": "scan.explain() shows what partitions dropped",
        "from_snapshot_id_exclusive": "table.incremental_append_scan(from_snapshot_id_exclusive=...)",
        "to_snapshot_id_inclusive": "table.incremental_append_scan(to_snapshot_id_inclusive=...)",
        "from_snapshot_id_inclusive": "table.incremental_append_scan(from_snapshot_id_exclusive=<its parent>)",
    },
    "Transaction": {
        "update_snapshot": "use append, add_files, overwrite and delete of the transaction",
        "table_metadata": "table.schema(), table.spec() and others show the table before the commit",
    },
    "CommitResult": {
        "properties": "the table object has the commit: table.properties",
        "schema": "the table object has the commit: table.schema()",
        "spec": "the table object has the commit: table.spec()",
        "scan": "the table object has the commit: table.scan(...)",
        "append": "the table object has the commit: table.append(...)",
        "current_snapshot": "the table object has the commit: table.current_snapshot()",
        "refresh": "the table object has the commit already",
    },
    "DataFile": {
        **dict.fromkeys(
            (
                "lower_bounds",
                "upper_bounds",
                "value_counts",
                "null_value_counts",
                "nan_value_counts",
                "column_sizes",
                "split_offsets",
                "sort_order_id",
                "key_metadata",
            ),
            "table.inspect.files() has it for each file",
        ),
        "content": "a task's file is a data file; task.delete_files are the delete files that apply to it",
    },
    "View": {"metadata": "use view.versions, schemas(), history(), properties and location()"},
}


_OF_DATA_FILES = frozenset(_SAID["DataFile"]) - {"content", "sort_order_id"}

UNMISTAKABLE: dict[str, str] = {
    name: said
    for kind, names in (
        ("Table", {"to_daft", "to_bodo", "name_mapping", "location_provider", "last_partition_id"}),
        ("Scan", {"to_ray", "use_snapshot", *(name for name in _SAID["Scan"] if "snapshot_id_" in name)}),
        ("Transaction", {"update_snapshot"}),
        ("DataFile", _OF_DATA_FILES),
    )
    for name, said in _SAID[kind].items()
    if name in names
}
"""Names that only PyIceberg has, whatever the object is that they are asked of."""

IMPORTED: dict[str, str] = {
    "pyiceberg.catalog.glue": 'load_catalog(name, type="glue", ...)',
    "pyiceberg.catalog.hive": "Hive catalogs are not supported yet: Hive 4 has a REST endpoint",
    "pyiceberg.catalog.dynamodb": "DynamoDB is not supported as a catalog: use another one",
    "pyiceberg.catalog.bigquery_metastore": "BigQuery is not supported as a catalog, but by its REST endpoint",
    "pyiceberg.catalog.noop": "fb.open_table(metadata_location)",
    "pyiceberg.catalog.load_rest": 'load_catalog(name, type="rest", ...)',
    "pyiceberg.catalog.load_sql": 'load_catalog(name, type="sql", ...)',
    "pyiceberg.catalog.load_glue": 'load_catalog(name, type="glue", ...)',
    "pyiceberg.catalog.load_in_memory": 'load_catalog(name, type="memory")',
    "pyiceberg.conversions": "values are Python's: bounds are decoded in table.inspect.files()",
    "pyiceberg.expressions.visitors": "scan.plan_files() and expression.to_json() show what became of a filter",
    "pyiceberg.expressions.literals": "literals are plain Python values: datetime, Decimal, UUID, bytes, ...",
    "pyiceberg.io": "give storage_options to open_table, or properties to the catalog",
    "pyiceberg.manifest": "table.inspect has manifests, entries and files as Arrow tables",
    "pyiceberg.table.CreateTableTransaction": "catalog.create_table_transaction(...)",
    "pyiceberg.table.TableScan": "floeberg.Scan",
    "pyiceberg.table.IncrementalAppendScan": "floeberg.Scan",
    "pyiceberg.table.TableProperties": 'the names of properties are texts: "write.parquet.compression-codec"',
    "pyiceberg.table.locations": 'set the property "write.data.path"',
    "pyiceberg.table.maintenance": "table.maintenance",
    "pyiceberg.table.name_mapping": 'the property "schema.name-mapping.default" has it as JSON',
    "pyiceberg.table.puffin": "table.statistics() and table.read_blob(...)",
    "pyiceberg.table.update": "table.transaction() makes the updates",
    "pyiceberg.table.update.schema": "floeberg.UpdateSchema",
    "pyiceberg.table.update.sorting": "floeberg.UpdateSortOrder",
    "pyiceberg.table.update.spec": "floeberg.UpdateSpec",
    "pyiceberg.table.update.statistics": "floeberg.UpdateStatistics",
    "pyiceberg.table.update.snapshot": "floeberg.ManageSnapshots",
    "pyiceberg.typedef": "identifiers are tuples or dotted texts, and properties are dicts",
    "pyiceberg.utils.config": "floeberg catalog config shows the configuration",
}
"""Modules and names that are imported from PyIceberg, and are not at the same place here. The longest part counts."""

MEANING: dict[str, str] = {
    "NotEqualTo": "it keeps rows with null: add & NotNull(column) to drop them, or write the filter as text",
    "NotIn": "it keeps rows with null: add & NotNull(column) to drop them, or write the filter as text",
    "NotStartsWith": "it keeps rows with null: add & NotNull(column) to drop them, or write the filter as text",
    "NotNaN": "it keeps rows with null: add & NotNull(column) to drop them",
    "Not": "it keeps the rows of which the inner filter is null: add & NotNull(column) to drop them",
    "NOT IN": "a filter text with NOT IN drops rows with null, as in SQL: add OR column IS NULL to keep them",
    "IS NOT NAN": "a filter text with IS NOT NAN keeps rows with null: add AND column IS NOT NULL to drop them",
    "UpdateSortOrder.asc": "nulls come first in ascending order: null_order says otherwise",
    "ExpireSnapshots.older_than": "the time needs a zone: datetime.now(timezone.utc)",
}
"""What runs in both, and means something else here."""

ARGUMENTS: dict[str, dict[str, str]] = {
    "append": {"df": "append(rows), or data="},
    "overwrite": {"df": "overwrite(rows), or data="},
    "dynamic_partition_overwrite": {"df": "dynamic_partition_overwrite(rows), or data="},
}
"""Arguments that have other names here."""

PROPERTIES: dict[str, tuple[bool, str]] = {
    "py-io-impl": (
        False,
        "it does nothing: files are read by Floeberg's own stores, with the options of the store",
    ),
    "py-catalog-impl": (True, "the class must derive from floeberg.Catalog"),
    "write.py-location-provider.impl": (True, 'set "write.data.path"'),
}
"""Properties that name classes of PyIceberg: whether they must change, and what to know."""


def spelled(kind: str, name: str) -> str | None:
    """How a missing name of a class is spelled here; `None` if nothing is known of it."""
    return _SAID.get(kind, {}).get(name)


class SpelledLikePyIceberg:
    """A class whose missing PyIceberg names raise an error with the spelling here."""

    __slots__ = ()
    _spelled_as = ""

    if not TYPE_CHECKING:
        # Type checkers must see that the name is missing.

        def __getattr__(self, name: str) -> object:
            kind = type(self).__name__
            said = spelled(self._spelled_as, name)
            if said is None:
                raise AttributeError(f"{kind!r} object has no attribute {name!r}", name=name, obj=self)
            raise MissingAttributeError(f"{kind!r} object has no attribute {name!r}: {said}")

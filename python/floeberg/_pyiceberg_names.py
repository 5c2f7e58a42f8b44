"""How is here what PyIceberg has by a name that is not here?

A name of PyIceberg that is not here is an `AttributeError`, so that `hasattr` says the truth, and says what to write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.errors import MissingAttributeError

__all__ = ["SpelledLikePyIceberg"]

_ROWS = "rows of a file are not rewritten yet: overwrite(data, overwrite_filter=...) replaces whole files"
_REFS = "branches are made by append(..., branch=...); tags and rollback are not written yet"

_SAID: dict[str, dict[str, str]] = {
    "Table": {
        "upsert": _ROWS,
        "add_files": "files that others wrote are not taken over yet: append their rows",
        "manage_snapshots": _REFS,
        "maintenance": "snapshots are not expired yet",
        "metadata": "table.schemas(), specs(), snapshots(), refs(), properties and location() are its parts",
        "io": "files are read and written by the table itself: give storage_options to open_table or the catalog",
        "identifier": "table.name()",
        "update_spec": "specs of tables that are there are not changed yet: give partition_spec to create_table",
        "update_sort_order": "orders of tables that are there are not changed yet: give sort_order to create_table",
        "update_statistics": "statistics are read, by table.statistics(), and not written yet",
        "to_polars": "table.scan(...).to_polars()",
        "to_pandas": "table.scan(...).to_pandas()",
        "to_arrow": "table.scan(...).to_arrow()",
        "to_daft": "pass table.scan(...) to what reads Arrow streams",
        "to_bodo": "pass table.scan(...) to what reads Arrow streams",
        "name_mapping": 'table.properties["schema.name-mapping.default"]',
        "location_provider": 'the property "write.data.path" says where files go',
        "last_sequence_number": "table.current_snapshot().sequence_number",
        "last_partition_id": "max(spec.last_assigned_field_id for spec in table.specs().values())",
    },
    "Scan": {
        "to_ray": "pass the scan to what reads Arrow streams",
        "snapshot": "scan.snapshot_id, and table.snapshot_by_id(...)",
        "update": "scan.filter(...), scan.select(...), or another table.scan(...)",
        "with_case_sensitive": "table.scan(..., case_sensitive=False)",
        "use_snapshot": "table.scan(..., snapshot_id=...)",
        "partition_filters": "scan.explain() says what was dropped by partitions",
        "from_snapshot_id_exclusive": "table.incremental_append_scan(from_snapshot_id_exclusive=...)",
        "to_snapshot_id_inclusive": "table.incremental_append_scan(to_snapshot_id_inclusive=...)",
        "from_snapshot_id_inclusive": "table.incremental_append_scan(from_snapshot_id_exclusive=<its parent>)",
    },
    "Transaction": {
        "upsert": _ROWS,
        "add_files": "files that others wrote are not taken over yet: append their rows",
        "update_spec": "specs of tables that are there are not changed yet: give partition_spec to create_table",
        "update_sort_order": "orders of tables that are there are not changed yet: give sort_order to create_table",
        "update_snapshot": "append, overwrite, dynamic_partition_overwrite and delete of the transaction",
        "update_statistics": "statistics are read, by table.statistics(), and not written yet",
        "update_location": "the location of a table is given to create_table",
        "table_metadata": "table.schema(), table.spec() and others are of the table before the commit",
    },
    "Catalog": {
        "create_table_transaction": "create_table(..., partition_spec=..., sort_order=..., properties=...)",
        "load_view": "fb.open_view(metadata_location)",
        "create_view": "views are read, by fb.open_view(metadata_location), and not written yet",
        "drop_view": "views are read, by fb.open_view(metadata_location), and not written yet",
        "register_view": "views are read, by fb.open_view(metadata_location), and not written yet",
        "list_views": "views are read, by fb.open_view(metadata_location); catalogs hold tables",
        "view_exists": "views are read, by fb.open_view(metadata_location); catalogs hold tables",
    },
}


class SpelledLikePyIceberg:
    """A class that says of PyIceberg's names how they are spelled here."""

    __slots__ = ()
    _spelled_as = ""

    if not TYPE_CHECKING:
        # For those who check types a name that is not there is not there.

        def __getattr__(self, name: str) -> object:
            kind = type(self).__name__
            said = _SAID.get(self._spelled_as, {}).get(name)
            if said is None:
                raise AttributeError(f"{kind!r} object has no attribute {name!r}", name=name, obj=self)
            raise MissingAttributeError(f"{kind!r} object has no attribute {name!r}: {said}")

"""What do names of PyIceberg that are missing here say?

They raise an `AttributeError`, so that `hasattr` is false, and the error says what to write instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.errors import MissingAttributeError

__all__ = ["SpelledLikePyIceberg"]

_SAID: dict[str, dict[str, str]] = {
    "Table": {
        "maintenance": "expiring snapshots is not supported yet",
        "io": "the table reads and writes files itself: give storage_options to open_table or the catalog",
        "identifier": "table.name()",
        "to_polars": "table.scan(...).to_polars()",
        "to_pandas": "table.scan(...).to_pandas()",
        "to_arrow": "table.scan(...).to_arrow()",
        "to_daft": "pass table.scan(...) to any reader of Arrow streams",
        "to_bodo": "pass table.scan(...) to any reader of Arrow streams",
        "name_mapping": 'table.properties["schema.name-mapping.default"]',
        "location_provider": 'set the property "write.data.path"',
        "last_sequence_number": "table.current_snapshot().sequence_number",
        "last_partition_id": "max(spec.last_assigned_field_id for spec in table.specs().values())",
    },
    "Scan": {
        "to_ray": "pass the scan to any reader of Arrow streams",
        "snapshot": "table.snapshot_by_id(scan.snapshot_id)",
        "update": "scan.filter(...), scan.select(...), or another table.scan(...)",
        "with_case_sensitive": "table.scan(..., case_sensitive=False)",
        "use_snapshot": "table.scan(..., snapshot_id=...)",
        "partition_filters": "scan.explain() shows what partitions dropped",
        "from_snapshot_id_exclusive": "table.incremental_append_scan(from_snapshot_id_exclusive=...)",
        "to_snapshot_id_inclusive": "table.incremental_append_scan(to_snapshot_id_inclusive=...)",
        "from_snapshot_id_inclusive": "table.incremental_append_scan(from_snapshot_id_exclusive=<its parent>)",
    },
    "Transaction": {
        "update_snapshot": "use append, overwrite, dynamic_partition_overwrite and delete of the transaction",
        "table_metadata": "table.schema(), table.spec() and others show the table before the commit",
    },
    "View": {"metadata": "use view.versions, schemas(), history(), properties and location()"},
}


class SpelledLikePyIceberg:
    """A class whose missing PyIceberg names raise an error with the spelling here."""

    __slots__ = ()
    _spelled_as = ""

    if not TYPE_CHECKING:
        # Type checkers must see that the name is missing.

        def __getattr__(self, name: str) -> object:
            kind = type(self).__name__
            said = _SAID.get(self._spelled_as, {}).get(name)
            if said is None:
                raise AttributeError(f"{kind!r} object has no attribute {name!r}", name=name, obj=self)
            raise MissingAttributeError(f"{kind!r} object has no attribute {name!r}: {said}")

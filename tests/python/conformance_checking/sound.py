"""The tables that violations are planted in."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow as pa

import floeberg as fb
from conformance_checking.planting import Planted, path_of

ID, NAME, F, PART, TAGS = 1, 2, 3, 4, 5
SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("name", pa.string()),
        pa.field("f", pa.float64()),
        pa.field("part", pa.string()),
        pa.field("tags", pa.list_(pa.int32())),
        pa.field("price", pa.decimal128(9, 2)),
    ]
)


def rows(part: str | None, *ids: int, f: float | None = 0.5) -> pa.Table:
    """Rows of a partition."""
    made = [{"id": each, "name": f"name {each}", "f": f, "part": part, "tags": [each]} for each in ids]
    return pa.Table.from_pylist(made, SCHEMA)


def sound_table(folder: Path, version: int) -> Planted:
    """A table with manifests that were merged, filtered and kept, entries of every status, a branch and two schemas.

    The newest manifest list has a manifest of the last append, and one with existing and deleted entries.
    """
    catalog = fb.load_catalog("planting", type="filesystem", warehouse=str(folder))
    catalog.create_namespace_if_not_exists("ns")
    table = catalog.create_table(
        f"ns.v{version}",
        SCHEMA,
        partition_spec=["part", "f"],
        sort_order=["id"],
        format_version=version,
        properties={"commit.manifest.min-count-to-merge": "3", "owner": "jo"},
    )
    table.append(pa.concat_tables([rows("a", 1, 2), rows("b", 3, f=math.nan)]))
    table.append(rows("a", 4, 5))
    with table.update_schema() as update:
        update.add_column("note", "string")
    table.append(pa.concat_tables([rows("c", 6, 7, f=1.5), rows(None, 10, f=None)]))
    table.append(rows("a", 11, 12), branch="dev")
    table.append(rows("d", 8, 9))
    table.delete("part = 'c'")
    table.maintenance.compute_table_stats()
    table.maintenance.compute_partition_stats()
    return Planted(path_of(table.metadata_location))

"""Tables of which two snapshots are compared."""

from __future__ import annotations

import uuid

import pyarrow as pa

import floeberg as fb
from floeberg.comparing import TableDiff

SCHEMA = pa.schema({"id": pa.int64(), "note": pa.string(), "x": pa.float64()})


def made(version: int = 3, mode: str = "merge-on-read", **how: object) -> fb.Table:
    catalog = fb.load_catalog(f"diff-{uuid.uuid4()}", type="memory")
    catalog.create_namespace("ns")
    modes = {f"write.{each}.mode": mode for each in ("delete", "update", "merge")}
    return catalog.create_table("ns.t", SCHEMA, format_version=version, properties=modes, **how)


def filled(version: int = 3, mode: str = "merge-on-read") -> tuple[fb.Table, int]:
    """A table of four rows, and its snapshot."""
    table = made(version, mode)
    table.append(
        pa.table({"id": [1, 2, 3, 4], "note": ["a", "b", "c", None], "x": [1.0, 2.0, 3.0, 4.0]}, SCHEMA)
    )
    return table, table.current_snapshot().snapshot_id


def found(diff: TableDiff) -> list[tuple[object, ...]]:
    rows = diff.to_arrow().to_pylist()
    listed = [
        (
            row["_change"],
            row["_changed_columns"],
            row["before"] and tuple(row["before"].values()),
            row["after"] and tuple(row["after"].values()),
        )
        for row in rows
    ]
    return sorted(listed, key=repr)


def changed(version: int, mode: str) -> tuple[fb.Table, int]:
    table, start = filled(version, mode)
    table.update({"note": "B", "x": 20.0}, "id = 2")
    table.delete("id = 3")
    table.append(pa.table({"id": [5], "note": ["e"], "x": [5.0]}, SCHEMA))
    return table, start

"""Every method of a table that writes rows, and what it makes of the rows 1 and 2."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = pa.table({"id": [1, 2], "city": ["Oslo", "Riga"]})
NEW = pa.table({"id": [3], "city": ["Bonn"]})


def add_files(table, **more):
    path = f"{table.location()}/new.parquet"
    pq.write_table(NEW, path)
    return table.add_files(path, **more)


def commit_receipts(table, **more):
    return table.commit_receipts([table.write_recipe().write(NEW, task="0")], **more)


def commit_row_delta(table, **more):
    read = table.current_snapshot().snapshot_id
    receipt = table.row_delta_recipe().write(NEW, task="0")
    return table.commit_row_delta([receipt], read_snapshot_id=read, **more)


def merge(table, **more):
    return table.merge(NEW, on="id", **more).when_not_matched_insert_all().execute()


# What each makes of the ids 1 and 2.
WRITES = {
    "append": (lambda table, **more: table.append(NEW, **more), [1, 2, 3]),
    "overwrite": (lambda table, **more: table.overwrite(NEW, **more), [3]),
    "dynamic_partition_overwrite": (
        lambda table, **more: table.dynamic_partition_overwrite(NEW, **more),
        [3],
    ),
    "delete": (lambda table, **more: table.delete("id = 1", **more), [2]),
    "update": (lambda table, **more: table.update({"id": 9}, "id = 1", **more), [2, 9]),
    "upsert": (lambda table, **more: table.upsert(NEW, ["id"], **more), [1, 2, 3]),
    "merge": (merge, [1, 2, 3]),
    "add_files": (add_files, [1, 2, 3]),
    "commit_receipts": (commit_receipts, [1, 2, 3]),
    "commit_row_delta": (commit_row_delta, [1, 2, 3]),
}


def ids(scan):
    return sorted(scan.to_arrow()["id"].to_pylist())

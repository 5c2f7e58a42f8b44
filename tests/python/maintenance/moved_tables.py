"""Tables of all kinds of files, which are moved, and what is in them."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

import floeberg as fb
from maintenance.disk import path_of, rows

Staged = list[tuple[str, str]]


def drop_keys(table: fb.Table, *keys: int, part: str = "a") -> None:
    """Deletes rows by equality deletes."""
    columns = {"op": ["delete"] * len(keys), "id": keys, "part": [part] * len(keys), "at": [1] * len(keys)}
    with table.transaction() as transaction:
        transaction.apply_changes(
            pa.table(columns), keys=["id", "part"], operation="op", order_by="at", mode="equality"
        )


def fill(table: fb.Table) -> None:
    """Gives a table a history: files of all kinds that its version has, a branch, a tag and statistics."""
    odd = "b,c \"d\" 'é' %20#?"
    table.append(rows(*range(10)))
    table.append(rows(*range(10, 20)))
    table.append(rows(*range(20, 30), part=odd))
    table.manage_snapshots().create_tag(table.snapshots()[1].snapshot_id, "early").commit()
    table.overwrite(rows(40, 41, part="x"), overwrite_filter="part = 'x'")
    if table.format_version > 1:
        for gone in ("id in (1, 11, 22)", "id in (2, 12)", "id = 3"):
            table.delete(gone, mode="merge-on-read")
        drop_keys(table, 4, 14)
        drop_keys(table, 25, part=odd)
    table.delete("id = 40", mode="copy-on-write")
    table.maintenance.compute_table_stats()
    table.maintenance.compute_partition_stats()
    table.manage_snapshots().create_branch(table.current_snapshot().snapshot_id, "dev").commit()
    table.append(rows(50, part="dev"), branch="dev")
    if table.format_version > 1:
        table.delete("id = 15", mode="merge-on-read", branch="dev")
    table.maintenance.rewrite_manifests()
    table.append(rows(60, part="late"))


def state(table: fb.Table) -> dict[str, Any]:
    """What readers see of a table, wherever its files are."""
    names = ("id", "part", "_row_id", "_last_updated_sequence_number")[: 4 if table.format_version > 2 else 2]

    def read(**where: Any) -> list[tuple[Any, ...]]:
        found = table.scan(selected_fields=names, **where).to_arrow().to_pylist()
        return sorted(tuple(each.values()) for each in found)

    metadata = json.loads(table._inner.metadata_json())
    return {
        "uuid": metadata["table-uuid"],
        "rows": read(),
        "snapshots": {each.snapshot_id: read(snapshot_id=each.snapshot_id) for each in table.snapshots()},
        "refs": {name: read(snapshot_id=each.snapshot_id) for name, each in table.refs().items()},
        "history": [(each.snapshot_id, each.parent_snapshot_id, each.summary) for each in table.snapshots()],
        "statistics": [
            (each.snapshot_id, [blob.properties for blob in each.blob_metadata])
            for each in table.statistics()
        ],
        "partition statistics": [
            table.read_partition_statistics(each).to_pylist() for each in table.partition_statistics()
        ],
        "entries": entries(table),
    }


def entries(table: fb.Table) -> list[Any]:
    """All entries of all manifests, without paths and sizes."""
    found = []
    for each in table.inspect.all_entries().to_pylist():
        file = dict(each["data_file"])
        for name in ("file_path", "file_size_in_bytes", "referenced_data_file", "split_offsets"):
            file.pop(name, None)
        for name in ("lower_bounds", "upper_bounds"):
            file[name] = [pair for pair in file.get(name) or [] if pair[0] != 2147483546]
        file.pop("readable_metrics", None)
        plain = {key: value for key, value in each.items() if key not in {"data_file", "readable_metrics"}}
        found.append((str(plain), str(file)))
    return sorted(found)


def listed(done: Any) -> Staged:
    """The sources and the targets of the list of files."""
    with Path(path_of(done.file_list_location)).open(newline="", encoding="utf-8") as file:
        return [(source, target) for source, target in csv.reader(file)]


def copy(files: Staged) -> None:
    """Copies the files of a list, in its order."""
    for source, target in files:
        Path(path_of(target)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path_of(source), path_of(target))


def open_moved(catalog: fb.Catalog, name: str, files: Staged) -> fb.Table:
    """The table at the end of a list, in a catalog."""
    return catalog.register_table(name, files[-1][1])


Make = Callable[..., fb.Table]

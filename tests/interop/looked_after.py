"""Tables of several histories that a peer and Floeberg look after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

import floeberg as fb

EVER = "2100-01-01T00:00:00Z"
SCHEMA = pa.schema([("id", pa.int64()), ("part", pa.string())])


def rows(first: int, count: int, part: str) -> pa.Table:
    return pa.table({"id": range(first, first + count), "part": [part] * count}, SCHEMA)


def line(table: fb.Table) -> None:
    for number in range(5):
        table.append(rows(10 * number, 5, "ab"[number % 2]))


def replaced(table: fb.Table) -> None:
    line(table)
    table.overwrite(rows(100, 3, "a"), overwrite_filter="part = 'a'")
    table.delete("id >= 30", mode="copy-on-write")


def deleted_by_files(table: fb.Table) -> None:
    line(table)
    table.delete("id = 11", mode="merge-on-read")
    table.delete("id = 12", mode="merge-on-read")
    table.delete("part = 'b'")
    table.append(rows(200, 2, "b"))


def with_refs(table: fb.Table) -> None:
    line(table)
    snapshots = [each.snapshot_id for each in table.snapshots()]
    with table.manage_snapshots() as changes:
        changes.create_tag(snapshots[1], "early").create_branch(snapshots[2], "dev", min_snapshots_to_keep=2)
    table.append(rows(300, 2, "a"), branch="dev")
    table.overwrite(rows(400, 2, "a"))


def rolled_back(table: fb.Table) -> None:
    replaced(table)
    snapshots = [each.snapshot_id for each in table.snapshots()]
    table.manage_snapshots().set_current_snapshot(snapshots[3]).commit()
    table.append(rows(500, 2, "b"))


def staged(table: fb.Table) -> None:
    line(table)
    table.append(rows(600, 2, "a"), stage_only=True)
    table.overwrite(rows(700, 2, "a"), overwrite_filter="part = 'a'")


HISTORIES: dict[str, Callable[[fb.Table], None]] = {
    each.__name__: each for each in (line, replaced, deleted_by_files, with_refs, rolled_back, staged)
}


def made(folder: Path, history: str, version: int) -> fb.Table:
    catalog = fb.load_catalog("made", type="filesystem", warehouse=str(folder))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA, partition_spec=["part"], format_version=version)
    HISTORIES[history](table)
    return table


def kinds(folder: Path) -> Counter[str]:
    """The files of a table by what they are."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return Counter("snap" if path.name.startswith("snap-") else path.suffix for path in found)


def content(table: fb.Table) -> list[list[int]]:
    ids = sorted((each.timestamp_ms, each.snapshot_id) for each in table.snapshots())
    return [sorted(table.scan(snapshot_id=each).to_arrow()["id"].to_pylist()) for _, each in ids]

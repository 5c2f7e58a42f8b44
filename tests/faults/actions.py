"""What is done while storage fails. Each action takes a catalog whose storage fails, and does one thing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from faulted import SCHEMA, batch

Action = Callable[[Any], object]


def create_table(catalog: Any) -> None:
    """Make another table."""
    catalog.create_table("ns.other", SCHEMA)


def create_with_rows(catalog: Any) -> None:
    """Make another table and its first rows in one commit."""
    catalog.create_table("ns.other", as_select=batch(1, 1))


def replace_table(catalog: Any) -> None:
    """Make another table in place of one."""
    catalog.replace_table("ns.t", as_select=batch(1, 1))


def add_files(catalog: Any) -> None:
    """Add a file that another program wrote."""
    folder = Path(catalog.properties["warehouse"]).parent / "old" / "part=b"
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(batch(1, 1).drop_columns(["part"]), folder / "a.parquet")
    catalog.load_table("ns.t").add_files(folder.parent)


def append(catalog: Any) -> None:
    """Add rows."""
    catalog.load_table("ns.t").append(batch(1, 1))


def append_to_partitions(catalog: Any) -> None:
    """Add rows of several partitions: several files."""
    rows = pa.concat_tables([batch(1, number, part) for number, part in enumerate("abc")])
    catalog.load_table("ns.t").append(rows)


def append_merging(catalog: Any) -> None:
    """Add rows, where manifests are merged."""
    catalog.load_table("ns.merging").append(batch(1, 1))


def overwrite(catalog: Any) -> None:
    """Replace the rows of a partition."""
    catalog.load_table("ns.t").overwrite(batch(1, 1), overwrite_filter="part = 'a'")


def delete(catalog: Any) -> None:
    """Delete the rows of a partition."""
    catalog.load_table("ns.t").delete("part = 'a'")


def replace_partitions(catalog: Any) -> None:
    """Replace the partitions of new rows."""
    catalog.load_table("ns.t").dynamic_partition_overwrite(batch(1, 1, "b"))


def set_properties(catalog: Any) -> None:
    """Set a property."""
    with catalog.load_table("ns.t").transaction() as transaction:
        transaction.set_properties({"owner": "someone"})


def add_column(catalog: Any) -> None:
    """Add a column."""
    with catalog.load_table("ns.t").update_schema() as update:
        update.add_column("note", pa.string())


def transaction(catalog: Any) -> None:
    """Do several things at once."""
    with catalog.load_table("ns.t").transaction() as several:
        several.append(batch(1, 1))
        several.set_properties({"both": "true"})
        several.append(batch(1, 2))


def several_tables(catalog: Any) -> None:
    """Change two tables and create a third one in one commit."""
    with catalog.transaction() as several:
        several.table("ns.t").append(batch(1, 1))
        several.table("ns.merging").delete("part = 'a'")
        several.create_table("ns.other", SCHEMA).append(batch(1, 2))


def upgrade(catalog: Any) -> None:
    """Upgrade the format version."""
    with catalog.load_table("ns.t").transaction() as changes:
        changes.upgrade_table_version(3)


ACTIONS: tuple[Action, ...] = (
    create_table,
    create_with_rows,
    replace_table,
    add_files,
    append,
    append_to_partitions,
    append_merging,
    overwrite,
    delete,
    replace_partitions,
    set_properties,
    add_column,
    transaction,
    several_tables,
    upgrade,
)

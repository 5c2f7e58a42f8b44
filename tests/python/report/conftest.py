"""What do tests of reports need? Tables with a history, of which names and values would be scripts."""

from __future__ import annotations

import pyarrow as pa
import pytest

import floeberg as fb
from report.scripts import BREAKOUT, IMAGE, SCRIPT


@pytest.fixture(scope="session")
def orders(tmp_path_factory):
    """A table with two partitions, a branch, a tag, deletes, and six commits."""
    catalog = fb.load_catalog("reports", type="filesystem", warehouse=str(tmp_path_factory.mktemp("reports")))
    catalog.create_namespace("sales")
    table = catalog.create_table(
        "sales.orders",
        pa.schema({"id": pa.int64(), "country": pa.string()}),
        partition_spec=["country"],
        properties={"format-version": "2", "write.delete.mode": "merge-on-read"},
    )
    for start in (0, 100, 200):
        table.append(rows(start))
    table.manage_snapshots().create_tag(table.current_snapshot().snapshot_id, "march").commit()
    table.manage_snapshots().create_branch(table.current_snapshot().snapshot_id, "audit").commit()
    table.append(rows(300), branch="audit")
    table.delete("id = 5")
    return table.refresh()


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """A table whose place, columns, values, partitions, refs and comments are HTML that does something."""
    catalog = fb.load_catalog(
        "hostile", type="filesystem", warehouse=str(tmp_path_factory.mktemp("<b onclick=x>"))
    )
    catalog.create_namespace("s")
    table = catalog.create_table(
        "s.t",
        fb.types.Schema(
            fb.types.NestedField(1, SCRIPT, fb.types.StringType(), required=False, doc=IMAGE),
            fb.types.NestedField(2, IMAGE, fb.types.StringType(), required=False),
        ),
        partition_spec=[IMAGE],
        properties={SCRIPT: IMAGE},
    )
    for value in (SCRIPT, IMAGE, BREAKOUT):
        table.append(
            pa.table({SCRIPT: [value], IMAGE: [value]}),
            snapshot_properties={IMAGE: SCRIPT},
        )
    for name in (SCRIPT, BREAKOUT):
        table.manage_snapshots().create_tag(table.current_snapshot().snapshot_id, name).commit()
    table.manage_snapshots().create_branch(table.snapshots()[0].snapshot_id, IMAGE).commit()
    return table.refresh()


def rows(start: int) -> pa.Table:
    """A hundred rows of two countries."""
    return pa.table(
        {
            "id": pa.array(range(start, start + 100), pa.int64()),
            "country": ["de" if number % 4 else "fr" for number in range(100)],
        }
    )

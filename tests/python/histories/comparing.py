"""Is in the table what the model says, in every snapshot that there ever was?"""

from __future__ import annotations

from collections import Counter
from typing import Any

import floeberg as fb
from histories.differences import compare_differences
from histories.model import ID, Columns, Lineage, Node, Rows
from histories.running import NAME, History

Value = Any
LINEAGE_VERSION = 3
LINEAGE = ("_row_id", "_last_updated_sequence_number")


def compare(history: History) -> None:
    """Compare all snapshots and branches."""
    table = history.catalog.load_table(NAME)
    assert table.format_version == history.version
    columns = [(each.field_id, each.name, each.required) for each in table.schema().fields]
    assert columns == [(each.number, each.name, each.required) for each in history.columns]
    assert {name: ref.snapshot_id for name, ref in table.refs().items()} == {
        name: node.snapshot_id for name, node in (history.heads | history.tags).items()
    }
    for node in history.nodes:
        _compare_snapshot(table, node, history.version)
    if history.nodes:
        _compare_changes(table, history)
        compare_differences(table, history)
    for branch, node in history.heads.items():
        found = table.scan().use_ref(branch)
        assert _written(found.to_arrow().to_pylist(), history.columns) == _expected(
            node.rows, history.columns
        )
        assert found.count() == len(node.rows)


def _compare_changes(table: fb.Table, history: History) -> None:
    """The changes since an earlier snapshot make its rows those of the newest one."""
    node = history.nodes[-1]
    line = list(node.ancestry())
    start = line[len(history.nodes) % len(line)]
    keys = [each.name for each in node.columns if each.number == ID]
    by_row = Counter(_expected(start.rows, node.columns))
    wanted = Counter(_expected(node.rows, node.columns))
    for net, identifiers in ((False, None), (False, keys), (True, None)):
        changes = table.changelog_scan(
            start.snapshot_id, node.snapshot_id, net=net, identifier_columns=identifiers
        )
        found = changes.to_arrow().to_pylist()
        came, went = (
            Counter(_written([row for row in found if row["_change_type"] in kinds], node.columns))
            for kinds in (("INSERT", "UPDATE_AFTER"), ("DELETE", "UPDATE_BEFORE"))
        )
        assert (by_row + came) - went == wanted, f"from {start.snapshot_id} to {node.snapshot_id}, {net=}"
        assert by_row.total() + came.total() - went.total() == wanted.total()
        if net and table.format_version < LINEAGE_VERSION:
            assert (came, went) == (wanted - by_row, by_row - wanted)


def _expected(rows: Rows, columns: Columns) -> list[str]:
    # As text NaN is itself, and -0.0 is not 0.0.
    return sorted(repr([row.get(each.number) for each in columns]) for row in rows.values())


def _written(rows: list[dict[str, Value]], columns: Columns) -> list[str]:
    return sorted(repr([row[each.name] for each in columns]) for row in rows)


def _compare_snapshot(table: fb.Table, node: Node, version: int) -> None:
    names = tuple(each.name for each in node.columns)
    extra = LINEAGE if version >= 3 else ()
    found = table.scan(snapshot_id=node.snapshot_id, selected_fields=(*names, *extra)).to_arrow().to_pylist()
    assert _written(found, node.columns) == _expected(node.rows, node.columns), f"in {node.snapshot_id}"
    if version >= 3:
        _compare_lineage(node, found)


def _compare_lineage(node: Node, found: list[dict[str, Value]]) -> None:
    """Rows have the ids and last updates that they had, in this snapshot and the one before, and no two have one id."""
    by_id: dict[int, list[Lineage]] = {}
    name = next(each.name for each in node.columns if each.number == ID)
    for row in found:
        by_id.setdefault(row[name], []).append((row[LINEAGE[0]], row[LINEAGE[1]]))
    there = [row_id for each in by_id.values() for row_id, _ in each if row_id is not None]
    assert len(set(there)) == len(there), f"row ids are there twice in {node.snapshot_id}: {there}"
    # A row that came twice, by receipts, has two ids, and nobody can say which is which.
    now = {key: by_id[key[1]][0] for key in node.rows if len(by_id[key[1]]) == 1}
    for key, lineage in now.items():
        known = node.lineage.get(key)
        if known is None and node.parent is not None:
            known = node.parent.lineage.get(key)
        if known is not None and {"update", "upsert"} & set(node.operations):
            # Rows that change keep their ids, and get a new last update.
            known = (known[0], lineage[1] if known[0] is not None else None)
        assert known in (None, (None, None), lineage), (
            f"the row {key} had the lineage {known}, has {lineage} in {node.snapshot_id}"
        )
    node.lineage = now

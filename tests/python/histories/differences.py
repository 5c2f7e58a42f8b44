"""Is what differs between two snapshots what differs between those of the model?"""

from __future__ import annotations

from collections import Counter
from typing import Any

import floeberg as fb
from histories.model import ID, Columns, Node
from histories.running import History

LINEAGE_VERSION = 3
Value = Any


def compare_differences(table: fb.Table, history: History) -> None:
    """Compare the newest snapshot with others, of its own branch and of others, in both directions."""
    newest = history.nodes[-1]
    others = {len(history.nodes) // 3, len(history.nodes) // 2, max(len(history.nodes) - 2, 0)}
    for number in sorted(others):
        for before, after in ((history.nodes[number], newest), (newest, history.nodes[number])):
            _compare(table, before, after, key=None)
            _compare(table, before, after, key=[each.name for each in after.columns if each.number == ID])


def _compare(table: fb.Table, before: Node, after: Node, key: list[str] | None) -> None:
    where = f"from {before.snapshot_id} to {after.snapshot_id}, {key=}"
    old, new = _rows(before, after.columns), _rows(after, after.columns)
    diff = table.diff(before.snapshot_id, after.snapshot_id, key=key)
    rows = diff.to_arrow().to_pylist()
    went, came = _sides(rows, after.columns)
    # One side with what changed is the other one.
    assert (old - went) + came == new, where
    assert not went - old, where
    _compare_cells(rows, after.columns, where)
    kinds = Counter(row["_change"] for row in rows)
    counts = diff.summary()
    assert (counts.inserted_rows, counts.deleted_rows, counts.updated_rows) == (
        kinds["insert"],
        kinds["delete"],
        kinds["update"],
    ), where
    assert counts.changed_columns == Counter(name for row in rows for name in row["_changed_columns"] or ())
    assert diff.has_changed_rows() == bool(rows), where
    if table.format_version < LINEAGE_VERSION or counts.proof:
        # Without row ids, rows of equal values are one row.
        assert (went, came) == (old - new, new - old), where
    if key is not None:
        _compare_keys(rows, before, after, key[0], where)
    _compare_preview(table, before, after, rows, where)


def _compare_keys(rows: list[dict[str, Value]], before: Node, after: Node, key: str, where: str) -> None:
    """A key that both have once is an update, or no change at all."""
    names = [each.number for each in after.columns]
    once = []
    for node in (before, after):
        ids = Counter(row[ID] for row in node.rows.values())
        once.append({row[ID]: row for row in node.rows.values() if ids[row[ID]] == 1})
        if len(once[-1]) != len(node.rows):
            return
    old, new = once
    changed = {
        number
        for number in old.keys() & new.keys()
        if repr([old[number].get(each) for each in names]) != repr([new[number].get(each) for each in names])
    }
    found = {
        kind: {(row["after"] or row["before"])[key] for row in rows if row["_change"] == kind}
        for kind in ("insert", "delete", "update")
    }
    expected = {"insert": new.keys() - old.keys(), "delete": old.keys() - new.keys(), "update": changed}
    assert found == expected, where


def _compare_cells(rows: list[dict[str, Value]], columns: Columns, where: str) -> None:
    for row in rows:
        if row["_change"] != "update":
            assert row["_changed_columns"] is None, where
            assert (row["before"] is None) == (row["_change"] == "insert"), where
            assert (row["after"] is None) == (row["_change"] == "delete"), where
            continue
        before, after = row["before"], row["after"]
        changed = [each.name for each in columns if repr(before[each.name]) != repr(after[each.name])]
        assert row["_changed_columns"] == changed != [], where


def _compare_preview(
    table: fb.Table, before: Node, after: Node, rows: list[dict[str, Value]], where: str
) -> None:
    """At most means at most."""
    most = table.diff(before.snapshot_id, after.snapshot_id, preview=True)
    went = sum(row["before"] is not None for row in rows)
    came = sum(row["after"] is not None for row in rows)
    assert sum(most["deleted_rows"].to_pylist()) >= went, where
    assert sum(most["inserted_rows"].to_pylist()) >= came, where


def _rows(node: Node, columns: Columns) -> Counter[str]:
    # As text NaN is itself, and -0.0 is not 0.0.
    return Counter(repr([row.get(each.number) for each in columns]) for row in node.rows.values())


def _sides(rows: list[dict[str, Value]], columns: Columns) -> tuple[Counter[str], Counter[str]]:
    """The rows that went, and those that came."""
    went, came = (
        Counter(repr([row[side][each.name] for each in columns]) for row in rows if row[side] is not None)
        for side in ("before", "after")
    )
    return went, came

"""What differs between any two versions of random histories is what a plain model says."""

from __future__ import annotations

import tempfile
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import floeberg as fb
from floeberg.errors import UnsupportedError

from .histories import KINDS, History, Line, State, Step

Change = tuple[str, tuple[str, ...]]
"""What a change is, and the columns of an update."""

STEPS = st.tuples(st.sampled_from(KINDS), st.integers(0, 9), st.integers(0, 9), st.integers(0, 2))


@pytest.mark.timeout(1200)
@settings(
    max_examples=15,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)
@given(stable=st.booleans(), program=st.lists(STEPS, min_size=4, max_size=10))
def test_differences_are_those_of_a_model(*, stable: bool, program: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as place:
        history = History(Path(place), stable=stable)
        for step in program:
            history.do(step)
        for line in history.lines:
            newest = max(line.states)
            for a, b in permutations(line.states, 2):
                if newest - min(a, b) < 6:
                    compare(history, line, a, b)


def compare(history: History, line: Line, a: int, b: int) -> None:
    """Compares two versions by their keys, and by row ids or addresses."""
    before, after = line.states[a], line.states[b]
    columns = [name for name in ("a", "s") if name in before.columns and name in after.columns]
    expected = changes_of(before, after, columns)
    table = history.open(line.branch, max(line.states))
    selected = ["id", *columns]
    by_key = table.diff(a, b, key=["id"], selected_fields=selected)
    assert found(by_key) == expected, (a, b)
    counts = [sum(kind == each for each, _ in expected.values()) for kind in ("insert", "delete", "update")]
    summary = by_key.summary()
    assert [summary.inserted_rows, summary.deleted_rows, summary.updated_rows] == counts
    assert not (by_key.proof() and expected)
    preview = table.diff(a, b, selected_fields=selected, preview=True)
    most = [sum(preview[name].to_pylist()) for name in ("inserted_rows", "deleted_rows")]
    assert most[0] >= counts[0]
    assert most[1] >= counts[1]
    own = table.diff(a, b, selected_fields=selected)
    if history.stable:
        compare_by_ids(rows_of(own), before, after, expected)
        return
    try:
        changes = rows_of(own)
    except UnsupportedError:
        # Rows were moved.
        return
    assert applied(changes, before, after, columns) == {
        key: [row.get(name) for name in columns] for key, row in after.rows.items()
    }, (a, b)


def changes_of(before: State, after: State, columns: list[str]) -> dict[int, Change]:
    """What the model says."""
    expected: dict[int, Change] = {}
    for key in {*before.rows, *after.rows}:
        old, new = before.rows.get(key), after.rows.get(key)
        if old is None or new is None:
            expected[key] = ("insert" if old is None else "delete", ())
            continue
        names = tuple(name for name in columns if old.get(name) != new.get(name))
        if names:
            expected[key] = ("update", names)
    return expected


def compare_by_ids(
    changes: dict[int, list[Change]], before: State, after: State, expected: dict[int, Change]
) -> None:
    """A key that both have is one row, if its row id is the same, and else two."""
    for key in {*before.rows, *after.rows}:
        is_one = before.row_ids.get(key) == after.row_ids.get(key)
        if is_one or key not in before.rows or key not in after.rows:
            assert changes.get(key, []) == [each for each in (expected.get(key),) if each], key
        else:
            assert sorted(kind for kind, _ in changes[key]) == ["delete", "insert"], key


def applied(
    changes: dict[int, list[Change]], before: State, after: State, columns: list[str]
) -> dict[int, list[object]]:
    """The first state with the changes."""
    state = dict(before.rows)
    for key, each in changes.items():
        kinds = {kind for kind, _ in each}
        if "delete" in kinds:
            state.pop(key)
        if kinds & {"insert", "update"}:
            state[key] = after.rows[key]
    return {key: [row.get(name) for name in columns] for key, row in state.items()}


def rows_of(diff: fb.lance.LanceTableDiff) -> dict[int, list[Change]]:
    """The changes of each key."""
    changes: dict[int, list[Change]] = {}
    for each in diff.to_arrow().to_pylist():
        row = each["before"] if each["after"] is None else each["after"]
        changes.setdefault(row["id"], []).append((each["_change"], tuple(each["_changed_columns"] or ())))
    return changes


def found(diff: fb.lance.LanceTableDiff) -> dict[int, Change]:
    """The change of each key, which is one."""
    changes = rows_of(diff)
    assert all(len(each) == 1 for each in changes.values()), changes
    return {key: each[0] for key, each in changes.items()}

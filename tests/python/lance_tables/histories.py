"""A model of Lance tables in plain Python, and random steps that are done to both."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa

import floeberg as fb
from floeberg.errors import CommitConflictError

from .steps_of_pylance import FIRST, KINDS_OF_PYLANCE, StepsOfPylance, among

__all__ = ["KINDS", "History", "Step"]

Step = tuple[str, int, int, int]
"""What is done, and three numbers that say how."""

KINDS = (
    "append",
    "append",
    "delete",
    "update",
    "update_by_expression",
    "upsert",
    "upsert_some_columns",
    "merge",
    "feed",
    "overwrite",
    "add_column",
    "add_computed_column",
    "drop_column",
    "rename_column",
    "compact",
    "restore",
    "tag",
    "branch",
    *KINDS_OF_PYLANCE,
)


@dataclass(frozen=True)
class State:
    """What is in a version.

    Attributes:
        columns: The names, in order, but the key.
        rows: The values by their keys.
        row_ids: The stable id of each row, as far as it was seen.
    """

    columns: tuple[str, ...]
    rows: dict[int, dict[str, Any]]
    row_ids: dict[int, int] = field(default_factory=dict)

    def with_rows(self, rows: dict[int, dict[str, Any]]) -> State:
        """Other rows; those of the same keys keep their ids."""
        return State(self.columns, rows, {key: each for key, each in self.row_ids.items() if key in rows})

    def with_columns(self, columns: tuple[str, ...], rows: dict[int, dict[str, Any]]) -> State:
        """Other columns of the same rows."""
        return State(columns, rows, self.row_ids)

    def without_column(self, name: str) -> State:
        """One column less."""
        rows = {key: {each: row[each] for each in row if each != name} for key, row in self.rows.items()}
        return self.with_columns(tuple(each for each in self.columns if each != name), rows)

    def with_renamed(self, old: str, new: str) -> State:
        """A column by another name."""
        rows = {
            key: {new if each == old else each: value for each, value in row.items()}
            for key, row in self.rows.items()
        }
        return self.with_columns(tuple(new if each == old else each for each in self.columns), rows)

    def table(self) -> list[dict[str, Any]]:
        """The rows in the order of their keys."""
        return [
            {"id": key, **{name: self.rows[key].get(name) for name in self.columns}}
            for key in sorted(self.rows)
        ]


@dataclass
class Line:
    """A branch: what each version has, and two handles, of which one may be old."""

    branch: str | None
    states: dict[int, State]
    handles: list[Any]

    @property
    def newest(self) -> State:
        return self.states[max(self.states)]


class History(StepsOfPylance):
    """A table and its model."""

    def __init__(self, folder: Path, *, stable: bool) -> None:
        self.stable = stable
        self.next_key = 4
        self.next_name = 0
        first = State(("a", "s"), {key: {"a": key, "s": f"s{key}"} for key in range(4)})
        self.location = str(folder / "t.lance")
        table = fb.lance.create_table(self.location, arrow(first), stable_row_ids=stable)
        self.lines = [Line(None, {1: first}, [table, self.open(None)])]
        self.tags: dict[str, tuple[int, int]] = {}
        self.learn(self.lines[0], table)

    def open(self, branch: str | None, version: int | None = None) -> fb.LanceTable:
        return fb.open_table(self.location, format="lance", branch=branch, version=version)

    def do(self, step: Step) -> None:
        """Do a step to the table and to the model, and compare them."""
        kind, one, two, three = step
        line = self.lines[three % len(self.lines)]
        before = max(line.states)
        if kind.startswith("pylance"):
            line = self.lines[0]
            before = max(line.states)
            after = getattr(self, kind)(line, one, two)
        else:
            table = line.handles[two % 2]
            # Rows that match are those of the version that is read: what was not read is not changed.
            if kind != "append":
                table.refresh()
            after = self.again(kind, line, table, one, two)
        if after is None:
            return
        newest = line.handles[one % 2].refresh()
        assert newest.version > before, step
        for version in range(before + 1, newest.version + 1):
            line.states[version] = after
        self.learn(line, newest)

    def again(self, kind: str, line: Line, table: fb.LanceTable, one: int, two: int) -> State | None:
        try:
            return getattr(self, kind)(line, table, one, two)
        except CommitConflictError:
            # Columns were changed, or all rows replaced, since the handle was opened.
            return getattr(self, kind)(line, table.refresh(), one, two)

    def learn(self, line: Line, table: fb.LanceTable) -> None:
        """Compare the newest version, and remember the ids of rows."""
        state = line.states[table.version]
        found = compare(table, state)
        if self.stable:
            for key, row_id in found.items():
                assert state.row_ids.setdefault(key, row_id) == row_id, (key, row_id)
            assert len(set(found.values())) == len(found)

    def compare_all(self) -> None:
        """Every version of every branch is what it was, to us and to pylance; and so are the tags."""
        for line in self.lines:
            for version, state in line.states.items():
                found = compare(self.open(line.branch, version), state)
                if self.stable:
                    assert found == {key: state.row_ids[key] for key in state.rows}
        for version, state in self.lines[0].states.items():
            theirs = lance.dataset(self.location, version=version)
            assert theirs.to_table().sort_by("id").to_pylist() == state.table(), version
            assert theirs.count_rows() == len(state.rows)
        for line in self.lines:
            for version in list(line.states)[1:]:
                self.compare_changes(line, version)
        lance.dataset(self.location).validate()
        for name, (line_number, version) in self.tags.items():
            tagged = fb.open_table(self.location, format="lance", tag=name)
            assert (tagged.branch, tagged.version) == (self.lines[line_number].branch, version)
            compare(tagged, self.lines[line_number].states[version])

    def compare_changes(self, line: Line, version: int) -> None:
        """What a version changed makes it of the one before."""
        before, after = line.states[version - 1], line.states[version]
        if before.columns != after.columns:
            return
        changed = self.open(line.branch, version).changelog_scan(version - 1, version).to_arrow().to_pylist()
        rows = dict(before.rows)
        for row in changed:
            key, kind = row["id"], row["_change_type"]
            values = {name: row[name] for name in after.columns}
            assert row["_commit_version"] == version
            if kind in ("DELETE", "UPDATE_BEFORE"):
                gone = rows.pop(key)
                assert values == {name: gone.get(name) for name in after.columns}
            else:
                assert key not in rows
                rows[key] = values
        assert State(after.columns, rows).table() == after.table(), (version, changed)

    # What is done by us.

    def append(self, line: Line, table: fb.LanceTable, one: int, two: int) -> State:
        rows = self.new_rows(1 + one % 4, two)
        state = line.newest
        table.append(pa.table({"id": list(rows), "a": [each["a"] for each in rows.values()]}))
        return state.with_rows(state.rows | rows)

    def delete(self, line: Line, table: fb.LanceTable, one: int, two: int) -> State | None:
        state = line.newest
        gone = self.some(state, one, two)
        if not gone:
            return None
        assert table.delete(among(gone)).deleted_rows == len(gone)
        return state.with_rows({key: row for key, row in state.rows.items() if key not in gone})

    def update(self, line: Line, table: fb.LanceTable, one: int, two: int) -> State | None:
        chosen = self.some(line.newest, one, two)
        return self.changed(line, table, chosen, {"s": f"u{two}"}, lambda row: row | {"s": f"u{two}"})

    def update_by_expression(self, line: Line, table: fb.LanceTable, one: int, two: int) -> State | None:
        def more(row: dict[str, Any]) -> dict[str, Any]:
            return row | {"a": None if row.get("a") is None else row["a"] + 1}

        chosen = self.some(line.newest, one, two)
        return self.changed(line, table, chosen, {"a": fb.sql_expr("a + 1")}, more)

    def changed(
        self, line: Line, table: fb.LanceTable, chosen: set[int], given: dict[str, Any], change: Any
    ) -> State | None:
        state = line.newest
        if not chosen:
            return None
        done = table.update(given, among(chosen))
        assert (done.updated_rows, done.keeps_row_ids) == (len(chosen), self.stable)
        return state.with_rows(
            {key: change(row) if key in chosen else row for key, row in state.rows.items()}
        )

    def upsert(self, line: Line, table: fb.LanceTable, one: int, two: int) -> State:
        state = line.newest
        rows = {key: {"a": two, "s": f"m{two}"} for key in self.some(state, one, two)}
        rows |= {key: {"a": row["a"], "s": f"n{two}"} for key, row in self.new_rows(1 + two % 2, one).items()}
        source = {"id": list(rows), "a": [each["a"] for each in rows.values()]}
        done = table.upsert(pa.table(source | {"s": [each["s"] for each in rows.values()]}), ["id"])
        # Rows that would not change are not written.
        known = {key: state.rows[key] for key in rows if key in state.rows}
        differs = [
            key for key, row in known.items() if any(row.get(name) != rows[key][name] for name in rows[key])
        ]
        assert done.updated_rows == len(differs)
        merged = {key: state.rows.get(key, {}) | row for key, row in rows.items()}
        return state.with_rows(state.rows | merged)

    def upsert_some_columns(self, line: Line, table: fb.LanceTable, one: int, two: int) -> State:
        state = line.newest
        rows = {key: {"a": two} for key in self.some(state, one, two)} | self.new_rows(1, one)
        table.upsert(pa.table({"id": list(rows), "a": [each["a"] for each in rows.values()]}), ["id"])
        merged = {key: state.rows.get(key, {}) | row for key, row in rows.items()}
        return state.with_rows(state.rows | merged)

    def merge(self, line: Line, table: fb.LanceTable, one: int, two: int) -> State:
        """Rows go, change, come, and change because the source lacks them."""
        state = line.newest
        rows = {key: {"a": two} for key in self.some(state, one, two)} | self.new_rows(1 + one % 2, two)
        source = pa.table({"id": list(rows), "a": [each["a"] for each in rows.values()]})
        merge = table.merge(source, on="id").when_matched_delete("target.id % 3 = 0")
        merge = merge.when_matched_update({"a": fb.col("source.a")}).when_not_matched_insert_all()
        merge.when_not_matched_by_source_update({"s": "left"}, "target.id % 2 = 0").execute()
        after = {key: row for key, row in rows.items() if key not in state.rows}
        for key, row in state.rows.items():
            if key in rows and key % 3:
                after[key] = row | {"a": two}
            elif key not in rows:
                after[key] = row | {"s": "left"} if key % 2 == 0 else row
        return state.with_rows(after)

    def feed(self, line: Line, table: fb.LanceTable, one: int, two: int) -> State:
        """Of each key the last change wins."""
        state = line.newest
        keys = [*self.some(state, one, two), *self.new_rows(2, two)]
        last = ["delete" if (key + one) % 3 == 0 else "update" for key in keys]
        changes = pa.table(
            {
                "id": [*keys, *keys],
                "a": pa.array([None] * len(keys) + [two] * len(keys), pa.int64()),
                "kind": ["insert"] * len(keys) + last,
                "at": range(2 * len(keys)),
            }
        )
        table.apply_changes(changes, keys=["id"], operation="kind", order_by="at")
        after = dict(state.rows)
        for key, kind in zip(keys, last, strict=True):
            if kind == "delete":
                after.pop(key, None)
            else:
                after[key] = after.get(key, {}) | {"a": two}
        return state.with_rows(after)

    def overwrite(self, _line: Line, table: fb.LanceTable, one: int, two: int) -> State:
        rows = {key: row | {"s": "o"} for key, row in self.new_rows(one % 4, two).items()}
        state = State(("a", "s"), rows)
        table.overwrite(arrow(state))
        return state

    def add_column(self, line: Line, table: fb.LanceTable, _one: int, _two: int) -> State:
        state, name = line.newest, self.new_name()
        table.add_columns(pa.field(name, pa.int64()))
        return state.with_columns((*state.columns, name), state.rows)

    def add_computed_column(self, line: Line, table: fb.LanceTable, one: int, _two: int) -> State:
        state, name = line.newest, self.new_name()
        table.add_columns({name: fb.sql_expr(f"id * {one + 1}")})
        rows = {key: row | {name: key * (one + 1)} for key, row in state.rows.items()}
        return state.with_columns((*state.columns, name), rows)

    def drop_column(self, line: Line, table: fb.LanceTable, one: int, _two: int) -> State | None:
        state = line.newest
        if len(state.columns) < 3:
            return None
        name = state.columns[2:][one % (len(state.columns) - 2)]
        table.drop_columns(name)
        return state.without_column(name)

    def rename_column(self, line: Line, table: fb.LanceTable, one: int, _two: int) -> State | None:
        state = line.newest
        if len(state.columns) < 3:
            return None
        old, new = state.columns[2:][one % (len(state.columns) - 2)], self.new_name()
        table.rename_columns({old: new})
        return state.with_renamed(old, new)

    def compact(self, line: Line, table: fb.LanceTable, one: int, _two: int) -> State | None:
        done = table.maintenance.compact(target_rows=2 + one)
        return None if done.version is None else line.newest.with_rows(line.newest.rows)

    def restore(self, line: Line, table: fb.LanceTable, one: int, _two: int) -> State:
        version = sorted(line.states)[one % len(line.states)]
        table.restore(version)
        old = line.states[version]
        return old.with_rows(old.rows)

    def tag(self, line: Line, table: fb.LanceTable, _one: int, _two: int) -> None:
        name = f"t{len(self.tags)}"
        table.create_tag(name)
        self.tags[name] = self.lines.index(line), table.version

    def branch(self, line: Line, table: fb.LanceTable, _one: int, _two: int) -> None:
        if len(self.lines) == 3:
            return
        name = f"b{len(self.lines)}"
        table.create_branch(name)
        handles = [self.open(name), self.open(name)]
        self.lines.append(Line(name, {table.version: line.newest}, handles))
        compare(handles[0], line.newest)

    # What both need.

    def new_rows(self, count: int, value: int) -> dict[int, dict[str, Any]]:
        keys = range(self.next_key, self.next_key + count)
        self.next_key += count
        return {key: {"a": value} for key in keys}

    def new_name(self) -> str:
        self.next_name += 1
        return f"c{self.next_name}"

    def some(self, state: State, one: int, two: int) -> set[int]:
        """Some keys, now and then all."""
        return {key for key in state.rows if one % 5 == 0 or key % (2 + one % 3) == two % (2 + one % 3)}


def compare(table: fb.LanceTable, state: State) -> dict[int, int]:
    """A version is what the model says. Returns the ids of rows by their keys."""
    found = table.scan().select("*", "_rowid").to_arrow().sort_by("id")
    assert found.column_names == ["id", *state.columns, "_rowid"]
    assert found.drop_columns(["_rowid"]).to_pylist() == state.table()
    assert table.scan().count() == len(state.rows)
    return dict(zip(found["id"].to_pylist(), found["_rowid"].to_pylist(), strict=True))


def arrow(state: State) -> pa.Table:
    """The rows of a state of the first columns."""
    schema = pa.schema(list(FIRST.items()))
    return pa.Table.from_pylist(state.table(), schema)

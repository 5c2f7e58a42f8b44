"""What pylance does to the main branch of a table whose history a model follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import lance
import pyarrow as pa

if TYPE_CHECKING:
    from .histories import Line, State

__all__ = ["FIRST", "KINDS_OF_PYLANCE", "StepsOfPylance", "among", "type_of"]

KINDS_OF_PYLANCE = (
    "pylance_append",
    "pylance_delete",
    "pylance_update",
    "pylance_upsert",
    "pylance_update_some_columns",
    "pylance_add_column",
    "pylance_drop_column",
    "pylance_rename_column",
    "pylance_restore",
    "pylance_compact",
)
FIRST = {"id": pa.int64(), "a": pa.int64(), "s": pa.string()}


class StepsOfPylance:
    """Steps of a history."""

    location: str

    def append_rows(self, line: Line, rows: dict[int, dict[str, Any]]) -> pa.Table:
        """Rows with all columns."""
        columns = ("id", *line.newest.columns)
        values = {name: [row.get(name) for row in rows.values()] for name in columns[1:]}
        schema = pa.schema([pa.field(name, type_of(name)) for name in columns])
        return pa.table({"id": list(rows), **values}, schema=schema)

    def pylance_append(self, line: Line, one: int, two: int) -> State:
        rows, state = self.new_rows(1 + one % 3, two), line.newest
        lance.write_dataset(self.append_rows(line, rows), self.location, mode="append")
        return state.with_rows(state.rows | rows)

    def pylance_delete(self, line: Line, one: int, two: int) -> State | None:
        state = line.newest
        gone = self.some(state, one, two)
        if not gone:
            return None
        lance.dataset(self.location).delete(among(gone))
        return state.with_rows({key: row for key, row in state.rows.items() if key not in gone})

    def pylance_update(self, line: Line, one: int, two: int) -> State | None:
        state = line.newest
        chosen = self.some(state, one, two)
        if not chosen:
            return None
        lance.dataset(self.location).update({"s": "'p'"}, where=among(chosen))
        return state.with_rows(
            {key: row | {"s": "p"} if key in chosen else row for key, row in state.rows.items()}
        )

    def pylance_upsert(self, line: Line, one: int, two: int) -> State | None:
        state = line.newest
        chosen = self.some(state, one, two)
        if not chosen:
            return None
        rows = {key: {"a": one, "s": "q"} for key in [*chosen, *self.new_rows(1, one)]}
        merge = lance.dataset(self.location).merge_insert("id")
        merge = merge.when_matched_update_all().when_not_matched_insert_all()
        merge.execute(self.append_rows(line, rows))
        return state.with_rows(state.rows | rows)

    def pylance_update_some_columns(self, line: Line, one: int, two: int) -> State | None:
        """Columns are written anew beside the others, in their place."""
        state = line.newest
        chosen = sorted(self.some(state, one, two))
        if not chosen:
            return None
        source = pa.table({"id": chosen, "a": pa.array([two] * len(chosen), pa.int64())})
        lance.dataset(self.location).merge_insert("id").when_matched_update_all().execute(source)
        return state.with_rows(state.rows | {key: state.rows[key] | {"a": two} for key in chosen})

    def pylance_add_column(self, line: Line, one: int, _two: int) -> State:
        state, name = line.newest, self.new_name()
        lance.dataset(self.location).add_columns({name: f"id * {one + 2}"})
        rows = {key: row | {name: key * (one + 2)} for key, row in state.rows.items()}
        return state.with_columns((*state.columns, name), rows)

    def pylance_drop_column(self, line: Line, one: int, _two: int) -> State | None:
        state = line.newest
        if len(state.columns) < 3:
            return None
        name = state.columns[2:][one % (len(state.columns) - 2)]
        lance.dataset(self.location).drop_columns([name])
        return state.without_column(name)

    def pylance_rename_column(self, line: Line, one: int, _two: int) -> State | None:
        state = line.newest
        if len(state.columns) < 3:
            return None
        old, new = state.columns[2:][one % (len(state.columns) - 2)], self.new_name()
        lance.dataset(self.location).alter_columns({"path": old, "name": new})
        return state.with_renamed(old, new)

    def pylance_restore(self, line: Line, one: int, _two: int) -> State:
        version = sorted(line.states)[one % len(line.states)]
        lance.dataset(self.location, version=version).restore()
        old = line.states[version]
        return old.with_rows(old.rows)

    def pylance_compact(self, line: Line, _one: int, _two: int) -> State | None:
        before = max(line.states)
        dataset = lance.dataset(self.location)
        dataset.optimize.compact_files(target_rows_per_fragment=100)
        if lance.dataset(self.location).version == before:
            return None
        return line.newest.with_rows(line.newest.rows)

    # What both need.

    def new_rows(self, count: int, value: int) -> dict[int, dict[str, Any]]:
        """Rows of keys that there never were."""
        raise NotImplementedError

    def new_name(self) -> str:
        """A name that no column ever had."""
        raise NotImplementedError

    def some(self, state: State, one: int, two: int) -> set[int]:
        """Some keys."""
        raise NotImplementedError


def type_of(name: str) -> pa.DataType:
    """The type of a column."""
    return FIRST.get(name, pa.int64())


def among(keys: set[int]) -> str:
    """The condition of some rows."""
    return f"id IN ({', '.join(map(str, sorted(keys)))})"

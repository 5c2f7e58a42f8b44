"""Do operations that begin on one state of a table, and end one by one, do what they would do one after the other?

All pairs of operations meet, with both modes, in every format version. `FLOEBERG_INTERLEAVINGS=2000` tries so many
rounds of each kind of table, others each time.
"""

from __future__ import annotations

import itertools
import os
import random
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import floeberg as fb
from floeberg.errors import CommitConflictError

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = pa.schema({"key": pa.int64(), "part": pa.int64(), "value": pa.int64()})
FEED = pa.schema([*SCHEMA, pa.field("op", pa.string()), pa.field("lsn", pa.int64())])
ROUNDS = int(os.environ.get("FLOEBERG_INTERLEAVINGS", "0"))
KEYS, PARTS = 14, 2
FAST = {
    "commit.retry.min-wait-ms": "1",
    "commit.retry.max-wait-ms": "2",
    "commit.manifest.min-count-to-merge": "4",
}

Row = tuple[int, int, int]
State = list[Row]


@dataclass
class Begun:
    """An operation that found its rows, and is not committed.

    Attributes:
        name: Its kind.
        commit: Commits it.
        applied: What the rows are after it.
        may_conflict: Whether a conflict is an answer, since it cannot look for its rows again.
    """

    name: str
    commit: Callable[[], Any]
    applied: Callable[[State], State]
    may_conflict: bool


class Writers:
    """A table, a model of its rows, and writers that begin on the same state of it."""

    def __init__(self, folder: Any, version: int, *, partitioned: bool, seed: object) -> None:
        self.rng = random.Random(str(seed))
        self.values = itertools.count(100)
        self.version = version
        self.catalog = fb.load_catalog("c", type="filesystem", warehouse=str(folder))
        self.catalog.create_namespace("ns")
        self.catalog.create_table(
            "ns.t",
            SCHEMA,
            format_version=version,
            partition_spec=["part"] if partitioned else [],
            properties=FAST,
        )
        self.partitioned = partitioned
        self.state: State = []
        self.seen: Counter[str] = Counter()
        """Pairs of operations, and what became of the later one."""
        self.refill()

    def refill(self) -> None:
        """There are rows again for a round."""
        if len(self.state) < KEYS // 2:
            taken = {key for key, _, _ in self.state}
            free = [key for key in range(KEYS) if key not in taken]
            rows = [self.row(key) for key in free[: KEYS // 2]]
            self.load().append(self.data(rows))
            self.state = self.state + rows

    def load(self) -> fb.Table:
        return self.catalog.load_table("ns.t")

    def row(self, key: int) -> Row:
        return key, self.rng.randrange(PARTS), next(self.values)

    @staticmethod
    def data(rows: list[Row]) -> pa.Table:
        return pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], SCHEMA)

    def keys(self, most: int = 3) -> list[int]:
        return self.rng.sample(range(KEYS), self.rng.randint(1, most))

    def source(self) -> list[Row]:
        """Rows with keys that the table may have, some of them as they are."""
        known = {row[0]: row for row in self.state}
        return [
            known[key] if key in known and self.rng.random() < 0.4 else self.row(key) for key in self.keys()
        ]

    def chosen(self) -> tuple[str, Callable[[Row], bool]]:
        """Text of a filter, and a function that holds for the same rows."""
        keys, part = self.keys(4), self.rng.randrange(PARTS)
        text = f"key IN ({', '.join(map(str, keys))})"
        if self.rng.random() < 0.3:
            return f"{text} AND part = {part}", lambda row: row[0] in keys and row[1] == part
        if self.rng.random() < 0.3:
            limit = self.rng.choice([row[2] for row in self.state] or [0])
            return f"value < {limit}", lambda row: row[2] < limit
        return text, lambda row: row[0] in keys

    # Operations.

    def begin(self) -> Begun:
        kinds = ["append", "publish", "delete", "update", "upsert", "merge", "changes", "overwrite"]
        kinds += ["rows", "files"] if self.version > 1 else ["files"]
        kinds += ["equality"] if self.version > 1 and not self.partitioned else []
        kinds += ["compact", "compact"] if self.version > 2 else []
        kind = self.rng.choice(kinds)
        table = self.load()
        staged = [self.row(key) for key in self.keys()] if kind == "publish" else []
        if staged:
            wap_id = f"w{next(self.values)}"
            table.append(self.data(staged), {"wap.id": wap_id}, stage_only=True)
        transaction = table.transaction()
        if staged:
            transaction.manage_snapshots().publish_changes(wap_id).commit()
            return Begun(
                kind, transaction.commit_transaction, lambda state: state + staged, may_conflict=False
            )
        modes = ["copy-on-write", "merge-on-read", "merge-on-read"] if self.version > 1 else ["copy-on-write"]
        on_conflict = self.rng.choice(["retry", "retry", "raise"])
        how = {"mode": self.rng.choice(modes)}
        if kind in ("delete", "update", "upsert", "merge", "changes"):
            how["on_conflict"] = on_conflict
        applied = getattr(self, f"_{kind}")(table, transaction, how)
        can_repeat = kind == "append" or how.get("on_conflict") == "retry"
        return Begun(f"{kind} {how}", transaction.commit_transaction, applied, not can_repeat)

    def _append(self, _table: Any, transaction: Any, _how: Any) -> Callable[[State], State]:
        rows = [self.row(key) for key in self.keys()]
        transaction.append(self.data(rows))
        return lambda state: state + rows

    def _delete(self, _table: Any, transaction: Any, how: Any) -> Callable[[State], State]:
        text, holds = self.chosen()
        transaction.delete(text, **how)
        return lambda state: [row for row in state if not holds(row)]

    def _update(self, _table: Any, transaction: Any, how: Any) -> Callable[[State], State]:
        text, holds = self.chosen()
        if self.rng.random() < 0.5:
            transaction.update({"value": pc.field("value") + 1000}, text, **how)
            return lambda state: [(k, p, v + 1000) if holds((k, p, v)) else (k, p, v) for k, p, v in state]
        part, value = self.rng.randrange(PARTS), next(self.values)
        transaction.update({"value": value, "part": part}, text, **how)
        return lambda state: [(row[0], part, value) if holds(row) else row for row in state]

    def _upsert(self, _table: Any, transaction: Any, how: Any) -> Callable[[State], State]:
        rows = self.source()
        updates, inserts = self.rng.choice([(True, True), (True, True), (True, False), (False, True)])
        transaction.upsert(self.data(rows), ["key"], updates, inserts, **how)
        by_key = {row[0]: row for row in rows}

        def applied(state: State) -> State:
            there = {row[0] for row in state}
            left = [by_key.get(row[0], row) if updates else row for row in state]
            return left + [row for row in rows if inserts and row[0] not in there]

        return applied

    def _changes(self, _table: Any, transaction: Any, how: Any) -> Callable[[State], State]:
        rows = self.source()
        gone = [row[0] for row in rows if self.rng.random() < 0.4]
        feed = [
            {
                **dict(zip(SCHEMA.names, row, strict=True)),
                "op": "delete" if row[0] in gone else "update",
                "lsn": 1,
            }
            for row in rows
        ]
        transaction.apply_changes(
            pa.Table.from_pylist(feed, FEED), keys=["key"], operation="op", order_by="lsn", **how
        )
        by_key = {row[0]: row for row in rows}

        def applied(state: State) -> State:
            there = {row[0] for row in state}
            left = [by_key.get(row[0], row) for row in state if row[0] not in gone]
            return left + [row for row in rows if row[0] not in there and row[0] not in gone]

        return applied

    def _merge(self, _table: Any, transaction: Any, how: Any) -> Callable[[State], State]:
        rows, rng = self.source(), self.rng
        by_key = {row[0]: row for row in rows}
        limit = rng.choice([row[2] for row in self.state] or [0])
        merge = transaction.merge(self.data(rows), on=["key"], **how)
        deletes, updates, inserts, others = (rng.random() < 0.5 for _ in range(4))
        if deletes:
            merge = merge.when_matched_delete(pc.field("target.value") < limit)
        if updates or not (deletes or inserts or others):
            updates = True
            merge = merge.when_matched_update(
                {"value": pc.field("source.value"), "part": pc.field("source.part")}
            )
        if inserts:
            merge = merge.when_not_matched_insert_all()
        if others:
            merge = merge.when_not_matched_by_source_update({"value": 7}, pc.field("target.value") < limit)
        merge.execute()

        def changed(row: Row) -> Row | None:
            if row[0] not in by_key:
                return (row[0], row[1], 7) if others and row[2] < limit else row
            if deletes and row[2] < limit:
                return None
            return by_key[row[0]] if updates else row

        def applied(state: State) -> State:
            there = {row[0] for row in state}
            left = [new for row in state if (new := changed(row)) is not None]
            return left + [row for row in rows if inserts and row[0] not in there]

        return applied

    def _overwrite(self, _table: Any, transaction: Any, how: Any) -> Callable[[State], State]:
        text, holds = self.chosen()
        rows = [self.row(key) for key in self.keys()]
        transaction.overwrite(self.data(rows), text, **how)
        return lambda state: [row for row in state if not holds(row)] + rows

    def _rows(self, table: Any, transaction: Any, _how: Any) -> Callable[[State], State]:
        """Workers deleted rows by position, and wrote others or none."""
        text, holds = self.chosen()
        recipe = table.row_delta_recipe()
        found = table.scan(text, selected_fields=("_file", "_pos")).to_arrow()
        rows = [self.row(key) for key in self.keys()] if self.rng.random() < 0.5 else []
        if not rows and not found.num_rows:
            return lambda state: state
        receipts = [recipe.delete_rows(found)]
        receipts += [recipe.write(self.data(rows), task="0")] if rows else []
        self._by_workers(table, transaction, receipts, text)
        return lambda state: [row for row in state if not holds(row)] + rows

    def _files(self, table: Any, transaction: Any, _how: Any) -> Callable[[State], State]:
        """Workers wrote the files of rows again, without these."""
        text, holds = self.chosen()
        recipe = table.row_delta_recipe()
        whole = table.scan(selected_fields=(*SCHEMA.names, "_file")).to_arrow().to_pylist()
        rows = [(tuple(each[name] for name in SCHEMA.names), each["_file"]) for each in whole]
        paths = {path for row, path in rows if holds(row)}
        kept = [row for row, path in rows if path in paths and not holds(row)]
        receipts = [recipe.replace_files(sorted(paths))]
        receipts += [recipe.write(self.data(kept), task="0")] if kept else []
        if not paths:
            return lambda state: state
        self._by_workers(table, transaction, receipts, text)
        return lambda state: [row for row in state if not holds(row)]

    def _compact(self, table: Any, transaction: Any, _how: Any) -> Callable[[State], State]:
        """Workers wrote files again as they were, with the lineage of their rows."""
        names = (*SCHEMA.names, "_row_id", "_last_updated_sequence_number")
        found = table.scan(selected_fields=(*names, "_file")).to_arrow()
        paths = sorted(set(found["_file"].to_pylist()))
        if not paths:
            return lambda state: state
        some = self.rng.sample(paths, self.rng.randint(1, len(paths)))
        kept = found.filter(pc.is_in(found["_file"], pa.array(some))).select(list(names))
        recipe = table.row_delta_recipe()
        receipts = [recipe.replace_files(some), recipe.write(kept, task="0", with_lineage=True)]
        transaction.commit_row_delta(receipts, read_snapshot_id=table.current_snapshot().snapshot_id)
        return lambda state: state

    def _equality(self, table: Any, transaction: Any, _how: Any) -> Callable[[State], State]:
        """Another engine deletes keys without looking for them."""
        keys = self.keys()
        recipe = table.row_delta_recipe(key_columns=["key"])
        receipts = [recipe.delete_keys(pa.table({"key": pa.array(keys, pa.int64())}), task="0")]
        transaction.commit_row_delta(receipts, read_snapshot_id=table.current_snapshot().snapshot_id)
        return lambda state: [row for row in state if row[0] not in keys]

    @staticmethod
    def _by_workers(table: Any, transaction: Any, receipts: Any, text: str) -> None:
        read = table.current_snapshot().snapshot_id
        transaction.commit_row_delta(receipts, read_snapshot_id=read, conflict_filter=text)

    # Rounds.

    def round(self) -> None:
        """Some begin on one state, and commit one after the other."""
        self.refill()
        begun = [self.begin() for _ in range(self.rng.randint(2, 3))]
        story = []
        for each in begun:
            try:
                done = each.commit()
                story.append(f"{each.name}: committed {done.rebased} {done.repeated}")
                self.state = each.applied(self.state)
            except CommitConflictError as conflict:
                if not each.may_conflict:
                    raise AssertionError([*story, each.name]) from conflict
                story.append(f"{each.name}: conflict")
                self.seen["conflicts"] += 1
            else:
                self.seen["committed"] += 1
            found = self.load().scan().to_arrow().to_pylist()
            rows = [tuple(row[name] for name in SCHEMA.names) for row in found]
            assert sorted(rows) == sorted(self.state), story
        if self.version == 3:
            ids = self.load().scan(selected_fields=("_row_id",)).to_arrow()["_row_id"].to_pylist()
            assert len(set(ids)) == len(ids), f"two rows have one id after {story}"


@pytest.mark.parametrize("partitioned", [False, True])
@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.timeout(0 if ROUNDS else 300)
def test_operations_on_one_state_do_what_they_would_do_one_after_the_other(tmp_path, version, partitioned):
    # Snapshots of a table are all looked at by each commit: a table is for some rounds.
    rounds, others = (ROUNDS, random.randrange(1 << 30)) if ROUNDS else (25, 0)
    seen: Counter[str] = Counter()
    for number, first in enumerate(range(0, rounds, 25)):
        seed = (version, partitioned, number, others)
        writers = Writers(tmp_path / str(number), version, partitioned=partitioned, seed=seed)
        for _ in range(first, min(first + 25, rounds)):
            try:
                writers.round()
            except AssertionError as error:
                raise AssertionError(f"{error}\nwith the seed {seed}") from error
        seen += writers.seen
    assert seen["committed"] > seen["conflicts"] > 0

"""Are concurrent changes of rows as if one came after the other, whatever their modes are?"""

from __future__ import annotations

import itertools
import random

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import CommitConflictError

SCHEMA = pa.schema({"id": pa.int64(), "part": pa.int64()})
PLACES = ("_file", "_pos")
PARTS = 3


class Writers:
    """A table, a model of its rows, and writers that begin on the same state of it."""

    def __init__(self, catalog, version, partitioned, seed):
        self.rng = random.Random(seed)
        self.new = itertools.count()
        self.catalog, self.version = catalog, version
        spec = ["part"] if partitioned else []
        self.table = catalog.create_table("ns.t", SCHEMA, format_version=version, partition_spec=spec)
        self.rows = set()
        self.committed = self.conflicts = 0
        for _ in range(3):
            added = self.some(6)
            self.table.append(self.data(added))
            self.rows |= added

    def some(self, most):
        """New rows."""
        return {(next(self.new), self.rng.randrange(PARTS)) for _ in range(self.rng.randint(1, most))}

    @staticmethod
    def data(rows):
        ids, parts = zip(*sorted(rows), strict=True)
        return pa.table({"id": ids, "part": parts}, SCHEMA)

    def chosen(self):
        """Text of a filter, and a function that holds for the same rows."""
        step, rest, part = self.rng.randint(2, 9), self.rng.randrange(9), self.rng.randrange(PARTS)
        gone = set(range(rest, 400, step))
        text = f"id IN ({', '.join(map(str, sorted(gone)))})"
        if self.rng.random() < 0.5:
            return f"{text} AND part = {part}", lambda row: row[0] in gone and row[1] == part
        return text, lambda row: row[0] in gone

    def begin(self):
        """Begins a change on the current table: what commits it, and what it makes of the rows."""
        table = self.catalog.load_table("ns.t")
        transaction = table.transaction()
        kinds = ["append", "delete", "delete", "overwrite", "rows", "files"]
        kind = self.rng.choice(kinds)
        where, holds = self.chosen()
        modes = ["copy-on-write", "merge-on-read"] if self.version > 1 else ["copy-on-write"]
        mode, added = self.rng.choice(modes), self.some(4)
        if kind == "append":
            transaction.append(self.data(added))
            return transaction, lambda rows: rows | added
        if kind == "delete":
            transaction.delete(where, mode=mode)
            return transaction, lambda rows: {row for row in rows if not holds(row)}
        if kind == "overwrite" or self.version == 1:
            transaction.overwrite(self.data(added), where, mode=mode)
            return transaction, lambda rows: {row for row in rows if not holds(row)} | added
        read = table.current_snapshot().snapshot_id
        recipe = table.row_delta_recipe()
        found = table.scan(where, selected_fields=PLACES).to_arrow()
        receipts = [recipe.write(self.data(added), task="0")]
        if kind == "rows":
            receipts.append(recipe.delete_rows(found))
        else:
            paths = set(found["_file"].to_pylist())
            whole = table.scan(selected_fields=(*SCHEMA.names, "_file")).to_arrow().to_pylist()
            kept = [(each["id"], each["part"]) for each in whole if each["_file"] in paths]
            kept = {row for row in kept if not holds(row)}
            receipts.append(recipe.replace_files(sorted(paths)))
            receipts += [recipe.write(self.data(kept), task="1")] if kept else []
        transaction.commit_row_delta(receipts, read_snapshot_id=read, conflict_filter=where)
        return transaction, lambda rows: {row for row in rows if not holds(row)} | added

    def check(self):
        found = self.catalog.load_table("ns.t").scan().to_arrow().to_pylist()
        assert sorted((each["id"], each["part"]) for each in found) == sorted(self.rows)

    def round(self):
        """Some begin on one state, and commit one after the other."""
        begun = [self.begin() for _ in range(self.rng.randint(2, 3))]
        for transaction, applied in begun:
            try:
                transaction.commit_transaction()
            except CommitConflictError:
                self.conflicts += 1
            else:
                self.committed += 1
                self.rows = applied(self.rows)
            self.check()


@pytest.mark.parametrize("partitioned", [False, True])
@pytest.mark.parametrize("version", [1, 2, 3])
def test_what_commits_is_as_if_one_came_after_the_other(tmp_path, version, partitioned):
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    writers = Writers(catalog, version, partitioned, seed=f"{version} {partitioned}")
    for _ in range(10):
        writers.round()
    assert writers.committed > 5
    assert writers.conflicts > 0

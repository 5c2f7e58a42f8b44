"""Random histories of a table, in which snapshots expire and orphans go: rows stay, and the disk has what is named."""

from __future__ import annotations

import contextlib
import itertools
import os
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import floeberg as fb
from floeberg import errors
from maintenance.disk import EVER, SCHEMA, content, named, on_disk, rows

EXAMPLES = int(os.environ.get("FLOEBERG_PROPERTIES", "0"))

REFUSED = (errors.CommitConflictError, errors.AlreadyExistsError, errors.UnsupportedError)
CHANGES = ("append", "append", "overwrite", "delete", "deletes", "keys", "upsert", "all", "again", "column")
REFS = ("branch", "tag", "untag", "back", "stage")
ORDERS = (None, "id desc", "zorder(id, part)")
REWRITES = ("compact", "compact", "manifests", "positions", "convert", "dangling", "upgrade")
UPKEEP = ("expire", "expire", "orphans", *REWRITES)
steps = st.lists(
    st.tuples(
        st.sampled_from(CHANGES + REFS + UPKEEP), st.integers(0, 9), st.sampled_from(["main", "main", "dev"])
    ),
    min_size=3,
    max_size=14,
)


class Tables:
    """A table, and what must be in it."""

    def __init__(self, folder: str, version: int, file_format: str) -> None:
        catalog = fb.load_catalog("h", type="sql", uri=f"sqlite:///{folder}/c.db", warehouse=f"{folder}/lake")
        catalog.create_namespace("db")
        properties = {"commit.manifest.min-count-to-merge": "3", "write.metadata.previous-versions-max": "3"}
        properties["write.format.default"] = file_format
        self.table = catalog.create_table(
            "db.t", SCHEMA, partition_spec=["part"], format_version=version, properties=properties
        )
        self.numbers = itertools.count()
        self.known: dict[int, list[int]] = {}
        self.dropped: set[str] = set()

    def rows(self, number: int) -> Any:
        return rows(*(next(self.numbers) for _ in range(number % 3 + 1)), part="abc"[number % 3])

    def do(self, action: str, number: int, branch: str) -> None:
        table = self.table
        branch = branch if branch in table.refs() else "main"
        if action in UPKEEP:
            self._keep_up(action, number)
        elif action in REFS and table.refs():
            self._refs(action, number)
        elif action == "column":
            with table.update_schema() as update:
                update.add_column(f"c{next(self.numbers)}", "int")
        elif action in CHANGES:
            self._change(action, number, branch)

    def _change(self, action: str, number: int, branch: str) -> None:
        table = self.table
        merged = "merge-on-read" if table.format_version > 1 else "copy-on-write"
        ids = table.scan(branch=branch).to_arrow()["id"].to_pylist() if table.refs() else []
        some = ids[number % len(ids)] if ids else -1
        if action == "append":
            table.append(self.rows(number), branch=branch)
        elif action == "overwrite":
            table.overwrite(
                self.rows(number), overwrite_filter=f"part = '{'abc'[number % 3]}'", branch=branch
            )
        elif action == "delete":
            table.delete(f"id = {some}", mode="copy-on-write", branch=branch)
        elif action == "deletes":
            table.delete(f"id >= {some}", mode=merged, branch=branch)
        elif action == "keys" and table.format_version > 1 and ids:
            self._keys(some, branch)
        elif action == "upsert" and len(set(ids)) == len(ids):
            table.upsert(rows(some, next(self.numbers), part="b"), ["id"], branch=branch)
        elif action == "all":
            table.delete("id >= 0", branch=branch)
        elif action == "again" and table.refs():
            self._again(number, branch)

    def _keys(self, key: int, branch: str) -> None:
        """Deletes a row by equality deletes."""
        some = self.table.scan(row_filter=f"id = {key}", branch=branch).to_arrow()
        changes = some.append_column("op", pa.array(["delete"] * len(some)))
        changes = changes.append_column("at", pa.array(range(len(some)), pa.int64()))
        with self.table.transaction(branch=branch) as transaction:
            transaction.apply_changes(
                changes.select(["id", "part", "op", "at"]),
                keys=["id", "part"],
                operation="op",
                order_by="at",
                mode="equality",
            )

    def _keep_up(self, action: str, number: int) -> None:
        if action == "expire":
            self._expire(number)
        elif action in REWRITES:
            branch = "dev" if number % 3 == 0 and "dev" in self.table.refs() else "main"
            self._rewrite(action, number, branch)
        else:
            self.table.maintenance.remove_orphan_files(older_than=EVER, allow_recent=True)

    def _rewrite(self, action: str, number: int, branch: str) -> None:
        """No row changes, and none loses its id."""
        before = self._lineage(branch)
        upkeep = self.table.maintenance
        every = {"rewrite-all": "true"}
        if action == "compact":
            options = every if number % 2 else {"min-input-files": str(number % 3 + 1)}
            order = ORDERS[number // 3 % len(ORDERS)]
            upkeep.rewrite_data_files(sort_order=order, options=options, branch=branch)
        elif action == "manifests":
            upkeep.rewrite_manifests(branch=branch)
        elif action == "positions":
            upkeep.rewrite_position_delete_files(options=every if number % 2 else None, branch=branch)
        elif action == "convert":
            where = {"where": f"part = '{'abc'[number % 3]}'"} if number % 2 else {}
            upkeep.convert_equality_deletes(**where, branch=branch)
        elif action == "dangling":
            upkeep.remove_dangling_deletes(branch=branch)
        elif number == 0 and self.table.format_version < 3:
            with self.table.transaction() as transaction:
                transaction.upgrade_table_version(self.table.format_version + 1)
            return
        assert self._lineage(branch) == before

    def _lineage(self, branch: str) -> list[tuple[Any, ...]]:
        """The rows of a branch, with their ids where they have any."""
        names = ("id", "part") + (("_row_id",) if self.table.format_version > 2 else ())
        scan = (
            self.table.scan(selected_fields=names, branch=branch) if self.table.refs() else self.table.scan()
        )
        return sorted(tuple(each.values()) for each in scan.to_arrow().to_pylist())

    def _again(self, number: int, branch: str) -> None:
        """A file that an older snapshot had is added again, under its path."""
        gone = sorted(
            set(self.table.inspect.all_data_files()["file_path"].to_pylist())
            - set(self.table.inspect.all_files()["file_path"].to_pylist())
        )
        if gone:
            self.table.add_files([gone[number % len(gone)]], branch=branch)

    def _refs(self, action: str, number: int) -> None:
        table, snapshots = self.table, [each.snapshot_id for each in self.table.snapshots()]
        some = snapshots[number % len(snapshots)]
        with table.manage_snapshots() as changes:
            if action == "branch" and "dev" not in table.refs():
                changes.create_branch(some, "dev")
            elif action == "tag":
                changes.create_tag(some, f"t{next(self.numbers)}")
            elif action == "untag" and (tags := [each for each in table.refs() if each.startswith("t")]):
                changes.remove_tag(tags[number % len(tags)])
            elif action == "back":
                changes.set_current_snapshot(some)
        if action == "stage":
            table.append(self.rows(number), stage_only=True)

    def _expire(self, number: int) -> None:
        table = self.table
        before, loose = on_disk(table.location()), on_disk(table.location()) - named(table)
        options: dict[str, Any] = {"older_than": EVER if number % 3 else 0, "retain_last": number % 4 + 1}
        named_by_refs = {each.snapshot_id for each in table.refs().values()}
        free = [each.snapshot_id for each in table.snapshots() if each.snapshot_id not in named_by_refs]
        if number % 2 and free:
            options["snapshot_ids"] = free[: number % 3]
        if number % 5 == 0:
            options["clean_expired_metadata"] = True
        planned = table.maintenance.expire_snapshots(**options, dry_run=True)
        done = table.maintenance.expire_snapshots(**options)
        assert (done.snapshot_ids, {*done.deleted_files}) == (planned.snapshot_ids, {*planned.deleted_files})
        assert {*done.deleted_files} == before - on_disk(table.location())
        # What nobody named before is not its business, nor are metadata files that fell out of the log.
        now = on_disk(table.location()) - named(table) - loose
        assert not {each for each in now if not each.endswith(".metadata.json")}
        for snapshot_id in done.snapshot_ids:
            self.known.pop(snapshot_id, None)

    def check(self) -> None:
        """Each snapshot has the rows that it had when it was made, and no file is missing."""
        found = content(self.table)
        for snapshot_id, ids in found.items():
            assert self.known.setdefault(snapshot_id, ids) == ids
        assert set(self.known) <= set(found)
        assert named(self.table) <= on_disk(self.table.location()) | self.dropped


@pytest.mark.parametrize("version", [1, 2, 3])
@given(file_format=st.sampled_from(["parquet", "orc"]), steps=steps)
@settings(max_examples=EXAMPLES or 12, deadline=None)
def test_rows_stay_and_files_are_those_that_are_named(version, file_format, steps):
    with tempfile.TemporaryDirectory() as folder:
        tables = Tables(folder, version, file_format)
        for step in steps:
            with contextlib.suppress(*REFUSED):
                tables.do(*step)
            tables.check()
        end = tables.table
        end.maintenance.expire_snapshots(older_than=EVER)
        end.maintenance.remove_orphan_files(older_than=EVER, allow_recent=True)
        assert on_disk(end.location()) == {each for each in named(end) if Path(each).exists()}
        tables.known = {each.snapshot_id: tables.known[each.snapshot_id] for each in end.snapshots()}
        tables.check()

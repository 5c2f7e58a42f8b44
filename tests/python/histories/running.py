"""Does the steps of a history to a table and to the model, and compares them after each."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

import floeberg as fb
from floeberg import errors
from floeberg.catalog import MemoryCatalog
from histories import columns as changing
from histories import references, specs
from histories.elsewhere import Elsewhere
from histories.model import FIRST, ID, PART, Change, Column, Columns, Node, Row, Rows, S, X, Y, Z
from histories.steps import Step

TYPES = {
    "int": pa.int32(),
    "long": pa.int64(),
    "string": pa.string(),
    "double": pa.float64(),
    "struct": pa.struct([("z", pa.int32())]),
}
NAME = "ns.t"


@dataclass
class Handle:
    """An open table, and what it knows."""

    table: fb.Table
    columns: Columns
    heads: dict[str, Node]
    tags: dict[str, Node]
    layout: int
    version: int


@dataclass
class Written:
    """Files that are in no table yet, or were taken."""

    receipt: fb.Receipt
    rows: list[Row]
    columns: Columns


@dataclass
class Tried:
    """A step that changes rows, as far as it came."""

    step: Step
    handle: Handle
    names: tuple[str, ...]
    columns: Columns
    before: Node | None
    changes: list[Change] = field(default_factory=list)


@dataclass
class History:
    """A table with its model.

    Attributes:
        catalog: Where it is.
        columns: Its columns now.
        heads: The newest snapshot of each branch.
        tags: The snapshot of each tag.
        layout: How often the spec or the sort order changed.
        renames: Old and new names of branches, and the snapshots that they had then.
        nodes: All snapshots.
        has_specs: Whether the table has several specs, so that partitions are not the values of `p` alone.
    """

    catalog: MemoryCatalog
    elsewhere: Elsewhere
    version: int
    columns: Columns = FIRST
    has_specs: bool = False
    heads: dict[str, Node] = field(default_factory=dict)
    tags: dict[str, Node] = field(default_factory=dict)
    layout: int = 0
    renames: list[tuple[str, str, frozenset[int]]] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    handles: list[Handle] = field(default_factory=list)
    receipts: list[Written] = field(default_factory=list)
    numbers: Any = field(default_factory=itertools.count)
    writes: Any = field(default_factory=itertools.count)
    ids: Any = field(default_factory=lambda: itertools.count(Z + 1))

    @staticmethod
    def begin(
        folder: Path, version: int, file_format: str, elsewhere: Elsewhere, keys: Path | None = None
    ) -> History:
        """A table without rows, open three times; encrypted by the key `customers`, where a key file is given."""
        given = {} if keys is None else {"encryption.kms-type": "file", "encryption.key-file": str(keys)}
        catalog = MemoryCatalog(f"histories-{uuid.uuid4()}", {"warehouse": str(folder), **given})
        catalog.create_namespace("ns")
        schema = pa.schema(
            [pa.field(each.name, TYPES[each.type], nullable=not each.required) for each in FIRST]
        )
        properties = {"commit.manifest.min-count-to-merge": "2", "write.format.default": file_format}
        if keys is not None:
            properties["encryption.key-id"] = "customers"
        catalog.create_table(
            NAME,
            schema,
            partition_spec=["identity(p) as part"],
            format_version=version,
            properties=properties,
        )
        history = History(catalog, elsewhere, version)
        history.handles = [history.opened() for _ in range(3)]
        return history

    def opened(self) -> Handle:
        """The table as it is now."""
        made = Handle(self.catalog.load_table(NAME), (), {}, {}, 0, 0)
        self.refresh(made)
        return made

    def refresh(self, handle: Handle) -> None:
        """A handle knows what there is now."""
        handle.table.refresh()
        handle.columns, handle.version, handle.layout = self.columns, self.version, self.layout
        handle.heads, handle.tags = dict(self.heads), dict(self.tags)

    def is_stale(self, handle: Handle) -> bool:
        """Does it stand on an old base?"""
        known = (handle.columns, handle.heads, handle.tags, handle.layout, handle.version)
        return known != (self.columns, self.heads, self.tags, self.layout, self.version)

    def do(self, step: Step) -> None:
        """Do a step."""
        handle = self.handles[step.handle]
        if self.has_specs:
            step = without_dynamic(step)
        if step.fresh:
            self.refresh(handle)
        of_actions: dict[str, Callable[[Step, Handle], object]] = {
            **dict.fromkeys(changing.ACTIONS, self._change_columns),
            **dict.fromkeys(references.ACTIONS, lambda step, handle: references.change(self, step, handle)),
            **dict.fromkeys(specs.ACTIONS, self._change_layout),
            "upgrade": lambda _, handle: self._upgrade(handle),
            "replace": lambda _, handle: self._replace(handle),
            "stage": self._stage,
            "properties": lambda step, handle: handle.table.set_properties({"step": str(step.number)}),
            "write": self._write,
        }
        of_actions.get(step.action, self._change_rows)(step, handle)
        self.refresh(handle)

    @property
    def name(self) -> str:
        """The name of the table."""
        return NAME

    # Rows.

    def rows(self, step: Step, columns: Columns) -> list[Row]:
        """Values for the rows of a step; columns that came later are null in every other row."""
        found = []
        for part, x, y, s in step.rows:
            number = next(self.numbers)
            row: Row = {ID: number, PART: part, X: x, Y: y, S: s}
            for column in columns[len(FIRST) :]:
                value: Any = number if column.type == "long" else f"{column.number}-{number}"
                row[column.number] = value if column.required or number % 2 else None
            found.append(row)
        return found

    def _write(self, step: Step, handle: Handle) -> None:
        rows = self.rows(step, handle.columns)
        self.receipts.append(Written(self._receipt(step, handle, rows), rows, handle.columns))

    def _receipt(self, step: Step, handle: Handle, rows: list[Row]) -> fb.Receipt:
        recipe, data = handle.table.write_recipe(), arrow(rows, handle.columns)
        if step.elsewhere:
            return self.elsewhere.write(recipe, data, "0")
        return recipe.write(data, task="0")

    def _occurring(self, rows: list[Row]) -> Rows:
        write = next(self.writes)
        return {(write, row[ID]): row for row in rows}

    def _change_rows(self, step: Step, handle: Handle) -> None:
        parts = step.parts if step.action == "transaction" else (step,)
        if step.action.startswith("take") and not self.receipts:
            return
        names = tuple(name_of(part) for part in parts if part.action != "properties")
        tried = Tried(step, handle, names, handle.columns, self.heads.get(step.branch))
        try:
            with handle.table.transaction(branch=step.branch, idempotency_key=step.key) as transaction:
                for part in parts:
                    if part.action.startswith("take"):
                        tried.columns = self.receipts[part.number % len(self.receipts)].columns
                    made = self._change(part, handle, transaction)
                    tried.changes += [] if made is None else [made]
                if step.beside is not None:
                    self._do_beside(step.beside)
                    tried.before = self.heads.get(step.branch)
        except errors.FloebergError as error:
            self._check_refusal(error, tried)
            return
        self._check_success(tried)

    def _do_beside(self, step: Step) -> None:
        """Another writer does a step, and is done with it."""
        handle = self.handles[step.handle]
        if self.has_specs:
            step = without_dynamic(step)
        if step.fresh:
            self.refresh(handle)
        self._change_rows(step, handle)
        self.refresh(handle)

    def _change(self, step: Step, handle: Handle, transaction: Any) -> Change | None:
        """One operation of a transaction; what the model makes of it."""
        where = step.filter.text(handle.columns)
        if step.action == "properties":
            transaction.set_properties({"step": str(step.number)})
            return None
        is_merged = handle.table.format_version > 1 and step.number % 2
        mode = "merge-on-read" if is_merged else "copy-on-write"
        if step.action == "delete":
            transaction.delete(where, mode=mode)
            return Change("delete", filter=step.filter)
        if step.action.startswith("take"):
            number = step.number % len(self.receipts)
            written = self.receipts[number]
            modes = {"take": "append", "take-overwriting": "overwrite", "take-dynamic": "dynamic-overwrite"}
            transaction.commit_receipts([written.receipt], mode=modes[step.action], overwrite_filter=where)
            return Change(name_of(step), self._occurring(written.rows), step.filter, number)
        if step.action == "update":
            return self._update(step, handle, transaction, where, mode)
        rows = self.rows(step, handle.columns)
        if step.action == "upsert":
            rows = self._known_or_new(step, rows)
        data = arrow(rows, handle.columns)
        if step.action == "upsert":
            name = next(each.name for each in handle.columns if each.number == ID)
            transaction.upsert(data, [name], mode=mode)
        elif step.action == "append":
            transaction.append(data)
        elif step.action == "overwrite":
            transaction.overwrite(data, overwrite_filter=where, mode=mode)
        else:
            transaction.dynamic_partition_overwrite(data)
        return Change(step.action, self._occurring(rows), step.filter)

    def _update(self, step: Step, handle: Handle, transaction: Any, where: str, mode: Any) -> Change | None:
        """Sets one or two columns to literals."""
        names = {each.number: each.name for each in handle.columns}
        values: Row = {X: None if step.number == 3 else step.number, Y: float(step.number)}
        values = {number: value for number, value in values.items() if number in names}
        required = {each.number for each in handle.columns if each.required}
        if not values or (values.get(X, 0) is None and X in required):
            return None
        transaction.update({names[number]: value for number, value in values.items()}, where, mode=mode)
        return Change("update", filter=step.filter, values=values)

    def _known_or_new(self, step: Step, rows: list[Row]) -> list[Row]:
        """Every other row gets the id of one that is in the table."""
        head = self.heads.get(step.branch) or self.heads.get("main")
        ids = sorted({row[ID] for row in head.rows.values()}) if head else []
        chosen = ids[step.number :: 2]
        return [
            row | {ID: chosen[number // 2]} if not number % 2 and number // 2 < len(chosen) else row
            for number, row in enumerate(rows)
        ]

    # What must have come of it.

    def _done_before(self, step: Step) -> Node | None:
        """The snapshot of an earlier commit with the key of a step, or the one that it repeats."""
        head = self.heads.get(step.branch) or self.heads.get("main")
        if step.key is None or head is None:
            return None
        works = (each for node in head.ancestry() for each in (node, node.origin()))
        return next((each for each in works if each.key == step.key and self._is_of(each, step.branch)), None)

    def _is_of(self, node: Node, branch: str) -> bool:
        """Was a snapshot made on a branch, under this name or one that it had then?"""
        if node.branch == branch:
            return True
        names = {branch}
        for old, new, snapshots in reversed(self.renames):
            if new in names:
                names.add(old)
                if old == node.branch and node.snapshot_id in snapshots:
                    return True
        return False

    def _check_refusal(self, error: errors.FloebergError, tried: Tried) -> None:
        """A step that was refused had a reason. That nothing was changed is compared afterwards."""
        done = self._done_before(tried.step)
        if isinstance(error, errors.CommitConflictError):
            reason = self.is_stale(tried.handle) or tried.columns != self.columns
            reason = reason and not self._finds_again(tried)
        elif isinstance(error, errors.AlreadyExistsError):
            head = tried.before or self.heads.get("main")
            ever = {receipt for node in (head.ancestry() if head else ()) for receipt, _ in node.files}
            reason = any(change.receipt in ever for change in tried.changes)
        elif isinstance(error, errors.InvalidInputError):
            reason = done is not None and done.operations != tried.names
        else:
            reason = False
        if not reason:
            raise error

    def _finds_again(self, tried: Tried) -> bool:
        """Does an operation have an answer to all that others did to rows?"""
        handle = tried.handle
        is_same = handle.columns == self.columns == tried.columns and handle.version == self.version
        was_removed = tried.step.branch in handle.heads and tried.step.branch not in self.heads
        names = {change.name for change in tried.changes if change.receipt is None}
        found = len(tried.changes) == 1 and bool(names & {"append", "delete", "update", "upsert"})
        return is_same and found and not was_removed

    def _check_success(self, tried: Tried) -> None:
        step = tried.step
        now = self.catalog.load_table(NAME)
        done = self._done_before(step)
        if done is not None:
            assert done.operations == tried.names, (
                f"the key {step.key} did {done.operations}, not {tried.names}"
            )
            return
        base = tried.before or self.heads.get("main")
        self._check_conflicts(tried, base)
        self._check_fits(tried)
        states = [base.rows if base else {}]
        files = base.files if base else frozenset()
        for change in tried.changes:
            states.append(change.applied(states[-1]))
            if change.receipt is not None:
                again = change.receipt in {receipt for receipt, _ in files}
                assert not again, f"receipt {change.receipt} is in the table twice"
                files |= {(change.receipt, write) for write, _ in change.rows}
            if change.name in ("delete", "overwrite", "update", "upsert"):
                changed = change.touched(states[-2])
                files = frozenset(each for each in files if each[1] not in changed)
            live = {write for write, _ in states[-1]}
            files = frozenset((receipt, write) for receipt, write in files if write in live)
        chain = new_snapshots(now, step.branch, {node.snapshot_id for node in self.nodes})
        if not chain:
            # A new column is null in old rows, whether they name it or not.
            before, after = (
                {
                    key: {name: value for name, value in row.items() if value is not None}
                    for key, row in each.items()
                }
                for each in (states[0], states[-1])
            )
            assert after == before, "nothing was committed"
            return
        after = states[1:]
        if len(chain) != len(after):
            # An operation that changes nothing leaves no snapshot.
            after = [new for old, new in itertools.pairwise(states) if new != old]
        in_step = len(chain) == len(after)
        for number, snapshot_id in enumerate(chain):
            rows = after[number] if in_step else states[-1]
            base = Node(base, rows, self.columns, step.branch, step.key, tried.names, files, snapshot_id)
            if in_step or number == len(chain) - 1:
                self.nodes.append(base)
        assert base is not None
        self.heads[step.branch] = base

    def _check_conflicts(self, tried: Tried, base: Node | None) -> None:
        """Rows that came since, and that an operation would take away without having seen them, are a conflict."""
        seen_from = tried.handle.heads.get(tried.step.branch) or tried.handle.heads.get("main")
        seen = {} if seen_from is None else seen_from.rows
        unseen = {key: row for key, row in (base.rows if base else {}).items() if key not in seen}
        for change in tried.changes:
            if change.name != "delete":
                taken = [row for row in unseen.values() if change.replaced(row)]
                assert not taken, f"{change.name} took rows that its base did not have: {taken}"
            # A delete looks for its rows when it is committed. Later operations do not meet what it took.
            unseen = {key: row for key, row in change.applied(unseen).items() if key in unseen}

    def _check_fits(self, tried: Tried) -> None:
        """No null went into a column that must hold a value."""
        there = {column.number for column in tried.columns}
        for column in self.columns:
            for row in [row for change in tried.changes for row in change.rows.values()]:
                given = row.get(column.number) if column.number in there else None
                assert not column.required or given is not None, f"{column} got no value"

    # What the table is.

    def _change_columns(self, step: Step, handle: Handle) -> None:
        change = changing.chosen(step, handle.columns, list(self.rows_anywhere()))
        if change is None:
            return
        try:
            with handle.table.update_schema(allow_incompatible_changes=True) as update:
                change.make(update)
        except (errors.CommitConflictError, errors.InvalidInputError):
            if not self.is_stale(handle):
                raise
            return
        self.columns = change.applied(self.columns)
        if self.columns and not self.columns[-1].number:
            self.columns = (*self.columns[:-1], replace(self.columns[-1], number=next(self.ids)))

    def rows_anywhere(self) -> list[Row]:
        """The rows of all branches, and those that may come by receipts."""
        live = [row for node in self.heads.values() for row in node.rows.values()]
        return live + [row for written in self.receipts for row in written.rows]

    def _change_layout(self, step: Step, handle: Handle) -> None:
        self.has_specs = self.has_specs or step.action == "respec"
        try:
            specs.change(handle.table, step, handle.columns)
        except (errors.CommitConflictError, errors.InvalidInputError):
            if not self.is_stale(handle):
                raise
            return
        self.layout += 1

    def _stage(self, step: Step, handle: Handle) -> None:
        """Appends rows to `main`, and no branch has the snapshot."""
        rows, base = self.rows(step, handle.columns), self.heads.get("main")
        wap_id = f"w{len(self.nodes)}"
        properties = {"wap.id": wap_id}
        try:
            done = handle.table.append(arrow(rows, handle.columns), properties, stage_only=True)
        except errors.CommitConflictError:
            if not self.is_stale(handle):
                raise
            return
        made = self._occurring(rows)
        self._check_fits(Tried(step, handle, ("append",), handle.columns, base, [Change("append", made)]))
        assert done.snapshot_id is not None
        node = Node(base, (base.rows if base else {}) | made, self.columns, "main", None, ("append",))
        node.files = base.files if base else frozenset()
        node.snapshot_id, node.wap_id = done.snapshot_id, wap_id
        self.nodes.append(node)

    def _replace(self, handle: Handle) -> None:
        """Another table takes the place of this one: a column of another type is another one."""
        self.refresh(handle)
        columns = tuple(
            each
            if each.number <= Z
            else Column(next(self.ids), each.name, "string" if each.type == "long" else "long")
            for each in self.columns
        )
        schema = [pa.field(each.name, TYPES[each.type], nullable=not each.required) for each in columns]
        self.catalog.replace_table(NAME, pa.schema(schema), format_version=self.version)
        self.columns, self.has_specs = columns, True
        self.layout += 1
        self.heads.pop("main", None)

    def _upgrade(self, handle: Handle) -> None:
        self.refresh(handle)
        if self.version < 3:
            self.version += 1
            handle.table.upgrade_table_version(self.version)


def name_of(step: Step) -> str:
    """What a step is to a key."""
    return {"take": "append", "take-overwriting": "overwrite", "take-dynamic": "dynamic"}.get(
        step.action, step.action
    )


def without_dynamic(step: Step) -> Step:
    """A step that does not replace partitions, but adds rows."""
    action = {"dynamic": "append", "take-dynamic": "take"}.get(step.action, step.action)
    return replace(step, action=action, parts=tuple(map(without_dynamic, step.parts)))


def arrow(rows: list[Row], columns: Columns) -> pa.Table:
    """Rows with the names that columns have."""
    data = {
        column.name: pa.array([row.get(column.number) for row in rows], TYPES[column.type])
        for column in columns
    }
    return pa.table(data)


def new_snapshots(table: fb.Table, branch: str, known: set[int]) -> list[int]:
    """The snapshots of a branch that are not known, oldest first."""
    by_id = {each.snapshot_id: each for each in table.snapshots()}
    found: list[int] = []
    refs = table.refs()
    at = refs[branch].snapshot_id if branch in refs else None
    while at is not None and at not in known:
        found.append(at)
        at = by_id[at].parent_snapshot_id
    return found[::-1]

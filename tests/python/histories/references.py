"""Changes of branches and tags, of a table and of the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg import errors
from histories.model import Columns, Node, Rows
from histories.steps import Step

if TYPE_CHECKING:
    from histories.running import Handle, History

ACTIONS = (
    "branch",
    "unbranch",
    "rename-branch",
    "tag",
    "untag",
    "rollback",
    "current",
    "forward",
    "publish",
    "pick",
)
MAIN = "main"


@dataclass(frozen=True)
class Moving:
    """A change of refs.

    Attributes:
        make: Makes it on the table.
        applied: Makes it on the model.
        is_refused: Whether it cannot be made, as no other writer's fault.
        may_conflict: Whether columns were changed since files that a branch gets were written.
        must_conflict: Whether a row that a branch gets has no value where one is required now.
    """

    make: Callable[[Any], Any]
    applied: Callable[[], object]
    is_refused: bool = False
    may_conflict: bool = False
    must_conflict: bool = False


def change(history: History, step: Step, handle: Handle) -> None:
    """Makes a change. What moves a ref conflicts if another handle moved it since."""
    moving = _chosen(history, step)
    if moving is None:
        return
    try:
        moving.make(handle.table.manage_snapshots()).commit()
    except errors.CommitConflictError:
        if not (history.is_stale(handle) or moving.may_conflict):
            raise
        return
    except (errors.InvalidInputError, errors.AlreadyExistsError):
        if not moving.is_refused:
            raise
        return
    except errors.NotFoundError as error:
        # The id of staged work is looked up in what the handle knows.
        if not (history.is_stale(handle) and "wap.id" in error.message):
            raise
        return
    assert not (moving.is_refused or moving.must_conflict), f"{step.action} should not be possible"
    moving.applied()


def _chosen(history: History, step: Step) -> Moving | None:
    """The change that a step is about; `None` where there is nothing to change."""
    branch = ("dev", "old")[step.number // 2 % 2]
    if step.action == "unbranch":
        heads = history.heads
        known = branch in heads
        return Moving(lambda it: it.remove_branch(branch), lambda: heads.pop(branch)) if known else None
    if step.action == "rename-branch":
        return _renamed(history, *(("dev", "old") if step.number % 2 else ("old", "dev")))
    if step.action == "forward":
        return _forward(history, *((MAIN, branch) if step.number % 2 else (branch, MAIN)))
    if step.action == "publish":
        return _published(history, branch, step.number) if branch in history.heads else None
    if step.action in {"tag", "untag"}:
        return _tagged(history, step)
    nodes = history.nodes
    if step.action == "rollback":
        nodes = list(history.heads[MAIN].ancestry()) if MAIN in history.heads else []
    return _at(history, step.action, nodes[step.number % len(nodes)]) if nodes else None


def _tagged(history: History, step: Step) -> Moving | None:
    """A tag is made, moved or removed."""
    tags, name = history.tags, f"t{step.number % 2}"
    if step.action == "untag":
        return Moving(lambda it: it.remove_tag(name), lambda: tags.pop(name)) if name in tags else None
    if not history.nodes:
        return None
    node = history.nodes[step.number % len(history.nodes)]
    at = node.snapshot_id
    change = (lambda it: it.replace_tag(name, at)) if name in tags else (lambda it: it.create_tag(at, name))
    return Moving(change, lambda: tags.update({name: node}))


def _at(history: History, action: str, node: Node) -> Moving | None:
    """A branch gets a snapshot, or its changes."""
    at = node.snapshot_id
    if action == "pick":
        return _picked(history, node)
    if action == "branch":
        new = _moved(history, "dev", node, lambda it: it.create_branch(at, "dev"))
        return None if "dev" in history.heads else new
    if action == "rollback":
        return _moved(history, MAIN, node, lambda it: it.rollback_to_snapshot(at))
    return _set(history, node, lambda it: it.set_current_snapshot(at))


def _moved(
    history: History, branch: str, node: Node, make: Callable[[Any], Any], *, is_refused: bool = False
) -> Moving:
    """A branch gets the snapshot of a node."""
    return Moving(
        make,
        lambda: history.heads.update({branch: node}),
        is_refused=is_refused,
        may_conflict=any(each.columns != history.columns for each in node.ancestry()),
        must_conflict=not fits(node.rows, history.columns) or loses(history, branch, node),
    )


def _set(history: History, node: Node, make: Callable[[Any], Any]) -> Moving:
    """`main` gets a snapshot, related or not."""
    is_refused = not is_related(history.heads.get(MAIN), node) and has_other_columns(node, history.columns)
    return _moved(history, MAIN, node, make, is_refused=is_refused)


def _published(history: History, branch: str, number: int) -> Moving:
    """`main` gets what a branch has."""
    node = history.heads[branch]
    ways: list[Callable[[Any], Any]] = [lambda it: it.set_current_snapshot(ref_name=branch)]
    if MAIN in history.heads:
        ways.append(lambda it: it.replace_branch(MAIN, node.snapshot_id))
    return _set(history, node, ways[number % len(ways)])


def _renamed(history: History, name: str, new: str) -> Moving | None:
    """A branch gets another name, and keeps its keys."""
    heads = history.heads
    if name not in heads or new in heads:
        return None

    def applied() -> None:
        heads[new] = heads.pop(name)
        history.renames.append((name, new, frozenset(each.snapshot_id for each in heads[new].ancestry())))

    return Moving(lambda it: it.rename_branch(name, new), applied)


def _picked(history: History, node: Node) -> Moving | None:
    """The changes of a snapshot are applied to `main`: it follows its parent, or an append is repeated."""
    heads = history.heads
    head = heads.get(MAIN)
    line = list(head.ancestry()) if head else []
    if node.wap_id is not None:

        def make(it: Any) -> Any:
            return it.publish_changes(node.wap_id)
    else:

        def make(it: Any) -> Any:
            return it.cherrypick(node.snapshot_id)

    is_applied = any(each is node or each.origin() is node.origin() for each in line)
    if not is_applied and node.parent is head:
        return _moved(history, MAIN, node, make)
    picked = history.catalog.load_table(history.name).snapshot_by_id(node.snapshot_id)
    if "replace-partitions" in picked.summary:
        # Whether others added files to the partitions is not in the model.
        return None
    receipts = {receipt for receipt, _ in node.files - (node.parent.files if node.parent else frozenset())}
    is_there = bool(receipts & {receipt for receipt, _ in (head.files if head else ())})

    def applied() -> None:
        rows = (head.rows if head else {}) | node.added()
        files = (head.files if head else frozenset()) | {each for each in node.files if each[0] in receipts}
        now = history.catalog.load_table(history.name)
        made = now.snapshot_by_name(MAIN).snapshot_id
        new = Node(head, rows, history.columns, MAIN, files=files, snapshot_id=made, source=node)
        history.nodes.append(new)
        heads[MAIN] = new

    return Moving(
        make,
        applied,
        is_refused=is_applied or is_there or picked.operation != "append",
        may_conflict=node.columns != history.columns,
        must_conflict=not fits(node.added(), history.columns),
    )


def _forward(history: History, name: str, to: str) -> Moving | None:
    """A branch goes forward to another one, if that is further."""
    heads = history.heads
    if name not in heads or to not in heads:
        return None
    node = heads[to]
    is_further = heads[name].snapshot_id in {each.snapshot_id for each in node.ancestry()}
    return _moved(history, name, node, lambda it: it.fast_forward(name, to), is_refused=not is_further)


def fits(rows: Rows, columns: Columns) -> bool:
    """Whether rows have a value wherever one is required now."""
    required = [each.number for each in columns if each.required]
    return all(row.get(number) is not None for row in rows.values() for number in required)


def loses(history: History, branch: str, node: Node) -> bool:
    """Whether a branch gets rows with values of a column whose name another one has by now."""
    head = history.heads.get(branch) or history.heads.get(MAIN)
    known = {each.snapshot_id for each in head.ancestry()} if head else set()
    here = {} if head is None else head.rows
    numbers, names = {each.number for each in history.columns}, {each.name for each in history.columns}
    for writer in node.ancestry():
        if writer.snapshot_id in known:
            continue
        gone = [each.number for each in writer.columns if each.number not in numbers and each.name in names]
        added = [row for key, row in writer.added().items() if key in node.rows and key not in here]
        if any(row.get(number) is not None for row in added for number in gone):
            return True
    return False


def is_related(one: Node | None, other: Node) -> bool:
    """Whether one of two snapshots comes from the other."""
    if one is None:
        return False
    ids = [{each.snapshot_id for each in node.ancestry()} for node in (one, other)]
    return one.snapshot_id in ids[1] or other.snapshot_id in ids[0]


def has_other_columns(node: Node, columns: Columns) -> bool:
    """Whether a column that a snapshot did not have has the name of one that it had."""
    names, numbers = {each.name for each in node.columns}, {each.number for each in node.columns}
    return any(each.number not in numbers and each.name in names for each in columns)

"""Changes of branches and tags, of a table and of the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg import errors
from histories.model import Columns, Node
from histories.steps import Step

if TYPE_CHECKING:
    from histories.running import Handle, History

ACTIONS = ("branch", "unbranch", "tag", "untag", "rollback", "current", "forward")


@dataclass(frozen=True)
class Moving:
    """A change of refs.

    Attributes:
        make: Makes it on the table.
        applied: Makes it on the model.
        is_refused: Whether it cannot be made.
    """

    make: Callable[[Any], Any]
    applied: Callable[[], object]
    is_refused: bool = False


def change(history: History, step: Step, handle: Handle) -> None:
    """Makes a change. What moves a ref conflicts if another handle moved it since."""
    moving = _chosen(history, step)
    if moving is None:
        return
    try:
        moving.make(handle.table.manage_snapshots()).commit()
    except errors.CommitConflictError:
        if not history.is_stale(handle):
            raise
        return
    except errors.InvalidInputError:
        if not moving.is_refused:
            raise
        return
    assert not moving.is_refused, f"{step.action} should not be possible"
    moving.applied()


def _chosen(history: History, step: Step) -> Moving | None:
    """The change that a step is about; `None` where there is nothing to change."""
    heads, tags, name = history.heads, history.tags, f"t{step.number % 2}"
    if step.action == "unbranch":
        return (
            Moving(lambda it: it.remove_branch("dev"), lambda: heads.pop("dev")) if "dev" in heads else None
        )
    if step.action == "untag":
        return Moving(lambda it: it.remove_tag(name), lambda: tags.pop(name)) if name in tags else None
    if step.action == "forward":
        return _forward(heads, *(("main", "dev") if step.number % 2 else ("dev", "main")))
    nodes = history.nodes
    if step.action == "rollback":
        nodes = list(heads["main"].ancestry()) if "main" in heads else []
    # Where a column is required, rows without a value cannot be read.
    nodes = [node for node in nodes if step.action == "tag" or fits(node, history.columns)]
    if not nodes:
        return None
    node = nodes[step.number % len(nodes)]
    at = node.snapshot_id
    if step.action == "tag":
        change = (
            (lambda it: it.replace_tag(name, at)) if name in tags else (lambda it: it.create_tag(at, name))
        )
        return Moving(change, lambda: tags.update({name: node}))
    if step.action == "branch":
        new = Moving(lambda it: it.create_branch(at, "dev"), lambda: heads.update(dev=node))
        return None if "dev" in heads else new
    if step.action == "rollback":
        return Moving(lambda it: it.rollback_to_snapshot(at), lambda: heads.update(main=node))
    return Moving(
        lambda it: it.set_current_snapshot(at),
        lambda: heads.update(main=node),
        is_refused=not is_related(heads.get("main"), node) and has_other_columns(node, history.columns),
    )


def _forward(heads: dict[str, Node], name: str, to: str) -> Moving | None:
    """A branch goes forward to another one, if that is further."""
    if name not in heads or to not in heads:
        return None
    node = heads[to]
    is_further = heads[name].snapshot_id in {each.snapshot_id for each in node.ancestry()}
    return Moving(
        lambda it: it.fast_forward(name, to), lambda: heads.update({name: node}), is_refused=not is_further
    )


def fits(node: Node, columns: Columns) -> bool:
    """Whether the rows of a snapshot have a value wherever one is required now."""
    required = [each.number for each in columns if each.required]
    return all(row.get(number) is not None for row in node.rows.values() for number in required)


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

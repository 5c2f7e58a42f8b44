"""Which verbs make, move and remove branches and tags, or go back?"""

from typing import Annotated, Any

import typer

from floeberg.cli.durations import age_of
from floeberg.cli.naming import check_ref, need_iceberg
from floeberg.cli.results import show_result
from floeberg.cli.session import Session, group, verb
from floeberg.errors import InvalidInputError
from floeberg.lance import LanceTable

__all__ = ["add_to"]

_MAIN = "main"

_Table = Annotated[str, typer.Argument(metavar="TABLE", help="A name or a location.", show_default=False)]
_Name = Annotated[str, typer.Argument(metavar="NAME", help="The name.", show_default=False)]
_KeepFor = Annotated[
    str | None, typer.Option(metavar="AGE", help="How long it is kept, such as 90d.", show_default=False)
]


def add_to(app: typer.Typer) -> None:
    """Adds the verbs."""
    tag = group("Makes, moves and removes tags.")
    verb(
        tag,
        "create",
        examples=("tag create sales.orders end-of-2026", "tag create sales.orders audited --snapshot-id 7"),
        reads=True,
    )(_create_tag)
    verb(tag, "replace", examples=("tag replace sales.orders audited --ref main",), reads=True)(_replace_tag)
    verb(tag, "remove", examples=("tag remove sales.orders audited --yes",), removes=True)(_remove_tag)
    app.add_typer(tag, name="tag")
    branch = group("Makes, moves and removes branches.")
    verb(branch, "create", examples=("branch create sales.orders audit",), reads=True)(_create_branch)
    verb(branch, "fast-forward", examples=("branch fast-forward sales.orders main audit",))(_fast_forward)
    verb(branch, "rename", examples=("branch rename sales.orders audit audited",))(_rename_branch)
    verb(branch, "remove", examples=("branch remove sales.orders audit --dry-run",), removes=True)(
        _remove_branch
    )
    app.add_typer(branch, name="branch")
    verb(
        app,
        "rollback",
        examples=(
            "rollback sales.orders --snapshot-id 7399586004412941856",
            "rollback sales.orders --as-of 1d",
        ),
        reads=True,
        removes=True,
    )(_rollback)


def _create_tag(session: Session, table: _Table, name: _Name, *, keep_for: _KeepFor = None) -> None:
    """Gives a snapshot a name: the current one, or the one of --snapshot-id, --ref or --as-of."""
    _create(session, table, name, keep_for, is_branch=False)


def _create_branch(session: Session, table: _Table, name: _Name, *, keep_for: _KeepFor = None) -> None:
    """Begins a branch at a snapshot: the current one, or the one of --snapshot-id, --ref or --as-of."""
    _create(session, table, name, keep_for, is_branch=True)


def _create(session: Session, table: str, name: str, keep_for: str | None, *, is_branch: bool) -> None:
    opened = session.table(table)
    if isinstance(opened, LanceTable):
        _no_age(keep_for)
        create = opened.create_branch if is_branch else opened.create_tag
        create(name)
    else:
        changes = opened.manage_snapshots()
        create = changes.create_branch if is_branch else changes.create_tag
        create(session.when.snapshot(opened), name, _milliseconds(keep_for)).commit()
    _done(session, **{"branch" if is_branch else "tag": name}, created=True)


def _replace_tag(session: Session, table: _Table, name: _Name) -> None:
    """Moves a tag to another snapshot."""
    opened = session.table(table)
    if isinstance(opened, LanceTable):
        opened.update_tag(name)
    else:
        opened.manage_snapshots().replace_tag(name, session.when.snapshot(opened)).commit()
    _done(session, tag=name, moved=True)


def _remove_tag(session: Session, table: _Table, name: _Name) -> None:
    """Removes a tag. It asks."""
    _remove(session, table, name, is_branch=False)


def _remove_branch(session: Session, table: _Table, name: _Name) -> None:
    """Removes a branch. Its snapshots expire with the next maintenance. It asks."""
    _remove(session, table, name, is_branch=True)


def _remove(session: Session, table: str, name: str, *, is_branch: bool) -> None:
    opened = session.table(table)
    kind = "branch" if is_branch else "tag"
    check_ref(opened, name, kind)
    if is_branch and name == _MAIN:
        raise InvalidInputError(f"the branch {_MAIN} cannot be removed")
    if not session.dry_run:
        session.confirm(f"Remove the {kind} {name} of {table}?")
        if isinstance(opened, LanceTable):
            remove = opened.delete_branch if is_branch else opened.delete_tag
            remove(name)
        else:
            changes = opened.manage_snapshots()
            (changes.remove_branch if is_branch else changes.remove_tag)(name).commit()
    _done(session, **{kind: name}, removed=not session.dry_run, dry_run=session.dry_run)


def _fast_forward(
    session: Session,
    table: _Table,
    name: _Name,
    to: Annotated[
        str, typer.Argument(metavar="TO", help="The branch whose snapshots it gets.", show_default=False)
    ],
) -> None:
    """Moves a branch forward to the snapshot of another one."""
    need_iceberg(session.table(table), "fast-forward").manage_snapshots().fast_forward(name, to).commit()
    _done(session, branch=name, to=to, moved=True)


def _rename_branch(
    session: Session,
    table: _Table,
    name: _Name,
    new_name: Annotated[str, typer.Argument(metavar="NEW", help="The new name.", show_default=False)],
) -> None:
    """Renames a branch."""
    need_iceberg(session.table(table), "renamed branches").manage_snapshots().rename_branch(
        name, new_name
    ).commit()
    _done(session, branch=new_name, renamed_from=name)


def _rollback(session: Session, table: _Table) -> None:
    """Makes an earlier snapshot current again; of a Lance table an earlier version. It asks."""
    when = session.when
    when.check()
    if when.snapshot_id is None and when.as_of is None and when.ref is None:
        raise InvalidInputError("expected --snapshot-id ID, --as-of TIME or --ref NAME: where to go back to")
    opened = session.table(table)
    if isinstance(opened, LanceTable):
        target: Any = opened.version
    else:
        target = when.snapshot(opened)
        _check_ancestor(opened, target)
    if not session.dry_run:
        session.confirm(f"Roll {table} back to {target}?")
        if isinstance(opened, LanceTable):
            session.place.table(table).restore(target)
        else:
            opened.manage_snapshots().rollback_to_snapshot(target).commit()
    _done(session, table=table, rolled_back_to=target, dry_run=session.dry_run)


def _check_ancestor(table: Any, snapshot_id: int) -> None:
    """Checks that a table can be rolled back to a snapshot, before anybody is asked."""
    parents = {each.snapshot_id: each.parent_snapshot_id for each in table.snapshots()}
    current = table.current_snapshot()
    at = None if current is None else current.snapshot_id
    while at is not None and at != snapshot_id:
        at = parents.get(at)
    if at is None:
        raise InvalidInputError(
            f"the table cannot be rolled back to the snapshot {snapshot_id}: it is not an ancestor of the current one"
        )


def _no_age(keep_for: str | None) -> None:
    if keep_for is not None:
        raise InvalidInputError("--keep-for: branches and tags of Lance tables have no age")


def _milliseconds(keep_for: str | None) -> int | None:
    return None if keep_for is None else int(age_of("--keep-for", keep_for).total_seconds() * 1000)


def _done(session: Session, **facts: object) -> None:
    show_result(session.output, facts)

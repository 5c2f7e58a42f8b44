"""Which verbs keep a table small, and say what it costs?"""

from pathlib import Path
from typing import Annotated, Any

import typer

from floeberg._display import bytes_shown
from floeberg.cli.costs import costs_of
from floeberg.cli.durations import age_of, iso_age
from floeberg.cli.exits import ExitCode
from floeberg.cli.output import plain
from floeberg.cli.results import facts_of, said_of
from floeberg.cli.session import Session, verb
from floeberg.errors import InvalidInputError, NotFoundError, UnsupportedError
from floeberg.lance import LanceTable
from floeberg.maintenance.policy import read_policy
from floeberg.maintenance.results.planning import MaintenancePlan

__all__ = ["add_to"]

_Table = Annotated[str, typer.Argument(metavar="TABLE", help="A name or a location.", show_default=False)]
_Policy = Annotated[
    str | None,
    typer.Option("--policy", metavar="FILE", help="A policy of maintenance in TOML.", show_default=False),
]
_OlderThan = Annotated[
    str | None,
    typer.Option(
        "--older-than", metavar="AGE", help="Snapshots of this age expire, such as 7d.", show_default=False
    ),
]
_RetainLast = Annotated[
    int | None,
    typer.Option("--retain-last", min=1, help="The newest snapshots that stay.", show_default=False),
]
_Orphans = Annotated[bool, typer.Option("--orphans", help="Orphan files too, which lists all files.")]


def add_to(app: typer.Typer) -> None:
    """Adds the verbs."""
    verb(
        app,
        "maintain",
        "maintenance",
        examples=(
            "maintain sales.orders --dry-run",
            "maintain sales.orders --older-than 7d --orphans --yes --max-seconds 600",
            "maintain ./orders.lance --older-than 7d --yes",
        ),
        removes=True,
    )(_maintain)
    verb(app, "health", examples=("health sales.orders", "health sales.orders --policy nightly.toml --json"))(
        _health
    )
    verb(app, "cost", examples=("cost sales.orders --older-than 7d", "cost sales.orders --orphans --json"))(
        _cost
    )


def _maintain(
    session: Session,
    table: _Table,
    *,
    policy: _Policy = None,
    plan: Annotated[
        str | None,
        typer.Option(
            "--plan", metavar="FILE", help="A plan that `--dry-run --json` gave.", show_default=False
        ),
    ] = None,
    older_than: _OlderThan = None,
    retain_last: _RetainLast = None,
    orphans: _Orphans = False,
    branch: Annotated[
        str | None, typer.Option(metavar="NAME", help="The branch.", show_default=False)
    ] = None,
    max_seconds: Annotated[
        float | None,
        typer.Option(min=0, help="After so many seconds nothing more begins.", show_default=False),
    ] = None,
    max_bytes: Annotated[
        int | None, typer.Option(min=0, help="The most bytes that are written again.", show_default=False)
    ] = None,
) -> None:
    """Plans what a table needs, shows the plan, asks, and does it. `--dry-run` ends after the plan."""
    session.output.check_form()
    opened = session.place.table(table)
    if isinstance(opened, LanceTable):
        given = (policy, plan, branch, max_seconds, max_bytes)
        if orphans or any(each is not None for each in given):
            raise UnsupportedError("Lance tables take --older-than and --retain-last alone")
        _maintain_lance(session, opened, older_than, retain_last)
        return
    if plan is not None and (orphans or (policy, older_than, retain_last, branch) != (None,) * 4):
        raise InvalidInputError("--plan says already what is done: leave the other options out")
    if plan is None:
        wanted = _policy_of(policy, older_than, retain_last, orphans=orphans)
        made = opened.maintenance.plan(wanted, branch=branch)
    else:
        made = _plan_of(plan)
    if session.dry_run and session.output.is_json:
        session.output.text(made.to_json())
    elif session.dry_run:
        _show_plan(session, made)
    else:
        _apply(session, table, opened, made, {"max_seconds": max_seconds, "max_bytes": max_bytes})


def _apply(session: Session, name: str, table: Any, plan: MaintenancePlan, budget: dict[str, Any]) -> None:
    """Shows a plan, asks, and does it."""
    as_json = session.output.is_json
    if not as_json:
        _show_plan(session, plan)
    if not plan.calls:
        if as_json:
            session.output.json({"results": [], "left": [], "seconds": 0})
        return
    session.confirm(f"Do {'this' if len(plan) == 1 else f'these {len(plan)} things'} to {name}?")
    done = table.maintenance.apply(plan, **budget, progress=session.shows_progress)
    results = [
        {"call": type(each).__name__.removesuffix("Result"), **facts_of(each)} for each in done.results
    ]
    if as_json:
        session.output.json({"results": results, "left": plain(done.left), "seconds": done.seconds})
        return
    session.output.grid(("call", "done"), [(each.pop("call"), _said(each)) for each in results])
    for left in done.left:
        session.output.note(f"left, since the budget was used up: {left}")


def _said(facts: dict[str, Any]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in said_of(facts).items())


def _policy_of(policy: str | None, older_than: str | None, retain_last: int | None, *, orphans: bool) -> Any:
    """The policy: that of a file or the default one, with what options say."""
    wanted = read_policy(policy)
    expiry: dict[str, Any] = {}
    if older_than is not None:
        expiry["older_than"] = iso_age("--older-than", older_than)
    if retain_last is not None:
        expiry["retain_last"] = retain_last
    if expiry:
        wanted["expire_snapshots"] = {**wanted.get("expire_snapshots", {}), **expiry}
    if orphans:
        wanted.setdefault("remove_orphan_files", {})
    return wanted


def _plan_of(path: str) -> MaintenancePlan:
    try:
        return MaintenancePlan.from_json(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise NotFoundError("the plan does not exist", context={"path": path}) from error


def _show_plan(session: Session, plan: MaintenancePlan) -> None:
    if not plan.calls:
        session.output.text("nothing is due")
        return
    rows = [
        (
            each.procedure,
            each.files,
            bytes_shown(each.bytes) if each.bytes else "",
            ", ".join(f"{name}={value}" for name, value in each.arguments.items()),
        )
        for each in plan.calls
    ]
    session.output.grid(("call", "files", "bytes", "arguments"), rows)


def _maintain_lance(
    session: Session, table: LanceTable, older_than: str | None, retain_last: int | None
) -> None:
    from datetime import timedelta  # noqa: PLC0415

    age = timedelta(days=7) if older_than is None else age_of("--older-than", older_than)
    expiry: dict[str, Any] = {"older_than": age, "retain_last": retain_last}
    maintenance = table.maintenance
    if not session.yes or session.dry_run:
        would = (maintenance.compact(dry_run=True), maintenance.cleanup(**expiry, dry_run=True))
        if session.dry_run:
            _show_both(session, *would)
            return
        for each in would:
            session.output.note(str(each))
        session.confirm(f"Do this to {table.location}?")
    _show_both(session, maintenance.compact(), maintenance.cleanup(**expiry))


def _show_both(session: Session, compaction: Any, cleanup: Any) -> None:
    if session.output.is_json:
        session.output.json({"compaction": plain(compaction), "cleanup": plain(cleanup)})
    else:
        done = {"compaction": compaction, "cleanup": cleanup}
        session.output.grid(
            ("call", "done"), [(name, _said(facts_of(each)) or "nothing") for name, each in done.items()]
        )


def _health(
    session: Session,
    table: _Table,
    *,
    policy: _Policy = None,
    orphans: _Orphans = False,
    branch: Annotated[
        str | None, typer.Option(metavar="NAME", help="The branch.", show_default=False)
    ] = None,
) -> int | None:
    """Shows what a table needs. Exits with 1 if something is to be done."""
    opened = session.place.table(table)
    if isinstance(opened, LanceTable):
        raise UnsupportedError("Lance tables have no health: use maintain --dry-run")
    found = opened.maintenance.health(policy, branch=branch, list_files=orphans)
    session.output.table(
        ("finding", "value", "of", "due", "threshold", "mended_by", "bytes"),
        [
            (
                each.name,
                int(each.value) if each.value == int(each.value) else each.value,
                None if each.of is None else int(each.of),
                each.is_due,
                each.threshold,
                None if each.call is None else each.call.procedure,
                None if each.call is None else each.call.bytes,
            )
            for each in found.findings
        ],
    )
    return ExitCode.FOUND if found.due else None


def _cost(
    session: Session,
    table: _Table,
    *,
    older_than: _OlderThan = None,
    retain_last: _RetainLast = None,
    orphans: _Orphans = False,
) -> None:
    """Shows the bytes of live files, of deletes, of old snapshots and of orphan files."""
    age = None if older_than is None else age_of("--older-than", older_than)
    costs = costs_of(session.place.table(table), age, retain_last, orphans=orphans)
    shown = [
        (
            each.name,
            each.files,
            each.bytes if session.output.is_json else bytes_shown(each.bytes),
            each.freed_by,
        )
        for each in costs
    ]
    session.output.table(("what", "files", "bytes", "freed_by"), shown)

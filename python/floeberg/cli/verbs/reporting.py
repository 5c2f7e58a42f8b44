"""Which verb makes a report?"""

from pathlib import Path
from typing import Annotated, Any

import typer

from floeberg.cli.naming import state_of
from floeberg.cli.session import Session, verb
from floeberg.cli.verbs.checking import CheckLevel
from floeberg.errors import InvalidInputError

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Adds the verb."""
    verb(
        app,
        "report",
        examples=(
            "report sales.orders",
            "report sales.orders --to orders.html --where \"country = 'de'\" --before march",
        ),
    )(_report)


def _report(
    session: Session,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="A name or a location.", show_default=False)],
    *,
    to: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file; by default NAME.html.", show_default=False),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option("--where", "-w", metavar="FILTER", help="Shows what it leaves out.", show_default=False),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(
            metavar="STATE",
            help="Shows what changed since this snapshot, version, branch, tag or time.",
            show_default=False,
        ),
    ] = None,
    after: Annotated[
        str | None,
        typer.Option(
            metavar="STATE", help="Up to this state; by default the current one.", show_default=False
        ),
    ] = None,
    level: Annotated[
        CheckLevel, typer.Option("--level", help="How deep it is checked.")
    ] = CheckLevel.MANIFESTS,
    no_check: Annotated[bool, typer.Option("--no-check", help="Checks nothing.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replaces a file that is not a report.")] = False,
) -> None:
    """Makes a report of a table: one HTML file with health, history, files, findings, and what a filter skips."""
    session.output.check_form()
    if after is not None and before is None:
        raise InvalidInputError("--after: expected --before STATE beside it")
    opened = session.place.table(table)
    given: dict[str, Any] = {"check": None if no_check else level.value}
    if where is not None:
        given["row_filter"] = where
    if before is not None:
        given["snapshots"] = (state_of(before), None if after is None else state_of(after))
    file = Path(_file_name(table)) if to is None else to
    made = opened.report(file, overwrite=force, **given)
    session.output.facts({"report": str(file), "table": made.title, "bytes": file.stat().st_size})


def _file_name(table: str) -> str:
    """The last part of a name or a location."""
    last = table.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return f"{last or 'table'}.html"

"""Which verb copies a table?"""

from typing import Annotated, Any

import typer

import floeberg as fb
from floeberg.cli.column_names import column_names
from floeberg.cli.results import show_result
from floeberg.cli.session import Session, verb

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Adds the verb."""
    verb(
        app,
        "copy",
        examples=(
            "copy lake.sales.orders ./orders.lance",
            "copy ./orders.lance lake.sales.copied --columns id,price",
        ),
        removes=True,
    )(_copy)


def _copy(
    session: Session,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The table to copy.", show_default=False)],
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="A new table, or an earlier copy.", show_default=False)
    ],
    *,
    columns: Annotated[
        str | None,
        typer.Option("--columns", metavar="NAMES", help="Columns, with commas.", show_default=False),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replaces all rows of the target.")] = False,
) -> None:
    """Copies the rows of a table to another one, of either format. A copy is brought up to date."""
    session.output.check_form()
    opened = session.place.table(source)
    named = session.place.named(target)
    if replace and not session.dry_run:
        session.confirm(f"Replace all rows of {target}?")
    if session.dry_run:
        show_result(
            session.output, {"source": source, "target": target, "rows": opened.count(), "dry_run": True}
        )
        return
    given: dict[str, Any] = {"mode": "replace"} if replace else {}
    if columns is not None:
        given["columns"] = column_names("--columns", columns)
    given["progress"] = session.shows_progress
    done = fb.copy(opened, named.shown, catalog=named.catalog, storage_options=session.place.options, **given)
    show_result(
        session.output,
        {
            "action": done.action,
            "rows": done.rows,
            "copied_from": done.copied_from,
            "copied_to": done.copied_to,
        },
    )

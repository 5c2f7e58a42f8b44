"""Which verbs read the rows of a table, or say how they would be read?"""

from typing import Annotated

import typer

from floeberg.cli.column_names import column_names
from floeberg.cli.output import Form
from floeberg.cli.rows import Rows, write_rows
from floeberg.cli.session import Session, verb
from floeberg.errors import UnsupportedError
from floeberg.lance import LanceTable

__all__ = ["add_to"]

_SHOWN = 40
"""Rows of a table that a terminal shows, unless `--limit` says another number."""

_Table = Annotated[str, typer.Argument(metavar="TABLE", help="A name or a location.", show_default=False)]
_Where = Annotated[
    str | None,
    typer.Option("--where", "-w", metavar="FILTER", help="A condition in SQL.", show_default=False),
]
_Columns = Annotated[
    str | None,
    typer.Option("--columns", metavar="NAMES", help="Columns, with commas between them.", show_default=False),
]


def add_to(app: typer.Typer) -> None:
    """Adds the verbs."""
    verb(
        app,
        "scan",
        examples=(
            "scan sales.orders --limit 10",
            "scan sales.orders --where \"country = 'de'\" --columns id,price --output csv",
            "scan sales.orders --as-of 7d --to orders.parquet",
        ),
        reads=True,
    )(_scan)
    verb(app, "count", examples=("count sales.orders --where 'price > 3'",), reads=True)(_count)
    verb(
        app,
        "plan",
        "explain",
        examples=(
            "plan sales.orders --where 'id > 7'",
            "plan sales.orders --verbose",
            "plan sales.orders --analyze",
        ),
        reads=True,
    )(_plan)


def _scan(
    session: Session,
    table: _Table,
    *,
    where: _Where = None,
    columns: _Columns = None,
    limit: Annotated[int | None, typer.Option(min=0, help="The most rows.", show_default=False)] = None,
    to: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A new file, whose name says the form.", show_default=False),
    ] = None,
) -> None:
    """Reads rows: as a table at a terminal, else with tabs, or as CSV, JSON, Parquet or Arrow."""
    opened = session.table(table)
    is_shown = to is None and session.output.form is Form.TEXT and session.output.is_terminal
    # One row more than are shown says whether there are more.
    most = _SHOWN + 1 if is_shown and limit is None else limit
    scan = session.when.scan(opened, where, _names(columns), most)
    # Rows that are shown as they come need no bar.
    rows = Rows(scan.to_arrow_batch_reader(progress=session.shows_progress if to is not None else None))
    write_rows(rows, session.output, to=to, most=_SHOWN if limit is None else limit)
    if to is not None:
        session.output.note(f"{rows.count} rows were written to {to}")


def _count(session: Session, table: _Table, *, where: _Where = None) -> None:
    """Counts rows, from metadata where that is enough."""
    rows = session.when.scan(session.table(table), where).count()
    session.output.check_form()
    if session.output.is_json:
        session.output.json({"rows": rows})
    else:
        session.output.text(rows)


def _plan(
    session: Session,
    table: _Table,
    *,
    where: _Where = None,
    columns: _Columns = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Names the files.")] = False,
    analyze: Annotated[
        bool, typer.Option("--analyze", help="Reads the rows too, and shows where the time goes.")
    ] = False,
) -> None:
    """Shows which files a scan reads, and why the others are skipped."""
    opened = session.table(table)
    scan = session.when.scan(opened, where, _names(columns))
    if isinstance(opened, LanceTable):
        if verbose:
            raise UnsupportedError("Lance tables have no --verbose: files lists their files")
        explain = scan.explain(analyze=analyze)
    else:
        explain = scan.explain(verbose=verbose, analyze=analyze)
    session.output.check_form()
    if session.output.is_json:
        session.output.json(explain)
    else:
        session.output.text(explain)


def _names(columns: str | None) -> tuple[str, ...]:
    return ("*",) if columns is None else tuple(column_names("--columns", columns))

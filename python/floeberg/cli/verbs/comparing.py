"""Which verb says what differs?"""

from enum import Enum
from typing import Annotated, Any

import typer

from floeberg.cli.column_names import column_names
from floeberg.cli.exits import ExitCode
from floeberg.cli.naming import state_of
from floeberg.cli.output import plain
from floeberg.cli.rows import Rows, write_rows
from floeberg.cli.session import Session, verb
from floeberg.errors import InvalidInputError

__all__ = ["add_to"]


class What(str, Enum):
    """What of a difference is shown."""

    SUMMARY = "summary"
    ROWS = "rows"
    FILES = "files"
    MARKDOWN = "markdown"
    PREVIEW = "preview"


def add_to(app: typer.Typer) -> None:
    """Adds the verb."""
    verb(
        app,
        "diff",
        examples=(
            "diff sales.orders 7399586004412941856",
            "diff sales.orders main audit --show rows --output jsonl",
            "diff sales.orders --other staging.orders --key id",
        ),
    )(_diff)


def _diff(
    session: Session,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="A name or a location.", show_default=False)],
    before: Annotated[
        str | None,
        typer.Argument(
            metavar="[BEFORE]", help="A snapshot, version, branch, tag or time.", show_default=False
        ),
    ] = None,
    after: Annotated[
        str | None,
        typer.Argument(metavar="[AFTER]", help="The same; by default the current state.", show_default=False),
    ] = None,
    *,
    other: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="Another table, instead of BEFORE.", show_default=False),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="The columns of the key, with commas.", show_default=False),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option("--where", "-w", metavar="FILTER", help="Compares some rows.", show_default=False),
    ] = None,
    columns: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Compares some columns.", show_default=False)
    ] = None,
    show: Annotated[What, typer.Option("--show", help="What is shown.")] = What.SUMMARY,
) -> int | None:
    """Shows what changed between two states of a table, or differs from another table. Exits with 1 if rows differ."""
    if (before is None) == (other is None):
        raise InvalidInputError("expected either BEFORE, or --other TABLE")
    opened = session.place.table(table)
    start: Any = state_of(before) if before is not None else session.place.table(str(other))
    given: dict[str, Any] = {}
    if key is not None:
        given["key"] = column_names("--key", key)
    if where is not None:
        given["row_filter"] = where
    if columns is not None:
        given["selected_fields"] = column_names("--columns", columns)
    end = {} if after is None else {"b": state_of(after)}
    found = opened.diff(start, **end, **given, **({"preview": True} if show is What.PREVIEW else {}))
    if show is What.PREVIEW:
        import pyarrow as pa  # noqa: PLC0415

        write_rows(Rows(pa.Table.from_batches([found])), session.output)
        return ExitCode.FOUND if found.num_rows else None
    if show is What.ROWS:
        rows = Rows(found.to_arrow_batch_reader())
        write_rows(rows, session.output)
        return ExitCode.FOUND if rows.count else None
    if show is What.FILES:
        import pyarrow as pa  # noqa: PLC0415

        write_rows(Rows(pa.Table.from_batches([found.files()])), session.output)
    elif show is What.MARKDOWN:
        session.output.text(found.to_markdown().rstrip("\n"))
    else:
        _summary(session, found)
    return found.exit_code() or None


def _summary(session: Session, found: Any) -> None:
    summary = found.summary()
    session.output.check_form()
    if session.output.is_json:
        session.output.json({**plain(summary), "changed_rows": summary.changed_rows})
    else:
        session.output.pairs(summary.facts())

"""Which verb says why a catalog or a store is not reached?"""

from typing import Annotated

import typer

from floeberg.catalog import check_catalog
from floeberg.catalog.check.result import CatalogCheckStep
from floeberg.cli.exits import ExitCode
from floeberg.cli.session import Session, verb
from floeberg.errors import InvalidInputError

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Adds the verb."""
    verb(
        app,
        "doctor",
        examples=(
            "doctor lake",
            "doctor lake --read-only --json",
            "doctor --option uri=https://catalog.example/api",
        ),
    )(_doctor)


def _doctor(
    session: Session,
    name: Annotated[
        str | None, typer.Argument(metavar="[CATALOG]", help="A configured catalog.", show_default=False)
    ] = None,
    *,
    table: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE", help="The table to load. By default, the first one.", show_default=False
        ),
    ] = None,
    location: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER", help="Where files are written, if not in the warehouse.", show_default=False
        ),
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Writes nothing.")] = False,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", help="How long each step may take.")] = 10.0,
) -> int | None:
    """Does each step of reaching a catalog and its store, and names the one that fails. Exits with 1 then."""
    session.output.check_form()
    if name is not None and session.place.catalog_name not in (None, name):
        raise InvalidInputError(f"--catalog: {name!r} is the catalog already")
    found = check_catalog(
        name or session.place.catalog_name,
        table=table,
        location=location,
        read_only=read_only,
        timeout=timeout,
        **session.place.options,
    )
    failed = found.failure
    if session.output.is_json:
        session.output.json(
            {
                "catalog": found.catalog,
                "kind": found.kind,
                "ok": found.ok,
                "failed": None if failed is None else failed.name,
                "steps": [_facts(each) for each in found.steps],
            }
        )
    else:
        session.output.text(found)
    return None if failed is None else ExitCode.FOUND


def _facts(step: CatalogCheckStep) -> dict[str, object]:
    error = step.error
    return {
        "name": step.name,
        "outcome": step.outcome,
        "seconds": step.seconds,
        "detail": step.detail,
        "error": None if error is None else {"kind": error.kind, "message": str(error)},
        "fix": step.fix or None,
    }

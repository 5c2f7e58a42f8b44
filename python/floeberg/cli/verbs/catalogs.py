"""Which verbs show the configuration of catalogs, and keep their pointers in a file?"""

from typing import Annotated

import typer

from floeberg._secrets import without_secrets
from floeberg.catalog.configuration import configured_name, configured_names, configured_properties
from floeberg.cli.exits import ExitCode, near
from floeberg.cli.output import plain
from floeberg.cli.results import show_result
from floeberg.cli.session import Session, group, verb
from floeberg.errors import NotFoundError

__all__ = ["add_to"]

_SHOWN = frozenset(
    {
        "type",
        "uri",
        "warehouse",
        "py-catalog-impl",
        "prefix",
        "client.region",
        "s3.region",
        "s3.endpoint",
        "auth.type",
    }
)
"""Properties that are no secrets. Of others the names are shown alone."""
_File = Annotated[str, typer.Argument(metavar="FILE", help="The file.", show_default=False)]


def add_to(app: typer.Typer) -> None:
    """Adds the verbs."""
    catalog = group("Shows, exports and restores catalogs.")
    verb(catalog, "config", examples=("catalog config", "catalog config lake --json"))(_config)
    verb(catalog, "export", examples=("catalog export lake.json --catalog lake",))(_export)
    verb(
        catalog,
        "restore",
        examples=(
            "catalog restore lake.json --catalog lake --dry-run",
            "catalog restore lake.json --catalog lake --overwrite --yes",
        ),
        removes=True,
    )(_restore)
    app.add_typer(catalog, name="catalog")


def _config(
    session: Session,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="One catalog.", show_default=False)
    ] = None,
) -> None:
    """Shows the configured catalogs. Values that may be secret are not shown."""
    known = configured_names()
    if name is not None and not configured_properties(name):
        error = NotFoundError(f"the catalog {name!r} is not configured")
        if hint := near(name, known):
            error.add_note(hint)
        raise error
    default = configured_name()
    rows = [
        (each, each == default, key, without_secrets(value) if key in _SHOWN else "(not shown)")
        for each in (known if name is None else [name])
        for key, value in sorted(configured_properties(each).items())
    ]
    session.output.table(("catalog", "default", "property", "value"), rows)


def _export(session: Session, file: _File) -> int | None:
    """Writes the names of a catalog to a file, with what they point to. Exits with 1 if one could not be loaded."""
    session.output.check_form()
    done = session.place.catalog().export(file)
    if session.output.is_json:
        session.output.json(plain(done))
    else:
        show_result(session.output, {**_counts(done), "failed": plain(done.failed)})
    return ExitCode.FOUND if done.failed else None


def _restore(
    session: Session,
    file: _File,
    *,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Tables that moved on go back: commits since then are lost.")
    ] = False,
) -> int | None:
    """Registers what a file of `catalog export` has. Exits with 1 if something could not be registered."""
    session.output.check_form()
    catalog = session.place.catalog()
    if overwrite and not session.dry_run:
        would = catalog.restore(file, overwrite=True, dry_run=True)
        session.confirm(f"Restore {file}: {len(would.tables)} tables go to what the file says?")
    done = catalog.restore(file, overwrite=overwrite, dry_run=session.dry_run)
    if session.output.is_json:
        session.output.json(plain(done))
    else:
        counts = {**_counts(done), "same": len(done.same), "newer": len(done.newer)}
        show_result(session.output, {**counts, "failed": plain(done.failed), "dry_run": done.dry_run})
    return ExitCode.FOUND if done.failed else None


def _counts(done: object) -> dict[str, object]:
    return {name: len(getattr(done, name)) for name in ("namespaces", "tables", "views")}

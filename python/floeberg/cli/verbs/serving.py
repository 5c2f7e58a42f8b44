"""Which verb lets other engines use a catalog?"""

from pathlib import Path
from typing import Annotated

import typer

from floeberg.catalog import Catalog, FileSystemCatalog, load_catalog
from floeberg.cli.naming import is_location
from floeberg.cli.session import Session, verb
from floeberg.errors import InvalidInputError, NotFoundError
from floeberg.serving import serve

__all__ = ["add_to"]


def add_to(app: typer.Typer) -> None:
    """Adds the verb."""
    verb(
        app,
        "serve",
        examples=(
            "serve ./warehouse",
            "serve lake --port 9000 --read-only",
            "serve --option uri=sqlite:///c.db",
        ),
    )(_serve)


def _serve(
    session: Session,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[CATALOG|FOLDER]",
            help="A configured catalog, or the folder of a warehouse.",
            show_default=False,
        ),
    ] = None,
    *,
    host: Annotated[str, typer.Option("--host", metavar="NAME", help="Where it listens.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", "-p", metavar="NUMBER", help="The port; 0 takes a free one.")
    ] = 8181,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            metavar="TEXT",
            envvar="FLOEBERG_SERVE_TOKEN",
            show_envvar=True,
            help="The token that clients need. By default, a new one is shown at the start. Others on this machine see "
            "the options of a command: rather set the variable.",
            show_default=False,
        ),
    ] = None,
    no_token: Annotated[
        bool, typer.Option("--no-token", help="Lets in every program of this machine.")
    ] = False,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate", metavar="FILE", help="The certificate, for https, in PEM.", show_default=False
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option("--key", metavar="FILE", help="The key of the certificate, in PEM.", show_default=False),
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Changes nothing.")] = False,
    allow_outside: Annotated[
        bool, typer.Option("--allow-outside", help="Clients may name locations outside of the warehouse.")
    ] = False,
    share_storage_options: Annotated[
        bool,
        typer.Option(
            "--share-storage-options", help="Clients get the options of the storage, with their secrets."
        ),
    ] = False,
) -> None:
    """Serves a catalog as a REST catalog, so that DuckDB, Spark, Trino and PyIceberg use its tables."""
    session.output.check_form()
    if no_token and token is not None:
        raise InvalidInputError("choose one: --token and --no-token exclude each other")
    if token == "":
        raise InvalidInputError("--token: expected a text, found an empty one; --no-token asks for none")
    serve(
        _catalog(session, name),
        host=host,
        port=port,
        token=None if no_token else token or "",
        certificate=certificate,
        key=key,
        read_only=read_only,
        allow_outside=allow_outside,
        share_storage_options=share_storage_options,
    )


def _catalog(session: Session, name: str | None) -> Catalog:
    """The catalog that a name means."""
    place = session.place
    if name is None:
        return place.catalog()
    if place.catalog_name not in (None, name):
        raise InvalidInputError(f"--catalog: {name!r} is the catalog already")
    if is_location(name):
        if "://" not in name and not Path(name).is_dir():
            what = "is a file, and not a folder" if Path(name).exists() else "does not exist"
            raise NotFoundError(
                f"the folder {what}: give the warehouse of tables that are there, or make the folder first",
                context={"path": str(Path(name).absolute())},
            )
        warehouse = name if "://" in name else str(Path(name).absolute())
        return FileSystemCatalog("warehouse", {**place.options, "warehouse": warehouse})
    if not place.options:
        return type(place)(name, {}).catalog()
    return load_catalog(name, **place.options)

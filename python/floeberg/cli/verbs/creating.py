"""Which verbs create, rename and drop namespaces and tables?"""

from pathlib import Path
from typing import Annotated, Any

import typer

from floeberg.cli.exits import near
from floeberg.cli.results import show_result
from floeberg.cli.session import Session, group, pairs_of, verb
from floeberg.errors import InvalidInputError, NotFoundError, UnsupportedError

__all__ = ["add_to"]

_Name = Annotated[str, typer.Argument(metavar="NAME", help="Its name.", show_default=False)]
_Properties = Annotated[
    list[str] | None,
    typer.Option("--property", metavar="KEY=VALUE", help="A property. May be given several times."),
]


def add_to(app: typer.Typer) -> None:
    """Adds the verbs."""
    create = group("Creates namespaces and tables.")
    verb(create, "namespace", examples=("create namespace lake.sales",))(_create_namespace)
    verb(
        create,
        "table",
        examples=("create table sales.orders --schema-of orders.parquet --partition-by 'day(ts)'",),
    )(_create_table)
    app.add_typer(create, name="create")
    drop = group("Drops namespaces, tables and views.")
    verb(drop, "namespace", examples=("drop namespace lake.sales --yes",), removes=True)(_drop_namespace)
    verb(
        drop,
        "table",
        examples=("drop table sales.orders --dry-run", "drop table sales.orders --purge --yes"),
        removes=True,
    )(_drop_table)
    verb(drop, "view", examples=("drop view sales.totals --yes",), removes=True)(_drop_view)
    app.add_typer(drop, name="drop")
    verb(app, "rename", examples=("rename sales.orders sales.orders_of_2026",))(_rename)
    verb(
        app,
        "register",
        examples=("register sales.orders s3://lake/sales/orders/metadata/00007.metadata.json",),
    )(_register)


def _of_catalog(session: Session, name: str) -> tuple[Any, tuple[str, ...]]:
    named = session.place.named(name)
    if named.catalog is None:
        raise InvalidInputError(f"expected the name of something in a catalog, found the location {name!r}")
    return named.catalog, named.levels


def _create_namespace(session: Session, name: _Name, *, given: _Properties = None) -> None:
    """Creates a namespace."""
    catalog, levels = _of_catalog(session, name)
    catalog.create_namespace(levels, pairs_of("--property", given))
    show_result(session.output, {"created": ".".join(levels)})


def _create_table(
    session: Session,
    name: _Name,
    *,
    schema_of: Annotated[
        str,
        typer.Option(
            "--schema-of", metavar="FILE", help="A file of rows whose columns it gets.", show_default=False
        ),
    ],
    partition_by: Annotated[
        list[str] | None,
        typer.Option(metavar="TRANSFORM", help="Such as day(ts). May be given several times."),
    ] = None,
    sort_by: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Such as 'id desc'. May be given several times."),
    ] = None,
    format_version: Annotated[int | None, typer.Option(help="1, 2 or 3.", show_default=False)] = None,
    given: _Properties = None,
) -> None:
    """Creates an empty table, with the columns of a file. `append --create` adds the rows too."""
    import floeberg as fb  # noqa: PLC0415

    catalog, levels = _of_catalog(session, name)
    with fb.read_files(schema_of) as reader:
        columns = reader.schema
    made = catalog.create_table(
        levels,
        columns,
        partition_spec=partition_by or None,
        sort_order=sort_by or None,
        properties=pairs_of("--property", given),
        format_version=format_version,
    )
    show_result(session.output, {"created": ".".join(levels), "location": made.location()})


def _drop_namespace(session: Session, name: _Name) -> None:
    """Drops an empty namespace. It asks."""
    catalog, levels = _of_catalog(session, name)
    if not catalog.namespace_exists(levels):
        raise _missing(catalog, "namespace", levels, catalog.list_namespaces(levels[:-1]))
    if held := [*catalog.list_tables(levels), *catalog.list_namespaces(levels)]:
        raise InvalidInputError(
            f"the namespace {'.'.join(levels)!r} is not empty: it has {'.'.join(held[0])!r}"
        )
    _drop(session, "namespace", levels, lambda: catalog.drop_namespace(levels))


def _drop_table(
    session: Session,
    name: _Name,
    *,
    purge: Annotated[bool, typer.Option("--purge", help="Removes its files too.")] = False,
) -> None:
    """Drops a table from its catalog. Its files stay, but for --purge and catalogs of folders. It asks."""
    from floeberg.catalog import FileSystemCatalog  # noqa: PLC0415

    catalog, levels = _of_catalog(session, name)
    if not catalog.table_exists(levels):
        # The error of the catalog names near matches.
        catalog.load_table(levels)
    removes_files = purge or isinstance(catalog, FileSystemCatalog)
    what = "table with all its files" if removes_files else "table"
    _drop(session, what, levels, lambda: catalog.purge_table(levels) if purge else catalog.drop_table(levels))


def _drop_view(session: Session, name: _Name) -> None:
    """Drops a view. It asks."""
    catalog, levels = _of_catalog(session, name)
    if not catalog.view_exists(levels):
        raise _missing(catalog, "view", levels, catalog.list_views(levels[:-1]))
    _drop(session, "view", levels, lambda: catalog.drop_view(levels))


def _drop(session: Session, kind: str, levels: tuple[str, ...], drop: Any) -> None:
    name = ".".join(levels)
    if not session.dry_run:
        session.confirm(f"Drop the {kind} {name}?")
        drop()
    show_result(
        session.output,
        {"name": name, "kind": kind, "dropped": not session.dry_run, "dry_run": session.dry_run},
    )


def _missing(catalog: Any, kind: str, levels: tuple[str, ...], known: Any) -> NotFoundError:
    name = ".".join(levels)
    error = NotFoundError(f"the catalog {catalog.name!r} has no {kind} {name!r}")
    if hint := near(name, [".".join(each) for each in known]):
        error.add_note(hint)
    return error


def _rename(
    session: Session,
    name: _Name,
    new_name: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.", show_default=False)],
) -> None:
    """Renames a table or a view."""
    catalog, levels = _of_catalog(session, name)
    other, target = _of_catalog(session, new_name)
    if other.name != catalog.name:
        raise UnsupportedError(f"a table is not renamed from one catalog to another: copy {name} {new_name}")
    if len(levels) > 1 and not catalog.table_exists(levels) and _has_view(catalog, levels):
        catalog.rename_view(levels, target)
    else:
        catalog.rename_table(levels, target)
    show_result(session.output, {"name": ".".join(target), "renamed_from": ".".join(levels)})


def _has_view(catalog: Any, levels: tuple[str, ...]) -> bool:
    try:
        return bool(catalog.view_exists(levels))
    except UnsupportedError:
        return False


def _register(
    session: Session,
    name: _Name,
    metadata_location: Annotated[
        str, typer.Argument(metavar="METADATA", help="The metadata file of a table.", show_default=False)
    ],
) -> None:
    """Adds a table that exists to a catalog, by its metadata file."""
    catalog, levels = _of_catalog(session, name)
    place = metadata_location if "://" in metadata_location else str(Path(metadata_location).absolute())
    catalog.register_table(levels, place)
    show_result(session.output, {"registered": ".".join(levels), "metadata_location": place})

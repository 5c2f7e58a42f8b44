"""Which verbs say what a catalog or a table has?"""

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from floeberg.cli.exits import near
from floeberg.cli.naming import is_location, need_iceberg
from floeberg.cli.rows import Rows, write_rows
from floeberg.cli.session import Session, verb
from floeberg.errors import InvalidInputError, NotFoundError, UnsupportedError
from floeberg.lance import LanceTable

if TYPE_CHECKING:
    from floeberg.catalog import Catalog

__all__ = ["add_to"]

_FILES = ("content", "file_format", "record_count", "file_size_in_bytes", "spec_id", "partition", "file_path")
_AT_A_TERMINAL = ("content", "record_count", "file_size_in_bytes", "partition", "file_path")
_OF_ALL_SNAPSHOTS = (
    "snapshot_id",
    "content",
    "file_path",
    "file_format",
    "record_count",
    "file_size_in_bytes",
)

_Table = Annotated[str, typer.Argument(metavar="TABLE", help="A name or a location.", show_default=False)]


def add_to(app: typer.Typer) -> None:
    """Adds the verbs."""
    verb(app, "ls", "list", examples=("ls", "ls lake", "ls lake.sales --json"))(_ls)
    verb(app, "files", examples=("files sales.orders", "files sales.orders --output csv"), reads=True)(_files)
    verb(app, "snapshots", examples=("snapshots sales.orders", "snapshots ./orders.lance --json"))(_snapshots)
    verb(app, "history", examples=("history sales.orders",))(_history)
    verb(app, "refs", "list-refs", examples=("refs sales.orders", "refs sales.orders --type tag"))(_refs)


def _ls(
    session: Session,
    parent: Annotated[
        str | None,
        typer.Argument(metavar="[NAMESPACE]", help="A catalog, or a namespace.", show_default=False),
    ] = None,
) -> None:
    """Lists catalogs, namespaces, tables and views."""
    from floeberg.catalog.configuration import configured_names, configured_properties  # noqa: PLC0415

    has_catalog = session.place.catalog_name is not None or bool(session.place.options)
    if parent is None and not has_catalog:
        names = configured_names()
        session.output.table(("name", "kind"), [(name, "catalog") for name in names])
        if not names:
            session.output.note(
                "no catalog is configured: write one into ~/.floeberg.yaml, or give --option warehouse=..."
            )
        return
    if parent is not None and is_location(parent) and not has_catalog:
        raise UnsupportedError(
            f"ls lists catalogs: for the tables in a folder give --option warehouse={parent}, for a table use show"
        )
    levels: tuple[str, ...] = ()
    if parent is not None and not has_catalog and configured_properties(parent):
        from floeberg.catalog import load_catalog  # noqa: PLC0415

        catalog = load_catalog(parent)
    elif parent is None:
        catalog = session.place.catalog()
    else:
        named = session.place.named(parent)
        assert named.catalog is not None  # noqa: S101 - locations were refused
        catalog, levels = named.catalog, named.levels
    session.output.table(("name", "kind"), _inside(catalog, levels))


def _inside(catalog: "Catalog", levels: tuple[str, ...]) -> list[tuple[str, str]]:
    """What a namespace holds."""
    if levels and not catalog.namespace_exists(levels):
        known = [".".join(each) for each in catalog.list_namespaces(levels[:-1])]
        error = NotFoundError(f"the catalog {catalog.name!r} has no namespace {'.'.join(levels)!r}")
        if hint := near(".".join(levels), known):
            error.add_note(hint)
        raise error
    found = [(".".join(each), "namespace") for each in sorted(catalog.list_namespaces(levels))]
    if levels:
        found += [(".".join(each), "table") for each in sorted(catalog.list_tables(levels))]
        with suppress(UnsupportedError):
            found += [(".".join(each), "view") for each in sorted(catalog.list_views(levels))]
    return found


def _files(
    session: Session,
    table: _Table,
    *,
    history: Annotated[bool, typer.Option("--history", help="Those of all snapshots, by snapshot.")] = False,
    deletes: Annotated[bool, typer.Option("--deletes", help="Delete files alone.")] = False,
) -> None:
    """Lists the data files and delete files of a table."""
    opened = session.table(table)
    if isinstance(opened, LanceTable):
        if history or deletes:
            need_iceberg(opened, "--history and --deletes: use --snapshot-id for the files of a version")
        write_rows(Rows(opened.inspect.data_files()), session.output)
        return
    if history:
        _write_columns(session, opened.inspect.to_arrow_batch_reader("all_entries"), _OF_ALL_SNAPSHOTS)
        return
    which: Any = "delete_files" if deletes else "files"
    snapshot = session.when.snapshot(opened)
    names = _AT_A_TERMINAL if session.output.is_terminal and not session.output.is_json else _FILES
    _write_columns(session, opened.inspect.to_arrow_batch_reader(which, snapshot_id=snapshot), names)


def _write_columns(session: Session, reader: Any, names: tuple[str, ...]) -> None:
    """Writes some columns of a metadata table; those of files may be inside of a struct."""
    import pyarrow as pa  # noqa: PLC0415

    def parts(batch: Any) -> dict[str, Any]:
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        if "data_file" in columns:
            inner = columns["data_file"]
            columns |= {each.name: inner.field(each.name) for each in inner.type}
        return {name: columns[name] for name in names if name in columns}

    empty = pa.RecordBatch.from_pylist([], schema=reader.schema)
    schema = pa.record_batch(parts(empty)).schema
    batches = (pa.record_batch(parts(batch)).cast(schema) for batch in reader)
    write_rows(Rows(pa.RecordBatchReader.from_batches(schema, batches)), session.output)


def _snapshots(session: Session, table: _Table) -> None:
    """Lists the snapshots of a table; of a Lance table its versions."""
    opened = session.table(table)
    found = opened.inspect.versions() if isinstance(opened, LanceTable) else opened.inspect.snapshots()
    if not session.output.is_json and "summary" in found.schema.names:
        found = found.drop_columns(["manifest_list", "summary"])
    write_rows(Rows(found), session.output)


def _history(session: Session, table: _Table) -> None:
    """Lists which snapshots were current, and since when."""
    opened = session.table(table)
    is_lance = isinstance(opened, LanceTable)
    write_rows(Rows(opened.inspect.versions() if is_lance else opened.inspect.history()), session.output)


def _refs(
    session: Session,
    table: _Table,
    *,
    kind: Annotated[
        str | None, typer.Option("--type", metavar="TYPE", help="branch or tag.", show_default=False)
    ] = None,
) -> None:
    """Lists the branches and tags of a table."""
    import pyarrow.compute as pc  # noqa: PLC0415

    if kind is not None and kind.lower() not in ("branch", "tag"):
        raise InvalidInputError(f"--type: expected branch or tag, found {kind!r}")
    found = session.table(table).inspect.refs()
    if kind is not None:
        found = found.filter(pc.equal(found["type"], kind.upper()))
    write_rows(Rows(found), session.output)

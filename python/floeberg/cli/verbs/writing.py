"""Which verbs change the rows of a table?"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

import floeberg as fb
from floeberg.cli.column_names import column_names
from floeberg.cli.naming import Named, check_ref
from floeberg.cli.results import show_result
from floeberg.cli.session import Session, pairs_of, verb
from floeberg.errors import InvalidInputError, NoSuchTableError, UnsupportedError
from floeberg.lance import LanceTable, create_table

__all__ = ["add_to"]

_STDIN = "-"
_MAIN = "main"

_Table = Annotated[str, typer.Argument(metavar="TABLE", help="A name or a location.", show_default=False)]
_Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES", help="Files, folders, patterns, or - for standard input.", show_default=False
    ),
]
_Key = Annotated[
    str | None,
    typer.Option("--key", metavar="NAMES", help="The columns of the key, with commas.", show_default=False),
]
_Delimiter = Annotated[
    str | None, typer.Option(metavar="CHARACTER", help="What separates values of CSV.", show_default=False)
]
_Branch = Annotated[
    str | None, typer.Option(metavar="NAME", help="The branch to write to.", show_default=False)
]


class FileForm(str, Enum):
    """A format of files of rows."""

    PARQUET = "parquet"
    CSV = "csv"
    JSON = "json"
    ARROW = "arrow"


_Format = Annotated[
    FileForm | None,
    typer.Option(
        "--format", help="The format of the files. By default, their names say it.", show_default=False
    ),
]


def add_to(app: typer.Typer) -> None:
    """Adds the verbs."""
    verb(
        app,
        "append",
        examples=(
            "append sales.orders orders.csv",
            "append sales.orders data/*.parquet --create --partition-by 'day(ts)'",
            "append ./orders.lance rows.jsonl --create",
        ),
    )(_append)
    verb(
        app,
        "upsert",
        examples=(
            "upsert sales.orders changes.parquet --key id",
            "upsert sales.orders new.csv --key id --dry-run",
        ),
    )(_upsert)
    verb(
        app,
        "delete",
        examples=("delete sales.orders --where 'id = 7'", "delete sales.orders --all --dry-run"),
        removes=True,
    )(_delete)


def _append(
    session: Session,
    table: _Table,
    files: _Files,
    *,
    file_format: _Format = None,
    delimiter: _Delimiter = None,
    create: Annotated[
        bool, typer.Option("--create", help="Creates the table, with the columns of the files.")
    ] = False,
    partition_by: Annotated[
        list[str] | None,
        typer.Option(metavar="TRANSFORM", help="With --create: such as day(ts). May be given several times."),
    ] = None,
    table_property: Annotated[
        list[str] | None, typer.Option("--property", metavar="KEY=VALUE", help="With --create: a property.")
    ] = None,
    merge_schema: Annotated[
        bool, typer.Option("--merge-schema", help="Adds columns that the table lacks.")
    ] = False,
    branch: _Branch = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Shows only the columns.")] = False,
) -> None:
    """Adds the rows of files: Parquet, CSV, JSON lines or Arrow. The columns are shown before."""
    session.output.check_form()
    found = _table_or_none(session, table, create=create)
    if found is not None and (partition_by or table_property):
        raise InvalidInputError("--partition-by and --property are for a new table, and the table exists")
    with _read(session, files, file_format, delimiter, found) as reader:
        if found is None or dry_run:
            _show_columns(session, reader, is_new=found is None, dry_run=dry_run)
        if dry_run:
            return
        if found is not None:
            more = _of_iceberg(found, branch, "merge" if merge_schema else None)
            result = found.append(reader, **more, **_progress(session, found))
        else:
            named = session.place.named(table)
            result = _create(
                session, named, reader, partition_by or [], pairs_of("--property", table_property)
            )
    show_result(session.output, result)


def _table_or_none(session: Session, name: str, *, create: bool) -> Any:
    try:
        return session.place.table(name)
    except NoSuchTableError as error:
        if create:
            return None
        error.add_note("--create makes the table of the files")
        raise


def _create(
    session: Session, named: Named, reader: Any, partition_by: list[str], properties: dict[str, str]
) -> dict[str, object]:
    """Makes the table with its first rows, in one commit."""
    is_lance = named.location is not None and named.location.rstrip("/").endswith(".lance")
    if is_lance:
        if partition_by:
            raise InvalidInputError("--partition-by: Lance tables have no partitions")
        made: Any = create_table(
            named.shown, reader, config=properties, storage_options=session.place.options
        )
        return {"created": made.location, "version": made.version, "rows": made.count()}
    catalog, levels = named.catalog, named.levels
    if catalog is None:
        catalog, levels = _folder_catalog(named.shown, session.place.options)
    catalog.create_namespace_if_not_exists(levels[:-1])
    made = catalog.create_table(
        levels, as_select=reader, partition_spec=partition_by or None, properties=properties
    )
    return {"created": made.location(), "snapshot": made.current_snapshot().snapshot_id, "rows": made.count()}


def _folder_catalog(location: str, options: dict[str, str]) -> tuple[Any, tuple[str, ...]]:
    """The catalog of folders that a location is in, and the name of its table there."""
    path = location if "://" in location else str(Path(location).absolute())
    *warehouse, namespace, name = path.rstrip("/").split("/")
    if not namespace or not "".join(warehouse).strip(":"):
        raise InvalidInputError(
            "expected the folder of a table in that of a namespace, as in warehouse/sales/orders",
            context={"path": location},
        )
    return fb.load_catalog("folders", type="filesystem", **{**options, "warehouse": "/".join(warehouse)}), (
        namespace,
        name,
    )


@contextmanager
def _read(
    session: Session, files: list[str], form: FileForm | None, delimiter: str | None, table: Any
) -> Iterator[Any]:
    """The rows of files. Texts get the types that the table has. Where the write shows no progress, the read does."""
    progress = None if table is not None and _progress(session, table) else session.shows_progress
    known = None
    if table is not None:
        known = table.schema() if isinstance(table, LanceTable) else table.schema().as_arrow()
    given: Any = None if form is None else form.value
    with tempfile.TemporaryDirectory() as folder:
        paths: list[Any] = [_kept(folder, form) if each == _STDIN else each for each in files]
        with fb.read_files(paths, given, schema=known, delimiter=delimiter, progress=progress) as reader:
            yield reader


def _kept(folder: str, form: FileForm | None) -> str:
    """Standard input as a file: its beginning is read twice."""
    if form is None:
        raise InvalidInputError("--format: standard input has no name that says its format")
    path = Path(folder, f"stdin.{form.value}")
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return str(path)


def _show_columns(session: Session, reader: Any, *, is_new: bool, dry_run: bool) -> None:
    columns = {each.name: str(each.type) for each in reader.schema}
    if session.output.is_json and dry_run:
        session.output.json({"columns": columns, "create": is_new, "dry_run": True})
        return
    session.output.note("columns of the new table:" if is_new else "columns of the files:")
    for name, kind in columns.items():
        session.output.note(f"  {name}: {kind}")


def _of_iceberg(table: Any, branch: str | None, schema_mode: str | None = None) -> dict[str, Any]:
    """The arguments that Iceberg tables alone have.

    Raises:
        UnsupportedError: One is given for a Lance table.
        NotFoundError: The branch does not exist.
    """
    given = {"branch": branch, "schema_mode": schema_mode}
    more = {name: value for name, value in given.items() if value is not None}
    if more and isinstance(table, LanceTable):
        raise UnsupportedError("Lance tables take no --branch and no --merge-schema")
    if branch is not None and branch != _MAIN:
        # The package begins a branch that is not there: here it may be a typing error.
        check_ref(table, branch, "branch")
    return more


def _progress(session: Session, table: Any) -> dict[str, Any]:
    """What shows the progress of a write: Iceberg tables do, at a terminal."""
    return {} if isinstance(table, LanceTable) or not session.shows_progress else {"progress": True}


def _upsert(
    session: Session,
    table: _Table,
    files: _Files,
    *,
    key: _Key = None,
    file_format: _Format = None,
    delimiter: _Delimiter = None,
    branch: _Branch = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Shows only what would change.")] = False,
) -> None:
    """Updates rows by their keys, and inserts the others."""
    session.output.check_form()
    found = session.place.table(table)
    keys = None if key is None else column_names("--key", key)
    if keys is None and isinstance(found, LanceTable):
        raise InvalidInputError("--key: expected the columns of the key")
    more = _of_iceberg(found, branch)
    with _read(session, files, file_format, delimiter, found) as reader:
        result = found.upsert(reader, keys, dry_run=dry_run, **more, **_progress(session, found))
    show_result(session.output, result)


def _delete(
    session: Session,
    table: _Table,
    *,
    where: Annotated[
        str | None,
        typer.Option("--where", "-w", metavar="FILTER", help="A condition in SQL.", show_default=False),
    ] = None,
    delete_all: Annotated[bool, typer.Option("--all", help="All rows.")] = False,
    branch: _Branch = None,
) -> None:
    """Deletes the rows that match a condition. It counts them first, and asks."""
    session.output.check_form()
    if (where is None) == (not delete_all):
        raise InvalidInputError("expected either --where FILTER or --all")
    found = session.place.table(table)
    given: dict[str, Any] = {"delete_all": True} if delete_all else {"delete_filter": where}
    given |= _of_iceberg(found, branch)
    if session.dry_run or not session.yes:
        would = found.delete(**given, dry_run=True)
        if session.dry_run or not would.deleted_rows:
            show_result(session.output, would)
            return
        session.confirm(f"Delete {would.deleted_rows:,} rows of {table}?")
    show_result(session.output, found.delete(**given))

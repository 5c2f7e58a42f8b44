"""Which verbs take tables over, and export them?"""

import sys
from enum import Enum
from typing import Annotated

import typer

import floeberg as fb
from floeberg.cli.column_names import column_names
from floeberg.cli.durations import time_of
from floeberg.cli.exits import ExitCode
from floeberg.cli.results import show_result
from floeberg.cli.session import Session, pairs_of, verb
from floeberg.exporting.exporting import export_scan
from floeberg.takeover import TakeoverResult

__all__ = ["add_to"]

_Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE", help="A folder of files, a Delta table or a Lance table.", show_default=False
    ),
]
_Version = Annotated[
    int | None, typer.Option(metavar="NUMBER", help="The version of the source.", show_default=False)
]
_AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of", metavar="TIME", help="The same by a time, or an age such as 7d.", show_default=False
    ),
]
_Properties = Annotated[
    list[str] | None,
    typer.Option("--property", metavar="KEY=VALUE", help="A property of the new table.", show_default=False),
]


class Codec(str, Enum):
    """A codec of Parquet files."""

    ZSTD = "zstd"
    SNAPPY = "snappy"
    GZIP = "gzip"
    LZ4 = "lz4"
    BROTLI = "brotli"
    NONE = "none"


def add_to(app: typer.Typer) -> None:
    """Adds the verbs."""
    verb(
        app,
        "snapshot-table",
        examples=(
            "snapshot-table ./old/orders lake.sales.orders",
            "snapshot-table ./delta/orders ./iceberg/orders --version 12",
        ),
        removes=True,
    )(_snapshot)
    verb(
        app,
        "migrate-table",
        examples=("migrate-table ./old/orders", "migrate-table ./delta/orders lake.sales.orders --dry-run"),
        removes=True,
    )(_migrate)
    verb(
        app,
        "export",
        examples=(
            "export sales.orders ./orders",
            "export sales.orders ./orders --where \"country = 'de'\" --partition-by country --as-of 7d",
        ),
        reads=True,
    )(_export)
    verb(app, "verify", examples=("verify ./orders",))(_verify)


def _snapshot(
    session: Session,
    source: _Source,
    target: Annotated[
        str,
        typer.Argument(metavar="TARGET", help="A new table: a name, or a new folder.", show_default=False),
    ],
    *,
    version: _Version = None,
    as_of: _AsOf = None,
    properties: _Properties = None,
) -> None:
    """Makes a table beside a source, which refers to its files."""
    session.output.check_form()
    named = session.place.named(target)
    done = fb.snapshot_table(
        source,
        named.shown,
        catalog=named.catalog,
        version=version,
        as_of=None if as_of is None else time_of("--as-of", as_of),
        properties=pairs_of("--property", properties),
        dry_run=session.dry_run,
        storage_options=session.place.options if named.catalog is None else {},
        progress=sys.stderr.isatty(),
    )
    _show(session, done)


def _migrate(
    session: Session,
    source: _Source,
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The name of the new table in a catalog.", show_default=False),
    ] = None,
    *,
    version: _Version = None,
    as_of: _AsOf = None,
    properties: _Properties = None,
) -> None:
    """Makes a table in the folder of a source. The folder keeps its files, and gets metadata."""
    session.output.check_form()
    named = None if name is None else session.place.named(name)
    if not session.dry_run:
        session.confirm(f"Make a table in the folder {source}?")
    done = fb.migrate_table(
        source,
        catalog=None if named is None else named.catalog,
        identifier=None if named is None else named.shown,
        version=version,
        as_of=None if as_of is None else time_of("--as-of", as_of),
        properties=pairs_of("--property", properties),
        dry_run=session.dry_run,
        storage_options=session.place.options if named is None else {},
        progress=sys.stderr.isatty(),
    )
    _show(session, done)


def _show(session: Session, done: TakeoverResult) -> None:
    shown = {
        "source_format": done.source_format,
        "source_version": done.source_version,
        "action": done.action,
        "data_files": done.data_files,
        "rows": done.rows,
        "deleted_rows": done.deleted_rows,
        "not_enforced": list(done.not_enforced),
        "dry_run": done.dry_run,
    }
    show_result(session.output, shown)
    if done.not_enforced and not session.output.is_json:
        session.output.note(f"not enforced by the new table: {', '.join(done.not_enforced)}")


def _export(
    session: Session,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="A name or a location.", show_default=False)],
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="A new folder.", show_default=False)],
    *,
    where: Annotated[
        str | None,
        typer.Option("--where", "-w", metavar="FILTER", help="A condition in SQL.", show_default=False),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option("--columns", metavar="NAMES", help="Columns, with commas.", show_default=False),
    ] = None,
    partition_by: Annotated[
        str | None,
        typer.Option(
            "--partition-by",
            metavar="NAMES",
            help="Columns, with commas, whose values are folders.",
            show_default=False,
        ),
    ] = None,
    compression: Annotated[Codec, typer.Option(help="The codec of the files.")] = Codec.ZSTD,
    no_checksums: Annotated[bool, typer.Option("--no-checksums", help="Leaves out SHA256SUMS.")] = False,
) -> None:
    """Writes rows as plain Parquet files with a list of checksums."""
    session.output.check_form()
    opened = session.table(table)
    names = ("*",) if columns is None else tuple(column_names("--columns", columns))
    scan = session.when.scan(opened, where, names)
    done = export_scan(
        scan,
        folder,
        at=getattr(scan, "snapshot_id", None),
        partition_by=() if partition_by is None else column_names("--partition-by", partition_by),
        checksums=not no_checksums,
        compression=compression.value,
        progress=sys.stderr.isatty(),
    )
    show_result(
        session.output,
        {
            "folder": done.folder,
            "files": list(done.files),
            "rows": done.rows,
            "size_in_bytes": done.size_in_bytes,
        },
    )


def _verify(
    session: Session,
    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="The folder of an export.", show_default=False)
    ],
) -> int | None:
    """Compares the files of an export with their checksums."""
    session.output.check_form()
    found = fb.verify_export(folder)
    show_result(
        session.output,
        {
            "files": found.files,
            "changed": list(found.changed),
            "missing": list(found.missing),
            "unlisted": list(found.unlisted),
        },
    )
    return None if found.is_whole else ExitCode.FOUND

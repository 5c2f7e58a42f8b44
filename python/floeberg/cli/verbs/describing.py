"""Which verbs describe a table, a view or a namespace?"""

import sys
from enum import Enum
from typing import Annotated, Any

import typer

from floeberg import __version__
from floeberg.cli.naming import Named, need_iceberg
from floeberg.cli.output import Output
from floeberg.cli.session import Session, verb
from floeberg.errors import NoSuchNamespaceError, NoSuchTableError
from floeberg.lance import LanceTable

__all__ = ["add_to"]

_Table = Annotated[str, typer.Argument(metavar="TABLE", help="A name or a location.", show_default=False)]


class Part(str, Enum):
    """A part of what is known about a table."""

    TABLE = "table"
    SCHEMA = "schema"
    SPEC = "spec"
    REFS = "refs"
    HISTORY = "history"
    PROPERTIES = "properties"


def add_to(app: typer.Typer) -> None:
    """Adds the verbs."""
    verb(
        app,
        "show",
        "describe",
        examples=("show sales.orders", "show sales.orders properties --json"),
        reads=True,
    )(_show)
    verb(app, "schema", examples=("schema sales.orders", "schema ./orders.lance --as-of 7d"), reads=True)(
        _schema
    )
    verb(app, "spec", examples=("spec sales.orders",))(_spec)
    verb(app, "uuid", examples=("uuid sales.orders",))(_uuid)
    verb(app, "location", examples=("location sales.orders",))(_location)
    verb(app, "version", examples=("version",))(_version)


def _show(
    session: Session,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A table, a view or a namespace.", show_default=False)
    ],
    part: Annotated[Part | None, typer.Argument(help="One part alone.", show_default=False)] = None,
) -> None:
    """Shows a table: what it is, its columns, spec, refs, history and properties. Views and namespaces too."""
    named = session.place.named(name)
    if named.catalog is not None and len(named.levels) == 1:
        if not _show_other(session, named):
            raise NoSuchNamespaceError(f"the catalog {named.catalog.name!r} has no namespace {named.shown!r}")
        return
    try:
        table = session.table(name)
    except NoSuchTableError:
        if part is not None or not _show_other(session, named):
            raise
        return
    parts = (
        {part: _PARTS[part](session, table)}
        if part
        else {each: _PARTS[each](session, table) for each in Part}
    )
    output = session.output
    output.check_form()
    if output.is_json:
        output.json(
            next(iter(parts.values())) if part else {each.value: found for each, found in parts.items()}
        )
        return
    for each, found in parts.items():
        _show_part(output, each, found, is_alone=part is not None)


def _show_part(output: Output, part: Part, found: Any, *, is_alone: bool) -> None:
    """Shows a part as text, below its name unless it is alone."""
    if not is_alone and not output.is_terminal:
        output.text(f"# {part.value}")
    elif not is_alone and part is not Part.TABLE:
        output.text("")
    title = None if is_alone else part.value
    if part is Part.TABLE:
        output.pairs({name.replace("_", " "): value for name, value in found.items()}, title)
    elif isinstance(found, dict):
        output.pairs(found, title)
    else:
        output.grid(list(found[0]) if found else ["none"], [list(row.values()) for row in found], title)


def _show_other(session: Session, named: Named) -> bool:
    """Shows a view or a namespace, if the name is one of these."""
    catalog = named.catalog
    if catalog is None:
        return False
    if len(named.levels) > 1 and catalog.view_exists(named.levels):
        view = catalog.load_view(named.levels)
        texts = {each.dialect: each.sql for each in view.current_version().representations}
        facts = {"name": ".".join(view.name()), "kind": "view", "location": view.location(), "sql": texts}
        session.output.facts({**facts, "properties": view.properties})
        return True
    if not catalog.namespace_exists(named.levels):
        return False
    properties = catalog.load_namespace_properties(named.levels)
    session.output.facts({"name": named.shown, "kind": "namespace", "properties": properties})
    return True


def _of_table(session: Session, table: Any) -> dict[str, object]:
    if isinstance(table, LanceTable):
        return {
            "location": table.location,
            "format": "lance",
            "version": table.version,
            "branch": table.branch or "main",
            "data_storage_version": table.data_storage_version,
            "stable_row_ids": table.has_stable_row_ids,
            "rows": table.count(),
        }
    snapshot_id = session.when.snapshot(table)
    snapshot = None if snapshot_id is None else table.snapshot_by_id(snapshot_id)
    totals = {} if snapshot is None else dict(snapshot.summary)
    return {
        "name": ".".join(table.name()) or None,
        "location": table.location(),
        "format": "iceberg",
        "format_version": table.format_version,
        "uuid": str(table.metadata.table_uuid),
        "metadata_location": table.metadata_location,
        "snapshot": snapshot_id,
        "sort_order": str(table.sort_order()),
        "rows": _number(totals.get("total-records")),
        "data_files": _number(totals.get("total-data-files")),
        "delete_files": _number(totals.get("total-delete-files")),
        "bytes": _number(totals.get("total-files-size")),
    }


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None


def _columns(session: Session, table: Any) -> list[dict[str, object]]:
    if isinstance(table, LanceTable):
        return [
            {"name": each.name, "type": str(each.type), "required": not each.nullable}
            for each in table.schema()
        ]
    return [
        {
            "id": each.field_id,
            "name": each.name,
            "type": str(each.field_type),
            "required": each.required,
            "doc": each.doc,
        }
        for each in session.when.scan(table).schema().fields
    ]


def _fields_of_spec(_: Session, table: Any) -> list[dict[str, object]]:
    if isinstance(table, LanceTable):
        return []
    names = {each: table.schema().find_column_name(each) for each in _sources(table)}
    return [
        {
            "field": each.name,
            "transform": str(each.transform),
            "source": names[each.source_id],
            "id": each.field_id,
        }
        for each in table.spec().fields
    ]


def _sources(table: Any) -> list[int]:
    return [each.source_id for each in table.spec().fields]


def _refs(_: Session, table: Any) -> list[dict[str, object]]:
    return _some(table.inspect.refs())


def _history(_: Session, table: Any) -> list[dict[str, object]]:
    return _some(table.inspect.versions() if isinstance(table, LanceTable) else table.inspect.history())


def _some(found: Any) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = found.to_pylist()
    return rows


def _properties(_: Session, table: Any) -> dict[str, str]:
    return dict(table.config if isinstance(table, LanceTable) else table.properties)


_PARTS: dict[Part, Any] = {
    Part.TABLE: _of_table,
    Part.SCHEMA: _columns,
    Part.SPEC: _fields_of_spec,
    Part.REFS: _refs,
    Part.HISTORY: _history,
    Part.PROPERTIES: _properties,
}


def _rows_of(session: Session, found: list[dict[str, object]], none: tuple[str, ...]) -> None:
    columns = tuple(found[0]) if found else none
    session.output.table(columns, [tuple(each.values()) for each in found])


def _schema(session: Session, table: _Table) -> None:
    """Shows the columns of a table."""
    _rows_of(session, _columns(session, session.table(table)), ("name", "type", "required"))


def _spec(session: Session, table: _Table) -> None:
    """Shows how a table is partitioned."""
    opened = need_iceberg(session.table(table), "partition spec")
    _rows_of(session, _fields_of_spec(session, opened), ("field", "transform", "source", "id"))


def _uuid(session: Session, table: _Table) -> None:
    """Shows the UUID of a table."""
    found = str(need_iceberg(session.table(table), "uuid").metadata.table_uuid)
    _one(session, "uuid", found)


def _location(session: Session, table: _Table) -> None:
    """Shows the location of a table."""
    opened = session.table(table)
    _one(session, "location", opened.location if isinstance(opened, LanceTable) else opened.location())


def _version(session: Session) -> None:
    """Shows the versions of Floeberg and Python."""
    import pyarrow as pa  # noqa: PLC0415

    python = ".".join(map(str, sys.version_info[:3]))
    session.output.facts({"floeberg": __version__, "python": python, "pyarrow": pa.__version__})


def _one(session: Session, name: str, value: str) -> None:
    session.output.check_form()
    if session.output.is_json:
        session.output.json({name: value})
    else:
        session.output.text(value)

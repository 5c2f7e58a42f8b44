"""PyIceberg: it reads tables by their metadata files, and appends through SQL catalogs."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import StaticTable, Table
from pyiceberg.view import View
from pyiceberg.view.metadata import ViewMetadata
from serve import serve


def save(table: pa.Table, into: str) -> int:
    """Write rows as an Arrow file; how many there are."""
    with pa.OSFile(into, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return table.num_rows


def read(metadata_location: str, into: str, row_filter: str | None = None) -> int:
    """Write the rows of a table as an Arrow file; how many there are."""
    table = StaticTable.from_metadata(metadata_location)
    return save(table.scan(row_filter=row_filter or "true").to_arrow(), into)


def metadata(metadata_location: str) -> Any:
    """The metadata, as PyIceberg writes again what it read."""
    return json.loads(StaticTable.from_metadata(metadata_location).metadata.model_dump_json())


def catalog_of(uri: str, warehouse: str) -> SqlCatalog:
    """The catalog in a database."""
    return SqlCatalog("interop", uri=uri, warehouse=warehouse)


def load(uri: str, warehouse: str, identifier: str) -> Table:
    """A table of a catalog."""
    return catalog_of(uri, warehouse).load_table(identifier)


def read_rest(uri: str, identifier: str, into: str, **properties: str) -> int:
    """Write the rows of a table of a REST catalog as an Arrow file; how many there are."""
    return save(RestCatalog("interop", uri=uri, **properties).load_table(identifier).scan().to_arrow(), into)


def filter_rest(uri: str, identifier: str, row_filter: str, into: str, **properties: str) -> int:
    """Write the rows of a table of a REST catalog that match as an Arrow file; how many there are."""
    table = RestCatalog("interop", uri=uri, **properties).load_table(identifier)
    return save(table.scan(row_filter=row_filter).to_arrow(), into)


def append_rest(uri: str, identifier: str, rows: str, **properties: str) -> str:
    """Append the rows of an Arrow file to a table of a REST catalog; where the metadata is now."""
    table = RestCatalog("interop", uri=uri, **properties).load_table(identifier)
    with pa.memory_map(rows) as file:
        table.append(pa.ipc.open_file(file).read_all())
    return table.metadata_location


def create_rest(uri: str, identifier: str, rows: str, **properties: str) -> str:
    """Create a table of a REST catalog with the rows of an Arrow file; where the metadata is."""
    with pa.memory_map(rows) as file:
        read = pa.ipc.open_file(file).read_all()
        table = RestCatalog("interop", uri=uri, **properties).create_table(identifier, read.schema)
        table.append(read)
    return table.metadata_location


def append(uri: str, warehouse: str, identifier: str, rows: str) -> str:
    """Append the rows of an Arrow file; where the metadata is now."""
    table = load(uri, warehouse, identifier)
    with pa.memory_map(rows) as file:
        mapped = pa.ipc.open_file(file).read_all()
        # What is taken is copied to where decimals are aligned, without which the transforms panic.
        table.append(mapped.take(pa.array(range(mapped.num_rows))))
    return table.metadata_location


def add_files(uri: str, warehouse: str, identifier: str, paths: list[str]) -> str:
    """Add Parquet files; where the metadata is now."""
    table = load(uri, warehouse, identifier)
    table.add_files(paths)
    return table.metadata_location


def tables(uri: str, warehouse: str, namespace: str) -> list[str]:
    """The tables of a namespace."""
    return [".".join(each) for each in catalog_of(uri, warehouse).list_tables(namespace)]


def view(metadata_json: str) -> dict[str, Any]:
    """What PyIceberg, which has views in REST catalogs alone, makes of the metadata of a view."""
    found = View(("n", "v"), ViewMetadata.model_validate_json(metadata_json))
    return {
        "columns": [field.name for field in found.schema().fields],
        "versions": [each.version_id for each in found.versions],
        "history": [each.version_id for each in found.history()],
        "spark": found.sql_for("SPARK").sql,
        "uuid": str(found.uuid()),
    }


serve(
    {
        "view": view,
        "read": read,
        "read_rest": read_rest,
        "filter_rest": filter_rest,
        "append_rest": append_rest,
        "create_rest": create_rest,
        "metadata": metadata,
        "append": append,
        "add_files": add_files,
        "tables": tables,
    }
)

"""DuckDB with its extension for Iceberg, from packages: nothing is downloaded while it runs."""

from __future__ import annotations

import importlib.resources
import importlib.util
from typing import Any

import duckdb
import pyarrow as pa
from serve import serve


def connect() -> duckdb.DuckDBPyConnection:
    """A database in memory that knows Iceberg."""
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    # Only what asks servers needs the first.
    known = [
        name for name in ("httpfs", "avro", "iceberg") if importlib.util.find_spec(f"duckdb_extension_{name}")
    ]
    for name in known:
        package = importlib.resources.files(f"duckdb_extension_{name}")
        (path,) = package.rglob("*.duckdb_extension")
        connection.load_extension(str(path))
    connection.execute("SET TimeZone = 'UTC'")
    return connection


CONNECTION = connect()


def read(metadata_location: str, columns: list[str], into: str) -> int:
    """Write the rows of a table as an Arrow file; how many there are."""
    names = ", ".join('"' + each.replace('"', '""') + '"' for each in columns)
    rows = CONNECTION.execute(f"SELECT {names} FROM iceberg_scan(?)", [metadata_location]).arrow()
    table = rows if isinstance(rows, pa.Table) else rows.read_all()
    with pa.OSFile(into, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return table.num_rows


def attach(uri: str, token: str) -> None:
    """Attach the REST catalog of a server as `lake`."""
    CONNECTION.execute("DETACH DATABASE IF EXISTS lake")
    CONNECTION.execute(f"ATTACH 'any' AS lake (TYPE iceberg, ENDPOINT '{uri}', TOKEN '{token}')")


def sql(text: str) -> list[list[Any]]:
    """Run a statement; its rows."""
    return [list(row) for row in CONNECTION.execute(text).fetchall()]


serve({"read": read, "attach": attach, "sql": sql})

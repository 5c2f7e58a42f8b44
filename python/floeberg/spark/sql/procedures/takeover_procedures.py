"""How do CALL snapshot and CALL migrate run?

In: a table of Spark, or the folder of a source by its format. Out: a table of the catalog that refers to its files.

Invariant: Spark says where its table is and which columns it has; files and rows are looked at in this process.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.session.arrow_types import arrow_schema
from floeberg.takeover import migrate_table, snapshot_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    from pyspark.sql import SparkSession

    from floeberg.catalog import Catalog

__all__ = ["migrate", "snapshot"]

_BY_PATH: Final = re.compile(r"`?(\w+)`?\s*\.\s*`((?:[^`]|``)+)`")
_FORMATS: Final = ("parquet", "orc", "avro", "delta", "lance")
_WITH_SCHEMA: Final = ("parquet", "orc", "avro", "hive")
_SESSION: Final = "spark_catalog"


@dataclass(frozen=True)
class _Source:
    """A source.

    Args:
        location: Its folder.
        schema: Its columns, where Spark says them.
        is_external: Whether Spark leaves its folder alone when it is renamed or dropped.
        name: Its name, as Spark writes it; `None` for a folder.
    """

    location: str
    schema: pa.Schema | None = None
    is_external: bool = True
    name: str | None = None


def snapshot(
    spark: SparkSession, catalog: Catalog, levels: tuple[str, ...], given: Mapping[str, Any]
) -> tuple[Any, ...]:
    """Makes a table beside a source.

    Returns:
        The data files that it refers to.
    """
    _check(given, "snapshot")
    source = _source_of(spark, str(given["source_table"]), "snapshot")
    made = snapshot_table(
        source.location,
        ".".join(levels),
        catalog=catalog,
        location=given.get("location"),
        schema=source.schema,
        properties=given.get("properties"),
    )
    return (made.data_files,)


def migrate(
    spark: SparkSession, catalog: Catalog, levels: tuple[str, ...], given: Mapping[str, Any]
) -> tuple[Any, ...]:
    """Makes a table in the folder of a table of Spark, which is kept by another name.

    Returns:
        The data files that it refers to.

    Raises:
        UnsupportedError: Spark would move the folder of its table.
    """
    _check(given, "migrate")
    source = _source_of(spark, _quoted((_SESSION, *levels)), "migrate")
    if not source.is_external:
        raise UnsupportedError(
            f"CALL migrate: {'.'.join(levels)} is a managed table of Spark, whose folder is moved when the table is "
            "renamed or dropped: use CALL snapshot, or make an external table of its files first"
        )
    # Spark takes the new name of a table without its catalog.
    backup = (*levels[:-1], str(given.get("backup_table_name", f"{levels[-1]}_BACKUP_")))
    spark.sql(f"ALTER TABLE {source.name} RENAME TO {_quoted(backup)}")
    try:
        made = migrate_table(
            source.location,
            catalog=catalog,
            identifier=".".join(levels),
            schema=source.schema,
            properties=given.get("properties"),
        )
    except BaseException:
        spark.sql(f"ALTER TABLE {_quoted((_SESSION, *backup))} RENAME TO {_quoted(levels)}")
        raise
    if given.get("drop_backup"):
        spark.sql(f"DROP TABLE {_quoted((_SESSION, *backup))}")
    return (made.data_files,)


def _check(given: Mapping[str, Any], name: str) -> None:
    if given.get("ignore_missing_files"):
        raise UnsupportedError(
            f"CALL {name}: ignore_missing_files: a file that is gone is an error, since its rows would be lost in "
            "silence"
        )


def _source_of(spark: SparkSession, text: str, procedure: str) -> _Source:
    """The source that a text means: a table of Spark, or a format and a folder."""
    found = _BY_PATH.fullmatch(text.strip())
    if found is None or found[1].lower() not in _FORMATS:
        return _of_table(spark, text, procedure)
    path = found[2].replace("``", "`")
    return _Source(path if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", path) else str(Path(path).absolute()))


def _of_table(spark: SparkSession, name: str, procedure: str) -> _Source:
    said = {
        str(row["col_name"]).strip(): str(row["data_type"])
        for row in spark.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()
    }
    location, provider = said.get("Location"), said.get("Provider", "").lower()
    if location is None:
        raise InvalidInputError(
            f"CALL {procedure}: {name} has no folder: expected a table of Spark, or a folder as in `parquet`.`/path`"
        )
    if provider not in (*_WITH_SCHEMA, "delta"):
        raise UnsupportedError(
            f"CALL {procedure}: {name} is a table of the format {provider!r}: expected one of "
            f"{', '.join((*_WITH_SCHEMA, 'delta'))}"
        )
    place = _plain(location)
    frame = spark.table(name)
    schema = None
    if provider != "delta":
        schema = arrow_schema(frame.schema)
        _check_files(frame.inputFiles(), place, name, procedure)
    return _Source(place, schema, said.get("Type", "").upper() == "EXTERNAL", name)


def _check_files(files: list[str], place: str, name: str, procedure: str) -> None:
    """Checks that no partition is elsewhere."""
    folder = f"{place.rstrip('/')}/"
    elsewhere = next((each for each in map(_plain, files) if not each.startswith(folder)), None)
    if elsewhere is not None:
        raise UnsupportedError(
            f"CALL {procedure}: {name} has files outside of its folder {place}: make a table with CREATE TABLE, and "
            "add each folder with CALL add_files",
            context={"path": elsewhere},
        )


def _plain(uri: str) -> str:
    """A location as it is written in tables."""
    local = re.match(r"file:/+", uri)
    return "/" + uri[local.end() :] if local else re.sub(r"^s3[an]://", "s3://", uri)


def _quoted(parts: tuple[str, ...]) -> str:
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)

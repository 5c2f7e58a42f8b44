"""How do CALL add_files and CALL register_table run?

Files stay where they are: their footers are read in this process. Spark only says which files a table of its own has.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import SparkSession

    from floeberg.catalog import Catalog
    from floeberg.table import Table

__all__ = ["add_files", "register_table"]

_FORMATS = ("parquet", "orc", "avro")
_BY_PATH = re.compile(r"`?(\w+)`?\s*\.\s*`((?:[^`]|``)+)`")


def add_files(spark: SparkSession, table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Adds the files of a folder, or of a table of Spark, to a table.

    Returns:
        The number of files, and of partitions, which is not known.

    Raises:
        InvalidInputError: No folder has a value that `partition_filter` asks for.
    """
    paths = _chosen(_paths(spark, str(given["source_table"])), given.get("partition_filter") or {})
    if not paths:
        return 0, None
    done = table.add_files(paths, check_duplicate_files=given.get("check_duplicate_files", True))
    return done.added_files, None


def register_table(catalog: Catalog, levels: tuple[str, ...], given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Adds an existing table to the catalog.

    Returns:
        Its current snapshot, its rows and its data files.
    """
    table = catalog.register_table(levels, given["metadata_file"])
    snapshot = table.current_snapshot()
    if snapshot is None:
        return None, None, None
    totals = (snapshot.summary.get(key) for key in ("total-records", "total-data-files"))
    return (snapshot.snapshot_id, *(None if each is None else int(each) for each in totals))


def _paths(spark: SparkSession, source: str) -> list[str]:
    """The files of a source: of a folder, or of a table of Spark."""
    found = _BY_PATH.fullmatch(source.strip())
    if found is None:
        frame = spark.table(source)
    else:
        file_format, path = found[1].lower(), found[2].replace("``", "`")
        if file_format not in _FORMATS:
            raise InvalidInputError(
                f"CALL add_files: {source}: expected files of {', '.join(_FORMATS)}, found {file_format!r}"
            )
        place = path if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", path) else str(Path(path).absolute())
        if file_format == "avro":
            # Spark's own reader of Avro files is not a part of PySpark.
            return [place]
        frame = spark.read.format(file_format).load(place)
    paths = frame.inputFiles()
    if not paths and not frame.isEmpty():
        raise InvalidInputError(
            f"CALL add_files: Spark does not say which files {source!r} has: name their folder"
        )
    return sorted(_plain(path) for path in paths)


def _plain(uri: str) -> str:
    """A location as it is written in tables. Spark escapes some characters."""
    location = unquote(uri)
    local = re.match(r"file:/+", location)
    return "/" + location[local.end() :] if local else re.sub(r"^s3[an]://", "s3://", location)


def _chosen(paths: Sequence[str], wanted: Mapping[str, str]) -> list[str]:
    """The files in folders `name=value` of all wanted values."""
    found = []
    for path in paths:
        pairs = (part.partition("=") for part in path.split("/") if "=" in part)
        values = {name.lower(): unquote(value) for name, _, value in pairs}
        missing = [name for name in wanted if name.lower() not in values]
        if missing:
            raise InvalidInputError(
                f"CALL add_files: partition_filter: {path} is in no folder '{missing[0]}=..': leave out the filter"
            )
        if all(values[name.lower()] == value for name, value in wanted.items()):
            found.append(path)
    return found

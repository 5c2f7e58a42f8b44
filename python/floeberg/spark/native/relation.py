"""How is Spark given exactly these files, in exactly these types?

In: paths, and the columns as the files have them. Out: a DataFrame of them.

For a classic session, Floeberg makes a second session and reads there. So no setting that the user changes, at any
time, affects what is read. Spark Connect does not allow this; there the read gets options instead.

Invariant: a setting of the user's session changes no row, and none is changed.
"""

from __future__ import annotations

import uuid
from functools import reduce
from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidDataError
from floeberg.spark.native.own_session import own_session
from floeberg.spark.native.planned_files import can_be_planned, planned_files
from floeberg.spark.session.environment import is_connect
from floeberg.spark.session.names import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

__all__ = ["most_files", "positions_column", "relation"]

_OPTIONS = {
    # As paths stand, with no pattern in them and no columns made of `name=value`.
    "__globPaths__": "false",
    "recursiveFileLookup": "true",
    "mergeSchema": "false",
    "ignoreMissingFiles": "false",
    "ignoreCorruptFiles": "false",
    "datetimeRebaseMode": "CORRECTED",
    "int96RebaseMode": "CORRECTED",
}
_MOST_FILES = 100_000
_MOST_FILES_CONNECT = 256
_LISTED_AT_ONCE = 32
"""More paths than these are listed by a job."""


def most_files(spark: SparkSession) -> int:
    """How many files a session can be given: it looks at each of them before it reads."""
    return _MOST_FILES_CONNECT if is_connect(spark) else _MOST_FILES


def positions_column(spark: SparkSession) -> str | None:
    """The name of the column that Spark's Parquet reader fills with positions where it is asked for.

    `_metadata.row_index` is made of it, with an object for every row. `None` where the name is not known.
    """
    if is_connect(spark):
        return None
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]  # noqa: PLC0415 - importing floeberg imports no PySpark

    jvm: Any = spark._jvm  # noqa: SLF001 - what is used of it is not public
    parquet = getattr(jvm, "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat")
    try:
        return str(parquet.ROW_INDEX_TEMPORARY_COLUMN_NAME())
    except Py4JError:
        return None


def relation(
    spark: SparkSession, schema: StructType, paths: Sequence[str], sizes: Sequence[int], number: str | None
) -> DataFrame:
    """Files as a DataFrame.

    Args:
        spark: The session.
        schema: The columns, by their names in the files, with the nullability of the table.
        paths: The files. None is there twice.
        sizes: Their bytes.
        number: The name of a column of the number of the file, if there is to be one; only where `can_be_planned`.

    Raises:
        InvalidDataError: Spark sees other files.
    """
    if is_connect(spark):
        return _by_options(spark, schema, paths)
    return _by_session(spark, schema, paths, sizes, number)


def _by_session(
    spark: Any,  # noqa: ANN401 - what is used of it is not public
    schema: StructType,
    paths: Sequence[str],
    sizes: Sequence[int],
    number: str | None,
) -> DataFrame:
    from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame  # noqa: PLC0415 - importing floeberg imports no PySpark

    own, jvm = own_session(spark), spark._jvm  # noqa: SLF001
    is_planned = can_be_planned(spark)
    # One call for all paths: a list is sent one by one.
    looked_at = (
        getattr(jvm, "java.util.regex.Pattern")
        .compile("\n")
        .split(paths[0] if is_planned else "\n".join(paths))
    )
    listed = own.read.schema(schema).options(**_OPTIONS)._jreader.parquet(looked_at)  # noqa: SLF001
    found = listed.queryExecution().analyzed().relation()
    location = planned_files(spark, own, paths, sizes, number) if is_planned else found.location()
    if (seen := location.allFiles().size()) != len(paths):
        raise InvalidDataError(f"Spark sees {seen} of {len(paths)} files: read with reader='arrow'")
    if (seen := location.sizeInBytes()) != sum(sizes):
        raise InvalidDataError(
            f"Spark sees {seen} bytes of files that have {sum(sizes)}: a file changed while the DataFrame was made"
        )
    # Spark makes all columns of files nullable, and loses what the table promises.
    made = getattr(jvm, "org.apache.spark.sql.execution.datasources.HadoopFsRelation")(
        location,
        location.partitionSchema(),
        spark._jsparkSession.parseDataType(schema.json()),  # noqa: SLF001
        found.bucketSpec(),
        found.fileFormat(),
        found.options(),
        own._jsparkSession,  # noqa: SLF001
    )
    frame: DataFrame = ClassicDataFrame(spark._jsparkSession.baseRelationToDataFrame(made), spark)  # noqa: SLF001
    return frame


def _by_options(spark: Any, schema: StructType, paths: Sequence[str]) -> DataFrame:  # noqa: ANN401 - of either kind
    parts = [paths[start : start + _LISTED_AT_ONCE] for start in range(0, len(paths), _LISTED_AT_ONCE)]
    # A frame that is kept stands for equal ones, and has no files: no two frames are equal.
    reader = spark.read.schema(schema).options(**_OPTIONS, floebergFrame=uuid.uuid4().hex)
    frame: DataFrame = reduce(lambda one, other: one.union(other), (reader.parquet(*part) for part in parts))
    if len(frame.inputFiles()) != len(paths):
        raise InvalidDataError(f"Spark does not see all of {len(paths)} files: read with reader='arrow'")
    return frame.select(*(named(each.name) for each in schema))

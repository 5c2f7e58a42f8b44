"""How does a scan become one DataFrame of files that Spark reads and files that Floeberg reads?

Invariant: names, order, types and nullability of the columns are those of the scan, whichever files there are.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.native.deletes import without_deleted
from floeberg.spark.native.filters import condition, named
from floeberg.spark.native.lanes import POSITION, Lanes, divide
from floeberg.spark.native.relation import most_files, relation
from floeberg.spark.read.dataframe import scan_to_dataframe
from floeberg.spark.session.environment import check_pyspark, check_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from floeberg.scan import Scan
    from floeberg.scan.scan import Reader
    from floeberg.spark.native.lanes import FileGroup

__all__ = ["frame_of"]

_READERS = ("auto", "native", "arrow")


def frame_of(
    scan: Scan, spark: SparkSession, options: dict[str, int | bool | None], reader: Reader = "auto"
) -> DataFrame:
    """The DataFrame of a scan. See `Scan.to_spark`."""
    if reader not in _READERS:
        raise InvalidInputError(f"reader: expected 'auto', 'native' or 'arrow', found {reader!r}")
    check_pyspark()
    check_session(spark)
    if reader == "arrow":
        return scan_to_dataframe(scan, spark, options)
    schema = _schema(scan, truncate=bool(options.get("truncate-nanoseconds")))
    lanes = divide(scan, most_files=most_files(spark))
    if reader == "native" and lanes.others:
        why, count = lanes.reasons[0]
        raise UnsupportedError(f"Spark's own reader cannot read {count} of {len(lanes.plan)} files: {why}")
    if not len(lanes.plan):
        return spark.createDataFrame([], schema)
    frames = _native(spark, lanes, schema)
    if lanes.others:
        frames.append(scan_to_dataframe(scan, spark, options, only=lanes.others))
    frame = reduce(lambda one, other: one.union(other), frames)
    limit = scan._inner.limit  # noqa: SLF001 - the package's own
    return frame if limit is None else frame.limit(limit)


def _schema(scan: Scan, *, truncate: bool) -> StructType:
    from floeberg.spark.read.types import spark_struct  # noqa: PLC0415 - it imports PySpark

    return spark_struct(scan.projection().fields, truncate_nanoseconds=truncate)


def _native(spark: SparkSession, lanes: Lanes, schema: StructType) -> list[DataFrame]:
    """A DataFrame a group, all with the columns of the scan."""
    return [_group(spark, lanes, group, schema) for group in lanes.groups]


def _group(spark: SparkSession, lanes: Lanes, group: FileGroup, schema: StructType) -> DataFrame:
    import pyspark.sql.types as spark_types  # noqa: PLC0415 - importing floeberg imports no PySpark

    nullable = {each.name: each.nullable for each in schema}
    optional = {each.name: each.optional for each in lanes.tested.values()}
    comments = {each.name: each.metadata for each in schema}
    stored = spark_types.StructType(
        [
            spark_types.StructField(
                each.stored_name,
                each.stored_kind,
                nullable.get(each.name, optional.get(each.name, True)),
                comments.get(each.name),
            )
            for each in group.columns
            if each.stored_name is not None and each.stored_kind is not None
        ]
    )
    frame = relation(spark, stored, group.paths)
    if group.deleted:
        frame = without_deleted(spark, frame, lanes.plan, group)
    frame = _named(frame, group, schema)
    if group.filtered:
        frame = frame.where(condition(lanes.residual, lanes.tested))
        if set(frame.columns) != set(schema.names):
            frame = frame.select(*map(named, schema.names))
    return frame


def _named(frame: DataFrame, group: FileGroup, schema: StructType) -> DataFrame:
    """The columns by their names and in their types; those that the file lacks are null."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - the same

    by_name = {each.name: each for each in group.columns}
    extra = [name for name in by_name if name not in schema.names] if group.filtered else []
    if not group.deleted and POSITION not in schema.names and not extra:
        same = [
            each.name
            for each in group.columns
            if each.stored_name == each.name and each.stored_kind == each.kind
        ]
        if same == schema.names:
            return frame
    columns: list[Any] = []
    for name in (*schema.names, *extra):
        each = by_name.get(name)
        if each is None:
            columns.append(F.col("_metadata.row_index").alias(name))
            continue
        column = F.lit(None) if each.stored_name is None else named(each.stored_name)
        if each.stored_kind != each.kind:
            column = column.cast(each.kind)
        if each.stored_name != name or each.stored_kind != each.kind:
            comment = schema[name].metadata if name in schema.names else {}
            column = column.alias(name, metadata=comment) if comment else column.alias(name)
        columns.append(column)
    return frame.select(*columns)

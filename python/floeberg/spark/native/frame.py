"""How does a scan become one DataFrame of files that Spark reads and files that Floeberg reads?

Invariant: names, order, types and nullability of the columns are those of the scan, whichever files there are.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.scan.explain import Lane
from floeberg.spark.native.deletes import without_deleted
from floeberg.spark.native.file_systems import FileSystems, hadoop_of
from floeberg.spark.native.file_values import (
    KEY,
    metadata_values,
    needs_keys,
    needs_positions,
    numbered,
    with_file_values,
)
from floeberg.spark.native.filters import placeholder
from floeberg.spark.native.lanes import Lanes, divide
from floeberg.spark.native.planned_files import can_be_planned
from floeberg.spark.native.relation import most_files, positions_column, relation
from floeberg.spark.read.branch_reads import READ_KEY, branch_read, note_frame, record_frame
from floeberg.spark.read.chosen_files import files_token
from floeberg.spark.read.dataframe import scan_to_dataframe
from floeberg.spark.read.distributed import parts_for_tasks, planned
from floeberg.spark.read.saved_plan import SavedPlan
from floeberg.spark.session.environment import check_pyspark, check_session, is_connect
from floeberg.spark.session.local_dir import driver_local_dir
from floeberg.spark.session.names import named, quoted
from floeberg.spark.session.task_errors import own_errors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from floeberg.scan import Scan
    from floeberg.scan.plan import Plan
    from floeberg.scan.scan import Planning
    from floeberg.scan.scan_protocol import Reader
    from floeberg.spark.native.lanes import FileGroup
    from floeberg.spark.native.proof import NativeColumn

__all__ = ["frame_of", "lanes_of", "lanes_told"]

_READERS = ("auto", "native", "arrow")


@own_errors()
def frame_of(
    scan: Scan,
    spark: SparkSession,
    options: dict[str, int | bool | None],
    reader: Reader = "auto",
    planning: Planning = "auto",
) -> DataFrame:
    """The DataFrame of a scan. See `Scan.to_spark`."""
    if reader not in _READERS:
        raise InvalidInputError(f"reader: expected 'auto', 'native' or 'arrow', found {reader!r}")
    check_pyspark()
    check_session(spark)
    schema = _schema(scan, truncate=bool(options.get("truncate-nanoseconds")))
    _record(scan, spark)
    if reader == "arrow" or scan._inner.is_planned_by_server:  # noqa: SLF001 - the package's own
        return _read_by_floeberg(scan, spark, options, reader, planning)
    saved = _saved_plan(spark)
    plan = planned(scan, spark, planning, saved)
    read = branch_read(scan)
    for column in schema:
        # A writer is given the columns of a query, and nothing else of it.
        column.metadata = {**(column.metadata or {}), READ_KEY: "" if read is None else read.as_text()}
    lanes = lanes_of(scan, spark, plan, insisted=reader == "native")
    if reader == "native" and lanes.others:
        why, count = lanes.reasons[0]
        raise UnsupportedError(f"Spark's own reader cannot read {count} of {len(lanes.plan)} files: {why}")
    if saved is not None and not lanes.others:
        saved.discard()
    if not len(lanes.plan):
        return spark.createDataFrame([], schema)
    frames = _native(spark, lanes, schema)
    if lanes.others:
        frames.append(
            scan_to_dataframe(scan, spark, options, only=files_token(plan, lanes.others), saved=saved)
        )
    frame = reduce(lambda one, other: one.union(other), frames)
    limit = scan._inner.limit  # noqa: SLF001 - the package's own
    return frame if limit is None else frame.limit(limit)


def _read_by_floeberg(
    scan: Scan,
    spark: SparkSession,
    options: dict[str, int | bool | None],
    reader: Reader,
    planning: Planning,
) -> DataFrame:
    """The DataFrame of a scan, whose files Floeberg's tasks read."""
    if scan._inner.is_planned_by_server:  # noqa: SLF001 - the package's own
        if reader == "native":
            raise UnsupportedError(
                "reader='native': the server of the catalog plans the scan, and Spark does not apply its filters"
            )
        from floeberg.spark.read.served_frame import served_frame  # noqa: PLC0415 - it imports PySpark

        return served_frame(scan, spark, options, planning)
    parts = parts_for_tasks(scan, spark, planning)
    if parts is None:
        return scan_to_dataframe(scan, spark, options)
    from floeberg.spark.read.planning_frame import planning_frame  # noqa: PLC0415 - it imports PySpark

    return planning_frame(scan, spark, parts, options)


def _record(scan: Scan, spark: SparkSession) -> None:
    """Records what is read, for an overwrite of the same table."""
    read = branch_read(scan)
    if read is None:
        return
    note_frame(read)
    if not is_connect(spark) and (folder := driver_local_dir(spark)):
        record_frame(read, folder)


def _saved_plan(spark: SparkSession) -> SavedPlan | None:
    """Where what tasks read is kept for the process that plans a query: it is on another machine with Spark Connect."""
    folder = None if is_connect(spark) else driver_local_dir(spark)
    return None if folder is None else SavedPlan(folder)


def lanes_of(scan: Scan, spark: SparkSession, plan: Plan, *, insisted: bool = False) -> Lanes:
    """How the files of a scan would be read in a session.

    Args:
        scan: The scan.
        spark: The session.
        plan: Its files.
        insisted: Whether Spark reads files that Floeberg was given storage options for, too.
    """
    hadoop = None if is_connect(spark) else hadoop_of(spark)
    options = scan._inner.storage_option_names  # noqa: SLF001 - the package's own
    file_systems = FileSystems(hadoop, options, insisted=insisted)
    return divide(
        scan,
        plan,
        file_systems,
        most_files=most_files(spark),
        keeps_nullability=not is_connect(spark),
        numbers_files=can_be_planned(spark),
    )


def lanes_told(scan: Scan, spark: SparkSession) -> tuple[Lane, ...]:
    """Which files Spark's reader and Floeberg's would read in a session, and why."""
    lanes = lanes_of(scan, spark, scan.plan_files())
    native = sum(len(group.numbers) for group in lanes.groups)
    told = [Lane("native", "its footer proves that Spark reads the same rows", native)] if native else []
    return (*told, *(Lane("arrow", why, count) for why, count in lanes.reasons))


def _schema(scan: Scan, *, truncate: bool) -> StructType:
    from floeberg.spark.read.types import scan_struct  # noqa: PLC0415 - it imports PySpark

    return scan_struct(scan, truncate_nanoseconds=truncate)


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
    positions = positions_column(spark) if needs_positions(group, lanes.special) else None
    if positions is not None:
        stored = stored.add(positions, spark_types.LongType())
    number = KEY if group.key == "number" and needs_keys(group, lanes.special) else None
    frame = relation(spark, stored, group.paths, group.sizes, number)
    now_nullable = {each.name for each in frame.schema if each.nullable}
    lost = {each.name for each in group.columns if each.stored_name in now_nullable} | set(lanes.special)
    frame = numbered(frame, group, lanes.special, positions)
    if group.deleted:
        frame = without_deleted(spark, frame, lanes.plan, group, marked="_deleted" in lanes.special)
    frame = with_file_values(spark, frame, lanes.plan, group, lanes.special)
    frame = _named(frame, group, schema, metadata_values(schema, group, lanes.special))
    if group.filtered:
        assert lanes.condition is not None  # noqa: S101 - else no file of the group is proven
        frame = frame.where(lanes.condition)
    return _finished(frame, schema, lost)


def _named(frame: DataFrame, group: FileGroup, schema: StructType, special: dict[str, str]) -> DataFrame:
    """The columns by their names and in their types; those that the file lacks are null."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - the same

    said = {each.name: each.metadata for each in schema}
    columns: list[Any] = [F.expr(text).alias(name) for name, text in special.items()]
    as_they_are = not columns
    for each in group.columns:
        if each.name in special:
            continue
        if each.stored_name is None:
            changed = F.lit(None).cast(each.kind)
        elif (text := _changed(each)) is not None:
            changed = F.expr(text)
        else:
            columns.append(quoted(each.name))
            continue
        as_they_are = False
        metadata = said.get(each.name)
        columns.append(changed.alias(each.name, metadata=metadata) if metadata else changed.alias(each.name))
    return frame if as_they_are else frame.select(*columns)


def _changed(column: NativeColumn) -> str | None:
    """What a column of a file is made into; `None` where it is the scan's as it is."""
    assert column.stored_name is not None  # noqa: S101 - the caller asked
    text = own = quoted(column.stored_name)
    kind = column.kind.simpleString()
    if column.stored_kind != column.kind:
        text = f"CAST({own} AS {kind})"
    if kind in {"float", "double"}:
        # The same values, to which Spark hands no filter down: its Parquet reader leaves out NaN by bounds, which
        # have none, and takes -0.0 and 0.0 for different values.
        return f"nanvl({text}, CAST('NaN' AS {kind}))"
    return None if text == own and column.stored_name == column.name else text


def _finished(frame: DataFrame, schema: StructType, lost: set[str]) -> DataFrame:
    """The columns of the scan, in their order. What the table promises to be never null is said where Spark lost it."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - the same

    required = {each.name: each for each in schema if not each.nullable and each.name in lost}
    if frame.columns == schema.names and not required:
        return frame
    columns: list[Any] = []
    for name in schema.names:
        column: Any = quoted(name)
        if name in required:
            column = F.coalesce(named(name), placeholder(required[name].dataType))
            column = column.alias(name, metadata=required[name].metadata or {})
        columns.append(column)
    return frame.select(*columns)

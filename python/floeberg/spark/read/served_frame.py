"""How is a scan read that the server of a catalog plans?

The driver asks the server, and splits the plan. The groups are rows of a DataFrame, and tasks read them.

Invariant: the groups hold no storage options: Spark stores them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.spark.read.branch_reads import branch_read
from floeberg.spark.read.distributed import planned
from floeberg.spark.read.group_rows import most_partitions, task_groups
from floeberg.spark.read.options import SCAN, read_options, scan_token
from floeberg.spark.read.planning_frame import ReadGroups
from floeberg.spark.read.scan_request import scan_bytes
from floeberg.spark.read.types import scan_struct
from floeberg.spark.session.environment import cores
from floeberg.spark.session.partitions import in_partitions
from floeberg.spark.session.tasks import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from floeberg.scan import Scan
    from floeberg.scan.scan import Planning

__all__ = ["served_frame"]


def served_frame(
    scan: Scan, spark: SparkSession, options: dict[str, int | bool | None], planning: Planning
) -> DataFrame:
    """The DataFrame of a scan, whose tasks read the groups of the server's plan.

    Args:
        scan: The scan.
        spark: The session.
        options: How to read it.
        planning: Who reads manifests: not tasks.
    """
    given = {key: str(value).lower() for key, value in options.items() if value is not None}
    _, settings = read_options({**given, SCAN: scan_token(scan_bytes(scan))})
    schema = scan_struct(scan, truncate_nanoseconds=settings.truncate_nanoseconds)
    some_cores = cores(spark)
    groups = [each._inner for each in task_groups(planned(scan, spark, planning), settings, some_cores)]  # noqa: SLF001 - the package's own
    if not groups:
        return spark.createDataFrame([], schema)
    partitions = min(len(groups), most_partitions(settings, some_cores))
    rows = [
        (number % partitions, number, bytearray(group.without_storage()))
        for number, group in enumerate(groups)
    ]
    frame = spark.createDataFrame(rows, "partition int, number bigint, group binary")
    frame = in_partitions(frame, partitions, "partition").sortWithinPartitions("number")
    limit = scan._inner.limit  # noqa: SLF001 - the package's own
    work = ReadGroups(groups[0], settings, limit, branch_read(scan))
    read = mapped(frame, work, schema, "floeberg_read")
    return read if limit is None else read.limit(limit)

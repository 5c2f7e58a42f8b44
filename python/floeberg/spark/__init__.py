"""Reads, writes and changes tables through PySpark, without a JAR.

Importing this package does not import PySpark. `register` does.
"""

from floeberg.spark.checking import check
from floeberg.spark.comparing import SparkTableDiff, diff
from floeberg.spark.maintenance import maintenance
from floeberg.spark.read.distributed import plan_files
from floeberg.spark.session.registration import register
from floeberg.spark.sql import sql
from floeberg.spark.stream.upserts import upsert_batches
from floeberg.spark.tables import create_view, table
from floeberg.spark.write.frame import write

__all__ = [
    "SparkTableDiff",
    "check",
    "create_view",
    "diff",
    "maintenance",
    "plan_files",
    "register",
    "sql",
    "table",
    "upsert_batches",
    "write",
]

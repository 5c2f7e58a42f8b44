"""Which maintenance do tasks of Spark do?"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from floeberg._keywords import says_keywords
from floeberg.errors import UnsupportedError
from floeberg.lance import LanceTable
from floeberg.spark.maintenance.copies import SparkCopies
from floeberg.spark.maintenance.delete_jobs import DeleteJobs
from floeberg.spark.maintenance.expiry import unneeded_files
from floeberg.spark.maintenance.group_jobs import GroupJobs, Sizes
from floeberg.spark.maintenance.orphans import SparkListing
from floeberg.spark.session.environment import check_pyspark, check_session
from floeberg.spark.tables import open_named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from floeberg.catalog import Catalog
    from floeberg.commit.operations import OpenedTable
    from floeberg.maintenance import TableMaintenance
    from floeberg.maintenance.rewrite_options import RewriteOptions
    from floeberg.maintenance.workers import GroupCopies, Listing
    from floeberg.table import Table

__all__ = ["maintenance"]


@says_keywords
def maintenance(
    spark: SparkSession, table: str | Table, *, catalog: Catalog | str | None = None
) -> TableMaintenance:
    """What keeps an Iceberg table healthy, by tasks of Spark.

    Methods, arguments and results are those of `table.maintenance`. Tasks write the files of `rewrite_data_files`,
    `rewrite_position_delete_files` and `convert_equality_deletes`, and read what `remove_orphan_files` and
    `expire_snapshots` compare. This process plans and commits, and does the other calls itself.

    Args:
        spark: A session of PySpark 4.0 or later, classic or Spark Connect.
        table: The table's name in the catalog, a table directory or metadata file, or a table.
        catalog: The catalog, or its name in the configuration. By default, the configured default catalog.

    Returns:
        The maintenance of the table.

    Raises:
        InvalidInputError: `spark` is not a session.
        NotFoundError: The table does not exist.
        NotInstalledError: PySpark is not installed.
        UnsupportedError: It is a Lance table.
    """
    check_pyspark()
    check_session(spark)
    opened = open_named(table, catalog)
    if isinstance(opened, LanceTable):
        raise UnsupportedError(
            "tasks of Spark do not maintain Lance tables: call the methods of its maintenance"
        )
    made = opened.maintenance
    made._workers = SparkWorkers(spark)  # noqa: SLF001 - the package's own
    return made


class SparkWorkers:
    """Tasks of a session."""

    def __init__(self, spark: SparkSession) -> None:
        """Nothing is run yet."""
        self._spark = spark

    @contextmanager
    def copying(self, options: RewriteOptions) -> Iterator[GroupCopies]:
        """See `Workers.copying`."""
        sizes = Sizes(options.target, options.sizes["most"], options.compression_factor)
        jobs = GroupJobs(self._spark, sizes)
        copies = SparkCopies(self._spark, jobs, most_at_once=options.most_groups_at_once)
        try:
            yield copies
        finally:
            copies.close()

    @contextmanager
    def writing_deletes(self) -> Iterator[GroupCopies]:
        """See `Workers.writing_deletes`."""
        copies = SparkCopies(self._spark, DeleteJobs(self._spark))
        try:
            yield copies
        finally:
            copies.close()

    def unneeded_files(self, before: OpenedTable, after: OpenedTable) -> list[tuple[str, str]]:
        """See `Workers.unneeded_files`."""
        return unneeded_files(self._spark, before, after)

    def listing(self, folder: str, **options: Any) -> Listing:  # noqa: ANN401 - those of `Workers.listing`
        """See `Workers.listing`."""
        return SparkListing(self._spark, folder, **options)

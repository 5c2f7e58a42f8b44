"""How do tasks of Spark find files in the folder of a table that nothing names?

In: a folder, and a table that was loaded after the folder was listed. Out: the files, as without Spark.

```text
the folder    here      ->  its folders, a task each   ->  their folders, whole  ->  places of files
the table     manifest lists, here  ->  manifests, by tasks                      ->  places of files
both          joined by Spark       ->  files that the table does not name just so, which are judged here
```

Invariant: the list is complete before the table is loaded, and no part of it is made again after that.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.spark.maintenance.places import (
    Places,
    arrow_batch,
    frame_of_values,
    most_tasks,
    named_places,
    small_batches,
)
from floeberg.spark.session.batch_limits import frame_of_arrow
from floeberg.spark.session.task_errors import own_errors
from floeberg.spark.session.tasks import mapped
from floeberg.spark.session.worker_pickle import Sent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from floeberg.commit.operations import OpenedTable

__all__ = ["SparkListing"]

_LISTED = (
    "prefix string, path string, location string, size bigint, modified bigint, is_other boolean, "
    "is_folder boolean"
)


class SparkListing:
    """The files below a folder, which Spark holds: see `Listing`."""

    def __init__(
        self,
        spark: SparkSession,
        folder: str,
        *,
        storage_options: Mapping[str, str],
        equal_schemes: Mapping[str, str],
        equal_authorities: Mapping[str, str],
    ) -> None:
        """Lists the folder.

        Raises:
            NotFoundError: The folder does not exist, and the store knows folders.
            UnsupportedError: The store does not say when files were written.
        """
        self._spark = spark
        self._folder = folder
        self._places = Places(dict(storage_options), dict(equal_schemes), dict(equal_authorities))
        with own_errors():
            self._files = self._listed()

    @property
    def newest_ms(self) -> int | None:
        """See `Listing.newest_ms`."""
        from pyspark.sql import functions as sql  # noqa: PLC0415 - importing floeberg.spark imports nothing large

        with own_errors():
            row = self._files.agg(sql.max("modified").alias("newest")).first()
        return None if row is None else row["newest"]

    def orphans(
        self, table: OpenedTable, *, older_than_ms: int, prefix_mismatch: str
    ) -> list[tuple[str, int]]:
        """See `Listing.orphans`."""
        from pyspark.sql import functions as sql  # noqa: PLC0415 - importing floeberg.spark imports nothing large

        with own_errors():
            names = self._named(table).groupBy("path").agg(sql.collect_set("prefix").alias("prefixes"))
            both = self._files.join(names, "path", "left")
            is_named = sql.col("prefixes").isNotNull()
            is_same = is_named & sql.array_contains("prefixes", sql.col("prefix")) & ~sql.col("is_other")
            # What is named just so becomes one row.
            found = both.select(
                *(sql.when(~is_same, sql.col(name)).alias(name) for name in ("location", "size", "modified")),
                sql.when(~is_same, sql.sort_array("prefixes")).alias("prefixes"),
                is_named.alias("is_named"),
            )
            rows = found.distinct().toArrow().to_pydict()
        columns = (rows[name] for name in ("location", "size", "modified", "prefixes"))
        files = [
            (location, size, modified, prefixes or [])
            for location, size, modified, prefixes in zip(*columns, strict=True)
            if location is not None
        ]
        listed = _native.ListedFiles.of_compared(self._folder, files, is_known=any(rows["is_named"]))
        return listed.orphans(
            table,
            older_than_ms=older_than_ms,
            equal_schemes=self._places.equal_schemes,
            equal_authorities=self._places.equal_authorities,
            prefix_mismatch=prefix_mismatch,
        )

    def _listed(self) -> DataFrame:
        """The files. What tasks found is kept: if Spark loses it, the job fails."""
        import pyarrow as pa  # noqa: PLC0415 - the same

        here = pa.Table.from_batches([self._places.listed(self._folder, all_levels=False, may_be_gone=False)])
        frames = [frame_of_arrow(self._spark, here)]
        folders = here.filter(here["is_folder"])["location"].to_pylist()
        for all_levels in (False, True):
            if not folders:
                break
            work = _ListFolders(self._places, all_levels)
            listed = mapped(
                frame_of_values(self._spark, folders, "string"), work, _LISTED, "floeberg_list"
            ).localCheckpoint()
            frames.append(listed)
            folders = listed.filter("is_folder").select("location").toArrow()["location"].to_pylist()
        files = reduce(lambda one, other: one.unionByName(other), frames)
        return files.filter("NOT is_folder").drop("is_folder")

    def _named(self, table: OpenedTable) -> DataFrame:
        """The places of all files that a table names."""
        import pyarrow as pa  # noqa: PLC0415 - the same

        own, tasks = _native.named_parts(
            table,
            most_tasks=most_tasks(self._spark),
            equal_schemes=self._places.equal_schemes,
            equal_authorities=self._places.equal_authorities,
        )
        frame = frame_of_arrow(self._spark, pa.Table.from_batches([arrow_batch(own)]))
        if not tasks:
            return frame
        return frame.unionByName(named_places(self._spark, tasks, self._places))


@dataclass(frozen=True)
class _ListFolders(Sent):
    """Lists folders. One that was removed since it was listed is empty.

    Args:
        places: How.
        all_levels: Whether the folders in them are listed too.
    """

    places: Places
    all_levels: bool

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for folder in batch.column(0).to_pylist():
                yield from small_batches(
                    self.places.listed(folder, all_levels=self.all_levels, may_be_gone=True)
                )

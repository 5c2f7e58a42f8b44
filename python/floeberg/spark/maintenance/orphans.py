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
from typing import TYPE_CHECKING, Any, cast

from floeberg import _native
from floeberg.spark.session.batch_limits import frame_of_arrow
from floeberg.spark.session.environment import cores, own_cores, task_threads
from floeberg.spark.session.partitions import in_partitions
from floeberg.spark.session.task_errors import own_errors
from floeberg.spark.session.tasks import mapped
from floeberg.spark.session.worker_pickle import Sent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from floeberg.commit.operations import OpenedTable

__all__ = ["SparkListing"]

_LISTED = (
    "prefix string, path string, location string, size bigint, modified bigint, is_other boolean, "
    "is_folder boolean"
)
_NAMED = "prefix string, path string"
_TASKS_A_CORE = 4
_BATCH_ROWS = 10_000


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
        self._places = _Places(dict(storage_options), dict(equal_schemes), dict(equal_authorities))
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
            listed = mapped(self._rows(folders, "string"), work, _LISTED, "floeberg_list").localCheckpoint()
            frames.append(listed)
            folders = listed.filter("is_folder").select("location").toArrow()["location"].to_pylist()
        files = reduce(lambda one, other: one.unionByName(other), frames)
        return files.filter("NOT is_folder").drop("is_folder")

    def _named(self, table: OpenedTable) -> DataFrame:
        """The places of all files that a table names."""
        import pyarrow as pa  # noqa: PLC0415 - the same

        most = _TASKS_A_CORE * (cores(self._spark) or own_cores())
        own, tasks = _native.named_parts(
            table,
            most_tasks=most,
            equal_schemes=self._places.equal_schemes,
            equal_authorities=self._places.equal_authorities,
        )
        frame = frame_of_arrow(self._spark, pa.Table.from_batches([_batch(own)]))
        if not tasks:
            return frame
        return frame.unionByName(
            mapped(self._rows(tasks, "binary"), _ReadNames(self._places), _NAMED, "floeberg_names")
        )

    def _rows(self, values: Sequence[str] | Sequence[bytes], kind: str) -> DataFrame:
        """Values, in so many partitions that each core has some."""
        most = _TASKS_A_CORE * (cores(self._spark) or own_cores())
        partitions = min(len(values), most)
        rows = [(number % partitions, value) for number, value in enumerate(values)]
        frame = self._spark.createDataFrame(rows, f"number int, value {kind}")
        return in_partitions(frame, partitions, "number").select("value")


@dataclass(frozen=True)
class _Places(Sent):
    """How locations become places, in tasks too.

    Args:
        storage_options: The options of the store.
        equal_schemes: Schemes that mean others.
        equal_authorities: Authorities that mean others.
    """

    storage_options: dict[str, str]
    equal_schemes: dict[str, str]
    equal_authorities: dict[str, str]

    def listed(self, folder: str, *, all_levels: bool, may_be_gone: bool) -> pa.RecordBatch:
        """The files in a folder, and on one level the folders."""
        found = _native.listed_places(
            folder,
            all_levels=all_levels,
            may_be_gone=may_be_gone,
            storage_options=self.storage_options,
            equal_schemes=self.equal_schemes,
            equal_authorities=self.equal_authorities,
        )
        return _batch(found)

    def named(self, task: bytes) -> pa.RecordBatch:
        """The files that the manifests of a task name."""
        found = _native.named_places(
            task,
            threads=task_threads(),
            storage_options=self.storage_options,
            equal_schemes=self.equal_schemes,
            equal_authorities=self.equal_authorities,
        )
        return _batch(found)


@dataclass(frozen=True)
class _ListFolders(Sent):
    """Lists folders. One that was removed since it was listed is empty.

    Args:
        places: How.
        all_levels: Whether the folders in them are listed too.
    """

    places: _Places
    all_levels: bool

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for folder in batch.column(0).to_pylist():
                yield from _small(self.places.listed(folder, all_levels=self.all_levels, may_be_gone=True))


@dataclass(frozen=True)
class _ReadNames(Sent):
    """Reads manifests.

    Args:
        places: How locations become places.
    """

    places: _Places

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for task in batch.column(0).to_pylist():
                yield from _small(self.places.named(task))


def _batch(native: _native.Batch) -> pa.RecordBatch:
    import pyarrow as pa  # noqa: PLC0415 - the same

    return pa.record_batch(cast("Any", native))


def _small(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The rows in batches that Spark takes without much memory."""
    for first in range(0, batch.num_rows, _BATCH_ROWS):
        yield batch.slice(first, _BATCH_ROWS)

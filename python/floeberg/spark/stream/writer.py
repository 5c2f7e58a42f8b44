"""How does a micro-batch become one commit, however often it is run?

Spark makes a writer twice for each micro-batch: where it plans the tasks, and in another process for the commit. Tasks
know the id of the query, which is in the checkpoint and outlives restarts, and send it with their receipts. A commit
records the id and the number of the batch in its snapshot. A batch that was committed before is not committed again.

Invariant: a batch is in the table once or not at all. Files are removed only where it is certain that no commit has
them.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import pyspark.sql.datasource as pyspark_source
from pyspark import TaskContext
from pyspark.sql.datasource import WriterCommitMessage

from floeberg.errors import (
    FloebergError,
    InvalidInputError,
    UnsupportedError,
)
from floeberg.spark.session.worker_pickle import pickle_call
from floeberg.spark.stream.batches import QUERY, StreamBatch
from floeberg.spark.write.commit_marker import is_outcome_unknown, marked_commit
from floeberg.spark.write.options import write_options
from floeberg.spark.write.sent_table import SentTable
from floeberg.spark.write.target import IcebergTarget, remove_files
from floeberg.spark.write.task_files import write_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql.types import StructType

    from floeberg.spark.write.input_columns import InputColumns
    from floeberg.write import Receipt, WriteRecipe

__all__ = ["BatchFiles", "FloebergStreamWriter"]

_LOG = logging.getLogger("floeberg.spark")

_OF_SPARK = ("checkpointlocation", "queryname")
"""Options of every stream, which Spark hands on."""
_OF_BATCHES = ("idempotency-key", "overwrite-filter", "overwrite-mode", "validate-from-snapshot-id")

_Writer: Any = getattr(pyspark_source, "DataSourceStreamArrowWriter", object)

_NO_ARROW = (
    "PySpark 4.0 gives writers of streams no Arrow batches: use PySpark 4.1 or later, or foreachBatch with "
    "floeberg.spark.write and an idempotency_key of the query and the batch"
)


@dataclass
class BatchFiles(WriterCommitMessage):
    """The message of a task to the driver.

    Args:
        receipt: The files that the task wrote; `None` where there were no rows.
        write_id: The id of the write in their names.
        query_id: The id of the query.
    """

    receipt: Receipt | None
    write_id: str
    query_id: str | None


class FloebergStreamWriter(_Writer):  # type: ignore[misc] # PySpark 4.0 lacks it
    """Writes the rows of a micro-batch to a table.

    Args:
        target: The table. The rows of a batch replace all others in Spark's output mode `complete`.
        recipe: How tasks write files.
        columns: How the columns of the rows become the table's.
    """

    def __init__(self, target: IcebergTarget, recipe: WriteRecipe, columns: InputColumns) -> None:
        self._target = target
        self._recipe = recipe
        self._columns = columns

    @classmethod
    def of(cls, given: Mapping[str, str], schema: StructType, *, overwrite: bool) -> FloebergStreamWriter:
        """The writer of a micro-batch.

        Raises:
            InvalidInputError: The rows do not fit the table, or an option is not for streams.
            NotFoundError: The table does not exist.
            UnsupportedError: The table cannot be written where it was opened, a `wap.id` stages its writes, or PySpark
                is 4.0.
        """
        if _Writer is object:
            raise UnsupportedError(_NO_ARROW)
        own = {key: value for key, value in given.items() if key.lower() not in _OF_SPARK}
        wrong = [key for key in own if key.lower() in _OF_BATCHES]
        if wrong:
            raise InvalidInputError(
                f"the option {wrong[0].lower()!r} is not for streams, whose batches are written once by themselves: "
                "leave it out"
            )
        options = write_options(own)
        target = IcebergTarget.of(SentTable.of(options.locator.open()), options, overwrites=overwrite)
        columns, recipe = target.prepared(schema)
        return cls(target, recipe, columns)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> BatchFiles:
        """Writes the rows of a task. Where it fails it leaves no file."""
        context = TaskContext.get()
        query_id = context.getLocalProperty(QUERY) if context else None
        receipt = write_rows(self._recipe, self._columns, iterator)
        return BatchFiles(cast("Receipt | None", receipt), self._recipe.write_id, query_id)

    def commit(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 - Spark's name
        """Makes the files of a batch part of the table, once. An append without rows makes no snapshot."""
        files = _files(messages)
        receipts = [each.receipt for each in files if each.receipt is not None]
        if not self._target.overwrites and not receipts:
            return
        batch = self._batch(files, batchId)
        if batch.is_done(self._target.table):
            _LOG.info("batch %d of query %s was committed before", batchId, batch.query_id)
            if not is_outcome_unknown(batch.key):
                self._remove(files)
            return
        with marked_commit(batch.key):
            done = self._target.commit(
                receipts, key=batch.key, reads=(), snapshot_properties=batch.properties
            )
        if done is not None and done.already_committed:
            self._remove(files)

    def abort(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 - Spark's name
        """Removes what the tasks wrote, where it is known that no commit took it."""
        files = _files(messages)
        if all(each.receipt is None for each in files):
            return
        batch = self._batch(files, batchId)
        if is_outcome_unknown(batch.key):
            _LOG.warning(
                "the outcome of batch %d of query %s is unknown: its %d files are kept. Files that are not part of the "
                "table can be removed later",
                batchId,
                batch.query_id,
                sum(len(each.receipt.locations()) for each in files if each.receipt is not None),
            )
            return
        # Spark may call this after a commit whose success it did not hear of.
        with suppress(FloebergError):
            if not batch.is_done(self._target.table.refresh()):
                self._remove(files)

    def _batch(self, files: Sequence[BatchFiles], number: int) -> StreamBatch:
        """The batch of these files.

        Raises:
            UnsupportedError: No task knew its query.
        """
        query_id = next((each.query_id for each in files if each.query_id is not None), None)
        if query_id is None:
            raise UnsupportedError(
                "Spark did not tell the tasks the id of their query, so that a batch could be written twice: use "
                "foreachBatch with floeberg.spark.write and an idempotency_key of the query and the batch"
            )
        return StreamBatch(query_id, number, self._target.branch)

    def _remove(self, files: Sequence[BatchFiles]) -> None:
        """Removes files that no commit has. Another commit of their batch has other files."""
        for each in files:
            if each.receipt is not None:
                remove_files(self._target.table.write_recipe(write_id=each.write_id), [each.receipt])

    def __reduce__(self) -> tuple[Any, ...]:
        return pickle_call(__name__, "FloebergStreamWriter", self._target, self._recipe, self._columns)


def _files(messages: Sequence[WriterCommitMessage | None]) -> list[BatchFiles]:
    """What the tasks that ended wrote."""
    return [each for each in messages if isinstance(each, BatchFiles)]

"""How does one write of Spark become one commit, even where tasks or jobs run twice?

Where Spark plans, `writer` makes a `FloebergWriter`, which is pickled once. Every task writes files by its recipe and
sends a receipt. `commit` on the driver gets the receipts of the successful tasks, and makes one commit of them, with
the key of the write. `abort` removes the files.

Invariant: a file is in the table only if Spark gave its receipt to `commit`. Files are removed only where it is certain
that no commit has them.
"""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from floeberg.errors import FloebergError
from floeberg.spark.read.branch_reads import recorded_reads
from floeberg.spark.session.worker_pickle import pickle_call
from floeberg.spark.write.commit_marker import is_outcome_unknown, marked_commit
from floeberg.spark.write.target import remove_files, write_target
from floeberg.spark.write.task_files import Appended, write_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql.types import StructType

    from floeberg.lance import LanceTable
    from floeberg.spark.write.input_columns import InputColumns
    from floeberg.spark.write.options import WriteOptions
    from floeberg.spark.write.target import WriteTarget
    from floeberg.spark.write.task_files import AnyReceipt, AnyRecipe
    from floeberg.table import Table

__all__ = ["FilesWritten", "FloebergWriter"]

_LOG = logging.getLogger("floeberg.spark")


@dataclass
class FilesWritten(Appended, WriterCommitMessage):
    """The message of a task to the driver."""


class FloebergWriter(DataSourceArrowWriter):
    """Writes the rows of a DataFrame to a table.

    Args:
        target: The table when the write began.
        recipe: How tasks write files.
        columns: How the DataFrame's columns become the table's.
        key: The idempotency key of the commit.
        is_done: Whether the table had a commit with the key when the write began. Then nothing is written.
    """

    def __init__(
        self,
        target: WriteTarget,
        recipe: AnyRecipe,
        columns: InputColumns,
        key: str,
        is_done: bool,  # noqa: FBT001 - of a pickle
    ) -> None:
        self._target = target
        self._recipe = recipe
        self._columns = columns
        self._key = key
        self._is_done = is_done

    @classmethod
    def of(
        cls, table: Table | LanceTable, options: WriteOptions, schema: StructType, *, overwrite: bool
    ) -> FloebergWriter:
        """The writer of a DataFrame's rows.

        Raises:
            InvalidInputError: The rows do not fit the table. The error lists every mismatch. Or an option is for
                overwrites, and the write appends.
            NotFoundError: The table does not exist.
            UnsupportedError: The table cannot be written where it was opened, or lacks what an option asks for.
        """
        target = write_target(table, options, schema, overwrite=overwrite)
        columns, recipe = target.prepared(schema)
        key = recipe.write_id if options.idempotency_key is None else options.idempotency_key
        return cls(target, recipe, columns, key, target.find_commit(key) is not None)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> FilesWritten:
        """Writes the rows of a task. Where it fails it leaves no file."""
        receipt = None if self._is_done else write_rows(self._recipe, self._columns, iterator)
        # Spark waits for all rows to be taken.
        deque(iterator, maxlen=0)
        # What the query read is asked after the last row, since reading goes on until then.
        target = self._target
        return FilesWritten(receipt, recorded_reads(target.sent.id) if target.overwrites else ())

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Makes the files of the tasks part of the table, all at once, and once."""
        if self._is_done:
            return
        with marked_commit(self._recipe.write_id):
            reads = [read for each in messages if isinstance(each, FilesWritten) for read in each.reads]
            self._target.commit(_receipts(messages), key=self._key, reads=reads)

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Removes what the tasks wrote, where it is known that no commit took it."""
        receipts = _receipts(messages)
        if self._may_be_committed():
            _LOG.warning(
                "the outcome of the write %s is unknown: its %d files are kept. Files that are not part of the table "
                "can be removed later",
                self._recipe.write_id,
                sum(len(each.locations()) for each in receipts),
            )
            return
        remove_files(self._recipe, receipts)

    def _may_be_committed(self) -> bool:
        if is_outcome_unknown(self._recipe.write_id):
            return True
        # Spark may call this after a commit whose success it did not hear of.
        try:
            return self._target.find_commit(self._key, newest=True) is not None
        except FloebergError:
            return True

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self._target, self._recipe, self._columns, self._key, self._is_done)
        return pickle_call(__name__, "FloebergWriter", *parts)


def _receipts(messages: Sequence[WriterCommitMessage | None]) -> list[AnyReceipt]:
    """The receipts of the tasks that ended."""
    return [each.receipt for each in messages if isinstance(each, FilesWritten) and each.receipt is not None]

"""How does one write of Spark become one commit, even where tasks or jobs run twice?

Where Spark plans, `writer` makes a `FloebergWriter`, which is pickled once. Every task writes files by its recipe and
sends a receipt. `commit` on the driver gets the receipts of the successful tasks, and makes one commit of them, with
the key of the write. `abort` removes the files.

Invariant: a file is in the table only if Spark gave its receipt to `commit`. Files are removed only where it is certain
that no commit has them.
"""

from __future__ import annotations

import logging
import uuid
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from inspect import signature
from itertools import chain
from typing import TYPE_CHECKING, Any

from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from floeberg import _native
from floeberg.errors import (
    FloebergError,
    InvalidInputError,
    UnsupportedError,
)
from floeberg.expressions import ALWAYS_TRUE
from floeberg.spark.read.branch_reads import FramesRead, frames_read, recorded_reads
from floeberg.spark.session.worker_pickle import pickle_call
from floeberg.spark.write.commit_marker import is_outcome_unknown, marked_commit
from floeberg.spark.write.input_columns import InputColumns
from floeberg.spark.write.sent_table import SentTable
from floeberg.write.receipt import Receipt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql.types import StructType

    from floeberg.commit.row_operations import WriteMode
    from floeberg.spark.read.branch_reads import BranchRead
    from floeberg.spark.write.options import WriteOptions
    from floeberg.table import Table
    from floeberg.write.recipe import WriteRecipe

__all__ = ["FilesWritten", "FloebergWriter"]

_LOG = logging.getLogger("floeberg.spark")


@dataclass
class FilesWritten(WriterCommitMessage):
    """The message of a task to the driver.

    Args:
        receipt: The files that the task wrote.
        reads: What its query read of the table.
    """

    receipt: Receipt
    reads: tuple[BranchRead, ...] = ()


class FloebergWriter(DataSourceArrowWriter):
    """Writes the rows of a DataFrame to a table.

    Args:
        table: The table when the write began. Overwrites are validated from this state.
        recipe: How tasks write files.
        columns: How the DataFrame's columns become the table's.
        options: The options of the write.
        overwrites: Whether rows are replaced.
        key: The idempotency key of the commit.
        is_done: Whether the table had a commit with the key when the write began. Then nothing is written.
        frames: What the query reads of the table, as far as its columns and the driver say it.
    """

    def __init__(  # noqa: PLR0913 - the parts of one write
        self,
        table: SentTable,
        recipe: WriteRecipe,
        columns: InputColumns,
        options: WriteOptions,
        *,
        overwrites: bool,
        key: str,
        is_done: bool,
        frames: FramesRead | None = None,
    ) -> None:
        self._sent = table
        self._recipe = recipe
        self._columns = columns
        self._options = options
        self._overwrites = overwrites
        self._key = key
        self._is_done = is_done
        self._frames = FramesRead() if frames is None else frames

    @classmethod
    def of(
        cls, table: Table, options: WriteOptions, schema: StructType, *, overwrite: bool
    ) -> FloebergWriter:
        """The writer of a DataFrame's rows.

        Raises:
            InvalidInputError: The rows do not fit the table. The error lists every mismatch. Or an option is for
                overwrites, and the write appends.
            NotFoundError: The table does not exist.
            UnsupportedError: The table cannot be written where it was opened.
        """
        if not overwrite and options.overwrite_options:
            raise InvalidInputError(
                f"the option {options.overwrite_options[0]!r} is for overwrites, and this write appends: remove the "
                f"option, or write with mode('overwrite')"
            )
        if options.validate_from_version is not None:
            raise InvalidInputError(
                "the option 'validate-from-version' is for Lance tables: use 'validate-from-snapshot-id'"
            )
        check_published(table, options)
        columns, recipe = prepared_write(table, options, schema)
        write_id = recipe.write_id
        key = write_id if options.idempotency_key is None else options.idempotency_key
        is_done = _done_by(table, key, options, overwrites=overwrite) is not None
        frames = frames_read(table._inner.identity[0], schema) if overwrite else FramesRead()  # noqa: SLF001 - the package's own
        sent = SentTable.of(table)
        return cls(
            sent, recipe, columns, options, overwrites=overwrite, key=key, is_done=is_done, frames=frames
        )

    @property
    def _table(self) -> Table:
        """The table, which tasks do not open."""
        return self._sent.open()

    def write(self, iterator: Iterator[pa.RecordBatch]) -> FilesWritten:
        """Writes the rows of a task. Where it fails it leaves no file."""
        task, partition = write_task()
        first = None if self._is_done else next(iterator, None)
        if first is None:
            # Spark waits for all rows to be taken.
            deque(iterator, maxlen=0)
            return FilesWritten(Receipt.concat([]), self._reads())
        rows = self._columns.reader(first.schema, chain((first,), iterator))
        receipt = self._recipe.write(rows, task=task, partition=partition)
        return FilesWritten(receipt, self._reads())

    def _reads(self) -> tuple[BranchRead, ...]:
        """What the query read of the table. It is asked after the last row, since reading goes on until then."""
        return recorded_reads(self._sent.uuid) if self._overwrites else ()

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Makes the files of the tasks part of the table, all at once, and once."""
        receipts = receipts_of(messages)
        if self._is_done or self._changes_nothing(receipts):
            return
        options = self._options
        branch = self._table._branch_to_write(options.branch)  # noqa: SLF001 - the package's own
        isolation = {} if options.isolation_level is None else {"isolation-level": options.isolation_level}
        with marked_commit(self._recipe.write_id):
            self._table.commit_receipts(
                receipts,
                mode=self._mode,
                overwrite_filter=ALWAYS_TRUE
                if options.overwrite_filter is None
                else options.overwrite_filter,
                case_sensitive=options.case_sensitive,
                snapshot_properties=options.snapshot_properties,
                branch=branch,
                idempotency_key=self._key,
                validate_from_snapshot_ids=self._validated_from(messages, branch),
                options=isolation,
            )

    def _changes_nothing(self, receipts: Sequence[Receipt]) -> bool:
        """Whether no snapshot is needed: of no rows, no properties, and no key that the user gave."""
        is_told = self._options.idempotency_key is not None or bool(self._options.snapshot_properties)
        return self._mode == "append" and not is_told and not any(each.rows for each in receipts)

    def _validated_from(
        self, messages: Sequence[WriterCommitMessage | None], branch: str
    ) -> list[int | None]:
        """The snapshots that an overwrite is validated from, in addition to the one when it began."""
        reads = [read for each in messages if isinstance(each, FilesWritten) for read in each.reads]
        given = self._options.validate_from
        # What was read may be guessed only where nothing says it.
        if self._frames.is_certain or not (reads or given is not None):
            reads += self._frames.reads
        found = {read.snapshot_id for read in reads if read.branch == branch}
        if given is not None:
            found.add(given)
        return sorted(found, key=repr)

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Removes what the tasks wrote, where it is known that no commit took it."""
        receipts = receipts_of(messages)
        if self._may_be_committed():
            _LOG.warning(
                "the outcome of the write %s is unknown: its %d files are kept. Files that are not part of the table "
                "can be removed later",
                self._recipe.write_id,
                sum(len(each.locations()) for each in receipts),
            )
            return
        for each in receipts:
            # A file that stays harms nobody. Its error must not hide why the write failed.
            with suppress(FloebergError):
                self._recipe.remove(each)

    def _may_be_committed(self) -> bool:
        if is_outcome_unknown(self._recipe.write_id):
            return True
        # Spark may call this after a commit whose success it did not hear of.
        try:
            done_by = _done_by(self._table.refresh(), self._key, self._options, overwrites=self._overwrites)
        except FloebergError:
            return True
        return done_by is not None

    @property
    def _mode(self) -> WriteMode:
        if not self._overwrites:
            return "append"
        return "dynamic-overwrite" if self._options.overwrite == "dynamic" else "overwrite"

    def __reduce__(self) -> tuple[Any, ...]:
        first = (self._sent, self._recipe, self._columns, self._options)
        return pickle_call(
            __name__, "_rebuild", *first, self._overwrites, self._key, self._is_done, self._frames
        )


def check_published(table: Table, options: WriteOptions) -> None:
    """Raises `UnsupportedError` for a write that is to be staged: a repeated job would not find what it did."""
    target = table._wap.target(  # noqa: SLF001 - the package's own
        table.properties,
        branch=options.branch,
        snapshot_properties=options.snapshot_properties,
        stage_only=False,
    )
    if target.is_staged:
        raise UnsupportedError(
            "the data source cannot stage a write with a wap.id: write with floeberg.spark.write, or to a branch"
        )


def _done_by(table: Table, key: str, options: WriteOptions, *, overwrites: bool) -> int | None:
    """The snapshot that a write committed; `None` where it did not commit."""
    replaces = "dynamic overwrite" if options.overwrite == "dynamic" else "overwrite"
    branch = table._branch_to_write(options.branch)  # noqa: SLF001 - the package's own
    operations = [replaces if overwrites else "append"]
    return table._inner.find_commit(key, branch=branch, operations=operations)  # noqa: SLF001 - the package's own


def prepared_write(
    table: Table, options: WriteOptions, schema: StructType
) -> tuple[InputColumns, WriteRecipe]:
    """How rows of a schema become those of a table, and how tasks write them. With `merge-schema` columns are added.

    Raises:
        InvalidInputError: The rows do not fit the table. The error lists every mismatch.
        UnsupportedError: The table cannot be written where it was opened.
    """
    columns = InputColumns.of(table.schema().fields, schema, case_sensitive=options.case_sensitive)
    rows = columns.schema(arrow_schema(schema))
    if options.merge_schema:
        changes = _native.columns_to_add(table._inner, rows)  # noqa: SLF001 - the package's own
        if changes is not None:
            with table.transaction() as transaction:
                transaction.change_columns(changes)
    recipe = table.write_recipe(options=dict(options.properties), write_id=str(uuid.uuid4()))
    # A mismatch is raised once here, and not by every task.
    recipe.check_schema(rows)
    return columns, recipe


def write_task() -> tuple[str, int]:
    """The name of this task in those of its files, which differs between attempts, and the number of its partition."""
    context = TaskContext.get()
    return (str(context.taskAttemptId()), context.partitionId()) if context else (uuid.uuid4().hex, 0)


def receipts_of(messages: Sequence[WriterCommitMessage | None]) -> list[Receipt]:
    """The receipts of the tasks that ended."""
    return [each.receipt for each in messages if isinstance(each, FilesWritten)]


def arrow_schema(schema: StructType) -> pa.Schema:
    """The Arrow schema of a DataFrame's batches, but for the time zone, which is the session's."""
    from pyspark.sql.pandas.types import to_arrow_schema  # noqa: PLC0415 - needs pyarrow

    # Before 4.2 PySpark always took UTC.
    zone: dict[str, Any] = {"timezone": "UTC"} if "timezone" in signature(to_arrow_schema).parameters else {}
    return to_arrow_schema(schema, **zone)


def _rebuild(*parts: Any) -> FloebergWriter:  # noqa: ANN401 - those of `__reduce__`
    *first, overwrites, key, is_done, frames = parts
    return FloebergWriter(*first, overwrites=overwrites, key=key, is_done=is_done, frames=frames)

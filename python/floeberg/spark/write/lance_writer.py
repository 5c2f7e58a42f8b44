"""How does one write of Spark become one version of a Lance table, even where tasks or jobs run twice?

As `writer` does it for Iceberg: tasks write files and send receipts, and the driver commits those that Spark gives it,
with the key of the write. Workers need pylance, the driver does not.

Invariant: a file is in the table only if Spark gave its receipt to `commit`. Files are removed only where it is certain
that no commit has them.
"""

from __future__ import annotations

import logging
import uuid
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from floeberg.errors import (
    FloebergError,
    InvalidInputError,
    UnsupportedError,
)
from floeberg.spark.read.branch_reads import recorded_reads
from floeberg.spark.session.worker_pickle import pickle_call
from floeberg.spark.write.commit_marker import is_outcome_unknown, marked_commit
from floeberg.spark.write.lance_columns import LanceColumns
from floeberg.spark.write.writer import arrow_schema
from floeberg.table import open_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql.types import StructType

    from floeberg.lance import LanceReceipt, LanceTable, LanceWriteRecipe
    from floeberg.spark.write.options import WriteOptions

__all__ = ["FragmentsWritten", "LanceWriter"]

_LOG = logging.getLogger("floeberg.spark")


@dataclass
class FragmentsWritten(WriterCommitMessage):
    """The message of a task to the driver.

    Args:
        receipt: The files that the task wrote; `None` without rows.
        versions: The versions of the table that its query read.
    """

    receipt: LanceReceipt | None
    versions: tuple[int, ...] = ()


class LanceWriter(DataSourceArrowWriter):
    """Writes the rows of a DataFrame to a Lance table.

    Args:
        table: The table when the write began. Overwrites are validated from this version.
        recipe: How tasks write files.
        columns: The table's names of the DataFrame's columns.
        options: The options of the write.
        overwrites: Whether rows are replaced.
        key: The idempotency key of the commit.
        is_done: Whether the table had a commit with the key when the write began. Then nothing is written.
    """

    def __init__(  # noqa: PLR0913 - the parts of one write
        self,
        table: LanceTable,
        recipe: LanceWriteRecipe,
        columns: LanceColumns,
        options: WriteOptions,
        *,
        overwrites: bool,
        key: str,
        is_done: bool,
    ) -> None:
        self._table = table
        self._recipe = recipe
        self._columns = columns
        self._options = options
        self._overwrites = overwrites
        self._key = key
        self._is_done = is_done

    @classmethod
    def of(
        cls, table: LanceTable, options: WriteOptions, schema: StructType, *, overwrite: bool
    ) -> LanceWriter:
        """The writer of a DataFrame's rows.

        Raises:
            InvalidInputError: The rows do not fit the table. The error lists every mismatch. Or an option is for
                overwrites, and the write appends.
            UnsupportedError: The table cannot be written, or an option is for tables of Iceberg.
        """
        if not overwrite and options.overwrite_options:
            raise InvalidInputError(
                f"the option {options.overwrite_options[0]!r} is for overwrites, and this write appends: remove the "
                "option, or write with mode('overwrite')"
            )
        _check_options(options)
        if options.locator.relocate:
            raise UnsupportedError("a table that was opened with relocate cannot be written")
        if options.branch not in {None, "main"}:
            table = open_table(
                table.location,
                format="lance",
                storage_options=options.locator.storage,
                branch=options.branch,
            )
        write_id = str(uuid.uuid4())
        recipe = table.write_recipe(write_id=write_id)
        columns = LanceColumns.of(
            recipe.arrow_schema().names, schema.names, case_sensitive=options.case_sensitive
        )
        # A mismatch is raised once here, and not by every task.
        recipe.check_schema(columns.schema(arrow_schema(schema)))
        key = write_id if options.idempotency_key is None else options.idempotency_key
        is_done = table.find_commit(key, mode="overwrite" if overwrite else "append") is not None
        return cls(table, recipe, columns, options, overwrites=overwrite, key=key, is_done=is_done)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> FragmentsWritten:
        """Writes the rows of a task. Where it fails it leaves no file."""
        first = None if self._is_done else next((batch for batch in iterator if batch.num_rows), None)
        if first is None:
            # Spark waits for all rows to be taken.
            deque(iterator, maxlen=0)
            return FragmentsWritten(None, self._versions_read())
        rows = self._columns.reader(first.schema, chain((first,), iterator))
        return FragmentsWritten(self._recipe.write(rows), self._versions_read())

    def _versions_read(self) -> tuple[int, ...]:
        """What the query read of the table. It is asked after the last row, since reading goes on until then."""
        if not self._overwrites or TaskContext.get() is None:
            return ()
        reads = recorded_reads(self._table._inner.folder)  # noqa: SLF001 - the package's own
        return tuple(read.snapshot_id for read in reads if read.snapshot_id is not None)

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Makes the files of the tasks one version, and once."""
        if self._is_done:
            return
        options = self._options
        versions = [version for each in _told(messages) for version in each.versions]
        if options.validate_from_version is not None:
            versions.append(options.validate_from_version)
        with marked_commit(self._recipe.write_id):
            self._table.commit_receipts(
                _receipts(messages),
                mode=self._mode,
                isolation_level=options.isolation_level or "serializable",
                validate_from_version=min(versions) if versions else None,
                idempotency_key=self._key,
            )

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Removes what the tasks wrote, where it is known that no commit took it."""
        receipts = _receipts(messages)
        if self._may_be_committed():
            _LOG.warning(
                "the outcome of the write %s is unknown: its %d files are kept. Files that are not part of the table "
                "can be removed later",
                self._recipe.write_id,
                sum(map(len, receipts)),
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
            return self._table.refresh().find_commit(self._key, mode=self._mode) is not None
        except FloebergError:
            return True

    @property
    def _mode(self) -> Literal["append", "overwrite"]:
        return "overwrite" if self._overwrites else "append"

    def __reduce__(self) -> tuple[Any, ...]:
        first = (self._table, self._recipe, self._columns, self._options)
        return pickle_call(__name__, "_rebuild", *first, self._overwrites, self._key, self._is_done)


def _check_options(options: WriteOptions) -> None:
    """Raises `UnsupportedError` for an option that only tables of Iceberg have."""
    given = {
        "overwrite-mode": options.overwrite != "full",
        "merge-schema": options.merge_schema,
        "validate-from-snapshot-id": options.validate_from is not None,
        "snapshot-property.*": bool(options.snapshot_properties),
        **{f"properties ({name})": True for name in options.properties},
    }
    refused = [name for name, is_given in given.items() if is_given]
    if refused:
        raise UnsupportedError(
            f"the option {refused[0]!r} is for tables of Iceberg, and this is a Lance table"
        )


def _told(messages: Sequence[WriterCommitMessage | None]) -> list[FragmentsWritten]:
    return [each for each in messages if isinstance(each, FragmentsWritten)]


def _receipts(messages: Sequence[WriterCommitMessage | None]) -> list[LanceReceipt]:
    """The receipts of the tasks that ended."""
    return [each.receipt for each in _told(messages) if each.receipt is not None]


def _rebuild(*parts: Any) -> LanceWriter:  # noqa: ANN401 - those of `__reduce__`
    *first, overwrites, key, is_done = parts
    return LanceWriter(*first, overwrites=overwrites, key=key, is_done=is_done)

"""How does a task of Spark write the rows of a DataFrame to files of a table?

In: batches of a DataFrame. Out: the receipt of the files, and what the query read of the table. The driver commits the
receipts that Spark gives it, one for each task however often the task ran.

Invariant: a task that fails leaves no file.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from floeberg.lance import LanceReceipt, LanceWriteRecipe
from floeberg.spark.read.branch_reads import recorded_reads
from floeberg.spark.session.worker_pickle import Sent
from floeberg.write import Receipt, WriteRecipe

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from floeberg.spark.read.branch_reads import BranchRead
    from floeberg.spark.write.input_columns import InputColumns

__all__ = ["AnyReceipt", "AnyRecipe", "AppendTask", "Appended", "first_batch", "task_name", "write_rows"]

AnyRecipe: TypeAlias = WriteRecipe | LanceWriteRecipe
AnyReceipt: TypeAlias = Receipt | LanceReceipt


@dataclass
class Appended:
    """What a task that writes rows did.

    Args:
        receipt: Its files; `None` where there were no rows.
        reads: What its query read of the table.
    """

    receipt: AnyReceipt | None
    reads: tuple[BranchRead, ...] = ()


@dataclass(frozen=True)
class AppendTask(Sent):
    """Writes rows to files.

    Args:
        recipe: How.
        columns: How the frame's first columns become the table's. Others are left out.
        table: What the table's reads are recorded by: `SentTable.id`.
    """

    recipe: AnyRecipe
    columns: InputColumns
    table: str | None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Appended:
        """Writes the rows of a task. Where it fails it leaves no file."""
        receipt = write_rows(self.recipe, self.columns, batches)
        # It is asked after the last row, since reading goes on until then.
        return Appended(receipt, recorded_reads(self.table))


def write_rows(
    recipe: AnyRecipe, columns: InputColumns, batches: Iterator[pa.RecordBatch]
) -> AnyReceipt | None:
    """Writes the rows of this task to files.

    Args:
        recipe: How.
        columns: How the first columns of the batches become the table's. Others are left out.
        batches: The rows. All are taken.

    Returns:
        The files; `None` where there were no rows.
    """
    first = first_batch(batches)
    if first is None:
        return None
    own = first.select(range(len(columns.names)))
    rows = columns.reader(own.schema, chain((first,), batches))
    if isinstance(recipe, LanceWriteRecipe):
        return recipe.write(rows)
    task, partition = task_name()
    return recipe.write(rows, task=task, partition=partition)


def first_batch(batches: Iterator[pa.RecordBatch]) -> pa.RecordBatch | None:
    """The first batch with rows. Where there is none, all batches were taken, as Spark asks for."""
    return next((batch for batch in batches if batch.num_rows), None)


def task_name() -> tuple[str, int]:
    """The name of this task in those of its files, which differs between attempts, and the number of its partition."""
    from pyspark import TaskContext  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    context = TaskContext.get()
    if context is None:
        return uuid.uuid4().hex, 0
    return str(context.taskAttemptId()), context.partitionId()

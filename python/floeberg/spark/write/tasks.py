"""How do Spark's tasks change rows of a table?

In: batches of a DataFrame. Out: what a task did: receipts. The driver commits the receipts that Spark gives it, one for
each task however often the task ran.

Invariant: a file is in the table only if its receipt came to the driver.
"""

from __future__ import annotations

import pickle
import uuid
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from floeberg import _native
from floeberg.spark.session.worker_pickle import Sent
from floeberg.spark.write.task_files import first_batch, task_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from floeberg.scan.task_group import TaskGroup
    from floeberg.spark.write.input_columns import InputColumns
    from floeberg.write.row_delta import RowDeltaReceipt, RowDeltaRecipe

__all__ = [
    "DELETED",
    "INSERTED",
    "KEPT",
    "PLACES",
    "UPDATED",
    "ChangeTask",
    "CopyTask",
    "Repeats",
]

Repeats: TypeAlias = Literal["never", "error", "once"]
"""Whether a place may be there twice: it cannot, it is an error, or it counts once."""

KEPT, DELETED, UPDATED, INSERTED = range(4)
"""What becomes of a row: the first column of the rows of `ChangeTask`."""

PLACES = ("floeberg_done", "floeberg_file", "floeberg_pos", "floeberg_row_id")
"""The first columns of the rows of `ChangeTask`."""


@dataclass
class Changed:
    """What a task of a change did.

    Args:
        written: The files of new rows.
        places: The files and positions of deleted rows.
        twice: A place that two rows of the source match.
        updated: The number of rows that got new values.
        inserted: The number of new rows.
        deleted: The number of rows that are deleted without new values.
    """

    written: RowDeltaReceipt | None = None
    places: RowDeltaReceipt | None = None
    twice: tuple[str, int] | None = None
    updated: int = 0
    inserted: int = 0
    deleted: int = 0


@dataclass(frozen=True)
class ChangeTask(Sent):
    """Takes rows away by their places, and writes new ones.

    Its rows have the columns `PLACES`, and then those of the table. If a place may be there twice, all rows with it are
    in one task.

    Args:
        recipe: How rows are written.
        columns: How the columns after `PLACES` become the table's; `None` where there are none.
        has_lineage: Whether the table keeps ids of rows.
        repeats: Whether a place may be there twice.
    """

    recipe: RowDeltaRecipe
    columns: InputColumns | None
    has_lineage: bool
    repeats: Repeats = "error"

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Changed:
        """Changes the rows of a task."""
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        done, places = Changed(), list[Any]()
        task, partition = task_name()
        rows = self._new_rows(batches, done, places)
        first = first_batch(rows)
        if first is not None:
            reader = pa.RecordBatchReader.from_batches(first.schema, chain((first,), rows))
            done.written = self.recipe.write(
                reader, task=task, partition=partition, with_lineage=self.has_lineage
            )
        if places:
            self._take_away(pa.Table.from_batches(places).unify_dictionaries(), done)
        return done

    def _new_rows(
        self, batches: Iterator[pa.RecordBatch], done: Changed, places: list[Any]
    ) -> Iterator[pa.RecordBatch]:
        """The rows to write. Places are put down, and rows counted, meanwhile."""
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        width = len(PLACES)
        for given in batches:
            # pyarrow is to filter them, and Arrow Java may send no offsets.
            batch = _native.with_buffers(given)
            what = batch.column(0)
            where, first = pc.less_equal(what, UPDATED), batch.select([0, 1, 2])
            # What is not copied keeps the memory of the whole batch.
            old = _where(first, where) if self.columns is None else first.filter(where)
            if old.num_rows:
                # Numbers of files are grouped faster than paths of some hundred bytes.
                files = old.column(1) if self.repeats == "never" else old.column(1).dictionary_encode()
                places.append(
                    pa.RecordBatch.from_arrays(
                        [old.column(0), files, old.column(2)], names=["done", "_file", "_pos"]
                    )
                )
            new = _where(batch, pc.greater_equal(what, UPDATED))
            inserted = pc.sum(pc.equal(new.column(0), INSERTED)).as_py() or 0
            done.inserted += inserted
            done.updated += new.num_rows - inserted
            if not new.num_rows or self.columns is None:
                continue
            own = pa.RecordBatch.from_arrays(
                new.columns[width:],
                schema=pa.schema([new.schema.field(at) for at in range(width, new.num_columns)]),
            )
            rows = next(iter(self.columns.reader(own.schema, iter((own,)))))
            if self.has_lineage:
                rows = _with_lineage(rows, new.column(3))
            yield rows

    def _take_away(self, places: pa.Table, done: Changed) -> None:
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        if self.repeats == "once":
            found = places.group_by(["_file", "_pos"]).aggregate([("done", "max")])
            places = found.select(["done_max", "_file", "_pos"]).rename_columns(["done", "_file", "_pos"])
        elif self.repeats == "error":
            counts = places.group_by(["_file", "_pos"]).aggregate([([], "count_all")])
            twice = counts.filter(pc.greater(counts["count_all"], 1))
            if twice.num_rows:
                done.twice = twice["_file"][0].as_py(), twice["_pos"][0].as_py()
                return
        goes = pc.greater(places["done"], KEPT)
        gone = places if pc.all(goes).as_py() else places.filter(goes)
        done.deleted = gone.num_rows - done.updated
        if not gone.num_rows:
            return
        gone = gone.select(["_file", "_pos"]).cast(pa.schema({"_file": pa.string(), "_pos": pa.int64()}))
        done.places = self.recipe.delete_rows(gone)


@dataclass(frozen=True)
class CopyTask(Sent):
    """Writes files again, without their deleted rows.

    Its rows have a group of tasks and the positions of the deleted rows, both pickled.

    Args:
        recipe: How rows are written.
        has_lineage: Whether the table keeps ids of rows.
    """

    recipe: RowDeltaRecipe
    has_lineage: bool

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> list[RowDeltaReceipt]:
        """Copies the files of a task."""
        import pyarrow as pa  # noqa: PLC0415 - the same

        receipts = []
        for batch in batches:
            for number, (group, places) in enumerate(zip(*batch.columns, strict=True)):
                read: TaskGroup = pickle.loads(group.as_py())  # noqa: S301 - made by the driver
                rows = _without(read, pickle.loads(places.as_py()))  # noqa: S301 - the same
                first = first_batch(rows)
                if first is None:
                    continue
                task, partition = task_name()
                reader = pa.RecordBatchReader.from_batches(first.schema, chain((first,), rows))
                receipts.append(
                    self.recipe.write(
                        reader,
                        task=f"{task}-copy-{number}-{uuid.uuid4().hex[:8]}",
                        partition=partition,
                        with_lineage=self.has_lineage,
                    )
                )
        return receipts


def _where(batch: pa.RecordBatch, holds: Any) -> pa.RecordBatch:  # noqa: ANN401 - an array
    """The rows for which a test holds, which are not copied where it holds for all."""
    return batch if holds.true_count == batch.num_rows else batch.filter(holds)


def _without(group: TaskGroup, places: RowDeltaReceipt) -> Iterator[pa.RecordBatch]:
    """The rows of a group, but for those at some places."""
    import pyarrow as pa  # noqa: PLC0415 - the same

    for batch in group.to_arrow_batch_reader():
        where = batch.select(["_file", "_pos"])
        reader = pa.RecordBatchReader.from_batches(where.schema, [where])
        kept = batch.filter(pa.array(cast("Any", places.native().kept(reader))))
        if kept.num_rows:
            names = [each for each in kept.schema.names if each not in {"_file", "_pos"}]
            yield kept.select(names)


def _with_lineage(rows: pa.RecordBatch, row_ids: Any) -> pa.RecordBatch:  # noqa: ANN401 - an array
    import pyarrow as pa  # noqa: PLC0415 - the same

    fields = [
        *rows.schema,
        pa.field("_row_id", pa.int64()),
        pa.field("_last_updated_sequence_number", pa.int64()),
    ]
    columns = [*rows.columns, row_ids.cast(pa.int64()), pa.nulls(rows.num_rows, pa.int64())]
    return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))

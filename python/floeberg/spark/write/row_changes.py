"""How do rows of a DataFrame become one commit that changes rows of a table?

In: a DataFrame with the positions of deleted rows, and with new rows. Spark has joined and computed them, from one
snapshot of the table. Out: one commit, validated from that snapshot.

Tasks write new rows and send places back. For copy-on-write, other tasks then write the files with those places again,
without the rows there. So the DataFrame is evaluated once, whatever its expressions.

Invariant: a row of the table is changed by one row of the DataFrame, unless all that these say is that it goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from floeberg._table_properties import word_of
from floeberg.errors import InternalError, InvalidInputError
from floeberg.scan.plan import Plan
from floeberg.spark.session.environment import cores
from floeberg.spark.session.tasks import run_tasks
from floeberg.spark.write.input_columns import InputColumns
from floeberg.spark.write.target import remove_files, removed_after_errors
from floeberg.spark.write.tasks import PLACES, Changed, ChangeTask, CopyTask

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from floeberg.expressions import AnyFilter
    from floeberg.spark.write.tasks import Repeats
    from floeberg.table import Table
    from floeberg.write.row_delta import RowDeltaReceipt, RowDeltaRecipe

__all__ = ["ChangedCounts", "RowChange", "keeps_row_ids"]

_LINEAGE = 3
"""The format version from which rows have ids."""
_LINEAGE_COLUMNS = ("_row_id", "_last_updated_sequence_number")
_TASKS_A_CORE = 4


def keeps_row_ids(table: Table) -> bool:
    """Whether rows of a table have ids, which they keep."""
    return table.format_version >= _LINEAGE


@dataclass(frozen=True)
class ChangedCounts:
    """What a change did.

    Args:
        snapshot_id: Its snapshot; `None` where no row changed.
        updated_rows: The rows that got new values.
        deleted_rows: The rows that were deleted.
        inserted_rows: The rows that were added.
    """

    snapshot_id: int | None
    updated_rows: int = 0
    deleted_rows: int = 0
    inserted_rows: int = 0


@dataclass(frozen=True)
class RowChange:
    """A change of rows that Spark computes.

    Args:
        table: The table, at the state that was read.
        command: Whose properties say how: `write.<command>.mode` and `write.<command>.isolation-level`.
        branch: The branch.
        read_snapshot_id: Its snapshot that was read.
        conflict_filter: The rows that another writer must not have added since.
        explain_twice: What an error says of a row, by its file and position, that several rows of the source match.
        matches_once: Whether a row of the table that several rows of a source match is an error.
        idempotency_key: A key that lets the change happen once, however often it is run.
        snapshot_properties: Entries of the snapshot's summary.
    """

    table: Table
    command: Literal["delete", "update", "merge"]
    branch: str
    read_snapshot_id: int | None
    conflict_filter: AnyFilter
    explain_twice: Callable[[str, int], str]
    matches_once: bool = True
    idempotency_key: str | None = None
    snapshot_properties: Mapping[str, str] | None = None

    @property
    def copies(self) -> bool:
        """Whether files are written again, without the deleted rows.

        Raises:
            InvalidInputError: The property of the table has another word; or it asks for deletes that the format
                version lacks.
        """
        key = f"write.{self.command}.mode"
        mode = word_of(self.table.properties, key)
        if mode == "merge-on-read" and self.table.format_version == 1:
            raise InvalidInputError(
                f"{key} is merge-on-read, and the table has format version 1, which has no deletes: upgrade it with "
                "upgrade_table_version(2), or use copy-on-write"
            )
        return mode == "copy-on-write"

    def run(self, spark: SparkSession, frame: DataFrame) -> ChangedCounts:
        """Runs the tasks, and commits.

        Args:
            spark: The session.
            frame: The columns `PLACES`, and those of the table. Of a merge, all rows with a place are in one partition.

        Raises:
            InvalidInputError: The rows do not fit the table, several rows have one place, or a column of the table
                has the name of a metadata column that says where a row is.
            CommitConflictError: Another writer changed the rows, or added rows that `conflict_filter` matches.
        """
        self._check_names()
        columns = self._columns(frame)
        recipe = self.table.row_delta_recipe()
        copies, receipts = self.copies, list[Any]()
        has_lineage = keeps_row_ids(self.table) and columns is not None
        # Only a source can match a row twice.
        repeats: Repeats = "never" if self.command != "merge" else "error" if self.matches_once else "once"
        task = ChangeTask(recipe, columns, has_lineage, repeats)
        with removed_after_errors(recipe, receipts):
            done: list[Changed] = run_tasks(frame, task, short=PLACES)
            receipts += [each.written for each in done if each.written is not None]
            self._check_once(done)
            places = [each.places for each in done if each.places is not None]
            receipts += self._copied(spark, recipe, places, receipts) if copies else places
            if not receipts:
                return ChangedCounts(None)
            result = self.table.commit_row_delta(
                receipts,
                read_snapshot_id=self.read_snapshot_id,
                conflict_filter=self.conflict_filter,
                branch=self.branch,
                snapshot_properties=self.snapshot_properties,
                idempotency_key=self.idempotency_key,
                options=self._isolation,
            )
            if result.already_committed:
                remove_files(recipe, receipts)
                return ChangedCounts(result.snapshot_id)
        return ChangedCounts(
            result.snapshot_id,
            sum(each.updated for each in done),
            sum(each.deleted for each in done),
            sum(each.inserted for each in done),
        )

    @property
    def _isolation(self) -> dict[str, str]:
        return {"isolation-level": word_of(self.table.properties, f"write.{self.command}.isolation-level")}

    def _check_names(self) -> None:
        reserved = ("_file", "_pos", *(_LINEAGE_COLUMNS if keeps_row_ids(self.table) else ()))
        hidden = next(
            (each.name for each in self.table.schema().fields if each.name.lower() in reserved), None
        )
        if hidden is not None:
            raise InvalidInputError(
                f"the table has a column {hidden!r}, and {hidden.lower()!r} is a metadata column by which Spark finds "
                "the rows to change: rename the column, or use the methods of the table"
            )

    def _columns(self, frame: DataFrame) -> InputColumns | None:
        """How the columns of the frame become those of the table. A mismatch is raised here, before any task runs."""
        from pyspark.sql.types import StructType  # noqa: PLC0415 - importing floeberg.spark imports nothing large

        from floeberg.spark.session.arrow_types import arrow_schema  # noqa: PLC0415 - the same

        own = StructType(list(frame.schema)[len(PLACES) :])
        if not len(own):
            return None
        columns = InputColumns.of(self.table.schema().fields, own, case_sensitive=True)
        self.table.write_recipe().check_schema(columns.schema(arrow_schema(own)))
        return columns

    def _check_once(self, done: Sequence[Changed]) -> None:
        twice = next((each.twice for each in done if each.twice is not None), None)
        if twice is not None:
            raise InvalidInputError(
                f"more than one row of the source matches a row of the table: {self.explain_twice(*twice)}. Keep one "
                "of them for each, or say more in the condition"
            )

    def _copied(
        self,
        spark: SparkSession,
        recipe: RowDeltaRecipe,
        places: Sequence[RowDeltaReceipt],
        written: list[RowDeltaReceipt],
    ) -> list[RowDeltaReceipt]:
        """Writes files again, without the deleted rows. `written` gets the receipts, also where writing fails."""
        import pickle  # noqa: PLC0415 - the same

        from floeberg.write.row_delta import RowDeltaReceipt  # noqa: PLC0415 - the same

        if not places:
            return []
        gone = RowDeltaReceipt.concat(places)
        if gone.deleted_rows < sum(each.deleted_rows for each in places):
            raise InternalError("two Spark tasks deleted the same row")
        files = gone.files_with_deletes()
        groups = [
            (pickled, pickle.dumps(RowDeltaReceipt(gone.native().only(paths))))
            for pickled, paths in self._groups(files)
        ]
        tasks = min(len(groups), _TASKS_A_CORE * (cores(spark) or 2))
        frame = spark.createDataFrame(groups, "task_group binary, places binary").repartition(tasks)
        for receipts in run_tasks(frame, CopyTask(recipe, keeps_row_ids(self.table))):
            written += receipts
        return [recipe.replace_files(files)]

    def _groups(self, files: Sequence[str]) -> list[tuple[bytes, list[str]]]:
        """The tasks that read some files, pickled, and the files of each."""
        import pickle  # noqa: PLC0415 - the same

        lineage = _LINEAGE_COLUMNS if keeps_row_ids(self.table) else ()
        scan = self.table.scan(selected_fields=("*", "_file", "_pos", *lineage))
        if self.branch in self.table.refs():
            scan = scan.use_ref(self.branch)
        plan, wanted = scan.plan_files(), set(files)
        paths = plan.to_arrow()["file_path"].to_pylist()
        numbers = [number for number, path in enumerate(paths) if path in wanted]
        if len(numbers) != len(wanted):
            raise InternalError(
                f"{len(wanted)} files have deleted rows, and the plan has {len(numbers)} of these files"
            )
        chosen = Plan(plan._inner.only(numbers))  # noqa: SLF001 - the package's own
        return [
            (pickle.dumps(group), sorted({task.file.file_path for task in group})) for group in chosen.split()
        ]

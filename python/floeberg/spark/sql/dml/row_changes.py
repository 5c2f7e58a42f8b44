"""How are DELETE and UPDATE run?

Where condition and values surely mean the same here and in Spark, by the methods of the table, without a job of Spark.
Otherwise Spark evaluates them, and tasks change the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from floeberg.errors import InvalidInputError
from floeberg.expressions import ALWAYS_TRUE
from floeberg.spark.session.names import quoted
from floeberg.spark.sql.dml.affected_rows import combined, reach_of_condition
from floeberg.spark.sql.dml.assignments import check_paths, resolved, value_of
from floeberg.spark.sql.dml.retry import reads_of, repeated
from floeberg.spark.sql.pushdown.strict import exact_filter, exact_values
from floeberg.spark.sql.text.grammar import Update
from floeberg.spark.sql.text.targets import ChangedTable
from floeberg.spark.write.assignment import Assignments
from floeberg.spark.write.row_changes import ChangedCounts, RowChange, keeps_row_ids
from floeberg.spark.write.tasks import DELETED, PLACES, UPDATED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from floeberg.expressions import Expression
    from floeberg.spark.sql.dml.assignments import Path
    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.grammar import Delete
    from floeberg.spark.sql.text.statement import Statement

__all__ = ["FoundRows", "check_once", "delete", "places_of", "update"]


@dataclass(frozen=True)
class FoundRows:
    """A DELETE or an UPDATE, looked up in its table.

    Args:
        changed: The table.
        condition: The rows; `None` is all.
        settings: Columns and fields of structs that are set, with their values; `None` where rows are deleted.
        row_filter: The filter that keeps exactly these rows; `None` where Spark is to find them.
        values: The constants that columns are set to; `None` where Spark is to compute values.
    """

    changed: ChangedTable
    condition: Statement | None
    settings: list[tuple[Path, Statement]] | None
    row_filter: Expression | None
    values: dict[str, Any] | None

    @classmethod
    def of(cls, queries: Queries, statement: Delete | Update) -> FoundRows:
        """Those of a statement."""
        changed = ChangedTable.of(queries.spark, queries.known, statement.target)
        condition, settings = statement.condition, None
        if isinstance(statement, Update):
            paths = [changed.path(parts, "UPDATE") for parts, _ in statement.settings]
            check_paths(paths, "UPDATE")
            settings = [
                (path, resolved(changed, path, given, "UPDATE"))
                for path, (_, given) in zip(paths, statement.settings, strict=True)
            ]
        row_filter = ALWAYS_TRUE if condition is None else exact_filter(queries.spark, changed, condition)
        values = None if row_filter is None else exact_values(changed, settings or ())
        return cls(changed, condition, settings, row_filter, values)

    def query(self, values: str) -> str:
        """The query that finds the places of the rows.

        Args:
            values: Columns beside the places, as SQL.
        """
        is_update = self.settings is not None
        where = "" if self.condition is None else f" WHERE ({self.condition.text}\n)"
        return (
            f"SELECT {UPDATED if is_update else DELETED} AS {PLACES[0]}, "  # noqa: S608 - the user's own text
            f"{places_of(self.changed, with_row_ids=is_update)}{values} FROM {self.changed.relation}{where}"
        )

    def listed(self) -> str:
        """The values that are set, as columns of SQL."""
        given = enumerate(self.settings or ())
        return ", ".join(f"({value.text}\n) AS floeberg_{at}" for at, (_, value) in given)


def delete(queries: Queries, statement: Delete) -> ChangedCounts:
    """Deletes rows."""
    found = FoundRows.of(queries, statement)
    if found.row_filter is not None:
        done = found.changed.table.delete(found.row_filter, branch=found.changed.branch)
        return ChangedCounts(done.snapshot_id, deleted_rows=done.deleted_rows)
    return _changed(queries, found, "delete")


def update(queries: Queries, statement: Update) -> ChangedCounts:
    """Sets columns of rows."""
    found = FoundRows.of(queries, statement)
    if found.row_filter is not None and found.values is not None:
        done = found.changed.table.update(found.values, found.row_filter, branch=found.changed.branch)
        return ChangedCounts(done.snapshot_id, updated_rows=done.updated_rows)
    return _changed(queries, found, "update")


def _changed(queries: Queries, found: FoundRows, command: Literal["delete", "update"]) -> ChangedCounts:
    """Changes the rows that Spark finds."""
    changed = found.changed

    def run() -> ChangedCounts:
        queries.reads.clear()
        # A conflict may bring a newer schema.
        values = "" if found.settings is None else f", {_new_values(queries, found)}"
        frame = queries.frame(found.query(values))
        reads_itself = reads_of(queries, changed) > 1
        change = RowChange(
            changed.table,
            command,
            changed.branch,
            changed.read_snapshot_id,
            conflict_filter=ALWAYS_TRUE
            if reads_itself
            else combined(reach_of_condition(queries, changed, found.condition)),
            explain_twice=lambda file, position: f"row {position} of {file}",
        )
        # Places are few bytes, wherever they are. New rows of a file come to one task, which writes few files.
        return change.run(queries.spark, frame if command == "delete" else _by_file(frame))

    return repeated(changed, run, lambda: queries.reads.others)


def _by_file(frame: DataFrame) -> DataFrame:
    """The rows, with those of a file in one task. A column of the table may be named like a column of positions."""
    names = frame.columns
    if len({name.lower() for name in names}) == len(names):
        return frame.repartition(PLACES[1])
    plain = [f"c{at}" for at in range(len(names))]
    return frame.toDF(*plain).repartition(plain[1]).toDF(*names)


def places_of(changed: ChangedTable, *, with_row_ids: bool) -> str:
    """The columns `PLACES` after the first one, as SQL."""
    visible = changed.visible
    has_ids = with_row_ids and keeps_row_ids(changed.table)
    row_id = f"{visible}.`_row_id`" if has_ids else "CAST(NULL AS BIGINT)"
    return f"{visible}.`_file` AS {PLACES[1]}, {visible}.`_pos` AS {PLACES[2]}, {row_id} AS {PLACES[3]}"


def check_once(names: Sequence[str], word: str) -> None:
    """Checks that no column is set twice.

    Raises:
        InvalidInputError: One is.
    """
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInputError(f"{word}: the column {twice!r} is set twice")


def _new_values(queries: Queries, found: FoundRows) -> str:
    """The columns of changed rows, as SQL."""
    changed = found.changed
    have = queries.frame(f"SELECT {found.listed()} FROM {changed.relation}", empty=True).schema  # noqa: S608 - the same
    given = {path: (each.text, have[at].dataType) for at, (path, each) in enumerate(found.settings or ())}
    assign, columns = Assignments(queries.spark), []
    for field in changed.spark_schema():
        old = f"{changed.visible}.{quoted(field.name)}"
        new = value_of((field.name,), field.dataType, old, given, assign)
        columns.append(f"{old if new is None else new} AS {quoted(field.name)}")
    return ", ".join(columns)

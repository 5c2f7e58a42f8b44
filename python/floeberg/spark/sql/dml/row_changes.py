"""How are DELETE and UPDATE run?

Where condition and values surely mean the same here and in Spark, by the methods of the table, without a job of Spark.
Otherwise Spark evaluates them, and tasks change the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from floeberg.errors import InvalidInputError
from floeberg.expressions import ALWAYS_TRUE
from floeberg.spark.session.names import quoted
from floeberg.spark.sql.dml.affected_rows import combined, reach_of_condition
from floeberg.spark.sql.dml.assignments import check_paths, resolved, value_of
from floeberg.spark.sql.dml.retry import reads_of, repeated
from floeberg.spark.sql.pushdown.strict import exact_filter, exact_values
from floeberg.spark.sql.text.targets import ChangedTable
from floeberg.spark.write.assignment import Assignments
from floeberg.spark.write.row_changes import ChangedCounts, RowChange
from floeberg.spark.write.tasks import DELETED, PLACES, UPDATED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame

    from floeberg.spark.sql.dml.assignments import Path
    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.grammar import Delete, Update

__all__ = ["check_once", "delete", "places_of", "update"]

_LINEAGE = 3


def delete(queries: Queries, statement: Delete) -> ChangedCounts:
    """Deletes rows."""
    changed = ChangedTable.of(queries.spark, queries.known, statement.target)
    condition = statement.condition
    row_filter = (
        ALWAYS_TRUE if condition is None else exact_filter(queries.spark, queries.known, changed, condition)
    )
    if row_filter is not None:
        done = changed.table.delete(row_filter, branch=changed.branch)
        return ChangedCounts(done.snapshot_id, deleted_rows=done.deleted_rows)
    text = (
        f"SELECT {DELETED} AS {PLACES[0]}, {places_of(changed, with_row_ids=False)} "  # noqa: S608 - the user's own text
        f"FROM {changed.relation} WHERE ({condition}\n)"
    )
    return _changed(queries, changed, "delete", condition, lambda: text)


def update(queries: Queries, statement: Update) -> ChangedCounts:
    """Sets columns of rows."""
    changed = ChangedTable.of(queries.spark, queries.known, statement.target)
    paths = [changed.path(parts, "UPDATE") for parts, _ in statement.settings]
    check_paths(paths, "UPDATE")
    settings = [
        (path, resolved(changed, path, text, "UPDATE"))
        for path, (_, text) in zip(paths, statement.settings, strict=True)
    ]
    condition = statement.condition
    row_filter = (
        ALWAYS_TRUE if condition is None else exact_filter(queries.spark, queries.known, changed, condition)
    )
    values = None if row_filter is None else exact_values(changed, settings)
    if row_filter is not None and values is not None:
        done = changed.table.update(values, row_filter, branch=changed.branch)
        return ChangedCounts(done.snapshot_id, updated_rows=done.updated_rows)
    where = "" if condition is None else f" WHERE ({condition}\n)"

    def query() -> str:
        new = _new_values(queries, changed, settings)
        return (
            f"SELECT {UPDATED} AS {PLACES[0]}, {places_of(changed, with_row_ids=True)}, {new} "  # noqa: S608 - the same
            f"FROM {changed.relation}{where}"
        )

    return _changed(queries, changed, "update", condition, query)


def _changed(
    queries: Queries,
    changed: ChangedTable,
    command: Literal["delete", "update"],
    condition: str | None,
    query: Callable[[], str],
) -> ChangedCounts:
    """Changes the rows that a query finds."""

    def run() -> ChangedCounts:
        queries.reads.clear()
        frame = queries.frame(query())
        reads_itself = reads_of(queries, changed) > 1
        change = RowChange(
            changed.table,
            command,
            changed.branch,
            changed.read_snapshot_id,
            conflict_filter=ALWAYS_TRUE
            if reads_itself
            else combined(reach_of_condition(queries, changed, condition)),
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
    has_ids = with_row_ids and changed.table.format_version >= _LINEAGE
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


def _new_values(queries: Queries, changed: ChangedTable, settings: Sequence[tuple[Path, str]]) -> str:
    """The columns of changed rows, as SQL."""
    listed = ", ".join(f"({text}\n) AS floeberg_{at}" for at, (_, text) in enumerate(settings))
    have = queries.frame(f"SELECT {listed} FROM {changed.relation}", empty=True).schema  # noqa: S608 - the same
    given = {path: (text, have[at].dataType) for at, (path, text) in enumerate(settings)}
    assign, columns = Assignments(queries.spark), []
    for field in changed.spark_schema():
        old = f"{changed.visible}.{quoted(field.name)}"
        new = value_of((field.name,), field.dataType, old, given, assign)
        columns.append(f"{old if new is None else new} AS {quoted(field.name)}")
    return ", ".join(columns)

"""How are DELETE and UPDATE run?

Where condition and values surely mean the same here and in Spark, by the methods of the table, without a job of Spark.
Otherwise Spark evaluates them, and tasks change the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.sql.exact import exact_filter, exact_values
from floeberg.spark.sql.targets import ChangedTable, quoted
from floeberg.spark.write.assignment import Assignments
from floeberg.spark.write.row_changes import ChangedCounts, RowChange
from floeberg.spark.write.tasks import DELETED, PLACES, UPDATED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.spark.sql.grammar import Delete, Update
    from floeberg.spark.sql.queries import Queries

__all__ = ["delete", "no_default", "places_of", "update"]

_LINEAGE = 3


def delete(queries: Queries, statement: Delete) -> ChangedCounts:
    """Deletes rows."""
    changed = ChangedTable.of(queries.spark, queries.known, statement.target)
    condition = statement.condition
    row_filter = True if condition is None else exact_filter(queries.spark, queries.known, changed, condition)
    if row_filter is not None:
        done = changed.table.delete(row_filter, branch=changed.branch)
        return ChangedCounts(done.snapshot_id, deleted_rows=done.deleted_rows)
    text = (
        f"SELECT {DELETED} AS {PLACES[0]}, {places_of(changed, with_row_ids=False)} "  # noqa: S608 - the user's own text
        f"FROM {changed.relation} WHERE ({condition}\n)"
    )
    frame = queries.frame(text).repartition(PLACES[1])
    return _change(changed, "delete").run(queries.spark, frame)


def update(queries: Queries, statement: Update) -> ChangedCounts:
    """Sets columns of rows."""
    changed = ChangedTable.of(queries.spark, queries.known, statement.target)
    settings = [(changed.column(parts, "UPDATE"), text) for parts, text in statement.settings]
    check_once([name for name, _ in settings], "UPDATE")
    for _, text in settings:
        no_default(text, "UPDATE")
    condition = statement.condition
    row_filter = True if condition is None else exact_filter(queries.spark, queries.known, changed, condition)
    values = None if row_filter is None else exact_values(changed, settings)
    if row_filter is not None and values is not None:
        done = changed.table.update(values, row_filter, branch=changed.branch)
        return ChangedCounts(done.snapshot_id, updated_rows=done.updated_rows)
    where = "" if condition is None else f" WHERE ({condition}\n)"
    new = _new_values(queries, changed, settings)
    text = (
        f"SELECT {UPDATED} AS {PLACES[0]}, {places_of(changed, with_row_ids=True)}, {new} "  # noqa: S608 - the same
        f"FROM {changed.relation}{where}"
    )
    frame = queries.frame(text).repartition(PLACES[1])
    return _change(changed, "update").run(queries.spark, frame)


def places_of(changed: ChangedTable, *, with_row_ids: bool) -> str:
    """The columns `PLACES` after the first one, as SQL."""
    visible = changed.visible
    has_ids = with_row_ids and changed.table.format_version >= _LINEAGE
    row_id = f"{visible}.`_row_id`" if has_ids else "CAST(NULL AS BIGINT)"
    return f"{visible}.`_file` AS {PLACES[1]}, {visible}.`_pos` AS {PLACES[2]}, {row_id} AS {PLACES[3]}"


def no_default(text: str, word: str) -> None:
    """Refuses `DEFAULT` as a value.

    Raises:
        UnsupportedError: The value is that word.
    """
    if text.strip().upper() == "DEFAULT":
        raise UnsupportedError(f"{word}: DEFAULT as a value is not supported: write the value")


def check_once(names: Sequence[str], word: str) -> None:
    """Checks that no column is set twice.

    Raises:
        InvalidInputError: One is.
    """
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInputError(f"{word}: the column {twice!r} is set twice")


def _new_values(queries: Queries, changed: ChangedTable, settings: Sequence[tuple[str, str]]) -> str:
    """The columns of changed rows, as SQL."""
    listed = ", ".join(f"({text}\n) AS floeberg_{at}" for at, (_, text) in enumerate(settings))
    have = queries.frame(f"SELECT {listed} FROM {changed.relation}", empty=True).schema  # noqa: S608 - the same
    assign, given = Assignments(queries.spark), dict(settings)
    found = {name: have[at].dataType for at, (name, _) in enumerate(settings)}
    columns = []
    for field in changed.spark_schema():
        text = f"{changed.visible}.{quoted(field.name)}"
        if field.name in given:
            text = f"({given[field.name]}\n)"
            cast = assign.cast(field.name, found[field.name], field.dataType)
            text = text if cast is None else f"CAST({text} AS {cast})"
        columns.append(f"{text} AS {quoted(field.name)}")
    return ", ".join(columns)


def _change(changed: ChangedTable, command: str) -> RowChange:
    return RowChange(
        changed.table,
        command,  # type: ignore[arg-type]
        changed.branch,
        changed.read_snapshot_id,
        conflict_filter=True,
        explain_twice=lambda file, position: f"row {position} of {file}",
    )

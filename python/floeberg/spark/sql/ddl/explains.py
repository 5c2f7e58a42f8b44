"""What does EXPLAIN say of statements over tables of a catalog?

Of a query, what Spark says of it. Of a change of rows, what is done without Spark, and Spark's plan of the query that
gives it rows. Nothing is run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from floeberg.errors import UnsupportedError
from floeberg.spark.session.names import quoted
from floeberg.spark.sql.dml.row_changes import FoundRows, places_of
from floeberg.spark.sql.text.changes import changes_of
from floeberg.spark.sql.text.grammar import Insert, Merge
from floeberg.spark.sql.text.targets import ChangedTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.grammar import Change
    from floeberg.spark.sql.text.statement import Statement
    from floeberg.spark.sql.text.token_reader import TokenReader

__all__ = ["explain"]

_MODES = ("EXTENDED", "FORMATTED", "COST", "CODEGEN", "LOGICAL")


def explain(queries: Queries, words: TokenReader) -> DataFrame | None:
    """Runs what follows `EXPLAIN`; `None` where Spark is to.

    Raises:
        UnsupportedError: It is neither a query nor a change of rows, and about something of a catalog.
    """
    mode = words.take_one(*_MODES)
    if words.is_at_end:
        return None
    statement = words.rest()
    begins = f"EXPLAIN {mode} " if mode else "EXPLAIN "
    changes = changes_of(statement)
    if changes and all(queries.known.find(parts.target.parts) is not None for _, parts in changes):
        said = [_said(replace(queries, defined=defined), parts, begins) for defined, parts in changes]
        return queries.spark.createDataFrame([("\n\n".join(said),)], "plan string")
    if statement.is_query and not changes:
        return queries.run_with(begins, statement)
    _check_not_ours(queries, statement)
    return None


def _check_not_ours(queries: Queries, statement: Statement) -> None:
    for name in statement.names:
        known = queries.known
        if known.look_up(name.parts) is not None or known.place(name.parts) is not None:
            raise UnsupportedError(
                f"EXPLAIN {statement.word}: {'.'.join(name.parts)!r} is of a catalog: queries and INSERT, DELETE, "
                f"UPDATE and MERGE are explained, and {statement.word} runs at once, without a job of Spark"
            )


def _said(queries: Queries, parts: Change, begins: str) -> str:
    changed = ChangedTable.of(queries.spark, queries.known, parts.target)
    full = changed.found.full[:-1] if changed.found.ref else changed.found.full
    whole = f"{'.'.join(full)}, branch {changed.branch}"
    if isinstance(parts, Insert):
        does = "replaces rows by" if parts.overwrites or parts.replaced else "adds"
        return (
            f"== Floeberg ==\nINSERT: one commit to {whole}, which {does} the rows of this query:\n\n"
            + _plan(queries, begins, parts.query)
        )
    if isinstance(parts, Merge):
        return _said_of_merge(queries, parts, changed, whole, begins)
    found = FoundRows.of(queries, parts)
    word = type(parts).__name__.upper()
    if found.row_filter is not None and found.values is not None:
        rows = "all rows" if parts.condition is None else str(found.row_filter)
        return (
            f"== Floeberg ==\n{word}: one commit to {whole}, made in this process, without a job of Spark\n"
            f"rows: {rows}"
        )
    values = f", {found.listed()}" if found.settings else ""
    return (
        f"== Floeberg ==\n{word}: one commit to {whole}. This query finds the places of the rows"
        f"{' and their new values' if values else ''}; tasks write what is new:\n\n"
        + _plan(queries, begins, found.query(values))
    )


def _said_of_merge(queries: Queries, parts: Merge, changed: ChangedTable, whole: str, begins: str) -> str:
    rows = {clause.rows for clause in parts.clauses}
    kind = "LEFT" if "not matched by source" in rows else "INNER"
    if "not matched" in rows:
        kind = "FULL" if kind == "LEFT" else "RIGHT"
    join = (
        f"SELECT {places_of(changed, with_row_ids=True)} FROM {changed.relation} {kind} JOIN {parts.source}"  # noqa: S608 - the same
    )
    if parts.source_alias is None:
        join += f" AS {quoted('floeberg_source')}"
    return (
        f"== Floeberg ==\nMERGE: one commit to {whole}. The source is evaluated once and kept. This join finds the "
        f"rows of both sides, of which files that no key of the source matches are left out; tasks write what is new:"
        "\n\n" + _plan(queries, begins, f"{join} ON ({parts.condition.text}\n)")
    )


def _plan(queries: Queries, begins: str, query: Statement | str) -> str:
    """What Spark says of a query, which may name what the statement defines."""
    whole = queries.with_definitions(query) or query
    return "\n".join(row[0] for row in queries.run_with(begins, whole).collect())

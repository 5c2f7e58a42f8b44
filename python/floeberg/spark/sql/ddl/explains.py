"""What does EXPLAIN say of statements over tables of a catalog?

Of a query, what Spark says of it. Of a change of rows, what is done without Spark, and Spark's plan of the query that
gives it rows. Nothing is run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from floeberg.errors import UnsupportedError
from floeberg.spark.session.names import quoted
from floeberg.spark.sql.dml.row_changes import places_of
from floeberg.spark.sql.pushdown.strict import exact_filter, exact_values
from floeberg.spark.sql.text.grammar import Delete, Insert, Merge, Update, read_change, read_definitions
from floeberg.spark.sql.text.multi_inserts import is_change, separate_inserts
from floeberg.spark.sql.text.statement import read_statement
from floeberg.spark.sql.text.targets import ChangedTable
from floeberg.spark.sql.text.token_reader import TokenReader

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.statement import Statement

__all__ = ["explain"]

_CHANGES = frozenset({"INSERT", "DELETE", "UPDATE", "MERGE", "TRUNCATE"})
_MODES = ("EXTENDED", "FORMATTED", "COST", "CODEGEN", "LOGICAL")


def explain(queries: Queries, words: TokenReader) -> DataFrame | None:
    """Runs what follows `EXPLAIN`; `None` where Spark is to.

    Raises:
        UnsupportedError: It is neither a query nor a change of rows, and about something of a catalog.
    """
    mode = next((each for each in _MODES if words.take(each)), "")
    if words.is_at_end:
        return None
    text = words.rest().text
    statement = read_statement(text)
    if statement is None:
        return None
    begins = f"EXPLAIN {mode} " if mode else "EXPLAIN "
    said = [_of_change(queries, each, begins) for each in separate_inserts(statement) or [statement]]
    if None in said:
        if statement.is_query and not is_change(statement):
            return queries.run_with(begins, text)
        _check_not_ours(queries, statement)
        return None
    return queries.spark.createDataFrame([("\n\n".join(map(str, said)),)], "plan string")


def _of_change(queries: Queries, statement: Statement, begins: str) -> str | None:
    """What is said of a statement that changes rows of a table of the catalog; `None` for any other one."""
    words = TokenReader.of(statement)
    defined = read_definitions(words)
    if words.next() not in _CHANGES:
        return None
    parts = read_change(words)
    if parts is None or queries.known.find(parts.target.parts) is None:
        return None
    return _said(replace(queries, defined=defined), parts, begins)


def _check_not_ours(queries: Queries, statement: Statement) -> None:
    for name in statement.names:
        known = queries.known
        if known.look_up(name.parts) is not None or known.place(name.parts) is not None:
            raise UnsupportedError(
                f"EXPLAIN {statement.word}: {'.'.join(name.parts)!r} is of a catalog: queries and INSERT, DELETE, "
                f"UPDATE and MERGE are explained, and {statement.word} runs at once, without a job of Spark"
            )


def _said(queries: Queries, parts: Delete | Update | Merge | Insert, begins: str) -> str:
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
    word = "DELETE" if isinstance(parts, Delete) else "UPDATE"
    condition = parts.condition
    row_filter = "all rows"
    if condition is not None:
        found = exact_filter(queries.spark, queries.known, changed, condition)
        row_filter = "" if found is None else str(found)
    settings = parts.settings if isinstance(parts, Update) else ()
    paths = [(changed.path(name, word), text) for name, text in settings]
    if row_filter and exact_values(changed, paths) is not None:
        return (
            f"== Floeberg ==\n{word}: one commit to {whole}, made in this process, without a job of Spark\n"
            f"rows: {row_filter}"
        )
    where = "" if condition is None else f" WHERE ({condition}\n)"
    places = places_of(changed, with_row_ids=word == "UPDATE")
    values = "".join(f", ({text}\n) AS floeberg_{at}" for at, (_, text) in enumerate(settings))
    query = f"SELECT {places}{values} FROM {changed.relation}{where}"  # noqa: S608 - the user's own text
    return (
        f"== Floeberg ==\n{word}: one commit to {whole}. This query finds the places of the rows"
        f"{' and their new values' if values else ''}; tasks write what is new:\n\n"
        + _plan(queries, begins, query)
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
        "\n\n" + _plan(queries, begins, f"{join} ON ({parts.condition}\n)")
    )


def _plan(queries: Queries, begins: str, query: str) -> str:
    """What Spark says of a query, which may name what the statement defines."""
    text = queries.with_definitions(query)
    return "\n".join(row[0] for row in queries.run_with(begins, text).collect())

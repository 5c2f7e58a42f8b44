"""Which statement changes tables of the catalog, or asks about them, and what does it return?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.sql.alter import alter
from floeberg.spark.sql.changes import delete, update
from floeberg.spark.sql.definitions import (
    check_no_view,
    create_namespace,
    create_table,
    drop_namespace,
    drop_table,
)
from floeberg.spark.sql.grammar import Delete, Insert, Merge, Update, read_change, read_definitions
from floeberg.spark.sql.inserts import insert
from floeberg.spark.sql.merge import merge
from floeberg.spark.sql.procedures import call
from floeberg.spark.sql.shows import describe, show
from floeberg.spark.sql.words import Words

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from floeberg.spark.sql.queries import Queries
    from floeberg.spark.sql.statement import Statement

__all__ = ["run_change", "run_definition"]

_COUNTS = ("snapshot_id", "updated_rows", "deleted_rows", "inserted_rows")


def run_change(queries: Queries, statement: Statement) -> DataFrame | None:
    """Runs a statement that changes rows of a table of the catalog; `None` for any other statement.

    Returns:
        A row: the snapshot, and the rows that were updated, deleted and inserted.
    """
    words = Words.of(statement)
    if words.next() not in {"INSERT", "DELETE", "UPDATE", "MERGE", "TRUNCATE", "WITH"}:
        return None
    ours = any(queries.known.look_up(name.parts) is not None for name in statement.names)
    try:
        defined = read_definitions(words)
        parts = read_change(words)
    except UnsupportedError:
        if ours:
            raise
        return None
    # The namespace says whether a missing table would be one of the catalog.
    if parts is None or queries.known.find(parts.target.parts) is None:
        return None
    if isinstance(queries.args, list) and queries.args:
        raise InvalidInputError(f"{statement.word}: give values of parameters by their names, as in :least")
    queries = replace(queries, defined=defined)
    if isinstance(parts, Delete):
        done = delete(queries, parts)
    elif isinstance(parts, Update):
        done = update(queries, parts)
    elif isinstance(parts, Merge):
        done = merge(queries, parts)
    else:
        assert isinstance(parts, Insert)  # noqa: S101 - there are no others
        done = insert(queries, parts)
    row = (done.snapshot_id, done.updated_rows, done.deleted_rows, done.inserted_rows)
    shown = (f"CAST({'NULL' if value is None else value} AS BIGINT)" for value in row)
    # Spark shows it without a job.
    return queries.spark.sql(f"SELECT * FROM VALUES ({', '.join(shown)}) AS counts({', '.join(_COUNTS)})")  # noqa: S608 - numbers


def run_definition(queries: Queries, statement: Statement) -> DataFrame | None:
    """Runs a statement that defines, changes or describes a table or a namespace; `None` for any other statement."""
    words = Words.of(statement)
    if words.take("CALL"):
        return call(queries, words)
    if words.take("DESCRIBE") or words.take("DESC"):
        return describe(queries, words)
    if words.take("SHOW"):
        return show(queries, words)
    done = False
    if (
        words.follows("CREATE", "TABLE")
        or words.follows("CREATE", "OR", "REPLACE", "TABLE")
        or words.follows("REPLACE", "TABLE")
    ):
        done = create_table(queries, words)
    elif words.take("DROP", "TABLE"):
        done = drop_table(queries, words)
    elif words.next() in {"CREATE", "DROP"} and words.next(1) in {"NAMESPACE", "DATABASE", "SCHEMA"}:
        word = words.take_word().upper
        words.take_word()
        done = (create_namespace if word == "CREATE" else drop_namespace)(queries, words)
    elif words.next() in {"CREATE", "ALTER", "DROP"} and "VIEW" in {words.next(1), words.next(3)}:
        check_no_view(queries, words)
    elif words.take("ALTER", "TABLE"):
        parts = words.name()
        done = queries.known.find(parts) is not None
        if done:
            alter(queries, words, parts)
    return queries.spark.createDataFrame([], "result string") if done else None

"""Which statement changes tables of the catalog, or asks about them, and what does it return?"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.session.settings import changed_settings
from floeberg.spark.session.time_types import TIME_TYPES
from floeberg.spark.sql.alter import alter
from floeberg.spark.sql.changes import delete, update
from floeberg.spark.sql.definitions import (
    check_no_view,
    create_namespace,
    create_table,
    drop_namespace,
    drop_table,
)
from floeberg.spark.sql.dialect import PATTERNS, read_in
from floeberg.spark.sql.grammar import Delete, Insert, Merge, Update, read_change, read_definitions
from floeberg.spark.sql.inserts import insert
from floeberg.spark.sql.merge import merge
from floeberg.spark.sql.procedures import call
from floeberg.spark.sql.shows import describe, show
from floeberg.spark.sql.words import Words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

    from floeberg.spark.sql.queries import Queries
    from floeberg.spark.sql.statement import Statement
    from floeberg.spark.write.row_changes import ChangedCounts
    from floeberg.table import Table

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
    found = None if parts is None else queries.known.find(parts.target.parts)
    if parts is None or found is None:
        return None
    if isinstance(queries.args, list) and queries.args:
        raise InvalidInputError(f"{statement.word}: give values of parameters by their names, as in :least")
    queries = replace(queries, defined=defined)
    with _settings(queries, statement, found.table, inserts=isinstance(parts, Insert)):
        done = _changed(queries, parts)
    row = (done.snapshot_id, done.updated_rows, done.deleted_rows, done.inserted_rows)
    shown = (f"CAST({'NULL' if value is None else value} AS BIGINT)" for value in row)
    # Spark shows it without a job.
    return queries.spark.sql(f"SELECT * FROM VALUES ({', '.join(shown)}) AS counts({', '.join(_COUNTS)})")  # noqa: S608 - numbers


def _changed(queries: Queries, parts: Delete | Update | Merge | Insert) -> ChangedCounts:
    if isinstance(parts, Delete):
        return delete(queries, parts)
    if isinstance(parts, Update):
        return update(queries, parts)
    return merge(queries, parts) if isinstance(parts, Merge) else insert(queries, parts)


@contextmanager
def _settings(queries: Queries, statement: Statement, table: Table, *, inserts: bool) -> Iterator[None]:
    """Runs a change with settings under which what it says and reads has one meaning.

    Names in backticks are names: in a change they are, but in select lists. Columns of times, which rows that change
    may have, are taken: they go through this statement alone.

    Raises:
        UnsupportedError: A change has a select list, and a name in it may be a pattern.
    """
    wanted, read = dict[str, str](), statement.dialect
    if read.patterns_in_backticks and not inserts:
        if statement.has_patterns and "select" in statement.words:
            raise UnsupportedError(
                f"{statement.word}: {PATTERNS} makes patterns of names in backticks, which queries inside of this "
                "statement may not have: switch it off, or name the columns without backticks"
            )
        wanted[PATTERNS], read = "false", replace(read, patterns_in_backticks=False)
    if any("time" in re.findall(r"\w+", str(each.field_type)) for each in table.schema().fields):
        wanted[TIME_TYPES] = "true"
    with changed_settings(queries.spark, wanted), read_in(read):
        yield


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

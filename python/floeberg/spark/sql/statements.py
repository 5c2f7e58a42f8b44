"""Which statement changes tables of the catalog, or asks about them, and what does it return?"""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.session.conf import changed_settings
from floeberg.spark.session.time_types import TIME_TYPES
from floeberg.spark.sql.ddl.alter import alter
from floeberg.spark.sql.ddl.caching import keep
from floeberg.spark.sql.ddl.comments import comment_on
from floeberg.spark.sql.ddl.definitions import (
    create_namespace,
    create_table,
    drop_namespace,
    drop_table,
)
from floeberg.spark.sql.ddl.explains import explain
from floeberg.spark.sql.ddl.namespaces import NAMESPACES
from floeberg.spark.sql.ddl.shows import describe, show
from floeberg.spark.sql.ddl.views import alter_view, create_view, drop_view
from floeberg.spark.sql.dml.deleted_rows import check_no_deleted_rows
from floeberg.spark.sql.dml.inserts import insert_each
from floeberg.spark.sql.dml.merge import merge
from floeberg.spark.sql.dml.row_changes import delete, update
from floeberg.spark.sql.procedures.calls import call
from floeberg.spark.sql.query.temp_views import create_temp_view
from floeberg.spark.sql.text.changes import changes_of
from floeberg.spark.sql.text.dialect import PATTERNS, read_in
from floeberg.spark.sql.text.grammar import Insert, Merge, Update
from floeberg.spark.sql.text.token_reader import TokenReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import DataFrame

    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.grammar import Change
    from floeberg.spark.sql.text.statement import Statement
    from floeberg.spark.write.row_changes import ChangedCounts
    from floeberg.table import Table

__all__ = ["run_ddl", "run_dml"]

_ANSWERS: dict[str, Callable[[Queries, TokenReader], DataFrame | None]] = {
    "CALL": call,
    "DESC": describe,
    "DESCRIBE": describe,
    "EXPLAIN": explain,
    "SHOW": show,
}
"""What begins with these words answers with rows."""
_COUNTS = ("snapshot_id", "updated_rows", "deleted_rows", "inserted_rows")


def run_dml(queries: Queries, statement: Statement) -> DataFrame | None:
    """Runs a statement that changes rows of tables of the catalog; `None` for any other statement.

    Returns:
        A row for each change: the snapshot, and the rows that were updated, deleted and inserted.
    """
    ours = any(queries.known.look_up(name.parts) is not None for name in statement.names)
    try:
        read = changes_of(statement)
    except UnsupportedError:
        if ours:
            raise
        return None
    # The namespace says whether a missing table would be one of the catalog.
    known = [
        (replace(queries, defined=defined), parts, found.table)
        for defined, parts in read
        if (found := queries.known.find(parts.target.parts)) is not None
    ]
    if not known:
        return None
    if len(known) < len(read):
        raise UnsupportedError(
            "FROM .. INSERT: some of the tables are of a catalog and some are Spark's: write one INSERT for each"
        )
    if isinstance(queries.args, list) and queries.args:
        raise InvalidInputError(f"{statement.word}: give values of parameters by their names, as in :least")
    inserts = [(own, parts) for own, parts, _ in known if isinstance(parts, Insert)]
    with ExitStack() as settings:
        for own, _, table in known:
            settings.enter_context(_settings(own, statement, table, inserts=bool(inserts)))
        done = insert_each(inserts) if inserts else [_changed(*known[0][:2])]
    return _counts(queries, done)


def _changed(queries: Queries, parts: Change) -> ChangedCounts:
    assert not isinstance(parts, Insert)  # noqa: S101 - the caller asked
    check_no_deleted_rows(queries, parts)
    if isinstance(parts, Merge):
        return merge(queries, parts)
    return update(queries, parts) if isinstance(parts, Update) else delete(queries, parts)


def _counts(queries: Queries, done: Sequence[ChangedCounts]) -> DataFrame:
    rows = ((each.snapshot_id, each.updated_rows, each.deleted_rows, each.inserted_rows) for each in done)
    shown = (
        "(" + ", ".join(f"CAST({'NULL' if value is None else value} AS BIGINT)" for value in row) + ")"
        for row in rows
    )
    # Spark shows it without a job.
    return queries.spark.sql(f"SELECT * FROM VALUES {', '.join(shown)} AS counts({', '.join(_COUNTS)})")  # noqa: S608 - numbers


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


def run_ddl(queries: Queries, statement: Statement) -> DataFrame | None:
    """Runs a statement that defines, changes or describes a table or a namespace; `None` for any other statement."""
    words = TokenReader.of(statement)
    answer = _ANSWERS.get(words.next())
    if answer is not None:
        words.take_word()
        return answer(queries, words)
    done = False
    if words.take("COMMENT", "ON"):
        done = comment_on(queries, words)
    elif words.next() in {"CACHE", "UNCACHE", "REFRESH", "CLEAR"}:
        done = keep(queries, words, statement)
    elif words.next() == "CREATE" and _is_temporary(words):
        done = create_temp_view(queries, words, statement)
    elif words.next() in {"CREATE", "ALTER", "DROP", "REPLACE"}:
        done = _defined(queries, words)
    return queries.spark.createDataFrame([], "result string") if done else None


def _defined(queries: Queries, words: TokenReader) -> bool:  # noqa: PLR0911 - one return a form
    """Runs a statement that makes, changes or drops a table, a namespace or a view; `False` where Spark is to."""
    if (
        words.follows("CREATE", "TABLE")
        or words.follows("CREATE", "OR", "REPLACE", "TABLE")
        or words.follows("REPLACE", "TABLE")
    ):
        return create_table(queries, words)
    if words.take("DROP", "TABLE"):
        return drop_table(queries, words)
    if words.next() in {"CREATE", "DROP"} and words.next(1) in NAMESPACES:
        word = words.take_word().upper
        words.take_word()
        return (create_namespace if word == "CREATE" else drop_namespace)(queries, words)
    if words.follows("CREATE", "VIEW") or words.follows("CREATE", "OR", "REPLACE", "VIEW"):
        words.take_word()
        return create_view(queries, words)
    if words.take("ALTER", "VIEW"):
        return alter_view(queries, words)
    if words.take("DROP", "VIEW"):
        return drop_view(queries, words)
    done = False
    if words.take("ALTER", "TABLE"):
        parts = words.name()
        done = queries.known.find(parts) is not None
        if done:
            alter(queries, words, parts)
    return done


def _is_temporary(words: TokenReader) -> bool:
    """Whether a temporary view is made."""
    ahead = 3 if words.follows("CREATE", "OR", "REPLACE") else 1
    ahead += words.next(ahead) == "GLOBAL"
    return words.next(ahead) in {"TEMP", "TEMPORARY"} and words.next(ahead + 1) == "VIEW"

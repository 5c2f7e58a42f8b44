"""How does a statement over tables by their names run?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from floeberg._arguments import checked_bool, checked_text
from floeberg._keywords import says_keywords
from floeberg.errors import InvalidInputError
from floeberg.spark.session.environment import check_pyspark, check_session
from floeberg.spark.session.task_errors import own_errors
from floeberg.spark.sql.query.queries import Queries
from floeberg.spark.sql.query.system_functions import functions
from floeberg.spark.sql.query.temp_views import renew_views
from floeberg.spark.sql.statements import run_ddl, run_dml
from floeberg.spark.sql.text.changes import changes_of
from floeberg.spark.sql.text.dialect import Dialect, read_in, substituted
from floeberg.spark.sql.text.edits import rewritten
from floeberg.spark.sql.text.identifiers import with_names
from floeberg.spark.sql.text.immediate import read_immediate
from floeberg.spark.sql.text.known_tables import KnownTables
from floeberg.spark.sql.text.statement import check_sqlglot, read_statement
from floeberg.spark.sql.text.table_queries import selects
from floeberg.spark.views import followed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from floeberg.catalog import Catalog
    from floeberg.scan.scan_protocol import Reader
    from floeberg.spark.sql.text.constants import Arguments
    from floeberg.spark.sql.text.immediate import Immediate
    from floeberg.spark.sql.text.statement import Statement

__all__ = ["sql"]

_UNCERTAIN = frozenset({"identifier", "execute", "system"})
"""Words with which a statement may name something that its tokens do not show."""
_DEEPEST = 8
"""The most EXECUTE IMMEDIATE that may be nested."""


@own_errors()
@says_keywords
def sql(  # noqa: PLR0913 - what a statement, its tables and its frames need
    spark: SparkSession,
    text: str,
    args: dict[str, Any] | list[Any] | None = None,
    *,
    catalog: Catalog | str | None = None,
    reader: Reader = "auto",
    truncate_nanoseconds: bool = False,
) -> DataFrame:
    """Runs a statement over tables of a catalog by their names, beside Spark's own tables and views.

    `sales.orders` is a table of the catalog, if the catalog has it. If Spark has a table of that name too, an error
    asks for `catalog.sales.orders` or `spark_catalog.sales.orders`. The first part may be the name of the catalog, or
    of any configured catalog. A name with one part is Spark's: a temporary view, a common table expression, or a table
    of the current database. Table names are case-sensitive, as in Iceberg. Column names follow the session.

    Metadata tables and snapshots are named as in Iceberg: `sales.orders.snapshots` and the other metadata tables of
    `Table.inspect`, `sales.orders.branch_audit`, `tag_x`, `snapshot_id_1`, `at_timestamp_1`. `VERSION AS OF` takes a
    snapshot id, a branch or a tag. `TIMESTAMP AS OF` takes a constant that Spark casts to a timestamp.

    The newest snapshot of each table is read: one snapshot for the whole statement. Views of
    `floeberg.spark.create_view` without a chosen snapshot move to the newest one first, and those of
    `CREATE TEMP VIEW .. AS SELECT` show what their query gives then; Spark itself would show the old rows. What
    `CACHE TABLE` keeps is read as long as it is what the table has.

    Texts are read as the session reads them: `spark.sql.caseSensitive`, names in double quotes, patterns in backticks
    and `${..}` mean what they mean to Spark.

    Spark runs queries as written, with other names for these tables. Conditions on a table are pushed down to its
    planning, and skip manifests and files. Spark still evaluates all conditions itself. If a statement does not name a
    table of the catalog, Spark runs it unchanged.

    `INSERT`, `DELETE`, `UPDATE`, `MERGE INTO`, `CREATE TABLE`, `ALTER TABLE`, `DROP TABLE` and `CALL` run at once, each
    as one commit. Those that change rows return a row with `snapshot_id`, `updated_rows`, `deleted_rows` and
    `inserted_rows`.

    Args:
        spark: A session of PySpark 4.0 or later, classic or Spark Connect.
        text: The statement.
        args: Values of parameters, as `spark.sql` takes them.
        catalog: The catalog, or its name in the configuration. By default, the configured default catalog, if any.
        reader: `"auto"`, `"native"` or `"arrow"`, as for `Scan.to_spark`.
        truncate_nanoseconds: Whether nanoseconds may be truncated to Spark's microseconds.

    Returns:
        A `pyspark.sql.DataFrame`.

    Raises:
        NotInstalledError: PySpark or sqlglot is not installed: `pip install 'floeberg[spark]'`.
        InvalidInputError: A name is ambiguous, the text has several statements, or two snapshots of a table are chosen
            at once.
        NotFoundError: The table, snapshot or ref does not exist. The error suggests near matches.
        UnsupportedError: The statement names a table of a catalog, and is not known or cannot be parsed. Or Spark has
            no type for a column.
        CommitConflictError: Another writer changed the rows that the statement changes.
    """
    check_pyspark()
    check_session(spark)
    check_sqlglot()
    checked_bool("truncate_nanoseconds", truncate_nanoseconds)
    known = KnownTables(spark, catalog)
    queries = Queries(spark, known, args, {"reader": reader, "truncate_nanoseconds": truncate_nanoseconds})
    return _read_and_run(queries, checked_text("text", text), 0)


def _read_and_run(queries: Queries, text: str, depth: int) -> DataFrame:
    """Runs a text, as the session reads it."""
    spark = queries.spark
    text = substituted(spark, text)
    with read_in(Dialect.of(spark, text)):
        statement = read_statement(text)
        return spark.sql(text, queries.args) if statement is None else _run(queries, statement, depth)


def _run(queries: Queries, statement: Statement, depth: int) -> DataFrame:
    """Runs a statement that may stand in others: EXECUTE IMMEDIATE."""
    spark = queries.spark
    immediate = read_immediate(spark, statement, queries.args)
    if immediate is not None:
        return _immediately(queries, statement, immediate, depth)
    plain, args = _plain(queries, statement)
    if plain is None:
        return spark.sql(statement.text, queries.args)
    queries = replace(queries, args=args)
    renew_views(queries, _words_of_views(plain))
    done = run_dml(queries, plain)
    if done is None:
        done = run_ddl(queries, plain)
    return queries.run(plain) if done is None else done


def _immediately(queries: Queries, outer: Statement, immediate: Immediate, depth: int) -> DataFrame:
    """Runs what EXECUTE IMMEDIATE says."""
    spark = queries.spark
    if not _may_be_ours(queries, immediate.statement):
        return spark.sql(outer.text, queries.args)
    if depth >= _DEEPEST:
        raise InvalidInputError(f"EXECUTE IMMEDIATE: expected at most {_DEEPEST} of them in each other")
    text = immediate.with_values(spark, queries.args)
    queries = replace(queries, args=None)
    if not immediate.into:
        return _read_and_run(queries, text, depth + 1)
    statement = read_statement(text)
    if statement is None:
        return spark.sql(outer.text, queries.args)
    if not statement.is_query or changes_of(statement):
        raise InvalidInputError(f"EXECUTE IMMEDIATE: INTO is for queries, found {immediate.text[:40]}")
    plain, _ = _plain(queries, statement)
    plain = statement if plain is None else plain
    renew_views(queries, plain.words)
    return queries.run_with(f"SET VARIABLE ({', '.join(immediate.into)}) = (", plain, after="\n)")


def _plain(queries: Queries, statement: Statement) -> tuple[Statement | None, Arguments]:
    """A statement in the words that are known here, and the parameters that it still has."""
    plain, args = with_names(queries.spark, statement, queries.args)
    if plain is None or _defines_view(plain):
        # A view keeps the text of its query.
        return plain, args
    return rewritten(plain, [*selects(plain), *functions(queries.spark, queries.known, plain)]), args


def _defines_view(statement: Statement) -> bool:
    """Whether a view that is not temporary is made or changed."""
    words = [token.upper for token in statement.tokens[:4]]
    first = words[:2] if words[1:3] != ["OR", "REPLACE"] else [words[0], *words[3:]]
    return first in (["CREATE", "VIEW"], ["ALTER", "VIEW"])


def _may_be_ours(queries: Queries, statement: Statement | None) -> bool:
    """Whether a statement may be about tables of a catalog, or views of them."""
    if statement is None:
        return False
    if not statement.is_query:
        # One that is Spark's is handed to Spark later.
        return True
    known = queries.known
    names = (parts for each in statement.names for parts in (each.parts, each.parts[:-1]))
    return (
        bool(statement.words & _UNCERTAIN)
        or bool(followed(queries.spark, statement.words))
        or any(known.is_ours(parts) for parts in names)
        or any(_has_place(queries, each.parts) for each in statement.names)
    )


def _has_place(queries: Queries, parts: tuple[str, ...]) -> bool:
    """Whether a table of a name would be one of a catalog."""
    try:
        return queries.known.place(parts) is not None
    except InvalidInputError:
        # Then the name is one of both, or none at all: who looks for the table says it.
        return True


def _words_of_views(statement: Statement) -> frozenset[str]:
    """The words of a statement that may name views that it reads."""
    first = statement.word
    if first in {"DROP", "UNCACHE"}:
        return frozenset()
    if first != "CREATE":
        return statement.words
    tokens = statement.tokens
    begins = next((at for at, each in enumerate(tokens) if each.upper == "AS"), len(tokens))
    return frozenset(each.text.lower() for each in tokens[begins:])

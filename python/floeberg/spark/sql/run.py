"""How does a statement over tables by their names run?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg._arguments import checked_bool, checked_text
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.session.environment import check_pyspark, check_session
from floeberg.spark.sql.frames import frames_of, is_case_sensitive
from floeberg.spark.sql.known_tables import KnownTables
from floeberg.spark.sql.references import references
from floeberg.spark.sql.rewriting import edits, template
from floeberg.spark.sql.statement import check_sqlglot, parse_query, read_statement
from floeberg.spark.views import followed, renew

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from floeberg.catalog import Catalog
    from floeberg.scan.scan import Reader
    from floeberg.spark.sql.statement import Statement

__all__ = ["sql"]

_INSTEAD = (
    "floeberg.spark.sql runs queries of tables of a catalog; rows are written by DataFrame.write.format('floeberg'), "
    "or by the methods of the table"
)


def sql(  # noqa: PLR0913 - what a statement, its tables and its frames need
    spark: SparkSession,
    text: str,
    args: dict[str, Any] | list[Any] | None = None,
    *,
    catalog: Catalog | str | None = None,
    reader: Reader = "auto",
    truncate_nanoseconds: bool = False,
) -> DataFrame:
    """Runs a query over tables of a catalog by their names, beside Spark's own tables and views.

    `sales.orders` is a table of the catalog, if the catalog has it. If Spark has a table of that name too, an error
    asks for `catalog.sales.orders` or `spark_catalog.sales.orders`. The first part may be the name of the catalog, or
    of any configured catalog. A name with one part is Spark's: a temporary view, a common table expression, or a table
    of the current database. Table names are case-sensitive, as in Iceberg. Column names follow the session.

    Metadata tables and snapshots are named as in Iceberg: `sales.orders.snapshots` and the other metadata tables of
    `Table.inspect`, `sales.orders.branch_audit`, `tag_x`, `snapshot_id_1`, `at_timestamp_1`. `VERSION AS OF` takes a
    snapshot id, a branch or a tag. `TIMESTAMP AS OF` takes a constant that Spark casts to a timestamp.

    The newest snapshot of each table is read: one snapshot for the whole statement. Views of
    `floeberg.spark.create_view` without a chosen snapshot move to the newest one first; Spark itself would show the old
    one.

    Spark runs the text as written, with other names for these tables. Conditions on a table are pushed down to its
    planning, and skip manifests and files. Spark still evaluates all conditions itself. If a statement does not name a
    table of the catalog, Spark runs it unchanged.

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
        UnsupportedError: The statement names a table of a catalog, and is not a query or cannot be parsed. Or Spark has
            no type for a column.
    """
    check_pyspark()
    check_session(spark)
    check_sqlglot()
    checked_bool("truncate_nanoseconds", truncate_nanoseconds)
    statement = read_statement(checked_text("text", text))
    if statement is None:
        return spark.sql(text, args)
    known = KnownTables(spark, catalog)
    for view in followed(spark, statement.words):
        renew(spark, view, known.open(view.table, view.catalog))
    tree = _query(spark, statement, known)
    uses = [] if tree is None else references(statement, tree, known)
    if not uses:
        return _run(spark, statement, known, text, args, {})
    case_sensitive = is_case_sensitive(spark)
    changes = edits(statement, tree, uses, case_sensitive=case_sensitive)
    reading = {"reader": reader, "truncate_nanoseconds": truncate_nanoseconds}
    frames = frames_of(spark, statement, tree, uses, reading, case_sensitive=case_sensitive)
    named = {f"floeberg_{at}": frame for at, frame in enumerate(frames)}
    return _run(spark, statement, known, template(text, changes), args, named)


def _query(spark: SparkSession, statement: Statement, known: KnownTables) -> Any:  # noqa: ANN401 - sqlglot's
    """The tree of the query; `None` if it names no table of the catalog and Spark runs it."""
    from sqlglot import exp  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    trees, near = parse_query(statement) if statement.is_query else ([], "")
    if len(trees) == 1 and isinstance(trees[0], exp.Query):
        return trees[0]
    ours = [name for name in statement.names if known.look_up(name.parts) is not None]
    if not ours:
        return None
    name = ".".join(ours[0].parts)
    if len(trees) > 1:
        raise InvalidInputError(
            f"expected one statement, found {len(trees)}: {name!r} is a table of a catalog"
        )
    if not trees and (statement.is_query or statement.is_unheard_of):
        _let_spark_judge(spark, statement.text)
        raise UnsupportedError(
            f"the query cannot be understood{near}, and {name!r} is a table of a catalog: make a view of the table "
            "with floeberg.spark.create_view, and query that"
        )
    raise UnsupportedError(f"{statement.word}: {name!r} is a table of a catalog, and {_INSTEAD}")


def _let_spark_judge(spark: SparkSession, text: str) -> None:
    """Raises Spark's own error where the text is not SQL. Nothing is run."""
    from pyspark.errors import ParseException, PySparkException  # noqa: PLC0415 - the same

    try:
        spark.sql(f"EXPLAIN {text}")
    except ParseException:
        spark.sql(text)
    except PySparkException:
        return


def _run(  # noqa: PLR0913, PLR0917 - what is run, and what is said of it
    spark: SparkSession,
    statement: Statement,
    known: KnownTables,
    text: str,
    args: dict[str, Any] | list[Any] | None,
    frames: dict[str, DataFrame],
) -> DataFrame:
    from pyspark.errors import AnalysisException, ParseException  # noqa: PLC0415 - the same

    try:
        # PySpark names the frames, and forgets the names when the statement is analysed.
        return spark.sql(text, args, **frames)
    except ParseException:
        if frames:
            _let_spark_judge(spark, statement.text)
        raise
    except AnalysisException as error:
        if error.getCondition() != "TABLE_OR_VIEW_NOT_FOUND":
            raise
        for parts in statement.quoted_and_plain_names:
            if parts[-1] in str(error) and known.look_up(parts) is not None:
                raise UnsupportedError(
                    f"{'.'.join(parts)!r} is a table of a catalog, and is not understood where it stands: "
                    "write its name after FROM or JOIN"
                ) from error
        raise

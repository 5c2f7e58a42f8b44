"""How does a statement over tables by their names run?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg._arguments import checked_bool, checked_text
from floeberg._keywords import says_keywords
from floeberg.spark.session.environment import check_pyspark, check_session
from floeberg.spark.session.task_errors import own_errors
from floeberg.spark.sql.dialect import Dialect, read_in, substituted
from floeberg.spark.sql.known_tables import KnownTables
from floeberg.spark.sql.queries import Queries
from floeberg.spark.sql.statement import check_sqlglot, read_statement
from floeberg.spark.sql.statements import run_change, run_definition
from floeberg.spark.views import followed, renew

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from floeberg.catalog import Catalog
    from floeberg.scan.scan import Reader

__all__ = ["sql"]


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
    `floeberg.spark.create_view` without a chosen snapshot move to the newest one first; Spark itself would show the old
    one.

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
    text = substituted(spark, checked_text("text", text))
    with read_in(Dialect.of(spark, text)):
        statement = read_statement(text)
        if statement is None:
            return spark.sql(text, args)
        known = KnownTables(spark, catalog)
        for view in followed(spark, statement.words):
            renew(spark, view, known.open(view.table, view.catalog))
        queries = Queries(
            spark, known, args, {"reader": reader, "truncate_nanoseconds": truncate_nanoseconds}
        )
        done = run_change(queries, statement)
        if done is None:
            done = run_definition(queries, statement)
        return queries.run(statement) if done is None else done

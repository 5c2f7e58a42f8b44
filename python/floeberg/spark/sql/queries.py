"""How does Spark run a query that names tables of the catalog?

Invariant: Spark runs the text as written, with other names for these tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.sql.frames import frames_of, is_case_sensitive
from floeberg.spark.sql.references import references
from floeberg.spark.sql.rewriting import edits, template
from floeberg.spark.sql.statement import parse_query, read_statement

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from floeberg.spark.sql.known_tables import KnownTables
    from floeberg.spark.sql.statement import Statement

__all__ = ["Queries"]


_INSTEAD = "floeberg.spark.sql does not know this statement: use the methods of the table, or of its catalog"


@dataclass(frozen=True)
class Queries:
    """Runs the queries of one statement. All of them read the same snapshots.

    Args:
        spark: The session.
        known: The tables that the statement may name.
        args: Values of parameters.
        reading: What `Scan.to_spark` is given.
    """

    spark: SparkSession
    known: KnownTables
    args: dict[str, Any] | list[Any] | None = None
    reading: dict[str, Any] = field(default_factory=dict)

    def frame(self, text: str, *, empty: bool = False) -> DataFrame:
        """The frame of a query.

        Args:
            text: The query.
            empty: Whether only its columns are asked for: no table is planned.
        """
        statement = read_statement(text)
        if statement is None:
            return self.spark.sql(text, self.args)
        return self.run(statement, empty=empty)

    def run(self, statement: Statement, *, empty: bool = False) -> DataFrame:
        """Runs a statement. It is a query, or names no table of the catalog."""
        spark = self.spark
        tree = _query(spark, statement, self.known)
        uses = [] if tree is None else references(statement, tree, self.known)
        if not uses:
            return _run(spark, statement, self.known, statement.text, self.args, {})
        case_sensitive = is_case_sensitive(spark)
        changes = edits(statement, tree, uses, case_sensitive=case_sensitive)
        frames = frames_of(
            spark, statement, tree, uses, self.reading, case_sensitive=case_sensitive, empty=empty
        )
        named = {f"floeberg_{at}": frame for at, frame in enumerate(frames)}
        return _run(spark, statement, self.known, template(statement.text, changes), self.args, named)


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
    if statement.word == "TABLE":
        raise UnsupportedError(f"TABLE: {name!r} is a table of a catalog: write SELECT * FROM {name}")  # noqa: S608 - a text to read
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

"""How does Spark run a query that names tables and views of the catalog?

Invariant: Spark runs the text as written, with other names for these tables and views.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.session.conf import is_case_sensitive
from floeberg.spark.session.names import quoted
from floeberg.spark.sql.query.catalog_views import ViewQuery, naming_view, query_of, reading, shaped
from floeberg.spark.sql.query.system_functions import TRUNCATE, typed_functions
from floeberg.spark.sql.query.table_frames import frames_of
from floeberg.spark.sql.text.edits import edited, rewritten
from floeberg.spark.sql.text.grammar import Definitions
from floeberg.spark.sql.text.known_tables import FoundView
from floeberg.spark.sql.text.references import TableReference, references
from floeberg.spark.sql.text.rewriting import edits, escaped, template
from floeberg.spark.sql.text.statement import Statement, read_statement
from floeberg.spark.sql.text.table_queries import selects
from floeberg.view.nesting import entered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from floeberg.expressions import Expression
    from floeberg.spark.sql.text.constants import Arguments
    from floeberg.spark.sql.text.known_tables import KnownTables
    from floeberg.spark.sql.text.references import Reference
    from floeberg.table import Table

__all__ = ["KEPT_ROWS", "Queries", "Reads", "as_query"]

KEPT_ROWS = "floeberg_kept"
"""Begins the names of views of rows that are kept."""

_INSTEAD = "floeberg.spark.sql does not know this statement: use the methods of the table, or of its catalog"


@dataclass(frozen=True)
class Reads:
    """What the queries of a statement read.

    Args:
        tables: Tables of the catalog, one for each use.
        others: Spark's own tables and views, as they are named.
    """

    tables: list[Table] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    def clear(self) -> None:
        """Forgets all of it."""
        self.tables.clear()
        self.others.clear()


@dataclass(frozen=True)
class Queries:
    """Runs the queries of one statement. All of them read the same snapshots.

    Args:
        spark: The session.
        known: The tables that the statement may name.
        args: Values of parameters.
        reading: What `Scan.to_spark` is given.
        reads: What frames read.
        defined: The common table expressions that the statement begins with.
        within: The views of catalogs whose query it is, outermost first, by their whole names.
    """

    spark: SparkSession
    known: KnownTables
    args: Arguments = None
    reading: dict[str, Any] = field(default_factory=dict)
    reads: Reads = field(default_factory=Reads)
    defined: Definitions = field(default_factory=Definitions)
    within: tuple[tuple[str, ...], ...] = ()

    def frame(
        self, query: Statement | str, *, empty: bool = False, narrowed: Sequence[Expression] | None = None
    ) -> DataFrame:
        """The frame of a query, which may name what the statement defines.

        Args:
            query: The query.
            empty: Whether only its columns are asked for: no table is planned.
            narrowed: Filters that the rows of the tables in its own FROM pass, those of subqueries not; `None` is
                nothing that is known.
        """
        statement = self.with_definitions(query)
        if statement is None:
            return self.spark.sql(_text(query), self.args)
        return self.run(statement, empty=empty, narrowed=narrowed)

    def with_definitions(self, query: Statement | str) -> Statement | None:
        """A query, with the common table expressions of the statement before it where it may name them.

        `None` is one of which Spark is to say what is wrong.
        """
        statement = as_query(query)
        # A name may be put together by Spark.
        if statement is None or not (
            self.defined.text and (statement.hides_columns or statement.words & self.defined.names)
        ):
            return statement
        # One that defines names of its own stands in brackets.
        begins = statement.tokens[0].upper
        own = f"SELECT * FROM ({statement.text}\n)" if begins == "WITH" else statement.text  # noqa: S608 - the user's own text
        return read_statement(f"{self.defined.text} {own}")

    def run(
        self,
        statement: Statement,
        *,
        empty: bool = False,
        narrowed: Sequence[Expression] | None = None,
        before: str = "",
        after: str = "",
    ) -> DataFrame:
        """Runs a statement. It is a query, or names no table of the catalog.

        Args:
            statement: The statement.
            empty: Whether only its columns are asked for.
            narrowed: As for `frame`.
            before: What makes another statement of Spark of the query, as `EXPLAIN`.
            after: What ends that statement.
        """
        spark = self.spark
        tree = _query(spark, statement, self.known)
        is_typed = tree is not None and TRUNCATE in statement.text
        typed = typed_functions(spark, statement, tree, self._type_of) if is_typed else []
        uses = [] if tree is None else references(statement, tree, self.known)
        if not empty:
            self.reads.others.extend(_others(spark, statement, tree, uses))
        if not uses:
            return _run(
                spark, statement, self.known, before + edited(statement, typed) + after, self.args, {}
            )
        case_sensitive = is_case_sensitive(spark)
        changes = [*edits(statement, tree, uses, case_sensitive=case_sensitive), *typed]
        tables = [use for use in uses if isinstance(use, TableReference)]
        if not empty:
            self.reads.tables.extend(use.found.table for use in tables)
        of_tables = frames_of(
            spark,
            statement,
            tree,
            tables,
            self.reading,
            case_sensitive=case_sensitive,
            empty=empty,
            narrowed=narrowed,
        )
        frames = dict(zip(map(id, tables), of_tables, strict=True))
        frames |= {id(use): self._frame_of_use(use, empty=empty) for use in uses if id(use) not in frames}
        named = {f"floeberg_{at}": frames[id(use)] for at, use in enumerate(uses)}
        whole = escaped(before) + template(statement, changes) + escaped(after)
        return _run(spark, statement, self.known, whole, self.args, named)

    def run_with(
        self, before: str, query: Statement | str, *, empty: bool = False, after: str = ""
    ) -> DataFrame:
        """Runs a statement that is a query with something before it, as `EXPLAIN`.

        Args:
            before: What stands before the query.
            query: The query.
            empty: Whether only its columns are asked for.
            after: What stands after the query.
        """
        statement = as_query(query)
        if statement is None:
            return self.spark.sql(before + _text(query) + after, self.args)
        return self.run(statement, empty=empty, before=before, after=after)

    def _frame_of_use(self, use: Reference, *, empty: bool) -> DataFrame:
        """The frame of a use of a view.

        Raises:
            InvalidInputError: A snapshot is asked for, and views have none.
            InvalidDataError: As for `frame_of_view`.
        """
        assert isinstance(use.found, FoundView)  # noqa: S101 - the caller asked
        if use.time_travel is not None:
            raise InvalidInputError(
                f"{'.'.join(use.name.parts)} AS OF: it is a view, which has no snapshots: write AS OF after the "
                "tables of its statement"
            )
        return self.frame_of_view(use.found, empty=empty)

    def frame_of_view(self, found: FoundView, *, empty: bool = False) -> DataFrame:
        """The frame of a view of a catalog.

        Raises:
            InvalidDataError: The view reads itself, or its query gives other columns than it was made with.
        """
        with naming_view(found.full):
            path, query = entered(self.within, found.full), query_of(found)
            with reading(self.spark, query):
                frame = self.frame_of_query(query, path, empty=empty)
            return shaped(self.spark, frame, found)

    def frame_of_query(
        self, query: ViewQuery, path: tuple[tuple[str, ...], ...], *, empty: bool = False
    ) -> DataFrame:
        """The frame of the query of a view, with the names and types that the query gives.

        Args:
            query: The query, which is being read.
            path: The views around it, with its own.
            empty: Whether only its columns are asked for.
        """
        known = self.known.within(query.catalog)
        own = replace(self, known=known, args=None, defined=Definitions(), within=path)
        return own.run(query.statement(self.spark, known), empty=empty)

    def _type_of(self, query: str) -> str:
        """The type of the only column of a query."""
        return self.frame(query, empty=True).schema[0].dataType.simpleString()


def as_query(query: Statement | str) -> Statement | None:
    """A query as it is run; `None` where Spark is to say what is wrong."""
    statement = read_statement(query) if isinstance(query, str) else query
    # TABLE name, where what stands before it was not part of the text.
    return None if statement is None else rewritten(statement, selects(statement))


def _text(query: Statement | str) -> str:
    return query if isinstance(query, str) else query.text


def _query(spark: SparkSession, statement: Statement, known: KnownTables) -> Any:  # noqa: ANN401 - sqlglot's
    """The tree of the query; `None` if it names no table of the catalog and Spark runs it."""
    from sqlglot import exp  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    trees, near = statement.trees if statement.is_query else ([], "")
    if len(trees) == 1 and isinstance(trees[0], exp.Query):
        return trees[0]
    # After a table may stand a column of it.
    ours = [
        parts for name in statement.names for parts in (name.parts, name.parts[:-1]) if known.is_ours(parts)
    ]
    if not ours:
        return None
    name = ".".join(ours[0])
    if len(trees) > 1:
        raise InvalidInputError(f"expected one statement, found {len(trees)}: {name!r} is of a catalog")
    if statement.word == "TABLE":
        raise UnsupportedError(f"TABLE: {name!r} is a table of a catalog: write SELECT * FROM {name}")  # noqa: S608 - a text to read
    if not trees and (statement.is_query or statement.is_unheard_of):
        _let_spark_judge(spark, statement.text)
        raise UnsupportedError(
            f"the query cannot be understood{near}, and {name!r} is a table of a catalog: make a view of the table "
            "with floeberg.spark.create_view, and query that"
        )
    raise UnsupportedError(f"{statement.word}: {name!r} is a table of a catalog, and {_INSTEAD}")


def _others(
    spark: SparkSession,
    statement: Statement,
    tree: Any,  # noqa: ANN401 - the same
    uses: Sequence[Reference],
) -> Iterator[str]:
    """The tables and views of Spark that a query names.

    A common table expression may have the name of a view, and read it: where there is such a view, it is among them.
    """
    from sqlglot import exp  # noqa: PLC0415 - the same

    if tree is None:
        yield f"{statement.text[:40]} .."
        return
    own = {id(use.node) for use in uses}
    named = {each.alias_or_name.lower() for each in tree.find_all(exp.CTE)}
    for node in tree.find_all(exp.Table):
        # A function has the rows that its arguments say.
        if id(node) in own or not isinstance(node.parts[0], exp.Identifier):
            continue
        name = quoted(*(part.name for part in node.parts))
        if len(node.parts) == 1 and node.name.startswith(KEPT_ROWS):
            continue
        if len(node.parts) > 1 or node.name.lower() not in named or spark.catalog.tableExists(name):
            yield name


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
    args: Arguments,
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

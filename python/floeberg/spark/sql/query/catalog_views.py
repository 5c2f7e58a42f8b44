"""Which query does Spark run for a view of a catalog, and what do its columns become?

In: a view. Out: its statement, in which each table and view has its whole name; and of the frame of that statement, one
with the names, types and comments of the view.

Names without a namespace are those of the view's default namespace, names without a catalog those of its default
catalog, whatever the session has of these names. Time travel stays as it is written.
Spec: View Spec, Versions.

Invariants: what runs is one query in brackets, which changes nothing whatever its text is. A view that reads itself is
an error, also through other views and catalogs.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg.errors import (
    InvalidDataError,
    NotFoundError,
    UnsupportedError,
)
from floeberg.spark.session.conf import changed_settings, is_case_sensitive
from floeberg.spark.session.names import folding, quoted
from floeberg.spark.sql.query.system_functions import functions
from floeberg.spark.sql.query.view_types import is_promotion, nullable
from floeberg.spark.sql.text.dialect import Dialect, read_in
from floeberg.spark.sql.text.edits import Edit, rewritten
from floeberg.spark.sql.text.identifiers import with_names
from floeberg.spark.sql.text.statement import read_statement
from floeberg.spark.sql.text.table_queries import selects
from floeberg.view.nesting import naming
from floeberg.view.query_columns import columns_of_query
from floeberg.view.relations import named_relations, whole_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

    from floeberg.catalog import Catalog
    from floeberg.spark.sql.text.known_tables import FoundView, KnownTables
    from floeberg.spark.sql.text.statement import Statement

__all__ = ["ViewQuery", "naming_view", "query_of", "reading", "shaped"]

_SPARKS_OWN = "spark_catalog"


@dataclass(frozen=True)
class ViewQuery:
    """What the statement of a view is, and what the names in it mean.

    Args:
        sql: The statement, in the dialect of Spark.
        catalog: The catalog of the view.
        default_catalog: The catalog for names without one; `None` is that of the view.
        default_namespace: The namespace for names of one part.
    """

    sql: str
    catalog: Catalog
    default_catalog: str | None
    default_namespace: tuple[str, ...]

    def statement(self, spark: SparkSession, known: KnownTables) -> Statement:
        """The statement as Spark is given it: in brackets, with whole names.

        Args:
            spark: The session, by whose settings the text is read.
            known: The tables that it may name: `known.within(catalog)`.

        Raises:
            InvalidDataError: It is not one query.
            NotFoundError: Its default catalog is not known here.
            UnsupportedError: The parser does not understand it.
        """
        plain = self._plain(spark)
        tree = self._tree(plain)
        begins = self.default_catalog or self.catalog.name
        changes = []
        for node in named_relations(tree):
            parts = tuple(part.name for part in node.parts)
            whole = whole_name(
                parts, begins, self.default_namespace, lambda name: _is_catalog(spark, known, name)
            )
            if whole != parts:
                if not _is_catalog(spark, known, begins):
                    raise NotFoundError(
                        f"{'.'.join(parts)!r} belongs to its default catalog {begins!r}, which neither the "
                        "configuration nor Spark has: configure a catalog of this name"
                    )
                at = node.parts[0].meta["start"]
                changes.append(Edit(at, at, quoted(*whole[: -len(parts)]) + "."))
        whole_names = rewritten(plain, changes)
        assert whole_names is not None  # noqa: S101 - it was read before
        computed = rewritten(whole_names, functions(spark, known, whole_names))
        assert computed is not None  # noqa: S101 - the same
        wrapped = read_statement(f"SELECT * FROM (\n{computed.text}\n)")  # noqa: S608 - the view's own text
        assert wrapped is not None  # noqa: S101 - the same
        return wrapped

    def plain_relations(self, spark: SparkSession) -> Iterator[str]:
        """The names of one part of tables and views in the statement."""
        for node in named_relations(self._tree(self._plain(spark))):
            if len(node.parts) == 1:
                yield node.name

    def _plain(self, spark: SparkSession) -> Statement:
        """The statement in the words that the parser knows."""
        read = read_statement(self.sql)
        plain = None if read is None else with_names(spark, _without_end(read), None)[0]
        plain = None if plain is None else rewritten(plain, selects(plain))
        if plain is None or not plain.tokens:
            raise InvalidDataError(f"the statement of the view is not SQL of Spark: {_start(self.sql)}")
        return plain

    def _tree(self, statement: Statement) -> Any:  # noqa: ANN401 - sqlglot's
        from sqlglot import exp  # noqa: PLC0415 - importing floeberg.spark imports nothing large

        trees, near = statement.trees
        if len(trees) > 1:
            raise InvalidDataError(
                f"expected one query as the statement of the view, found {len(trees)}: {_start(self.sql)}"
            )
        if not trees:
            raise UnsupportedError(
                f"the statement of the view cannot be understood{near}: expected a query, found {_start(self.sql)}"
            )
        if not isinstance(trees[0], (exp.Query, exp.Values)):
            raise InvalidDataError(f"expected a query as the statement of the view, found {_start(self.sql)}")
        return trees[0]


def query_of(found: FoundView) -> ViewQuery:
    """What a view says for Spark; a statement of another dialect is translated, with warnings.

    Raises:
        UnsupportedError: It cannot be translated.
        InvalidDataError: It is not valid SQL of its dialect.
    """
    representation = found.view.sql_for("spark", transpile=True)
    assert representation is not None  # noqa: S101 - it would be translated
    version = found.view.current_version()
    return ViewQuery(
        representation.sql, found.catalog, version.default_catalog, tuple(version.default_namespace)
    )


@contextmanager
def reading(spark: SparkSession, query: ViewQuery) -> Iterator[None]:
    """Reads the statement of a view in the block: it says nothing of the settings of a session."""
    settings = {"spark.sql.variable.substitute": "false"} if "${" in query.sql else {}
    with changed_settings(spark, settings), read_in(Dialect.of(spark, query.sql)):
        yield


@contextmanager
def naming_view(full: tuple[str, ...]) -> Iterator[None]:
    """Errors in the block name the view, the innermost one, those of Spark too."""
    from pyspark.errors import AnalysisException, ParseException  # noqa: PLC0415 - the same

    with naming(full):
        try:
            yield
        except (AnalysisException, ParseException) as error:
            said = str(error).strip().partition("\n")[0]
            raise InvalidDataError(f"Spark does not take the statement of the view: {said}") from error


def shaped(spark: SparkSession, frame: DataFrame, found: FoundView) -> DataFrame:
    """A frame of the query of a view, with the names, types and comments of the view.

    Raises:
        InvalidDataError: The query gives other columns, or a type that the column's type does not hold.
    """
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - PySpark's own habit

    from floeberg.spark.read.types import spark_type  # noqa: PLC0415 - it imports PySpark

    given = frame.schema.fields
    fold = folding(case_sensitive=is_case_sensitive(spark))
    places = columns_of_query(found.view, [each.name for each in given], fold)
    # Columns of a query may share a name.
    plain = frame.toDF(*(f"c{at}" for at in range(len(given))))
    columns = []
    for field, at in zip(found.view.schema().fields, places, strict=True):
        wanted, kind = (
            spark_type(field.field_type, truncate_nanoseconds=True, name=field.name),
            given[at].dataType,
        )
        if not is_promotion(kind, wanted):
            raise InvalidDataError(
                f"column {field.name!r} of the view is {wanted.simpleString()}, and its query gives "
                f"{kind.simpleString()} now: replace the view, or write a CAST in its statement"
            )
        column = F.col(f"c{at}")
        if kind.simpleString() != wanted.simpleString():
            column = column.cast(nullable(wanted))
        # What else Spark knows of the column says which table it is read of.
        known = {key: value for key, value in (given[at].metadata or {}).items() if key != "comment"}
        metadata = known | ({"comment": field.doc} if field.doc else {})
        columns.append(column.alias(field.name, metadata=metadata))
    return plain.select(*columns)


def _is_catalog(spark: SparkSession, known: KnownTables, name: str) -> bool:
    """Whether a name is that of a catalog, here or in Spark."""
    if name == _SPARKS_OWN or known.catalog(name) is not None:
        return True
    return spark.conf.get(f"spark.sql.catalog.{name}", None) is not None


def _without_end(statement: Statement) -> Statement:
    """A statement without semicolons at its end."""
    tokens = list(statement.tokens)
    while tokens and tokens[-1].upper == ";":
        tokens.pop()
    return statement.part(tokens) if tokens else statement


def _start(sql: str, most: int = 60) -> str:
    line = " ".join(sql.split())
    return repr(line if len(line) <= most else f"{line[:most]}..")

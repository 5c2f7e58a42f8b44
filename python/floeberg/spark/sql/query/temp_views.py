"""How do temporary views of queries over tables of a catalog stay what their queries are?

`CREATE TEMP VIEW v AS SELECT ..` is run by Spark, with other names for the tables. The view keeps the rows of that
moment for Spark itself. Each statement of `floeberg.spark.sql` that names it makes it again first, so that it shows
what its query would show then.

Invariant: a view that is cached is made again too, and cached again, as soon as a table that it reads has changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError
from floeberg.spark.session.conf import changed_settings
from floeberg.spark.sql.query.catalog_views import naming_view, query_of, reading
from floeberg.spark.sql.query.queries import Reads, as_query
from floeberg.spark.sql.text.dialect import Dialect, read_in
from floeberg.spark.sql.text.grammar import Definitions
from floeberg.spark.sql.text.statement import read_statement
from floeberg.spark.views import (
    FollowingView,
    followed,
    forget,
    full_name,
    is_there,
    remember,
    renew,
    state_of,
)
from floeberg.view.nesting import entered

if TYPE_CHECKING:
    from collections.abc import Collection

    from pyspark.sql import SparkSession

    from floeberg.catalog import Catalog
    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.known_tables import Found, FoundView, KnownTables
    from floeberg.spark.sql.text.statement import Statement
    from floeberg.spark.sql.text.token_reader import TokenReader

__all__ = ["QueryView", "create_temp_view", "make_view", "reads_catalog", "renew_views"]

_STORES_PLAN = {"spark.sql.legacy.storeAnalyzedPlanForView": "true"}
"""Spark then keeps what a view reads, and not a text, whose names of frames are gone after the statement."""


@dataclass(frozen=True)
class QueryView:
    """A view of a query.

    Args:
        name: Its name, of one part.
        is_global: Whether all sessions see it.
        shape: What stands before its query: its name, columns and comment, up to `AS`.
        query: The query.
        args: Values of parameters.
        reading: What `Scan.to_spark` is given.
        catalog: The catalog whose tables it names without it.
        options: Of the cache that it is in.
    """

    name: str
    is_global: bool
    shape: str
    query: str
    args: Any
    reading: dict[str, Any]
    catalog: Catalog | None
    options: str = ""
    depends: frozenset[str] = frozenset()
    state: tuple[Any, ...] = ()
    """What the tables were when it was made."""
    semantic_hash: int = 0
    """As Spark computes it of what it shows."""

    def make(self, queries: Queries, begins: str, statement: Statement | None = None) -> None:
        """Makes the view.

        Args:
            queries: The session and the tables.
            begins: The words before its name.
            statement: Its query, where it is read already.
        """
        spark = queries.spark
        own = self._own(queries)
        with read_in(Dialect.of(spark, self.query)), changed_settings(spark, _STORES_PLAN):
            statement = read_statement(self.query) if statement is None else statement
            own.run_with(f"{begins} {self.shape} ", self.query if statement is None else statement)
        followed_names = {view.name.lower() for view in followed(spark)}
        depends = frozenset() if statement is None else _relations(statement) & followed_names
        made = replace(self, depends=depends)
        made = replace(
            made,
            state=made.state_of(queries.known, spark, statement),
            semantic_hash=spark.table(full_name(spark, made)).semanticHash(),
        )
        remember(spark, made)

    def renew(self, queries: Queries) -> None:
        """Makes the view again, if it is still there."""
        spark = queries.spark
        if not is_there(spark, self):
            forget(spark, self.name, is_global=self.is_global)
            return
        name = full_name(spark, self)
        is_cached = spark.catalog.isCached(name)
        if is_cached and self.state == self.state_of(queries.known, spark):
            return
        self.make(queries, f"CREATE OR REPLACE {'GLOBAL ' if self.is_global else ''}TEMPORARY VIEW")
        if is_cached:
            spark.sql(f"CACHE LAZY TABLE {name} {self.options}")

    def state_of(
        self, known: KnownTables, spark: SparkSession, statement: Statement | None = None
    ) -> tuple[Any, ...]:
        """What the tables are that it reads, those of views too.

        Args:
            known: The tables that a statement may name.
            spark: The session.
            statement: Its query, where it is read already.
        """
        known = known.beside(self.catalog)
        if statement is None:
            with read_in(Dialect.of(spark, self.query)):
                statement = read_statement(self.query)
        found: list[Any] = []
        for name in () if statement is None else statement.names:
            # After a table may stand a column of it.
            table = known.look_up(name.parts) or known.look_up(name.parts[:-1])
            if table is not None:
                found.append(_state_of_table(table))
            else:
                found += _states_of_view(spark, known, known.view(name.parts), ())
        for view in followed(spark, self.depends):
            if isinstance(view, FollowingView):
                found.append(state_of(view.scan(known.open(view.table, view.catalog))))
            elif isinstance(view, QueryView):
                found.append(view.state_of(known, spark))
        return tuple(found)

    def _own(self, queries: Queries) -> Queries:
        return replace(
            queries,
            known=queries.known.beside(self.catalog),
            args=self.args,
            reading=self.reading,
            reads=Reads(),
            defined=Definitions(),
        )


def renew_views(queries: Queries, words: Collection[str]) -> None:
    """Makes the views that a statement names what they are now.

    Args:
        queries: The session and the tables.
        words: The words of the statement in lower case.
    """
    for view in followed(queries.spark, words):
        if isinstance(view, FollowingView):
            renew(queries.spark, view, queries.known.open(view.table, view.catalog))
        elif isinstance(view, QueryView):
            view.renew(queries)


def reads_catalog(queries: Queries, query: Statement) -> bool:
    """Whether a query names a table or a view of a catalog, or a temporary view of one."""
    known = queries.known
    names = (parts for each in query.names for parts in (each.parts, each.parts[:-1]))
    return any(known.is_ours(parts) for parts in names) or bool(followed(queries.spark, query.words))


def _state_of_table(found: Found) -> tuple[Any, ...]:
    refs = sorted((ref, each.snapshot_id) for ref, each in found.table.refs().items())
    return (found.full, found.table.location(), refs, *state_of(found.table.scan()))


def _states_of_view(
    spark: SparkSession, known: KnownTables, found: FoundView | None, path: tuple[tuple[str, ...], ...]
) -> list[Any]:
    """What a view of a catalog and the tables are that it reads; nothing where there is no view."""
    if found is None:
        return []
    with naming_view(found.full):
        path, query = entered(path, found.full), query_of(found)
        known = known.within(query.catalog)
        with reading(spark, query):
            names = query.statement(spark, known).names
    states: list[Any] = [(found.full, found.view.metadata_location)]
    for name in names:
        table = known.look_up(name.parts)
        if table is not None:
            states.append(_state_of_table(table))
        else:
            states += _states_of_view(spark, known, known.view(name.parts), path)
    return states


def create_temp_view(queries: Queries, words: TokenReader, statement: Statement) -> bool:
    """Runs `CREATE [OR REPLACE] [GLOBAL] TEMPORARY VIEW`; `False` where the view is Spark's alone."""
    text = statement.source
    words.expect("CREATE")
    words.take("OR", "REPLACE")
    is_global = words.take("GLOBAL")
    words.take_word()
    words.expect("VIEW")
    begins_at = words.place
    words.take("IF", "NOT", "EXISTS")
    if not words.is_name:
        return False
    parts = words.name()
    while not (words.is_at_end or words.follows("AS")):
        words.skip()
    if not words.take("AS") or words.is_at_end:
        return False
    query = words.rest()
    if not reads_catalog(queries, query):
        return False
    shape = text[begins_at : query.start].rstrip()
    if parts[-1].lower() in _relations(query):
        raise InvalidInputError(
            f"CREATE VIEW: the view {parts[-1]!r} reads a view of its own name: give it another name"
        )
    make_view(
        queries, text[statement.start : begins_at].rstrip(), parts[-1], shape, query, is_global=is_global
    )
    return True


def make_view(  # noqa: PLR0913 - the parts of a view
    queries: Queries,
    begins: str,
    name: str,
    shape: str,
    query: Statement,
    *,
    is_global: bool = False,
    options: str = "",
) -> None:
    """Makes a view of a query, and remembers it."""
    view = QueryView(
        name, is_global, shape, query.text, queries.args, queries.reading, queries.known.default, options
    )
    view.make(queries, begins, query)


def _relations(query: Statement) -> frozenset[str]:
    """The last names of the tables and views that a query names, in lower case."""
    from sqlglot import exp  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    statement = as_query(query)
    trees = [] if statement is None else statement.trees[0]
    return frozenset(node.name.lower() for tree in trees for node in tree.find_all(exp.Table))

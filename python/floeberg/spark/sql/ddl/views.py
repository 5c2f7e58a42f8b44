"""How are CREATE VIEW, ALTER VIEW and DROP VIEW run, of views of a catalog?

A view is the catalog's if its name begins with the catalog's, or if the catalog has its namespace and Spark has not, as
for tables. Its statement is kept as it is written, in the dialect of Spark. Spark says which columns it gives.

Invariant: what is made can be read: the statement is analysed as a reader of the view would, before anything changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.errors import InvalidDataError, InvalidInputError, NoSuchViewError
from floeberg.spark.session.names import quoted
from floeberg.spark.sql.ddl.ddl_clauses import keys, properties
from floeberg.spark.sql.query.catalog_views import ViewQuery, reading
from floeberg.spark.sql.text.dialect import dialect
from floeberg.spark.write.new_schema import schema_of
from floeberg.types import Schema
from floeberg.view import SQLViewRepresentation, ViewVersion
from floeberg.view.nesting import entered
from floeberg.view.query_columns import recorded_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from floeberg.catalog import Catalog
    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.statement import Statement
    from floeberg.spark.sql.text.token_reader import TokenReader

__all__ = ["alter_view", "create_view", "drop_view"]

_COMMENT = "comment"


@dataclass
class _NewView:
    """What CREATE VIEW says after the name."""

    columns: list[tuple[str, str | None]] | None = None
    """Names and comments."""
    properties: dict[str, str] = field(default_factory=dict)
    location: str | None = None
    query: Statement | None = None


def create_view(queries: Queries, words: TokenReader) -> bool:
    """Runs what follows `CREATE [OR REPLACE] VIEW`; `False` where the view is Spark's."""
    replaces = words.take("OR", "REPLACE")
    words.expect("VIEW")
    lenient = words.take("IF", "NOT", "EXISTS")
    parts = words.name()
    place = queries.known.place(parts)
    if place is None:
        return False
    if replaces and lenient:
        raise InvalidInputError("CREATE VIEW: OR REPLACE and IF NOT EXISTS exclude each other")
    catalog, levels = place
    new = _parts_of(words)
    # A catalog without views says so whatever is asked.
    if catalog.view_exists(levels) and lenient:
        return True
    assert new.query is not None  # noqa: S101 - it was read
    schema, version, found = _defined(queries, catalog, levels, new.query.text, new.columns)
    make = catalog.create_or_replace_view if replaces else catalog.create_view
    make(levels, schema, version, new.location, new.properties | found)
    return True


def alter_view(queries: Queries, words: TokenReader) -> bool:
    """Runs what follows `ALTER VIEW`; `False` where the view is Spark's."""
    parts = words.name()
    place = queries.known.place(parts)
    if place is None:
        return False
    catalog, levels = place
    if words.take("RENAME", "TO"):
        new = words.name()
        words.end()
        catalog.rename_view(levels, _new_levels(new, catalog, levels))
    elif words.take("SET", "TBLPROPERTIES"):
        wanted = properties(words)
        words.end()
        catalog.load_view(levels).set_properties(wanted)
    elif words.take("UNSET", "TBLPROPERTIES"):
        lenient = words.take("IF", "EXISTS")
        gone = keys(words)
        words.end()
        view = catalog.load_view(levels)
        missing = next((key for key in gone if key not in view.properties), None)
        if missing is not None and not lenient:
            raise InvalidInputError(f"ALTER VIEW: the view has no property {missing!r}: write IF EXISTS")
        view.remove_properties(*gone)
    elif words.take("AS"):
        query = words.rest()
        view = catalog.load_view(levels)
        schema, version, found = _defined(queries, catalog, levels, query.text, None)
        view.replace_version(schema, version)
        if any(view.properties.get(key) != value for key, value in found.items()):
            view.set_properties(found)
    else:
        words.unexpected("RENAME TO, SET TBLPROPERTIES, UNSET TBLPROPERTIES or AS")
    return True


def drop_view(queries: Queries, words: TokenReader) -> bool:
    """Runs what follows `DROP VIEW`; `False` where the view is Spark's."""
    lenient = words.take("IF", "EXISTS")
    parts = words.name()
    words.end()
    place = queries.known.place(parts)
    if place is None:
        return False
    catalog, levels = place
    try:
        catalog.drop_view(levels)
    except NoSuchViewError:
        # IF EXISTS does not make a view of a table.
        if not lenient or catalog.table_exists(levels):
            raise
    return True


def _parts_of(words: TokenReader) -> _NewView:
    new = _NewView()
    if words.follows("("):
        new.columns = words.inside().all_listed(_column)
    while not words.is_at_end:
        if words.take("COMMENT"):
            new.properties[_COMMENT] = words.string()
        elif words.take("TBLPROPERTIES"):
            new.properties |= properties(words)
        elif words.take("AS"):
            new.query = words.rest()
        else:
            words.unexpected("COMMENT, TBLPROPERTIES or AS")
    # As in Iceberg's integration with Spark, this property is none.
    new.location = new.properties.pop("location", None)
    if new.query is None:
        words.unexpected("AS and a query")
    return new


def _column(words: TokenReader) -> tuple[str, str | None]:
    name = words.one_name()
    return name, words.string() if words.take("COMMENT") else None


def _defined(
    queries: Queries,
    catalog: Catalog,
    levels: tuple[str, ...],
    sql: str,
    columns: Sequence[tuple[str, str | None]] | None,
) -> tuple[Schema, ViewVersion, dict[str, str]]:
    """The columns and the version of a view that is to be made, and what is recorded of its query.

    Raises:
        InvalidInputError: It would read itself or a temporary view, it has other columns than the query, or two of
            one name.
        PySparkException: Spark does not take the query.
    """
    outer = queries.known.default
    default = None if outer is None or outer.name == catalog.name else outer.name
    query = ViewQuery(sql.rstrip().rstrip(";").rstrip(), catalog, default, levels[:-1])
    full = (catalog.name, *levels)
    try:
        with reading(queries.spark, query):
            _check_relations(queries.spark, query, default)
            frame = queries.frame_of_query(query, entered((), full), empty=True)
    except InvalidDataError as error:
        # What is wrong was given just now, or another view of which it reads is broken.
        if "view" in error.context and "reads itself" not in error.message:
            raise
        raise InvalidInputError(f"CREATE VIEW: {error.message}", context=error.context) from error
    names = [each.name for each in frame.schema.fields]
    renamed = frame
    if columns is not None:
        if len(columns) != len(names):
            raise InvalidInputError(
                f"CREATE VIEW: {len(columns)} columns are named, and the query gives {len(names)}: "
                f"{', '.join(map(repr, names))}"
            )
        renamed = frame.toDF(*(name for name, _ in columns))
    schema = schema_of(renamed.schema, keeps_required=False, case_sensitive=dialect().case_sensitive)
    comments = [None] * len(names) if columns is None else [comment for _, comment in columns]
    fields = (
        each if comment is None else replace(each, doc=comment)
        for each, comment in zip(schema.fields, comments, strict=True)
    )
    recorded = recorded_names(names)
    summary = {"engine-name": "floeberg", "engine-version": _native.__version__} | recorded
    representation = SQLViewRepresentation(query.sql, "spark")
    version = ViewVersion(
        version_id=0,
        schema_id=0,
        timestamp_ms=0,
        summary=summary,
        representations=(representation,),
        default_catalog=default,
        default_namespace=levels[:-1],
    )
    return Schema(*fields), version, recorded


def _check_relations(spark: SparkSession, query: ViewQuery, default: str | None) -> None:
    """Checks the names of one part: a view is for other sessions too, which have no temporary views of this one.

    Raises:
        InvalidInputError: One is that of a temporary view, or it would be in a namespace that nobody named.
    """
    from pyspark.errors import PySparkException  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    for name in query.plain_relations(spark):
        try:
            is_temporary = spark.catalog.getTable(quoted(name)).isTemporary
        except PySparkException:
            is_temporary = False
        if is_temporary:
            raise InvalidInputError(
                f"CREATE VIEW: {name!r} is a temporary view of this session, which other sessions do not have: name "
                "the tables that it reads, or give it another name"
            )
        if default is not None:
            raise InvalidInputError(
                f"CREATE VIEW: {name!r} has no namespace, and names without a catalog belong to {default!r} here: "
                f"write the namespace before it"
            )


def _new_levels(new: tuple[str, ...], catalog: Catalog, levels: tuple[str, ...]) -> tuple[str, ...]:
    """What a view is renamed to; a name alone stays in the namespace."""
    if len(new) > 2 and new[0] == catalog.name:  # noqa: PLR2004 - a catalog before both
        return new[1:]
    return (*levels[:-1], *new) if len(new) == 1 else new

"""What do DESCRIBE and SHOW say of tables, views and namespaces of a catalog?

Their columns are those of Spark.
"""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.session.names import quoted
from floeberg.spark.sql.ddl.ddl_clauses import applied
from floeberg.spark.sql.ddl.namespaces import NAMESPACES, describe_namespace
from floeberg.spark.sql.ddl.shown_texts import (
    comment_clause,
    listed_place,
    literal_text,
    pattern_of,
    type_text,
)
from floeberg.spark.sql.ddl.shown_views import (
    described_view,
    list_views,
    view_columns,
    view_definition,
    view_properties,
)
from floeberg.spark.sql.query.temp_views import reads_catalog
from floeberg.spark.sql.text.known_tables import FoundView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.known_tables import Found
    from floeberg.spark.sql.text.token_reader import TokenReader
    from floeberg.table import Table

__all__ = ["describe", "show"]

_BEGINS_QUERY = frozenset({"SELECT", "WITH", "FROM", "VALUES", "TABLE", "("})
_OF_COLUMNS = ("min", "max", "num_nulls", "distinct_count", "avg_col_len", "max_col_len", "histogram")
"""What Spark says of columns where it has computed statistics."""


def describe(queries: Queries, words: TokenReader) -> DataFrame | None:  # noqa: PLR0911 - one return a form
    """Runs what follows `DESCRIBE`; `None` where Spark is to."""
    if words.take_one(*NAMESPACES):
        return describe_namespace(queries, words)
    is_query = words.follows("QUERY") and words.next(1) in _BEGINS_QUERY
    if is_query:
        words.take("QUERY")
    if is_query or words.next() in _BEGINS_QUERY - {"TABLE"}:
        query = words.rest()
        return (
            queries.run_with("DESCRIBE QUERY ", query, empty=True) if reads_catalog(queries, query) else None
        )
    words.take("TABLE")
    extended = bool(words.take_one("EXTENDED", "FORMATTED"))
    if words.is_at_end or not words.is_name:
        return None
    parts = words.name()
    found = queries.known.relation(parts)
    if found is None:
        return None
    if isinstance(found, FoundView):
        return described_view(queries, words, found, extended=extended)
    if found.metadata is not None:
        raise UnsupportedError(f"DESCRIBE: {'.'.join(parts)!r} is a metadata table: SELECT from it")
    if not words.is_at_end:
        return _column(queries, words, found.table, extended=extended)
    rows = _columns(found.table)
    if extended:
        rows += _details(found)
    return queries.spark.createDataFrame(rows, "col_name string, data_type string, comment string")


def _column(queries: Queries, words: TokenReader, table: Table, *, extended: bool) -> DataFrame:
    """What is known of a column."""
    parts = words.name()
    words.end()
    named = {name.lower(): name for name in table.schema().column_names}
    if ".".join(parts).lower() not in named:
        raise InvalidInputError(f"DESCRIBE: the table has no column {'.'.join(parts)!r}")
    field = table.schema().find_field(named[".".join(parts).lower()])
    rows = [("col_name", field.name), ("data_type", type_text(field)), ("comment", field.doc or "NULL")]
    rows += [(each, "NULL") for each in _OF_COLUMNS] if extended else []
    return queries.spark.createDataFrame(rows, "info_name string, info_value string")


def show(queries: Queries, words: TokenReader) -> DataFrame | None:  # noqa: PLR0911 - one return a form
    """Runs what follows `SHOW`; `None` where Spark is to."""
    if words.take("TABLES"):
        return _tables(queries, words)
    if words.take_one(*(f"{each}S" for each in NAMESPACES)):
        return _namespaces(queries, words)
    if words.take("TBLPROPERTIES"):
        return _properties(queries, words)
    if words.take("CREATE", "TABLE"):
        return _created(queries, words)
    if words.take("COLUMNS"):
        return _column_names(queries, words)
    if words.take("VIEWS"):
        return list_views(queries, words)
    _check_known(queries, words)
    return None


def _column_names(queries: Queries, words: TokenReader) -> DataFrame | None:
    if not words.take_one("IN", "FROM"):
        return None
    parts = words.name()
    if words.take_one("IN", "FROM"):
        namespace = words.name()
        # Spark takes the namespace twice, if it is the same.
        parts = parts if parts[:-1] and parts[:-1] == namespace else (*namespace, *parts)
    found = queries.known.relation(parts)
    if found is None:
        return None
    words.end()
    if isinstance(found, FoundView):
        return view_columns(queries, found)
    if found.metadata is not None:
        raise UnsupportedError(f"SHOW COLUMNS: {'.'.join(parts)!r} is a metadata table: SELECT from it")
    rows = [(each.name,) for each in found.table.schema().fields]
    return queries.spark.createDataFrame(rows, "col_name string")


def _created(queries: Queries, words: TokenReader) -> DataFrame | None:
    found = queries.known.relation(words.name())
    if found is None:
        return None
    words.end()
    if isinstance(found, FoundView):
        return view_definition(queries, found)
    return queries.spark.createDataFrame([(_definition(found),)], "createtab_stmt string")


def _check_known(queries: Queries, words: TokenReader) -> None:
    """Checks that nothing is asked of a table of the catalog that is not known here.

    Raises:
        UnsupportedError: It is.
    """
    word = words.next()
    if word != "PARTITIONS":
        return
    words.take_word()
    words.take_one("IN", "FROM")
    if words.is_at_end or not words.is_name:
        return
    parts = words.name()
    name = ".".join(parts)
    if queries.known.look_up(parts) is not None:
        raise UnsupportedError(
            f"SHOW {word}: {name!r} is a table of a catalog: write DESCRIBE {name}, or SELECT from {name}.partitions"
        )


def _tables(queries: Queries, words: TokenReader) -> DataFrame | None:
    place = listed_place(queries, words)
    if place is None:
        return None
    catalog, levels, pattern = place
    rows = [
        (".".join(levels), each[-1], False)
        for each in sorted(catalog.list_tables(levels))
        if fnmatch.fnmatchcase(each[-1], pattern)
    ]
    return queries.spark.createDataFrame(rows, "namespace string, tableName string, isTemporary boolean")


def _namespaces(queries: Queries, words: TokenReader) -> DataFrame | None:
    if not words.take_one("IN", "FROM"):
        return None
    parts = words.name()
    own = queries.known.catalog(parts[0])
    place = (own, parts[1:]) if own is not None else queries.known.existing_namespace(parts)
    if place is None:
        return None
    catalog, levels = place
    pattern = pattern_of(words)
    names = [".".join(each) for each in sorted(catalog.list_namespaces(levels))]
    rows = [(name,) for name in names if fnmatch.fnmatchcase(name, pattern)]
    return queries.spark.createDataFrame(rows, "namespace string")


def _properties(queries: Queries, words: TokenReader) -> DataFrame | None:
    parts = words.name()
    found = queries.known.relation(parts)
    if found is None:
        return None
    if isinstance(found, FoundView):
        return view_properties(queries, words, found)
    rows = sorted(_shown_properties(found.table).items())
    if words.follows("("):
        inside = words.inside()
        key = inside.string() if inside.is_string() else ".".join(inside.name())
        inside.end()
        value = dict(rows).get(key, f"Table {'.'.join(found.full)} does not have property: {key}")
        rows = [(key, value)]
    words.end()
    return queries.spark.createDataFrame(rows, "key string, value string")


def _shown_properties(table: Table) -> dict[str, str]:
    """The properties that Iceberg's tables have in Spark: their own, and what they say of themselves."""
    current, schema = table.current_snapshot(), table.schema()
    data_format = table.properties.get("write.format.default", "parquet")
    found = {
        "current-snapshot-id": "none" if current is None else str(current.snapshot_id),
        "format": f"iceberg/{data_format}",
        "format-version": str(table.format_version),
    }
    if table.sort_order().fields:
        found["sort-order"] = ", ".join(
            f"{_source(table, each.source_ids, str(each.transform))} {each.direction.value.upper()} "
            f"{each.null_order.value.upper().replace('-', ' ')}"
            for each in table.sort_order().fields
        )
    if schema.identifier_field_names():
        found["identifier-fields"] = f"[{','.join(sorted(schema.identifier_field_names()))}]"
    return {**table.properties, **found}


def _columns(table: Table) -> list[tuple[str, str, str]]:
    rows = [(each.name, type_text(each), each.doc or "") for each in table.schema().fields]
    fields = _partitions(table)
    if fields:
        rows += [("", "", ""), ("# Partitioning", "", "")]
        rows += [(f"Part {at}", text, "") for at, text in enumerate(fields)]
    return rows


def _partitions(table: Table) -> list[str]:
    return [
        _source(table, each.source_ids, str(each.transform))
        for each in table.spec().fields
        if str(each.transform) != "void"
    ]


def _source(table: Table, source_ids: Sequence[int], transform: str) -> str:
    """A transform of columns, as Spark writes it."""
    column = ", ".join(table.schema().find_column_name(source) or "?" for source in source_ids)
    if transform == "identity":
        return column
    plural = {"year": "years", "month": "months", "day": "days", "hour": "hours"}
    return applied(plural.get(transform, transform), column)


def _details(found: Found) -> list[tuple[str, str, str]]:
    table = found.table
    listed = ",".join(f"{key}={value}" for key, value in sorted(table.properties.items()))
    current = table.current_snapshot()
    return [
        ("", "", ""),
        ("# Detailed Table Information", "", ""),
        ("Name", ".".join(found.full), ""),
        ("Type", "MANAGED", ""),
        ("Location", table.location(), ""),
        ("Provider", "iceberg", ""),
        ("Format Version", str(table.format_version), ""),
        ("Current Snapshot", "none" if current is None else str(current.snapshot_id), ""),
        ("Table Properties", f"[{listed}]", ""),
    ]


def _definition(found: Found) -> str:
    """A statement that makes a table like it."""
    table = found.table
    columns = [
        f"  {quoted(each.name)} {type_text(each).upper() if each.field_type.is_primitive else type_text(each)}"
        f"{' NOT NULL' if each.required else ''}{comment_clause(each.doc)}"
        for each in table.schema().fields
    ]
    name = ".".join(quoted(part) for part in found.full)
    text = f"CREATE TABLE {name} (\n" + ",\n".join(columns) + ")\nUSING iceberg\n"
    if fields := _partitions(table):
        text += f"PARTITIONED BY ({', '.join(fields)})\n"
    text += f"LOCATION {literal_text(table.location())}\n"
    if table.properties:
        listed = (
            f"  {literal_text(key)} = {literal_text(value)}"
            for key, value in sorted(table.properties.items())
        )
        text += "TBLPROPERTIES (\n" + ",\n".join(listed) + ")\n"
    return text

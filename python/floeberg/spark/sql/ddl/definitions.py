"""How are CREATE TABLE, REPLACE TABLE, DROP TABLE, and statements about namespaces run?

A table that does not exist yet is the catalog's if its name begins with the catalog's, or if the catalog has its
namespace and Spark has not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, NoSuchTableError, UnsupportedError
from floeberg.spark.sql.ddl.ddl_clauses import applied, properties, transform
from floeberg.spark.sql.text.column_types import columns_of
from floeberg.spark.sql.text.dialect import dialect
from floeberg.spark.write.frame import FrameWrite, create
from floeberg.spark.write.new_schema import schema_of

if TYPE_CHECKING:
    from floeberg.catalog import Catalog
    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.statement import Statement
    from floeberg.spark.sql.text.token_reader import TokenReader

__all__ = ["create_namespace", "create_table", "drop_namespace", "drop_table"]

_FORMATS = {"ICEBERG", "FLOEBERG", ""}


@dataclass
class _NewTable:
    """What CREATE TABLE says after the name."""

    columns: str | None = None
    format: str = ""
    partitions: list[str] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)
    location: str | None = None
    query: Statement | None = None


def create_table(queries: Queries, words: TokenReader) -> bool:
    """Runs what follows `CREATE` or `REPLACE`; `False` where the table is Spark's."""
    replaces = words.take("REPLACE") or not words.take("CREATE")
    creates = not replaces
    if creates and words.take("OR", "REPLACE"):
        replaces = True
    words.expect("TABLE")
    lenient = words.take("IF", "NOT", "EXISTS")
    parts = words.name()
    place = queries.known.place(parts)
    if place is None:
        return False
    catalog, levels = place
    new = _parts_of(words)
    if new.format not in _FORMATS:
        if parts[0] == catalog.name and len(parts) > 2:  # noqa: PLR2004 - a catalog before both
            raise UnsupportedError(f"CREATE TABLE: USING {new.format.lower()}: expected iceberg")
        return False
    if lenient and catalog.table_exists(levels):
        return True
    mode = "create_or_replace" if creates and replaces else "replace" if replaces else "create"
    _make(queries, catalog, levels, new, mode)
    return True


def drop_table(queries: Queries, words: TokenReader) -> bool:
    """Runs what follows `DROP TABLE`; `False` where the table is Spark's."""
    lenient = words.take("IF", "EXISTS")
    parts = words.name()
    purges = words.take("PURGE")
    words.end()
    place = queries.known.place(parts)
    if place is None:
        return False
    catalog, levels = place
    if not catalog.table_exists(levels):
        if lenient:
            return True
        raise NoSuchTableError(f"DROP TABLE: the catalog {catalog.name!r} has no table {'.'.join(levels)!r}")
    if purges:
        catalog.purge_table(levels)
    else:
        catalog.drop_table(levels)
    return True


def create_namespace(queries: Queries, words: TokenReader) -> bool:
    """Runs what follows `CREATE NAMESPACE`; `False` where it is Spark's."""
    lenient = words.take("IF", "NOT", "EXISTS")
    parts = words.name()
    found = queries.known.namespace(parts)
    # A name alone is Spark's.
    if found is None or found[1] == parts:
        return False
    catalog, levels = found
    wanted: dict[str, str] = {}
    while not words.is_at_end:
        if words.take("COMMENT"):
            wanted["comment"] = words.string()
        elif words.take("LOCATION"):
            wanted["location"] = words.string()
        else:
            words.expect("WITH")
            if not words.take("DBPROPERTIES"):
                words.expect("PROPERTIES")
            wanted |= properties(words)
    if lenient:
        catalog.create_namespace_if_not_exists(levels, wanted)
    else:
        catalog.create_namespace(levels, wanted)
    return True


def drop_namespace(queries: Queries, words: TokenReader) -> bool:
    """Runs what follows `DROP NAMESPACE`; `False` where it is Spark's."""
    lenient = words.take("IF", "EXISTS")
    parts = words.name()
    found = queries.known.namespace(parts)
    if found is None or (found[1] == parts and queries.known.existing_namespace(parts) is None):
        return False
    words.take("RESTRICT")
    words.end()
    catalog, levels = found
    if not lenient or catalog.namespace_exists(levels):
        catalog.drop_namespace(levels)
    return True


def _parts_of(words: TokenReader) -> _NewTable:
    new = _NewTable()
    if words.follows("("):
        new.columns = words.bracketed()
    while not words.is_at_end:
        if words.take("USING"):
            new.format = words.one_name().upper()
        elif words.take("PARTITIONED", "BY"):
            new.partitions += words.inside().all_listed(_partition)
        elif words.take("COMMENT"):
            new.properties["comment"] = words.string()
        elif words.take("LOCATION"):
            new.location = words.string()
        elif words.take("TBLPROPERTIES"):
            new.properties |= properties(words)
        elif words.take("AS") or words.next() in {"SELECT", "WITH", "VALUES"}:
            new.query = words.rest()
        else:
            words.unexpected("USING, PARTITIONED BY, COMMENT, LOCATION, TBLPROPERTIES or AS")
    return new


def _partition(words: TokenReader) -> str:
    column, how = transform(words)
    return applied(how, '"' + column.replace('"', '""') + '"')


def _make(queries: Queries, catalog: Catalog, levels: tuple[str, ...], new: _NewTable, mode: str) -> None:
    case_sensitive = dialect().case_sensitive
    layout = {
        "partition_spec": new.partitions or None,
        "properties": new.properties,
        "location": new.location,
    }
    if new.query is not None:
        if new.columns is not None:
            raise InvalidInputError(
                "CREATE TABLE: AS SELECT gives the columns: leave out the list of columns"
            )
        frame = queries.frame(new.query)
        create(
            frame,
            ".".join(levels),
            catalog,
            mode,
            FrameWrite(case_sensitive=case_sensitive),
            schema=schema_of(frame.schema, keeps_required=False, case_sensitive=case_sensitive),
            **layout,
        )
        return
    if new.columns is None:
        raise InvalidInputError("CREATE TABLE: expected columns, or AS SELECT")
    schema = schema_of(columns_of(new.columns), case_sensitive=case_sensitive)
    if mode == "create":
        catalog.create_table(levels, schema, **layout)  # type: ignore[arg-type]
    elif mode == "replace":
        catalog.replace_table(levels, schema, **layout)  # type: ignore[arg-type]
    else:
        catalog.create_or_replace_table(levels, schema, **layout)  # type: ignore[arg-type]

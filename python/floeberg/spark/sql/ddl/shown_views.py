"""What do DESCRIBE and SHOW say of views of a catalog?

Their columns and rows are those of Iceberg's integration with Spark.
"""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError
from floeberg.spark.session.names import quoted
from floeberg.spark.sql.ddl.shown_texts import comment_clause, listed_place, literal_text, type_text
from floeberg.spark.sql.query.queries import KEPT_ROWS
from floeberg.view.query_columns import QUERY_COLUMN_NAMES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.known_tables import FoundView
    from floeberg.spark.sql.text.token_reader import TokenReader
    from floeberg.view import View

__all__ = ["described_view", "list_views", "view_columns", "view_definition", "view_properties"]

_COMMENT = "comment"


def list_views(queries: Queries, words: TokenReader) -> DataFrame | None:
    """Runs what follows `SHOW VIEWS`; `None` where Spark is to. Temporary views of the session are listed too."""
    place = listed_place(queries, words)
    if place is None:
        return None
    catalog, levels, pattern = place
    rows = [
        (".".join(levels), each[-1], False)
        for each in sorted(catalog.list_views(levels))
        if fnmatch.fnmatchcase(each[-1], pattern)
    ]
    temporary = (each.name for each in queries.spark.catalog.listTables() if each.isTemporary)
    rows += [
        ("", name, True)
        for name in sorted(temporary)
        if fnmatch.fnmatchcase(name, pattern) and not name.startswith(KEPT_ROWS)
    ]
    return queries.spark.createDataFrame(rows, "namespace string, viewName string, isTemporary boolean")


def described_view(queries: Queries, words: TokenReader, found: FoundView, *, extended: bool) -> DataFrame:
    """What `DESCRIBE` says of a view.

    Raises:
        InvalidInputError: The view has no such column.
    """
    view = found.view
    fields = view.schema().fields
    if not words.is_at_end:
        parts = words.name()
        words.end()
        field = next((each for each in fields if each.name.lower() == ".".join(parts).lower()), None)
        if field is None:
            raise InvalidInputError(f"DESCRIBE: the view has no column {'.'.join(parts)!r}")
        rows = [("col_name", field.name), ("data_type", type_text(field)), ("comment", field.doc or "NULL")]
        return queries.spark.createDataFrame(rows, "info_name string, info_value string")
    listed = [(each.name, type_text(each), each.doc or "") for each in fields]
    if extended:
        listed += [("", "", ""), *_details(found)]
    return queries.spark.createDataFrame(listed, "col_name string, data_type string, comment string")


def view_columns(queries: Queries, found: FoundView) -> DataFrame:
    """What `SHOW COLUMNS` says of a view."""
    rows = [(each.name,) for each in found.view.schema().fields]
    return queries.spark.createDataFrame(rows, "col_name string")


def view_properties(queries: Queries, words: TokenReader, found: FoundView) -> DataFrame:
    """What `SHOW TBLPROPERTIES` says of a view."""
    rows = sorted(_own_properties(found.view).items())
    if words.follows("("):
        inside = words.inside()
        key = inside.string() if inside.is_string() else ".".join(inside.name())
        inside.end()
        value = dict(rows).get(key, f"View {'.'.join(found.full)} does not have property: {key}")
        rows = [(key, value)]
    words.end()
    return queries.spark.createDataFrame(rows, "key string, value string")


def view_definition(queries: Queries, found: FoundView) -> DataFrame:
    """A statement that makes a view like it."""
    view = found.view
    columns = ",\n".join(f"  {quoted(each.name)}{comment_clause(each.doc)}" for each in view.schema().fields)
    text = f"CREATE VIEW {quoted(*found.full)} (\n{columns})\n"
    own = _own_properties(view)
    if _COMMENT in own:
        text += f"COMMENT {literal_text(own.pop(_COMMENT))}\n"
    if own:
        listed = (f"  {literal_text(key)} = {literal_text(value)}" for key, value in sorted(own.items()))
        text += "TBLPROPERTIES (\n" + ",\n".join(listed) + ")\n"
    text += f"AS\n{_sql(view)}\n"
    return queries.spark.createDataFrame([(text,)], "createtab_stmt string")


def _details(found: FoundView) -> list[tuple[str, str, str]]:
    view = found.view
    version = view.current_version()
    own = _own_properties(view)
    listed = ", ".join(
        f"{literal_text(key)} = {literal_text(value)}"
        for key, value in sorted(own.items())
        if key != _COMMENT
    )
    names = view.properties.get(QUERY_COLUMN_NAMES, "").replace(",", ", ")
    engine = " ".join(version.summary.get(key, "") for key in ("engine-name", "engine-version")).strip()
    return [
        ("# Detailed View Information", "", ""),
        ("Comment", own.get(_COMMENT, ""), ""),
        ("View Catalog and Namespace", quoted(*found.full[:-1]), ""),
        ("View Query Output Columns", f"[{names}]", ""),
        ("View Properties", f"[{listed}]", ""),
        ("Created By", engine, ""),
    ]


def _own_properties(view: View) -> dict[str, str]:
    """The properties of a view, without what only says how its query is read."""
    return {key: value for key, value in view.properties.items() if key != QUERY_COLUMN_NAMES}


def _sql(view: View) -> str:
    """The statement for Spark, or all of them with their dialects where the view has none for Spark."""
    found = view.sql_for("spark")
    if found is not None:
        return found.sql
    listed = (f"-- in {each.dialect}\n{each.sql}" for each in view.current_version().representations)
    return "\n".join(listed)

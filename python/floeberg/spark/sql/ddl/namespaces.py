"""What does DESCRIBE NAMESPACE say? Its columns and rows are those of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.spark.session.names import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.token_reader import TokenReader

__all__ = ["NAMESPACES", "describe_namespace"]

NAMESPACES = ("NAMESPACE", "DATABASE", "SCHEMA")
"""The words for a namespace."""

_RESERVED = ("comment", "location", "owner")
"""Properties that have a row of their own."""


def describe_namespace(queries: Queries, words: TokenReader) -> DataFrame | None:
    """Runs what follows `DESCRIBE NAMESPACE`; `None` where Spark is to.

    Raises:
        NoSuchNamespaceError: The catalog has no such namespace.
        InvalidInputError: Both the catalog and Spark have a namespace of the name.
    """
    extended = words.take("EXTENDED")
    if not words.is_name:
        return None
    parts = words.name()
    words.end()
    queries.known.check_one_namespace(parts)
    place = queries.known.existing_namespace(parts)
    if place is None:
        return None
    catalog, levels = place
    found = catalog.load_namespace_properties(levels)
    rows = [("Catalog Name", catalog.name), ("Namespace Name", ".".join(map(_written, levels)))]
    rows += [(key.capitalize(), found[key]) for key in _RESERVED if key in found]
    if extended:
        others = sorted(each for each in found.items() if each[0] not in _RESERVED)
        listed = ", ".join(f"({key},{value})" for key, value in others)
        rows.append(("Properties", f"({listed})" if others else ""))
    return queries.spark.createDataFrame(rows, "info_name string, info_value string")


def _written(part: str) -> str:
    return part if part.replace("_", "a").isalnum() else quoted(part)

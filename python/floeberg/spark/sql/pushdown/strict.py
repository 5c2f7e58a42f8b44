"""Which filter of ours keeps exactly the rows for which a condition of Spark holds?

Such a condition needs no job of Spark: rows are deleted and updated in this process, and files that metadata proves to
match are not read.

Invariant: what is not certain is `None`, and Spark evaluates it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.errors import FloebergError
from floeberg.expressions import And, lit
from floeberg.spark.session.conf import texts_are_certain, timestamps_are_certain
from floeberg.spark.sql.pushdown.literals import SessionTimestamps, constant_of
from floeberg.spark.sql.pushdown.row_filters import conditions
from floeberg.spark.sql.text.references import references
from floeberg.spark.sql.text.statement import parse_query, read_statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from floeberg.expressions import Expression
    from floeberg.spark.sql.text.known_tables import KnownTables
    from floeberg.spark.sql.text.targets import ChangedTable

__all__ = ["exact_filter", "exact_values"]

_RANGES = {"int": 1 << 31, "long": 1 << 63}


def exact_filter(
    spark: SparkSession, known: KnownTables, changed: ChangedTable, condition: str
) -> Expression | None:
    """The filter of a condition.

    Args:
        spark: The session.
        known: The tables of the statement.
        changed: The table.
        condition: The condition, as text.
    """
    # In brackets, LIMIT or another clause after the condition is a syntax error, and Spark raises it.
    statement = read_statement(f"SELECT 1 FROM {changed.relation} WHERE ({condition}\n)")  # noqa: S608 - the user's own text
    trees = [] if statement is None else parse_query(statement)[0]
    if statement is None or len(trees) != 1 or not texts_are_certain(spark):
        return None
    uses = references(statement, trees[0], known)
    if len(uses) != 1:
        return None
    found = conditions(uses[0], changed.scan, statement, case_sensitive=changed.case_sensitive)
    asked = [moment for each in found for moment in each.moments()]
    if not found or (asked and not timestamps_are_certain(spark)):
        return None
    moments = SessionTimestamps(spark)
    moments.ask(asked)
    filters = [each.exact_filter(moments) for each in found]
    kept = [each for each in filters if each is not None]
    if len(kept) < len(filters):
        return None
    made = And(*kept) if len(kept) > 1 else kept[0]
    try:
        # What a column cannot be compared with is for Spark.
        changed.scan.filter(made)
    except FloebergError:
        return None
    return made


def exact_values(
    changed: ChangedTable, settings: Sequence[tuple[Sequence[str], str]]
) -> dict[str, Any] | None:
    """The values of columns that are set to constants; `None` if one is something else.

    Args:
        changed: The table.
        settings: Columns and fields of structs, and the texts of their values.
    """
    found: dict[str, Any] = {}
    for (name, *below), text in settings:
        if below:
            return None
        statement = read_statement(f"SELECT ({text}\n)")
        trees = [] if statement is None else parse_query(statement)[0]
        if statement is None or len(trees) != 1 or len(trees[0].expressions) != 1 or statement.is_opaque:
            return None
        constant = constant_of(trees[0].expressions[0], statement)
        kind = str(changed.table.schema().find_type(name))
        if constant is None:
            return None
        value: Any = constant.value
        is_number = kind in _RANGES and constant.kind == "integer" and -_RANGES[kind] <= value < _RANGES[kind]
        if not (
            is_number or constant.kind == "null" or constant.kind == kind in {"string", "boolean", "date"}
        ):
            return None
        # A text of SQL is the text itself.
        found[name] = lit(value)
    return found

"""Which filter of ours keeps exactly the rows for which a condition of Spark holds?

Such a condition needs no job of Spark: rows are deleted and updated in this process, and files that metadata proves to
match are not read.

Invariant: what is not certain is `None`, and Spark evaluates it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.errors import FloebergError
from floeberg.expressions import And, lit
from floeberg.spark.sql.pushdown.literals import constant_of
from floeberg.spark.sql.pushdown.row_filters import certain, conditions_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from floeberg.expressions import Expression
    from floeberg.spark.sql.text.statement import Statement
    from floeberg.spark.sql.text.targets import ChangedTable

__all__ = ["exact_filter", "exact_values"]

_RANGES = {"int": 1 << 31, "long": 1 << 63}


def exact_filter(spark: SparkSession, changed: ChangedTable, condition: Statement) -> Expression | None:
    """The filter of a condition.

    Args:
        spark: The session.
        changed: The table.
        condition: The condition.
    """
    found = conditions_of(changed, condition)
    (known,), moments = certain(spark, found)
    filters = [each.exact_filter(moments) for each in known]
    kept = [each for each in filters if each is not None]
    if not kept or len(kept) < len(found):
        return None
    made = And(*kept) if len(kept) > 1 else kept[0]
    try:
        # What a column cannot be compared with is for Spark.
        changed.scan.filter(made)
    except FloebergError:
        return None
    return made


def exact_values(
    changed: ChangedTable, settings: Sequence[tuple[Sequence[str], Statement]]
) -> dict[str, Any] | None:
    """The values of columns that are set to constants; `None` if one is something else.

    Args:
        changed: The table.
        settings: Columns and fields of structs, and their values.
    """
    found: dict[str, Any] = {}
    for (name, *below), given in settings:
        if below or given.is_opaque or given.expression is None:
            return None
        constant = constant_of(given.expression, given)
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
